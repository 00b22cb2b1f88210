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

/* ---- sweeps of their own: sweep/operators.kernel.h ----------------------------------------------- */

#define SWEEP(name, ...)                    \
    OPERATOR(apply_##name)                  \
    {                                       \
        name##_sweep(call, w, __VA_ARGS__); \
    }
SWEEP(H, r->f, r->x)
SWEEP(H_t, r->x, r->V)
SWEEP(M, r->V, r->f)
SWEEP(R, r->V, r->f)
SWEEP(P, r->V, r->f)
SWEEP(Ups, r->f, r->V)
SWEEP(D, r->x)
SWEEP(D_inv, r->x)
SWEEP(Arm, r->x)
SWEEP(G, r->x, r->f)
SWEEP(G_t, r->V, r->x)
SWEEP(tau, r->f)
SWEEP(tau_t, r->V)
SWEEP(taubar, r->f)
SWEEP(taubar_t, r->V)
SWEEP(phi, r->f)
SWEEP(phi_t, r->V)
SWEEP(E_phi, r->f)
SWEEP(E_phi_t, r->V)
SWEEP(psi, r->f)
SWEEP(psi_t, r->V)
SWEEP(E_psi, r->f)
SWEEP(E_psi_t, r->V)
SWEEP(K, r->x, r->f)
SWEEP(K_t, r->V, r->x)
SWEEP(Gamma, r->x, r->f)
SWEEP(Gamma_t, r->V, r->x)
#undef SWEEP

/* ---- products ---------------------------------------------------------------------------------- */

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
    for (BODIES) {
        if (body->geared) {
            force *f = &r->f[body->parent];
            f->n = vec3_scale_add(r->x[body->v], vec3_set(body->rest->gear), f->n);
        }
    }
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
