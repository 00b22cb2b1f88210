/* dynamics/newton_pairs.kernel.h - two motions, or a moment and a force, through the same operations at once.
 *
 *     AV = (alpha | V)      outward, and M times both
 *     F  = (n | f)          the force on a body, inward */
#ifndef SOA_DYNAMICS_NEWTON_PAIRS_KERNEL_H
#define SOA_DYNAMICS_NEWTON_PAIRS_KERNEL_H

#include "sweep/screw.kernel.h"

/* Two forces. */
typedef struct force_pair {
    pair3 n, f;
} force_pair;

/* M V of two motions, as rigid_mul. */
KERNEL force_pair pair_rigid_mul(rigid M, motion_pair V)
{
    const pair m = pair_twice(M.m);
    const pair3 h = pair3_twice(M.h);
    const pair xx = pair_twice(M.J.xx), xy = pair_twice(M.J.xy), xz = pair_twice(M.J.xz);
    const pair yy = pair_twice(M.J.yy), yz = pair_twice(M.J.yz), zz = pair_twice(M.J.zz);
    const pair3 Jw = {
        pair_fma(xz, V.w.z, pair_fma(xy, V.w.y, pair_mul(xx, V.w.x))),
        pair_fma(yz, V.w.z, pair_fma(yy, V.w.y, pair_mul(xy, V.w.x))),
        pair_fma(zz, V.w.z, pair_fma(yz, V.w.y, pair_mul(xz, V.w.x))),
    };
    return (force_pair){ pair3_cross_add(h, V.v, Jw), pair3_cross_add(V.w, h, pair3_scale(m, V.v)) };
}

KERNEL pair3 pair_of_force(force f)
{
    return pair3_of(f.n, f.f);
}

KERNEL force force_of_pair(pair3 F)
{
    return (force){ pair3_first(F), pair3_second(F) };
}

/* M alpha + S[V] M V; W, L: V twice. */
KERNEL pair3 pair_inertia_force(rigid M, motion_pair A, pair3 W, pair3 L)
{
    const force_pair h = pair_rigid_mul(M, A);
    const pair3 F = pair3_cross_add(W, pair3_seconds(h.n, h.f), pair3_firsts(h.n, h.f));
    return pair3_merge(pair3_cross_add(L, pair3_twice_second(h.f), F), F);
}

KERNEL pair3 pair_body_force(const soa_body_data *body, motion_pair A, pair3 W, pair3 L)
{
    return pair_inertia_force(rigid_set(body->inertia), A, W, L);
}

/* ---- phi by the pose --------------------------------------------------------------------------- */

/* phi* of two motions */
KERNEL motion_pair pair_phi_t(pose X, motion_pair V)
{
    const mat3 R = mat3_transpose(X.R);
    return (motion_pair){ pair3_turn(R, V.w), pair3_turn(R, pair3_cross_add(V.w, pair3_twice(X.l), V.v)) };
}

/* (n + l x f | f) + g, of f = (n | f) */
KERNEL pair3 pair_shift_add(vec3 l, pair3 f, pair3 g)
{
    const pair3 sum = pair3_add(f, g);
    return pair3_merge(pair3_cross_add(pair3_twice(l), pair3_twice_second(f), sum), sum);
}

/* phi f + g */
KERNEL pair3 pair_phi_add(pose X, pair3 f, pair3 g)
{
    return pair_shift_add(X.l, pair3_turn(X.R, f), g);
}

/* phi f */
KERNEL pair3 pair_phi(pose X, pair3 f)
{
    f = pair3_turn(X.R, f);
    return pair3_merge(pair3_cross_add(pair3_twice(X.l), pair3_twice_second(f), f), f);
}

/* ---- what velocities add to alpha, the first of each pair ------------------------------------------ */

/* V x H* beta of a joint about or along z; W, L: V twice. */
KERNEL motion_pair add_bias_acceleration(motion_pair A, bool turns, pair rate, pair3 W, pair3 L)
{
    if (turns) {
        A.w.x = pair_merge(pair_fma(W.y, rate, A.w.x), A.w.x);
        A.w.y = pair_merge(pair_fnma(W.x, rate, A.w.y), A.w.y);
        A.v.x = pair_merge(pair_fma(L.y, rate, A.v.x), A.v.x);
        A.v.y = pair_merge(pair_fnma(L.x, rate, A.v.y), A.v.y);
    } else {
        A.v.x = pair_merge(pair_fma(W.y, rate, A.v.x), A.v.x);
        A.v.y = pair_merge(pair_fnma(W.x, rate, A.v.y), A.v.y);
    }
    return A;
}

/* V~ (w; v); w NULL or v NULL: zero. */
KERNEL motion_pair add_bias_of(motion_pair A, const pair3 *w, const pair3 *v, pair3 W, pair3 L)
{
    if (w) {
        A.w = pair3_merge(pair3_cross_add(W, *w, A.w), A.w);
        A.v = pair3_merge(pair3_cross_add(L, *w, A.v), A.v);
    }
    if (v) {
        A.v = pair3_merge(pair3_cross_add(W, *v, A.v), A.v);
    }
    return A;
}

/* V~ H* beta, where the second of each pair of the rate is H* beta. */
KERNEL motion_pair rate_bias_add(motion_pair A, motion_pair rate, pair3 W, pair3 L)
{
    const pair3 w = pair3_twice_second(rate.w), v = pair3_twice_second(rate.v);
    return add_bias_of(A, &w, &v, W, L);
}

/* ---- rotors ----------------------------------------------------------------------------------------- */

/* What a geared rotor adds to T, and to the force on the parent.  [GEAR] */
KERNEL real gear_effort(const soa_call *call, const vars *w, const soa_body_data *body, real T)
{
    const vec3 gear = vec3_set(body->rest->gear);
    const int p = body->parent;
    const size_t i = (size_t)body->v;
    const vec3 wdot = call->v.at ? pair3_first(w->AV[p].w) : w->alpha[p].w;
    force f = force_of_pair(w->F[p]);
    if (call->u.at) {
        f.n = vec3_scale_add(in_get(call, call->u, i), gear, f.n);
    }
    if (call->v.at) {
        f.n = vec3_cross_add(pair3_second(w->AV[p].w), vec3_scale(in_get(call, call->v, i), gear), f.n);
    }
    w->F[p] = pair_of_force(f);
    return vec3_dot_add(gear, wdot, T);
}

/* What rotors add to T, but by their gears. */
KERNEL void armature_effort(const soa_call *call, const soa_body_data *body, real *T)
{
    for (int i = 0; call->u.at && i < body->nv; i++) {
        T[i] = real_fma(real_set(body->armature), in_get(call, call->u, (size_t)(body->v + i)), T[i]);
    }
    armature_bias(call, body, 1.0, T);
}

/* What rotors add to T, and to the force on the parent. */
static __attribute__((noinline)) void rotor_effort(soa_call *call, const vars *w, const soa_body_data *body, real *T)
{
    armature_effort(call, body, T);
    if (body->geared) {
        T[0] = gear_effort(call, w, body, T[0]);
    }
}

#endif
