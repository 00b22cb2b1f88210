/* expr/plan.c - instructions for the steps that the outputs need. */
#include "expr/plan.h"

#include "core/error.h"

/* What instruction a step is part of; none: its own. */
typedef struct group {
    soa_filter_match *filter;     /* by z, and by eps */
    soa_smoother_match *smoother; /* by lambda, and by y */
} group;

typedef struct planner {
    soa_plan *plan;
    group *group; /* by step */
} planner;

/* ---- groups ----------------------------------------------------------------------------------- */

static bool take(soa_flow *flow, const void *from, size_t size, void **to)
{
    *to = soa_arena_take(&flow->arena, 1, size);
    if (*to) {
        __builtin_memcpy(*to, from, size);
    }
    return *to != NULL;
}

static bool find_groups(planner *p)
{
    soa_flow *flow = &p->plan->flow;
    const soa_schedule *schedule = &p->plan->schedule;
    for (int i = 0; i < flow->steps.count; i++) {
        soa_filter_match filter;
        soa_smoother_match smoother;
        void *made = NULL;
        if (soa_match_filter(flow, schedule, i, &filter)) {
            if (!take(flow, &filter, sizeof filter, &made)) {
                return false;
            }
            p->group[filter.z].filter = p->group[filter.eps].filter = made;
        }
        if (soa_match_smoother(flow, schedule, i, &smoother)) {
            if (!take(flow, &smoother, sizeof smoother, &made)) {
                return false;
            }
            p->group[smoother.lambda].smoother = p->group[smoother.y].smoother = made;
        }
    }
    return true;
}

/* ---- what is needed ------------------------------------------------------------------------------ */

static void demand(planner *p, int step)
{
    const soa_flow *flow = &p->plan->flow;
    if (step < 0 || p->plan->demanded[step]) {
        return;
    }
    p->plan->demanded[step] = true;
    const group *g = &p->group[step];
    const soa_step *s = soa_flow_step(flow, step);
    if (s->need >= 0) {
        demand(p, s->need);
    }
    if (g->filter) {
        const soa_filter_match *f = g->filter;
        demand(p, f->z);
        demand(p, f->eps);
        demand(p, f->x);
        const soa_step *sum = f->sum < 0 ? NULL : soa_flow_step(flow, f->sum);
        for (int i = 0; sum && i < sum->count; i++) {
            if (!soa_step_is(soa_flow_step(flow, sum->input[i]), SOA_OP_K, false) || sum->factor[i] != 1.0 ||
                soa_flow_step(flow, sum->input[i])->input[0] != f->x) {
                demand(p, sum->input[i]);
            }
        }
    } else if (g->smoother) {
        demand(p, g->smoother->lambda);
        demand(p, g->smoother->y);
        demand(p, g->smoother->eps);
    } else {
        for (int i = 0; i < s->count; i++) {
            demand(p, s->input[i]);
        }
    }
}

static void demand_outputs(planner *p)
{
    const soa_flow *flow = &p->plan->flow;
    for (int i = 0; i < flow->steps.count; i++) {
        p->plan->demanded[i] = false;
    }
    for (int i = 0; i < flow->outputs.count; i++) {
        demand(p, soa_flow_output_at(flow, i)->step);
    }
}

/* ---- instructions ----------------------------------------------------------------------------------- */

static bool emit(planner *p, soa_instruction instruction)
{
    soa_instruction *made = soa_array_push(&p->plan->code, &p->plan->flow.allocator);
    if (made) {
        *made = instruction;
    }
    return made != NULL;
}

/* The rest of a filter's sum in the sum's own place: all but K x. -1: there is no rest; -2: no memory. */
static int emit_rest(planner *p, const soa_filter_match *f)
{
    soa_flow *flow = &p->plan->flow;
    if (f->sum < 0) {
        return -1;
    }
    const soa_step *sum = soa_flow_step(flow, f->sum);
    int *input = soa_arena_take(&flow->arena, (size_t)sum->count, sizeof *input);
    double *factor = soa_arena_take(&flow->arena, (size_t)sum->count, sizeof *factor);
    if (!input || !factor) {
        return -2;
    }
    int n = 0;
    for (int i = 0; i < sum->count; i++) {
        const soa_step *part = soa_flow_step(flow, sum->input[i]);
        if (sum->factor[i] != 1.0 || !soa_step_is(part, SOA_OP_K, false) || part->input[0] != f->x) {
            input[n] = sum->input[i];
            factor[n++] = sum->factor[i];
        }
    }
    if (n == 1 && factor[0] == 1.0) {
        return input[0];
    }
    p->plan->demanded[f->sum] = true;
    return emit(p,
               (soa_instruction){
                   .code = SOA_CODE_sum_body, .y = f->sum, .count = n, .input = input, .factor = factor })
               ? f->sum
               : -2;
}

static bool emit_step(planner *p, int step)
{
    const soa_flow *flow = &p->plan->flow;
    const soa_step *s = soa_flow_step(flow, step);
    const group *g = &p->group[step];
    if (g->filter && step == g->filter->z) {
        const int rest = emit_rest(p, g->filter);
        return rest > -2 && emit(p, (soa_instruction){ .code = SOA_CODE_filter,
                                        .y = g->filter->z,
                                        .y2 = g->filter->eps,
                                        .x = g->filter->x,
                                        .x2 = rest });
    }
    if (g->smoother && step == g->smoother->lambda) {
        return emit(p, (soa_instruction){ .code = SOA_CODE_smoother,
                           .y = g->smoother->lambda,
                           .y2 = g->smoother->y,
                           .x = g->smoother->eps,
                           .x2 = -1 });
    }
    if (g->filter || g->smoother || s->kind == SOA_STEP_INPUT || s->kind == SOA_STEP_ZERO) {
        return true;
    }
    return emit(p, (soa_instruction){ .code = soa_step_code(flow, s),
                       .y = step,
                       .y2 = -1,
                       .x = s->count > 0 ? s->input[0] : -1,
                       .x2 = s->along.count > 0 ? s->need
                             : s->count > 1     ? s->input[1]
                                                : -1,
                       .count = s->count,
                       .input = s->input,
                       .factor = s->factor,
                       .matrix = s->matrix,
                       .adjoint = s->adjoint,
                       .from = s->count > 0 ? soa_flow_step(flow, s->input[0])->place.side : SOA_SIDE_ANY,
                       .to = s->place.side,
                       .along = s->along });
}

static bool emit_sweep(planner *p, int sweep)
{
    soa_plan *plan = p->plan;
    plan->first[sweep + 1] = plan->code.count;
    for (int i = 0; i < plan->flow.steps.count; i++) {
        const bool whole = soa_step_reach(&plan->flow, i) == SOA_REACH_WHOLE;
        if (plan->demanded[i] && plan->schedule.sweep[i] == sweep && !whole && !emit_step(p, i)) {
            return false;
        }
    }
    plan->whole[sweep + 1] = plan->code.count;
    for (int i = 0; i < plan->flow.steps.count; i++) {
        const bool whole = soa_step_reach(&plan->flow, i) == SOA_REACH_WHOLE;
        if (plan->demanded[i] && plan->schedule.sweep[i] == sweep && whole && !emit_step(p, i)) {
            return false;
        }
    }
    return true;
}

/* ---- what runs before the sweeps ----------------------------------------------------------------------- */

static void find_needs(soa_plan *plan)
{
    for (int i = 0; i < plan->code.count; i++) {
        const soa_code code = soa_plan_at(plan, i)->code;
        plan->velocities = plan->velocities || code == SOA_CODE_state_V || code == SOA_CODE_state_b_Arm;
        plan->points =
            plan->points || code == SOA_CODE_B || code == SOA_CODE_B_t || code == SOA_CODE_dB || code == SOA_CODE_dB_t;
    }
}

static soa_status instructions(soa_plan *plan, soa_error *error)
{
    soa_flow *flow = &plan->flow;
    const size_t n = (size_t)flow->steps.count + 1, sweeps = (size_t)plan->schedule.sweeps + 2;
    planner p = { plan, soa_arena_take(&flow->arena, n, sizeof *p.group) };
    plan->demanded = soa_arena_take(&flow->arena, n, sizeof *plan->demanded);
    plan->first = soa_arena_take(&flow->arena, sweeps, sizeof *plan->first);
    plan->whole = soa_arena_take(&flow->arena, sweeps, sizeof *plan->whole);
    if (!p.group || !plan->demanded || !plan->first || !plan->whole || !find_groups(&p)) {
        return soa_fail_memory(error);
    }
    demand_outputs(&p);
    for (int sweep = SOA_BEFORE; sweep < plan->schedule.sweeps; sweep++) {
        if (!emit_sweep(&p, sweep)) {
            return soa_fail_memory(error);
        }
    }
    plan->first[sweeps - 1] = plan->code.count;
    find_needs(plan);
    return SOA_OK;
}

soa_status soa_plan_make(soa_flow flow, soa_plan *plan, soa_error *error)
{
    *plan = (soa_plan){ .flow = flow, .code = soa_array_of(sizeof(soa_instruction)) };
    const int written = soa_schedule_written(&plan->flow);
    soa_status status = written < 0 ? soa_fail_memory(error) : soa_flow_merge(&plan->flow);
    status = status == SOA_OK ? soa_schedule_make(&plan->flow, &plan->schedule) : status;
    if (status == SOA_OK) {
        plan->cost = soa_cost_of_flow(&plan->flow, &plan->schedule, written);
        status = instructions(plan, error);
    }
    plan->flow.error = NULL;
    if (status != SOA_OK) {
        soa_plan_free(plan);
    }
    return status;
}

void soa_plan_free(soa_plan *plan)
{
    if (!plan->flow.terms) {
        return; /* there is none */
    }
    soa_array_free(&plan->code, &plan->flow.allocator);
    soa_flow_free(&plan->flow);
    *plan = (soa_plan){ 0 };
}
