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

enum { CROSSINGS_AT_ONCE = 16 };

/* What of phi(p,k) depends on the state. */
typedef struct crossing {
    real c, s; /* of theta */
    vec3 l;
} crossing;

/* One state: cosine and sine of all angles at once, so that lanes are used;
 * several states: each where it is needed, in crossing_of. The bits are the same. */
static inline void crossings_begin(const soa_call *call, const vars *w)
{
#if LANES == 1
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        w->theta[k] = body->joint_class == SOA_CLASS_REVOLUTE ? call->q.at[body->q] + body->screw.theta : 0.0;
    }
    for (int k = m->bodies; k % SOA_MAX_LANES != 0; k++) {
        w->theta[k] = 0.0;
    }
    call->lanes->sincos(m->bodies, w->theta, &w->crossing[0][0]);
#else
    (void)call, (void)w;
#endif
}

/* The same for the bodies on a path only. */
static inline void crossings_begin_on(const soa_call *call, const vars *w, int count, const int *path)
{
#if LANES == 1
    double cos_sin[2 * CROSSINGS_AT_ONCE];
    for (int first = 0; first < count; first += CROSSINGS_AT_ONCE) {
        const int n = count - first < CROSSINGS_AT_ONCE ? count - first : CROSSINGS_AT_ONCE;
        for (int i = 0; i < n; i++) {
            const soa_body_data *body = &call->model->body[path[first + i]];
            w->theta[i] = body->joint_class == SOA_CLASS_REVOLUTE ? call->q.at[body->q] + body->screw.theta : 0.0;
        }
        for (int i = n; i % SOA_MAX_LANES != 0; i++) {
            w->theta[i] = 0.0;
        }
        call->lanes->sincos(n, w->theta, cos_sin);
        for (int i = 0; i < n; i++) {
            memcpy(w->crossing[path[first + i]], cos_sin + 2 * i, 2 * sizeof(double));
        }
    }
#else
    (void)call, (void)w, (void)count, (void)path;
#endif
}

KERNEL crossing crossing_of(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const soa_screw *screw = &body->screw;
    const real q = in_get(call, call->q, (size_t)body->q);
    crossing x = { .l = vec3_set(screw->l) };
    if (body->joint_class == SOA_CLASS_REVOLUTE) {
#if LANES == 1
        x.c = w->crossing[k][0];
        x.s = w->crossing[k][1];
#else
        real_sincos(q + screw->theta, &x.s, &x.c);
#endif
    } else {
        const vec3 axis = { real_set(body->at.rotation[0][2]), real_set(body->at.rotation[1][2]),
            real_set(body->at.rotation[2][2]) };
        x.c = real_set(screw->cos_theta);
        x.s = real_set(screw->sin_theta);
        x.l = vec3_scale_add(q, axis, x.l);
        w->X[k].l = x.l;
    }
    w->crossing[k][0] = x.c;
    w->crossing[k][1] = x.s;
    return x;
}

/* What crossing_of returned. */
KERNEL crossing crossing_again(const vars *w, const soa_body_data *body, int k)
{
    const vec3 l = body->joint_class == SOA_CLASS_REVOLUTE ? vec3_set(body->screw.l) : w->X[k].l;
    return (crossing){ w->crossing[k][0], w->crossing[k][1], l };
}

/* Child axes to parent axes. */
KERNEL vec3 turn_inward(const soa_body_data *body, crossing x, vec3 v)
{
    const soa_screw *screw = &body->screw;
    v = rotx(real_set(screw->cos_alpha), real_set(screw->sin_alpha), rotz(x.c, x.s, v));
    return screw->aligned ? v : rotz(real_set(screw->cos_gamma), real_set(screw->sin_gamma), v);
}

/* Parent axes to child axes. */
KERNEL vec3 turn_outward(const soa_body_data *body, crossing x, vec3 v)
{
    const soa_screw *screw = &body->screw;
    if (!screw->aligned) {
        v = rotz_t(real_set(screw->cos_gamma), real_set(screw->sin_gamma), v);
    }
    return rotz_t(x.c, x.s, rotx_t(real_set(screw->cos_alpha), real_set(screw->sin_alpha), v));
}

/* phi f */
KERNEL force cross_inward(const soa_body_data *body, crossing x, force f)
{
    const vec3 F = turn_inward(body, x, f.f);
    return (force){ vec3_cross_add(x.l, F, turn_inward(body, x, f.n)), F };
}

/* phi* V */
KERNEL motion cross_outward(const soa_body_data *body, crossing x, motion V)
{
    return (motion){ turn_outward(body, x, V.w), turn_outward(body, x, vec3_cross_add(V.w, x.l, V.v)) };
}

/* phi M phi* */
KERNEL rigid cross_rigid(const soa_body_data *body, crossing x, rigid M)
{
    const soa_screw *screw = &body->screw;
    M = rigid_rotz(x.c, x.s, M);
    M = rigid_rotx(real_set(screw->cos_alpha), real_set(screw->sin_alpha), M);
    if (!screw->aligned) {
        M = rigid_rotz(real_set(screw->cos_gamma), real_set(screw->sin_gamma), M);
    }
    return rigid_translate(x.l, M);
}

/* The axes of a body in the world, its parent's given. */
KERNEL mat3 mat3_turn_across(const soa_body_data *body, crossing x, mat3 R)
{
    const soa_screw *screw = &body->screw;
    if (!screw->aligned) {
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

/* W(k), by whatever way is shortest. */
KERNEL void body_placement(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    if (soa_is_screw(body)) {
        const crossing x = crossing_of(call, w, k);
        w->W[k] = cross_placement(body, x, body->parent < 0 ? pose_identity() : w->W[body->parent]);
    } else {
        general_position(call, w, k);
        w->W[k] = body->parent < 0 ? w->X[k] : pose_compose(w->W[body->parent], w->X[k]);
    }
}

/* phi P phi* */
KERNEL articulated cross_inertia(const soa_body_data *body, crossing x, articulated P)
{
    const soa_screw *screw = &body->screw;
    P = articulated_rotz(x.c, x.s, P);
    P = articulated_rotx(real_set(screw->cos_alpha), real_set(screw->sin_alpha), P);
    if (!screw->aligned) {
        P = articulated_rotz(real_set(screw->cos_gamma), real_set(screw->sin_gamma), P);
    }
    return articulated_translate(x.l, P);
}

/* The same for P with nothing about z (behind a revolute joint without armature). */
KERNEL articulated cross_inertia_revolute(const soa_body_data *body, crossing x, articulated P)
{
    const soa_screw *screw = &body->screw;
    P = articulated_rotz_revolute(x.c, x.s, P);
    P = articulated_rotx_revolute(real_set(screw->cos_alpha), real_set(screw->sin_alpha), P);
    if (!screw->aligned) {
        P = articulated_rotz(real_set(screw->cos_gamma), real_set(screw->sin_gamma), P);
    }
    return articulated_translate(x.l, P);
}

#endif
