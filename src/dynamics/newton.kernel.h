/* dynamics/newton.kernel.h - inverse dynamics in the fewest operations.  [ID]
 *
 * Two sweeps. Joints about or along z are crossed by plane rotations; what goes
 * through the same operations goes in pairs:
 *     AV = (alpha | V)      outward, and M times both
 *     F  = (n | f)          the force on the body, inward */
#ifndef SOA_DYNAMICS_NEWTON_KERNEL_H
#define SOA_DYNAMICS_NEWTON_KERNEL_H

#include "dynamics/inverse.kernel.h"
#include "sweep/ahead.kernel.h"
#include "sweep/lanes.kernel.h"
#include "sweep/screw.kernel.h"

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

/* ---- outward: alpha, V, M alpha + S[V] M V -------------------------------------------------- */

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

/* M alpha + S[V] M V; W, L: V twice. */
KERNEL pair3 pair_body_force(const soa_body_data *body, motion_pair A, pair3 W, pair3 L)
{
    const force_pair h = pair_rigid_mul(body->inertia, A);
    const pair3 F = pair3_cross_add(W, pair3_seconds(h.n, h.f), pair3_firsts(h.n, h.f));
    return pair3_merge(pair3_cross_add(L, pair3_twice_second(h.f), F), F);
}

/* Of a joint about or along z; A of the parent, returns that of the body. */
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

/* Of a free body on the world: V is given, a is zero. */
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

/* The same at rest: alpha alone. */
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

/* alpha and V of a body from and to their pairs. */
static inline void motions_from_pairs(const vars *w, int k)
{
    w->alpha[k] = (motion){ pair3_first(w->AV[k].w), pair3_first(w->AV[k].v) };
    w->V[k] = (motion){ pair3_second(w->AV[k].w), pair3_second(w->AV[k].v) };
}

static inline void motions_to_pairs(const vars *w, int k)
{
    w->AV[k] = (motion_pair){ pair3_of(w->alpha[k].w, w->V[k].w), pair3_of(w->alpha[k].v, w->V[k].v) };
}

/* Of any other joint. */
static __attribute__((noinline)) void other_newton_euler(const soa_call *call, const vars *w, int k, const motion *base)
{
    const soa_body_data *body = &call->model->body[k];
    if (call->v.at && body->parent >= 0) {
        motions_from_pairs(w, body->parent);
    }
    body_position(call, w, k);
    motion alpha = parent_acceleration(w, body, k, *base);
    if (call->v.at) {
        body_velocity(call, w, k);
        alpha = motion_add(alpha, w->a[k]);
    }
    if (call->u.at) {
        real betadot[SOA_JOINT_MAX_NV];
        joint_in(call, call->u, body->v, body->nv, betadot);
        alpha = motion_add(alpha, joint_motion(w, body, betadot));
    }
    w->alpha[k] = alpha;
    force b = rigid_mul(rigid_set(body->inertia), alpha);
    if (call->v.at) {
        b = force_add(b, body_bias(call, w, k));
        motions_to_pairs(w, k);
    }
    w->F[k] = pair_of_force(b);
}

/* The motion of the body before stays at hand: it mostly is the parent. */
static inline void newton_outward_moving(const soa_call *call, const vars *w, motion base)
{
    const soa_model *m = call->model;
    const motion_pair world = { pair3_of(base.w, vec3_zero()), pair3_of(base.v, vec3_zero()) };
    const bool large = is_large(m);
    motion_pair A = world;
    for (int k = 0; k < m->bodies; k++) {
        const int p = m->body[k].parent;
        if (large) {
            crossings_begin_at(call, w, k);
            fetch_newton_outward(m, w, k);
        }
        if (!soa_is_screw(&m->body[k])) {
            (is_free_root(&m->body[k]) ? free_root_newton_euler : other_newton_euler)(call, w, k, &base);
            A = w->AV[k];
            continue;
        }
        if (p != k - 1) {
            A = p < 0 ? world : w->AV[p];
        }
        A = moving_outward(call, w, k, A);
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
            other_newton_euler(call, w, k, &base);
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

/* What rotors add to T, and to the force on the parent. */
static __attribute__((noinline)) void rotor_effort(soa_call *call, const vars *w, const soa_body_data *body, real *T)
{
    const int p = body->parent;
    if (body->geared) {
        if (call->v.at) {
            motions_from_pairs(w, p);
        }
        w->b[p] = force_of_pair(w->F[p]);
    }
    rotor_forces(call, w, body, T);
    if (body->geared) {
        w->F[p] = pair_of_force(w->b[p]);
    }
}

/* T of a joint of several dofs, phi f to the parent. */
static __attribute__((noinline)) void other_inward_force(soa_call *call, const vars *w, int k, real *T)
{
    const soa_body_data *body = &call->model->body[k];
    const force f = force_of_pair(w->F[k]);
    joint_force(w, body, f, T);
    if (body->armature != 0.0) {
        rotor_effort(call, w, body, T);
    }
    if (body->parent >= 0) {
        w->F[body->parent] = pair3_add(w->F[body->parent], pair_of_force(phi(w->X[k], f)));
    }
}

static inline void newton_inward(soa_call *call, const vars *w, real *y)
{
    const soa_model *m = call->model;
    const bool large = is_large(m);
    real rest = real_set(0.0);
    pair3 F = m->bodies > 0 ? w->F[m->bodies - 1] : pair3_of(vec3_zero(), vec3_zero());
    for (int k = m->bodies - 1; k >= 0; k--) { /* F: the force on body k */
        const soa_body_data *body = &m->body[k];
        if (large) {
            fetch_newton_inward(m, w, k);
        }
        if (!soa_is_screw(body)) {
            real T[SOA_JOINT_MAX_NV];
            w->F[k] = F;
            other_inward_force(call, w, k, T);
            for (int i = 0; i < body->nv; i++) {
                y[body->v + i] = T[i];
                rest = rest + (T[i] - T[i]);
            }
            F = w->F[k > 0 ? k - 1 : 0];
            continue;
        }
        real T = body->joint_class == SOA_CLASS_REVOLUTE ? pair_first(F.z) : pair_second(F.z);
        if (__builtin_expect(body->armature != 0.0, 0)) {
            rotor_effort(call, w, body, &T);
        }
        y[body->v] = T;
        rest = rest + (T - T);
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
    real_store(call->rest, rest);
}

/* q, v (or none), u = betadot (or none), f (or none); y = T.  [ID] */
static void inverse_dynamics(soa_call *call)
{
    vars room;
    const vars *w = vars_at(call, &room);
    const motion base = call->option == WITHOUT_GRAVITY ? motion_zero() : base_acceleration(call);
    real *y = y_of(call, w);
    call_begin(call);
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
