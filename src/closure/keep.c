/* closure/keep.c - what a set of closures remembers between calls, saved and loaded. */
#include "closure/closure.h"

void soa_closures_pass(soa_closures *set, soa_state *state)
{
    bool ranked = set->ranks.made;
    for (int i = 0; i < set->ties; i++) {
        soa_tie *tie = &set->tie[i];
        soa_state_pass(state, &tie->enabled, sizeof tie->enabled);
        soa_state_pass(state, &tie->closure.at_a, sizeof tie->closure.at_a);
        soa_state_pass(state, tie->closure.slip, sizeof tie->closure.slip);
        soa_state_pass(state, &tie->end[0], sizeof tie->end[0]);
        soa_state_pass(state, tie->position, sizeof tie->position);
        soa_state_pass(state, tie->velocity, sizeof tie->velocity);
        soa_state_pass(state, tie->acceleration, sizeof tie->acceleration);
    }
    soa_state_pass(state, &set->tolerance, sizeof set->tolerance);
    soa_state_pass(state, &set->least_pivot, sizeof set->least_pivot);
    soa_state_pass(state, &ranked, sizeof ranked);
    if (state->way == SOA_STATE_LOAD) {
        soa_number_rows(set);
        if (ranked) { /* the answer does not depend on the state in which it was asked */
            soa_plan_closures(set);
            soa_find_ranks(set);
        }
    }
}
