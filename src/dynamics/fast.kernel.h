/* dynamics/fast.kernel.h - forward and inverse dynamics in the fewest operations.
 *
 * [ID] in two sweeps, [FD4] in three. Joints about or along z are crossed by plane rotations
 * (screw.kernel.h) and use the zeros of H, a and taubar P; any other joint goes
 * the way of forward.kernel.h. For a revolute joint, with P+ = taubar P:
 *     G = P H* / D,  eps = T - H z
 *     z(p) += phi (z + P+ a + G eps)        the component wz is T itself
 *     betadot = eps / D - G* (phi* alpha(p) + a) */
#ifndef SOA_DYNAMICS_FAST_KERNEL_H
#define SOA_DYNAMICS_FAST_KERNEL_H

#include "dynamics/columns.kernel.h"
#include "dynamics/forward.kernel.h"
#include "sweep/screw.kernel.h"

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

KERNEL void plain_outward(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const crossing x = crossing_of(call, w, k);
    const real o = real_set(0.0);
    const real rate = call->v.at ? in_get(call, call->v, (size_t)body->v) : o;
    const bool turns = body->joint_class == SOA_CLASS_REVOLUTE;
    motion V = body->parent < 0 ? motion_zero() : cross_outward(body, x, w->V[body->parent]);
    V.w.z = turns ? V.w.z + rate : V.w.z;
    V.v.z = turns ? V.v.z : V.v.z + rate;
    w->V[k] = V;
    if (turns) {
        w->a[k] = (motion){ { V.w.y * rate, -(V.w.x * rate), o }, { V.v.y * rate, -(V.v.x * rate), o } };
    } else {
        w->a[k] = (motion){ { o, o, o }, { V.w.y * rate, -(V.w.x * rate), o } };
    }
    w->b[k] = body_load(call, w, k, V);
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

/* ---- inward: P, D, G, eps ---------------------------------------------------------------------- */

/* A child's part of the parent's inertia; the first to come adds the parent's own. */
KERNEL void give_inertia(const soa_call *call, const vars *w, int k, articulated P)
{
    const soa_body_data *body = &call->model->body[k];
    const soa_body_data *parent = &call->model->body[body->parent];
    articulated *to = is_plain(parent) ? &w->Q[parent->slot] : &w->P[body->parent];
    *to = body->last ? articulated_add_rigid(P, rigid_set(parent->inertia)) : articulated_add(*to, P);
}

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

/* P of a body whose outboard bodies have all given theirs; of a plain joint, and of any other. */
KERNEL articulated plain_inertia(const vars *w, const soa_body_data *body)
{
    return body->leaf ? articulated_from_rigid(rigid_set(body->inertia)) : w->Q[body->slot];
}

KERNEL articulated other_inertia(const vars *w, const soa_body_data *body, int k)
{
    return body->leaf ? articulated_from_rigid(rigid_set(body->inertia)) : w->P[k];
}

KERNEL void revolute_inward(soa_call *call, const vars *w, int k, articulated P)
{
    const soa_body_data *body = &call->model->body[k];
    const int i = body->v;
    const real T = call->u.at ? in_get(call, call->u, (size_t)i) : real_set(0.0);
    const force z = w->b[k], U = articulated_column_wz(P);
    call_require(call, real_less(PIVOT_TOLERANCE * real_abs(P.A.xx + P.A.yy), U.n.z), k);
    const real D_inv = 1.0 / U.n.z, eps = T - z.n.z;
    const force G = force_scale(D_inv, U);
    w->G[i] = G;
    w->eps[i] = D_inv * eps;
    if (body->parent < 0) {
        return;
    }
    const crossing x = crossing_again(w, body, k);
    const articulated P_plus = articulated_downdate_revolute(P, U, G);
    force f = force_add(z, behind_revolute_mul(P_plus, w->a[k]));
    f = (force){ { real_fma(G.n.x, eps, f.n.x), real_fma(G.n.y, eps, f.n.y), T }, vec3_scale_add(eps, G.f, f.f) };
    w->b[body->parent] = force_add(w->b[body->parent], cross_inward(body, x, f));
    give_inertia(call, w, k, cross_inertia_revolute(body, x, P_plus));
}

KERNEL void prismatic_inward(soa_call *call, const vars *w, int k, articulated P)
{
    const soa_body_data *body = &call->model->body[k];
    const int i = body->v;
    const real T = call->u.at ? in_get(call, call->u, (size_t)i) : real_set(0.0);
    const force z = w->b[k], U = articulated_column_vz(P);
    call_require(call, real_less(PIVOT_TOLERANCE * real_abs(P.C.xx + P.C.yy), U.f.z), k);
    const real D_inv = 1.0 / U.f.z, eps = T - z.f.z;
    const force G = force_scale(D_inv, U);
    w->G[i] = G;
    w->eps[i] = D_inv * eps;
    if (body->parent < 0) {
        return;
    }
    const crossing x = crossing_again(w, body, k);
    const articulated P_plus = articulated_downdate_prismatic(P, U, G);
    const force f = force_scale_add(eps, G, force_add(z, articulated_mul(P_plus, w->a[k])));
    w->b[body->parent] = force_add(w->b[body->parent], cross_inward(body, x, f));
    give_inertia(call, w, k, cross_inertia(body, x, P_plus));
}

/* Of a joint that is not plain: as articulated_step and forward_filter do it. */
static __attribute__((noinline)) void other_inward(soa_call *call, const vars *w, int k, const articulated *own)
{
    const soa_body_data *body = &call->model->body[k];
    w->P[k] = *own;
    joint_inertia(call, w, k);
    if (body->parent >= 0) {
        articulated P;
        if (body->geared) {
            P = articulated_sub_outer(
                articulated_shift(w->X[k], w->P[k]), gear_column(w, body, k), w->D_inv[body->v][0]);
        } else {
            P = shift_behind_joint(call, w, k, behind_joint(call, w, k));
        }
        give_inertia(call, w, k, P);
    }
    forward_filter(call, w, k);
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

KERNEL bool is_free_root(const soa_body_data *body)
{
    return body->joint_class == SOA_CLASS_FREE && body->parent < 0 && body->armature == 0.0;
}

/* betadot = alpha - phi* alpha(world) - a */
static __attribute__((noinline)) void free_root_smoother(const soa_call *call, const vars *w, int k, const motion *base)
{
    const soa_body_data *body = &call->model->body[k];
    const motion y = motion_sub(motion_sub(w->alpha[k], phi_t(w->X[k], *base)), w->a[k]);
    if (call->y.at) {
        out_vec3(call, call->y, (size_t)body->v, y.w);
        out_vec3(call, call->y, (size_t)body->v + 3, y.v);
    }
}

/* ---- articulated inertia alone ---------------------------------------------------------------------- */

/* U, G, D^-1 of a plain joint; its inertia to the parent. */
KERNEL void plain_articulated(soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const int i = body->v;
    const bool turns = body->joint_class == SOA_CLASS_REVOLUTE;
    const articulated P = body->leaf ? articulated_from_rigid(rigid_set(body->inertia)) : w->Q[body->slot];
    const force U = turns ? articulated_column_wz(P) : articulated_column_vz(P);
    const sym3 block = turns ? P.A : P.C;
    const real D = turns ? U.n.z : U.f.z;
    call_require(call, real_less(PIVOT_TOLERANCE * real_abs(block.xx + block.yy), D), k);
    const real D_inv = 1.0 / D;
    const force G = force_scale(D_inv, U);
    w->G[i] = G;
    w->D_inv[i][0] = D_inv;
    if (body->parent >= 0) {
        const crossing x = crossing_again(w, body, k);
        give_inertia(call, w, k,
            turns ? cross_inertia_revolute(body, x, articulated_downdate_revolute(P, U, G))
                  : cross_inertia(body, x, articulated_downdate_prismatic(P, U, G)));
    }
}

/* Of any other joint. With a rotor U becomes its column of K D, in the parent's frame. */
static __attribute__((noinline)) void other_articulated(soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    if (body->leaf) {
        w->P[k] = articulated_from_rigid(rigid_set(body->inertia));
    }
    joint_inverse(call, w, k);
    if (body->parent < 0) {
        return; /* G leads inward */
    }
    joint_gain(w, body);
    if (body->geared) {
        const force U = gear_column(w, body, k);
        give_inertia(call, w, k, articulated_sub_outer(articulated_shift(w->X[k], w->P[k]), U, w->D_inv[body->v][0]));
        w->U[body->v] = U;
    } else {
        give_inertia(call, w, k, shift_behind_joint(call, w, k, behind_joint(call, w, k)));
    }
}

/* G and D^-1 of all joints, and how to cross them: X, or crossing of the plain ones. */
static inline void articulated_only(soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    crossings_begin(call, w);
    for (int k = 0; k < m->bodies; k++) {
        if (is_plain(&m->body[k])) {
            crossing_of(call, w, k);
        } else {
            body_position(call, w, k);
        }
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        if (is_plain(&m->body[k])) {
            plain_articulated(call, w, k);
        } else {
            other_articulated(call, w, k);
        }
    }
}

/* ---- outward: betadot, alpha ---------------------------------------------------------------------- */

KERNEL void plain_smoother(const soa_call *call, const vars *w, int k, motion at_parent)
{
    const soa_body_data *body = &call->model->body[k];
    const motion alpha = motion_add(cross_outward(body, crossing_again(w, body, k), at_parent), w->a[k]);
    const real betadot = w->eps[body->v] - power(w->G[body->v], alpha);
    w->alpha[k] = alpha;
    if (body->joint_class == SOA_CLASS_REVOLUTE) {
        w->alpha[k].w.z = alpha.w.z + betadot;
    } else {
        w->alpha[k].v.z = alpha.v.z + betadot;
    }
    if (call->y.at) {
        out_put(call, call->y, (size_t)body->v, betadot);
    }
}

static __attribute__((noinline)) void other_smoother(
    const soa_call *call, const vars *w, int k, const motion *at_parent)
{
    const soa_body_data *body = &call->model->body[k];
    const motion at_child = phi_t(w->X[k], *at_parent);
    real betadot[SOA_JOINT_MAX_NV];
    smoother_step(call, w, k, w->eps + body->v, at_child, at_parent, betadot);
    w->alpha[k] = motion_add(motion_add(at_child, w->a[k]), joint_motion(w, body, betadot));
    if (call->y.at) {
        joint_out(call, call->y, body->v, body->nv, betadot);
    }
}

/* ---- forward dynamics --------------------------------------------------------------------------------- */

/* Its three sweeps at one body. */
KERNEL void forward_outward_at(const soa_call *call, const vars *w, int k)
{
    if (is_plain(&call->model->body[k])) {
        plain_outward(call, w, k);
    } else {
        other_outward(call, w, k);
    }
}

KERNEL void forward_inward_at(soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    if (!is_plain(body)) {
        const articulated P = other_inertia(w, body, k);
        (is_free_root(body) ? free_root_inward : other_inward)(call, w, k, &P);
    } else if (body->joint_class == SOA_CLASS_REVOLUTE) {
        revolute_inward(call, w, k, plain_inertia(w, body));
    } else {
        prismatic_inward(call, w, k, plain_inertia(w, body));
    }
}

KERNEL void forward_smoother_at(const soa_call *call, const vars *w, int k, const motion *base)
{
    const soa_body_data *body = &call->model->body[k];
    const motion *at_parent = body->parent < 0 ? base : &w->alpha[body->parent];
    if (is_plain(body)) {
        plain_smoother(call, w, k, *at_parent);
    } else {
        (is_free_root(body) ? free_root_smoother : other_smoother)(call, w, k, at_parent);
    }
}

/* q, v (or none), u = T (or none), f (or none); y = betadot. Leaves V and alpha. */
static void forward_dynamics(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    const motion base = base_acceleration(call);
    call_begin(call);
    if (call->f.at) { /* external forces are given in world axes */
        position_sweep(call, &w);
        placement_sweep(call, &w);
    }
    crossings_begin(call, &w);
    for (int k = 0; k < m->bodies; k++) {
        forward_outward_at(call, &w, k);
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        forward_inward_at(call, &w, k);
    }
    for (int k = 0; k < m->bodies; k++) {
        forward_smoother_at(call, &w, k, &base);
    }
}

/* ---- inverse dynamics ----------------------------------------------------------------------------------- */

/* alpha = phi* alpha(p) + a + H* betadot, b = M alpha + S[V] M V of a joint about or along z. */
KERNEL void screw_newton_euler(const soa_call *call, const vars *w, int k, motion base)
{
    const soa_body_data *body = &call->model->body[k];
    const int p = body->parent;
    const crossing x = crossing_of(call, w, k);
    const bool turns = body->joint_class == SOA_CLASS_REVOLUTE;
    const real o = real_set(0.0), betadot = call->u.at ? in_get(call, call->u, (size_t)body->v) : o;
    motion alpha = cross_outward(body, x, p < 0 ? base : w->alpha[p]);
    alpha.w.z = turns ? alpha.w.z + betadot : alpha.w.z;
    alpha.v.z = turns ? alpha.v.z : alpha.v.z + betadot;
    const rigid M = rigid_set(body->inertia);
    if (call->v.at) {
        const real rate = in_get(call, call->v, (size_t)body->v);
        motion V = p < 0 ? motion_zero() : cross_outward(body, x, w->V[p]);
        if (turns) {
            V.w.z = V.w.z + rate;
            alpha.w.x = real_fma(V.w.y, rate, alpha.w.x);
            alpha.w.y = real_fnma(V.w.x, rate, alpha.w.y);
            alpha.v.x = real_fma(V.v.y, rate, alpha.v.x);
            alpha.v.y = real_fnma(V.v.x, rate, alpha.v.y);
        } else {
            V.v.z = V.v.z + rate;
            alpha.v.x = real_fma(V.w.y, rate, alpha.v.x);
            alpha.v.y = real_fnma(V.w.x, rate, alpha.v.y);
        }
        w->V[k] = V;
        w->b[k] = force_add(rigid_mul(M, alpha), force_cross(V, rigid_mul(M, V)));
    } else {
        w->b[k] = rigid_mul(M, alpha);
    }
    w->alpha[k] = alpha;
}

/* Of any other joint. */
static __attribute__((noinline)) void other_newton_euler(const soa_call *call, const vars *w, int k, motion base)
{
    const soa_body_data *body = &call->model->body[k];
    body_position(call, w, k);
    motion alpha = parent_acceleration(w, body, k, base);
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
    const force inertial = rigid_mul(rigid_set(body->inertia), alpha);
    w->b[k] = call->v.at ? force_add(inertial, body_bias(call, w, k)) : inertial;
}

/* T = H f, with what rotors add. */
KERNEL void joint_effort(soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    real T[SOA_JOINT_MAX_NV];
    joint_force(w, body, w->b[k], T);
    if (body->armature != 0.0) {
        rotor_forces(call, w, body, T);
    }
    joint_out(call, call->y, body->v, body->nv, T);
}

/* q, v (or none), u = betadot (or none), f (or none); y = T.  [ID] */
static void inverse_dynamics(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    const motion base = call->option == WITHOUT_GRAVITY ? motion_zero() : base_acceleration(call);
    call_begin(call);
    if (call->f.at) {
        position_sweep(call, &w);
        placement_sweep(call, &w);
    }
    crossings_begin(call, &w);
    for (int k = 0; k < m->bodies; k++) {
        if (soa_is_screw(&m->body[k])) {
            screw_newton_euler(call, &w, k, base);
        } else {
            other_newton_euler(call, &w, k, base);
        }
        if (__builtin_expect(call->f.at != NULL, 0)) {
            w.b[k] = force_sub(w.b[k], body_external(call, &w, k));
        }
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &m->body[k];
        joint_effort(call, &w, k);
        if (body->parent >= 0) {
            const force f =
                soa_is_screw(body) ? cross_inward(body, crossing_again(&w, body, k), w.b[k]) : phi(w.X[k], w.b[k]);
            w.b[body->parent] = force_add(w.b[body->parent], f);
        }
    }
}

/* q, u = x; y = Mass x = H phi M phi* H* x, without gravity and velocity.  [I1] */
static void mass_multiply(soa_call *call)
{
    call->option = WITHOUT_GRAVITY;
    call->v = (soa_in){ NULL, 0 };
    inverse_dynamics(call);
}

#endif
