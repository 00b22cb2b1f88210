/* sens/paths.kernel.h - composites and columns of one state, and the velocities on the path from the base to a joint.
 *
 * All in world axes about one point (sweep/fields.h), J_i the column of velocity i:
 *     R(c)    composite inertia at c: m, h, J            U_c = R(c) J_c
 *     y < c   y comes before c on a path from the base: in a joint inboard, or earlier in the same joint */
#ifndef SOA_SENS_PATHS_KERNEL_H
#define SOA_SENS_PATHS_KERNEL_H

#include "dynamics/coriolis_columns.kernel.h"
#include "sens/sens_kernels.h"

/* ---- composites and columns ------------------------------------------------------------------ */

/* J, composite inertias and U, given R and l. */
static inline void composites_begin(const soa_call *call)
{
    columns_begin(call);
    for (size_t i = 0; i < soa_places(call->model); i += LANES) {
        double *x = fields_of(call, i);
        const pose W = { field_mat3(x, FIELD_R), field_vec3(x, FIELD_l) };
        field_put_rigid(x, FIELD_inertia, rigid_shift(W, field_rigid(constants_of(call, i), CONSTANT_INERTIA)));
    }
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

#endif
