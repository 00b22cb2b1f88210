/* dynamics/flexible_inverse.kernel.h - inverse dynamics of models with flexible links.  [ID]
 *
 * Two sweeps. What goes through the same operations goes in pairs, as in newton_pairs.kernel.h:
 *     AV = (alpha | V)      outward, and M times both
 *     F  = (n | f)          the force on a body, inward */
#ifndef SOA_DYNAMICS_FLEXIBLE_INVERSE_KERNEL_H
#define SOA_DYNAMICS_FLEXIBLE_INVERSE_KERNEL_H

#include "dynamics/inverse.kernel.h"
#include "dynamics/newton_pairs.kernel.h"
#include "sweep/flexible_motion.kernel.h"

/* x added to the first of each pair. */
KERNEL pair3 add_to_first(pair3 A, vec3 x)
{
    return pair3_merge(pair3_add(A, pair3_twice(x)), A);
}

/* Which of velocities and accelerations are given: a constant where both are. */
typedef struct inputs {
    bool v, u;
} inputs;

/* The numbers of the modes of a body by which sums are taken: eta, etadot and etaddot, as far as they are given. Returns how
 * many. */
KERNEL int modal_inputs(const soa_call *call, inputs in, const soa_body_data *body, const double *x[AT_ONCE])
{
    int n = 0;
    x[n++] = call->q.at + (size_t)body->q * LANES;
    if (in.v) {
        x[n++] = call->v.at + (size_t)body->v * LANES;
    }
    if (in.u) {
        x[n++] = call->u.at + (size_t)body->v * LANES;
    }
    return n;
}

/* ---- outward: alpha, V -------------------------------------------------------------------------------- */

/* (alpha | V) of the node that carries body k, from that of its parent, and X(k).  [A-gen] */
KERNEL motion_pair node_newton(const soa_call *call, const vars *w, inputs in, int k, motion_pair A)
{
    carrier on = carrier_of(w, call->model, k);
    turn_vars turn; /* only its own bias asks for it */
    on.turn = &turn;
    const double *x[AT_ONCE];
    real y[AT_ONCE][8],
        zero[6] = { real_set(0.0), real_set(0.0), real_set(0.0), real_set(0.0), real_set(0.0), real_set(0.0) };
    const int n = modal_inputs(call, in, on.on, x);
    node_sums(&on, n, x, true, y);
    const mat3 R = node_place(&on, y[0]);
    joint_position(call, w, k, &R, &w->X[k]);
    A.v = pair3_cross_add(A.w, pair3_twice(on.n->l), A.v);
    if (n == 1) {
        return A;
    }
    const motion fast = six_motion(in.u ? y[n - 1] : zero), rate = six_motion(in.v ? y[1] : zero);
    const motion_pair U = { pair3_turn(on.n->Jl, pair3_of(fast.w, rate.w)), pair3_of(fast.v, rate.v) };
    const pair3 W = pair3_twice_second(A.w);
    A = (motion_pair){ pair3_add(A.w, U.w), pair3_add(A.v, U.v) };
    if (in.v) {
        const motion a = node_bias(
            &on, x[1], rate.w, pair3_second(W), pair3_second(A.v), (motion){ pair3_second(U.w), pair3_second(U.v) });
        A = (motion_pair){ add_to_first(A.w, a.w), add_to_first(A.v, a.v) };
    }
    return A;
}

/* What a joint neither about nor along z adds to (alpha | V). */
static __attribute__((noinline)) motion_pair other_joint_newton(
    const soa_call *call, const vars *w, int k, motion_pair A)
{
    const soa_body_data *body = &call->model->body[k];
    real beta[SOA_JOINT_MAX_NV], betadot[SOA_JOINT_MAX_NV];
    joint_given(call, call->v, body, beta);
    joint_given(call, call->u, body, betadot);
    const motion dV = joint_motion(w, body, beta), dA = joint_motion(w, body, betadot);
    A = (motion_pair){ pair3_add(A.w, pair3_of(dA.w, dV.w)), pair3_add(A.v, pair3_of(dA.v, dV.v)) };
    if (call->v.at) {
        const motion V = { pair3_second(A.w), pair3_second(A.v) };
        const motion a = general_acceleration(call, body, V, dV, beta);
        A = (motion_pair){ add_to_first(A.w, a.w), add_to_first(A.v, a.v) };
    }
    return A;
}

/* (alpha | V) of body k from that of its parent or of the base, and X(k). */
KERNEL motion_pair flexible_newton(const soa_call *call, const vars *w, inputs in, int k, motion_pair A)
{
    const soa_body_data *body = &call->model->body[k];
    const bool turns = body->joint_class == SOA_CLASS_REVOLUTE;
    if (body->rest->node > 0) {
        A = node_newton(call, w, in, k, A);
    } else {
        joint_position(call, w, k, NULL, &w->X[k]);
    }
    A = pair_phi_t(w->X[k], A);
    if (is_modal(body)) {
        return A;
    }
    if (!turns && body->joint_class != SOA_CLASS_PRISMATIC) {
        return other_joint_newton(call, w, k, A);
    }
    const real o = real_set(0.0), rate = in.v ? in_get(call, call->v, (size_t)body->v) : o;
    const pair rates = pair_of(in.u ? in_get(call, call->u, (size_t)body->v) : o, rate);
    if (turns) {
        A.w.z = pair_add(A.w.z, rates);
    } else {
        A.v.z = pair_add(A.v.z, rates);
    }
    return add_bias_acceleration(A, turns, pair_twice(rate), pair3_twice_second(A.w), pair3_twice_second(A.v));
}

/* ---- the force of a body -------------------------------------------------------------------------------- */

/* The force that a flexible link needs at (alpha | V); that of its modes into w->x. With D the sums of its moments:
 *     F = M(eta) alpha + er(D(etaddot)) + what modal_bias says */
KERNEL pair3 modal_newton(const soa_call *call, const vars *w, inputs in, int k, motion_pair A)
{
    const soa_body_data *body = &call->model->body[k];
    const soa_modal *s = body->rest->modal;
    const double *x[AT_ONCE];
    real D[AT_ONCE][SOA_MODAL_N];
    const int n = modal_inputs(call, in, body, x);
    const motion V = { pair3_second(A.w), pair3_second(A.v) }, alpha = { pair3_first(A.w), pair3_first(A.v) };
    const double *etadot = in.v ? x[1] : NULL, *etaddot = in.u ? x[n - 1] : NULL;
    moment_sums(w, s, n, x, true, D);
    modal_powers(w, s, V, alpha, etadot, etaddot, w->x + body->v);
    const force_pair h = pair_rigid_mul(bent_inertia(body_inertia(call, body), D[0]), A);
    pair3 F = pair3_firsts(h.n, h.f);
    if (in.u) {
        F = pair3_add(F, pair_of_force(moment_er(D[n - 1])));
    }
    if (in.v) {
        const force MV = { pair3_second(h.n), pair3_second(h.f) }, moved = moment_er(D[1]);
        const vec3 twice = vec3_add(moved.f, moved.f);
        const pair3 p = pair3_of(vec3_add(MV.n, moved.n), vec3_add(MV.f, twice));
        F = pair3_cross_add(pair3_twice(V.w), p, F);
        F = add_to_first(F, sym3_mul_vec_add(moment_inertia(D[1]), V.w, vec3_cross(V.v, MV.f)));
        if (s->quadratic.count > 0) {
            F = pair3_add(F, pair_of_force(quadratic_force(s, etadot)));
        }
    }
    return F;
}

/* The force that body k needs at (alpha | V). */
KERNEL pair3 flexible_force(const soa_call *call, const vars *w, inputs in, int k, motion_pair A)
{
    const soa_body_data *body = &call->model->body[k];
    if (body->rest->massless && !has_own(call)) {
        return pair3_twice(vec3_zero());
    }
    if (is_modal(body) && body->nv > 0) {
        return modal_newton(call, w, in, k, A);
    }
    return pair_inertia_force(body_inertia(call, body), A, pair3_twice_second(A.w), pair3_twice_second(A.v));
}

/* ---- the sweeps --------------------------------------------------------------------------------------------- */

KERNEL void flexible_outward_of(soa_call *call, const vars *w, inputs in)
{
    const soa_model *m = call->model;
    const motion base = call->option == WITHOUT_GRAVITY ? motion_zero() : base_acceleration(call);
    const motion_pair world = { pair3_of(base.w, vec3_zero()), pair3_of(base.v, vec3_zero()) };
    motion_pair A = world;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        if (body->parent != k - 1) {
            A = body->parent < 0 ? world : w->AV[body->parent];
        }
        if (!body->rest->in_place) {
            A = flexible_newton(call, w, in, k, A);
        }
        if (body->keeps && !body->rest->hands_on) { /* else nothing but the next body asks for it */
            w->AV[k] = A;
            w->alpha[k] = (motion){ pair3_first(A.w), pair3_first(A.v) };
        }
        w->F[k] = flexible_force(call, w, in, k, A);
        if (call->f.at) {
            w->W[k] = flexible_placement(w, body, &w->X[k], &w->node[k]);
            w->F[k] = pair_of_force(force_sub(force_of_pair(w->F[k]), body_external(call, w, k)));
        }
    }
}

/* Outward: X, AV, and in F and w->x the forces of each body and of its modes. What goes from a body to the next one is at
 * hand: vectors would wait for numbers that have just been written. */
static inline void flexible_outward(soa_call *call, const vars *w)
{
    if (call->v.at && call->u.at) {
        flexible_outward_of(call, w, (inputs){ true, true });
    } else {
        flexible_outward_of(call, w, (inputs){ call->v.at != NULL, call->u.at != NULL });
    }
}

/* A force on body k, at its frame, to its parent: F and the modal forces of the parent gain it. */
KERNEL void newton_inboard(const vars *w, const soa_model *m, int k, pair3 F)
{
    const soa_body_data *body = &m->body[k];
    const int p = body->parent;
    if (body->rest->in_place) {
        w->F[p] = pair3_add(w->F[p], F);
        return;
    }
    if (p < 0) {
        return;
    }
    if (body->rest->node == 0) {
        w->F[p] = pair_phi_add(w->X[k], F, w->F[p]);
        return;
    }
    const carrier on = carrier_of(w, m, k);
    F = pair_phi(w->X[k], F);
    node_forces(&on, force_of_pair(F), w->x + m->body[p].v);
    w->F[p] = pair_shift_add(on.n->l, F, w->F[p]);
}

/* Inward: T = H f of joints, and the forces of modes, in w->x. */
static inline void flexible_inward(soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    for (int k = m->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &m->body[k];
        const pair3 F = w->F[k];
        if (!is_modal(body)) {
            joint_force(w, body, force_of_pair(F), w->x + body->v);
        }
        if (body->armature != 0.0) {
            rotor_effort(call, w, body, w->x + body->v);
        }
        newton_inboard(w, m, k, F);
    }
}

#endif
