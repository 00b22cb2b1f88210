/* dynamics/forward.kernel.h - Mass^-1 x and hybrid dynamics [HYB], by the filter and the smoother of sweep/filter.kernel.h;
 * [FD1] .. [FD4] and joint forces, written by soa emit from reference.soa. */
#ifndef SOA_DYNAMICS_FORWARD_KERNEL_H
#define SOA_DYNAMICS_FORWARD_KERNEL_H

#include "dynamics/inverse.kernel.h"
#include "sweep/apply.kernel.h"
#include "sweep/filter.kernel.h"

/* ---- Mass^-1 x ------------------------------------------------------------------------------ */

/* q, u = x; y = Mass^-1 x = (I - H psi K)* D^-1 (I - H psi K) x.  [I6] [MINV] */
static void mass_solve(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    position_sweep(call, &w);
    articulated_sweep(call, &w);
    for (int k = 0; k < call->model->bodies; k++) {
        w.b[k] = force_zero();
    }
    all_in(call, call->u, w.x);
    filter_sweep(call, &w);
    real_store(call->taint, smoother_sweep(call, &w));
}

/* ---- [HYB] --------------------------------------------------------------------------------------- */

/* Outward: X, V, a, b, P = M. */
static inline void forward_outward(soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    position_sweep(call, w);
    if (call->f.at) {
        placement_sweep(call, w);
    }
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        w->P[k] = articulated_from_rigid(rigid_set(body->inertia));
        body_velocity_given(call, w, k);
        w->b[k] = body_load(call, w, k, w->V[k]);
        gear_bias_add(call, w, body, w->b);
    }
}

/* eps = T - H z - U* a of one body into w->eps, and z + P a behind its joint to the parent. */
KERNEL void forward_filter(soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    real *eps = w->eps + body->v;
    joint_innovation(call, w, k, w->U + body->v, eps);
    if (body->parent >= 0) {
        const force x = force_add(w->b[k], articulated_mul(w->P[k], w->a[k]));
        force *z = &w->b[body->parent];
        *z = force_add(*z, filter_step(call, w, k, x, eps));
    }
}

/* Inward past a joint whose betadot is given: nothing is filtered out. */
static inline void hybrid_inward(soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    real *betadot = w->eps + body->v;
    joint_in(call, call->given, body->v, body->nv, betadot);
    w->a[k] = motion_add(w->a[k], joint_motion(w, body, betadot));
    if (body->parent >= 0) {
        const force x = force_add(w->b[k], articulated_mul(w->P[k], w->a[k]));
        force *z = &w->b[body->parent];
        *z = force_add(*z, phi(w->X[k], x));
        Gamma_add(body, betadot, w->b);
        articulated *P = &w->P[body->parent];
        *P = articulated_add(*P, articulated_shift(w->X[k], w->P[k]));
    }
}

/* T of a joint whose betadot is given. alpha(k) is known. */
static inline void hybrid_force(soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const force f = force_add(w->b[k], articulated_mul(w->P[k], w->alpha[k]));
    real T[SOA_JOINT_MAX_NV];
    joint_force(w, body, f, T);
    for (int i = 0; i < body->nv; i++) {
        T[i] = real_fma(real_set(body->armature), w->eps[body->v + i], T[i]);
    }
    armature_bias(call, body, 1.0, T);
    if (body->geared) {
        T[0] = vec3_dot_add(vec3_set(body->rest->gear), w->alpha[body->parent].w, T[0]);
    }
    joint_out(call, call->y, body->v, body->nv, T);
}

/* q, v, f, prescribed; y = T and y2 = betadot, each in and out.  [HYB] */
static void hybrid_dynamics(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    const bool *prescribed = call->prescribed;
    const motion base = base_acceleration(call);
    call_begin(call);
#if LANES == 1
    call->u = (soa_in){ call->y.at, call->y.stride };
    call->given = (soa_in){ call->y2.at, call->y2.stride };
#endif
    forward_outward(call, &w);
    for (int k = m->bodies - 1; k >= 0; k--) {
        if (prescribed[m->body[k].v]) {
            hybrid_inward(call, &w, k);
        } else {
            articulated_step(call, &w, k);
            forward_filter(call, &w, k);
        }
    }
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const motion *at_parent = body->parent < 0 ? &base : &w.alpha[body->parent];
        const motion at_child = phi_t(w.X[k], *at_parent);
        w.alpha[k] = motion_add(at_child, w.a[k]);
        if (prescribed[body->v]) {
            hybrid_force(call, &w, k);
        } else {
            real betadot[SOA_JOINT_MAX_NV];
            smoother_step(call, &w, k, w.eps + body->v, at_child, at_parent, betadot);
            w.alpha[k] = motion_add(w.alpha[k], joint_motion(&w, body, betadot));
            joint_out(call, call->y2, body->v, body->nv, betadot);
        }
    }
}

#include "dynamics/reference.kernel.h"

#endif
