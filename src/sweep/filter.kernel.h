/* sweep/filter.kernel.h - Mass^-1 = (I - H psi K)* D^-1 (I - H psi K) as two recursions.  [I6]
 *
 * With eps = T - H z, nu = D^-1 eps the filter runs inward and the smoother
 * outward; K(p,k) x = phi G x, or with a rotor (phi U + gear) D^-1 x:
 *     filter    z(p) += phi z(k) + K eps          = psi z + K T
 *     smoother  y = nu - K* lambda(p),  lambda(k) = phi* lambda(p) + H* y
 * They need X, H, U, G, D_inv (articulated sweep). */
#ifndef SOA_SWEEP_FILTER_KERNEL_H
#define SOA_SWEEP_FILTER_KERNEL_H

#include "sweep/articulate.kernel.h"

/* ---- of one body ------------------------------------------------------ */

/* phi x + K eps */
KERNEL force filter_across(const pose *X, const soa_body_data *body, joint_inertias j, force x, const real *eps)
{
    if (body->geared) {
        return force_scale_add(j.D_inv[0][0] * eps[0], geared_column(X, body, j.U[0]), phi(*X, x));
    }
    for (int i = 0; i < body->nv; i++) {
        x = force_scale_add(eps[i], j.G[i], x);
    }
    return phi(*X, x);
}

KERNEL force filter_step(const soa_call *call, const vars *w, int k, force x, const real *eps)
{
    const soa_body_data *body = &call->model->body[k];
    return filter_across(&w->X[k], body, kept_inertias(w, body), x, eps);
}

/* y = D^-1 eps - K* lambda(p), with at_child = phi* lambda(p); at_parent is read only with a rotor. */
KERNEL void smoother_across(const pose *X, const soa_body_data *body, joint_inertias j, const real *eps,
    motion at_child, const motion *at_parent, real *y)
{
    if (body->geared) {
        y[0] = j.D_inv[0][0] * (eps[0] - power(geared_column(X, body, j.U[0]), *at_parent));
        return;
    }
    inverse_mul(j.D_inv, body->nv, eps, y);
    for (int i = 0; i < body->nv; i++) {
        y[i] = y[i] - power(j.G[i], at_child);
    }
}

KERNEL void smoother_step(
    const soa_call *call, const vars *w, int k, const real *eps, motion at_child, const motion *at_parent, real *y)
{
    const soa_body_data *body = &call->model->body[k];
    smoother_across(&w->X[k], body, kept_inertias(w, body), eps, at_child, at_parent, y);
}

/* eps = T - H z */
KERNEL void innovation(const vars *w, const soa_body_data *body, force z, const real *T, real *eps)
{
    real Hz[SOA_JOINT_MAX_NV];
    joint_force(w, body, z, Hz);
    for (int i = 0; i < body->nv; i++) {
        eps[i] = T[i] - Hz[i];
    }
}

/* eps = T - H z - U* a, where T is less what armature adds to C. */
KERNEL void joint_innovation(const soa_call *call, const vars *w, int k, const force *U, real *eps)
{
    const soa_body_data *body = &call->model->body[k];
    real T[SOA_JOINT_MAX_NV];
    joint_given(call, call->u, body, T);
    armature_bias(call, body, -1.0, T);
    innovation(w, body, w->b[k], T, eps);
    for (int i = 0; i < body->nv; i++) {
        eps[i] = eps[i] - power(U[i], w->a[k]);
    }
}

/* x = all nv numbers of each state, zeros if there are none. */
static inline void all_in(const soa_call *call, soa_in in, real *x)
{
    for (int i = 0; i < call->model->nv; i++) {
        x[i] = in.at ? in_get(call, in, (size_t)i) : real_set(0.0);
    }
}

/* ---- of all bodies --------------------------------------------------------------------------- */

/* Inward: z = psi (K x + zeta) from zeta in w->b, eps = x - H z into w->eps. x in w->x. */
static inline void filter_sweep(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    for (int k = m->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &m->body[k];
        real *eps = w->eps + body->v;
        innovation(w, body, w->b[k], w->x + body->v, eps);
        if (body->parent >= 0) {
            force *z = &w->b[body->parent];
            *z = force_add(*z, filter_step(call, w, k, w->b[k], eps));
        }
    }
}

/* Outward: y = (I - H psi K)* D^-1 eps into w->x and call->y; lambda = psi* H* nu in w->alpha. Returns
 * what tells if y is finite: soa_call.taint. */
static inline real smoother_sweep(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    real taint = real_set(0.0);
    const motion zero = motion_zero();
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const motion *at_parent = body->parent < 0 ? &zero : &w->alpha[body->parent];
        const motion at_child = phi_t(w->X[k], *at_parent);
        real *y = w->x + body->v;
        smoother_step(call, w, k, w->eps + body->v, at_child, at_parent, y);
        w->alpha[k] = motion_add(at_child, joint_motion(w, body, y));
        for (int i = 0; i < body->nv; i++) {
            taint = taint + (y[i] - y[i]);
        }
        joint_out(call, call->y, body->v, body->nv, y);
    }
    return taint;
}

#endif
