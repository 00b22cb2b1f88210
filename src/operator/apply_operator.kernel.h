/* operator/apply_operator.kernel.h - every operator and adjoint on the registers.
 *
 * Each is a function that finds its argument in r->x (joint), r->f (body force) or
 * r->V (body motion) and leaves its result in one of them. B is in the reading and
 * writing of points (vectors.kernel.h). */
#ifndef SOA_OPERATOR_APPLY_OPERATOR_KERNEL_H
#define SOA_OPERATOR_APPLY_OPERATOR_KERNEL_H

#include "operator/vectors.kernel.h"
#include "sweep/filter.kernel.h"

#define OPERATOR(name) static void name(const soa_call *call, const vars *w, const registers *r)
#define BODIES                                      \
    const soa_body_data *body = call->model->body;  \
    body < call->model->body + call->model->bodies; \
    body++

typedef void apply_function(const soa_call *call, const vars *w, const registers *r);

OPERATOR(apply_nothing)
{
    (void)call, (void)w, (void)r;
}

/* ---- causal and anticausal ------------------------------------------------------------ */

OPERATOR(apply_phi)
{
    phi_sweep(call, w, r->f);
}

OPERATOR(apply_phi_t)
{
    phi_t_sweep(call, w, r->V);
}

OPERATOR(apply_E_phi)
{
    E_phi_sweep(call, w, r->f);
}

OPERATOR(apply_E_phi_t)
{
    E_phi_t_sweep(call, w, r->V);
}

/* phi~ = E_phi phi */
OPERATOR(apply_phi_strict)
{
    phi_sweep(call, w, r->f);
    E_phi_sweep(call, w, r->f);
}

OPERATOR(apply_phi_strict_t)
{
    phi_t_sweep(call, w, r->V);
    E_phi_t_sweep(call, w, r->V);
}

OPERATOR(apply_psi)
{
    psi_sweep(call, w, r->f);
}

OPERATOR(apply_psi_t)
{
    psi_t_sweep(call, w, r->V);
}

OPERATOR(apply_E_psi)
{
    E_psi_sweep(call, w, r->f);
}

OPERATOR(apply_E_psi_t)
{
    E_psi_t_sweep(call, w, r->V);
}

/* psi~ = E_psi psi */
OPERATOR(apply_psi_strict)
{
    psi_sweep(call, w, r->f);
    E_psi_sweep(call, w, r->f);
}

OPERATOR(apply_psi_strict_t)
{
    psi_t_sweep(call, w, r->V);
    E_psi_t_sweep(call, w, r->V);
}

OPERATOR(apply_K)
{
    K_sweep(call, w, r->x, r->f);
}

OPERATOR(apply_K_t)
{
    K_t_sweep(call, w, r->V, r->x);
}

OPERATOR(apply_Gamma)
{
    (void)w;
    for (int k = 0; k < call->model->bodies; k++) {
        r->f[k] = force_zero();
    }
    Gamma_sweep(call, r->x, r->f);
}

OPERATOR(apply_Gamma_t)
{
    (void)w;
    for (BODIES) {
        for (int i = 0; i < body->nv; i++) {
            r->x[body->v + i] =
                body->geared ? vec3_dot(vec3_set(body->rest->gear), r->V[body->parent].w) : real_set(0.0);
        }
    }
}

/* ---- memoryless ------------------------------------------------------------------------- */

OPERATOR(apply_H)
{
    for (BODIES) {
        joint_force(w, body, r->f[body - call->model->body], r->x + body->v);
    }
}

OPERATOR(apply_H_t)
{
    for (BODIES) {
        r->V[body - call->model->body] = joint_motion(w, body, r->x + body->v);
    }
}

OPERATOR(apply_M)
{
    (void)w;
    for (int k = 0; k < call->model->bodies; k++) {
        r->f[k] = rigid_mul(rigid_set(call->model->body[k].inertia), r->V[k]);
    }
}

OPERATOR(apply_R)
{
    for (int k = 0; k < call->model->bodies; k++) {
        r->f[k] = rigid_mul(w->R[k], r->V[k]);
    }
}

OPERATOR(apply_P)
{
    for (int k = 0; k < call->model->bodies; k++) {
        r->f[k] = articulated_mul(w->P[k], r->V[k]);
    }
}

OPERATOR(apply_Ups)
{
    for (int k = 0; k < call->model->bodies; k++) {
        r->V[k] = Ups_mul(w->Y[k], r->f[k]);
    }
}

OPERATOR(apply_D)
{
    for (BODIES) {
        real y[SOA_JOINT_MAX_NV];
        D_mul(w, body, r->x + body->v, y);
        memcpy(r->x + body->v, y, (size_t)body->nv * sizeof *y);
    }
}

OPERATOR(apply_D_inv)
{
    for (BODIES) {
        real y[SOA_JOINT_MAX_NV];
        D_inv_mul(w, body, r->x + body->v, y);
        memcpy(r->x + body->v, y, (size_t)body->nv * sizeof *y);
    }
}

OPERATOR(apply_Arm)
{
    (void)w;
    for (BODIES) {
        for (int i = 0; i < body->nv; i++) {
            r->x[body->v + i] = body->armature * r->x[body->v + i];
        }
    }
}

OPERATOR(apply_G)
{
    for (BODIES) {
        r->f[body - call->model->body] = G_mul(w, body, r->x + body->v);
    }
}

OPERATOR(apply_G_t)
{
    for (BODIES) {
        G_t_mul(w, body, r->V[body - call->model->body], r->x + body->v);
    }
}

OPERATOR(apply_tau)
{
    apply_H(call, w, r);
    apply_G(call, w, r);
}

OPERATOR(apply_tau_t)
{
    apply_G_t(call, w, r);
    apply_H_t(call, w, r);
}

/* f - G H f */
OPERATOR(apply_taubar)
{
    for (BODIES) {
        force *f = &r->f[body - call->model->body];
        real Hf[SOA_JOINT_MAX_NV];
        joint_force(w, body, *f, Hf);
        *f = force_sub(*f, G_mul(w, body, Hf));
    }
}

/* V - H* G* V */
OPERATOR(apply_taubar_t)
{
    for (BODIES) {
        motion *V = &r->V[body - call->model->body];
        real GV[SOA_JOINT_MAX_NV];
        G_t_mul(w, body, *V, GV);
        *V = motion_sub(*V, joint_motion(w, body, GV));
    }
}

/* ---- full --------------------------------------------------------------------------------- */

/* phi* H*; the points are in the writing. */
OPERATOR(apply_J)
{
    apply_H_t(call, w, r);
    phi_t_sweep(call, w, r->V);
}

OPERATOR(apply_J_t)
{
    phi_sweep(call, w, r->f);
    apply_H(call, w, r);
}

OPERATOR(apply_Omega)
{
    omega_sweep(call, w, r->f, r->V);
}

OPERATOR(apply_X)
{
    branch_sweep(call, w, r->f, r->g, r->V);
}

/* H phi (M V + Gamma x) + Gamma* V + Arm x, V = phi* H* x.  [I1] [GEAR] */
OPERATOR(apply_Mass)
{
    apply_J(call, w, r);
    apply_M(call, w, r);
    Gamma_sweep(call, r->x, r->f);
    phi_sweep(call, w, r->f);
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        real *x = r->x + body->v, y[SOA_JOINT_MAX_NV];
        joint_force(w, body, r->f[k], y);
        for (int i = 0; i < body->nv; i++) {
            x[i] = real_fma(real_set(body->armature), x[i], y[i]);
        }
        if (body->geared) {
            x[0] = vec3_dot_add(vec3_set(body->rest->gear), r->V[body->parent].w, x[0]);
        }
    }
}

/* (I - H psi K)* D^-1 (I - H psi K) x.  [I6] */
/* The registers are the arrays of the sweeps: x, b and alpha. */
OPERATOR(apply_Mass_inv)
{
    for (int k = 0; k < call->model->bodies; k++) {
        r->f[k] = force_zero();
    }
    filter_sweep(call, w);
    smoother_sweep(call, w);
}

#undef OPERATOR
#undef BODIES

#endif
