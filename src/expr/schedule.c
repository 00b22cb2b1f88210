/* expr/schedule.c - the fewest sweeps, and the sweeps as written. */
#include "expr/graph.h"

soa_reach soa_step_reach(const soa_graph *graph, int step)
{
    return soa_step_about(graph, step).reach;
}

/* ---- the fewest ------------------------------------------------------------------------------- */

typedef struct ready {
    int from;  /* the first sweep in which all inputs are there at the body in turn */
    int whole; /* the first sweep before which all inputs are complete */
} ready;

static void wait_for(const soa_graph *graph, const soa_schedule *plan, int step, ready *r)
{
    const int sweep = plan->sweep[step];
    const bool behind = soa_step_reach(graph, step) == SOA_REACH_WHOLE;
    const int from = behind ? sweep + 1 : sweep;
    r->from = from > r->from ? from : r->from;
    r->whole = sweep + 1 > r->whole ? sweep + 1 : r->whole;
}

static ready inputs_ready(const soa_graph *graph, const soa_schedule *plan, const soa_step *s)
{
    ready r = { SOA_BEFORE, SOA_BEFORE + 1 };
    for (int i = 0; i < s->count; i++) {
        wait_for(graph, plan, s->input[i], &r);
    }
    if (s->need >= 0) {
        wait_for(graph, plan, s->need, &r);
    }
    return r;
}

static int first_in_direction(const soa_schedule *plan, int from, bool inward)
{
    const int sweep = from < 0 ? 0 : from;
    return soa_sweep_inward(plan, sweep) == inward ? sweep : sweep + 1;
}

/* Whether an input is one that any sweep could do, so that it is not there before all of them. */
static bool input_waits(const soa_graph *graph, const soa_schedule *plan, const soa_step *s)
{
    for (int i = 0; i < s->count; i++) {
        const soa_reach reach = soa_step_reach(graph, s->input[i]);
        if (plan->sweep[s->input[i]] == SOA_BEFORE && reach != SOA_REACH_GIVEN && reach != SOA_REACH_WHOLE) {
            return true;
        }
    }
    return false;
}

/* The earliest sweep of a step; SOA_BEFORE: any. */
static int earliest(const soa_graph *graph, const soa_schedule *plan, int step)
{
    const soa_step *s = soa_graph_step(graph, step);
    const soa_reach reach = soa_step_reach(graph, step);
    const ready r = inputs_ready(graph, plan, s);
    const bool waits = input_waits(graph, plan, s);
    switch (reach) {
    case SOA_REACH_GIVEN:
        return SOA_BEFORE;
    case SOA_REACH_LOCAL:
        return r.from;
    case SOA_REACH_NEAR_IN:
    case SOA_REACH_NEAR_OUT: {
        if (r.from == SOA_BEFORE && !waits) {
            return SOA_BEFORE;
        }
        const int sweep = first_in_direction(plan, r.from, reach == SOA_REACH_NEAR_IN);
        return r.whole < sweep && !waits ? r.whole : sweep;
    }
    case SOA_REACH_RUN_IN:
    case SOA_REACH_RUN_OUT:
        return first_in_direction(plan, r.from, reach == SOA_REACH_RUN_IN);
    case SOA_REACH_WHOLE:
        break;
    }
    return r.whole == 0 && waits ? 0 : r.whole - 1; /* behind the sweep that completes its inputs */
}

/* Steps that any sweep could do go to that of their first user. */
static void settle(const soa_graph *graph, soa_schedule *plan)
{
    for (int i = graph->steps.count - 1; i >= 0; i--) {
        const soa_reach reach = soa_step_reach(graph, i);
        if (reach == SOA_REACH_GIVEN || plan->sweep[i] != SOA_BEFORE || reach == SOA_REACH_WHOLE) {
            continue;
        }
        int first = plan->sweeps;
        for (int j = i + 1; j < graph->steps.count; j++) {
            const soa_step *s = soa_graph_step(graph, j);
            for (int k = 0; k < s->count; k++) {
                first = s->input[k] == i && plan->sweep[j] < first ? plan->sweep[j] : first;
            }
        }
        plan->sweep[i] = first == plan->sweeps ? plan->sweeps - 1 : first;
    }
}

static void place_all(const soa_graph *graph, soa_schedule *plan)
{
    bool work = false;
    plan->sweeps = 0;
    for (int i = 0; i < graph->steps.count; i++) {
        plan->sweep[i] = earliest(graph, plan, i);
        plan->sweeps = plan->sweep[i] >= plan->sweeps ? plan->sweep[i] + 1 : plan->sweeps;
        work = work || soa_step_reach(graph, i) != SOA_REACH_GIVEN;
    }
    plan->sweeps = plan->sweeps == 0 && work ? 1 : plan->sweeps;
    settle(graph, plan);
    plan->counted = 0;
    for (int sweep = 0; sweep < plan->sweeps; sweep++) {
        bool found = false;
        for (int i = 0; i < graph->steps.count; i++) {
            const soa_reach reach = plan->sweep[i] == sweep ? soa_step_reach(graph, i) : SOA_REACH_GIVEN;
            found = found || (reach != SOA_REACH_GIVEN && reach != SOA_REACH_LOCAL && reach != SOA_REACH_WHOLE);
        }
        plan->counted += found;
    }
}

void soa_schedule_make(soa_graph *graph)
{
    const size_t n = (size_t)graph->steps.count;
    soa_schedule in = { .inward_first = true, .sweep = soa_graph_take(graph, n, sizeof *in.sweep) };
    soa_schedule out = { .inward_first = false, .sweep = soa_graph_take(graph, n, sizeof *out.sweep) };
    if (graph->status == SOA_OK) {
        place_all(graph, &in);
        place_all(graph, &out);
        const bool inward = in.sweeps != out.sweeps ? in.sweeps < out.sweeps : in.counted < out.counted;
        graph->schedule = inward ? in : out;
    }
}

/* ---- as written --------------------------------------------------------------------------------- */

typedef struct written {
    int *after;      /* by step: the last sweep that it waits for; -1: none */
    bool *explicit_; /* by step: whether a recursion of the expression itself ran in that sweep */
    bool *inward;    /* by sweep */
    int sweeps;
} written;

/* The sweep of a recursion: one of its direction behind all that it waits for, or the last of those
 * itself if only parts of the state ran in it. */
static int written_sweep(written *w, bool inward, int after, bool blocked)
{
    int sweep = after < 0 ? 0 : blocked ? after + 1 : after;
    while (sweep < w->sweeps && w->inward[sweep] != inward) {
        sweep++;
    }
    if (sweep == w->sweeps) {
        w->inward[w->sweeps++] = inward;
    }
    return sweep;
}

static void wait_written(const written *w, int on, int *after, bool *blocked)
{
    if (w->after[on] > *after) {
        *after = w->after[on];
        *blocked = w->explicit_[on];
    } else if (w->after[on] == *after && w->after[on] >= 0) {
        *blocked = *blocked || w->explicit_[on];
    }
}

/* How many sweeps, if the first one runs in that direction. */
static int written_from(const soa_graph *graph, written *w, bool inward)
{
    w->sweeps = 1;
    w->inward[0] = inward;
    bool first_used = false;
    for (int i = 0; i < graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(graph, i);
        const soa_reach reach = soa_step_reach(graph, i);
        int after = -1;
        bool blocked = false;
        for (int j = 0; j < s->count; j++) {
            wait_written(w, s->input[j], &after, &blocked);
        }
        if (s->need >= 0) {
            wait_written(w, s->need, &after, &blocked);
        }
        const bool runs = reach == SOA_REACH_RUN_IN || reach == SOA_REACH_RUN_OUT;
        w->after[i] = runs ? written_sweep(w, reach == SOA_REACH_RUN_IN, after, blocked) : after;
        w->explicit_[i] = runs ? s->kind != SOA_STEP_STATE || blocked : blocked;
        first_used = first_used || (runs && w->after[i] == 0);
    }
    return w->sweeps - !first_used;
}

int soa_schedule_written(soa_graph *graph)
{
    const size_t n = (size_t)graph->steps.count + 1;
    written w = { .after = soa_graph_take(graph, n, sizeof *w.after),
        .explicit_ = soa_graph_take(graph, n, sizeof *w.explicit_),
        .inward = soa_graph_take(graph, n, sizeof *w.inward) };
    if (graph->status != SOA_OK) {
        return 0;
    }
    const int in = written_from(graph, &w, true), out = written_from(graph, &w, false);
    return in < out ? in : out;
}
