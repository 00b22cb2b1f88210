/* dynamics/mass.kernel.h - the mass matrix, its inverse, and products with it.
 *
 * The mass matrix is computed with all vectors in world axes, each at its own
 * body's origin: going inward is then a shift without a rotation. */
#ifndef SOA_DYNAMICS_MASS_KERNEL_H
#define SOA_DYNAMICS_MASS_KERNEL_H

#include "dynamics/forward.kernel.h"

/* ---- [CRB] ------------------------------------------------------------------------------ */

/* W(k).R: body axes in the world; W(k).l: from the parent's origin to this one, world axes.
 * H in world axes, every joint's columns. R = M in world axes. */
static inline void world_axes_sweep(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        body_position(call, w, k);
        const pose X = w->X[k];
        if (body->parent < 0) {
            w->W[k] = X;
        } else {
            const mat3 R = w->W[body->parent].R;
            w->W[k] = (pose){ mat3_mul(R, X.R), mat3_mul_vec(R, X.l) };
        }
        const mat3 R = w->W[k].R;
        for (int i = 0; i < body->nv; i++) {
            const motion h = joint_column(w, body, i);
            w->H[body->v + i] = (motion){ mat3_mul_vec(R, h.w), mat3_mul_vec(R, h.v) };
        }
        w->R[k] = rigid_shift((pose){ R, vec3_zero() }, rigid_set(body->inertia));
    }
}

KERNEL void put_symmetric(const soa_call *call, int i, int j, real x)
{
    const size_t nv = (size_t)call->model->nv;
    out_put(call, call->y, (size_t)i * nv + (size_t)j, x);
    if (i != j) {
        out_put(call, call->y, (size_t)j * nv + (size_t)i, x);
    }
}

/* Mass(i, c) for column c of body k and all i inboard: F = R H*, then inward. */
static inline void mass_column(const soa_call *call, const vars *w, int k, int c)
{
    const soa_model *m = call->model;
    const soa_body_data *body = &m->body[k];
    const int column = body->v + c;
    force F = rigid_mul(w->R[k], w->H[column]);
    for (int i = 0; i <= c; i++) {
        const real x = power(F, w->H[body->v + i]);
        put_symmetric(call, body->v + i, column, i == c ? x + body->armature : x);
    }
    for (int j = k; m->body[j].parent >= 0;) {
        const int p = m->body[j].parent;
        F.n = vec3_cross_add(w->W[j].l, F.f, F.n);
        if (j == k && body->geared) {
            F.n = vec3_add(F.n, mat3_mul_vec(w->W[p].R, vec3_set(body->gear)));
        }
        for (int i = 0; i < m->body[p].nv; i++) {
            put_symmetric(call, m->body[p].v + i, column, power(F, w->H[m->body[p].v + i]));
        }
        j = p;
    }
}

/* q; y = Mass, nv x nv: Mass(i,k) = H(i) phi(i,k) R(k) H*(k).  [CRB] */
static void mass_matrix(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    call_begin(call);
    const size_t nv = (size_t)m->nv;
    for (int lane = 0; lane < call->count; lane++) {
        memset(call->y.at + (size_t)lane * call->y.stride, 0, nv * nv * sizeof(double));
    }
    world_axes_sweep(call, &w);
    for (int k = m->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &m->body[k];
        for (int c = 0; c < body->nv; c++) {
            mass_column(call, &w, k, c);
        }
        if (body->parent >= 0) {
            w.R[body->parent] = rigid_add(w.R[body->parent], rigid_translate(w.W[k].l, w.R[k]));
        }
    }
}

/* ---- [MINV] --------------------------------------------------------------------------------- */

/* Column `column` (of body k) of Mass^-1: the filter has something to do only from k inward. */
static inline void inverse_column(soa_call *call, const vars *w, int k, int column)
{
    const soa_model *m = call->model;
    for (int i = 0; i < m->nv; i++) {
        w->eps[i] = real_set(0.0);
    }
    w->eps[column] = real_set(1.0);
    force z = force_zero();
    for (int j = k; m->body[j].parent >= 0;) {
        const int p = m->body[j].parent;
        z = filter_step(call, w, j, z, w->eps + m->body[j].v);
        const real zero[SOA_JOINT_MAX_NV] = { real_set(0.0) };
        innovation(w, &m->body[p], z, zero, w->eps + m->body[p].v);
        j = p;
    }
    soa_call one = *call;
    one.y.at = call->y.at + (size_t)column * (size_t)m->nv;
    smoother_sweep(&one, w);
}

/* q; y = Mass^-1, nv x nv, made symmetric to the bit. */
static void mass_inverse(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    call_begin(call);
    position_sweep(call, &w);
    articulated_sweep(call, &w);
    for (int k = 0; k < m->bodies; k++) {
        for (int i = 0; i < m->body[k].nv; i++) {
            inverse_column(call, &w, k, m->body[k].v + i);
        }
    }
    const size_t nv = (size_t)m->nv;
    for (int lane = 0; lane < call->count; lane++) {
        double *y = call->y.at + (size_t)lane * call->y.stride;
        for (size_t i = 0; i < nv; i++) {
            for (size_t j = 0; j < i; j++) {
                y[i * nv + j] = y[j * nv + i];
            }
        }
    }
}

#endif
