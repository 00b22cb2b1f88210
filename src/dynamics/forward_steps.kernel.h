/* dynamics/forward_steps.kernel.h - [FD4] at one joint: outward V, a, b; inward P, D, G, nu; outward betadot, alpha.
 *
 * Three steps, each written once per class of joint; sweeps (fast.kernel.h, closure/) loop and call them. The classes:
 *     STEP_TURN       about z without a rotor, crossed by plane rotations. With P+ = taubar P:
 *                         G = P H* / D,  eps = T - H z,  nu = eps / D
 *                         z(p) += phi (z + P+ a + G eps)        the component wz is T itself
 *                         betadot = nu - G* (phi* alpha(p) + a)
 *     STEP_SLIDE      along z, likewise
 *     STEP_FREE_ROOT  a free body on the world: P alpha = T - z
 *     STEP_ANY        any other, by its pose X and its columns of H*
 * Sums are ordered so that what comes late enters last. */
#ifndef SOA_DYNAMICS_FORWARD_STEPS_KERNEL_H
#define SOA_DYNAMICS_FORWARD_STEPS_KERNEL_H

#include "dynamics/articulated.kernel.h"
#include "sweep/filter.kernel.h"
#include "sweep/lanes.kernel.h"

typedef enum step_class { STEP_TURN, STEP_SLIDE, STEP_FREE_ROOT, STEP_ANY } step_class;

KERNEL step_class step_of(const soa_body_data *body)
{
    if (is_plain(body)) {
        return body->joint_class == SOA_CLASS_REVOLUTE ? STEP_TURN : STEP_SLIDE;
    }
    return is_free_root(body) ? STEP_FREE_ROOT : STEP_ANY;
}

/* ---- outward: phi, V, a, b ------------------------------------------------------------------ */

/* STEP_TURN, STEP_SLIDE: V of the parent to V of the body. Of a only what is not zero is written. */
KERNEL motion plain_velocity(const soa_call *call, const vars *w, int k, motion V)
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

/* STEP_TURN, STEP_SLIDE: a, as plain_velocity left it. */
KERNEL motion plain_bias(const vars *w, const soa_body_data *body, int k)
{
    const real o = real_set(0.0);
    const motion *a = &w->a[k];
    const bool turns = body->joint_class == SOA_CLASS_REVOLUTE;
    return (motion){ { turns ? a->w.x : o, turns ? a->w.y : o, o }, { a->v.x, a->v.y, o } };
}

/* STEP_ANY; of a free root too, if X and a are wanted. */
static __attribute__((noinline)) void any_velocity(const soa_call *call, const vars *w, int k)
{
    body_position(call, w, k);
    body_velocity_given(call, w, k);
    w->b[k] = body_load(call, w, k, w->V[k]);
    gear_bias_add(call, w, &call->model->body[k], w->b);
}

/* STEP_FREE_ROOT: V is given, a is zero. */
static __attribute__((noinline)) void free_root_velocity(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const motion V = call->v.at ? motion_in(call, call->v, body) : motion_zero();
    w->X[k].R = free_root_rotation(call, body);
    w->V[k] = V;
    w->b[k] = body_load(call, w, k, V);
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

/* STEP_TURN, STEP_SLIDE: f = z + P+ a + G eps, which the parent is given, is T itself along the joint. */
KERNEL void plain_inward(soa_call *call, const vars *w, int k, const bool turns, articulated P)
{
    const soa_body_data *body = &call->model->body[k];
    const int i = body->v, p = body->parent;
    const real T = call->u.at ? in_get(call, call->u, (size_t)i) : real_set(0.0);
    const force z = w->b[k];
    const screw_inertias j = screw_articulate(call, k, P, turns, false);
    const real eps = T - (turns ? z.n.z : z.f.z);
    const force G = j.G;
    w->G[i] = G;
    w->eps[i] = j.D_inv * eps;
    if (p < 0) {
        return;
    }
    const motion a = plain_bias(w, body, k);
    const articulated P_plus = screw_behind(P, j.U, G, turns);
    force f;
    if (turns) {
        f = force_add(z, behind_revolute_mul(P_plus, a));
        f = (force){ { real_fma(G.n.x, eps, f.n.x), real_fma(G.n.y, eps, f.n.y), T }, vec3_scale_add(eps, G.f, f.f) };
    } else {
        f = force_add(z, behind_prismatic_mul(P_plus, a));
        f = (force){ vec3_scale_add(eps, G.n, f.n), { real_fma(G.f.x, eps, f.f.x), real_fma(G.f.y, eps, f.f.y), T } };
    }
    give_behind(call, w, k, turns, P_plus);
    w->b[p] = cross_inward_add(body, crossing_again(w, body, k), f, w->b[p]);
}

/* STEP_ANY: eps = T - H z - U* a, nu = D^-1 eps, and z + P a + G eps behind the joint to the parent. With a rotor U and G
 * become those in the parent's frame: phi U + gear, K. */
static inline void any_inward(soa_call *call, const vars *w, int k, const articulated *P, joint_inertias j)
{
    const soa_body_data *body = &call->model->body[k];
    real eps[SOA_JOINT_MAX_NV];
    articulate(call, w, k, P, j);
    joint_innovation(call, w, k, j.U, eps);
    inverse_mul(j.D_inv, body->nv, eps, w->eps + body->v);
    if (body->geared) {
        j.U[0] = geared_column(&w->X[k], body, j.U[0]);
        j.G[0] = force_scale(j.D_inv[0][0], j.U[0]);
    }
    if (body->parent >= 0) {
        force x = force_add(w->b[k], articulated_mul(*P, w->a[k])), *z = &w->b[body->parent];
        give_inertia(call, w, k, felt_inboard(&w->X[k], body, *P, j, j.U[0]));
        if (body->geared) {
            *z = force_add(*z, force_scale_add(eps[0], j.G[0], phi(w->X[k], x)));
            return;
        }
        for (int i = 0; i < body->nv; i++) {
            x = force_scale_add(eps[i], j.G[i], x);
        }
        *z = force_add(*z, phi(w->X[k], x));
    }
}

/* STEP_ANY inward, where nobody asks for U and D^-1 later: they stay on the stack. */
static __attribute__((noinline)) void any_inward_alone(soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const articulated P = gathered_inertia(call, w, body);
    force U[SOA_JOINT_MAX_NV];
    real D_inv[SOA_JOINT_MAX_NV][D_COLUMNS];
    any_inward(call, w, k, &P, (joint_inertias){ U, w->G + body->v, D_inv });
}

/* STEP_FREE_ROOT: P alpha = T - z says it all. alpha into w->alpha. */
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

/* Inward across a joint of any class. Each case gathers P for itself: one P whose address is taken would be kept in memory
 * for all of them. */
KERNEL void inward_step(soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    switch (step_of(body)) {
    case STEP_TURN:
        plain_inward(call, w, k, true, gathered_inertia(call, w, body));
        return;
    case STEP_SLIDE:
        plain_inward(call, w, k, false, gathered_inertia(call, w, body));
        return;
    case STEP_FREE_ROOT: {
        const articulated P = gathered_inertia(call, w, body);
        free_root_inward(call, w, k, &P);
        return;
    }
    case STEP_ANY:
        any_inward_alone(call, w, k);
    }
}

/* ---- outward: betadot, alpha ---------------------------------------------------------------------- */

/* STEP_TURN, STEP_SLIDE: alpha of the parent to alpha of the body. taint: soa_call.taint, as it gathers. */
KERNEL motion plain_smoother(const soa_call *call, const vars *w, int k, motion alpha, real *taint)
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
    *taint = *taint + (betadot - betadot);
    if (body->keeps || call->keeps || !call->y.at) {
        w->alpha[k] = alpha;
    }
    if (call->y.at) {
        y_of(call, w)[body->v] = betadot;
    }
    return alpha;
}

/* STEP_ANY: betadot = nu - G* phi* alpha(p), or K* alpha(p) with a rotor. */
static __attribute__((noinline)) void any_smoother(const soa_call *call, const vars *w, int k, const motion *at_parent)
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

/* STEP_FREE_ROOT: betadot = alpha - phi* alpha(world), the world not turning */
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

#endif
