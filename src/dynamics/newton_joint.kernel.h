/* dynamics/newton_joint.kernel.h - inverse dynamics across joints of several kinds.  [ID]
 *
 * What goes through the same operations goes in pairs: AV = (alpha | V) outward, F = (n | f)
 * inward. A joint that is neither about nor along z, nor reversed, has functions of its own
 * kind: which of them runs is one branch per sweep, and little of it is kept from one
 * sweep to the next. */
#ifndef SOA_DYNAMICS_NEWTON_JOINT_KERNEL_H
#define SOA_DYNAMICS_NEWTON_JOINT_KERNEL_H

#include "dynamics/inverse.kernel.h"
#include "sweep/screw.kernel.h"

/* The kinds that have functions of their own. */
#define NEWTON_KINDS(X)             \
    X(SOA_HELICAL, helical)         \
    X(SOA_UNIVERSAL, universal)     \
    X(SOA_CYLINDRICAL, cylindrical) \
    X(SOA_PLANAR, planar)           \
    X(SOA_SPHERICAL, spherical)     \
    X(SOA_FREE, free)

/* Two forces. */
typedef struct force_pair {
    pair3 n, f;
} force_pair;

/* M V of two motions, as rigid_mul. */
KERNEL force_pair pair_rigid_mul(const double *inertia, motion_pair V)
{
    const pair m = pair_set(inertia[0]);
    const pair3 h = { pair_set(inertia[1]), pair_set(inertia[2]), pair_set(inertia[3]) };
    const pair xx = pair_set(inertia[4]), xy = pair_set(inertia[5]), xz = pair_set(inertia[6]);
    const pair yy = pair_set(inertia[7]), yz = pair_set(inertia[8]), zz = pair_set(inertia[9]);
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
KERNEL pair3 pair_body_force(const soa_body_data *body, motion_pair A, pair3 W, pair3 L)
{
    const force_pair h = pair_rigid_mul(body->inertia, A);
    const pair3 F = pair3_cross_add(W, pair3_seconds(h.n, h.f), pair3_firsts(h.n, h.f));
    return pair3_merge(pair3_cross_add(L, pair3_twice_second(h.f), F), F);
}

/* V x H* beta added to alpha, the first of each pair; W, L: V twice. */
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

/* ---- phi by the pose --------------------------------------------------------------------------- */

/* phi* of two motions */
KERNEL motion_pair pair_phi_t(pose X, motion_pair V)
{
    const mat3 R = mat3_transpose(X.R);
    return (motion_pair){ pair3_turn(R, V.w), pair3_turn(R, pair3_cross_add(V.w, pair3_twice(X.l), V.v)) };
}

/* phi f + g */
KERNEL pair3 pair_phi_add(pose X, pair3 f, pair3 g)
{
    f = pair3_turn(X.R, f);
    const pair3 sum = pair3_add(f, g);
    return pair3_merge(pair3_cross_add(pair3_twice(X.l), pair3_twice_second(f), sum), sum);
}

/* ---- H by the kind ------------------------------------------------------------------------------ */

KERNEL int kind_nv(const soa_joint_kind kind)
{
#define KIND_NV(name, text, nq, nv, coordinates) kind == name ? (nv):
    return SOA_JOINT_LIST(KIND_NV) 0;
#undef KIND_NV
}

/* phi(p,k); of a universal joint, which takes long, into w->X, and what of H* is not constant, R* axis1, into w->H. */
KERNEL pose kind_position(const soa_call *call, const vars *w, int k, const soa_joint_kind kind)
{
    const soa_body_data *body = &call->model->body[k];
    const pose at = pose_set(&body->at);
    const size_t i = (size_t)body->q;
    pose X = at;
    if (kind == SOA_HELICAL || kind == SOA_CYLINDRICAL || kind == SOA_PLANAR) {
        X.R = mat3_rotz(at.R, w->crossing[k][0], w->crossing[k][1]);
    }
    if (kind == SOA_HELICAL) {
        X.l = vec3_scale_add(body->pitch * in_get(call, call->q, i), mat3_column_z(at.R), at.l);
    } else if (kind == SOA_CYLINDRICAL) {
        X.l = vec3_scale_add(in_get(call, call->q, i + 1), mat3_column_z(at.R), at.l);
    } else if (kind == SOA_PLANAR) {
        X.l = vec3_scale_add(in_get(call, call->q, i), mat3_column_x(at.R), at.l);
        X.l = vec3_scale_add(in_get(call, call->q, i + 1), mat3_column_y(at.R), X.l);
    } else if (kind == SOA_SPHERICAL || kind == SOA_FREE) {
        real q[4];
        joint_in(call, call->q, body->q, 4, q);
        X.R = mat3_mul(at.R, rotation_of_quaternion(q));
        X.l = kind == SOA_FREE ? pose_point(at, in_vec3(call, call->q, i + 4)) : at.l;
    } else if (kind == SOA_UNIVERSAL) {
        real q[SOA_JOINT_MAX_NQ] = { real_set(0.0) };
        soa_joint_shape shape = { .kind = SOA_UNIVERSAL };
        memcpy(shape.axis1, body->axis, sizeof shape.axis1);
        joint_in(call, call->q, body->q, 2, q);
        const mat3 R = joint_pose_forward(&shape, q).R;
        w->H[body->v].w = mat3_t_mul_vec(R, vec3_set(shape.axis1));
        X.R = mat3_mul(at.R, R);
        w->X[k] = X;
    }
    return X;
}

/* A + H* x; u: R* axis1 of a universal joint. */
KERNEL motion_pair kind_motion_add(
    const soa_body_data *body, const soa_joint_kind kind, const pair *x, pair3 u, motion_pair A)
{
    switch (kind) {
    case SOA_HELICAL:
        A.w.z = pair_add(A.w.z, x[0]);
        A.v.z = pair_fma(pair_set(body->pitch), x[0], A.v.z);
        return A;
    case SOA_UNIVERSAL:
        A.w = (pair3){ pair_fma(u.x, x[0], A.w.x), pair_fma(u.y, x[0], A.w.y),
            pair_add(pair_fma(u.z, x[0], A.w.z), x[1]) };
        return A;
    case SOA_CYLINDRICAL:
        A.w.z = pair_add(A.w.z, x[0]);
        A.v.z = pair_add(A.v.z, x[1]);
        return A;
    case SOA_PLANAR:
        A.v.x = pair_add(A.v.x, x[0]);
        A.v.y = pair_add(A.v.y, x[1]);
        A.w.z = pair_add(A.w.z, x[2]);
        return A;
    case SOA_FREE:
        A.v = pair3_add(A.v, (pair3){ x[3], x[4], x[5] });
        /* fall through */
    default: /* spherical */
        A.w = pair3_add(A.w, (pair3){ x[0], x[1], x[2] });
        return A;
    }
}

/* V~ (w; v) added to alpha, the first of each pair; w NULL or v NULL: zero. */
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

/* V~ H* beta + (dH* / dt) beta added to alpha; x: (betadot | beta), W, L: V twice. */
KERNEL motion_pair kind_bias_add(
    const soa_body_data *body, const soa_joint_kind kind, const pair *x, pair3 u, motion_pair A)
{
    const pair3 W = pair3_twice_second(A.w), L = pair3_twice_second(A.v);
    const pair o = pair_set(0.0), x0 = pair_twice_second(x[0]);
    const pair x1 = kind == SOA_HELICAL ? o : pair_twice_second(x[1]);
    if (kind == SOA_HELICAL) {
        A = add_bias_acceleration(A, true, x0, W, L);
        return add_bias_acceleration(A, false, pair_mul(pair_set(body->pitch), x0), W, L);
    }
    if (kind == SOA_CYLINDRICAL) {
        A = add_bias_acceleration(A, true, x0, W, L);
        return add_bias_acceleration(A, false, x1, W, L);
    }
    if (kind == SOA_UNIVERSAL) { /* u turns about z with -x1 */
        const pair rate = pair_mul(x0, x1);
        const pair3 w = { pair_mul(u.x, x0), pair_mul(u.y, x0), pair_fma(u.z, x0, x1) };
        A.w.x = pair_merge(pair_fma(u.y, rate, A.w.x), A.w.x);
        A.w.y = pair_merge(pair_fnma(u.x, rate, A.w.y), A.w.y);
        return add_bias_of(A, &w, NULL, W, L);
    }
    const pair x2 = pair_twice_second(x[2]);
    if (kind == SOA_PLANAR) {
        const pair3 v = { x0, x1, o };
        return add_bias_of(add_bias_acceleration(A, true, x2, W, L), NULL, &v, W, L);
    }
    const pair3 w = { x0, x1, x2 };
    if (kind == SOA_FREE) {
        const pair3 v = { pair_twice_second(x[3]), pair_twice_second(x[4]), pair_twice_second(x[5]) };
        return add_bias_of(A, &w, &v, W, L);
    }
    return add_bias_of(A, &w, NULL, W, L);
}

/* T = H f */
KERNEL void kind_force(const vars *w, const soa_body_data *body, const soa_joint_kind kind, pair3 F, real *T)
{
    const vec3 n = pair3_first(F), f = pair3_second(F);
    switch (kind) {
    case SOA_HELICAL:
        T[0] = real_fma(real_set(body->pitch), f.z, n.z);
        return;
    case SOA_UNIVERSAL:
        T[0] = vec3_dot(w->H[body->v].w, n);
        T[1] = n.z;
        return;
    case SOA_CYLINDRICAL:
        T[0] = n.z, T[1] = f.z;
        return;
    case SOA_PLANAR:
        T[0] = f.x, T[1] = f.y, T[2] = n.z;
        return;
    case SOA_FREE:
        T[3] = f.x, T[4] = f.y, T[5] = f.z;
        /* fall through */
    default: /* spherical */
        T[0] = n.x, T[1] = n.y, T[2] = n.z;
    }
}

/* ---- outward: alpha, V, M alpha + S[V] M V --------------------------------------------------------- */

KERNEL void kind_outward(const soa_call *call, const vars *w, int k, const motion *base, const soa_joint_kind kind)
{
    const soa_body_data *body = &call->model->body[k];
    const motion_pair world = { pair3_of(base->w, vec3_zero()), pair3_of(base->v, vec3_zero()) };
    const pose X = kind_position(call, w, k, kind);
    const pair3 u = pair3_twice(kind == SOA_UNIVERSAL ? w->H[body->v].w : vec3_zero());
    pair x[SOA_JOINT_MAX_NV];
    for (int i = 0; i < kind_nv(kind); i++) {
        const size_t at = (size_t)(body->v + i);
        x[i] = pair_of(call->u.at ? in_get(call, call->u, at) : real_set(0.0), in_get(call, call->v, at));
    }
    motion_pair A = pair_phi_t(X, body->parent < 0 ? world : w->AV[body->parent]);
    A = kind_motion_add(body, kind, x, u, A);
    const pair3 W = pair3_twice_second(A.w), L = pair3_twice_second(A.v);
    A = kind_bias_add(body, kind, x, u, A);
    if (!body->leaf) {
        w->AV[k] = A;
    }
    w->F[k] = pair_body_force(body, A, W, L);
}

#define NEWTON_OUTWARD(KIND, name)                                                                                    \
    static                                                                                                            \
        __attribute__((noinline)) void name##_outward(const soa_call *call, const vars *w, int k, const motion *base) \
    {                                                                                                                 \
        kind_outward(call, w, k, base, KIND);                                                                         \
    }
NEWTON_KINDS(NEWTON_OUTWARD)
#undef NEWTON_OUTWARD

/* H* (betadot | beta) of a joint that is reversed, its own part of a added; X and H* are kept. */
static __attribute__((noinline)) motion_pair reversed_rate(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    real beta[SOA_JOINT_MAX_NV] = { real_set(0.0) }, betadot[SOA_JOINT_MAX_NV] = { real_set(0.0) };
    general_position(call, w, k);
    joint_in(call, call->v, body->v, body->nv, beta);
    if (call->u.at) {
        joint_in(call, call->u, body->v, body->nv, betadot);
    }
    const motion dV = joint_motion(w, body, beta);
    motion dA = joint_motion(w, body, betadot);
    if (joint_has_bias(&body->rest->shape)) {
        dA = motion_add(dA, joint_bias(&body->rest->shape, general_joint_pose(call, body), beta));
    }
    return (motion_pair){ pair3_of(dA.w, dV.w), pair3_of(dA.v, dV.v) };
}

/* V~ H* beta added to alpha, the first of each pair. */
KERNEL motion_pair rate_bias_add(motion_pair A, motion_pair rate, pair3 W, pair3 L)
{
    const pair3 w = pair3_twice_second(rate.w), v = pair3_twice_second(rate.v);
    return add_bias_of(A, &w, &v, W, L);
}

static __attribute__((noinline)) void reversed_outward(const soa_call *call, const vars *w, int k, const motion *base)
{
    const soa_body_data *body = &call->model->body[k];
    const motion_pair world = { pair3_of(base->w, vec3_zero()), pair3_of(base->v, vec3_zero()) };
    const motion_pair rate = reversed_rate(call, w, k);
    motion_pair A = pair_phi_t(w->X[k], body->parent < 0 ? world : w->AV[body->parent]);
    A = (motion_pair){ pair3_add(A.w, rate.w), pair3_add(A.v, rate.v) };
    const pair3 W = pair3_twice_second(A.w), L = pair3_twice_second(A.v);
    A = rate_bias_add(A, rate, W, L);
    if (!body->leaf) {
        w->AV[k] = A;
    }
    w->F[k] = pair_body_force(body, A, W, L);
}

/* ---- inward: T = H f, f(p) gains phi f --------------------------------------------------------------- */

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

/* T into y; returns what tells if it is finite. */
KERNEL real kind_inward(soa_call *call, const vars *w, int k, real *y, const soa_joint_kind kind)
{
    const soa_body_data *body = &call->model->body[k];
    const pair3 F = w->F[k];
    real T[SOA_JOINT_MAX_NV], rest = real_set(0.0);
    kind_force(w, body, kind, F, T);
    if (body->motor) {
        rotor_effort(call, w, body, T);
    }
    for (int i = 0; i < kind_nv(kind); i++) {
        y[i] = T[i];
        rest = rest + (T[i] - T[i]);
    }
    if (body->parent >= 0) {
        const pose X = kind == SOA_UNIVERSAL ? w->X[k] : kind_position(call, w, k, kind);
        w->F[body->parent] = pair_phi_add(X, F, w->F[body->parent]);
    }
    return rest;
}

#define NEWTON_INWARD(KIND, name)                                                                      \
    static __attribute__((noinline)) real name##_inward(soa_call *call, const vars *w, int k, real *y) \
    {                                                                                                  \
        return kind_inward(call, w, k, y, KIND);                                                       \
    }
NEWTON_KINDS(NEWTON_INWARD)
#undef NEWTON_INWARD

#endif
