/* sens/tensor.kernel.h - what derivatives of the mass matrix and Christoffel symbols are made of.
 *
 * All in world axes about one point (sweep/fields.h), one state, J_i the column of velocity i:
 *     R(c)    composite inertia at c: m, h, J            U_c = R(c) J_c
 *     y < c   y comes before c on a path from the base: in a joint inboard, or earlier in the same joint
 * When q moves along y all columns after y turn with J_y. Joints with several velocities are
 * at first taken as if each velocity had a joint of its own; what they then lack is
 *     dJ_k/dq_j = J_j x J_k  instead of  0 (or the other way round),   j, k in one joint,
 * one more column L = +- J_j x J_k, and it enters through Mass(i, L) (struct joint_turn). */
#ifndef SOA_SENS_TENSOR_KERNEL_H
#define SOA_SENS_TENSOR_KERNEL_H

#include "dynamics/coriolis_columns.kernel.h"
#include "sens/sens_kernels.h"

/* ---- composites and columns ------------------------------------------------------------------ */

KERNEL void tensor_bodies(const soa_call *call)
{
    for (size_t i = 0; i < soa_places(call->model); i += LANES) {
        double *x = fields_of(call, i);
        const pose W = { field_mat3(x, FIELD_R), field_vec3(x, FIELD_l) };
        field_put_rigid(x, FIELD_inertia, rigid_shift(W, field_rigid(constants_of(call, i), CONSTANT_INERTIA)));
    }
}

/* J, composite inertias and U, given R and l. */
static inline void tensor_begin(const soa_call *call)
{
    columns_begin(call);
    tensor_bodies(call);
    fields_inward(call, NULL, FIELD_inertia, FIELD_inertia_end, NULL);
    for (size_t i = 0; i < soa_places(call->model); i += LANES) {
        double *x = fields_of(call, i);
        field_put_force(x, FIELD_U, rigid_mul(field_rigid(x, FIELD_inertia), field_motion(x, FIELD_J)));
    }
}

KERNEL rigid field_one_rigid(const double *x, int field)
{
    const double *at = x + FIELD_STEP * field;
    const vec3 a = field_one_vec3(x, field + 4), b = field_one_vec3(x, field + 7);
    return (rigid){ real_set(at[0]), field_one_vec3(x, field + 1), { a.x, a.y, a.z, b.x, b.y, b.z } };
}

/* ---- paths --------------------------------------------------------------------------------------- */

/* The velocities from the base to a joint: row f holds number f of each. */
typedef struct path_rows {
    double *at;
    size_t length;
    int top;   /* the body whose path it is, or -1 */
    int count; /* velocities, those of the joint included */
} path_rows;

enum {
    PATH_J = 0,
    PATH_FIRST = 6,
    PATH_SECOND = 12,
    PATH_ROW = 18,
    PATH_OTHER = 19,
    PATH_INDEX = 20,
    PATH_PLACE = 21,
    PATH_BLOCK = 22
};

KERNEL double *path_row(const path_rows *p, int field)
{
    return p->at + (size_t)field * p->length;
}

KERNEL vec3 path_vec3(const path_rows *p, int field, int spot)
{
    return (vec3){ real_load(path_row(p, field) + spot), real_load(path_row(p, field + 1) + spot),
        real_load(path_row(p, field + 2) + spot) };
}

KERNEL motion path_motion(const path_rows *p, int field, int spot)
{
    return (motion){ path_vec3(p, field, spot), path_vec3(p, field + 3, spot) };
}

KERNEL vec3 path_one_vec3(const path_rows *p, int field, int spot)
{
    return (vec3){ real_set(path_row(p, field)[spot]), real_set(path_row(p, field + 1)[spot]),
        real_set(path_row(p, field + 2)[spot]) };
}

KERNEL motion path_one_motion(const path_rows *p, int field, int spot)
{
    return (motion){ path_one_vec3(p, field, spot), path_one_vec3(p, field + 3, spot) };
}

KERNEL void path_put_vec3(const path_rows *p, int field, int spot, vec3 v)
{
    real_store(path_row(p, field) + spot, v.x);
    real_store(path_row(p, field + 1) + spot, v.y);
    real_store(path_row(p, field + 2) + spot, v.z);
}

static inline void path_push(const soa_call *call, path_rows *p, int k, int spot)
{
    const soa_body_data *body = &call->model->body[k];
    for (int c = 0; c < body->nv; c++) {
        const double *x = fields_of(call, (size_t)(body->v + c));
        for (int f = 0; f < 6; f++) {
            path_row(p, PATH_J + f)[spot + c] = x[(FIELD_J + f) * FIELD_STEP];
        }
        path_row(p, PATH_INDEX)[spot + c] = (double)(body->v + c);
    }
}

/* From the path of the body before to that of body k: mostly it gets longer by one. */
static inline void path_move(const soa_call *call, path_rows *p, int k)
{
    const soa_model *m = call->model;
    if (m->body[k].parent == p->top) {
        path_push(call, p, k, p->count);
        p->count += m->body[k].nv;
    } else {
        p->count = 0;
        for (int j = k; j >= 0; j = m->body[j].parent) {
            p->count += m->body[j].nv;
        }
        int spot = p->count;
        for (int j = k; j >= 0; j = m->body[j].parent) {
            spot -= m->body[j].nv;
            path_push(call, p, j, spot);
        }
    }
    p->top = k;
}

KERNEL path_rows path_begin(const soa_call *call)
{
    const size_t places = soa_places(call->model);
    return (path_rows){ call->fields + FIELDS * places, places, -1, 0 };
}

/* count numbers from a row of the path to y(.), y(0) for velocity 0, steps apart. */
KERNEL void put_along(const path_rows *p, const double *from, int count, double *y, size_t step)
{
    const double *index = path_row(p, PATH_INDEX);
    for (int s = 0; s < count;) {
        const size_t to = (size_t)index[s];
        if (step == 1 && s + LANES <= count && (size_t)index[s + LANES - 1] == to + LANES - 1) {
            real_store(y + to, real_load(from + s));
            s += LANES;
        } else {
            y[to * step] = from[s];
            s++;
        }
    }
}

/* ---- what several velocities of one joint lack ---------------------------------------------------- */

/* dJ_k/dq_j = L more than if j and k had joints of their own. */
typedef struct joint_turn {
    int j, k;
    double L[6], RL[6]; /* R(joint) L */
} joint_turn;

/* Whether there is any between velocities j and k of the joint (not the same). */
KERNEL bool turn_of(const soa_call *call, const soa_body_data *body, int j, int k, joint_turn *t)
{
    const int sign = (column_inboard(body, k) ? 0 : 1) - (j < k ? 1 : 0);
    if (sign == 0 || body->rest->shape.kind == SOA_CYLINDRICAL) {
        return false;
    }
    const double *x = fields_of(call, (size_t)(body->v + j)), *y = fields_of(call, (size_t)(body->v + k));
    const motion J = field_one_motion(x, FIELD_J);
    const motion L = motion_scale(real_set(sign), motion_cross(J, field_one_motion(y, FIELD_J)));
    const force RL = rigid_mul(field_one_rigid(x, FIELD_inertia), L);
    const real l[6] = { L.w.x, L.w.y, L.w.z, L.v.x, L.v.y, L.v.z };
    const real r[6] = { RL.n.x, RL.n.y, RL.n.z, RL.f.x, RL.f.y, RL.f.z };
    t->j = body->v + j;
    t->k = body->v + k;
    for (int f = 0; f < 6; f++) {
        t->L[f] = real_get(l[f], 0);
        t->RL[f] = real_get(r[f], 0);
    }
    return true;
}

KERNEL double dot6(const double *a, const double *x)
{
    double sum = a[0] * x[0];
    for (int f = 1; f < 6; f++) {
        sum = double_fma(a[f], x[f * FIELD_STEP], sum);
    }
    return sum;
}

/* Mass(i, L), i of a body inboard of the joint, outboard of it, or its own. */
KERNEL double turn_mass(const soa_call *call, const joint_turn *t, int body, int i, bool outboard)
{
    const double *x = fields_of(call, (size_t)i);
    if (!outboard) {
        return dot6(t->RL, x + FIELD_J * FIELD_STEP);
    }
    const double mass = dot6(t->L, x + FIELD_U * FIELD_STEP);
    if (!call->model->body[body].geared) {
        return mass;
    }
    const vec3 gear = gear_in_world(call, &call->model->body[body]);
    return mass + t->L[0] * real_get(gear.x, 0) + t->L[1] * real_get(gear.y, 0) + t->L[2] * real_get(gear.z, 0);
}

/* What number (i, j, k) of a tensor gains. */
typedef void tensor_add(const soa_call *call, int i, int j, int k, double x);

/* Mass(i, L) for all velocities i on one path with body b. */
KERNEL void tensor_turn(const soa_call *call, int b, const joint_turn *t, tensor_add *add)
{
    const soa_model *m = call->model;
    const double *own = constants_of(call, (size_t)m->body[b].v);
    for (int j = b; j >= 0; j = m->body[j].parent) {
        for (int i = m->body[j].v; i < m->body[j].v + m->body[j].nv; i++) {
            add(call, i, t->j, t->k, turn_mass(call, t, j, i, false));
        }
    }
    for (int j = b + 1; j < m->bodies; j++) {
        const double enter = constants_of(call, (size_t)m->body[j].v)[CONSTANT_ENTER * FIELD_STEP];
        const bool outboard = enter > own[CONSTANT_ENTER * FIELD_STEP] && enter < own[CONSTANT_LEAVE * FIELD_STEP];
        for (int i = m->body[j].v; outboard && i < m->body[j].v + m->body[j].nv; i++) {
            add(call, i, t->j, t->k, turn_mass(call, t, j, i, true));
        }
    }
}

/* Mass(i, L) for all pairs of velocities of the joint of body b. */
KERNEL void tensor_turns(const soa_call *call, int b, tensor_add *add)
{
    const soa_body_data *body = &call->model->body[b];
    for (int j = 0; j < body->nv; j++) {
        for (int k = 0; k < body->nv; k++) {
            joint_turn t;
            if (j != k && turn_of(call, body, j, k, &t)) {
                tensor_turn(call, b, &t, add);
            }
        }
    }
}

/* ---- the sweep ---------------------------------------------------------------------------------------- */

/* What tells one tensor from another. */
typedef struct tensor_rule {
    /* PATH_FIRST and PATH_SECOND of velocity c, for the `count` velocities up to it on its path. */
    void (*columns)(const soa_call *call, const path_rows *p, const soa_body_data *body, int c, int count);
    /* All numbers of which c is the last velocity. */
    void (*put)(const soa_call *call, const path_rows *p, int c, int count);
    tensor_add *add;
} tensor_rule;

/* The tensor into y, which is zero, from R and l. */
KERNEL void tensor_rows(const soa_call *call, const tensor_rule rule)
{
    const soa_model *m = call->model;
    path_rows p = path_begin(call);
    tensor_begin(call);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        path_move(call, &p, k);
        for (int c = 0; c < body->nv; c++) {
            const int count = p.count - body->nv + c + 1;
            rule.columns(call, &p, body, body->v + c, count);
            rule.put(call, &p, body->v + c, count);
        }
    }
    for (int k = 0; k < m->bodies; k++) {
        if (m->body[k].nv > 1) {
            tensor_turns(call, k, rule.add);
        }
    }
}

#endif
