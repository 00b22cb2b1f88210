/* sweep/composite.kernel.h - composite inertias in the axes of the root body.
 *
 * Of every body, all in the axes of the body on the world that carries it:
 *     its rotation R and arm r, from the parent's origin to its own       outward
 *     the inertia of all that it carries, about its own origin            inward
 * No rotation is needed on the way inward, and where the root stands in the world
 * does not matter. One state keeps three components to a vector; the bits are the same. */
#ifndef SOA_SWEEP_COMPOSITE_KERNEL_H
#define SOA_SWEEP_COMPOSITE_KERNEL_H

#include "sweep/placement.kernel.h"

#if LANES == 1

/* The frame of body k in the world, from that of its parent. */
KERNEL frame turn_body(const vars *w, const soa_body_data *body, int k, frame parent)
{
    frame R;
    if (body->joint_class == SOA_CLASS_REVOLUTE) {
        const double *l = body->screw.l;
        R = frame_across(body, w->crossing[k], parent);
        R.l = frame_turn_at(parent, l, l + 1, l + 2);
    } else if (body->joint_class == SOA_CLASS_PRISMATIC) {
        R = frame_across(body, w->crossing[k], parent);
        R.l = frame_turn(parent, w->X[k].l);
    } else {
        parent.l = quad_set(0.0);
        R = frame_compose(parent, w->X[k]);
    }
    w->composite[k] = quad_rigid_turn(R, body->inertia);
    w->place[k] = R;
    return R;
}

static __attribute__((noinline)) void turn_root(const vars *w, const soa_body_data *body, int k)
{
    w->composite[k] = quad_rigid_of(rigid_set(body->inertia));
    w->place[k] = frame_identity();
}

static inline void turn_bodies(const soa_call *call, const vars *w)
{
    frame last = frame_identity(); /* of the body before: mostly the parent */
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        if (body->parent < 0) {
            turn_root(w, body, k);
            last = frame_identity();
        } else {
            last = turn_body(w, body, k, body->parent == k - 1 ? last : w->place[body->parent]);
        }
    }
}

KERNEL vec3 arm_of(const vars *w, int k)
{
    return quad_vec3(&w->place[k].l);
}

KERNEL rigid composite_of(const vars *w, int k)
{
    return rigid_of_quads(&w->composite[k]);
}

/* The composite inertia times a turn about, or a slide along, the body's z. */
KERNEL force composite_wz(const vars *w, int k)
{
    const quad z = w->place[k].z, n = quad_rigid_moment(w->composite[k], z);
    const quad f = quad_cross(z, w->composite[k].h);
    return (force){ quad_vec3(&n), quad_vec3(&f) };
}

KERNEL force composite_vz(const vars *w, int k)
{
    const quad z = w->place[k].z, n = quad_cross(w->composite[k].h, z), f = quad_set(w->composite[k].m) * z;
    return (force){ quad_vec3(&n), quad_vec3(&f) };
}

KERNEL void give_composite(const vars *w, int k, int parent)
{
    const quad_rigid shifted = quad_rigid_translate(w->place[k].l, w->composite[k]);
    w->composite[parent] = quad_rigid_add(w->composite[parent], shifted);
}

#else

static inline void turn_bodies(const soa_call *call, const vars *w)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        const rigid M = rigid_set(body->inertia);
        if (body->parent < 0) {
            w->W[k] = pose_identity();
            w->R[k] = M;
            continue;
        }
        const mat3 R = w->W[body->parent].R;
        if (soa_is_screw(body)) {
            const crossing x = crossing_again(w, body, k);
            w->W[k] = (pose){ mat3_turn_across(body, x, R), mat3_mul_vec(R, x.l) };
        } else {
            w->W[k] = pose_compose((pose){ R, vec3_zero() }, w->X[k]);
        }
        w->R[k] = rigid_turn(w->W[k].R, M);
    }
}

KERNEL vec3 arm_of(const vars *w, int k)
{
    return w->W[k].l;
}

KERNEL rigid composite_of(const vars *w, int k)
{
    return w->R[k];
}

KERNEL force composite_wz(const vars *w, int k)
{
    const rigid M = w->R[k];
    const vec3 z = mat3_column_z(w->W[k].R);
    const vec3 n = {
        real_fma(M.J.xz, z.z, real_fma(M.J.xy, z.y, M.J.xx * z.x)),
        real_fma(M.J.yz, z.z, real_fma(M.J.xy, z.x, M.J.yy * z.y)),
        real_fma(M.J.yz, z.y, real_fma(M.J.xz, z.x, M.J.zz * z.z)),
    };
    return (force){ n, vec3_cross(z, M.h) };
}

KERNEL force composite_vz(const vars *w, int k)
{
    const vec3 z = mat3_column_z(w->W[k].R);
    return (force){ vec3_cross(w->R[k].h, z), vec3_scale(w->R[k].m, z) };
}

KERNEL void give_composite(const vars *w, int k, int parent)
{
    w->R[parent] = rigid_add(w->R[parent], rigid_translate(w->W[k].l, w->R[k]));
}

#endif
#endif
