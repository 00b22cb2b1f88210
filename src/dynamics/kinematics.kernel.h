/* dynamics/kinematics.kernel.h - poses, velocities, accelerations and Jacobians.
 *
 * What a user sees is in world axes, at the point asked for: with r from the
 * origin of body k to the point and h = (w; v) a column of H* in world axes,
 *     J column = (w;  v + w x r)                                       J = B* phi* H* */
#ifndef SOA_DYNAMICS_KINEMATICS_KERNEL_H
#define SOA_DYNAMICS_KINEMATICS_KERNEL_H

#include "sweep/placement.kernel.h"

/* soa_call.option of jacobian and jacobian_rate: soa_axes */

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

/* phi* V of any joint. */
KERNEL motion across_outward(const vars *w, const soa_body_data *body, int k, motion V)
{
    return soa_is_screw(body) ? cross_outward(body, crossing_again(w, body, k), V) : phi_t(w->X[k], V);
}

/* V and a, as body_velocity does it. */
KERNEL void body_velocity_across(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    real beta[SOA_JOINT_MAX_NV];
    joint_in(call, call->v, body->v, body->nv, beta);
    const motion dV = joint_motion(w, body, beta);
    const motion V = body->parent < 0 ? dV : motion_add(across_outward(w, body, k, w->V[body->parent]), dV);
    w->V[k] = V;
    w->a[k] = soa_is_screw(body) ? motion_cross(V, dV) : general_acceleration(call, body, V, dV, beta);
}

/* Outward: W, and V, a, alpha (without gravity) as far as v and u are given. */
static inline void kinematics_sweep(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    crossings_begin(call, w);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        place_body(call, w, k);
        if (call->v.at) {
            body_velocity_across(call, w, k);
        }
        if (call->y3.at) {
            motion alpha = body->parent < 0 ? motion_zero() : across_outward(w, body, k, w->alpha[body->parent]);
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
/* Of one state the poses alone. */
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
            out_vec3(call, call->y2, at, mat3_mul_vec(X.R, V.w));
            out_vec3(call, call->y2, at + 3, mat3_mul_vec(X.R, V.v));
        }
        if (call->y3.at) {
            motion alpha = fixed ? motion_zero() : phi_t(it.at, w->alpha[it.body]);
            alpha.v = vec3_cross_add(V.w, V.v, alpha.v);
            out_vec3(call, call->y3, at, mat3_mul_vec(X.R, alpha.w));
            out_vec3(call, call->y3, at + 3, mat3_mul_vec(X.R, alpha.v));
        }
    }
}

/* ---- Jacobians ----------------------------------------------------------------------------- */

/* The rates of the columns of H* in body axes: only joints whose map depends on q have any. */
static inline void map_rates(const soa_call *call, const vars *w, const soa_body_data *body, motion *rate)
{
    for (int i = 0; i < body->nv; i++) {
        rate[i] = motion_zero();
    }
    const bool universal = body->rest->shape.kind == SOA_UNIVERSAL;
    if (soa_is_screw(body) || (!universal && !body->rest->shape.reversed)) {
        return;
    }
    const pose X = general_joint_pose(call, body);
    real beta[SOA_JOINT_MAX_NV];
    joint_in(call, call->v, body->v, body->nv, beta);
    if (universal) { /* axis1 turns in outboard axes with -beta1 z */
        real first[2] = { real_set(1.0), beta[1] };
        rate[0] = joint_bias(&body->rest->shape, X, first);
    }
    if (body->rest->shape.reversed) { /* H* = -phi*(X) H_f*, and phi*(X) changes with the relative velocity */
        const motion dV = joint_motion(w, body, beta);
        for (int i = 0; i < body->nv; i++) {
            rate[i] = motion_sub(rate[i], motion_cross(dV, w->H[body->v + i]));
        }
    }
}

/* A column of the Jacobian as the caller wants it. at: the point's frame in the world. */
KERNEL motion in_axes(soa_axes axes, pose at, motion column)
{
    switch (axes) {
    case SOA_AXES_BODY:
        return (motion){ mat3_t_mul_vec(at.R, column.w), mat3_t_mul_vec(at.R, column.v) };
    case SOA_AXES_WORLD: /* of the point of the body that passes the world's origin */
        return (motion){ column.w, vec3_cross_add(at.l, column.w, column.v) };
    default:
        return column;
    }
}

KERNEL void put_column(const soa_call *call, int row, int column, motion h)
{
    const size_t nv = (size_t)call->model->nv, at = (size_t)row * nv + (size_t)column;
    out_put(call, call->y, at, h.w.x);
    out_put(call, call->y, at + nv, h.w.y);
    out_put(call, call->y, at + 2 * nv, h.w.z);
    out_put(call, call->y, at + 3 * nv, h.v.x);
    out_put(call, call->y, at + 4 * nv, h.v.y);
    out_put(call, call->y, at + 5 * nv, h.v.z);
}

/* The columns of a free body in the rows of a point whose frame is `at`. */
static __attribute__((noinline)) void put_free_columns(const soa_call *call, const vars *w, int k, int row, pose at)
{
    const soa_axes axes = (soa_axes)call->option;
    const pose W = placed(w, k);
    const vec3 axis[3] = { mat3_column_x(W.R), mat3_column_y(W.R), mat3_column_z(W.R) };
    const vec3 r = vec3_sub(at.l, W.l), o = vec3_zero();
    const int v = call->model->body[k].v;
    for (int c = 0; c < 3; c++) {
        put_column(call, row, v + c, in_axes(axes, at, (motion){ axis[c], vec3_cross(axis[c], r) }));
        put_column(call, row, v + c + 3, in_axes(axes, at, (motion){ o, axis[c] }));
    }
}

/* Of a joint that has its columns in w->H. */
static __attribute__((noinline)) void put_general_columns(const soa_call *call, const vars *w, int k, int row, pose at)
{
    const soa_body_data *body = &call->model->body[k];
    const pose W = placed(w, k);
    const vec3 r = vec3_sub(at.l, W.l);
    for (int c = 0; c < body->nv; c++) {
        const motion h = w->H[body->v + c];
        const vec3 axis = mat3_mul_vec(W.R, h.w);
        const motion column = { axis, vec3_cross_add(axis, r, mat3_mul_vec(W.R, h.v)) };
        put_column(call, row, body->v + c, in_axes((soa_axes)call->option, at, column));
    }
}

/* The columns of body k in the rows of a point whose frame is `at`. */
KERNEL void put_columns_of(const soa_call *call, const vars *w, int k, int row, soa_axes axes, pose at)
{
    const soa_body_data *body = &call->model->body[k];
    if (body->joint_class == SOA_CLASS_REVOLUTE) {
        const vec3 z = mat3_column_z(placed(w, k).R);
        const motion column = { z, vec3_cross(z, vec3_sub(at.l, placed(w, k).l)) };
        put_column(call, row, body->v, in_axes(axes, at, column));
    } else if (body->joint_class == SOA_CLASS_PRISMATIC) {
        const motion column = { vec3_zero(), mat3_column_z(placed(w, k).R) };
        put_column(call, row, body->v, in_axes(axes, at, column));
    } else if (body->joint_class == SOA_CLASS_FREE) {
        put_free_columns(call, w, k, row, at);
    } else {
        put_general_columns(call, w, k, row, at);
    }
}

static inline void clear_rows(const soa_call *call)
{
    out_zero(call, call->y, 6 * (size_t)call->points * (size_t)call->model->nv);
}

/* The bodies from k to the base into w->path; returns their number. */
static inline int find_path(const soa_call *call, const vars *w, int k)
{
    int count = 0;
    for (; k >= 0; k = call->model->body[k].parent) {
        w->path[count++] = k;
    }
    return count;
}

/* W of the bodies on w->path, which begins outboard. */
static inline void place_listed(const soa_call *call, const vars *w, int count)
{
#if LANES == 1
    frame parent = frame_identity();
    for (int i = count - 1; i >= 0; i--) {
        parent = place_body_at(call, w, w->path[i], parent);
    }
#else
    for (int i = count - 1; i >= 0; i--) {
        place_body(call, w, w->path[i]);
    }
#endif
}

/* W of the bodies from the base to k. */
static inline void place_path(const soa_call *call, const vars *w, int k)
{
    const int count = find_path(call, w, k);
    crossings_begin_on(call, w, count, w->path);
    place_listed(call, w, count);
}

#if LANES == 1
/* The same, where the sines are known, of the bodies outboard of one that has its place (SOA_WORLD: all). */
static inline void place_path_beyond(const soa_call *call, const vars *w, int inboard, int k)
{
    int count = 0;
    for (; k != inboard; k = call->model->body[k].parent) {
        w->path[count++] = k;
    }
    frame parent = inboard == SOA_WORLD ? frame_identity() : w->place[inboard];
    for (int i = count - 1; i >= 0; i--) {
        parent = place_body_at(call, w, w->path[i], parent);
    }
}
#endif

/* The columns of all bodies from the point's to the base. */
KERNEL void put_rows(const soa_call *call, const vars *w, int body, int row, soa_axes axes, pose at)
{
    for (int k = body; k >= 0; k = call->model->body[k].parent) {
        put_columns_of(call, w, k, row, axes, at);
    }
}

/* The rows of point i, which is on a body. */
static inline void point_rows(const soa_call *call, const vars *w, int i)
{
    const soa_point *point = &call->point[i];
    const soa_link_place *place = &call->model->place[point->link];
    const int body = place->body;
    place_path(call, w, body);
    const vec3 in_body = pose_point(pose_set(&place->at), vec3_set(point->at.position));
    pose at = { mat3_zero(), pose_point(placed(w, body), in_body) };
    if (call->option == SOA_AXES_MIXED) {
        put_rows(call, w, body, 6 * i, SOA_AXES_MIXED, at);
        return;
    }
    if (call->option == SOA_AXES_BODY) { /* the others do not need it */
        at.R = mat3_mul(placed(w, body).R, mat3_mul(mat3_set(place->at.rotation), mat3_set(point->at.rotation)));
    }
    put_rows(call, w, body, 6 * i, (soa_axes)call->option, at);
}

/* q, points; y = J, 6 rows per point, nv columns. option: soa_axes. */
static void jacobian(soa_call *call)
{
    vars room;
    const vars *w = vars_at(call, &room);
    call_begin(call);
    clear_rows(call);
    for (int i = 0; i < call->points; i++) {
        const int link = call->point[i].link;
        if (link != SOA_WORLD && call->model->place[link].body != SOA_WORLD) {
            point_rows(call, w, i);
        }
    }
}

/* d/dt of a column of the world-axes Jacobian: V of the body and of the point in world axes. */
KERNEL motion column_rate(vec3 w_body, vec3 v_body, vec3 v_point, motion h, motion h_rate, vec3 r)
{
    const vec3 w_dot = vec3_cross_add(w_body, h.w, h_rate.w);
    const vec3 v_dot = vec3_cross_add(w_body, h.v, h_rate.v);
    const vec3 turned = vec3_cross_add(w_dot, r, v_dot);
    return (motion){ w_dot, vec3_cross_add(h.w, vec3_sub(v_point, v_body), turned) };
}

/* d/dt of what in_axes does, given the column and its rate in world axes. */
KERNEL motion rate_in_axes(soa_axes axes, pose at, vec3 w_point, vec3 v_point, motion h, motion h_dot)
{
    if (axes == SOA_AXES_BODY) { /* d/dt R* x = R* (xdot - w x x) */
        const motion seen = { vec3_sub(h_dot.w, vec3_cross(w_point, h.w)),
            vec3_sub(h_dot.v, vec3_cross(w_point, h.v)) };
        return in_axes(axes, at, seen);
    }
    if (axes == SOA_AXES_WORLD) {
        const motion rate = in_axes(axes, at, h_dot);
        return (motion){ rate.w, vec3_cross_add(v_point, h.w, rate.v) };
    }
    return h_dot;
}

/* One point's rows of dJ/dt. */
static inline void point_rate(const soa_call *call, const vars *w, int i)
{
    const soa_model *m = call->model;
    const soa_axes axes = (soa_axes)call->option;
    const item it = item_of(call, i);
    if (it.body == SOA_WORLD) {
        return;
    }
    const pose at = pose_compose(placed(w, it.body), it.at);
    const motion V = phi_t(it.at, w->V[it.body]);
    const vec3 w_point = mat3_mul_vec(at.R, V.w), v_point = mat3_mul_vec(at.R, V.v);
    for (int k = it.body; k >= 0; k = m->body[k].parent) {
        const mat3 R = placed(w, k).R;
        const vec3 w_body = mat3_mul_vec(R, w->V[k].w), v_body = mat3_mul_vec(R, w->V[k].v);
        const vec3 r = vec3_sub(at.l, placed(w, k).l);
        motion rate[SOA_JOINT_MAX_NV];
        map_rates(call, w, &m->body[k], rate);
        for (int c = 0; c < m->body[k].nv; c++) {
            const motion h = joint_column(w, &m->body[k], c);
            const motion axis = { mat3_mul_vec(R, h.w), mat3_mul_vec(R, h.v) };
            const motion axis_rate = { mat3_mul_vec(R, rate[c].w), mat3_mul_vec(R, rate[c].v) };
            const motion column = { axis.w, vec3_cross_add(axis.w, r, axis.v) };
            const motion dot = column_rate(w_body, v_body, v_point, axis, axis_rate, r);
            put_column(call, 6 * i, m->body[k].v + c, rate_in_axes(axes, at, w_point, v_point, column, dot));
        }
    }
}

/* q, v, points; y = dJ/dt. option: soa_axes. */
static void jacobian_rate(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    kinematics_sweep(call, &w);
    clear_rows(call);
    for (int i = 0; i < call->points; i++) {
        point_rate(call, &w, i);
    }
}

#endif
