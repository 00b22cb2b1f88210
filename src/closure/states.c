/* closure/states.c - states of a call in lanes.
 *
 * Every state has the bits that it has in a call of its own: one that does not come out in lanes (its pivots are not clear,
 * its rows depend on each other or go another way than those of the others) is solved by itself. */
#include "closure/closure.h"
#include "core/error.h"

int soa_closures_lanes(const soa_closures *set)
{
    return !set ? 0 : set->states ? set->states->lanes : 1;
}

soa_status soa_closures_set_lanes(soa_closures *set, int lanes, soa_error *error)
{
    if (!set) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the set of closures is missing");
    }
    const soa_states_table *table = lanes > 1 && lanes <= SOA_MAX_LANES && set->fronts.states
                                        ? soa_states_kernels(soa_cpu_features(), lanes)
                                        : NULL;
    if (!table && lanes != 1) {
        return soa_fail(error, SOA_E_UNSUPPORTED, -1, "%d lanes are not to be had here; ask for 1", lanes);
    }
    soa_status status = SOA_OK;
    for (int s = 0; table && s < set->systems; s++) {
        soa_part *part = &set->part[s];
        SOA_NEXT(status, soa_workspace_set_lanes(part->workspace, lanes, error));
        part->many.work = part->workspace->work_many;
    }
    set->states = status == SOA_OK ? table : NULL;
    return status;
}

static bool has_sliding(const soa_closures *set)
{
    bool slides = false;
    for (int i = 0; i < set->ties; i++) {
        slides =
            slides || (set->tie[i].enabled && !set->tie[i].coupling && set->tie[i].closure.kind == SOA_CLOSE_SLIDING);
    }
    return slides;
}

/* Whether the states of a call can be solved in lanes. */
static bool can_go(soa_closures *set, const soa_each *each)
{
    if (!set->states || !each->all.q || (!each->all.vdot && set->nv > 0) || has_sliding(set)) {
        return false;
    }
    if (!set->plan.made) {
        soa_plan_closures(set);
    }
    return !set->plan.holds && !set->ranks.found.rounded && !set->ranks.found.undecided;
}

/* Blocks of states that are left out after one of which too few came out: mostly that follows from the closures. */
enum { LEFT_OUT = 16 };

/* Solves as many states as there are lanes, from the one at hand on. */
static void solve_lanes(soa_closures *set, soa_lanes *lanes, const soa_each *each)
{
    const int left = each->states - each->state, most = soa_closures_lanes(set);
    *lanes = (soa_lanes){ .first = each->state, .count = left < most ? left : most, .ranked = set->ranks.made };
    if (left == 1 || !can_go(set, each)) {
        return;
    }
    if (set->plan.left_out > 0) {
        set->plan.left_out--;
        return;
    }
    lanes->solved = set->states->solve(set, &each->in, lanes->count);
    int solved = 0;
    for (int i = 0; i < lanes->count; i++) {
        solved += (int)(lanes->solved >> i & 1u);
    }
    set->plan.left_out = 4 * solved < lanes->count ? LEFT_OUT : 0;
}

bool soa_solved_in_lanes(soa_closures *set, soa_lanes *lanes, const soa_each *each, bool rows)
{
    if (each->state >= lanes->first + lanes->count) {
        solve_lanes(set, lanes, each);
    }
    const int lane = each->state - lanes->first;
    if (!(lanes->solved >> lane & 1u) || lanes->ranked != set->ranks.made ||
        soa_check_closed(set, &each->in, NULL) != SOA_OK) {
        return false;
    }
    set->states->take(set, &each->in, lane, rows || each->state + 1 == each->states);
    return soa_pivots_clear(set);
}
