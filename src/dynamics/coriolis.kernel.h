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
 * Among all C with these two properties it is the one made of Christoffel symbols. All vectors
 * are in world axes about the origin of the first body on the base, so nothing is shifted.
 *
 * Several states are taken in lanes; of one state, lanes hold bodies and joints
 * (coriolis_columns.kernel.h). The operations on each number are the same. */
#ifndef SOA_DYNAMICS_CORIOLIS_KERNEL_H
#define SOA_DYNAMICS_CORIOLIS_KERNEL_H

#include "sweep/fields.kernel.h"

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

/* p of one body. */
KERNEL vec3 body_p(rigid M, motion V)
{
    return vec3_cross_add(V.w, M.h, vec3_scale(M.m, V.v));
}

/* What a joint velocity makes felt inboard of it. */
typedef struct carried {
    force F;  /* R h' + B h: column of C */
    force U;  /* R h, and ... */
    vec3 B_h; /* ... the moment of B* h (its force is zero): row of C */
} carried;

KERNEL carried carried_of(rigid R, mat3 K, vec3 p, motion h, motion h_dot)
{
    const force F = rigid_mul(R, h_dot);
    return (carried){
        { mat3_mul_vec_add(K, h.w, F.n), vec3_cross_add(h.w, p, F.f) },
        rigid_mul(R, h),
        vec3_cross_add(p, h.v, mat3_t_mul_vec(K, h.w)),
    };
}

/* C(i,c), i inboard of c or in its body. */
KERNEL real entry_inboard(carried x, motion h_i)
{
    return power(x.F, h_i);
}

/* C(c,i), i inboard of c. */
KERNEL real entry_outboard(carried x, motion h_i, motion h_i_dot)
{
    return vec3_dot_add(x.B_h, h_i.w, power(x.U, h_i_dot));
}

/* ---- rotors and armature ------------------------------------------------------------------ */

/* A rotor that turns with the joint: gear in world axes, half its rate.  [GEAR] */
KERNEL carried rotor_carried(carried x, vec3 gear, vec3 half)
{
    x.F.n = vec3_add(x.F.n, half);
    x.U.n = vec3_add(x.U.n, gear);
    x.B_h = vec3_add(x.B_h, half);
    return x;
}

KERNEL vec3 rotor_half(vec3 w_parent, vec3 gear)
{
    return vec3_scale(real_set(0.5), vec3_cross(w_parent, gear));
}

/* A rotor's K: -gear~ rate / 2 */
KERNEL mat3 rotor_K(vec3 gear, real rate)
{
    const vec3 g = vec3_scale(0.5 * rate, gear);
    const real o = real_set(0.0);
    return (mat3){ o, g.z, -g.y, -g.z, o, g.x, g.y, -g.x, o };
}

/* What armature adds to C where beta is given in axes that turn: a w~ on the linear part, a / 2 w~
 * on the angular one. Returns how many numbers of block (row, column, number) are set. */
typedef struct armature_entry {
    int row, column;
    real x;
} armature_entry;

KERNEL int armature_entries(const soa_body_data *body, const real *beta, armature_entry entry[12])
{
    const soa_joint_kind kind = body->rest->shape.kind;
    const real a = real_set(body->armature);
    if (kind == SOA_PLANAR) {
        entry[0] = (armature_entry){ 0, 1, -(a * beta[2]) };
        entry[1] = (armature_entry){ 1, 0, a * beta[2] };
        return 2;
    }
    if (kind != SOA_FREE && kind != SOA_SPHERICAL) {
        return 0;
    }
    int count = 0;
    for (int block = 0; block < (kind == SOA_FREE ? 2 : 1); block++) {
        for (int c = 0; c < 3; c++) { /* w~: (1,0) = w2, (2,1) = w0, (0,2) = w1 */
            const int i = 3 * block + (c + 1) % 3, j = 3 * block + c;
            const real x = (block == 0 ? 0.5 : 1.0) * a * beta[(c + 2) % 3];
            entry[count++] = (armature_entry){ i, j, x };
            entry[count++] = (armature_entry){ j, i, -x };
        }
    }
    return count;
}

KERNEL void put_entry(const soa_call *call, int row, int column, real x)
{
    out_put(call, call->y, (size_t)row * (size_t)call->model->nv + (size_t)column, x);
}

/* ---- several states ------------------------------------------------------------------------ */

#if LANES > 1

/* Outward: W, V, H, H_dot, and R = M, K, p of each body. */
static inline void coriolis_outward(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    crossings_begin(call, w);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const int p = body->parent;
        w->W[k] = body_placement_near(call, w, k, p < 0 ? pose_identity() : w->W[p]);
        motion dV = motion_zero(), J[SOA_JOINT_MAX_NV];
        for (int c = 0; c < body->nv; c++) {
            const real beta = in_get(call, call->v, (size_t)(body->v + c));
            J[c] = column_in_world(w, body, k, c);
            dV = c == 0 ? motion_scale(beta, J[c]) : motion_scale_add(beta, J[c], dV);
        }
        const motion V = p < 0 ? dV : motion_add(w->V[p], dV);
        for (int c = 0; c < body->nv; c++) {
            const motion V_inboard = p < 0 ? motion_zero() : w->V[p];
            w->H[body->v + c] = J[c];
            w->H_dot[body->v + c] = motion_cross(column_inboard(body, c) ? V_inboard : V, J[c]);
        }
        const rigid M = rigid_shift(w->W[k], rigid_set(body->inertia));
        w->V[k] = V;
        w->R[k] = M;
        w->K[k] = body_K(M, V);
        w->p[k] = body_p(M, V);
    }
}

/* Column and row of velocity c, as far as the joints inboard of it. */
static inline void coriolis_cross(const soa_call *call, const vars *w, int k, int c)
{
    const soa_model *m = call->model;
    const soa_body_data *body = &m->body[k];
    carried x = carried_of(w->R[k], w->K[k], w->p[k], w->H[c], w->H_dot[c]);
    for (int i = body->v; i < body->v + body->nv; i++) {
        put_entry(call, i, c, entry_inboard(x, w->H[i]));
    }
    if (body->geared) {
        const vec3 gear = mat3_mul_vec(w->W[body->parent].R, vec3_set(body->rest->gear));
        x = rotor_carried(x, gear, rotor_half(w->V[body->parent].w, gear));
    }
    for (int j = body->parent; j >= 0; j = m->body[j].parent) {
        for (int i = m->body[j].v; i < m->body[j].v + m->body[j].nv; i++) {
            put_entry(call, i, c, entry_inboard(x, w->H[i]));
            put_entry(call, c, i, entry_outboard(x, w->H[i], w->H_dot[i]));
        }
    }
}

/* R, K, p of body k gathered at its parent. */
static inline void coriolis_gather(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const int p = body->parent;
    w->R[p] = rigid_add(w->R[p], w->R[k]);
    w->K[p] = mat3_add(w->K[p], w->K[k]);
    w->p[p] = vec3_add(w->p[p], w->p[k]);
    if (body->geared) {
        const vec3 gear = mat3_mul_vec(w->W[p].R, vec3_set(body->rest->gear));
        w->K[p] = mat3_add(w->K[p], rotor_K(gear, in_get(call, call->v, (size_t)body->v)));
    }
}

/* The block of the joint once more, with its armature. */
static inline void coriolis_armature(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    real beta[SOA_JOINT_MAX_NV];
    armature_entry entry[12];
    joint_in(call, call->v, body->v, body->nv, beta);
    const int count = armature_entries(body, beta, entry);
    for (int e = 0; e < count; e++) {
        const int i = body->v + entry[e].row, c = body->v + entry[e].column;
        const carried x = carried_of(w->R[k], w->K[k], w->p[k], w->H[c], w->H_dot[c]);
        put_entry(call, i, c, entry_inboard(x, w->H[i]) + entry[e].x);
    }
}

/* q, v (or none); y = C, nv x nv. */
static inline void coriolis_matrix(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    const size_t nv = (size_t)m->nv;
    call_begin(call);
    out_zero(call, call->y, nv * nv);
    if (!call->v.at) {
        return;
    }
    coriolis_outward(call, &w);
    for (int k = m->bodies - 1; k >= 0; k--) {
        for (int c = 0; c < m->body[k].nv; c++) {
            coriolis_cross(call, &w, k, m->body[k].v + c);
        }
        if (m->body[k].nv > 1 && m->body[k].armature != 0.0) {
            coriolis_armature(call, &w, k);
        }
        if (m->body[k].parent >= 0) {
            coriolis_gather(call, &w, k);
        }
    }
}

#else

static inline void coriolis_matrix(soa_call *call)
{
    const vars w = fields_begin(call);
    if (!call->v.at) {
        out_zero(call, call->y, (size_t)call->model->nv * (size_t)call->model->nv);
        return;
    }
    fields_outward(call, &w);
    call->lanes->coriolis(call, w.turning);
}

#endif

#endif
