/* sens/diagonal_equations.kernel.h - the equations of motion in diagonal form.  [DIAG]
 *
 * With D = L L* and A = (I + H phi K) L, so that Mass = A A*:
 *     nu = A* v,  eps = A^-1 T,  mu = A^-1 C - (A*)' v;  A* v = L* xi,  xi = v + D^-1 U* V(p). */
#ifndef SOA_SENS_DIAGONAL_EQUATIONS_KERNEL_H
#define SOA_SENS_DIAGONAL_EQUATIONS_KERNEL_H

#include "sens/articulated_rates.kernel.h"

/* dV/dt of a body at vdot = 0, in its own axes. */
KERNEL motion steady_acceleration(const vars *w, const soa_body_data *body, int k, motion dV, const real *beta)
{
    motion rate = body->parent < 0 ? motion_zero() : phi_t(w->X[k], w->alpha[body->parent]);
    rate = motion_sub(rate, motion_cross(dV, w->V[k]));
    for (int i = 0; i < body->nv; i++) {
        if (column_inboard(body, i)) {
            rate = motion_scale_add(beta[i], column_turning(w, body, dV, i), rate);
        }
    }
    return rate;
}

/* xi = v + D^-1 U* V(p), and its rate at vdot = 0. */
static inline void diagonal_motion(const vars *w, const soa_body_data *body, const real *beta, real *xi, real *xi_dot)
{
    real x[SOA_JOINT_MAX_NV], y[SOA_JOINT_MAX_NV], x_dot[SOA_JOINT_MAX_NV];
    for (int i = 0; i < body->nv; i++) {
        xi[i] = beta[i];
        xi_dot[i] = real_set(0.0);
    }
    if (body->parent < 0) {
        return;
    }
    const motion V = w->V[body->parent], V_dot = w->alpha[body->parent];
    for (int i = 0; i < body->nv; i++) {
        const force U = kept_force(kept(w, body->v + i, KEPT_U));
        x[i] = power(U, V);
        x_dot[i] = power(kept_force(kept(w, body->v + i, KEPT_U_DOT)), V) + power(U, V_dot);
    }
    inverse_mul(w->D_inv + body->v, body->nv, x, y);
    for (int i = 0; i < body->nv; i++) {
        xi[i] = xi[i] + y[i];
    }
    for (int i = 0; i < body->nv; i++) {
        for (int j = 0; j < body->nv; j++) {
            x_dot[i] = real_fnma(kept(w, body->v + i, KEPT_D_DOT)[j], y[j], x_dot[i]);
        }
    }
    inverse_mul(w->D_inv + body->v, body->nv, x_dot, xi_dot);
}

/* A^-1 x = L^-1 (I - H psi K) x of the numbers x in w->x, in place. */
static inline void whiten(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        w->b[k] = force_zero();
    }
    filter_sweep(call, w);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        for (int i = 0; i < body->nv; i++) {
            const real *L = kept(w, body->v + i, KEPT_L);
            real s = w->eps[body->v + i];
            for (int j = 0; j < i; j++) {
                s = real_fnma(L[j], w->x[body->v + j], s);
            }
            w->x[body->v + i] = s / L[i];
        }
    }
}

/* Outward: nu = L* xi, and mu = A^-1 C - (A*)' v with A^-1 C in w->x and (A*)' v = (L*)' xi + L* xi'. */
static inline void diagonal_outward(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        real beta[SOA_JOINT_MAX_NV], xi[SOA_JOINT_MAX_NV], xi_dot[SOA_JOINT_MAX_NV];
        joint_in(call, call->v, body->v, body->nv, beta);
        diagonal_motion(w, body, beta, xi, xi_dot);
        w->alpha[k] = steady_acceleration(w, body, k, joint_motion(w, body, beta), beta);
        for (int i = 0; i < body->nv; i++) {
            real nu = real_set(0.0), mu = w->x[body->v + i];
            for (int j = i; j < body->nv; j++) {
                const real L = kept(w, body->v + j, KEPT_L)[i];
                nu = real_fma(L, xi[j], nu);
                mu = real_fnma(L, xi_dot[j], real_fnma(kept(w, body->v + j, KEPT_L_DOT)[i], xi[j], mu));
            }
            *kept(w, body->v + i, KEPT_NU) = nu;
            *kept(w, body->v + i, KEPT_MU) = mu;
        }
    }
}

/* w->x = C, by inverse dynamics with vdot = 0, as reals side by side whatever the layout of the call is. */
static inline void bias_forces(const soa_call *call, const vars *w)
{
    const soa_sens_context *context = call->lanes_above;
    soa_call part = *call;
    part.u.at = NULL;
    part.y = (soa_out){ (double *)w->x, 0 };
    part.y2 = part.y3 = part.y4 = (soa_out){ NULL, 0 };
    part.spacing = LANES;
    part.count = LANES;
    part.whole = part.more = false;
    (LANES == 1 ? context->one : context->many)->kernel[SOA_KERNEL_inverse_dynamics](&part);
}

/* q, v, u = T (or none); y = nu, y2 = eps, y3 = mu, or none.  [DIAG] */
static void diagonal_equations(soa_call *call)
{
    const vars w = vars_of(call);
    const int nv = call->model->nv;
    call_begin(call);
    bias_forces(call, &w);
    position_sweep(call, &w);
    velocity_sweep(call, &w);
    change_sweep(call, &w, false);
    whiten(call, &w);
    diagonal_outward(call, &w);
    for (int i = 0; i < nv; i++) {
        w.x[i] = call->u.at ? in_get(call, call->u, (size_t)i) : real_set(0.0);
    }
    whiten(call, &w);
    for (int i = 0; i < nv; i++) {
        const real out[3] = { *kept(&w, i, KEPT_NU), w.x[i], *kept(&w, i, KEPT_MU) };
        const soa_out to[3] = { call->y, call->y2, call->y3 };
        for (int k = 0; k < 3; k++) {
            if (to[k].at) {
                out_put(call, to[k], (size_t)i, out[k]);
            }
        }
    }
}

#endif
