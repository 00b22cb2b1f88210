/* operator/vectors.kernel.h - vectors of the three spaces in and out of the sweeps.
 *
 * A user's body vector is in the axes and at the origin of the frame of the body's
 * link, a point's in world axes at the point; the sweeps work in body frames.
 * Reading a point force is B, writing a point motion is B*. */
#ifndef SOA_OPERATOR_VECTORS_KERNEL_H
#define SOA_OPERATOR_VECTORS_KERNEL_H

#include "sweep/upsilon.kernel.h"

/* x: the nv numbers; f, V: per body. An operator reads one of them and leaves its
 * result in one of them, as its domain and codomain say. */
typedef struct registers {
    real *x;
    force *f, *g; /* g: one more */
    motion *V;
} registers;

KERNEL force force_in(const soa_call *call, size_t i)
{
    return (force){ in_vec3(call, call->u, 6 * i), in_vec3(call, call->u, 6 * i + 3) };
}

KERNEL motion motion_given(const soa_call *call, size_t i)
{
    return (motion){ in_vec3(call, call->u, 6 * i), in_vec3(call, call->u, 6 * i + 3) };
}

KERNEL void put_6(const soa_call *call, size_t i, vec3 angular, vec3 linear)
{
    out_vec3(call, call->y, 6 * i, angular);
    out_vec3(call, call->y, 6 * i + 3, linear);
}

/* ---- bodies ------------------------------------------------------------------------- */

static inline void body_forces_in(const soa_call *call, const registers *r)
{
    for (int k = 0; k < call->model->bodies; k++) {
        r->f[k] = phi(pose_set(&call->model->body[k].rest->frame), force_in(call, (size_t)k));
    }
}

static inline void body_motions_in(const soa_call *call, const registers *r)
{
    for (int k = 0; k < call->model->bodies; k++) {
        r->V[k] = phi_t_inv(pose_set(&call->model->body[k].rest->frame), motion_given(call, (size_t)k));
    }
}

static inline void body_forces_out(const soa_call *call, const registers *r)
{
    for (int k = 0; k < call->model->bodies; k++) {
        body_force_out(call, call->y, k, r->f[k]);
    }
}

static inline void body_motions_out(const soa_call *call, const registers *r)
{
    for (int k = 0; k < call->model->bodies; k++) {
        body_motion_out(call, call->y, k, r->V[k]);
    }
}

/* ---- points ------------------------------------------------------------------------- */

/* The body of a point, or SOA_WORLD. */
KERNEL int point_body(const soa_call *call, int i)
{
    const int link = call->point[i].link;
    return link == SOA_WORLD ? SOA_WORLD : call->model->place[link].body;
}

/* The frame of point i, axes of the world, in the frame of its body k. */
KERNEL pose point_pose(const soa_call *call, const vars *w, int i, int k)
{
    const soa_point *point = &call->point[i];
    const pose link = pose_set(&call->model->place[point->link].at);
    return (pose){ mat3_transpose(w->W[k].R), pose_point(link, vec3_set(point->at.position)) };
}

/* B f */
static inline void point_forces_in(const soa_call *call, const vars *w, const registers *r)
{
    for (int k = 0; k < call->model->bodies; k++) {
        r->f[k] = force_zero();
    }
    for (int i = 0; i < call->points; i++) {
        const int k = point_body(call, i);
        if (k >= 0) {
            r->f[k] = force_add(r->f[k], phi(point_pose(call, w, i, k), force_in(call, (size_t)i)));
        }
    }
}

/* B* V */
static inline void point_motions_out(const soa_call *call, const vars *w, const registers *r)
{
    for (int i = 0; i < call->points; i++) {
        const int k = point_body(call, i);
        const motion V = k < 0 ? motion_zero() : phi_t(point_pose(call, w, i, k), r->V[k]);
        put_6(call, (size_t)i, V.w, V.v);
    }
}

#endif
