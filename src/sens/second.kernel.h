/* sens/second.kernel.h - second derivatives of inverse dynamics, summed with weights.
 *
 * L = x T = sum of Y f, with Y = phi* H* x. Its first derivatives are products of what belongs to a joint with sums
 * over all that is outboard of it, Z = sum of M Y and Q = sum of (S[V] M - M V~ - Q[M V])* Y:
 *     dL/dq = F Y1 + Z S2 + Q S1,  dL/dv = Z S3 + Q S,  dL/dvdot = Z S,  Y1 = Y(b) x S.
 * When joint m moves, the joints outboard of it turn with S(m) and
 *     S1 gains S1(m) x S,  S2 gains S2(m) x S + 2 S1(m) x S1,  S3 gains 2 S1(m) x S,  Y1 gains Y1(m) x S,
 *     dZ = ZQ = S[S] Z + R Y1,  dQ = QQ = S[S] Q + [N 0; -p~ 0]* Y1 - [NY 0; -2 Z~ 0]* S1,
 * and by v(m) dQ = -BY = -[NY 0; -2 Z~ 0]* S. All products of three joints cancel: row j, column m
 *             m outboard of j, or of the same joint        m inboard of j
 *     qq      FQ(m) Y1(j) + ZQ(m) S2(j) + QQ(m) S1(j)      FQ(j) Y1(m) + ZQ(j) S2(m) + QQ(j) S1(m)
 *     vq      ZQ(m) S3(j) + QQ(m) S(j)                     FV(j) Y1(m) - BY(j) S1(m)
 *     vv      -BY(m) S(j)                                  -BY(j) S(m)
 *     aq      ZQ(m) S(j)                                   U(j) Y1(m) */
#ifndef SOA_SENS_SECOND_KERNEL_H
#define SOA_SENS_SECOND_KERNEL_H

#include "sens/inverse_derivatives.kernel.h"

/* ---- lanes -------------------------------------------------------------------------------- */

/* Z, Q, NY of each body by itself; R is its inertia. */
static void weigh_bodies(const soa_call *call)
{
    for (size_t c = 0; c < (size_t)call->model->nv; c += LANES) {
        double *here = fields_of(call, c);
        const rigid M = field_rigid(here, FIELD_inertia);
        const motion V = field_motion(here, FIELD_V), Y = field_motion(here, FIELD_Y);
        const force Z = rigid_mul(M, Y);
        const force turned = force_sub(force_cross(V, Z), force_cross(Y, rigid_mul(M, V)));
        field_put_force(here, FIELD_Z, Z);
        field_put_force(here, FIELD_Q, force_add(turned, rigid_mul(M, motion_cross(Y, V))));
        field_put_mat3(here, FIELD_NY, body_N(M, Y));
    }
}

/* ZQ, QQ, BY of each velocity. */
static void weigh_joints(const soa_call *call)
{
    for (size_t c = 0; c < (size_t)call->model->nv; c += LANES) {
        double *here = fields_of(call, c);
        const motion S = field_motion(here, FIELD_J), S1 = field_motion(here, FIELD_S1);
        const motion Y1 = field_motion(here, FIELD_Y1);
        const force Z = field_force(here, FIELD_Z);
        const mat3 N = field_mat3(here, FIELD_N), NY = field_mat3(here, FIELD_NY);
        const vec3 p = field_vec3(here, FIELD_p), pY = vec3_add(Z.f, Z.f);
        force Q = force_cross(S, field_force(here, FIELD_Q));
        Q.n = vec3_add(Q.n, vec3_sub(bias_t_mul(N, p, Y1), bias_t_mul(NY, pY, S1)));
        field_put_force(here, FIELD_ZQ, force_add(force_cross(S, Z), rigid_mul(field_rigid(here, FIELD_inertia), Y1)));
        field_put_force(here, FIELD_QQ, Q);
        field_put_vec3(here, FIELD_BY, bias_t_mul(NY, pY, S));
    }
}

typedef struct second_entries {
    real qq, vq, vv, aq;
} second_entries;

KERNEL second_entries second_select(real_int mask, second_entries x, second_entries y)
{
    return (second_entries){ real_select(mask, x.qq, y.qq), real_select(mask, x.vq, y.vq),
        real_select(mask, x.vv, y.vv), real_select(mask, x.aq, y.aq) };
}

/* Columns outboard of row j, or of its own joint. */
KERNEL second_entries second_outboard(const soa_call *call, size_t j, size_t c)
{
    const force ZQ = field_force(fields_of(call, c), FIELD_ZQ), QQ = field_force(fields_of(call, c), FIELD_QQ);
    const motion S = field_one_motion(fields_of(call, j), FIELD_J), S1 = field_one_motion(fields_of(call, j), FIELD_S1);
    const motion Y1 = field_one_motion(fields_of(call, j), FIELD_Y1);
    return (second_entries){
        power(field_force(fields_of(call, c), FIELD_FQ), Y1) +
            (power(ZQ, field_one_motion(fields_of(call, j), FIELD_S2)) + power(QQ, S1)),
        power(ZQ, field_one_motion(fields_of(call, j), FIELD_S3)) + power(QQ, S),
        0.0 - vec3_dot(field_vec3(fields_of(call, c), FIELD_BY), S.w),
        power(ZQ, S),
    };
}

/* Columns inboard of row j. */
KERNEL second_entries second_inboard(const soa_call *call, size_t j, size_t c)
{
    const motion S1 = field_motion(fields_of(call, c), FIELD_S1), Y1 = field_motion(fields_of(call, c), FIELD_Y1);
    const vec3 BY = field_one_vec3(fields_of(call, j), FIELD_BY);
    return (second_entries){
        power(field_one_force(fields_of(call, j), FIELD_FQ), Y1) +
            (power(field_one_force(fields_of(call, j), FIELD_ZQ), field_motion(fields_of(call, c), FIELD_S2)) +
                power(field_one_force(fields_of(call, j), FIELD_QQ), S1)),
        power(field_one_force(fields_of(call, j), FIELD_FV), Y1) - vec3_dot(BY, S1.w),
        0.0 - vec3_dot(BY, field_vec3(fields_of(call, c), FIELD_J)),
        power(field_one_force(fields_of(call, j), FIELD_U), Y1),
    };
}

/* One row of y = qq, y2 = vq, y3 = vv, y4 = aq, of a joint whose first velocity is `own`. */
static inline void second_row(const soa_call *call, int j, size_t own)
{
    const real o = real_set(0.0);
    const real enter = real_set(field_number(constants_of(call, (size_t)j), CONSTANT_ENTER));
    const real leave = real_set(field_number(constants_of(call, (size_t)j), CONSTANT_LEAVE));
    const size_t high = (size_t)field_number(constants_of(call, (size_t)j), CONSTANT_HIGH);
    for (size_t c = 0; c < (size_t)call->model->nv; c += LANES) {
        const real from = field_get(constants_of(call, c), CONSTANT_ENTER);
        const real to = field_get(constants_of(call, c), CONSTANT_LEAVE);
        second_entries x = { o, o, o, o };
        if (c + LANES > own && c < high) {
            x = second_select(
                real_less_equal(enter, from) & real_less(from, leave), second_outboard(call, (size_t)j, c), x);
        }
        if (c < own) {
            x = second_select(real_less(from, enter) & real_less(enter, to), second_inboard(call, (size_t)j, c), x);
        }
        put_row(call, call->y, j, c, x.qq);
        put_row(call, call->y2, j, c, x.vq);
        put_row(call, call->y3, j, c, x.vv);
        put_row(call, call->y4, j, c, x.aq);
    }
}

static void second_rows(const soa_call *call)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        for (int i = 0; i < m->body[k].nv; i++) {
            second_row(call, m->body[k].v + i, (size_t)m->body[k].v);
        }
    }
}

#if LANES == 1
/* ---- outward ------------------------------------------------------------------------------- */

/* Y of what the columns of a joint are fixed in: the parent's, and the columns fixed inboard. */
KERNEL motion weight_inboard(const soa_call *call, const soa_body_data *body)
{
    const size_t v = (size_t)body->v;
    motion Y = motion_zero();
    if (body->parent >= 0) {
        Y = field_motion(fields_of(call, (size_t)call->model->body[body->parent].v), FIELD_Y);
    }
    for (int i = 0; i < body->nv; i++) {
        if (column_inboard(body, i)) {
            Y = motion_scale_add(call->x.at[v + (size_t)i], field_motion(fields_of(call, v + (size_t)i), FIELD_J), Y);
        }
    }
    return Y;
}

/* Y and Y1. */
static inline void weights_outward(const soa_call *call)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const size_t v = (size_t)body->v;
        const motion Y_b = weight_inboard(call, body);
        motion Y = Y_b;
        for (int i = 0; i < body->nv; i++) {
            const motion s = field_motion(fields_of(call, v + (size_t)i), FIELD_J);
            field_put_motion(fields_of(call, v + (size_t)i), FIELD_Y1, motion_cross(Y_b, s));
            Y = column_inboard(body, i) ? Y : motion_scale_add(call->x.at[v + (size_t)i], s, Y);
        }
        field_put_motion(fields_of(call, v), FIELD_Y, Y);
    }
}

/* ---- what the rows leave out ---------------------------------------------------------------- */

/* What a pair of columns j, m of one joint adds: column j turns with m if it is fixed outboard. */
static inline void second_pair(const soa_call *call, const soa_body_data *body, moving b, force turned, int j, int m)
{
    const size_t v = (size_t)body->v, at_j = v + (size_t)j, at_m = v + (size_t)m;
    const motion S = field_motion(fields_of(call, at_j), FIELD_J), S1 = field_motion(fields_of(call, at_j), FIELD_S1);
    const motion S_m = field_motion(fields_of(call, at_m), FIELD_J),
                 S1_m = field_motion(fields_of(call, at_m), FIELD_S1);
    const motion rate = motion_sub(field_motion(fields_of(call, at_j), FIELD_S3), S1), s = motion_cross(S_m, S);
    const force Z = field_force(fields_of(call, v), FIELD_Z), Q = field_force(fields_of(call, v), FIELD_Q);
    const bool outboard = !column_inboard(body, j);
    const double times = (outboard ? 1.0 : 0.0) + (column_inboard(body, m) ? 1.0 : 0.0);
    entry_add(call, call->y3, body->v + j, body->v + m, times * power(Z, s));
    if (outboard) {
        motion change = motion_add(motion_cross(b.V, s), motion_cross(S_m, rate));
        change = motion_add(change, motion_cross(S1_m, S));
        entry_add(call, call->y, body->v + j, body->v + m, power(turned, s));
        entry_add(call, call->y2, body->v + j, body->v + m, power(Z, change) + power(Q, s));
        entry_add(call, call->y4, body->v + j, body->v + m, power(Z, s));
    }
}

/* Within one joint with several velocities. */
static inline void second_block(const soa_call *call, const vars *w, const soa_body_data *body, moving base)
{
    const size_t v = (size_t)body->v;
    const moving b = several_of(call, body, moving_parent(w, body, base)).b;
    const force Z = field_force(fields_of(call, v), FIELD_Z), Q = field_force(fields_of(call, v), FIELD_Q);
    force turned = force_cross(weight_inboard(call, body), field_force(fields_of(call, v), FIELD_F));
    turned = force_add(turned, force_cross(b.A, Z));
    turned = force_sub(force_cross(b.V, force_sub(force_cross(b.V, Z), Q)), turned);
    for (int j = 0; j < body->nv; j++) {
        for (int m = 0; m < body->nv; m++) {
            second_pair(call, body, b, turned, j, m);
        }
    }
}

/* The second derivatives of armature_bias by v. */
static inline void second_armature(const soa_call *call, const soa_body_data *body)
{
    const bool planar = body->rest->shape.kind == SOA_PLANAR;
    if (!planar && body->rest->shape.kind != SOA_FREE) {
        return;
    }
    const double a = body->armature, *x = call->x.at + body->v;
    const int v = body->v;
    for (int i = 0; i < (planar ? 2 : 3); i++) {
        const int j = planar ? 2 : (i + 1) % 3, k = planar ? 1 - i : 3 + (i + 2) % 3;
        const int k2 = (i + 2) % 3, j2 = 3 + (i + 1) % 3;
        const double weight = planar ? (i == 0 ? -a * x[0] : a * x[1]) : a * x[3 + i];
        entry_add(call, call->y3, v + j, v + k, weight);
        entry_add(call, call->y3, v + k, v + j, weight);
        if (!planar) {
            entry_add(call, call->y3, v + k2, v + j2, -weight);
            entry_add(call, call->y3, v + j2, v + k2, -weight);
        }
    }
}

/* BY of rotors gains y x gear, after the diagonal is kept. */
static inline void second_rotors(const soa_call *call)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        if (body->geared) {
            const size_t v = (size_t)body->v, p = (size_t)m->body[body->parent].v;
            const vec3 own = field_vec3(fields_of(call, v), FIELD_BY), y = field_vec3(fields_of(call, p), FIELD_Y);
            field_put(fields_of(call, v), FIELD_own, -vec3_dot(own, field_vec3(fields_of(call, v), FIELD_J)));
            field_put_vec3(fields_of(call, v), FIELD_BY, vec3_cross_add(y, gear_in_world(call, body), own));
        }
    }
}

/* q, v (or none), u = betadot (or none), x; y = qq, y2 = vq, y3 = vv, y4 = aq; or none. */
static void inverse_dynamics_second_derivatives(soa_call *call)
{
    const vars w = fields_begin(call);
    const soa_model *m = call->model;
    const soa_sens_lanes *lanes = sens_lanes(call);
    const moving base = { motion_zero(), base_acceleration(call) };
    bodies_alone(call, &w, base);
    weights_outward(call);
    lanes->weigh_bodies(call);
    sums_inward(call, &w, FIELD_Z);
    lanes->joint_rates(call);
    lanes->joint_loads(call);
    lanes->weigh_joints(call);
    rotor_loads(call, &w);
    second_rotors(call);
    lanes->second_rows(call);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        if (body->nv > 1) {
            second_block(call, &w, body, base);
        }
        if (body->geared) {
            entry_set(call, call->y3, body->v, body->v, *field_at(fields_of(call, (size_t)body->v), FIELD_own));
        }
        if (body->armature != 0.0) {
            second_armature(call, body);
        }
    }
}
#endif

#endif
