/* expr/schedule.c - the fewest sweeps, and the sweeps as written. */
#include "expr/schedule.h"

#include "core/error.h"

static soa_reach operator_reach(soa_operator op, bool adjoint)
{
    switch (op) {
    case SOA_OP_E_PHI:
    case SOA_OP_E_PSI:
    case SOA_OP_K:
    case SOA_OP_GAMMA:
        return adjoint ? SOA_REACH_NEAR_OUT : SOA_REACH_NEAR_IN;
    case SOA_OP_PHI:
    case SOA_OP_PSI:
        return adjoint ? SOA_REACH_RUN_OUT : SOA_REACH_RUN_IN;
    case SOA_OP_A:
        return SOA_REACH_WHOLE;
    default:
        return SOA_REACH_LOCAL;
    }
}

static soa_reach state_reach(soa_state_part part)
{
    static const soa_reach reach[] = {
        [SOA_STATE_V] = SOA_REACH_RUN_OUT,
        [SOA_STATE_A] = SOA_REACH_LOCAL,
        [SOA_STATE_B] = SOA_REACH_LOCAL,
        [SOA_STATE_G] = SOA_REACH_LOCAL,
        [SOA_STATE_ARTICULATED] = SOA_REACH_RUN_IN,
        [SOA_STATE_COMPOSITE] = SOA_REACH_RUN_IN,
        [SOA_STATE_UPSILON] = SOA_REACH_RUN_OUT,
        [SOA_STATE_ARMATURE] = SOA_REACH_LOCAL,
    };
    return reach[part];
}

soa_reach soa_step_reach(const soa_flow *flow, int step)
{
    const soa_step *s = soa_flow_step(flow, step);
    switch (s->kind) {
    case SOA_STEP_ZERO:
    case SOA_STEP_INPUT:
        return SOA_REACH_GIVEN;
    case SOA_STEP_STATE:
        return state_reach(s->state);
    case SOA_STEP_SUM: /* of rows: when the rows are there */
    case SOA_STEP_SCALE:
        return s->place.space == SOA_SPACE_CONSTRAINT || s->place.space == SOA_SPACE_ONE ? SOA_REACH_WHOLE
                                                                                         : SOA_REACH_LOCAL;
    case SOA_STEP_APPLY:
        return operator_reach(s->op, s->adjoint);
    case SOA_STEP_BRANCH:
        return SOA_REACH_RUN_OUT;
    case SOA_STEP_MATRIX:
        return soa_flow_matrix_at(flow, s->matrix)->blocks ? SOA_REACH_LOCAL : SOA_REACH_WHOLE;
    case SOA_STEP_DOT:
        break;
    }
    return SOA_REACH_WHOLE;
}

/* ---- the fewest ------------------------------------------------------------------------------- */

typedef struct ready {
    int from;  /* the first sweep in which all inputs are there at the body in turn */
    int whole; /* the first sweep before which all inputs are complete */
} ready;

static void wait_for(const soa_flow *flow, const soa_schedule *plan, int step, ready *r)
{
    const int sweep = plan->sweep[step];
    const bool behind = soa_step_reach(flow, step) == SOA_REACH_WHOLE;
    const int from = behind ? sweep + 1 : sweep;
    r->from = from > r->from ? from : r->from;
    r->whole = sweep + 1 > r->whole ? sweep + 1 : r->whole;
}

static ready inputs_ready(const soa_flow *flow, const soa_schedule *plan, const soa_step *s)
{
    ready r = { SOA_BEFORE, SOA_BEFORE + 1 };
    for (int i = 0; i < s->count; i++) {
        wait_for(flow, plan, s->input[i], &r);
    }
    if (s->need >= 0) {
        wait_for(flow, plan, s->need, &r);
    }
    return r;
}

static int first_in_direction(const soa_schedule *plan, int from, bool inward)
{
    const int sweep = from < 0 ? 0 : from;
    return soa_sweep_inward(plan, sweep) == inward ? sweep : sweep + 1;
}

/* Whether all inputs are there before all sweeps; a step that any sweep could do is not. */
static bool inputs_given(const soa_flow *flow, const soa_schedule *plan, const soa_step *s)
{
    for (int i = 0; i < s->count; i++) {
        const soa_reach reach = soa_step_reach(flow, s->input[i]);
        if (reach != SOA_REACH_GIVEN && (reach != SOA_REACH_WHOLE || plan->sweep[s->input[i]] != SOA_BEFORE)) {
            return false;
        }
    }
    return true;
}

static bool input_waits(const soa_flow *flow, const soa_schedule *plan, const soa_step *s)
{
    for (int i = 0; i < s->count; i++) {
        const soa_reach reach = soa_step_reach(flow, s->input[i]);
        if (plan->sweep[s->input[i]] == SOA_BEFORE && reach != SOA_REACH_GIVEN && reach != SOA_REACH_WHOLE) {
            return true;
        }
    }
    return false;
}

/* The earliest sweep of a step; SOA_BEFORE: any. */
static int earliest(const soa_flow *flow, const soa_schedule *plan, int step)
{
    const soa_reach reach = soa_step_reach(flow, step);
    const ready r = inputs_ready(flow, plan, soa_flow_step(flow, step));
    switch (reach) {
    case SOA_REACH_GIVEN:
        return SOA_BEFORE;
    case SOA_REACH_LOCAL:
        return r.from;
    case SOA_REACH_NEAR_IN:
    case SOA_REACH_NEAR_OUT: {
        const soa_step *s = soa_flow_step(flow, step);
        if (r.from == SOA_BEFORE && inputs_given(flow, plan, s)) {
            return SOA_BEFORE;
        }
        const int sweep = first_in_direction(plan, r.from, reach == SOA_REACH_NEAR_IN);
        return r.whole < sweep && !input_waits(flow, plan, s) ? r.whole : sweep;
    }
    case SOA_REACH_RUN_IN:
    case SOA_REACH_RUN_OUT:
        return first_in_direction(plan, r.from, reach == SOA_REACH_RUN_IN);
    case SOA_REACH_WHOLE:
        break;
    }
    return r.whole - 1; /* behind the sweep that completes its inputs */
}

/* Steps that any sweep could do go to that of their first user. */
static void settle(const soa_flow *flow, soa_schedule *plan)
{
    for (int i = flow->steps.count - 1; i >= 0; i--) {
        const soa_reach reach = soa_step_reach(flow, i);
        if (reach == SOA_REACH_GIVEN || plan->sweep[i] != SOA_BEFORE || reach == SOA_REACH_WHOLE) {
            continue;
        }
        int first = plan->sweeps;
        for (int j = i + 1; j < flow->steps.count; j++) {
            const soa_step *s = soa_flow_step(flow, j);
            for (int k = 0; k < s->count; k++) {
                first = s->input[k] == i && plan->sweep[j] < first ? plan->sweep[j] : first;
            }
        }
        plan->sweep[i] = first == plan->sweeps ? plan->sweeps - 1 : first;
    }
}

/* A step before all sweeps works on what is given; if one of its inputs is computed, it waits for sweep 0. */
static int not_too_early(const soa_flow *flow, const soa_schedule *plan, int step, int sweep)
{
    const bool early = sweep == SOA_BEFORE && soa_step_reach(flow, step) == SOA_REACH_WHOLE;
    return early && !inputs_given(flow, plan, soa_flow_step(flow, step)) ? 0 : sweep;
}

static bool is_recursion(soa_reach reach)
{
    return reach != SOA_REACH_GIVEN && reach != SOA_REACH_LOCAL && reach != SOA_REACH_WHOLE;
}

static void place_all(const soa_flow *flow, soa_schedule *plan)
{
    bool work = false;
    plan->sweeps = 0;
    for (int i = 0; i < flow->steps.count; i++) {
        plan->sweep[i] = not_too_early(flow, plan, i, earliest(flow, plan, i));
        plan->sweeps = plan->sweep[i] >= plan->sweeps ? plan->sweep[i] + 1 : plan->sweeps;
        work = work || soa_step_reach(flow, i) != SOA_REACH_GIVEN;
    }
    plan->sweeps = plan->sweeps == 0 && work ? 1 : plan->sweeps;
    settle(flow, plan);
    plan->counted = 0;
    for (int sweep = 0; sweep < plan->sweeps; sweep++) {
        bool found = false;
        for (int i = 0; i < flow->steps.count; i++) {
            found = found || (plan->sweep[i] == sweep && is_recursion(soa_step_reach(flow, i)));
        }
        plan->counted += found;
    }
}

soa_status soa_schedule_make(soa_flow *flow, soa_schedule *schedule)
{
    const size_t n = (size_t)flow->steps.count + 1;
    soa_schedule in = { .inward_first = true, .sweep = soa_arena_take(&flow->arena, n, sizeof *in.sweep) };
    soa_schedule out = { .inward_first = false, .sweep = soa_arena_take(&flow->arena, n, sizeof *out.sweep) };
    if (!in.sweep || !out.sweep) {
        return soa_fail_memory(flow->error);
    }
    place_all(flow, &in);
    place_all(flow, &out);
    const bool inward = in.sweeps != out.sweeps ? in.sweeps < out.sweeps : in.counted < out.counted;
    *schedule = inward ? in : out;
    return SOA_OK;
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
static int written_from(const soa_flow *flow, written *w, bool inward)
{
    w->sweeps = 1;
    w->inward[0] = inward;
    bool first_used = false;
    for (int i = 0; i < flow->steps.count; i++) {
        const soa_step *s = soa_flow_step(flow, i);
        const soa_reach reach = soa_step_reach(flow, i);
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

int soa_schedule_written(soa_flow *flow)
{
    const size_t n = (size_t)flow->steps.count + 2;
    written w = { .after = soa_arena_take(&flow->arena, n, sizeof *w.after),
        .explicit_ = soa_arena_take(&flow->arena, n, sizeof *w.explicit_),
        .inward = soa_arena_take(&flow->arena, n, sizeof *w.inward) };
    if (!w.after || !w.explicit_ || !w.inward) {
        return -1;
    }
    const int in = written_from(flow, &w, true), out = written_from(flow, &w, false);
    return in < out ? in : out;
}
