/* closure/forward.c - the API of closed forward dynamics: checks, results, what slides. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "closure/closure.h"
#include "core/dense.h"
#include "core/error.h"

/* ---- what went wrong -------------------------------------------------------------------------- */

static soa_status fail_body(const soa_closures *set, int system, int body, soa_error *error)
{
    const soa_model *m = set->part[system].model;
    return soa_fail(error, SOA_E_SINGULAR, body,
        "the joint of link '%s' moves nothing that has inertia; give the link or one outboard of it a mass",
        soa_description_link(&m->description, m->body[body].rest->link)->name);
}

/* ---- solving ------------------------------------------------------------------------------------ */

/* Below the first it is asked whether rows depend on each other but for rounding; where they do not, below the second one
 * pivots are too rough to go by: they are differences that are wrong by 1e-16, and so are forces by 1e-16 / pivot even where
 * the equations are well-conditioned, because a row is small beside the motions of its two frames. */
#define SMALL_PIVOT 1e-4
#define TINY_PIVOT  1e-7

/* Numbers in the rows of a loop system that is large and yet is solved as a whole where its pivots are rough. */
enum { MOST_DENSE = 40000 };

/* The singular values that the pivots of the tree stand for. */
static void estimate_values(soa_closures *set)
{
    set->last.kept = set->rows > set->last.dependent ? sqrt(fmin(1.0, set->last.smallest_pivot)) : 1.0;
    set->last.dropped = sqrt(set->last.dropped_pivot);
}

/* Solves inside the tree, in O(n). Returns the system whose body cannot be moved, or -1. */
static int solve_tree(soa_closures *set, const soa_closed_input *in, int *body)
{
    set->last.dense = false;
    const int system = set->table->solve(set, in, body);
    if (system < 0 && !set->stack.overflow) {
        soa_least_norm(set);
    }
    estimate_values(set);
    return system;
}

bool soa_pivots_clear(soa_closures *set)
{
    estimate_values(set);
    return !(set->last.smallest_pivot < (set->ranks.made ? TINY_PIVOT : SMALL_PIVOT));
}

soa_status soa_solve_closed(soa_closures *set, const soa_closed_input *in, soa_error *error)
{
    if (set->flexible) {
        return soa_solve_flexible(set, in, error);
    }
    int body = -1, system = -1;
    bool tree = !set->ranks.found.rounded;
    if (tree) {
        system = solve_tree(set, in, &body);
    }
    if (tree && !set->ranks.made && set->rows > 0 &&
        (system >= 0 || set->last.dependent > 0 || set->last.smallest_pivot < SMALL_PIVOT)) {
        soa_find_ranks(set); /* overwrites what was solved */
        tree = !set->ranks.found.rounded;
        system = tree ? solve_tree(set, in, &body) : -1;
    }
    const bool unclear = set->ranks.found.large && !set->ranks.found.clear &&
                         set->last.smallest_pivot < SOA_UNCLEAR_PIVOT && set->tolerance.rank <= 0.0;
    if ((set->ranks.found.undecided || unclear) && in->mode == SOA_SOLVE_MOTION) {
        return soa_fail_undecided(set, error);
    }
    /* Where somebody has said what counts, rows that depend on others are left out at every state alike: which way is taken
     * must not change beside the closures, where the answers differ. */
    const bool chosen = set->tolerance.rank > 0.0;
    const bool rough = system >= 0 || set->last.smallest_pivot < TINY_PIVOT ||
                       (!chosen && set->last.dropped_pivot > SOA_DROPPED_PIVOT);
    const bool small = !set->ranks.found.large ||
                       (set->ranks.found.clear && in->mode == SOA_SOLVE_MOTION && set->rows * set->nv <= MOST_DENSE);
    if (set->rows > 0 && small && (!tree || rough)) {
        const soa_dense_result dense = soa_solve_dense(set, in, error);
        if (dense == SOA_DENSE_SOLVED) {
            return SOA_OK;
        }
        if (dense == SOA_DENSE_NO_ROOM || system < 0) {
            system = solve_tree(set, in, &body);
        }
    }
    if (system >= 0) {
        return fail_body(set, system, body, error);
    }
    return set->stack.overflow ? soa_fail_room(set, "rows on their way inward", error) : SOA_OK;
}

void soa_friction_wrench(const soa_closures *set, int tie, double push, double wrench[6])
{
    const soa_closure *c = &set->tie[tie].closure;
    const double(*R)[3] = set->place[tie].R_b;
    double slip[3];
    soa_slip_direction(c, slip);
    for (int i = 0; i < 3; i++) {
        wrench[i] = 0.0;
        wrench[3 + i] = -(c->friction * push * (R[i][0] * slip[0] + R[i][1] * slip[1]));
    }
}

/* The normal force of each sliding closure when each is pushed along -slip by `push` (of its friction). */
static soa_status slide(soa_closures *set, const soa_closed_input *in, int count, const int *tie, const double *push,
    double *normal, soa_error *error)
{
    for (int k = 0; k < count; k++) {
        soa_friction_wrench(set, tie[k], push[k], set->place[tie[k]].wrench);
    }
    const soa_status status = soa_solve_closed(set, in, error);
    for (int k = 0; normal && k < count; k++) {
        normal[k] = set->last.lambda[set->tie[tie[k]].first];
    }
    return status;
}

enum { MOST_SLIDING = 32 };
#define JAMMED 1e-12 /* a pivot below this part of the largest number leaves a normal force open */

/* Friction follows the normal forces, which follow friction: linear, so a few solutions give it. */
static soa_status solve_sliding(
    soa_closures *set, const soa_closed_input *in, int count, const int *tie, soa_error *error)
{
    double zero[MOST_SLIDING] = { 0.0 }, at_rest[MOST_SLIDING], with[MOST_SLIDING], A[MOST_SLIDING * MOST_SLIDING];
    const size_t n = (size_t)count;
    size_t order[MOST_SLIDING];
    set->table->locate(set, in);
    soa_status status = slide(set, in, count, tie, zero, at_rest, error);
    for (int k = 0; status == SOA_OK && k < count; k++) {
        double push[MOST_SLIDING] = { 0.0 };
        push[k] = 1.0;
        status = slide(set, in, count, tie, push, with, error);
        for (int i = 0; i < count; i++) {
            A[i * count + k] = (i == k ? 1.0 : 0.0) - (with[i] - at_rest[i]);
        }
    }
    if (status == SOA_OK && soa_lu(n, A, order, JAMMED).rank < n) {
        status =
            soa_fail_tie(error, set, tie[0], "the sliding contacts jam: friction leaves no normal forces that fit");
    }
    if (status != SOA_OK) {
        return status;
    }
    soa_lu_solve(n, A, order, 1, at_rest, with);
    return slide(set, in, count, tie, with, NULL, error);
}

void soa_tell_missed(const soa_closures *set, soa_closed *closed)
{
    for (int i = 0; i < set->rows; i++) {
        closed->position = fmax(closed->position, fabs(set->row[i].position));
        closed->velocity = fmax(closed->velocity, fabs(set->row[i].velocity));
    }
}

static void report(const soa_closures *set, soa_closed *closed)
{
    const soa_closed_solution *last = &set->last;
    const int rank = set->rows - last->dependent;
    *closed = (soa_closed){ .rows = set->rows,
        .rank = rank,
        .eliminated = last->eliminated,
        .condition = rank == 0     ? 1.0
                     : last->dense ? 1.0 / (last->kept * last->kept)
                                   : last->largest_pivot / last->smallest_pivot,
        .kept = last->kept,
        .dropped = last->dropped,
        .rounded = set->ranks.found.rounded,
        .inconsistency = last->inconsistency };
    soa_tell_missed(set, closed);
    for (int i = 0; i < set->ties; i++) {
        soa_closure_load load;
        if (set->tie[i].enabled && !set->tie[i].coupling && soa_kind_contact(&set->tie[i].closure) &&
            soa_closure_force(set, i, &load, NULL) == SOA_OK) {
            closed->broken += !load.holds;
        }
    }
}

/* vdot and the multipliers of one state. */
static soa_status solve_state(soa_closures *set, const soa_closed_input *in, soa_error *error)
{
    int sliding = 0, tie[MOST_SLIDING];
    soa_status status = soa_check_closed(set, in, error);
    if (status == SOA_OK && !in->vdot && set->nv > 0) {
        status = soa_fail(error, SOA_E_ARGUMENT, -1, "vdot is missing");
    }
    if (status != SOA_OK) {
        return status;
    }
    for (int i = 0; i < set->ties; i++) {
        if (set->tie[i].enabled && !set->tie[i].coupling && set->tie[i].closure.kind == SOA_CLOSE_SLIDING) {
            if (sliding == MOST_SLIDING) {
                return soa_fail(error, SOA_E_LIMIT, -1, "at most %d contacts may slide at a time", MOST_SLIDING);
            }
            tie[sliding++] = i;
        }
    }
    return sliding > 0 ? solve_sliding(set, in, sliding, tie, error) : soa_solve_closed(set, in, error);
}

/* States of a call that were solved at once. */
typedef struct lane_states {
    int first, count;
    unsigned solved; /* a bit for each that came out */
    bool ranked; /* whether the ranks were known: an answer that they get meanwhile is one for the states after it */
} lane_states;

/* Whether the state at hand came out in lanes. rows: it must leave those, too, as the last one of a call does. */
static bool came_in_lanes(soa_closures *set, lane_states *lanes, const soa_each *each, bool rows)
{
    if (each->state >= lanes->first + lanes->count) {
        *lanes = (lane_states){ .first = each->state, .ranked = set->ranks.made };
        lanes->count = soa_solve_lanes(set, &each->in, each->states - each->state, &lanes->solved);
    }
    const int lane = each->state - lanes->first;
    return (lanes->solved >> lane & 1u) && lanes->ranked == set->ranks.made &&
           soa_take_lane(set, &each->in, lane, rows || each->state + 1 == each->states);
}

soa_status soa_closed_forward_dynamics(soa_closures *set, int states, const double *q, const double *v, const double *T,
    const double *f, double *vdot, double *lambda, soa_closed *closed, soa_error *error)
{
    soa_each each =
        soa_each_state(set, states, (soa_closed_input){ .q = q, .v = v, .T = T, .f = f, .vdot = vdot }, error);
    lane_states lanes = { .count = 0 };
    while (soa_each_next(&each)) {
        const soa_closed_result result[] = { { "vdot", each.in.vdot, 1, SOA_BY_VELOCITY },
            { "lambda", set->last.lambda, 1, SOA_BY_ROW } };
        double *to = soa_result_at(lambda, set->rows, each.state);
        soa_status status = SOA_OK;
        if (!came_in_lanes(set, &lanes, &each, closed != NULL)) {
            status = solve_state(set, &each.in, each.error);
        }
        status = soa_closed_done(set, status, 2, result, each.error);
        if (to) {
            memcpy(to, set->last.lambda, (size_t)set->rows * sizeof *to);
        }
        if (status == SOA_OK) {
            status = set->last.contradiction ? soa_fail_contradiction(set, each.error) : SOA_OK;
            if (closed) {
                report(set, &closed[each.state]);
            }
        }
        soa_each_done(&each, status);
    }
    return each.status;
}
