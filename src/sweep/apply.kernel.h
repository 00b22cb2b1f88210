/* sweep/apply.kernel.h - y = phi x, psi x and their relatives as recursions, in place.
 *
 * A body force y[k] or a body motion V[k] per body, body frames; x[i] a number
 * per velocity. What they need of the variables:
 *     phi       X                     K, psi    X, H, U, G, D_inv  (articulated sweep)
 *     H         H                     Gamma     nothing
 * With a rotor, K(p,k) = phi G + gear D^-1 and psi(p,k) = phi - K H.  [GEAR] */
#ifndef SOA_SWEEP_APPLY_KERNEL_H
#define SOA_SWEEP_APPLY_KERNEL_H

#include "sweep/articulate.kernel.h"

/* ---- one body ---------------------------------------------------------------------- */

/* G(k) x */
KERNEL force G_mul(const vars *w, const soa_body_data *body, const real *x)
{
    force f = force_scale(x[0], w->G[body->v]);
    for (int i = 1; i < body->nv; i++) {
        f = force_scale_add(x[i], w->G[body->v + i], f);
    }
    return f;
}

/* y = G*(k) V */
KERNEL void G_t_mul(const vars *w, const soa_body_data *body, motion V, real *y)
{
    for (int i = 0; i < body->nv; i++) {
        y[i] = power(w->G[body->v + i], V);
    }
}

/* K(p,k) x, at the parent */
KERNEL force K_mul(const vars *w, const soa_body_data *body, int k, const real *x)
{
    if (body->geared) {
        return force_scale(w->D_inv[body->v][0] * x[0], gear_column(w, body, k));
    }
    return phi(w->X[k], G_mul(w, body, x));
}

/* y = K*(p,k) V, V of the parent */
KERNEL void K_t_mul(const vars *w, const soa_body_data *body, int k, motion V, real *y)
{
    if (body->geared) {
        y[0] = w->D_inv[body->v][0] * power(gear_column(w, body, k), V);
        return;
    }
    G_t_mul(w, body, phi_t(w->X[k], V), y);
}

/* y = D^-1(k) x */
KERNEL void D_inv_mul(const vars *w, const soa_body_data *body, const real *x, real *y)
{
    inverse_mul(w->D_inv + body->v, body->nv, x, y);
}

/* y = D(k) x = H P H* x + armature x */
KERNEL void D_mul(const vars *w, const soa_body_data *body, const real *x, real *y)
{
    force f = force_scale(x[0], w->U[body->v]);
    for (int i = 1; i < body->nv; i++) {
        f = force_scale_add(x[i], w->U[body->v + i], f);
    }
    joint_force(w, body, f, y);
    for (int i = 0; i < body->nv; i++) {
        y[i] = real_fma(real_set(body->armature), x[i], y[i]);
    }
}

/* psi(p,k) f = phi f - K H f, at the parent */
KERNEL force psi(const vars *w, const soa_body_data *body, int k, force f)
{
    real Hf[SOA_JOINT_MAX_NV];
    joint_force(w, body, f, Hf);
    return force_sub(phi(w->X[k], f), K_mul(w, body, k, Hf));
}

/* psi*(p,k) V = phi* V - H* K* V, V of the parent */
KERNEL motion psi_t(const vars *w, const soa_body_data *body, int k, motion V)
{
    real KV[SOA_JOINT_MAX_NV];
    K_t_mul(w, body, k, V, KV);
    return motion_sub(phi_t(w->X[k], V), joint_motion(w, body, KV));
}

/* ---- phi --------------------------------------------------------------------------- */

/* y = phi y: y(k) + sum phi(k,j) y(j), inward. */
static inline void phi_sweep(const soa_call *call, const vars *w, force *y)
{
    for (int k = call->model->bodies - 1; k >= 0; k--) {
        const int p = call->model->body[k].parent;
        if (p >= 0) {
            y[p] = force_add(y[p], phi(w->X[k], y[k]));
        }
    }
}

/* V = phi* V: V(k) + phi*(p,k) V(p), outward.  [V] */
static inline void phi_t_sweep(const soa_call *call, const vars *w, motion *V)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const int p = call->model->body[k].parent;
        if (p >= 0) {
            V[k] = motion_add(V[k], phi_t(w->X[k], V[p]));
        }
    }
}

/* y = E_phi y: each body gives its force to the parent and keeps none. Outward,
 * so that what a body gives is its own. */
static inline void E_phi_sweep(const soa_call *call, const vars *w, force *y)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const int p = call->model->body[k].parent;
        const force f = y[k];
        y[k] = force_zero();
        if (p >= 0) {
            y[p] = force_add(y[p], phi(w->X[k], f));
        }
    }
}

/* V = E_phi* V */
static inline void E_phi_t_sweep(const soa_call *call, const vars *w, motion *V)
{
    for (int k = call->model->bodies - 1; k >= 0; k--) {
        const int p = call->model->body[k].parent;
        V[k] = p < 0 ? motion_zero() : phi_t(w->X[k], V[p]);
    }
}

/* ---- psi --------------------------------------------------------------------------- */

/* y = psi y, inward. */
static inline void psi_sweep(const soa_call *call, const vars *w, force *y)
{
    for (int k = call->model->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &call->model->body[k];
        if (body->parent >= 0) {
            y[body->parent] = force_add(y[body->parent], psi(w, body, k, y[k]));
        }
    }
}

/* V = psi* V, outward. */
static inline void psi_t_sweep(const soa_call *call, const vars *w, motion *V)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        if (body->parent >= 0) {
            V[k] = motion_add(V[k], psi_t(w, body, k, V[body->parent]));
        }
    }
}

/* y = E_psi y */
static inline void E_psi_sweep(const soa_call *call, const vars *w, force *y)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        const force f = y[k];
        y[k] = force_zero();
        if (body->parent >= 0) {
            y[body->parent] = force_add(y[body->parent], psi(w, body, k, f));
        }
    }
}

/* V = E_psi* V */
static inline void E_psi_t_sweep(const soa_call *call, const vars *w, motion *V)
{
    for (int k = call->model->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &call->model->body[k];
        V[k] = body->parent < 0 ? motion_zero() : psi_t(w, body, k, V[body->parent]);
    }
}

/* ---- between joints and bodies -------------------------------------------------------- */

/* y = K x */
static inline void K_sweep(const soa_call *call, const vars *w, const real *x, force *y)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        y[k] = force_zero();
        if (body->parent >= 0) {
            y[body->parent] = force_add(y[body->parent], K_mul(w, body, k, x + body->v));
        }
    }
}

/* x = K* V */
static inline void K_t_sweep(const soa_call *call, const vars *w, const motion *V, real *x)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        K_t_mul(w, body, k, body->parent < 0 ? motion_zero() : V[body->parent], x + body->v);
    }
}

/* y = y + Gamma x: the moment of each rotor on the parent of its joint.  [GEAR] */
static inline void Gamma_sweep(const soa_call *call, const real *x, force *y)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        if (body->geared) {
            y[body->parent].n = vec3_scale_add(x[body->v], vec3_set(body->rest->gear), y[body->parent].n);
        }
    }
}

#endif
