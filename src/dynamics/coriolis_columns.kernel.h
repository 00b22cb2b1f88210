/* dynamics/coriolis_columns.kernel.h - the Coriolis matrix of one state, bodies and joints in lanes.
 *
 * Given R, l, V and J of every joint velocity (fields.h):
 *     bodies   M, K, p in world axes                          lanes: bodies
 *     inward   their sums over all that is outboard
 *     joints   dJ/dt, and what each joint makes felt          lanes: joint velocities
 *     rows     C(i, .), each by the joint that is outboard    lanes: columns of C */
#ifndef SOA_DYNAMICS_CORIOLIS_COLUMNS_KERNEL_H
#define SOA_DYNAMICS_CORIOLIS_COLUMNS_KERNEL_H

#include "dynamics/coriolis.kernel.h"

static inline void columns_bodies(field_rows constant, field_rows x)
{
    for (size_t i = 0; i < x.length; i += LANES) {
        const pose W = { row_mat3(x, FIELD_R, i), row_vec3(x, FIELD_l, i) };
        const motion V = row_motion(x, FIELD_V, i);
        const rigid M = rigid_shift(W, row_rigid(constant, CONSTANT_INERTIA, i));
        row_put_rigid(x, FIELD_inertia, i, M);
        row_put_mat3(x, FIELD_K, i, body_K(M, V));
        row_put_vec3(x, FIELD_p, i, body_p(M, V));
    }
}

/* The same number in each lane. */
KERNEL vec3 row_one_vec3(field_rows x, int field, size_t i)
{
    return (
        vec3){ real_set(*row_at(x, field, i)), real_set(*row_at(x, field + 1, i)), real_set(*row_at(x, field + 2, i)) };
}

KERNEL motion row_one_motion(field_rows x, int field, size_t i)
{
    return (motion){ row_one_vec3(x, field, i), row_one_vec3(x, field + 3, i) };
}

/* gear of a body in world axes. */
KERNEL vec3 columns_gear(const soa_call *call, field_rows x, const soa_body_data *body)
{
    const size_t p = (size_t)call->model->body[body->parent].v;
    const vec3 X = row_one_vec3(x, FIELD_R, p), Y = row_one_vec3(x, FIELD_R + 3, p);
    const vec3 Z = row_one_vec3(x, FIELD_R + 6, p);
    return mat3_mul_vec((mat3){ X.x, X.y, X.z, Y.x, Y.y, Y.z, Z.x, Z.y, Z.z }, vec3_set(body->rest->gear));
}

static inline void columns_rotor_K(const soa_call *call, field_rows x, const soa_body_data *body)
{
    const mat3 K = rotor_K(columns_gear(call, x, body), real_set(call->v.at[body->v]));
    const real k[9] = { K.xx, K.xy, K.xz, K.yx, K.yy, K.yz, K.zx, K.zy, K.zz };
    for (int i = 0; i < 9; i++) {
        *row_at(x, FIELD_K + i, (size_t)call->model->body[body->parent].v) += real_get(k[i], 0);
    }
}

/* inertia, K, p of all that is outboard; then also at the other velocities of the joints. */
static inline void columns_inward(const soa_call *call, field_rows x)
{
    const soa_model *m = call->model;
    for (int k = m->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &m->body[k];
        if (body->parent >= 0) {
            double *from = row_at(x, FIELD_inertia, (size_t)body->v);
            double *to = row_at(x, FIELD_inertia, (size_t)m->body[body->parent].v);
            for (int i = FIELD_inertia; i <= FIELD_p_end; i++, from += x.length, to += x.length) {
                *to += *from;
            }
            if (body->geared) {
                columns_rotor_K(call, x, body);
            }
        }
        for (int i = FIELD_inertia; body->nv > 1 && i <= FIELD_p_end; i++) {
            double *at = row_at(x, i, (size_t)body->v);
            for (int c = 1; c < body->nv; c++) {
                at[c] = at[0];
            }
        }
    }
}

static inline void columns_joints(field_rows x, bool turning)
{
    for (size_t i = 0; i < x.length; i += LANES) {
        const motion J = row_motion(x, FIELD_J, i);
        const motion J_dot = motion_cross(row_motion(x, turning ? FIELD_V_turn : FIELD_V, i), J);
        const carried c =
            carried_of(row_rigid(x, FIELD_inertia, i), row_mat3(x, FIELD_K, i), row_vec3(x, FIELD_p, i), J, J_dot);
        row_put_motion(x, FIELD_J_dot, i, J_dot);
        row_put_force(x, FIELD_F, i, c.F);
        row_put_force(x, FIELD_U, i, c.U);
        row_put_vec3(x, FIELD_B_h, i, c.B_h);
    }
}

/* One joint with a rotor: its own entry is made before the rotor is felt.  [GEAR] */
static inline void columns_rotor(const soa_call *call, field_rows x, const soa_body_data *body)
{
    const size_t i = (size_t)body->v;
    const vec3 gear = columns_gear(call, x, body);
    const vec3 half = rotor_half(row_one_vec3(x, FIELD_V, (size_t)call->model->body[body->parent].v), gear);
    carried c = { { row_one_vec3(x, FIELD_F, i), row_one_vec3(x, FIELD_F + 3, i) },
        { row_one_vec3(x, FIELD_U, i), row_one_vec3(x, FIELD_U + 3, i) }, row_one_vec3(x, FIELD_B_h, i) };
    *row_at(x, FIELD_own, i) = real_get(entry_inboard(c, row_one_motion(x, FIELD_J, i)), 0);
    c = rotor_carried(c, gear, half);
    const real felt[9] = { c.F.n.x, c.F.n.y, c.F.n.z, c.U.n.x, c.U.n.y, c.U.n.z, c.B_h.x, c.B_h.y, c.B_h.z };
    const int field[3] = { FIELD_F, FIELD_U, FIELD_B_h };
    for (int f = 0; f < 9; f++) {
        *row_at(x, field[f / 3] + f % 3, i) = real_get(felt[f], 0);
    }
}

/* C(row, first ..) as it is in the lanes of the mask, zero elsewhere. */
KERNEL real columns_entries(field_rows constant, field_rows x, size_t row, size_t first)
{
    const real enter = row_get(constant, CONSTANT_ENTER, first), leave = row_get(constant, CONSTANT_LEAVE, first);
    const real own = real_set(*row_at(constant, CONSTANT_ENTER, row));
    const real own_leave = real_set(*row_at(constant, CONSTANT_LEAVE, row));
    const real_int column_outer = real_less_equal(own, enter) & real_less(enter, own_leave);
    const real_int row_outer = real_less(enter, own) & real_less(own, leave);
    real y = real_set(0.0);
    if (real_any(column_outer)) {
        const carried c = { .F = row_force(x, FIELD_F, first) };
        y = real_select(column_outer, entry_inboard(c, row_one_motion(x, FIELD_J, row)), y);
    }
    if (real_any(row_outer)) {
        const carried c = { .U = { row_one_vec3(x, FIELD_U, row), row_one_vec3(x, FIELD_U + 3, row) },
            .B_h = row_one_vec3(x, FIELD_B_h, row) };
        const motion h = { .w = row_vec3(x, FIELD_J, first) };
        y = real_select(row_outer, entry_outboard(c, h, row_motion(x, FIELD_J_dot, first)), y);
    }
    return y;
}

static inline void columns_rows(const soa_call *call, field_rows constant, field_rows x)
{
    const size_t nv = (size_t)call->model->nv, step = call->step;
    for (size_t row = 0; row < nv; row++) {
        for (size_t first = 0; first < nv; first += LANES) {
            const real y = columns_entries(constant, x, row, first);
            const size_t at = row * nv + first;
            if (step == 1 && at + LANES <= nv * nv) { /* what goes beyond the row is written again */
                real_store(call->y.at + at, y);
                continue;
            }
            for (size_t lane = 0; lane < LANES && first + lane < nv; lane++) {
                call->y.at[(at + lane) * step] = real_get(y, (int)lane);
            }
        }
    }
}

/* What rotors and armature change in rows that are there. */
static inline void columns_rotor_entries(const soa_call *call, field_rows x, const soa_body_data *body)
{
    const size_t nv = (size_t)call->model->nv, v = (size_t)body->v;
    if (body->geared) {
        call->y.at[v * (nv + 1) * call->step] = *row_at(x, FIELD_own, v);
    }
    if (body->nv > 1) {
        real beta[SOA_JOINT_MAX_NV];
        armature_entry entry[12];
        for (int c = 0; c < body->nv; c++) {
            beta[c] = real_set(call->v.at[body->v + c]);
        }
        const int count = armature_entries(body, beta, entry);
        for (int e = 0; e < count; e++) {
            const size_t row = v + (size_t)entry[e].row, column = v + (size_t)entry[e].column;
            call->y.at[(row * nv + column) * call->step] += real_get(entry[e].x, 0);
        }
    }
}

static void coriolis_columns(const soa_call *call, const double *constants, double *fields, bool turning)
{
    const soa_model *m = call->model;
    const field_rows constant = { (double *)(uintptr_t)constants, soa_row(m) }, x = { fields, soa_row(m) };
    columns_bodies(constant, x);
    columns_inward(call, x);
    columns_joints(x, turning);
    for (int k = 0; k < m->bodies; k++) {
        if (m->body[k].geared) {
            columns_rotor(call, x, &m->body[k]);
        }
    }
    columns_rows(call, constant, x);
    for (int k = 0; k < m->bodies; k++) {
        if (m->body[k].armature != 0.0) {
            columns_rotor_entries(call, x, &m->body[k]);
        }
    }
}

#endif
