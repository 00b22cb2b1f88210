/* dynamics/coriolis_columns.kernel.h - the Coriolis matrix of one state, bodies and joints in lanes.
 *
 * Given R, l of every body (fields.h):
 *     columns  J                                              lanes: joints
 *     outward  V
 *     bodies   M, K, p in world axes                          lanes: bodies
 *     inward   their sums over all that is outboard
 *     joints   dJ/dt, and what each joint makes felt          lanes: joint velocities
 *     rows     C(i, .), each by the joint that is outboard    lanes: columns of C */
#ifndef SOA_DYNAMICS_CORIOLIS_COLUMNS_KERNEL_H
#define SOA_DYNAMICS_CORIOLIS_COLUMNS_KERNEL_H

#include "dynamics/coriolis.kernel.h"

/* J of joints about and along z. */
static inline void columns_begin(const soa_call *call)
{
    for (size_t i = 0; i < soa_places(call->model); i += LANES) {
        double *x = fields_of(call, i);
        const real kind = field_get(constants_of(call, i), CONSTANT_TURNS), o = real_set(0.0);
        const real_int about = real_less(o, kind), along = real_less(kind, o);
        const mat3 R = field_mat3(x, FIELD_R);
        const motion J_about = revolute_column(R, field_vec3(x, FIELD_l)), J_along = prismatic_column(R);
        const real a[6] = { J_about.w.x, J_about.w.y, J_about.w.z, J_about.v.x, J_about.v.y, J_about.v.z };
        const real b[6] = { J_along.w.x, J_along.w.y, J_along.w.z, J_along.v.x, J_along.v.y, J_along.v.z };
        for (int f = 0; f < 6; f++) {
            const real other = field_get(x, FIELD_J + f);
            field_put(x, FIELD_J + f, real_select(about, a[f], real_select(along, b[f], other)));
        }
    }
}

/* Outward: V = V(p) + sum of J beta. */
static inline void columns_velocities(const soa_call *call, bool turning)
{
    static const double zero[6 * FIELD_STEP] = { 0.0 };
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const int p = body->parent;
        double *x = fields_of(call, (size_t)body->v);
        const double *V_parent = p < 0 ? zero : fields_of(call, (size_t)m->body[p].v) + FIELD_V * FIELD_STEP;
        double dV[6];
        for (int f = 0; f < 6; f++) {
            dV[f] = x[FIELD_beta * FIELD_STEP] * x[(FIELD_J + f) * FIELD_STEP];
        }
        for (int c = 1; c < body->nv; c++) {
            const double *y = fields_of(call, (size_t)(body->v + c));
            for (int f = 0; f < 6; f++) {
                dV[f] = double_fma(y[FIELD_beta * FIELD_STEP], y[(FIELD_J + f) * FIELD_STEP], dV[f]);
            }
        }
        for (int f = 0; f < 6; f++) {
            x[(FIELD_V + f) * FIELD_STEP] = p < 0 ? dV[f] : V_parent[f * FIELD_STEP] + dV[f];
        }
        for (int c = 0; c < body->nv && (body->nv > 1 || turning); c++) {
            double *y = fields_of(call, (size_t)(body->v + c));
            for (int f = 0; f < 6; f++) {
                const double V = x[(FIELD_V + f) * FIELD_STEP];
                y[(FIELD_V + f) * FIELD_STEP] = V;
                if (turning) {
                    y[(FIELD_V_turn + f) * FIELD_STEP] = column_inboard(body, c) ? V_parent[f * FIELD_STEP] : V;
                }
            }
        }
    }
}

/* M, K (in N), p of every body, and the rate of J of every joint (in S3). */
static inline void columns_bodies(const soa_call *call, bool turning)
{
    for (size_t i = 0; i < soa_places(call->model); i += LANES) {
        double *x = fields_of(call, i);
        const pose W = { field_mat3(x, FIELD_R), field_vec3(x, FIELD_l) };
        const motion V = field_motion(x, FIELD_V);
        const rigid M = rigid_shift(W, field_rigid(constants_of(call, i), CONSTANT_INERTIA));
        field_put_rigid(x, FIELD_inertia, M);
        field_put_mat3(x, FIELD_N, body_K(M, V));
        field_put_vec3(x, FIELD_p, body_p(M, V));
        const motion V_turn = turning ? field_motion(x, FIELD_V_turn) : V;
        field_put_motion(x, FIELD_S3, motion_cross(V_turn, field_motion(x, FIELD_J)));
    }
}

/* K of a rotor, added to that of the parent. */
static inline void columns_rotor_K(const soa_call *call, const vars *w, const soa_body_data *body)
{
    (void)w;
    const real rate = real_set(fields_of(call, (size_t)body->v)[FIELD_beta * FIELD_STEP]);
    const mat3 K = rotor_K(gear_in_world(call, body), rate);
    const real k[9] = { K.xx, K.xy, K.xz, K.yx, K.yy, K.yz, K.zx, K.zy, K.zz };
    double *to = fields_of(call, (size_t)call->model->body[body->parent].v);
    for (int f = 0; f < 9; f++) {
        to[(FIELD_N + f) * FIELD_STEP] += real_get(k[f], 0);
    }
}

/* inertia, K, p of all that is outboard. */
static inline void columns_inward(const soa_call *call)
{
    fields_inward(call, NULL, FIELD_inertia, FIELD_p_end, columns_rotor_K);
}

/* U, B, FV of each velocity: what it makes felt inboard. */
static void joint_rates(const soa_call *call)
{
    for (size_t c = 0; c < (size_t)call->model->nv; c += LANES) {
        double *here = fields_of(call, c);
        const carried x = carried_of(field_rigid(here, FIELD_inertia), field_mat3(here, FIELD_N),
            field_vec3(here, FIELD_p), field_motion(here, FIELD_J), field_motion(here, FIELD_S3));
        field_put_force(here, FIELD_U, x.U);
        field_put_vec3(here, FIELD_B, x.B_h);
        field_put_force(here, FIELD_FV, x.F);
    }
}

/* One joint with a rotor: its own entry is made before the rotor is felt.  [GEAR] */
static inline void columns_rotor(const soa_call *call, const soa_body_data *body)
{
    double *x = fields_of(call, (size_t)body->v);
    const double *parent = fields_of(call, (size_t)call->model->body[body->parent].v);
    const vec3 gear = gear_in_world(call, body);
    const vec3 half = rotor_half(field_one_vec3(parent, FIELD_V), gear);
    carried c = { field_one_force(x, FIELD_FV), field_one_force(x, FIELD_U), field_one_vec3(x, FIELD_B) };
    const real own = entry_inboard(c, field_one_motion(x, FIELD_J));
    c = rotor_carried(c, gear, half);
    field_put_one(x, FIELD_own, 1, &own);
    field_put_one(x, FIELD_FV, 3, (real[]){ c.F.n.x, c.F.n.y, c.F.n.z });
    field_put_one(x, FIELD_U, 3, (real[]){ c.U.n.x, c.U.n.y, c.U.n.z });
    field_put_one(x, FIELD_B, 3, (real[]){ c.B_h.x, c.B_h.y, c.B_h.z });
}

/* Where the constants and fields of a velocity stand. */
typedef struct columns_place {
    const double *constants, *fields;
} columns_place;

/* C(row, columns from `first` on): zero where neither joint is outboard of the other. */
KERNEL real columns_entries(columns_place row, columns_place first)
{
    const double *own = row.constants, *x = row.fields, *column = first.constants, *y = first.fields;
    const real enter = field_get(column, CONSTANT_ENTER), leave = field_get(column, CONSTANT_LEAVE);
    const real own_enter = real_set(field_number(own, CONSTANT_ENTER));
    const real own_leave = real_set(field_number(own, CONSTANT_LEAVE));
    const real_int column_outer = real_less_equal(own_enter, enter) & real_less(enter, own_leave);
    const real_int row_outer = real_less(enter, own_enter) & real_less(own_enter, leave);
    real entry = real_set(0.0);
    if (real_any(column_outer)) {
        const carried c = { .F = field_force(y, FIELD_FV) };
        entry = real_select(column_outer, entry_inboard(c, field_one_motion(x, FIELD_J)), entry);
    }
    if (real_any(row_outer)) {
        const carried c = { .U = field_one_force(x, FIELD_U), .B_h = field_one_vec3(x, FIELD_B) };
        const motion h = { .w = field_vec3(y, FIELD_J) };
        entry = real_select(row_outer, entry_outboard(c, h, field_motion(y, FIELD_S3)), entry);
    }
    return entry;
}

/* All rows of C. The call is not read again in the loop: for all that the compiler knows vectors are stored over it. */
static inline void columns_rows(const soa_call *call)
{
    const size_t nv = (size_t)call->model->nv, spacing = call->spacing;
    const double *constants = call->constants;
    double *fields = call->fields, *C = call->y.at;
    for (size_t row = 0; row < nv; row++) {
        const columns_place own = { soa_constant(constants, row), soa_field(fields, row) };
        for (size_t first = 0; first < nv; first += LANES) {
            const columns_place columns = { soa_constant(constants, first), soa_field(fields, first) };
            const real y = columns_entries(own, columns);
            const size_t at = row * nv + first;
            if (spacing == 1 && at + LANES <= nv * nv) { /* what goes beyond the row is written again */
                real_store(C + at, y);
                continue;
            }
            for (size_t lane = 0; lane < LANES && first + lane < nv; lane++) {
                C[(at + lane) * spacing] = real_get(y, (int)lane);
            }
        }
    }
}

/* What rotors and armature change in rows that are there. */
static inline void columns_rotor_entries(const soa_call *call, const soa_body_data *body)
{
    const size_t nv = (size_t)call->model->nv, v = (size_t)body->v;
    if (body->geared) {
        call->y.at[v * (nv + 1) * call->spacing] = fields_of(call, v)[FIELD_own * FIELD_STEP];
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
            call->y.at[(row * nv + column) * call->spacing] += real_get(entry[e].x, 0);
        }
    }
}

static inline void coriolis_columns(const soa_call *call, bool turning)
{
    const soa_model *m = call->model;
    columns_begin(call);
    columns_velocities(call, turning);
    columns_bodies(call, turning);
    columns_inward(call);
    joint_rates(call);
    for (int k = 0; k < m->bodies; k++) {
        if (m->body[k].geared) {
            columns_rotor(call, &m->body[k]);
        }
    }
    columns_rows(call);
    for (int k = 0; k < m->bodies; k++) {
        if (m->body[k].armature != 0.0) {
            columns_rotor_entries(call, &m->body[k]);
        }
    }
}

#endif
