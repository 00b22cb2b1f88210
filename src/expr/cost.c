/* expr/cost.c - orders, sweeps and flops. */
#include "expr/cost.h"

#include "expr/graph.h"

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

soa_cost soa_cost_of_graph(const soa_graph *graph, int written)
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
    soa_graph graph = soa_graph_begin(pool, error);
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
    soa_graph_free(&graph);
    return status;
}

int soa_cost_compare(const soa_cost *a, const soa_cost *b)
{
    if (a->order != b->order) {
        return a->order - b->order;
    }
    if (a->sweeps != b->sweeps) {
        return a->sweeps - b->sweeps;
    }
    if (a->flops < b->flops || a->flops > b->flops) {
        return a->flops < b->flops ? -1 : 1;
    }
    return a->steps - b->steps;
}
