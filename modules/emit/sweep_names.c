/* emit/sweep_names.c - what values are called, and which of them are arrays. */
#include <string.h>

#include "emit/sweeps.h"

/* ---- names ----------------------------------------------------------------------------------- */

/* A name of the language as one of C. */
void sweep_put_clean(const sweep_writer *w, const char *prefix, const char *name, int step)
{
    bool changed = false;
    put(w->to, "%s", prefix);
    for (const char *c = name; *c != '\0'; c++) {
        const bool letter =
            (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_';
        put(w->to, "%c", letter ? *c : '_');
        changed = changed || !letter;
    }
    if (changed) {
        put(w->to, "_%d", step);
    }
}

/* Names that every expression may have: they are used as they are. */
static bool is_known(const char *name)
{
    static const char *const NAME[] = { "T", "beta", "betadot", "f_c", "x", "y" };
    for (size_t i = 0; i < sizeof NAME / sizeof NAME[0]; i++) {
        if (strcmp(NAME[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* The first output that a step is; -1: none. */
int sweep_output_of(const sweep_writer *w, int step)
{
    for (int i = 0; i < w->graph->outputs.count; i++) {
        if (soa_graph_output_at(w->graph, i)->step == step) {
            return i;
        }
    }
    return -1;
}

void sweep_put_name(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    const char *name = w->lines.name[step];
    const bool input = s->kind == SOA_STEP_INPUT;
    if (name == NULL) {
        put(w->to, "t%d", step);
    } else if (s->kind != SOA_STEP_STATE && (input || sweep_output_of(w, step) >= 0) && !is_known(name)) {
        sweep_put_clean(w, input ? "in_" : "out_", name, step);
    } else {
        put(w->to, "%s", name);
    }
}

/* ---- what is an array --------------------------------------------------------------------------- */

bool sweep_is_nested(const sweep_writer *w, int step)
{
    return sweep_is_local(w, step) && sweep_step(w, step)->place.space == SOA_SPACE_BODY;
}

/* The sweep in which a step is written: that of its user if it stands inside it. */
int sweep_of_step(const sweep_writer *w, int step)
{
    while (sweep_is_nested(w, step)) {
        step = soa_step_consumer(w->graph, step);
    }
    return w->graph->schedule.sweep[step];
}

/* Used once, at the same body: an expression of a body in its user, or numbers of a joint in the same sweep. */
bool sweep_is_local(const sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    const bool joint = s->place.space == SOA_SPACE_JOINT;
    const bool numbers = s->kind == SOA_STEP_SUM || s->kind == SOA_STEP_SCALE || s->kind == SOA_STEP_APPLY;
    const bool may = (joint ? numbers : sweep_is_expression(s)) && s->uses == 1 && sweep_output_of(w, step) < 0;
    const int by = may && w->lines.name[step] == NULL ? soa_step_consumer(w->graph, step) : -1;
    const soa_reach reach = by < 0 ? SOA_REACH_GIVEN : soa_step_reach(w->graph, by);
    const bool at_k = reach == SOA_REACH_LOCAL || reach == SOA_REACH_RUN_IN || reach == SOA_REACH_RUN_OUT;
    return at_k && sweep_step(w, by)->kind != SOA_STEP_BRANCH && !sweep_is_point_sum(sweep_step(w, by)) &&
           (!joint || sweep_of_step(w, by) == w->graph->schedule.sweep[step]);
}

/* By other steps, which may need a part of the state, or as an output. */
bool sweep_is_used(const sweep_writer *w, int step)
{
    bool used = sweep_step(w, step)->uses > 0 || sweep_output_of(w, step) >= 0;
    for (int i = step + 1; i < w->graph->steps.count && !used && sweep_step(w, step)->kind == SOA_STEP_STATE; i++) {
        used = sweep_step(w, i)->need == step && sweep_is_used(w, i);
    }
    return used;
}

/* Whether the array is that of the caller. */
static bool sweep_is_given(const sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    if (s->place.space == SOA_SPACE_BODY) {
        return false;
    }
    return s->kind == SOA_STEP_INPUT ||
           (sweep_output_of(w, step) >= 0 && s->kind != SOA_STEP_STATE && s->kind != SOA_STEP_ZERO);
}

/* Whether an output is copied: its step is of bodies, or has another array. */
bool sweep_is_copied(const sweep_writer *w, int output)
{
    const int step = soa_graph_output_at(w->graph, output)->step;
    return !sweep_is_given(w, step) || sweep_step(w, step)->kind == SOA_STEP_INPUT ||
           sweep_output_of(w, step) != output;
}

/* An array in the work: its own, not that of V, not of what is no vector. */
bool sweep_is_array(const sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    return sweep_is_used(w, step) && !sweep_is_given(w, step) && s->place.space != SOA_SPACE_ANY &&
           !sweep_is_local(w, step) && !soa_step_is_state(s, SOA_STATE_V);
}
