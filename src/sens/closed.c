/* sens/closed.c - derivatives of closed systems: constrained accelerations and multipliers.
 *
 *     Mass vdot + C = T + F* lambda,   J vdot + bias = 0
 *
 * F is J, but where something slides: its normal force brings friction with it. With A = Mass^-1, S = J A F* and
 * right-hand sides r1, r2 (one column per number)
 *     dvdot = P r1 + E r2,        E = A F* S^-1,        P = A - E J A,
 *     dlambda = L r1 + S^-1 r2,   L = -S^-1 J A. */
#include "sens/closed.h"

#include <string.h>

#include "core/error.h"
#include "sens/sens_kernels.h"
#include "soa/parameters.h"
#include "soa/sens.h"

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t links_of(const soa_part *part)
{
    return (size_t)part->model->description.link.count;
}

static size_t place(const soa_closures *set, int rows, soa_closed_scratch *s, double *at)
{
    size_t used = 0, links = 0, block = 0;
    for (int i = 0; i < set->systems; i++) {
        const size_t nv = (size_t)set->part[i].model->nv, bodies = (size_t)set->part[i].model->bodies;
        links += links_of(&set->part[i]);
        block = most(block, nv * most(2 * nv, most(SOA_PARAMETERS * links_of(&set->part[i]), 6 * bodies)));
    }
    s->n = (size_t)set->nv;
    s->r = (size_t)rows;
    s->N = (size_t)set->nodes;
    s->columns = most(most(s->n, s->r), most(6 * most(s->N, 1), SOA_PARAMETERS * links));
#define PLACE(field, count)                   \
    s->field = at ? (void *)(at + used) : at; \
    used += (count)
    PLACE(P, s->n * s->n);
    PLACE(E, s->n * s->r);
    PLACE(AF, s->n * s->r);
    PLACE(L, s->r * s->n);
    PLACE(J, s->r * s->n);
    PLACE(F, s->r * s->n);
    PLACE(S, s->r * s->r);
    PLACE(r1, s->n * s->columns);
    PLACE(r2, s->r * most(s->columns, s->r + 1));
    PLACE(order, s->r);
    PLACE(block, block);
    PLACE(column, s->n * SOA_MOVING_COLUMN);
    PLACE(body, s->N * SOA_MOVING_BODY);
    PLACE(ends, 12 * s->n);
    PLACE(push, 12 * (size_t)set->capacity);
    PLACE(vdot, s->n);
    PLACE(lambda, s->r);
#undef PLACE
    s->depends = at ? (bool *)(void *)(at + used) : NULL;
    return used + s->r;
}

soa_status soa_closures_reserve_derivatives(soa_closures *set, soa_error *error)
{
    if (!set) {
        return soa_fail_null(error, "the set of closures");
    }
    if (!set->scratch.derivatives) {
        soa_closed_scratch s;
        const size_t linear = 3 * (size_t)set->nv * (size_t)set->nv;
        const size_t numbers = linear + place(set, set->max_rows, &s, NULL) + 1;
        set->scratch.derivatives = soa_arena_take(&set->arena, numbers, sizeof(double));
    }
    return set->scratch.derivatives ? SOA_OK : soa_fail_memory(error);
}

/* ---- trees ---------------------------------------------------------------------------------------- */

/* A block of one system, times the factor, at its velocities and from a column on. */
static void put_block(const soa_part *part, double factor, soa_matrix_view from, size_t column, soa_matrix_view to)
{
    for (size_t i = 0; i < (size_t)part->model->nv; i++) {
        for (size_t j = 0; j < from.columns; j++) {
            to.at[((size_t)part->v + i) * to.columns + column + j] = factor * from.at[i * from.columns + j];
        }
    }
}

/* Mass or Mass^-1 of the trees into P. */
static soa_status masses(
    soa_closures *set, const soa_closed_scratch *s, const double *q, bool inverse, soa_error *error)
{
    soa_status status = SOA_OK;
    soa_set_zero(s->P, s->n * s->n);
    for (int i = 0; i < set->systems && status == SOA_OK; i++) {
        const soa_part *part = &set->part[i];
        const soa_model *m = part->model;
        status = inverse ? soa_mass_inverse(m, part->workspace, 1, q + part->q, s->block, error)
                         : soa_mass_matrix(m, part->workspace, 1, q + part->q, s->block, error);
        put_block(
            part, 1.0, (soa_matrix_view){ s->block, (size_t)m->nv }, (size_t)part->v, (soa_matrix_view){ s->P, s->n });
    }
    return status;
}

/* J and F. */
static void rows_of(soa_closures *set, const soa_closed_scratch *s, const soa_closed_input *in)
{
    set->table->locate(set, in);
    set->table->jacobian(set, s->J);
    memcpy(s->F, s->J, s->r * s->n * sizeof *s->F);
    for (int i = 0; i < set->ties; i++) {
        const soa_tie *tie = &set->tie[i];
        double wrench[6];
        if (tie->enabled && !tie->coupling && tie->closure.kind == SOA_CLOSE_SLIDING) {
            soa_friction_wrench(set, i, 1.0, wrench);
            set->table->pull(set, i, wrench, s->F + (size_t)tie->first * s->n);
        }
    }
}

/* What every derivative needs of the trees: how they move. */
static soa_status trees(
    soa_closures *set, const soa_closed_scratch *s, const double *q, const double *v, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; i < set->systems && status == SOA_OK; i++) {
        const soa_part *part = &set->part[i];
        const soa_model *m = part->model;
        soa_call call = {
            .q.at = q + part->q, .v.at = v ? v + part->v : NULL, .u.at = s->vdot + part->v, .u_name = "vdot"
        };
        call.y = soa_out_at(s->column + (size_t)part->v * SOA_MOVING_COLUMN, SOA_MOVING_COLUMN * m->nv);
        call.y2 = soa_out_at(s->body + (size_t)part->node * SOA_MOVING_BODY, SOA_MOVING_BODY * m->bodies);
        status = set->flexible ? SOA_OK : soa_sens_run(part->workspace, m, SOA_SENS_moving_columns, 1, &call, error);
    }
    return status;
}

/* -dT_dq or -dT_dv of all systems at vdot into r1. */
static soa_status tree_columns(const soa_closed_state *state, const soa_closed_scratch *s, bool by_v, soa_error *error)
{
    soa_status status = SOA_OK;
    soa_set_zero(s->r1, s->n * s->n);
    for (int i = 0; i < state->set->systems && status == SOA_OK; i++) {
        const soa_part *part = &state->set->part[i];
        const size_t nv = (size_t)part->model->nv;
        const double *v = state->v ? state->v + part->v : NULL, *f = state->f ? state->f + 6 * part->node : NULL;
        double *other = s->block + nv * nv;
        status = soa_inverse_dynamics_derivatives(part->model, part->workspace, 1, state->q + part->q, v,
            s->vdot + part->v, f, by_v ? other : s->block, by_v ? s->block : other, NULL, error);
        put_block(part, -1.0, (soa_matrix_view){ s->block, nv }, (size_t)part->v, (soa_matrix_view){ s->r1, s->n });
    }
    return status;
}

/* ---- derivatives -------------------------------------------------------------------------------- */

/* vdot = P r1 + E r2 and lambda = L r1 + S^-1 r2, where they are wanted, in so many columns; their rows are `stride` apart.
 * with_r2 false: r2 is zero. */
static void put_out(
    const soa_closed_scratch *s, size_t columns, bool with_r2, double *vdot, double *lambda, size_t stride)
{
    const soa_matrix_view r1 = { s->r1, columns }, r2 = { s->r2, columns };
    const soa_matrix_view to[2] = { { vdot, stride }, { lambda, stride } };
    const soa_matrix_view by_r1[2] = { { s->P, s->n }, { s->L, s->n } }, by_r2[2] = { { s->E, s->r }, { s->S, s->r } };
    for (int k = 0; k < 2; k++) {
        const size_t rows = k == 0 ? s->n : s->r;
        for (size_t i = 0; to[k].at && i < rows; i++) {
            soa_set_zero(to[k].at + i * stride, columns);
        }
        if (to[k].at) {
            soa_multiply_add(rows, 1.0, by_r1[k], r1, to[k]);
            soa_multiply_add(with_r2 ? rows : 0, 1.0, by_r2[k], r2, to[k]);
        }
    }
}

static soa_status by_q_and_v(
    const soa_closed_state *state, const soa_closed_scratch *s, const soa_closed_derivatives *out, soa_error *error)
{
    const soa_closed_sides to = { s->r1, s->r2, s->n };
    soa_status status = SOA_OK;
    if (out->vdot_q || out->lambda_q) {
        status = tree_columns(state, s, false, error);
        soa_set_zero(s->r2, s->r * s->n);
        status = status == SOA_OK ? soa_closed_add_sides(state, SOA_CLOSED_BY_Q, to, error) : status;
        put_out(s, s->n, true, out->vdot_q, out->lambda_q, s->n);
    }
    if (status == SOA_OK && (out->vdot_v || out->lambda_v)) {
        status = tree_columns(state, s, true, error);
        soa_set_zero(s->r2, s->r * s->n);
        status = status == SOA_OK ? soa_closed_add_sides(state, SOA_CLOSED_BY_V, to, error) : status;
        put_out(s, s->n, true, out->vdot_v, out->lambda_v, s->n);
    }
    return status;
}

/* Numbers that every system has of its own, but gravity, which they share. */
typedef enum group {
    BY_GRAVITY,
    BY_PARAMETERS,
    BY_PLACEMENT,
} group;

static size_t columns_of(group by, const soa_part *part)
{
    return by == BY_GRAVITY      ? 3
           : by == BY_PARAMETERS ? SOA_PARAMETERS * links_of(part)
                                 : 6 * (size_t)part->model->bodies;
}

/* dT of one system. */
static soa_status group_block(
    const soa_closed_state *state, group by, const soa_part *part, double *dT, soa_error *error)
{
    const double *q = state->q + part->q, *v = state->v ? state->v + part->v : NULL, *vdot = state->vdot + part->v;
    switch (by) {
    case BY_GRAVITY:
        return soa_gravity_derivatives(part->model, part->workspace, 1, q, dT, NULL, error);
    case BY_PARAMETERS:
        return soa_regressor(part->model, part->workspace, 1, q, v, vdot, dT, error);
    default:
        return soa_inverse_dynamics_placement(part->model, part->workspace, 1, q, v, vdot, dT, error);
    }
}

static soa_status by_group(const soa_closed_state *state, const soa_closed_scratch *s, group by, double *vdot,
    double *lambda, soa_error *error)
{
    const soa_closures *set = state->set;
    size_t columns = by == BY_GRAVITY ? 3 : 0;
    for (int i = 0; by != BY_GRAVITY && i < set->systems; i++) {
        columns += columns_of(by, &set->part[i]);
    }
    soa_status status = SOA_OK;
    soa_set_zero(s->r1, vdot || lambda ? s->n * columns : 0);
    size_t first = 0;
    for (int i = 0; (vdot || lambda) && i < set->systems && status == SOA_OK; i++) {
        const size_t own = columns_of(by, &set->part[i]);
        status = group_block(state, by, &set->part[i], s->block, error);
        put_block(&set->part[i], -1.0, (soa_matrix_view){ s->block, own }, first, (soa_matrix_view){ s->r1, columns });
        first += by == BY_GRAVITY ? 0 : own;
    }
    if (by == BY_PLACEMENT && status == SOA_OK && (vdot || lambda)) {
        soa_set_zero(s->r2, s->r * columns);
        status =
            soa_closed_add_sides(state, SOA_CLOSED_BY_PLACEMENT, (soa_closed_sides){ s->r1, s->r2, columns }, error);
    }
    put_out(s, columns, by == BY_PLACEMENT, vdot, lambda, columns);
    return status;
}

/* Derivatives by forces at points: r1 = J* of one point after another. */
static soa_status by_forces(
    const soa_closed_state *state, const soa_closed_scratch *s, const soa_closed_derivatives *out, soa_error *error)
{
    const size_t stride = 6 * (size_t)out->points;
    soa_status status = SOA_OK;
    for (int i = 0; (out->vdot_f || out->lambda_f) && i < out->points && status == SOA_OK; i++) {
        const soa_closed_point *point = &out->point[i];
        if (point->system < 0 || point->system >= state->set->systems) {
            return soa_fail(error, SOA_E_ARGUMENT, -1, "point %d: there is no system %d", i, point->system);
        }
        const soa_part *part = &state->set->part[point->system];
        status = soa_point_force_derivatives(
            part->model, part->workspace, 1, &point->point, 1, state->q + part->q, NULL, NULL, s->block, error);
        soa_set_zero(s->r1, s->n * 6);
        put_block(part, -1.0, (soa_matrix_view){ s->block, 6 }, 0, (soa_matrix_view){ s->r1, 6 });
        const size_t at = 6 * (size_t)i;
        put_out(s, 6, false, out->vdot_f ? out->vdot_f + at : NULL, out->lambda_f ? out->lambda_f + at : NULL, stride);
    }
    return status;
}

/* ---- all of them ------------------------------------------------------------------------------------ */

static soa_status check_wanted(const soa_closures *set, const soa_closed_derivatives *out, soa_error *error)
{
    if (!set || !out || (out->points > 0 && !out->point)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "give a set, arrays, and the points if there are some");
    }
    return set->scratch.derivatives ? SOA_OK
                                    : soa_fail(error, SOA_E_LIMIT, -1,
                                          "the set has no room for derivatives; call soa_closures_reserve_derivatives");
}

static soa_status by_all(
    const soa_closed_state *state, const soa_closed_scratch *s, const soa_closed_derivatives *out, soa_error *error)
{
    soa_status status = by_q_and_v(state, s, out, error);
    if (out->vdot_T) {
        memcpy(out->vdot_T, s->P, s->n * s->n * sizeof *s->P);
    }
    if (out->lambda_T) {
        memcpy(out->lambda_T, s->L, s->r * s->n * sizeof *s->L);
    }
    if (status == SOA_OK) {
        status = by_group(state, s, BY_GRAVITY, out->vdot_g, out->lambda_g, error);
    }
    if (status == SOA_OK) {
        status = by_group(state, s, BY_PARAMETERS, out->vdot_parameters, out->lambda_parameters, error);
    }
    if (status == SOA_OK) {
        status = by_group(state, s, BY_PLACEMENT, out->vdot_placement, out->lambda_placement, error);
    }
    return status == SOA_OK ? by_forces(state, s, out, error) : status;
}

/* Every derivative: its name, its columns, and what its rows are. */
#define DERIVATIVE_LIST(X)                          \
    X(vdot_q, n, SOA_BY_VELOCITY)                   \
    X(vdot_v, n, SOA_BY_VELOCITY)                   \
    X(vdot_T, n, SOA_BY_VELOCITY)                   \
    X(lambda_q, n, SOA_BY_ROW)                      \
    X(lambda_v, n, SOA_BY_ROW)                      \
    X(lambda_T, n, SOA_BY_ROW)                      \
    X(vdot_g, 3, SOA_BY_VELOCITY)                   \
    X(lambda_g, 3, SOA_BY_ROW)                      \
    X(vdot_parameters, parameters, SOA_BY_VELOCITY) \
    X(lambda_parameters, parameters, SOA_BY_ROW)    \
    X(vdot_placement, bodies, SOA_BY_VELOCITY)      \
    X(lambda_placement, bodies, SOA_BY_ROW)         \
    X(vdot_f, points, SOA_BY_VELOCITY)              \
    X(lambda_f, points, SOA_BY_ROW)

enum { DERIVATIVES = 14 };

/* The arrays of a state, and the same as results. */
static soa_closed_derivatives derivatives_at(
    const soa_closures *set, const soa_closed_derivatives *out, int state, soa_closed_result result[DERIVATIVES])
{
    const size_t n = (size_t)set->nv, points = 6 * (size_t)out->points, bodies = 6 * (size_t)set->nodes;
    size_t parameters = 0;
    for (int i = 0; i < set->systems; i++) {
        parameters += columns_of(BY_PARAMETERS, &set->part[i]);
    }
    soa_closed_derivatives at = *out;
#define AT_STATE(field, columns, by) \
    at.field = soa_result_at(out->field, (by == SOA_BY_ROW ? set->rows : set->nv) * (int)(columns), state);
    DERIVATIVE_LIST(AT_STATE)
#undef AT_STATE
#define RESULT(field, columns, by) { #field, at.field, columns, by },
    const soa_closed_result all[] = { DERIVATIVE_LIST(RESULT) };
#undef RESULT
    memcpy(result, all, sizeof all);
    return at;
}

/* Everything that is asked for at one state. */
static soa_status derive(
    soa_closures *set, const soa_closed_input *in, const soa_closed_derivatives *out, soa_error *error)
{
    soa_closed_scratch s;
    double weight = 0.0;
    place(set, set->rows, &s, set->scratch.derivatives + 3 * (size_t)set->nv * (size_t)set->nv);
    soa_status status = soa_closed_forward_dynamics(set, 1, in->q, in->v, in->T, in->f, s.vdot, s.lambda, NULL, error);
    if (status != SOA_OK) {
        return status;
    }
    soa_dependent_rows(set, s.depends);
    status = trees(set, &s, in->q, in->v, error);
    if (status != SOA_OK) {
        return status;
    }
    const soa_closed_state state = { set, s.column, s.body, in->q, in->v, s.vdot, s.lambda, in->f, s.block, s.ends,
        s.push };
    rows_of(set, &s, in);
    status = masses(set, &s, in->q, true, error);
    if (status == SOA_E_SINGULAR && masses(set, &s, in->q, false, NULL) == SOA_OK) {
        weight = soa_closed_weigh(&s, set->scratch.derivatives);
        status = weight > 0.0 ? SOA_OK : status;
        if (status == SOA_OK && error) {
            soa_error_clear(error);
        }
    }
    if (status != SOA_OK) {
        return status;
    }
    if (!soa_closed_factor(&s)) {
        return soa_fail(error, SOA_E_SINGULAR, -1, "the rows of the closures cannot be told apart; remove some");
    }
    for (size_t i = 0; i < s.r; i++) {
        s.S[i * s.r + i] -= weight;
    }
    return by_all(&state, &s, out, error);
}

soa_status soa_closed_forward_dynamics_derivatives(soa_closures *set, int states, const double *q, const double *v,
    const double *T, const double *f, const soa_closed_derivatives *out, soa_error *error)
{
    const soa_status wanted = check_wanted(set, out, error);
    if (wanted != SOA_OK) {
        return wanted;
    }
    soa_each each = soa_each_state(set, states, (soa_closed_input){ .q = q, .v = v, .T = T, .f = f }, error);
    while (soa_each_next(&each)) {
        soa_closed_result result[DERIVATIVES];
        const soa_closed_derivatives at = derivatives_at(set, out, each.state, result);
        const soa_status status = derive(set, &each.in, &at, each.error);
        soa_each_done(&each, soa_closed_done(set, status, DERIVATIVES, result, each.error));
    }
    return each.status;
}
