/* dynamics/forward.kernel.h - forward dynamics: [FD1] .. [FD4], [HYB]; by the filter and
 * the smoother of sweep/filter.kernel.h. */
#ifndef SOA_DYNAMICS_FORWARD_KERNEL_H
#define SOA_DYNAMICS_FORWARD_KERNEL_H

#include "dynamics/inverse.kernel.h"
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
    real_store(call->rest, smoother_sweep(call, &w));
}

/* ---- [FD1], [FD2] ----------------------------------------------------------------------------- */

/* C into w->x: outward and inward sweep with betadot = 0. Leaves X and a. */
static inline void bias_into_x(soa_call *call, const vars *w)
{
    soa_call bias = *call;
    bias.u = (soa_in){ NULL, 0 };
    newton_euler_outward(&bias, w);
    newton_euler_inward(&bias, w);
}

/* T' = T - H phi (M phi* a + b + B f_c), then Mass^-1 T'.  [FD1] */
static void forward_dynamics_1(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    bias_into_x(call, &w);
    for (int i = 0; i < call->model->nv; i++) {
        w.x[i] = (call->u.at ? in_get(call, call->u, (size_t)i) : real_set(0.0)) - w.x[i];
    }
    articulated_sweep(call, &w);
    for (int k = 0; k < call->model->bodies; k++) {
        w.b[k] = force_zero();
    }
    filter_sweep(call, &w);
    real_store(call->rest, smoother_sweep(call, &w));
}

/* FD1, and in y2 (if wanted) alpha = psi* H* nu + phi* a of every body, in the
 * axes and at the origin of its link frame, gravity taken off at the base.  [FD2] */
static void forward_dynamics_2(soa_call *call)
{
    const vars w = vars_of(call);
    forward_dynamics_1(call);
    const soa_model *m = call->model;
    if (!call->y2.at) {
        return;
    }
    for (int k = 0; k < m->bodies; k++) { /* phi* a over a, which nothing reads any more */
        const int p = m->body[k].parent;
        const motion a = call->v.at ? w.a[k] : motion_zero();
        w.a[k] = p < 0 ? a : motion_add(phi_t(w.X[k], w.a[p]), a);
        const motion alpha = phi_t(pose_set(&m->body[k].rest->frame), motion_add(w.alpha[k], w.a[k]));
        out_vec3(call, call->y2, 6 * (size_t)k, alpha.w);
        out_vec3(call, call->y2, 6 * (size_t)k + 3, alpha.v);
    }
}

/* ---- [FD3] -------------------------------------------------------------------------------------- */

/* zeta = M phi* a + b + B f_c;  eps = T - H psi (K T + zeta);  betadot = (I - H psi K)* D^-1 eps.  [FD3]
 * A rotor's part of zeta goes into its joint force too. */
static void forward_dynamics_3(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    call_begin(call);
    soa_call bias = *call;
    bias.u = (soa_in){ NULL, 0 };
    newton_euler_outward(&bias, &w);
    all_in(call, call->u, w.x);
    for (int k = m->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &m->body[k];
        if (body->armature != 0.0) {
            real T[SOA_JOINT_MAX_NV] = { real_set(0.0) };
            rotor_forces(&bias, &w, body, T);
            for (int i = 0; i < body->nv; i++) {
                w.x[body->v + i] = w.x[body->v + i] - T[i];
            }
        }
    }
    articulated_sweep(call, &w);
    filter_sweep(call, &w);
    real_store(call->rest, smoother_sweep(call, &w));
}

/* ---- [FD4] ------------------------------------------------------------------------- */

/* Outward: X, V, a, b, P = M. */
static inline void forward_outward(soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        body_position(call, w, k);
        w->P[k] = articulated_from_rigid(rigid_set(body->inertia));
        if (call->v.at) {
            body_velocity(call, w, k);
            w->b[k] = body_bias(call, w, k);
            if (body->geared) {
                w->b[body->parent] = force_add(w->b[body->parent], gear_bias(call, w, body));
            }
        } else {
            w->a[k] = motion_zero();
            w->b[k] = force_zero();
        }
        if (call->f.at) {
            w->W[k] = body->parent < 0 ? w->X[k] : pose_compose(w->W[body->parent], w->X[k]);
            w->b[k] = force_sub(w->b[k], body_external(call, w, k));
        }
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

/* betadot = D^-1 eps - K* alpha(p), alpha = phi* alpha(p) + a + H* betadot. */
static inline void forward_smoother(soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    const motion base = base_acceleration(call);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const motion *at_parent = body->parent < 0 ? &base : &w->alpha[body->parent];
        const motion at_child = phi_t(w->X[k], *at_parent);
        real betadot[SOA_JOINT_MAX_NV];
        smoother_step(call, w, k, w->eps + body->v, at_child, at_parent, betadot);
        w->alpha[k] = motion_add(motion_add(at_child, w->a[k]), joint_motion(w, body, betadot));
        if (call->y.at) {
            joint_out(call, call->y, body->v, body->nv, betadot);
        }
    }
}

/* The recursion of [FD4], each quantity in a sweep of its own. */
static void forward_dynamics_4(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    forward_outward(call, &w);
    articulated_sweep(call, &w);
    for (int k = call->model->bodies - 1; k >= 0; k--) {
        forward_filter(call, &w, k);
    }
    forward_smoother(call, &w);
}

/* ---- [HYB] --------------------------------------------------------------------------------------- */

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
        if (body->geared) {
            z->n = vec3_scale_add(betadot[0], vec3_set(body->rest->gear), z->n);
        }
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

#endif
