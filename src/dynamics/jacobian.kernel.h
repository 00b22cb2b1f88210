/* dynamics/jacobian.kernel.h - Jacobians of points, and their rates.
 *
 * With r from the origin of body k to the point and h = (w; v) a column of H* in world axes,
 *     J column = (w;  v + w x r)                                       J = B* phi* H* */
#ifndef SOA_DYNAMICS_JACOBIAN_KERNEL_H
#define SOA_DYNAMICS_JACOBIAN_KERNEL_H

#include "dynamics/kinematics.kernel.h"

/* soa_call.option of jacobian and jacobian_rate: soa_axes */

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

/* Writes the columns of a joint that has its H* in w->H. */
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

/* W of the bodies on w->path, which begins outboard; cosines and sines of one state are in its order. */
KERNEL void place_listed(const soa_call *call, const vars *w, int count)
{
#if LANES == 1
    frame parent = frame_identity();
    for (int i = count - 1; i >= 0; i--) {
        parent = place_body_at(call, w, w->path[i], w->crossing[i], parent);
    }
#else
    for (int i = count - 1; i >= 0; i--) {
        place_body(call, w, w->path[i]);
    }
#endif
}

#if LANES == 1
/* W of the bodies from one that has its place to k, itself apart (SOA_WORLD: from the base), where the sines of all
 * bodies are known. */
static inline void place_path_beyond(const soa_call *call, const vars *w, int inboard, int k)
{
    int count = 0;
    for (; k != inboard; k = call->model->body[k].parent) {
        w->path[count++] = k;
    }
    frame parent = inboard == SOA_WORLD ? frame_identity() : w->place[inboard];
    for (int i = count - 1; i >= 0; i--) {
        const int body = w->path[i];
        parent = place_body_at(call, w, body, w->crossing[body], parent);
    }
}
#endif

/* A model is small if the sines of all its joints are there before the path is found. */
enum { FEW_BODIES = SOA_MAX_LANES };

/* W of the bodies from the base to k. */
static inline void place_path(const soa_call *call, const vars *w, int k)
{
#if LANES == 1
    if (call->model->bodies <= FEW_BODIES) {
        crossings_begin(call, w);
        place_path_beyond(call, w, SOA_WORLD, k);
        return;
    }
#endif
    const int count = find_path(call, w, k);
    crossings_begin_on(call, w, count, w->path);
    place_listed(call, w, count);
}

/* The columns of all bodies from the point's to the base. */
KERNEL void put_rows(const soa_call *call, const vars *w, int body, int row, soa_axes axes, pose at)
{
    for (int k = body; k >= 0; k = call->model->body[k].parent) {
        put_columns_of(call, w, k, row, axes, at);
    }
}

#if LANES == 1
/* Three numbers of a column of J; to: the first of them. */
KERNEL void put_quad(double *to, size_t nv, quad x)
{
    to[0] = x[0];
    to[nv] = x[1];
    to[2 * nv] = x[2];
}

/* put_rows in world axes for a point at p, by vectors. */
static inline void put_rows_mixed(const soa_call *call, const vars *w, int body, int row, quad p)
{
    const size_t nv = (size_t)call->model->nv;
    for (int k = body; k >= 0; k = call->model->body[k].parent) {
        const soa_body_data *at = &call->model->body[k];
        const frame *W = &w->place[k];
        const quad r = p - W->l;
        double *angular = call->y.at + (size_t)row * nv + (size_t)at->v, *linear = angular + 3 * nv;
        if (at->joint_class == SOA_CLASS_REVOLUTE) {
            put_quad(angular, nv, W->z);
            put_quad(linear, nv, quad_cross(W->z, r));
        } else if (at->joint_class == SOA_CLASS_PRISMATIC) {
            put_quad(linear, nv, W->z);
        } else if (at->joint_class == SOA_CLASS_FREE) {
            const quad axis[3] = { W->x, W->y, W->z };
            for (int c = 0; c < 3; c++) {
                put_quad(angular + c, nv, axis[c]);
                put_quad(linear + c, nv, quad_cross(axis[c], r));
                put_quad(linear + c + 3, nv, axis[c]);
            }
        } else {
            put_general_columns(call, w, k, row, (pose){ mat3_zero(), quad_vec3(&p) });
        }
    }
}
#endif

/* The rows of point i, which is on a body. */
static inline void point_rows(const soa_call *call, const vars *w, int i)
{
    const soa_point *point = &call->point[i];
    const soa_link_place *place = &call->model->place[point->link];
    const int body = place->body;
    place_path(call, w, body);
    const vec3 in_body = pose_point(pose_set(&place->at), vec3_set(point->at.position));
#if LANES == 1
    if (call->option == SOA_AXES_MIXED) {
        put_rows_mixed(call, w, body, 6 * i, frame_point(w->place[body], in_body));
        return;
    }
#endif
    pose at = { mat3_zero(), pose_point(placed(w, body), in_body) };
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

/* q, v (or none), points; y = dJ/dt. option: soa_axes. */
static void jacobian_rate(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    clear_rows(call);
    if (call->v.at) {
        kinematics_sweep(call, &w);
    }
    for (int i = 0; call->v.at && i < call->points; i++) {
        point_rate(call, &w, i);
    }
}

#endif
