/* dynamics/coriolis.kernel.h - the Coriolis matrix C(q, beta).  [COR]
 *
 *     C beta = the Coriolis force,  dMass/dt = C + C*
 *
 * With J(k) the Jacobian of body k and S[V], V~, Q[h] of spatial/cross.h
 *     C = sum J(k)* (M dJ(k)/dt + B J(k)),  B = 1/2 (S[V] M - M V~ - Q[M V]).
 * In every frame B = [K 0; -p~ 0] with p = m v + w x h, the linear momentum, and
 *     K = -w~ (tr(J)/2 - J) - h~ v~.
 * So the composites, phi B phi* summed inward, take K(p) += K - l~ p~, p(p) += p, and
 *     C(i,j) = h_i (R h_j' + B h_j)  of the composite at the outer of i and j.
 * Among all C with these two properties it is the one made of Christoffel symbols.
 * As for the mass matrix all vectors are in world axes, each at its body's origin. */
#ifndef SOA_DYNAMICS_CORIOLIS_KERNEL_H
#define SOA_DYNAMICS_CORIOLIS_KERNEL_H

#include "dynamics/kinematics.kernel.h"
#include "dynamics/mass.kernel.h"

/* a + s I - u v* */
KERNEL mat3 mat3_add_shift(mat3 a, real s, vec3 u, vec3 v)
{
    const mat3 b = mat3_sub_outer(a, u, v);
    return (mat3){ b.xx + s, b.xy, b.xz, b.yx, b.yy + s, b.yz, b.zx, b.zy, b.zz + s };
}

/* K of one body, using h~ v~ = v h* - (h . v) I. */
KERNEL mat3 body_K(rigid M, motion V)
{
    const sym3 J = M.J;
    const vec3 w = V.w;
    const real half = 0.5 * (J.xx + J.yy + J.zz);
    const sym3 E = { half - J.xx, -J.xy, -J.xz, half - J.yy, -J.yz, half - J.zz };
    const mat3 turned = {
        /* -w~ E */
        real_fma(w.z, E.xy, -(w.y * E.xz)),
        real_fma(w.z, E.yy, -(w.y * E.yz)),
        real_fma(w.z, E.yz, -(w.y * E.zz)), //
        real_fma(w.x, E.xz, -(w.z * E.xx)),
        real_fma(w.x, E.yz, -(w.z * E.xy)),
        real_fma(w.x, E.zz, -(w.z * E.xz)), //
        real_fma(w.y, E.xx, -(w.x * E.xy)),
        real_fma(w.y, E.xy, -(w.x * E.yy)),
        real_fma(w.y, E.xz, -(w.x * E.yz)),
    };
    return mat3_add_shift(turned, vec3_dot(M.h, V.v), V.v, M.h);
}

/* The columns of H* and their rates h' = V~ h + dH* / dt, turned into world axes. */
KERNEL void turn_columns(const soa_call *call, const vars *w, int k, motion V)
{
    const soa_body_data *body = &call->model->body[k];
    const mat3 R = w->W[k].R;
    motion rate[SOA_JOINT_MAX_NV];
    map_rates(call, w, body, rate);
    for (int i = 0; i < body->nv; i++) {
        const motion column = joint_column(w, body, i);
        const motion h = { mat3_mul_vec(R, column.w), mat3_mul_vec(R, column.v) };
        const motion turned = { mat3_mul_vec(R, rate[i].w), mat3_mul_vec(R, rate[i].v) };
        w->H[body->v + i] = h;
        w->H_dot[body->v + i] = motion_add(motion_cross(V, h), turned);
    }
}

/* Outward: W (body axes in the world; l from the parent's origin, world axes), H, H_dot, and R = M, K, p of each body. */
static inline void coriolis_outward(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        body_position(call, w, k);
        body_velocity(call, w, k);
        const pose X = w->X[k];
        w->W[k] = X;
        if (body->parent >= 0) {
            const mat3 R = w->W[body->parent].R;
            w->W[k] = (pose){ mat3_mul(R, X.R), mat3_mul_vec(R, X.l) };
        }
        const mat3 R = w->W[k].R;
        const motion V = { mat3_mul_vec(R, w->V[k].w), mat3_mul_vec(R, w->V[k].v) };
        turn_columns(call, w, k, V);
        const rigid M = rigid_shift((pose){ R, vec3_zero() }, rigid_set(body->inertia));
        w->R[k] = M;
        w->K[k] = body_K(M, V);
        w->p[k] = vec3_cross_add(V.w, M.h, vec3_scale(M.m, V.v));
    }
}

/* What joint number c of a body makes felt inboard of it. */
typedef struct carried {
    force F;  /* R h' + B h: column c of C */
    force U;  /* R h, and ... */
    vec3 B_h; /* ... the moment of B* h (its force is zero): row c of C */
} carried;

KERNEL carried carried_of(const vars *w, int k, int column)
{
    const motion h = w->H[column];
    const force F = rigid_mul(w->R[k], w->H_dot[column]);
    return (carried){
        { mat3_mul_vec_add(w->K[k], h.w, F.n), vec3_cross_add(h.w, w->p[k], F.f) },
        rigid_mul(w->R[k], h),
        vec3_cross_add(w->p[k], h.v, mat3_t_mul_vec(w->K[k], h.w)),
    };
}

/* A rotor that turns with the joint: gear in world axes and half its rate in the parent.  [GEAR] */
KERNEL carried rotor_carried(const vars *w, const soa_body_data *body, carried x)
{
    const mat3 R = w->W[body->parent].R;
    const vec3 gear = vec3_set(body->rest->gear);
    const vec3 half = mat3_mul_vec(R, vec3_scale(real_set(0.5), vec3_cross(w->V[body->parent].w, gear)));
    x.F.n = vec3_add(x.F.n, half);
    x.U.n = vec3_add(x.U.n, mat3_mul_vec(R, gear));
    x.B_h = vec3_add(x.B_h, half);
    return x;
}

KERNEL void put_entry(const soa_call *call, int row, int column, real x)
{
    out_put(call, call->y, (size_t)row * (size_t)call->model->nv + (size_t)column, x);
}

/* Column and row c of body k, as far as the joints inboard of it. */
static inline void coriolis_cross(const soa_call *call, const vars *w, int k, int c)
{
    const soa_model *m = call->model;
    const soa_body_data *body = &m->body[k];
    const int number = body->v + c;
    carried x = carried_of(w, k, number);
    for (int i = 0; i < body->nv; i++) {
        put_entry(call, body->v + i, number, power(x.F, w->H[body->v + i]));
    }
    for (int j = k; m->body[j].parent >= 0;) {
        const soa_body_data *inner = &m->body[m->body[j].parent];
        x.F.n = vec3_cross_add(w->W[j].l, x.F.f, x.F.n);
        x.U.n = vec3_cross_add(w->W[j].l, x.U.f, x.U.n);
        if (j == k && body->geared) {
            x = rotor_carried(w, body, x);
        }
        for (int i = inner->v; i < inner->v + inner->nv; i++) {
            put_entry(call, i, number, power(x.F, w->H[i]));
            put_entry(call, number, i, vec3_dot_add(x.B_h, w->H[i].w, power(x.U, w->H_dot[i])));
        }
        j = m->body[j].parent;
    }
}

/* R, K, p of body k gathered at its parent; a rotor's K is -gear~ rate / 2. */
static inline void coriolis_gather(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const int p = body->parent;
    const vec3 l = w->W[k].l;
    w->R[p] = rigid_add(w->R[p], rigid_translate(l, w->R[k]));
    w->K[p] = mat3_add(w->K[p], mat3_add_shift(w->K[k], vec3_dot(l, w->p[k]), w->p[k], l));
    w->p[p] = vec3_add(w->p[p], w->p[k]);
    if (body->geared) {
        const vec3 gear = mat3_mul_vec(w->W[p].R, vec3_set(body->rest->gear));
        const vec3 g = vec3_scale(0.5 * in_get(call, call->v, (size_t)body->v), gear);
        const real o = real_set(0.0);
        w->K[p] = mat3_add(w->K[p], (mat3){ o, g.z, -g.y, -g.z, o, g.x, g.y, -g.x, o });
    }
}

/* q, v; y = C, nv x nv. */
static void coriolis_matrix(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    const size_t nv = (size_t)m->nv;
    call_begin(call);
    out_zero(call, call->y, nv * nv);
    coriolis_outward(call, &w);
    for (int k = m->bodies - 1; k >= 0; k--) {
        for (int c = 0; c < m->body[k].nv; c++) {
            coriolis_cross(call, &w, k, c);
        }
        if (m->body[k].parent >= 0) {
            coriolis_gather(call, &w, k);
        }
    }
}

#endif
