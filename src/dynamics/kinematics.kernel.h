/* dynamics/kinematics.kernel.h - poses, velocities and accelerations.
 *
 * What a user sees is in world axes, at the point asked for. */
#ifndef SOA_DYNAMICS_KINEMATICS_KERNEL_H
#define SOA_DYNAMICS_KINEMATICS_KERNEL_H

#include "sweep/placement.kernel.h"

/* Where item i stands: the body, and its frame in the body frame. Items are the
 * points of the call, or all links if it has none. */
typedef struct item {
    int body;
    pose at;
} item;

static inline item item_of(const soa_call *call, int i)
{
    const soa_model *m = call->model;
    if (!call->point) {
        return (item){ m->place[i].body, pose_set(&m->place[i].at) };
    }
    const soa_point *point = &call->point[i];
    if (point->link == SOA_WORLD) {
        return (item){ SOA_WORLD, pose_set(&point->at) };
    }
    const soa_link_place *place = &m->place[point->link];
    return (item){ place->body, pose_compose(pose_set(&place->at), pose_set(&point->at)) };
}

/* ---- poses, velocities, accelerations ---------------------------------------------------- */

/* Outward: W, and V, a, alpha (without gravity) as far as v and u are given. */
static inline void kinematics_sweep(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    crossings_begin(call, w);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        place_body(call, w, k);
        const int p = body->parent;
        if (call->v.at) {
            body_velocity_across(call, w, k);
        }
        if (call->y3.at) {
            motion alpha = p < 0 ? motion_zero() : across_outward(w, body, k, w->alpha[p]);
            if (call->v.at) {
                alpha = motion_add(alpha, w->a[k]);
            }
            if (call->u.at) {
                real betadot[SOA_JOINT_MAX_NV];
                joint_in(call, call->u, body->v, body->nv, betadot);
                alpha = motion_add(alpha, joint_motion(w, body, betadot));
            }
            w->alpha[k] = alpha;
        }
    }
}

/* Writes a motion in axes that R turns: angular, then linear. */
KERNEL void put_turned(const soa_call *call, soa_out out, size_t at, mat3 R, motion V)
{
    out_vec3(call, out, at, mat3_mul_vec(R, V.w));
    out_vec3(call, out, at + 3, mat3_mul_vec(R, V.v));
}

static inline void put_pose(const soa_call *call, size_t i, pose X)
{
    const soa_out y = call->y;
    const mat3 R = X.R;
    out_vec3(call, y, 12 * i, (vec3){ R.xx, R.xy, R.xz });
    out_vec3(call, y, 12 * i + 3, (vec3){ R.yx, R.yy, R.yz });
    out_vec3(call, y, 12 * i + 6, (vec3){ R.zx, R.zy, R.zz });
    out_vec3(call, y, 12 * i + 9, X.l);
}

#if LANES == 1
/* Writes the poses of the items, where neither velocities nor accelerations are asked for. */
static __attribute__((noinline)) void poses(const soa_call *call, const vars *w, int items)
{
    const soa_model *m = call->model;
    double *to = call->y.at;
    place_all(call, w);
    for (int i = 0; i < items; i++, to += 12) {
        if (!call->point && m->place[i].body >= 0) {
            frame_store(to, frame_compose(w->place[m->place[i].body], pose_set(&m->place[i].at)));
            continue;
        }
        const item it = item_of(call, i);
        put_pose(call, (size_t)i, it.body == SOA_WORLD ? it.at : pose_compose(placed(w, it.body), it.at));
    }
}
#endif

/* q, v (or none), u = betadot (or none), points or all links; for each: y = its
 * rotation (9) and position (3), y2 = velocity (6), y3 = acceleration (6) of the
 * frame's origin, derivative of the velocity. y2, y3 may be missing. */
static void kinematics(soa_call *call)
{
    vars room;
    const vars *w = vars_at(call, &room);
    const int items = call->point ? call->points : call->model->description.link.count;
    call_begin(call);
#if LANES == 1
    if (!call->y2.at && !call->y3.at) {
        poses(call, w, items);
        return;
    }
#endif
    kinematics_sweep(call, w);
    for (int i = 0; i < items; i++) {
        const item it = item_of(call, i);
        const size_t at = 6 * (size_t)i;
        const bool fixed = it.body == SOA_WORLD;
        const pose X = fixed ? it.at : pose_compose(placed(w, it.body), it.at);
        const motion V = fixed || !call->v.at ? motion_zero() : phi_t(it.at, w->V[it.body]);
        if (call->y.at) {
            put_pose(call, (size_t)i, X);
        }
        if (call->y2.at) {
            put_turned(call, call->y2, at, X.R, V);
        }
        if (call->y3.at) {
            motion alpha = fixed ? motion_zero() : phi_t(it.at, w->alpha[it.body]);
            alpha.v = vec3_cross_add(V.w, V.v, alpha.v);
            put_turned(call, call->y3, at, X.R, alpha);
        }
    }
}

#endif
