/* dynamics/fast.kernel.h - forward dynamics in the fewest operations.
 *
 * [FD4] in three sweeps. For a plain revolute joint, with P+ = taubar P:
 *     G = P H* / D,  eps = T - H z,  nu = eps / D
 *     z(p) += phi (z + P+ a + G eps)        the component wz is T itself
 *     betadot = nu - G* (phi* alpha(p) + a)
 * The motion of the body before stays at hand in outward sweeps: it mostly is that
 * of the parent. Sums are ordered so that what comes late enters last. */
#ifndef SOA_DYNAMICS_FAST_KERNEL_H
#define SOA_DYNAMICS_FAST_KERNEL_H

#include "dynamics/articulated.kernel.h"
#include "dynamics/forward.kernel.h"
#include "sweep/ahead.kernel.h"
#include "sweep/lanes.kernel.h"

/* ---- outward: phi, V, a, b ------------------------------------------------------------------ */

/* b = S[V] M V of a body whose V is known, and what is taken off it. */
KERNEL force body_load(const soa_call *call, const vars *w, int k, motion V)
{
    const soa_body_data *body = &call->model->body[k];
    force b = force_cross(V, rigid_mul(rigid_set(body->inertia), V));
    if (__builtin_expect(call->f.at != NULL, 0)) {
        b = force_sub(b, body_external(call, w, k));
    }
    return b;
}

/* V of the parent to V of the body. Of a only what is not zero is written. */
KERNEL motion plain_outward(const soa_call *call, const vars *w, int k, motion V)
{
    const soa_body_data *body = &call->model->body[k];
    const crossing x = crossing_of(call, w, k);
    const real rate = call->v.at ? in_get(call, call->v, (size_t)body->v) : real_set(0.0);
    motion *a = &w->a[k];
    V = body->parent < 0 ? motion_zero() : cross_outward(body, x, V);
    if (body->joint_class == SOA_CLASS_REVOLUTE) {
        V.w.z = V.w.z + rate;
        a->w.x = V.w.y * rate;
        a->w.y = -(V.w.x * rate);
        a->v.x = V.v.y * rate;
        a->v.y = -(V.v.x * rate);
    } else {
        V.v.z = V.v.z + rate;
        a->v.x = V.w.y * rate;
        a->v.y = -(V.w.x * rate);
    }
    if (body->keeps || call->keeps || !call->y.at) {
        w->V[k] = V;
    }
    w->b[k] = body_load(call, w, k, V);
    return V;
}

/* a of a plain joint. */
KERNEL motion plain_bias(const vars *w, const soa_body_data *body, int k)
{
    const real o = real_set(0.0);
    const motion *a = &w->a[k];
    const bool turns = body->joint_class == SOA_CLASS_REVOLUTE;
    return (motion){ { turns ? a->w.x : o, turns ? a->w.y : o, o }, { a->v.x, a->v.y, o } };
}

/* Of a joint that is not plain. */
static __attribute__((noinline)) void other_outward(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    body_position(call, w, k);
    if (call->v.at) {
        body_velocity(call, w, k);
    } else {
        w->V[k] = motion_zero();
        w->a[k] = motion_zero();
    }
    w->b[k] = body_load(call, w, k, w->V[k]);
    if (body->geared && call->v.at) {
        w->b[body->parent] = force_add(w->b[body->parent], gear_bias(call, w, body));
    }
}

/* Of a free body on the world: V is given, a is zero. */
static __attribute__((noinline)) void free_root_outward(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const motion V = call->v.at ? motion_in(call, call->v, body) : motion_zero();
    w->X[k].R = free_root_rotation(call, body);
    w->V[k] = V;
    w->b[k] = body_load(call, w, k, V);
}

static inline void forward_outward_sweep(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    const bool large = is_large(m);
    motion V = motion_zero();
    for (int k = 0; k < m->bodies; k++) {
        const int p = m->body[k].parent;
        if (large) {
            crossings_begin_at(call, w, k);
            fetch_forward_outward(m, w, k);
        }
        if (!is_plain(&m->body[k])) {
            (is_free_root(&m->body[k]) ? free_root_outward : other_outward)(call, w, k);
            V = w->V[k];
            continue;
        }
        if (p != k - 1 && p >= 0) {
            V = w->V[p];
        }
        V = plain_outward(call, w, k, V);
    }
}

/* ---- inward: P, D, G, nu ---------------------------------------------------------------------- */

/* P+ a of a revolute joint: neither has anything about z. */
KERNEL force behind_revolute_mul(articulated P, motion a)
{
    const mat3 B = P.B;
    const sym3 A = P.A, C = P.C;
    const vec3 w = a.w, v = a.v;
    return (force){
        { real_fma(B.xy, v.y, real_fma(B.xx, v.x, real_fma(A.xy, w.y, A.xx * w.x))),
            real_fma(B.yy, v.y, real_fma(B.yx, v.x, real_fma(A.yy, w.y, A.xy * w.x))), real_set(0.0) },
        { real_fma(C.xy, v.y, real_fma(C.xx, v.x, real_fma(B.yx, w.y, B.xx * w.x))),
            real_fma(C.yy, v.y, real_fma(C.xy, v.x, real_fma(B.yy, w.y, B.xy * w.x))),
            real_fma(C.yz, v.y, real_fma(C.xz, v.x, real_fma(B.yz, w.y, B.xz * w.x))) },
    };
}

/* P+ a of a prismatic joint: a = (0; x, y, 0), P+ has nothing along z. */
KERNEL force behind_prismatic_mul(articulated P, motion a)
{
    const mat3 B = P.B;
    const vec3 v = a.v;
    return (force){
        { real_fma(B.xy, v.y, B.xx * v.x), real_fma(B.yy, v.y, B.yx * v.x), real_fma(B.zy, v.y, B.zx * v.x) },
        { real_fma(P.C.xy, v.y, P.C.xx * v.x), real_fma(P.C.yy, v.y, P.C.xy * v.x), real_set(0.0) },
    };
}

KERNEL void plain_inward(soa_call *call, const vars *w, int k, const bool turns, articulated P)
{
    const soa_body_data *body = &call->model->body[k];
    const int i = body->v, p = body->parent;
    const real T = call->u.at ? in_get(call, call->u, (size_t)i) : real_set(0.0);
    const force z = w->b[k], U = turns ? articulated_column_wz(P) : articulated_column_vz(P);
    const sym3 block = turns ? P.A : P.C;
    const real D = turns ? U.n.z : U.f.z;
    call_require(call, real_less(PIVOT_TOLERANCE * real_abs(block.xx + block.yy), D), k);
    const real D_inv = 1.0 / D, eps = T - (turns ? z.n.z : z.f.z);
    const force G = force_scale(D_inv, U);
    w->G[i] = G;
    w->eps[i] = D_inv * eps;
    if (p < 0) {
        return;
    }
    const motion a = plain_bias(w, body, k);
    force f;
    if (turns) {
        const articulated P_plus = articulated_downdate_revolute(P, U, G);
        f = force_add(z, behind_revolute_mul(P_plus, a));
        f = (force){ { real_fma(G.n.x, eps, f.n.x), real_fma(G.n.y, eps, f.n.y), T }, vec3_scale_add(eps, G.f, f.f) };
        give_behind_plain(call, w, k, true, P_plus);
    } else {
        const articulated P_plus = articulated_downdate_prismatic(P, U, G);
        f = force_add(z, behind_prismatic_mul(P_plus, a));
        f = (force){ vec3_scale_add(eps, G.n, f.n), { real_fma(G.f.x, eps, f.f.x), real_fma(G.f.y, eps, f.f.y), T } };
        give_behind_plain(call, w, k, false, P_plus);
    }
    w->b[p] = cross_inward_add(body, crossing_again(w, body, k), f, w->b[p]);
}

/* nu = D^-1 eps */
static inline void other_nu(const vars *w, const soa_body_data *body, const joint_inertias *j, const real *eps)
{
    for (int i = 0; i < body->nv; i++) {
        real nu = j->D_inv[i][0] * eps[0];
        for (int c = 1; c < body->nv; c++) {
            nu = real_fma(j->D_inv[i][c], eps[c], nu);
        }
        w->eps[body->v + i] = nu;
    }
}

/* Of a joint that is not plain, with P in j: eps = T - H z - U* a, and z + P a behind it to the parent. */
static inline void joint_inward(soa_call *call, const vars *w, int k, joint_inertias *j)
{
    const soa_body_data *body = &call->model->body[k];
    real eps[SOA_JOINT_MAX_NV], T[SOA_JOINT_MAX_NV] = { real_set(0.0) };
    other_inertias(call, w, k, j);
    if (call->u.at) {
        joint_in(call, call->u, body->v, body->nv, T);
    }
    armature_bias(call, body, -1.0, T);
    innovation(w, body, w->b[k], T, eps);
    for (int i = 0; i < body->nv; i++) {
        eps[i] = eps[i] - power(j->U[i], w->a[k]);
    }
    other_nu(w, body, j, eps);
    other_gain(w, body, k, j);
    if (body->parent >= 0) {
        force x = force_add(w->b[k], articulated_mul(j->P, w->a[k])), *z = &w->b[body->parent];
        other_give(call, w, k, j);
        if (body->geared) {
            *z = force_add(*z, force_scale_add(eps[0], w->G[body->v], phi(w->X[k], x)));
            return;
        }
        for (int i = 0; i < body->nv; i++) {
            x = force_scale_add(eps[i], w->G[body->v + i], x);
        }
        *z = force_add(*z, phi(w->X[k], x));
    }
}

static __attribute__((noinline)) void other_inward(soa_call *call, const vars *w, int k)
{
    joint_inertias j;
    j.P = gathered_inertia(w, &call->model->body[k]);
    joint_inward(call, w, k, &j);
}

/* A free body on the world: P alpha = T - z says it all. alpha into w->alpha. */
static __attribute__((noinline)) void free_root_inward(soa_call *call, const vars *w, int k, const articulated *P)
{
    const soa_body_data *body = &call->model->body[k];
    force U[6];
    articulated_columns(P, U);
    real T[6] = { real_set(0.0) };
    if (call->u.at) {
        joint_in(call, call->u, body->v, 6, T);
    }
    const force z = w->b[k];
    const real Z[6] = { z.n.x, z.n.y, z.n.z, z.f.x, z.f.y, z.f.z };
    real A[6][D_COLUMNS], x[6];
    for (int i = 0; i < 6; i++) {
        A[i][0] = U[i].n.x, A[i][1] = U[i].n.y, A[i][2] = U[i].n.z;
        A[i][3] = U[i].f.x, A[i][4] = U[i].f.y, A[i][5] = U[i].f.z;
        x[i] = T[i] - Z[i];
    }
    solve_spd_6(call, k, A, x);
    w->alpha[k] = (motion){ { x[0], x[1], x[2] }, { x[3], x[4], x[5] } };
}

KERNEL void forward_inward_at(soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    if (is_free_root(body)) {
        const articulated P = gathered_inertia(w, body);
        free_root_inward(call, w, k, &P);
    } else if (!is_plain(body)) {
        other_inward(call, w, k);
    } else if (body->joint_class == SOA_CLASS_REVOLUTE) {
        plain_inward(call, w, k, true, gathered_inertia(w, body));
    } else {
        plain_inward(call, w, k, false, gathered_inertia(w, body));
    }
}

static inline void forward_inward_sweep(soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    const bool large = is_large(m);
    for (int k = m->bodies - 1; k >= 0; k--) {
        if (large) {
            fetch_forward_inward(m, w, k);
        }
        forward_inward_at(call, w, k);
    }
}

/* ---- outward: betadot, alpha ---------------------------------------------------------------------- */

/* alpha of the parent to alpha of the body. rest: soa_call.rest, as it gathers. */
KERNEL motion plain_smoother(const soa_call *call, const vars *w, int k, motion alpha, real *rest)
{
    const soa_body_data *body = &call->model->body[k];
    const force G = w->G[body->v];
    alpha = cross_outward_add(body, crossing_again(w, body, k), alpha, plain_bias(w, body, k));
    const real nu =
        real_fnma(G.n.y, alpha.w.y, real_fnma(G.n.x, alpha.w.x, real_fnma(G.n.z, alpha.w.z, w->eps[body->v])));
    const real betadot = nu - real_fma(G.f.y, alpha.v.y, real_fma(G.f.x, alpha.v.x, G.f.z * alpha.v.z));
    if (body->joint_class == SOA_CLASS_REVOLUTE) {
        alpha.w.z = alpha.w.z + betadot;
    } else {
        alpha.v.z = alpha.v.z + betadot;
    }
    *rest = *rest + (betadot - betadot);
    if (body->keeps || call->keeps || !call->y.at) {
        w->alpha[k] = alpha;
    }
    if (call->y.at) {
        y_of(call, w)[body->v] = betadot;
    }
    return alpha;
}

/* betadot = nu - G* phi* alpha(p), or K* alpha(p) with a rotor. */
static __attribute__((noinline)) void other_smoother(
    const soa_call *call, const vars *w, int k, const motion *at_parent)
{
    const soa_body_data *body = &call->model->body[k];
    const motion at_child = phi_t(w->X[k], *at_parent);
    real betadot[SOA_JOINT_MAX_NV];
    betadot[0] = w->eps[body->v] - power(w->G[body->v], body->geared ? *at_parent : at_child);
    for (int i = 1; i < body->nv; i++) {
        betadot[i] = w->eps[body->v + i] - power(w->G[body->v + i], at_child);
    }
    w->alpha[k] = motion_add(motion_add(at_child, w->a[k]), joint_motion(w, body, betadot));
    for (int i = 0; call->y.at && i < body->nv; i++) {
        y_of(call, w)[body->v + i] = betadot[i];
    }
}

/* betadot = alpha - phi* alpha(world), the world not turning */
static __attribute__((noinline)) void free_root_smoother(const soa_call *call, const vars *w, int k, const motion *base)
{
    const soa_body_data *body = &call->model->body[k];
    const motion alpha = w->alpha[k];
    const motion y = { alpha.w, vec3_sub(alpha.v, mat3_t_mul_vec(w->X[k].R, base->v)) };
    if (call->y.at) {
        real *to = y_of(call, w) + body->v;
        to[0] = y.w.x, to[1] = y.w.y, to[2] = y.w.z;
        to[3] = y.v.x, to[4] = y.v.y, to[5] = y.v.z;
    }
}

/* Returns what tells if y is finite. */
static inline real forward_smoother_sweep(const soa_call *call, const vars *w, motion base)
{
    const soa_model *m = call->model;
    const bool large = is_large(m);
    motion alpha = base;
    real rest = real_set(0.0);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const int p = body->parent;
        if (large) {
            fetch_forward_smoother(m, w, k);
        }
        if (!is_plain(body)) {
            (is_free_root(body) ? free_root_smoother : other_smoother)(call, w, k, p < 0 ? &base : &w->alpha[p]);
            for (int i = 0; call->y.at && i < body->nv; i++) {
                const real y = y_of(call, w)[body->v + i];
                rest = rest + (y - y);
            }
            alpha = w->alpha[k];
            continue;
        }
        if (p != k - 1) {
            alpha = p < 0 ? base : w->alpha[p];
        }
        alpha = plain_smoother(call, w, k, alpha, &rest);
    }
    return rest;
}

/* ---- body by body, for who does more in the same sweeps -------------------------------------------------- */

/* All of X, V, a, b; the call must keep motions. */
static inline void forward_outward_at(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    if (is_plain(body)) {
        w->a[k] = motion_zero();
        plain_outward(call, w, k, body->parent < 0 ? motion_zero() : w->V[body->parent]);
        return;
    }
    other_outward(call, w, k);
    if (is_free_root(body)) {
        free_root_outward(call, w, k);
    }
}

static inline void forward_smoother_at(const soa_call *call, const vars *w, int k, const motion *base)
{
    const soa_body_data *body = &call->model->body[k];
    const motion *at_parent = body->parent < 0 ? base : &w->alpha[body->parent];
    if (is_plain(body)) {
        real rest = real_set(0.0);
        plain_smoother(call, w, k, *at_parent, &rest);
    } else {
        (is_free_root(body) ? free_root_smoother : other_smoother)(call, w, k, at_parent);
    }
}

/* ---- forward dynamics --------------------------------------------------------------------------------- */

/* q, v (or none), u = T (or none), f (or none); y = betadot. Without y it leaves V and alpha. */
static void forward_dynamics(soa_call *call)
{
    vars room;
    const vars *w = vars_at(call, &room);
    call_begin(call);
    if (call->f.at) { /* external forces are given in world axes */
        position_sweep(call, w);
        placement_sweep(call, w);
    }
    if (!is_large(call->model)) {
        crossings_begin(call, w);
    }
    forward_outward_sweep(call, w);
    forward_inward_sweep(call, w);
    real_store(call->rest, forward_smoother_sweep(call, w, base_acceleration(call)));
    if (call->y.at) {
        scatter_y(call, y_of(call, w));
    }
}

#endif
