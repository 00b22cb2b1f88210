/* dynamics/newton.kernel.h - inverse dynamics in the fewest operations.  [ID]
 *
 * Two sweeps. Joints about or along z are crossed by plane rotations; what goes
 * through the same operations goes in pairs:
 *     AV = (alpha | V)      outward, and M times both
 *     F  = (n | f)          the force on the body, inward */
#ifndef SOA_DYNAMICS_NEWTON_KERNEL_H
#define SOA_DYNAMICS_NEWTON_KERNEL_H

#include "dynamics/newton_joint.kernel.h"
#include "dynamics/newton_mixed.kernel.h"
#include "sweep/lanes.kernel.h"
#include "sweep/prefetch.kernel.h"

/* ---- outward: alpha, V, M alpha + S[V] M V -------------------------------------------------- */

/* Crosses a moving joint about or along z: takes (alpha | V) of the parent and returns that of the body.  [ID] */
KERNEL motion_pair moving_outward(const soa_call *call, const vars *w, int k, motion_pair A)
{
    const soa_body_data *body = &call->model->body[k];
    const bool turns = body->joint_class == SOA_CLASS_REVOLUTE;
    const real rate = in_get(call, call->v, (size_t)body->v);
    const pair rates = pair_of(call->u.at ? in_get(call, call->u, (size_t)body->v) : real_set(0.0), rate);
    A = pair_cross_outward(body, crossing_of(call, w, k), A);
    if (turns) {
        A.w.z = pair_add(A.w.z, rates);
    } else {
        A.v.z = pair_add(A.v.z, rates);
    }
    const pair3 W = pair3_twice_second(A.w), L = pair3_twice_second(A.v);
    A = add_bias_acceleration(A, turns, pair_twice(rate), W, L);
    if (body->keeps) {
        w->AV[k] = A;
    }
    w->F[k] = pair_body_force(body, A, W, L);
    return A;
}

/* Begins at a free body on the world: V is given and a is zero. */
static __attribute__((noinline)) void free_root_newton_euler(
    const soa_call *call, const vars *w, int k, const motion *base)
{
    const soa_body_data *body = &call->model->body[k];
    const motion V = motion_in(call, call->v, body);
    motion alpha = call->u.at ? motion_in(call, call->u, body) : motion_zero();
    alpha.v = mat3_t_mul_vec_add(free_root_rotation(call, body), base->v, alpha.v);
    const motion_pair A = { pair3_of(alpha.w, V.w), pair3_of(alpha.v, V.v) };
    w->AV[k] = A;
    w->F[k] = pair_body_force(body, A, pair3_twice(V.w), pair3_twice(V.v));
}

/* Crosses a joint about or along z that is at rest: alpha = phi* alpha(p) + H* betadot, f = M alpha. */
KERNEL void still_outward(const soa_call *call, const vars *w, int k, motion at_parent)
{
    const soa_body_data *body = &call->model->body[k];
    const bool turns = body->joint_class == SOA_CLASS_REVOLUTE;
    const real betadot = call->u.at ? in_get(call, call->u, (size_t)body->v) : real_set(0.0);
    motion alpha = cross_outward(body, crossing_of(call, w, k), at_parent);
    alpha.w.z = turns ? alpha.w.z + betadot : alpha.w.z;
    alpha.v.z = turns ? alpha.v.z : alpha.v.z + betadot;
    w->alpha[k] = alpha;
    w->F[k] = pair_of_force(rigid_mul(rigid_set(body->inertia), alpha));
}

/* Crosses any other joint that is at rest: alpha = phi* alpha(p) + H* betadot, f = M alpha. */
static __attribute__((noinline)) void other_still_outward(
    const soa_call *call, const vars *w, int k, const motion *base)
{
    const soa_body_data *body = &call->model->body[k];
    general_position(call, w, k);
    motion alpha = parent_acceleration(w, body, k, *base);
    if (call->u.at) {
        real betadot[SOA_JOINT_MAX_NV];
        joint_in(call, call->u, body->v, body->nv, betadot);
        alpha = motion_add(alpha, joint_motion(w, body, betadot));
    }
    w->alpha[k] = alpha;
    w->F[k] = pair_of_force(rigid_mul(rigid_set(body->inertia), alpha));
}

enum { NONE_AT_HAND = SOA_WORLD - 1 };

/* The motion of the body before stays at hand, if it is about or along z: it mostly is the parent. */
KERNEL void newton_outward_over(const soa_call *call, const vars *w, motion base, const bool large)
{
    const soa_model *m = call->model;
    const motion_pair world = { pair3_of(base.w, vec3_zero()), pair3_of(base.v, vec3_zero()) };
    motion_pair A = world;
    int at_hand = SOA_WORLD;
    for (int k = 0; k < m->bodies; k++) {
        const int p = m->body[k].parent;
        if (large) {
            crossings_begin_at(call, w, k);
            fetch_newton_outward(m, w, k);
        }
        if (!soa_is_screw(&m->body[k])) {
            (is_free_root(&m->body[k]) ? free_root_newton_euler : several_outward)(call, w, k, &base);
            at_hand = NONE_AT_HAND;
            continue;
        }
        if (p != at_hand) {
            A = p < 0 ? world : w->AV[p];
        }
        A = moving_outward(call, w, k, A);
        at_hand = k;
    }
}

static inline void newton_outward_moving(const soa_call *call, const vars *w, motion base)
{
    if (is_large(call->model)) {
        newton_outward_over(call, w, base, true);
    } else {
        newton_outward_over(call, w, base, false);
    }
}

static inline void newton_outward_still(const soa_call *call, const vars *w, motion base)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        const int p = m->body[k].parent;
        if (soa_is_screw(&m->body[k])) {
            still_outward(call, w, k, p < 0 ? base : w->alpha[p]);
        } else {
            other_still_outward(call, w, k, &base);
        }
    }
}

/* External forces, given in world axes, taken off. */
static __attribute__((noinline)) void external_forces(const soa_call *call, const vars *w)
{
    position_sweep(call, w);
    placement_sweep(call, w);
    for (int k = 0; k < call->model->bodies; k++) {
        w->F[k] = pair_of_force(force_sub(force_of_pair(w->F[k]), body_external(call, w, k)));
    }
}

/* ---- inward: T = H f, f(p) gains phi f -------------------------------------------------------- */

KERNEL void newton_inward_over(soa_call *call, const vars *w, real *y, const bool large)
{
    const soa_model *m = call->model;
    real taint = real_set(0.0);
    pair3 F = m->bodies > 0 ? w->F[m->bodies - 1] : pair3_of(vec3_zero(), vec3_zero());
    for (int k = m->bodies - 1; k >= 0; k--) { /* F: the force on body k */
        const soa_body_data *body = &m->body[k];
        if (large) {
            fetch_newton_inward(m, w, k);
        }
        if (!soa_is_screw(body)) {
            w->F[k] = F;
            taint = taint + several_inward(call, w, k, y + body->v);
            F = w->F[k > 0 ? k - 1 : 0];
            continue;
        }
        real T = body->joint_class == SOA_CLASS_REVOLUTE ? pair_first(F.z) : pair_second(F.z);
        if (__builtin_expect(body->motor, 0)) {
            rotor_effort(call, w, body, &T);
        }
        y[body->v] = T;
        taint = taint + (T - T);
        const int p = body->parent;
        if (p >= 0) {
            const pair3 sum = pair_cross_inward_add(body, crossing_again(w, body, k), F, w->F[p]);
            if (p == k - 1) {
                F = sum;
                continue;
            }
            w->F[p] = sum;
        }
        F = w->F[k > 0 ? k - 1 : 0];
    }
    real_store(call->taint, taint);
}

static inline void newton_inward(soa_call *call, const vars *w, real *y)
{
    if (is_large(call->model)) {
        newton_inward_over(call, w, y, true);
    } else {
        newton_inward_over(call, w, y, false);
    }
}

#if LANES == 1
/* Inverse dynamics of a large model: the joints of one kind in a block of bodies are taken together. */
static __attribute__((noinline)) void mixed_inverse_dynamics(soa_call *call, const vars *w, motion base, real *y)
{
    mixed_outward(call, w, base);
    if (call->f.at) {
        external_forces(call, w);
    }
    call->taint[0] = mixed_inward(call, w, y);
}
#endif

/* q, v (or none), u = betadot (or none), f (or none); y = T.  [ID] */
static void inverse_dynamics(soa_call *call)
{
    vars room;
    const vars *w = vars_at(call, &room);
    const motion base = call->option == WITHOUT_GRAVITY ? motion_zero() : base_acceleration(call);
    real *y = y_of(call, w);
    call_begin(call);
#if LANES == 1
    if (call->model->order && call->v.at) {
        mixed_inverse_dynamics(call, w, base, y);
        return;
    }
#endif
    if (!is_large(call->model) || !call->v.at) {
        crossings_begin(call, w);
    }
    if (call->v.at) {
        newton_outward_moving(call, w, base);
    } else {
        newton_outward_still(call, w, base);
    }
    if (call->f.at) {
        external_forces(call, w);
    }
    newton_inward(call, w, y);
    scatter_y(call, y);
}

/* q, u = x; y = Mass x = H phi M phi* H* x, without gravity and velocity.  [I1] */
static void mass_multiply(soa_call *call)
{
    call->option = WITHOUT_GRAVITY;
    call->v = (soa_in){ NULL, 0 };
    inverse_dynamics(call);
}

#endif
