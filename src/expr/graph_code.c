/* expr/graph_code.c - the sweeps of a graph, and instructions for the steps that its outputs need. */
#include "core/error.h"
#include "expr/graph.h"

soa_status soa_graph_plan(soa_graph *graph)
{
    const int written = soa_schedule_written(graph);
    soa_status status = written < 0 ? soa_fail_memory(graph->error) : soa_graph_merge(graph);
    status = status == SOA_OK ? soa_schedule_make(graph) : status;
    if (status != SOA_OK) {
        return status;
    }
    graph->cost = soa_cost_of_graph(graph, written);
    for (int i = 0; i < graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(graph, i);
        const bool state = s->kind == SOA_STEP_STATE;
        graph->velocities = graph->velocities || (state && (s->state == SOA_STATE_V || s->state == SOA_STATE_ARMATURE));
        for (int n = 0; n < s->along.count; n++) {
            graph->velocities = graph->velocities || soa_graph_coordinate_at(graph, s->along.at[n])->by == SOA_BY_TIME;
        }
        graph->points = graph->points || (s->kind == SOA_STEP_APPLY && s->op == SOA_OP_B);
    }
    return SOA_OK;
}

/* ---- instructions ----------------------------------------------------------------------------------- */

static void demand(soa_graph *graph, int step)
{
    if (step < 0 || graph->demanded[step]) {
        return;
    }
    const soa_step *s = soa_graph_step(graph, step);
    graph->demanded[step] = true;
    demand(graph, s->need);
    for (int i = 0; i < s->count; i++) {
        demand(graph, s->input[i]);
    }
    if (s->fusion == SOA_FUSED_FILTER || s->fusion == SOA_FUSED_SMOOTHER) {
        graph->demanded[s->other] = true;
    }
}

static soa_code by_space(soa_space space, soa_code joint, soa_code body, soa_code point, soa_code whole)
{
    switch (space) {
    case SOA_SPACE_JOINT:
        return joint;
    case SOA_SPACE_BODY:
        return body;
    case SOA_SPACE_POINT:
        return point;
    default:
        return whole;
    }
}

/* The instruction of a step; SOA_CODE_NONE: it needs none. */
static soa_code code_of(const soa_graph *graph, const soa_step *s)
{
    const soa_space space = s->place.space;
    const bool rate = s->along.count > 0;
    if (s->fusion != SOA_FUSED_NOT) {
        return s->fusion == SOA_FUSED_FILTER     ? SOA_CODE_filter
               : s->fusion == SOA_FUSED_SMOOTHER ? SOA_CODE_smoother
                                                 : SOA_CODE_NONE;
    }
    switch (s->kind) {
    case SOA_STEP_STATE:
        return rate ? soa_part_step_of(s->state)->rate : soa_part_step_of(s->state)->code;
    case SOA_STEP_SUM:
        return by_space(space, SOA_CODE_sum_joint, SOA_CODE_sum_body, SOA_CODE_sum_point, SOA_CODE_sum);
    case SOA_STEP_SCALE:
        return by_space(space, SOA_CODE_scale_joint, SOA_CODE_scale_body, SOA_CODE_scale_point, SOA_CODE_scale);
    case SOA_STEP_APPLY:
        return (rate ? soa_operator_step_of(s->op)->rate : soa_operator_step_of(s->op)->code)[s->adjoint];
    case SOA_STEP_BRANCH:
        return SOA_CODE_branch;
    case SOA_STEP_MATRIX:
        return !soa_graph_matrix_at(graph, s->matrix)->blocks ? SOA_CODE_matrix
               : space == SOA_SPACE_JOINT                     ? SOA_CODE_blocks_joint
                                                              : SOA_CODE_blocks_body;
    case SOA_STEP_DOT:
        return SOA_CODE_dot;
    case SOA_STEP_ZERO:
    case SOA_STEP_INPUT:
        break;
    }
    return SOA_CODE_NONE;
}

static bool emit(soa_graph *graph, int step)
{
    const soa_step *s = soa_graph_step(graph, step);
    const soa_code code = code_of(graph, s);
    soa_instruction *made = code == SOA_CODE_NONE ? NULL : soa_array_push(&graph->code, &graph->allocator);
    if (made) {
        *made = (soa_instruction){ .code = code,
            .y = step,
            .y2 = s->other,
            .x = s->count > 0 ? s->input[0] : -1,
            .x2 = s->along.count > 0 ? s->need
                  : s->count > 1     ? s->input[1]
                                     : -1,
            .count = s->count,
            .input = s->input,
            .factor = s->factor,
            .matrix = s->matrix,
            .adjoint = s->adjoint,
            .from = s->count > 0 ? soa_graph_step(graph, s->input[0])->place.side : SOA_SIDE_ANY,
            .to = s->place.side,
            .along = s->along };
    }
    return made || code == SOA_CODE_NONE;
}

/* What a sweep computes at bodies, or behind it. */
static bool emit_sweep(soa_graph *graph, int sweep, bool whole)
{
    bool made = true;
    for (int i = 0; made && i < graph->steps.count; i++) {
        if (graph->demanded[i] && graph->schedule.sweep[i] == sweep &&
            (soa_step_reach(graph, i) == SOA_REACH_WHOLE) == whole) {
            made = emit(graph, i);
        }
    }
    return made;
}

soa_status soa_graph_compile(soa_graph *graph)
{
    const size_t n = (size_t)graph->steps.count + 1, sweeps = (size_t)graph->schedule.sweeps + 2;
    graph->demanded = soa_arena_take(&graph->arena, n, sizeof *graph->demanded);
    graph->first = soa_arena_take(&graph->arena, sweeps, sizeof *graph->first);
    graph->whole = soa_arena_take(&graph->arena, sweeps, sizeof *graph->whole);
    bool made = graph->demanded && graph->first && graph->whole && soa_graph_fuse(graph) == SOA_OK;
    for (int i = 0; made && i < graph->outputs.count; i++) {
        demand(graph, soa_graph_output_at(graph, i)->step);
    }
    for (int sweep = SOA_BEFORE; made && sweep < graph->schedule.sweeps; sweep++) {
        graph->first[sweep + 1] = graph->code.count;
        made = emit_sweep(graph, sweep, false);
        graph->whole[sweep + 1] = graph->code.count;
        made = made && emit_sweep(graph, sweep, true);
    }
    if (!made) {
        return soa_fail_memory(graph->error);
    }
    graph->first[sweeps - 1] = graph->code.count;
    return SOA_OK;
}
