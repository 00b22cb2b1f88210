/* dynamics/newton_mixed.kernel.h - inverse dynamics of a large model with joints of many kinds.  [ID]
 *
 * The bodies go by in blocks. What a joint does by itself - its pose, H* beta, T = H f - is done
 * in the order of soa_model.order, where like joints are side by side; what passes from body
 * to body is the same for all joints and done without a branch. So the processor
 * foretells the way well, and the caches hold what passes between the two:
 *     block_pose[j]  phi(p,k) of body j of the block
 *     block_rate[j]  H* (betadot | beta), the joint's own part of a added */
#ifndef SOA_DYNAMICS_NEWTON_MIXED_KERNEL_H
#define SOA_DYNAMICS_NEWTON_MIXED_KERNEL_H

#include "dynamics/newton_joint.kernel.h"
#include "sweep/prefetch.kernel.h"

#if LANES == 1

/* ---- one joint --------------------------------------------------------------------------------- */

/* H* (betadot | beta), the joint's own part of a added. */
KERNEL motion_pair mixed_rate(const soa_call *call, const vars *w, int k, const soa_joint_kind kind)
{
    const soa_body_data *body = &call->model->body[k];
    const pair o = pair_set(0.0);
    motion_pair A = { { o, o, o }, { o, o, o } };
    pair x[SOA_JOINT_MAX_NV];
    kind_rates(call, body, kind, x);
    if (kind != SOA_UNIVERSAL) {
        return kind_motion_add(body, kind, x, A.w, A);
    }
    const pair3 u = pair3_twice(w->H[body->v].w);
    const pair rate = pair_twice(pair_second(x[0]) * pair_second(x[1]));
    A = kind_motion_add(body, kind, x, u, A);
    A.w.x = pair_merge(pair_fma(u.y, rate, A.w.x), A.w.x);
    A.w.y = pair_merge(pair_fnma(u.x, rate, A.w.y), A.w.y);
    return A;
}

KERNEL void joint_before(const soa_call *call, const vars *w, int k, int j, const soa_joint_kind kind)
{
    if (kind == SOA_JOINT_KINDS) {
        w->block_rate[j] = reversed_rate(call, w, k);
        w->block_pose[j] = w->X[k];
    } else {
        w->block_pose[j] = kind_position(call, w, k, kind);
        w->block_rate[j] = mixed_rate(call, w, k, kind);
    }
}

/* The pose again, and what a rotor puts on the parent. */
KERNEL void joint_again(const soa_call *call, const vars *w, int k, int j, const soa_joint_kind kind)
{
    const soa_body_data *body = &call->model->body[k];
    w->block_pose[j] = kind == SOA_UNIVERSAL || kind == SOA_JOINT_KINDS ? w->X[k] : kind_position(call, w, k, kind);
    if (kind_nv(body, kind) == 1 && body->motor && body->geared) {
        gear_effort(call, w, body, 0.0);
    }
}

/* T into y; returns what tells if it is finite. */
KERNEL real joint_after(const soa_call *call, const vars *w, int k, real *y, const soa_joint_kind kind)
{
    const soa_body_data *body = &call->model->body[k];
    const pair3 F = w->F[k];
    real *T = y + body->v, taint = 0.0;
    kind_force(w, body, kind, F, T);
    if (body->motor) {
        armature_effort(call, body, T);
        if (body->geared) {
            T[0] = vec3_dot_add(vec3_set(body->rest->gear), pair3_first(w->AV[body->parent].w), T[0]);
        }
    }
    for (int i = 0; i < kind_nv(body, kind); i++) {
        taint = taint + (T[i] - T[i]);
    }
    return taint;
}

/* ---- all joints of a block --------------------------------------------------------------------- */

static __attribute__((noinline)) void joints_before(const soa_call *call, const vars *w, int first, int end)
{
    const soa_model *m = call->model;
    for (int i = first; i < end; i++) {
        const int k = m->order[i];
#define BEFORE(kind) joint_before(call, w, k, k - first, kind)
        BY_KIND(&m->body[k], BEFORE)
#undef BEFORE
    }
}

static __attribute__((noinline)) void joints_again(const soa_call *call, const vars *w, int first, int end)
{
    const soa_model *m = call->model;
    for (int i = first; i < end; i++) {
        const int k = m->order[i];
#define AGAIN(kind) joint_again(call, w, k, k - first, kind)
        BY_KIND(&m->body[k], AGAIN)
#undef AGAIN
    }
}

static __attribute__((noinline)) real joints_after(const soa_call *call, const vars *w, int first, int end, real *y)
{
    const soa_model *m = call->model;
    real taint = 0.0;
    for (int i = first; i < end; i++) {
        const int k = m->order[i];
#define AFTER(kind) taint = taint + joint_after(call, w, k, y, kind)
        BY_KIND(&m->body[k], AFTER)
#undef AFTER
    }
    return taint;
}

/* ---- from body to body ----------------------------------------------------------------------------- */

static inline void bodies_outward(const soa_call *call, const vars *w, int first, int end, const motion_pair *world)
{
    const soa_model *m = call->model;
    motion_pair nobody; /* what hangs on a leaf */
    for (int k = first; k < end; k++) {
        const soa_body_data *body = &m->body[k];
        const motion_pair *at_parent = body->parent < 0 ? world : &w->AV[body->parent], rate = w->block_rate[k - first];
        fetch_block_outward(m, w, k);
        motion_pair A = pair_phi_t(w->block_pose[k - first], *at_parent);
        A = (motion_pair){ pair3_add(A.w, rate.w), pair3_add(A.v, rate.v) };
        const pair3 W = pair3_twice_second(A.w), L = pair3_twice_second(A.v);
        A = rate_bias_add(A, rate, W, L);
        *(body->leaf ? &nobody : &w->AV[k]) = A;
        w->F[k] = pair_body_force(body, A, W, L);
    }
}

static inline void bodies_inward(const soa_call *call, const vars *w, int first, int end)
{
    const soa_model *m = call->model;
    pair3 ground = pair3_of(vec3_zero(), vec3_zero());
    for (int k = end - 1; k >= first; k--) {
        const int p = m->body[k].parent;
        pair3 *to = p < 0 ? &ground : &w->F[p];
        fetch_block_inward(m, w, k);
        *to = pair_phi_add(w->block_pose[k - first], w->F[k], *to);
    }
}

/* ---- sweeps ------------------------------------------------------------------------------------------ */

static inline void mixed_outward(const soa_call *call, const vars *w, motion base)
{
    const int n = call->model->bodies;
    const motion_pair world = { pair3_of(base.w, vec3_zero()), pair3_of(base.v, vec3_zero()) };
    for (int first = 0; first < n; first += SOA_BLOCK_BODIES) {
        const int end = first + SOA_BLOCK_BODIES < n ? first + SOA_BLOCK_BODIES : n;
        fetch_reversed(call->model, w, first, end);
        crossings_begin_at(call, w, first);
        joints_before(call, w, first, end);
        bodies_outward(call, w, first, end, &world);
    }
}

/* Returns what tells if y is finite. */
static inline real mixed_inward(const soa_call *call, const vars *w, real *y)
{
    const int n = call->model->bodies;
    real taint = 0.0;
    for (int first = (n - 1) / SOA_BLOCK_BODIES * SOA_BLOCK_BODIES; first >= 0; first -= SOA_BLOCK_BODIES) {
        const int end = first + SOA_BLOCK_BODIES < n ? first + SOA_BLOCK_BODIES : n;
        fetch_few(call->model, w, first, end);
        joints_again(call, w, first, end);
        bodies_inward(call, w, first, end);
        taint = taint + joints_after(call, w, first, end, y);
    }
    return taint;
}

#endif

#endif
