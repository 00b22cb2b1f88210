/* sweep/fields.kernel.h - reading and writing rows of numbers, and filling them from one state.
 *
 *     J_i   column of joint velocity i: what it adds to the velocity of all bodies outboard
 *     V     = sum of J beta over the path to the base
 * A column is fixed in the outboard body or in the inboard one; dJ/dt = V~ J with the V of
 * that body. */
#ifndef SOA_SWEEP_FIELDS_KERNEL_H
#define SOA_SWEEP_FIELDS_KERNEL_H

#include "sweep/screw.kernel.h"

/* Rows, so many numbers long. */
typedef struct field_rows {
    double *at;
    size_t length;
} field_rows;

KERNEL double *row_at(field_rows x, int field, size_t i)
{
    return x.at + (size_t)field * x.length + i;
}

/* Of LANES velocities from i on. */
KERNEL real row_get(field_rows x, int field, size_t i)
{
    return real_load(row_at(x, field, i));
}

KERNEL vec3 row_vec3(field_rows x, int field, size_t i)
{
    return (vec3){ row_get(x, field, i), row_get(x, field + 1, i), row_get(x, field + 2, i) };
}

KERNEL motion row_motion(field_rows x, int field, size_t i)
{
    return (motion){ row_vec3(x, field, i), row_vec3(x, field + 3, i) };
}

KERNEL force row_force(field_rows x, int field, size_t i)
{
    return (force){ row_vec3(x, field, i), row_vec3(x, field + 3, i) };
}

KERNEL mat3 row_mat3(field_rows x, int field, size_t i)
{
    return (mat3){
        row_get(x, field, i),
        row_get(x, field + 1, i),
        row_get(x, field + 2, i), //
        row_get(x, field + 3, i),
        row_get(x, field + 4, i),
        row_get(x, field + 5, i), //
        row_get(x, field + 6, i),
        row_get(x, field + 7, i),
        row_get(x, field + 8, i),
    };
}

KERNEL rigid row_rigid(field_rows x, int field, size_t i)
{
    return (rigid){
        row_get(x, field, i),
        row_vec3(x, field + 1, i),
        { row_get(x, field + 4, i), row_get(x, field + 5, i), row_get(x, field + 6, i), row_get(x, field + 7, i),
            row_get(x, field + 8, i), row_get(x, field + 9, i) },
    };
}

KERNEL void row_put(field_rows x, int field, size_t i, real value)
{
    real_store(row_at(x, field, i), value);
}

KERNEL void row_put_vec3(field_rows x, int field, size_t i, vec3 v)
{
    row_put(x, field, i, v.x);
    row_put(x, field + 1, i, v.y);
    row_put(x, field + 2, i, v.z);
}

KERNEL void row_put_motion(field_rows x, int field, size_t i, motion V)
{
    row_put_vec3(x, field, i, V.w);
    row_put_vec3(x, field + 3, i, V.v);
}

KERNEL void row_put_force(field_rows x, int field, size_t i, force f)
{
    row_put_vec3(x, field, i, f.n);
    row_put_vec3(x, field + 3, i, f.f);
}

KERNEL void row_put_mat3(field_rows x, int field, size_t i, mat3 a)
{
    row_put_vec3(x, field, i, (vec3){ a.xx, a.xy, a.xz });
    row_put_vec3(x, field + 3, i, (vec3){ a.yx, a.yy, a.yz });
    row_put_vec3(x, field + 6, i, (vec3){ a.zx, a.zy, a.zz });
}

KERNEL void row_put_rigid(field_rows x, int field, size_t i, rigid M)
{
    row_put(x, field, i, M.m);
    row_put_vec3(x, field + 1, i, M.h);
    row_put_vec3(x, field + 4, i, (vec3){ M.J.xx, M.J.xy, M.J.xz });
    row_put_vec3(x, field + 7, i, (vec3){ M.J.yy, M.J.yz, M.J.zz });
}

/* ---- columns in the world --------------------------------------------------------------- */

/* Whether column c is fixed in the outboard body, else in the inboard one. Of joints with one
 * column both are true. */
KERNEL bool column_outboard(const soa_body_data *body, int c)
{
    if (body->joint_class != SOA_CLASS_GENERAL || body->nv == 1) {
        return true;
    }
    const soa_joint_shape *shape = &body->rest->shape;
    return (shape->kind != SOA_UNIVERSAL || c == 1) != shape->reversed;
}

/* W(k), from the origin of the first body on the base. */
KERNEL void body_placement_near(const soa_call *call, const vars *w, int k)
{
    body_placement(call, w, k);
    if (call->model->body[k].parent < 0) {
        w->W[k].l = vec3_zero();
    }
}

/* Column c of H* in world axes. Needs W. */
KERNEL motion near_column(const vars *w, const soa_body_data *body, int k, int c)
{
    const mat3 R = w->W[k].R;
    const vec3 l = w->W[k].l;
    if (body->joint_class == SOA_CLASS_REVOLUTE) {
        const vec3 z = mat3_column_z(R);
        return (motion){ z, vec3_cross(l, z) };
    }
    if (body->joint_class == SOA_CLASS_PRISMATIC) {
        return (motion){ vec3_zero(), mat3_column_z(R) };
    }
    const motion h = w->H[body->v + c];
    const vec3 axis = mat3_mul_vec(R, h.w);
    return (motion){ axis, vec3_cross_add(l, axis, mat3_mul_vec(R, h.v)) };
}

#if LANES == 1

KERNEL field_rows fields_of(const soa_call *call, const vars *w)
{
    return (field_rows){ w->fields, soa_row(call->model) };
}

/* R, l, V, J of body k. */
KERNEL void fill_body(const soa_call *call, const vars *w, field_rows x, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const size_t first = (size_t)body->v;
    row_put_mat3(x, FIELD_R, first, w->W[k].R);
    row_put_vec3(x, FIELD_l, first, w->W[k].l);
    const motion V_parent = body->parent < 0 || !call->v.at ? motion_zero() : w->V[body->parent];
    motion V = V_parent;
    for (int c = 0; c < body->nv; c++) {
        const motion J = near_column(w, body, k, c);
        row_put_motion(x, FIELD_J, first + (size_t)c, J);
        if (call->v.at) {
            V = motion_scale_add(in_get(call, call->v, first + (size_t)c), J, V);
        }
        if (c > 0) { /* a body of no inertia, so that all lanes have numbers */
            row_put_mat3(x, FIELD_R, first + (size_t)c, mat3_zero());
            row_put_vec3(x, FIELD_l, first + (size_t)c, vec3_zero());
        }
    }
    if (!call->v.at) {
        return;
    }
    w->V[k] = V;
    for (int c = 0; c < body->nv; c++) {
        row_put_motion(x, FIELD_V, first + (size_t)c, V);
        if (w->turning) {
            row_put_motion(x, FIELD_V_turn, first + (size_t)c, column_outboard(body, c) ? V : V_parent);
        }
    }
}

/* q, and v if there is one. */
static inline void fields_outward(const soa_call *call, const vars *w)
{
    const field_rows x = fields_of(call, w);
    crossings_begin(call, w);
    for (int k = 0; k < call->model->bodies; k++) {
        body_placement_near(call, w, k);
        fill_body(call, w, x, k);
    }
}

/* ---- constants ----------------------------------------------------------------------------- */

/* CONSTANT_ENTER and CONSTANT_LEAVE of each body at its first velocity. */
static inline void number_branches(const soa_model *m, const vars *w, field_rows x)
{
    double *next = w->theta, base = 0.0; /* numbers not yet given away below a body */
    for (int k = 0; k < m->bodies; k++) {
        *row_at(x, CONSTANT_LEAVE, (size_t)m->body[k].v) = 1.0; /* at first how many bodies there are outboard */
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        const int p = m->body[k].parent;
        if (p >= 0) {
            *row_at(x, CONSTANT_LEAVE, (size_t)m->body[p].v) += *row_at(x, CONSTANT_LEAVE, (size_t)m->body[k].v);
        }
    }
    for (int k = 0; k < m->bodies; k++) {
        double *from = m->body[k].parent < 0 ? &base : &next[m->body[k].parent];
        double *leave = row_at(x, CONSTANT_LEAVE, (size_t)m->body[k].v);
        const double enter = *from;
        *from += *leave;
        next[k] = enter + 1.0;
        *row_at(x, CONSTANT_ENTER, (size_t)m->body[k].v) = enter;
        *leave += enter;
    }
}

static inline void fields_prepare(const soa_model *m, vars *w)
{
    const field_rows x = { w->constants, soa_row(m) };
    memset(w->constants, 0, CONSTANTS * x.length * sizeof *w->constants);
    for (size_t i = (size_t)m->nv; i < x.length; i++) {
        *row_at(x, CONSTANT_ENTER, i) = *row_at(x, CONSTANT_LEAVE, i) = -1.0;
    }
    number_branches(m, w, x);
    w->turning = false;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        for (int i = 0; i < SOA_RIGID_NUMBERS; i++) {
            *row_at(x, CONSTANT_INERTIA + i, (size_t)body->v) = body->inertia[i];
        }
        for (int c = 0; c < body->nv; c++) {
            *row_at(x, CONSTANT_ENTER, (size_t)(body->v + c)) = *row_at(x, CONSTANT_ENTER, (size_t)body->v);
            *row_at(x, CONSTANT_LEAVE, (size_t)(body->v + c)) = *row_at(x, CONSTANT_LEAVE, (size_t)body->v);
            w->turning = w->turning || !column_outboard(body, c);
        }
    }
}

#endif

#endif
