/* sens/closed.c - derivatives of closed systems: constrained accelerations and multipliers.
 *
 *     Mass vdot + C = T + F* lambda,   J vdot + bias = 0
 *
 * Every derivative is a solution (dvdot; dlambda) of the equations of closed_matrix.c, with right-hand sides r1, r2, one
 * column per number. */
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

/* Scratch: n velocities, r rows, N bodies; columns: most of any right-hand side. */
typedef struct scratch {
    size_t n, r, N, columns;
    soa_closed_matrix matrix;
    double *R, *X;         /* n + r rows: (r1; r2), (dvdot; dlambda) */
    double *block;         /* of one system: its velocities x its columns, or two squares */
    double *column, *body; /* moving_columns of all systems */
    double *ends, *push;   /* of soa_closed_state */
    double *vdot, *lambda;
} scratch;

static size_t place(const soa_closures *set, int rows, scratch *s, double *at)
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
    s->columns = most(most(s->n, 6), most(6 * s->N, SOA_PARAMETERS * links));
    const size_t m = s->n + s->r;
#define PLACE(field, count)                   \
    s->field = at ? (void *)(at + used) : at; \
    used += (count)
    PLACE(matrix.K, m * m);
    PLACE(matrix.unit, m);
    PLACE(matrix.order, m);
    PLACE(matrix.depends, s->r);
    PLACE(R, m * s->columns);
    PLACE(X, m * s->columns);
    PLACE(block, block);
    PLACE(column, s->n * SOA_MOVING_COLUMN);
    PLACE(body, s->N * SOA_MOVING_BODY);
    PLACE(ends, 12 * s->n);
    PLACE(push, 12 * (size_t)set->capacity);
    PLACE(vdot, s->n);
    PLACE(lambda, s->r);
#undef PLACE
    s->matrix.n = s->n;
    s->matrix.rows = s->r;
    return used;
}

soa_status soa_closures_reserve_derivatives(soa_closures *set, soa_error *error)
{
    if (!set) {
        return soa_fail_null(error, "the set of closures");
    }
    if (!set->scratch.derivatives) {
        scratch s;
        const size_t linear = 3 * (size_t)set->nv * (size_t)set->nv;
        const size_t numbers = linear + place(set, set->max_rows, &s, NULL) + 1;
        set->scratch.derivatives = soa_arena_take(&set->arena, numbers, sizeof(double));
    }
    return set->scratch.derivatives ? SOA_OK : soa_fail_memory(error);
}

/* ---- trees ---------------------------------------------------------------------------------------- */

/* What every derivative needs of the trees: how they move. */
static soa_status trees(const soa_closed_state *state, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; i < state->set->systems && status == SOA_OK; i++) {
        const soa_moving_system system = soa_system_of_part(state, &state->set->part[i]);
        status = soa_moving_begin(&system, error);
    }
    return status;
}

/* -dT_dq or -dT_dv of all systems at vdot into r1. */
static soa_status tree_columns(const soa_closed_state *state, const scratch *s, bool by_v, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; i < state->set->systems && status == SOA_OK; i++) {
        const soa_part *part = &state->set->part[i];
        const size_t nv = (size_t)part->model->nv;
        const double *v = state->v ? state->v + part->v : NULL, *f = state->f ? state->f + 6 * part->node : NULL;
        double *other = s->block + nv * nv;
        status = soa_inverse_dynamics_derivatives(part->model, part->workspace, 1, state->q + part->q, v,
            s->vdot + part->v, f, by_v ? other : s->block, by_v ? s->block : other, NULL, error);
        soa_closed_put_block(
            part, -1.0, (soa_matrix_view){ s->block, nv }, (size_t)part->v, (soa_matrix_view){ s->R, s->n });
    }
    return status;
}

/* ---- derivatives -------------------------------------------------------------------------------- */

/* The right-hand sides with so many columns, zero. */
static soa_closed_sides sides_begin(const scratch *s, size_t columns)
{
    memset(s->R, 0, (s->n + s->r) * columns * sizeof *s->R);
    return (soa_closed_sides){ s->R, s->R + s->n * columns, columns };
}

/* The solution where it is wanted; rows of vdot and lambda are `stride` apart. */
static void solve(const scratch *s, size_t columns, double *vdot, double *lambda, size_t stride)
{
    soa_closed_matrix_solve(&s->matrix, columns, s->R, s->X);
    for (size_t i = 0; i < s->n + s->r; i++) {
        double *to = i < s->n ? vdot : lambda;
        if (to) {
            memcpy(to + (i < s->n ? i : i - s->n) * stride, s->X + i * columns, columns * sizeof *to);
        }
    }
}

/* Derivatives by q or by v of all systems. */
static soa_status by_state(
    const soa_closed_state *state, const scratch *s, soa_change_by by, double *vdot, double *lambda, soa_error *error)
{
    const soa_closed_sides to = sides_begin(s, s->n);
    soa_status status = vdot || lambda ? tree_columns(state, s, by == SOA_CHANGE_BY_V, error) : SOA_OK;
    if (status == SOA_OK && (vdot || lambda)) {
        status = soa_closed_add_sides(state, by, to, error);
        solve(s, s->n, vdot, lambda, s->n);
    }
    return status;
}

static void by_T(const scratch *s, double *vdot, double *lambda)
{
    (void)sides_begin(s, s->n);
    for (size_t i = 0; i < s->n; i++) {
        s->R[i * (s->n + 1)] = 1.0;
    }
    if (vdot || lambda) {
        solve(s, s->n, vdot, lambda, s->n);
    }
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

static soa_status by_group(
    const soa_closed_state *state, const scratch *s, group by, double *vdot, double *lambda, soa_error *error)
{
    const soa_closures *set = state->set;
    size_t columns = by == BY_GRAVITY ? 3 : 0;
    for (int i = 0; by != BY_GRAVITY && i < set->systems; i++) {
        columns += columns_of(by, &set->part[i]);
    }
    soa_status status = SOA_OK;
    size_t first = 0;
    if (!vdot && !lambda) {
        return status;
    }
    const soa_closed_sides to = sides_begin(s, columns);
    for (int i = 0; i < set->systems && status == SOA_OK; i++) {
        const size_t own = columns_of(by, &set->part[i]);
        status = group_block(state, by, &set->part[i], s->block, error);
        soa_closed_put_block(
            &set->part[i], -1.0, (soa_matrix_view){ s->block, own }, first, (soa_matrix_view){ s->R, columns });
        first += by == BY_GRAVITY ? 0 : own;
    }
    if (by == BY_PLACEMENT && status == SOA_OK) {
        status = soa_closed_add_sides(state, SOA_CHANGE_BY_PLACEMENT, to, error);
    }
    solve(s, columns, vdot, lambda, columns);
    return status;
}

/* Derivatives by forces at points: r1 = J* of one point after another. */
static soa_status by_forces(
    const soa_closed_state *state, const scratch *s, const soa_closed_derivatives *out, soa_error *error)
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
        (void)sides_begin(s, 6);
        soa_closed_put_block(part, -1.0, (soa_matrix_view){ s->block, 6 }, 0, (soa_matrix_view){ s->R, 6 });
        const size_t at = 6 * (size_t)i;
        solve(s, 6, out->vdot_f ? out->vdot_f + at : NULL, out->lambda_f ? out->lambda_f + at : NULL, stride);
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
    const soa_closed_state *state, const scratch *s, const soa_closed_derivatives *out, soa_error *error)
{
    by_T(s, out->vdot_T, out->lambda_T);
    soa_status status = by_state(state, s, SOA_CHANGE_BY_Q, out->vdot_q, out->lambda_q, error);
    SOA_NEXT(status, by_state(state, s, SOA_CHANGE_BY_V, out->vdot_v, out->lambda_v, error));
    SOA_NEXT(status, by_group(state, s, BY_GRAVITY, out->vdot_g, out->lambda_g, error));
    SOA_NEXT(status, by_group(state, s, BY_PARAMETERS, out->vdot_parameters, out->lambda_parameters, error));
    SOA_NEXT(status, by_group(state, s, BY_PLACEMENT, out->vdot_placement, out->lambda_placement, error));
    SOA_NEXT(status, by_forces(state, s, out, error));
    return status;
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

/* The arrays of a state, each also as a result with its name. */
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
    scratch s;
    place(set, set->rows, &s, set->scratch.derivatives + 3 * (size_t)set->nv * (size_t)set->nv);
    const soa_closed_state state = { set, s.column, s.body, in->q, in->v, s.vdot, s.lambda, in->f, s.block, s.ends,
        s.push };
    soa_status status = soa_closed_forward_dynamics(set, 1, in->q, in->v, in->T, in->f, s.vdot, s.lambda, NULL, error);
    SOA_NEXT(status, soa_closed_matrix_make(set, &s.matrix, in, s.R, s.X, s.block, error));
    SOA_NEXT(status, trees(&state, error));
    SOA_NEXT(status, by_all(&state, &s, out, error));
    return status;
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
