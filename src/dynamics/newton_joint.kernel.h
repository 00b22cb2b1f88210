/* dynamics/newton_joint.kernel.h - inverse dynamics across one joint, by its kind.  [ID]
 *
 * The kind is a constant where these functions are called: which of them runs is one branch per sweep, and little of a
 * joint is kept from one sweep to the next. SOA_JOINT_KINDS stands for joints that are reversed: by X and the columns
 * of H* in w->H. */
#ifndef SOA_DYNAMICS_NEWTON_JOINT_KERNEL_H
#define SOA_DYNAMICS_NEWTON_JOINT_KERNEL_H

#include "dynamics/inverse.kernel.h"
#include "dynamics/newton_pairs.kernel.h"

/* ---- H by the kind ------------------------------------------------------------------------------ */

/* How many velocities there are. */
KERNEL int kind_nv(const soa_body_data *body, const soa_joint_kind kind)
{
#define KIND_NV(name, text, nq, nv, coordinates) kind == name ? (nv):
    return SOA_JOINT_LIST(KIND_NV) body->nv;
#undef KIND_NV
}

/* Rz(gamma) Rx(alpha) Rz(theta) */
KERNEL mat3 screw_rotation(const soa_body_data *body, real c, real s)
{
    const soa_screw *screw = &body->screw;
    const double sg = screw->sin_gamma, cg = screw->cos_gamma, sa = screw->sin_alpha, ca = screw->cos_alpha;
    const mat3 G = {
        real_set(cg),
        real_set(-sg * ca),
        real_set(sg * sa), //
        real_set(sg),
        real_set(cg * ca),
        real_set(-cg * sa), //
        real_set(0.0),
        real_set(sa),
        real_set(ca),
    };
    return mat3_rotz(G, c, s);
}

/* phi(p,k); of a universal joint, which takes long, into w->X, and what of H* is not constant, R* axis1, into w->H. */
KERNEL pose kind_position(const soa_call *call, const vars *w, int k, const soa_joint_kind kind)
{
    const soa_body_data *body = &call->model->body[k];
    const size_t i = (size_t)body->q;
    if (kind == SOA_REVOLUTE) {
        return (pose){ screw_rotation(body, w->crossing[k][0], w->crossing[k][1]), vec3_set(body->screw.l) };
    }
    if (kind == SOA_PRISMATIC) {
        const soa_screw *screw = &body->screw;
        return (
            pose){ screw_rotation(body, real_set(screw->cos_theta), real_set(screw->sin_theta)), slide_of(call, body) };
    }
    const pose at = pose_set(&body->at);
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

/* (betadot | beta) of the joint. */
KERNEL void kind_rates(const soa_call *call, const soa_body_data *body, const soa_joint_kind kind, pair *x)
{
    for (int i = 0; i < kind_nv(body, kind); i++) {
        const size_t at = (size_t)(body->v + i);
        x[i] = pair_of(call->u.at ? in_get(call, call->u, at) : real_set(0.0), in_get(call, call->v, at));
    }
}

/* A + H* x; u: R* axis1 of a universal joint. */
KERNEL motion_pair kind_motion_add(
    const soa_body_data *body, const soa_joint_kind kind, const pair *x, pair3 u, motion_pair A)
{
    switch (kind) {
    case SOA_REVOLUTE:
        A.w.z = pair_add(A.w.z, x[0]);
        return A;
    case SOA_PRISMATIC:
        A.v.z = pair_add(A.v.z, x[0]);
        return A;
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
    case SOA_REVOLUTE:
        T[0] = n.z;
        return;
    case SOA_PRISMATIC:
        T[0] = f.z;
        return;
    case SOA_JOINT_KINDS:
        joint_force(w, body, (force){ n, f }, T);
        return;
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
    kind_rates(call, body, kind, x);
    motion_pair A = pair_phi_t(X, body->parent < 0 ? world : w->AV[body->parent]);
    A = kind_motion_add(body, kind, x, u, A);
    const pair3 W = pair3_twice_second(A.w), L = pair3_twice_second(A.v);
    A = kind_bias_add(body, kind, x, u, A);
    if (!body->leaf) {
        w->AV[k] = A;
    }
    w->F[k] = pair_body_force(body, A, W, L);
}

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

/* T into y, and the force to the parent; returns what tells if T is finite. */
KERNEL real kind_inward(soa_call *call, const vars *w, int k, real *y, const soa_joint_kind kind)
{
    const soa_body_data *body = &call->model->body[k];
    const pair3 F = w->F[k];
    real T[SOA_JOINT_MAX_NV], taint = real_set(0.0);
    kind_force(w, body, kind, F, T);
    if (body->motor) {
        rotor_effort(call, w, body, T);
    }
    for (int i = 0; i < kind_nv(body, kind); i++) {
        y[i] = T[i];
        taint = taint + (T[i] - T[i]);
    }
    if (body->parent >= 0) {
        const bool made = kind == SOA_UNIVERSAL || kind == SOA_JOINT_KINDS;
        const pose X = made ? w->X[k] : kind_position(call, w, k, kind);
        w->F[body->parent] = pair_phi_add(X, F, w->F[body->parent]);
    }
    return taint;
}

/* ---- by the kind of a joint -------------------------------------------------------------------------- */

/* do_it(kind), the kind a constant, for joints neither about nor along z, and ... */
#define BY_SEVERAL_KINDS(do_it) \
    case SOA_HELICAL:           \
        do_it(SOA_HELICAL);     \
        break;                  \
    case SOA_UNIVERSAL:         \
        do_it(SOA_UNIVERSAL);   \
        break;                  \
    case SOA_CYLINDRICAL:       \
        do_it(SOA_CYLINDRICAL); \
        break;                  \
    case SOA_PLANAR:            \
        do_it(SOA_PLANAR);      \
        break;                  \
    case SOA_SPHERICAL:         \
        do_it(SOA_SPHERICAL);   \
        break;                  \
    case SOA_FREE:              \
        do_it(SOA_FREE);        \
        break;                  \
    default:                    \
        do_it(SOA_JOINT_KINDS)

/* ... for all. */
#define BY_KIND(body, do_it)     \
    switch ((body)->kind) {      \
    case SOA_REVOLUTE:           \
    case SOA_CONTINUOUS:         \
        do_it(SOA_REVOLUTE);     \
        break;                   \
    case SOA_PRISMATIC:          \
        do_it(SOA_PRISMATIC);    \
        break;                   \
        BY_SEVERAL_KINDS(do_it); \
    }

/* Outward across a joint that is neither about nor along z. */
static __attribute__((noinline)) void several_outward(const soa_call *call, const vars *w, int k, const motion *base)
{
#define OUTWARD(KIND) \
    (KIND) == SOA_JOINT_KINDS ? reversed_outward(call, w, k, base) : kind_outward(call, w, k, base, KIND)
    switch (call->model->body[k].kind) {
        BY_SEVERAL_KINDS(OUTWARD);
    }
#undef OUTWARD
}

/* Inward across the same. */
static __attribute__((noinline)) real several_inward(soa_call *call, const vars *w, int k, real *T)
{
    real taint;
#define INWARD(KIND) taint = kind_inward(call, w, k, T, KIND)
    switch (call->model->body[k].kind) {
        BY_SEVERAL_KINDS(INWARD);
    }
#undef INWARD
    return taint;
}

#endif
