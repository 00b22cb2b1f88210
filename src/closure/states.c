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
        SOA_NEXT(status, soa_workspace_set_lanes(set->part[s].workspace, lanes, error));
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

/* Whether states can be solved in lanes. */
static bool can_go(soa_closures *set, const soa_closed_input *in)
{
    if (!set->states || !in->q || (!in->vdot && set->nv > 0) || has_sliding(set)) {
        return false;
    }
    if (!set->plan.made) {
        soa_plan_closures(set);
    }
    return !set->plan.holds && !set->ranks.found.rounded && !set->ranks.found.undecided;
}

/* Blocks of states that are left out after one of which too few came out: mostly that follows from the closures. */
enum { LEFT_OUT = 16 };

int soa_solve_lanes(soa_closures *set, const soa_closed_input *in, int count, unsigned *solved)
{
    const int most = soa_closures_lanes(set), tried = count < most ? count : most;
    *solved = 0;
    if (tried == 1 || !can_go(set, in)) {
        return tried;
    }
    if (set->plan.left_out > 0) {
        set->plan.left_out--;
        return tried;
    }
    *solved = set->states->solve(set, in, tried);
    int came = 0;
    for (int i = 0; i < tried; i++) {
        came += (int)(*solved >> i & 1u);
    }
    set->plan.left_out = 4 * came < tried ? LEFT_OUT : 0;
    return tried;
}

bool soa_take_lane(soa_closures *set, const soa_closed_input *in, int lane, bool rows)
{
    if (soa_check_closed(set, in, NULL) != SOA_OK) {
        return false;
    }
    set->states->take(set, in, lane, rows);
    return soa_pivots_clear(set);
}
