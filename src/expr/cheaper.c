/* expr/cheaper.c - cheaper expressions in place of those that are written, before they are planned. */
#include "expr/compile.h"
#include "expr/simplify.h"

/* Longer expressions are run as they are written: rewriting would take longer than it saves. */
enum { SIZE_MOST = 200 };

/* Flops are a rough measure of time: of expressions with as many sweeps one must save more than a tenth. */
static const double WORTH = 0.9;

/* What the steps of all vectors, or of one operator, cost together. */
static bool cost_of(soa_compiled *c, int operator_output, soa_cost *cost)
{
    soa_graph graph = soa_compiled_graph(c);
    const bool planned = soa_compiled_lower(c, &graph, operator_output) && soa_graph_plan(&graph) == SOA_OK;
    *cost = graph.cost;
    return planned;
}

static bool try_cheaper(soa_compiled *c, int output)
{
    soa_compiled_output *out = (soa_compiled_output *)c->outputs.items + output;
    const bool vector = soa_term_is_vector(out->term);
    const soa_term *written = out->term;
    soa_simplified found;
    soa_cost before = { 0 }, after = { 0 };
    const bool planned = cost_of(c, vector ? -1 : output, &before);
    if (!planned || (before.order <= 1 && before.sweeps <= 1)) { /* no search finds much less than one sweep */
        return planned;
    }
    const soa_status status = soa_simplify(c->terms, written, soa_has_rotors(c->model), &found, NULL);
    if (status != SOA_OK) {
        return status != SOA_E_MEMORY;
    }
    out->term = found.term;
    if (out->term == written) {
        return true;
    }
    const bool again = cost_of(c, vector ? -1 : output, &after);
    const bool fewer = after.order < before.order || (after.order == before.order && after.sweeps < before.sweeps);
    const bool worth = fewer || after.flops < WORTH * before.flops;
    if (!again || soa_cost_compare(&after, &before) >= 0 || !worth) {
        out->term = written;
    }
    return again;
}

bool soa_compiled_simplify(soa_compiled *compiled)
{
    bool fine = true;
    for (int i = 0; fine && i < compiled->outputs.count; i++) {
        const soa_compiled_output *out = soa_compiled_output_at(compiled, i);
        const bool matrix = !soa_term_is_vector(out->term);
        if (out->kernel == SOA_BY_NONE && !out->term->derived && out->term->size <= SIZE_MOST &&
            !(matrix && soa_recognise(compiled->recogniser, out->term) != SOA_BY_NONE)) {
            fine = try_cheaper(compiled, i);
        }
    }
    return fine;
}
