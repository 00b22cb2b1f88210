/* sweep/placement.kernel.h - where bodies stand in the world.
 *
 * One state keeps the columns of a frame in vectors (spatial/quad.h), several states
 * keep states in them; the bits are the same. */
#ifndef SOA_SWEEP_PLACEMENT_KERNEL_H
#define SOA_SWEEP_PLACEMENT_KERNEL_H

#include "sweep/screw.kernel.h"

#if LANES == 1

/* The axes of a body whose joint is about or along z, those of its parent given. */
KERNEL frame frame_across(const vars *w, const soa_body_data *body, int k, frame W)
{
    const soa_screw *screw = &body->screw;
    if (!body->aligned) {
        W = frame_rotz(W, &screw->cos_gamma, &screw->sin_gamma);
    }
    W = frame_rotx(W, &screw->cos_alpha, &screw->sin_alpha);
    return frame_rotz(W, &w->crossing[k][0], &w->crossing[k][1]);
}

/* W(k) into w->place, as cross_placement; returns it too. Needs cosines and sines. */
KERNEL frame place_body_at(const soa_call *call, const vars *w, int k, frame parent)
{
    const soa_body_data *body = &call->model->body[k];
    frame W;
    if (body->joint_class == SOA_CLASS_REVOLUTE) {
        const double *l = body->screw.l;
        W = frame_across(w, body, k, parent);
        W.l = frame_point_at(parent, l, l + 1, l + 2);
    } else if (body->joint_class == SOA_CLASS_PRISMATIC) {
        const vec3 l = crossing_of(call, w, k).l;
        W = frame_across(w, body, k, parent);
        W.l = frame_point(parent, l);
    } else {
        general_position(call, w, k);
        W = body->parent < 0 ? frame_of_pose(&w->X[k]) : frame_compose(parent, w->X[k]);
    }
    w->place[k] = W;
    return W;
}

/* W(k), that of its parent known. */
KERNEL void place_body(const soa_call *call, const vars *w, int k)
{
    const int p = call->model->body[k].parent;
    place_body_at(call, w, k, p < 0 ? frame_identity() : w->place[p]);
}

KERNEL pose placed(const vars *w, int k)
{
    return frame_pose(&w->place[k]);
}

#else

KERNEL void place_body(const soa_call *call, const vars *w, int k)
{
    body_placement(call, w, k);
}

KERNEL pose placed(const vars *w, int k)
{
    return w->W[k];
}

#endif

/* Of every body. */
static inline void place_all(const soa_call *call, const vars *w)
{
    crossings_begin(call, w);
#if LANES == 1
    frame last = frame_identity(); /* of the body before: mostly the parent */
    for (int k = 0; k < call->model->bodies; k++) {
        const int p = call->model->body[k].parent;
        last = place_body_at(call, w, k, p < 0 ? frame_identity() : p == k - 1 ? last : w->place[p]);
    }
#else
    for (int k = 0; k < call->model->bodies; k++) {
        place_body(call, w, k);
    }
#endif
}

#endif
