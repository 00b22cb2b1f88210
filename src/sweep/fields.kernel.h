/* sweep/fields.kernel.h - reading and writing fields, and the columns of joints in the world.
 *
 *     J_i   column of joint velocity i: what it adds to the velocity of all bodies outboard
 *     V     = sum of J beta over the path to the base
 * A column is fixed in the outboard body or in the inboard one; dJ/dt = V~ J with the V of
 * that body. */
#ifndef SOA_SWEEP_FIELDS_KERNEL_H
#define SOA_SWEEP_FIELDS_KERNEL_H

#include <math.h>

#include "sweep/screw.kernel.h"

/* Field 0 and constant 0 of velocity c, and of LANES velocities from it on. */
KERNEL double *fields_of(const soa_call *call, size_t c)
{
    return soa_field(call->fields, c);
}

KERNEL const double *constants_of(const soa_call *call, size_t c)
{
    return soa_constant(call->constants, c);
}

/* ---- fields: x is that of the velocity in the first lane ---------------------------------- */

/* Where a field of one velocity stands. */
KERNEL double *field_at(double *x, int field)
{
    return x + FIELD_STEP * field;
}

/* One number of one velocity. */
KERNEL double field_number(const double *x, int field)
{
    return x[FIELD_STEP * field];
}

KERNEL real field_get(const double *x, int field)
{
    return real_load(x + FIELD_STEP * field);
}

KERNEL void field_put(double *x, int field, real value)
{
    real_store(x + FIELD_STEP * field, value);
}

KERNEL vec3 field_vec3(const double *x, int field)
{
    return (vec3){ field_get(x, field), field_get(x, field + 1), field_get(x, field + 2) };
}

KERNEL motion field_motion(const double *x, int field)
{
    return (motion){ field_vec3(x, field), field_vec3(x, field + 3) };
}

KERNEL force field_force(const double *x, int field)
{
    return (force){ field_vec3(x, field), field_vec3(x, field + 3) };
}

KERNEL mat3 field_mat3(const double *x, int field)
{
    const vec3 a = field_vec3(x, field), b = field_vec3(x, field + 3), c = field_vec3(x, field + 6);
    return (mat3){ a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z };
}

KERNEL rigid field_rigid(const double *x, int field)
{
    const vec3 a = field_vec3(x, field + 4), b = field_vec3(x, field + 7);
    return (rigid){ field_get(x, field), field_vec3(x, field + 1), { a.x, a.y, a.z, b.x, b.y, b.z } };
}

KERNEL void field_put_vec3(double *x, int field, vec3 v)
{
    field_put(x, field, v.x);
    field_put(x, field + 1, v.y);
    field_put(x, field + 2, v.z);
}

KERNEL void field_put_motion(double *x, int field, motion V)
{
    field_put_vec3(x, field, V.w);
    field_put_vec3(x, field + 3, V.v);
}

KERNEL void field_put_force(double *x, int field, force f)
{
    field_put_vec3(x, field, f.n);
    field_put_vec3(x, field + 3, f.f);
}

KERNEL void field_put_mat3(double *x, int field, mat3 a)
{
    field_put_vec3(x, field, (vec3){ a.xx, a.xy, a.xz });
    field_put_vec3(x, field + 3, (vec3){ a.yx, a.yy, a.yz });
    field_put_vec3(x, field + 6, (vec3){ a.zx, a.zy, a.zz });
}

KERNEL void field_put_rigid(double *x, int field, rigid M)
{
    field_put(x, field, M.m);
    field_put_vec3(x, field + 1, M.h);
    field_put_vec3(x, field + 4, (vec3){ M.J.xx, M.J.xy, M.J.xz });
    field_put_vec3(x, field + 7, (vec3){ M.J.yy, M.J.yz, M.J.zz });
}

/* The number of one velocity in each lane. */
KERNEL vec3 field_one_vec3(const double *x, int field)
{
    const double *at = x + FIELD_STEP * field;
    return (vec3){ real_set(at[0]), real_set(at[FIELD_STEP]), real_set(at[2 * FIELD_STEP]) };
}

KERNEL motion field_one_motion(const double *x, int field)
{
    return (motion){ field_one_vec3(x, field), field_one_vec3(x, field + 3) };
}

KERNEL force field_one_force(const double *x, int field)
{
    return (force){ field_one_vec3(x, field), field_one_vec3(x, field + 3) };
}

KERNEL mat3 field_one_mat3(const double *x, int field)
{
    const vec3 a = field_one_vec3(x, field), b = field_one_vec3(x, field + 3), c = field_one_vec3(x, field + 6);
    return (mat3){ a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z };
}

/* Lane 0 of numbers to fields of one velocity. */
KERNEL void field_put_one(double *x, int field, int count, const real *value)
{
    for (int i = 0; i < count; i++) {
        x[FIELD_STEP * (field + i)] = real_get(value[i], 0);
    }
}

/* ---- columns ------------------------------------------------------------------------------ */

/* The column of a joint about z, of one along z, and column h of H* of any other; (R, l) the body. */
KERNEL motion revolute_column(mat3 R, vec3 l)
{
    const vec3 z = mat3_column_z(R);
    return (motion){ z, vec3_cross(l, z) };
}

KERNEL motion prismatic_column(mat3 R)
{
    return (motion){ vec3_zero(), mat3_column_z(R) };
}

KERNEL motion column_any(mat3 R, vec3 l, motion h)
{
    const vec3 axis = mat3_mul_vec(R, h.w);
    return (motion){ axis, vec3_cross_add(l, axis, mat3_mul_vec(R, h.v)) };
}

/* Column c of H* of body k, whose frame is in w->W. */
KERNEL motion column_in_world(const vars *w, const soa_body_data *body, int k, int c)
{
    const pose W = w->W[k];
    return body->joint_class == SOA_CLASS_REVOLUTE    ? revolute_column(W.R, W.l)
           : body->joint_class == SOA_CLASS_PRISMATIC ? prismatic_column(W.R)
                                                      : column_any(W.R, W.l, w->H[body->v + c]);
}

/* The gear of a body, in world axes: those of its parent turn it. */
KERNEL vec3 gear_in_world(const soa_call *call, const soa_body_data *body)
{
    const double *parent = fields_of(call, (size_t)call->model->body[body->parent].v);
    return mat3_mul_vec(field_one_mat3(parent, FIELD_R), vec3_set(body->rest->gear));
}

/* Before a loop over fields: the numbers of one velocity stand at fixed distances. */
#if defined(__GNUC__) && !defined(__clang__)
#define UNROLLED _Pragma("GCC unroll 32")
#else
#define UNROLLED
#endif

/* What the rotor of a joint adds to the sums of its parent.  [GEAR] */
typedef void rotor_sum(const soa_call *call, const vars *w, const soa_body_data *body);

/* Fields first .. last of the bodies summed inward, with what rotors add, and given to each velocity of a joint. */
KERNEL void fields_inward(const soa_call *call, const vars *w, const int first, const int last, rotor_sum *rotor)
{
    const soa_model *m = call->model;
    for (int k = m->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &m->body[k];
        const double *from = fields_of(call, (size_t)body->v);
        if (body->parent >= 0) {
            double *to = fields_of(call, (size_t)m->body[body->parent].v);
            UNROLLED
            for (int f = first; f <= last; f++) {
                to[f * FIELD_STEP] += from[f * FIELD_STEP];
            }
            if (rotor && body->geared) {
                rotor(call, w, body);
            }
        }
        for (int c = 1; c < body->nv; c++) {
            double *to = fields_of(call, (size_t)(body->v + c));
            UNROLLED
            for (int f = first; f <= last; f++) {
                to[f * FIELD_STEP] = from[f * FIELD_STEP];
            }
        }
    }
}

/* (R, l) of a body given that of its parent; the first body is where lengths are taken from. */
KERNEL pose body_placement_near(const soa_call *call, const vars *w, int k, pose W_parent)
{
    const bool first = call->model->body[k].parent < 0;
    pose W = placement_from(call, w, k, first ? NULL : &W_parent);
    W.l = first ? vec3_zero() : W.l;
    return W;
}

#if LANES == 1

/* The variables of a state that has fields; no lane has failed. */
KERNEL vars fields_begin(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    call->constants = w.constants;
    call->fields = w.fields;
    return w;
}

/* Column c of a joint not about or along z, and of all bodies on its other velocities none. */
static inline void fields_general(const soa_call *call, const vars *w, int k, pose W)
{
    const soa_body_data *body = &call->model->body[k];
    for (int c = 0; c < body->nv; c++) {
        double *x = soa_field(w->fields, (size_t)(body->v + c));
        field_put(x, FIELD_beta, call->v.at ? call->v.at[body->v + c] : 0.0);
        field_put_motion(x, FIELD_J, column_any(W.R, W.l, w->H[body->v + c]));
        if (c > 0) {
            field_put_mat3(x, FIELD_R, mat3_zero());
            field_put_vec3(x, FIELD_l, vec3_zero());
        }
    }
}

/* q, and v if there is one: R, l, beta of all bodies, J of the joints not about or along z. */
static inline void fields_outward(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    crossings_begin(call, w);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        double *x = soa_field(w->fields, (size_t)body->v);
        pose W = pose_identity();
        if (body->parent >= 0) {
            const double *parent = soa_field(w->fields, (size_t)m->body[body->parent].v);
            W = (pose){ field_mat3(parent, FIELD_R), field_vec3(parent, FIELD_l) };
        }
        W = body_placement_near(call, w, k, W);
        if (soa_is_screw(body)) {
            field_put(x, FIELD_beta, call->v.at ? call->v.at[body->v] : 0.0);
        } else {
            fields_general(call, w, k, W);
        }
        field_put_mat3(x, FIELD_R, W.R);
        field_put_vec3(x, FIELD_l, W.l);
    }
}

/* ---- constants ----------------------------------------------------------------------------- */

static inline double *constant_at(const vars *w, int constant, int velocity)
{
    const size_t i = (size_t)velocity, lane = i % SOA_MAX_LANES;
    return w->constants + (i - lane) * CONSTANTS + (size_t)constant * SOA_MAX_LANES + lane;
}

/* CONSTANT_ENTER, CONSTANT_LEAVE and CONSTANT_HIGH of each body at its first velocity. */
static inline void number_branches(const soa_model *m, const vars *w)
{
    double *next = w->theta, base = 0.0; /* numbers not yet given away below a body */
    for (int k = 0; k < m->bodies; k++) {
        *constant_at(w, CONSTANT_LEAVE, m->body[k].v) = 1.0; /* at first how many bodies there are outboard */
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        const int p = m->body[k].parent;
        double *high = constant_at(w, CONSTANT_HIGH, m->body[k].v);
        *high = fmax(*high, m->body[k].v + m->body[k].nv);
        if (p >= 0) {
            *constant_at(w, CONSTANT_LEAVE, m->body[p].v) += *constant_at(w, CONSTANT_LEAVE, m->body[k].v);
            *constant_at(w, CONSTANT_HIGH, m->body[p].v) = fmax(*high, *constant_at(w, CONSTANT_HIGH, m->body[p].v));
        }
    }
    for (int k = 0; k < m->bodies; k++) {
        double *from = m->body[k].parent < 0 ? &base : &next[m->body[k].parent];
        double *leave = constant_at(w, CONSTANT_LEAVE, m->body[k].v);
        const double enter = *from;
        *from += *leave;
        next[k] = enter + 1.0;
        *constant_at(w, CONSTANT_ENTER, m->body[k].v) = enter;
        *leave += enter;
    }
}

static inline void fields_prepare(const soa_model *m, vars *w)
{
    const int places = (int)soa_places(m);
    memset(w->constants, 0, CONSTANTS * soa_places(m) * sizeof *w->constants);
    for (int i = m->nv; i < places; i++) {
        *constant_at(w, CONSTANT_ENTER, i) = *constant_at(w, CONSTANT_LEAVE, i) = -1.0;
    }
    number_branches(m, w);
    w->turning = false;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        for (int i = 0; i < SOA_RIGID_NUMBERS; i++) {
            *constant_at(w, CONSTANT_INERTIA + i, body->v) = body->inertia[i];
        }
        for (int c = 0; c < body->nv; c++) {
            const bool turns = body->joint_class == SOA_CLASS_REVOLUTE;
            *constant_at(w, CONSTANT_TURNS, body->v + c) = turns ? 1.0 : soa_is_screw(body) ? -1.0 : 0.0;
            *constant_at(w, CONSTANT_ENTER, body->v + c) = *constant_at(w, CONSTANT_ENTER, body->v);
            *constant_at(w, CONSTANT_LEAVE, body->v + c) = *constant_at(w, CONSTANT_LEAVE, body->v);
            *constant_at(w, CONSTANT_HIGH, body->v + c) = *constant_at(w, CONSTANT_HIGH, body->v);
            w->turning = w->turning || column_inboard(body, c);
        }
    }
}

#endif

#endif
