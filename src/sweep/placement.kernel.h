/* sweep/placement.kernel.h - where bodies stand in the world.
 *
 * One state keeps the columns of a frame in vectors (spatial/quad.h), several states
 * keep states in them; the bits are the same. */
#ifndef SOA_SWEEP_PLACEMENT_KERNEL_H
#define SOA_SWEEP_PLACEMENT_KERNEL_H

#include "sweep/screw.kernel.h"

#if LANES == 1

/* The axes of a body whose joint is about or along z, those of its parent and cosine and sine of theta given. */
KERNEL frame frame_across(const soa_body_data *body, const double cos_sin[2], frame W)
{
    const soa_screw *screw = &body->screw;
    if (!body->aligned) {
        W = frame_rotz(W, &screw->cos_gamma, &screw->sin_gamma);
    }
    W = frame_rotx(W, &screw->cos_alpha, &screw->sin_alpha);
    return frame_rotz(W, cos_sin, cos_sin + 1);
}

/* A free body on the world, as general_position has it. */
KERNEL frame place_free(const soa_call *call, const soa_body_data *body)
{
    real q[SOA_JOINT_MAX_NQ];
    joint_in(call, call->q, body->q, 7, q);
    const pose at = pose_set(&body->at), X = { rotation_of_quaternion(q), { q[4], q[5], q[6] } };
    return frame_compose(frame_of_pose(&at), X);
}

/* W(k) into w->place, as cross_placement; returns it too. cos_sin: of the angle. Joints without a class of their own
 * have their columns in w->H then. */
KERNEL frame place_body_at(const soa_call *call, const vars *w, int k, const double cos_sin[2], frame parent)
{
    const soa_body_data *body = &call->model->body[k];
    frame W;
    if (body->joint_class == SOA_CLASS_REVOLUTE) {
        const double *l = body->screw.l;
        W = frame_across(body, cos_sin, parent);
        W.l = frame_point_at(parent, l, l + 1, l + 2);
    } else if (body->joint_class == SOA_CLASS_PRISMATIC) {
        const double turn[2] = { body->screw.cos_theta, body->screw.sin_theta };
        W = frame_across(body, turn, parent);
        W.l = frame_point(parent, slide_of(call, body));
    } else if (body->joint_class == SOA_CLASS_FREE && body->parent < 0) {
        W = place_free(call, body);
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
    const soa_body_data *body = &call->model->body[k];
    const int p = body->parent;
    if (body->joint_class == SOA_CLASS_PRISMATIC) {
        crossing_of(call, w, k); /* for what is to cross it */
    }
    place_body_at(call, w, k, w->crossing[k], p < 0 ? frame_identity() : w->place[p]);
}

KERNEL pose placed(const vars *w, int k)
{
    return frame_pose(&w->place[k]);
}

/* A frame in the world as it is kept on the way outward. */
typedef frame placing;

KERNEL placing placing_identity(void)
{
    return frame_identity();
}

KERNEL placing *placing_at(const vars *w, int k)
{
    return &w->place[k];
}

/* W(k) behind a joint about or along z, that of its parent given; crossings_begin first. */
KERNEL placing place_plain(const soa_call *call, const vars *w, int k, placing parent)
{
    return place_body_at(call, w, k, w->crossing[k], parent);
}

/* W(k), X(k) and that of its parent known. */
KERNEL void place_crossed(const vars *w, const soa_body_data *body, int k)
{
    w->place[k] = body->parent < 0 ? frame_of_pose(&w->X[k]) : frame_compose(w->place[body->parent], w->X[k]);
}

#else

typedef pose placing;

KERNEL placing placing_identity(void)
{
    return pose_identity();
}

KERNEL placing *placing_at(const vars *w, int k)
{
    return &w->W[k];
}

KERNEL placing place_plain(const soa_call *call, const vars *w, int k, placing parent)
{
    return w->W[k] = cross_placement(&call->model->body[k], crossing_again(w, &call->model->body[k], k), parent);
}

KERNEL void place_crossed(const vars *w, const soa_body_data *body, int k)
{
    w->W[k] = body->parent < 0 ? w->X[k] : pose_compose(w->W[body->parent], w->X[k]);
}

KERNEL void place_body(const soa_call *call, const vars *w, int k)
{
    body_placement(call, w, k);
}

KERNEL pose placed(const vars *w, int k)
{
    return w->W[k];
}

#endif

/* The frame of every body in the world. */
static inline void place_all(const soa_call *call, const vars *w)
{
    crossings_begin(call, w);
#if LANES == 1
    frame last = frame_identity(); /* of the body before: mostly the parent */
    for (int k = 0; k < call->model->bodies; k++) {
        const int p = call->model->body[k].parent;
        last = place_body_at(call, w, k, w->crossing[k], p < 0 ? frame_identity() : p == k - 1 ? last : w->place[p]);
    }
#else
    for (int k = 0; k < call->model->bodies; k++) {
        place_body(call, w, k);
    }
#endif
}

#endif
