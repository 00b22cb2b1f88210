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
    if (s->code == SOA_CODE_filter || s->code == SOA_CODE_smoother) {
        graph->demanded[s->y2] = true;
    }
}

static bool is_argument(const soa_step *s)
{
    return s->kind == SOA_STEP_INPUT && s->matrix == 0 && s->name[0] == '\0';
}

/* Which steps look at the argument. */
static void find_argument(const soa_graph *graph, bool *looks)
{
    for (int i = 0; i < graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(graph, i);
        looks[i] = is_argument(s);
        for (int j = 0; j < s->count; j++) {
            looks[i] = looks[i] || looks[s->input[j]];
        }
    }
}

/* What a sweep computes at bodies, or behind it, of some steps. */
static bool emit_sweep(soa_graph *graph, soa_instructions *to, const bool *some, int sweep, bool whole)
{
    bool made = true;
    for (int i = 0; made && i < graph->steps.count; i++) {
        soa_step *s = soa_graph_step(graph, i);
        if (some[i] && s->code != SOA_CODE_NONE && graph->schedule.sweep[i] == sweep &&
            (soa_step_reach(graph, i) == SOA_REACH_WHOLE) == whole) {
            soa_step **place = soa_array_push(&to->code, &graph->allocator);
            made = place != NULL;
            if (made) {
                *place = s;
            }
        }
    }
    return made;
}

static bool emit(soa_graph *graph, soa_instructions *to, const bool *some)
{
    const size_t sweeps = (size_t)graph->schedule.sweeps + 2;
    to->first = soa_arena_take(&graph->arena, sweeps, sizeof *to->first);
    to->whole = soa_arena_take(&graph->arena, sweeps, sizeof *to->whole);
    bool made = to->first && to->whole;
    for (int sweep = SOA_BEFORE; made && sweep < graph->schedule.sweeps; sweep++) {
        to->first[sweep + 1] = to->code.count;
        made = emit_sweep(graph, to, some, sweep, false);
        to->whole[sweep + 1] = to->code.count;
        made = made && emit_sweep(graph, to, some, sweep, true);
    }
    if (made) {
        to->first[sweeps - 1] = to->code.count;
    }
    return made;
}

/* The steps that an instruction reads and writes. */
static void set_operands(soa_graph *graph, int step)
{
    soa_step *s = soa_graph_step(graph, step);
    s->y = step;
    s->x = s->count > 0 ? s->input[0] : -1;
    s->x2 = s->along.count > 0 ? s->need : s->count > 1 ? s->input[1] : -1;
}

soa_status soa_graph_compile(soa_graph *graph)
{
    const size_t n = (size_t)graph->steps.count + 1;
    graph->demanded = soa_arena_take(&graph->arena, n, sizeof *graph->demanded);
    bool *looks = soa_arena_take(&graph->arena, n, sizeof *looks);
    for (int i = 0; i < graph->steps.count; i++) {
        soa_graph_step(graph, i)->code = soa_step_about(graph, i).code;
    }
    bool made = graph->demanded && looks && soa_graph_fuse(graph) == SOA_OK;
    for (int i = 0; made && i < graph->outputs.count; i++) {
        demand(graph, soa_graph_output_at(graph, i)->step);
    }
    if (made) {
        find_argument(graph, looks);
    }
    for (int i = 0; made && i < graph->steps.count; i++) {
        set_operands(graph, i);
        looks[i] = looks[i] && graph->demanded[i];
    }
    made = made && emit(graph, &graph->all, graph->demanded) && emit(graph, &graph->again, looks);
    return made ? SOA_OK : soa_fail_memory(graph->error);
}
