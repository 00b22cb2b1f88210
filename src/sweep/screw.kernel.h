/* sweep/screw.kernel.h - crossing a joint about or along z by plane rotations.
 *
 *     phi(p,k) = shift by l, Rz(gamma) Rx(alpha) Rz(theta)
 *
 * alpha and gamma are constants of the model, theta is an angle of the state
 * (revolute) or a constant too (prismatic); gamma is mostly zero. */
#ifndef SOA_SWEEP_SCREW_KERNEL_H
#define SOA_SWEEP_SCREW_KERNEL_H

#include "spatial/screw.h"
#include "sweep/sweeps.kernel.h"

/* What of phi(p,k) depends on the state. */
typedef struct crossing {
    real c, s; /* of theta */
    vec3 l;
} crossing;

#if LANES > 1
/* cosine and sine of the angle of body k; made apart from their use, so that those of several bodies are under way at once. */
KERNEL void crossing_begin(const soa_call *call, const vars *w, int k)
{
    const soa_model *m = call->model;
    if (soa_has_angle(&m->body[k])) {
        real_sincos(
            in_get(call, call->q, (size_t)m->angle[k]) + m->angle_zero[k], &w->crossing[k][1], &w->crossing[k][0]);
    }
}
#endif

/* Cosine and sine of all angles about z, before anything is crossed. One state: several joints at once in
 * lanes. The bits are the same. */
static inline void crossings_begin(const soa_call *call, const vars *w)
{
#if LANES == 1
    call->lanes->model_sincos(call->model, 0, call->model->bodies, call->q.at, &w->crossing[0][0]);
#else
    for (int k = 0; k < call->model->bodies; k++) {
        crossing_begin(call, w, k);
    }
#endif
}

/* Instead, for a large model: when a sweep comes to a block of bodies, so that it finds them in the nearest cache. */
KERNEL void crossings_begin_at(const soa_call *call, const vars *w, int k)
{
#if LANES == 1
    if (k % SOA_BLOCK_BODIES == 0) {
        const int n = call->model->bodies, end = k + SOA_BLOCK_BODIES;
        call->lanes->model_sincos(call->model, k, end < n ? end : n, call->q.at, &w->crossing[0][0]);
    }
#else
    (void)call, (void)w, (void)k;
#endif
}

/* cosine and sine for the bodies on a path only; one state has them in the order of the path. */
static inline void crossings_begin_on(const soa_call *call, const vars *w, int count, const int *path)
{
#if LANES == 1
    call->lanes->path_sincos(call->model, call->q.at, count, path, &w->crossing[0][0]);
#else
    for (int i = 0; i < count; i++) {
        crossing_begin(call, w, path[i]);
    }
#endif
}

/* How far a joint along z has moved from the parent's origin. */
KERNEL vec3 slide_of(const soa_call *call, const soa_body_data *body)
{
    return vec3_scale_add(in_get(call, call->q, (size_t)body->q), vec3_set(body->axis), vec3_set(body->screw.l));
}

/* After crossings_begin. */
KERNEL crossing crossing_of(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const soa_screw *screw = &body->screw;
    if (body->joint_class == SOA_CLASS_REVOLUTE) {
        return (crossing){ w->crossing[k][0], w->crossing[k][1], vec3_set(screw->l) };
    }
    const crossing x = { real_set(screw->cos_theta), real_set(screw->sin_theta), slide_of(call, body) };
    w->crossing[k][0] = x.c;
    w->crossing[k][1] = x.s;
    w->X[k].l = x.l;
    return x;
}

/* What crossing_of returned. */
KERNEL crossing crossing_again(const vars *w, const soa_body_data *body, int k)
{
    const vec3 l = body->joint_class == SOA_CLASS_REVOLUTE ? vec3_set(body->screw.l) : w->X[k].l;
    return (crossing){ w->crossing[k][0], w->crossing[k][1], l };
}

/* ---- a free body on the world ------------------------------------------------------------- */

KERNEL bool is_free_root(const soa_body_data *body)
{
    return body->joint_class == SOA_CLASS_FREE && body->parent < 0 && !body->motor;
}

/* The axes of a free root in the world. */
KERNEL mat3 free_root_rotation(const soa_call *call, const soa_body_data *body)
{
    real q[4];
    joint_in(call, call->q, body->q, 4, q);
    return mat3_mul(mat3_set(body->at.rotation), rotation_of_quaternion(q));
}

KERNEL motion motion_in(const soa_call *call, soa_in in, const soa_body_data *body)
{
    return (motion){ in_vec3(call, in, (size_t)body->v), in_vec3(call, in, (size_t)body->v + 3) };
}

/* ---- crossing ------------------------------------------------------------------------------ */

/* Child axes to parent axes. */
KERNEL vec3 turn_inward(const soa_body_data *body, crossing x, vec3 v)
{
    const soa_screw *screw = &body->screw;
    v = rotx(real_set(screw->cos_alpha), real_set(screw->sin_alpha), rotz(x.c, x.s, v));
    return body->aligned ? v : rotz(real_set(screw->cos_gamma), real_set(screw->sin_gamma), v);
}

/* Parent axes to the child's, but for Rz(theta). */
KERNEL vec3 turn_outward_fixed(const soa_body_data *body, vec3 v)
{
    const soa_screw *screw = &body->screw;
    if (!body->aligned) {
        v = rotz_t(real_set(screw->cos_gamma), real_set(screw->sin_gamma), v);
    }
    return rotx_t(real_set(screw->cos_alpha), real_set(screw->sin_alpha), v);
}

/* Parent axes to child axes. */
KERNEL vec3 turn_outward(const soa_body_data *body, crossing x, vec3 v)
{
    return rotz_t(x.c, x.s, turn_outward_fixed(body, v));
}

/* phi f */
KERNEL force cross_inward(const soa_body_data *body, crossing x, force f)
{
    const vec3 F = turn_inward(body, x, f.f);
    return (force){ vec3_cross_add(x.l, F, turn_inward(body, x, f.n)), F };
}

/* phi f + g */
KERNEL force cross_inward_add(const soa_body_data *body, crossing x, force f, force g)
{
    const vec3 F = turn_inward(body, x, f.f);
    return (force){ vec3_cross_add(x.l, F, vec3_add(turn_inward(body, x, f.n), g.n)), vec3_add(F, g.f) };
}

/* phi* V + a, where a has nothing along z */
KERNEL motion cross_outward_add(const soa_body_data *body, crossing x, motion V, motion a)
{
    const vec3 turned = turn_outward_fixed(body, V.w), moved = turn_outward_fixed(body, vec3_cross_add(V.w, x.l, V.v));
    return (motion){
        rotz_t_add(x.c, x.s, turned, a.w.x, a.w.y),
        rotz_t_add(x.c, x.s, moved, a.v.x, a.v.y),
    };
}

/* phi* V */
KERNEL motion cross_outward(const soa_body_data *body, crossing x, motion V)
{
    return (motion){ turn_outward(body, x, V.w), turn_outward(body, x, vec3_cross_add(V.w, x.l, V.v)) };
}

/* phi* V of any joint: by plane rotations, or by X. */
KERNEL motion across_outward(const vars *w, const soa_body_data *body, int k, motion V)
{
    return soa_is_screw(body) ? cross_outward(body, crossing_again(w, body, k), V) : phi_t(w->X[k], V);
}

/* phi f of any joint. */
KERNEL force across_inward(const vars *w, const soa_body_data *body, int k, force f)
{
    return soa_is_screw(body) ? cross_inward(body, crossing_again(w, body, k), f) : phi(w->X[k], f);
}

/* V and a of the body, its joint crossed so.  [V] [A-gen] */
KERNEL void body_velocity_across(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const int p = body->parent;
    const motion at_child = p < 0 ? motion_zero() : across_outward(w, body, k, w->V[p]);
    body_velocity_from(call, w, body, at_child, &w->V[k], &w->a[k]);
}

/* turn_inward, turn_outward of two vectors. */
KERNEL pair3 pair_turn_inward(const soa_body_data *body, crossing x, pair3 v)
{
    const soa_screw *screw = &body->screw;
    v = pair3_rotz(pair_twice(x.c), pair_twice(x.s), v);
    v = pair3_rotx(pair_set(screw->cos_alpha), pair_set(screw->sin_alpha), v);
    return body->aligned ? v : pair3_rotz(pair_set(screw->cos_gamma), pair_set(screw->sin_gamma), v);
}

KERNEL pair3 pair_turn_outward(const soa_body_data *body, crossing x, pair3 v)
{
    const soa_screw *screw = &body->screw;
    if (!body->aligned) {
        v = pair3_rotz_t(pair_set(screw->cos_gamma), pair_set(screw->sin_gamma), v);
    }
    v = pair3_rotx_t(pair_set(screw->cos_alpha), pair_set(screw->sin_alpha), v);
    return pair3_rotz_t(pair_twice(x.c), pair_twice(x.s), v);
}

/* phi f + g, the moments and the forces as pairs */
KERNEL pair3 pair_cross_inward_add(const soa_body_data *body, crossing x, pair3 f, pair3 g)
{
    f = pair_turn_inward(body, x, f);
    const pair3 sum = pair3_add(f, g);
    return pair3_merge(pair3_cross_add(pair3_twice(x.l), pair3_twice_second(f), sum), sum);
}

/* phi* of two motions */
KERNEL motion_pair pair_cross_outward(const soa_body_data *body, crossing x, motion_pair V)
{
    V.v = pair3_cross_add(V.w, pair3_twice(x.l), V.v);
    return (motion_pair){ pair_turn_outward(body, x, V.w), pair_turn_outward(body, x, V.v) };
}

/* The axes of a body in the world, its parent's given. */
KERNEL mat3 mat3_turn_across(const soa_body_data *body, crossing x, mat3 R)
{
    const soa_screw *screw = &body->screw;
    if (!body->aligned) {
        R = mat3_rotz(R, real_set(screw->cos_gamma), real_set(screw->sin_gamma));
    }
    R = mat3_rotx(R, real_set(screw->cos_alpha), real_set(screw->sin_alpha));
    return mat3_rotz(R, x.c, x.s);
}

/* The body frame in the world, its parent's given. */
KERNEL pose cross_placement(const soa_body_data *body, crossing x, pose W)
{
    return (pose){ mat3_turn_across(body, x, W.R), pose_point(W, x.l) };
}

/* The body frame in the world by whatever way is shortest; parent: that of its parent, NULL: it is on the world. */
KERNEL pose placement_from(const soa_call *call, const vars *w, int k, const pose *parent)
{
    const soa_body_data *body = &call->model->body[k];
    if (soa_is_screw(body)) {
        return cross_placement(body, crossing_of(call, w, k), parent ? *parent : pose_identity());
    }
    general_position(call, w, k);
    return parent ? pose_compose(*parent, w->X[k]) : w->X[k];
}

KERNEL void body_placement(const soa_call *call, const vars *w, int k)
{
    const int p = call->model->body[k].parent;
    w->W[k] = placement_from(call, w, k, p < 0 ? NULL : &w->W[p]);
}

/* phi P phi*, and J added to its A early: what A waits for comes late */
KERNEL articulated cross_inertia(const soa_body_data *body, crossing x, articulated P, sym3 J)
{
    const soa_screw *screw = &body->screw;
    P = articulated_rotz(x.c, x.s, P);
    P = articulated_rotx(real_set(screw->cos_alpha), real_set(screw->sin_alpha), P);
    if (!body->aligned) {
        P = articulated_rotz(real_set(screw->cos_gamma), real_set(screw->sin_gamma), P);
    }
    P.A = sym3_add(P.A, J);
    return articulated_translate(x.l, P);
}

/* phi P phi* + J across a joint about or along z, for P with nothing about z: behind a revolute joint without armature. */
KERNEL articulated cross_inertia_revolute(const soa_body_data *body, crossing x, articulated P, sym3 J)
{
    const soa_screw *screw = &body->screw;
    P = articulated_rotz_revolute(x.c, x.s, P);
    P = articulated_rotx_revolute(real_set(screw->cos_alpha), real_set(screw->sin_alpha), P);
    if (!body->aligned) {
        P = articulated_rotz(real_set(screw->cos_gamma), real_set(screw->sin_gamma), P);
    }
    P.A = sym3_add(P.A, J);
    return articulated_translate(x.l, P);
}

#endif
