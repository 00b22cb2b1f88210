/* expr/graph_code.c - the sweeps of a graph, what they cost, and instructions for the steps that its outputs need. */
#include "expr/graph.h"

/* ---- costs ------------------------------------------------------------------------------------------- */

/* A dense inverse costs the cube of its size: of the bodies, or of a few points. */
static int matrix_order(const soa_graph_matrix *matrix)
{
    const soa_space space = matrix->term->type.from.space;
    const bool grows = space == SOA_SPACE_BODY || space == SOA_SPACE_JOINT;
    if (!grows || matrix->blocks) {
        return 1;
    }
    return matrix->kind == SOA_MATRIX_GIVEN ? 2 : 3;
}

/* What a merged graph with its schedule costs; written: how many sweeps it has as it was written. */
static soa_cost cost_of(const soa_graph *graph, int written)
{
    soa_cost cost = { .order = 1, .sweeps = graph->schedule.counted, .sweeps_written = written };
    for (int i = 0; i < graph->steps.count; i++) {
        cost.flops += soa_step_about(graph, i).flops;
    }
    for (int i = 0; i < graph->matrices.count; i++) {
        const int order = matrix_order(soa_graph_matrix_at(graph, i));
        cost.order = order > cost.order ? order : cost.order;
    }
    cost.steps = graph->steps.count;
    return cost;
}

soa_status soa_cost_of(soa_terms *pool, const soa_term *term, soa_cost *cost, soa_error *error)
{
    soa_arena arena = soa_arena_on(&pool->allocator);
    soa_graph graph = soa_graph_begin(pool, &arena, error);
    graph.literal = true;
    soa_status status = soa_graph_add(&graph, "y", term);
    status = status == SOA_OK ? soa_graph_plan(&graph) : status;
    if (status == SOA_OK) {
        *cost = graph.cost;
        /* a matrix to be inverted is made first: its own sweeps, column by column */
        for (int i = 0; i < graph.matrices.count && status == SOA_OK; i++) {
            const soa_graph_matrix *m = soa_graph_matrix_at(&graph, i);
            soa_cost inner = { .order = 1 };
            if (m->kind != SOA_MATRIX_GIVEN && m->kind != SOA_MATRIX_SELECT && m->kind != SOA_MATRIX_UNIT) {
                status = soa_cost_of(pool, m->term, &inner, error);
            }
            cost->order = inner.order > cost->order ? inner.order : cost->order;
            cost->flops += inner.flops;
        }
    }
    soa_arena_free(&arena);
    return status;
}

int soa_cost_compare(const soa_cost *a, const soa_cost *b)
{
    const bool less = a->flops<b->flops, more = a->flops> b->flops;
    return a->order != b->order     ? a->order - b->order
           : a->sweeps != b->sweeps ? a->sweeps - b->sweeps
           : less || more           ? more - less
                                    : a->steps - b->steps;
}

/* ---- the plan ------------------------------------------------------------------------------------------ */

soa_status soa_graph_plan(soa_graph *graph)
{
    const int written = soa_schedule_written(graph);
    soa_graph_merge(graph);
    soa_schedule_make(graph);
    if (graph->status == SOA_OK) {
        graph->cost = cost_of(graph, written);
    }
    for (int i = 0; graph->status == SOA_OK && i < graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(graph, i);
        const bool state = s->kind == SOA_STEP_STATE;
        graph->velocities = graph->velocities || (state && (s->state == SOA_STATE_V || s->state == SOA_STATE_ARMATURE));
        for (int n = 0; n < s->along.count; n++) {
            graph->velocities = graph->velocities || soa_graph_coordinate_at(graph, s->along.at[n])->by == SOA_BY_TIME;
        }
        graph->points = graph->points || (s->kind == SOA_STEP_APPLY && s->op == SOA_OP_B);
    }
    return graph->status;
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

/* Which steps look at the argument. */
static void find_argument(const soa_graph *graph, bool *looks)
{
    for (int i = 0; i < graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(graph, i);
        looks[i] = s->kind == SOA_STEP_INPUT && s->matrix == 0 && s->name[0] == '\0'; /* the argument itself */
        for (int j = 0; j < s->count; j++) {
            looks[i] = looks[i] || looks[s->input[j]];
        }
    }
}

/* What a sweep computes at bodies, or behind it, of some steps. */
static void emit_sweep(soa_graph *graph, soa_instructions *to, const bool *some, int sweep, bool whole)
{
    for (int i = 0; i < graph->steps.count; i++) {
        soa_step *s = soa_graph_step(graph, i);
        if (some[i] && s->code != SOA_CODE_NONE && graph->schedule.sweep[i] == sweep &&
            (soa_step_reach(graph, i) == SOA_REACH_WHOLE) == whole &&
            !soa_arena_add(graph->arena, &to->code, (const void *)&s, sizeof(soa_step *))) {
            soa_graph_fail(graph, SOA_E_MEMORY, NULL);
        }
    }
}

static void emit(soa_graph *graph, soa_instructions *to, const bool *some)
{
    const int sweeps = graph->schedule.sweeps;
    to->first = soa_graph_take(graph, (size_t)sweeps + 1, sizeof *to->first);
    to->whole = soa_graph_take(graph, (size_t)sweeps + 1, sizeof *to->whole);
    for (int sweep = SOA_BEFORE; graph->status == SOA_OK && sweep < sweeps; sweep++) {
        to->first[sweep + 1] = to->code.count;
        emit_sweep(graph, to, some, sweep, false);
        to->whole[sweep + 1] = to->code.count;
        emit_sweep(graph, to, some, sweep, true);
        to->first[sweep + 2] = to->code.count;
    }
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
    const size_t n = (size_t)graph->steps.count;
    graph->demanded = soa_graph_take(graph, n, sizeof *graph->demanded);
    bool *looks = soa_graph_take(graph, n, sizeof *looks);
    for (int i = 0; i < graph->steps.count; i++) {
        soa_graph_step(graph, i)->code = soa_step_about(graph, i).code;
    }
    soa_graph_fuse(graph);
    if (graph->status != SOA_OK) {
        return graph->status;
    }
    for (int i = 0; i < graph->outputs.count; i++) {
        demand(graph, soa_graph_output_at(graph, i)->step);
    }
    find_argument(graph, looks);
    for (int i = 0; i < graph->steps.count; i++) {
        set_operands(graph, i);
        looks[i] = looks[i] && graph->demanded[i];
    }
    emit(graph, &graph->all, graph->demanded);
    emit(graph, &graph->again, looks);
    return graph->status;
}
