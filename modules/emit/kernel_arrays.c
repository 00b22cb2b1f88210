/* emit/kernel_arrays.c - which vectors of a recursion are kept from sweep to sweep, and in which arrays of the library. */
#include <string.h>

#include "emit/kernel_writer.h"

enum { FOREVER = 1000 };

/* ---- where vectors are ----------------------------------------------------------------------------------- */

/* The only step that uses this one; -1: there is none, or there are several. */
static int only_user(const sweep_writer *w, int step)
{
    int user = -1;
    for (int i = 0; i < w->graph->steps.count; i++) {
        for (int j = 0; kernel_is_demanded(w, i) && j < sweep_step(w, i)->count; j++) {
            if (sweep_step(w, i)->input[j] == step && !kernel_is_second(sweep_step(w, i))) {
                if (user >= 0) {
                    return -1;
                }
                user = i;
            }
        }
    }
    return user;
}

/* A vector of a body that stands inside the expression of its only user, at the same body. */
bool kernel_is_inside(const sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    const bool state = soa_step_is_state(s, SOA_STATE_B) || soa_step_is_state(s, SOA_STATE_G);
    const int user = only_user(w, step);
    return (state || sweep_is_expression(s) || soa_step_is(s, SOA_OP_GAMMA, false)) && user >= 0 &&
           sweep_output_of(w, step) < 0 && soa_step_reach(w->graph, user) != SOA_REACH_NEAR_OUT;
}

/* The sweep in which a step is written. What a gathered sum has of the body itself is written in the sweep before. */
int kernel_written_in(const sweep_writer *w, int step)
{
    int sweep = kernel_sweep_at(w, step);
    while (kernel_is_inside(w, step)) {
        const int user = only_user(w, step);
        const bool before = kernel_is_gathered(sweep_step(w, user)) && sweep < kernel_sweep_at(w, user);
        const bool part =
            only_user(w, user) >= 0 && kernel_is_inside(w, user) && sweep_step(w, user)->kind == SOA_STEP_SUM &&
            kernel_is_gathered(sweep_step(w, only_user(w, user))) && sweep < kernel_sweep_at(w, only_user(w, user));
        if (before || part) {
            return (before ? kernel_sweep_at(w, user) : kernel_sweep_at(w, only_user(w, user))) - 1;
        }
        step = user;
        sweep = kernel_sweep_at(w, step);
    }
    return sweep;
}

/* The last sweep that reads a vector. */
static int last_use(const sweep_writer *w, int step)
{
    int last = kernel_sweep_at(w, step);
    for (int i = 0; i < w->graph->steps.count; i++) {
        for (int j = 0; kernel_is_demanded(w, i) && j < sweep_step(w, i)->count; j++) {
            const bool reads = sweep_step(w, i)->input[j] == step ||
                               (kernel_is_pair(sweep_step(w, i)) && sweep_step(w, i)->y2 == step);
            last = reads && kernel_written_in(w, i) > last ? kernel_written_in(w, i) : last;
        }
    }
    return last;
}

/* Numbers of a joint that no later sweep reads are variables of the loop. */
bool kernel_is_variable(const sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    return kernel_is_joint(s) && (s->kind == SOA_STEP_INPUT || last_use(w, step) == kernel_sweep_at(w, step));
}

static bool is_kept(const sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    return kernel_is_demanded(w, step) && s->place.space != SOA_SPACE_ANY && s->kind != SOA_STEP_INPUT &&
           !kernel_is_variable(w, step) && !kernel_is_inside(w, step);
}

/* An array of struct vars that is free in these sweeps. */
static const char *free_array(const sweep_writer *w, const soa_step *s, int first, int last)
{
    static const char *const MOTIONS[] = { "alpha", "V", "a", NULL }, *const FORCES[] = { "b", "z", NULL },
                             *const NUMBERS[] = { "x", "eps", NULL };
    const char *const *array = kernel_is_joint(s) ? NUMBERS : s->place.side == SOA_SIDE_FORCE ? FORCES : MOTIONS;
    for (; *array != NULL; array++) {
        bool taken = false;
        for (int i = 0; i < w->graph->steps.count; i++) {
            const kernel_kept *k = &w->kept[i];
            taken =
                taken || (k->array != NULL && strcmp(k->array, *array) == 0 && k->first <= last && first <= k->last);
        }
        if (!taken) {
            return *array;
        }
    }
    return NULL;
}

/* Gives every vector that is kept an array; V and a have theirs. False: there are too few. */
bool kernel_keep(sweep_writer *w)
{
    const int count = w->graph->steps.count;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count; i++) {
            const soa_step *s = sweep_step(w, i);
            const bool V = soa_step_is_state(s, SOA_STATE_V), a = soa_step_is_state(s, SOA_STATE_A);
            if (!is_kept(w, i) || (V || a) != (pass == 0)) {
                continue;
            }
            const bool body_result = sweep_output_of(w, i) >= 0 && !kernel_is_joint(s);
            const int first = kernel_sweep_at(w, i) - (kernel_is_gathered(s) ? 1 : 0);
            const int last = body_result ? FOREVER : last_use(w, i);
            w->kept[i] = (kernel_kept){ V ? "V" : a ? "a" : free_array(w, s, first, last), first, last };
            if (w->kept[i].array == NULL) {
                return false;
            }
        }
    }
    return true;
}
