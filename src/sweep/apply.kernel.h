/* sweep/apply.kernel.h - operators at one body.
 *
 * A body force f[k] or a body motion V[k] per body, body frames; x[i] a number
 * per velocity. What they need of the variables:
 *     phi       X                     K, psi    X, H, U, G, D_inv  (articulated sweep)
 *     H         H                     Gamma     nothing
 * With a rotor, K(p,k) = phi G + gear D^-1 and psi(p,k) = phi - K H.  [GEAR] */
#ifndef SOA_SWEEP_APPLY_KERNEL_H
#define SOA_SWEEP_APPLY_KERNEL_H

#include "sweep/articulate.kernel.h"

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

/* f(p) += Gamma(p,k) x */
KERNEL void Gamma_add(const soa_body_data *body, const real *x, force *f)
{
    if (body->geared) {
        f[body->parent].n = vec3_scale_add(x[0], vec3_set(body->rest->gear), f[body->parent].n);
    }
}

/* y = Gamma*(p,k) V, V of the parent */
KERNEL void Gamma_t_mul(const soa_body_data *body, motion V, real *y)
{
    for (int i = 0; i < body->nv; i++) {
        y[i] = body->geared ? vec3_dot(vec3_set(body->rest->gear), V.w) : real_set(0.0);
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

/* Ups f */
KERNEL motion Ups_mul(articulated Y, force f)
{
    const force image = articulated_mul(Y, (motion){ f.n, f.f });
    return (motion){ image.n, image.f };
}

#endif
