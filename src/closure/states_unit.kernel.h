/* closure/states_unit.kernel.h - forward dynamics of closed systems, states in lanes: the kernels of one state, built with
 * STATES, and what brings states into lanes and back.
 *
 * A unit defines LANES and UNIT and includes this file. */
#include <math.h>

#define STATES

#if defined(__GNUC__) /* kernels of dynamics/ that closures have no use for */
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

#include "closure/solve.kernel.h"

static size_t states_size(const soa_closures *set)
{
    return sizeof(states_solution) + ((size_t)set->max_rows + 1) * sizeof(real);
}

/* The call of a system: inputs in its part of the arrays, gathered. */
static void open_states(const soa_closures *set, soa_part *part, const soa_closed_input *in, int count)
{
    soa_call *call = &part->many;
    const size_t nv = (size_t)set->nv;
    call->q = (soa_in){ in->q + part->q, in->one_q ? 0 : (size_t)set->nq };
    call->v = (soa_in){ in->v ? in->v + part->v : NULL, nv };
    call->u = (soa_in){ in->T ? in->T + part->v : NULL, nv };
    call->f = (soa_in){ in->f ? in->f + 6 * part->node : NULL, 6 * (size_t)set->nodes };
    call->y = (soa_out){ in->vdot + part->v, nv };
    call->work = part->workspace->work_many; /* it moves when points are reserved */
    call->count = count;
    call->whole = count == LANES;
    call->keeps = true;
    call_begin(call);
    gather_inputs(call);
}

/* Memory for the solution; false: there is no room. */
static bool begin_states(soa_closures *set)
{
    states_solution *x = solution_of(set);
    begin_solution(set);
    *x = (states_solution){ .row = soa_stack_take(&set->stack, (size_t)set->rows, sizeof *x->row),
        .place = soa_stack_take(&set->stack, (size_t)set->ties, sizeof *x->place),
        .lambda = (real *)(void *)(x + 1),
        .largest_pivot = real_set(0.0),
        .smallest_pivot = real_set(INFINITY),
        .eliminated = real_set(0.0),
        .good = real_less(real_set(0.0), real_set(1.0)) };
    for (int i = 0; i < set->rows; i++) {
        x->lambda[i] = real_set(0.0);
    }
    return !set->stack.overflow;
}

static unsigned states_solve(soa_closures *set, const soa_closed_input *in, int count)
{
    set->last.mode = in->mode;
    if (!begin_states(set)) {
        return 0;
    }
    for (int s = 0; s < set->systems; s++) {
        open_states(set, &set->part[s], in, count);
        system_outward(set, s);
    }
    make_rows(set, in->v != NULL, false);
    for (int i = 0; i < set->rows && in->mode == SOA_SOLVE_STEP; i++) { /* of a step towards no target */
        row_at_hand(set, i)->bias = real_set(0.0);
    }
    spread_rows(set);
    sweep_inward(set);
    solve_rest(set);
    sweep_outward(set);
    unsigned solved = 0;
    const real good = as_number(solution_of(set)->good);
    for (int lane = 0; lane < count && !set->stack.overflow; lane++) {
        bool well = real_get(good, lane) > 0.0;
        for (int s = 0; s < set->systems; s++) {
            well = well && set->part[s].many.failed[lane] < 0;
        }
        solved |= well ? 1u << lane : 0u;
    }
    return solved;
}

/* The frame at an end, of one lane. */
static void take_end(
    const soa_closures *set, const soa_end *end, bool moving, int lane, double pose_of_end[12], double V[6])
{
    end_place at;
    place_end(set, end, moving, &at);
    const real *x = &at.X.R.xx, *v = &at.V.w.x;
    for (int i = 0; i < 12; i++) {
        pose_of_end[i] = real_get(x[i], lane);
    }
    for (int i = 0; i < 6; i++) {
        V[i] = real_get(v[i], lane);
    }
}

static void take_rows(soa_closures *set, const soa_closed_input *in, int lane)
{
    for (int i = 0; i < set->ties; i++) {
        const soa_tie *tie = &set->tie[i];
        double X[2][12], V[2][6];
        if (tie->enabled && tie->coupling) {
            set->table->coupling_at(set, i, in);
        } else if (tie->enabled) {
            take_end(set, &tie->end[0], in->v != NULL, lane, X[0], V[0]);
            take_end(set, &tie->end[1], in->v != NULL, lane, X[1], V[1]);
            set->table->rows_at(set, i, X[0], V[0], X[1], V[1]);
        }
    }
}

static void states_take(soa_closures *set, const soa_closed_input *in, int lane, bool rows)
{
    const states_solution *x = solution_of(set);
    soa_closed_solution *last = &set->last;
    for (int i = 0; i < set->rows; i++) {
        last->lambda[i] = real_get(x->lambda[i], lane);
    }
    for (int s = 0; s < set->systems; s++) {
        const soa_part *part = &set->part[s];
        const real *y = part_vars(&part->many)->y;
        for (int i = 0; i < part->model->nv; i++) {
            in->vdot[part->v + i] = real_get(y[i], lane);
        }
    }
    last->dense = last->contradiction = false;
    last->dependent = 0;
    last->eliminated = (int)real_get(x->eliminated, lane);
    last->largest_pivot = real_get(x->largest_pivot, lane);
    last->smallest_pivot = real_get(x->smallest_pivot, lane);
    last->dropped_pivot = last->inconsistency = 0.0;
    if (rows) {
        take_rows(set, in, lane);
    }
}

#define TABLE_NAME_OF(unit) soa_closure_states_##unit
#define TABLE_NAME(unit)    TABLE_NAME_OF(unit)

extern const soa_states_table TABLE_NAME(UNIT);
const soa_states_table TABLE_NAME(UNIT) = { LANES, states_size, states_solve, states_take };
