/* expr/cheaper.c - cheaper expressions in place of those that are written, before they are planned. */
#include <string.h>

#include "core/error.h"
#include "expr/compile.h"
#include "expr/simplify.h"

/* Longer expressions are run as they are written: rewriting would take longer than it saves. */
enum { SIZE_MOST = 200 };

/* Flops are a rough measure of time: of expressions with as many sweeps one must save more than a tenth. */
static const double WORTH = 0.9;

/* What the steps of all vectors, or of one operator, cost together. */
static soa_status cost_of(const soa_compiled *c, int operator_output, soa_cost *cost, soa_error *error)
{
    soa_graph graph = soa_compiled_graph(c, error);
    soa_status status = soa_compiled_lower(c, &graph, operator_output);
    status = status == SOA_OK ? soa_graph_plan(&graph) : status;
    *cost = graph.cost;
    soa_graph_free(&graph);
    return status;
}

static bool is_alpha_or_f(const soa_terms *terms, const soa_term *term, const void *unused)
{
    const bool variable = term->kind == SOA_TERM_VARIABLE;
    const soa_vector_id vector = variable ? soa_vector_find(soa_terms_about(terms, term->variable)->name) : SOA_VECTORS;
    return (void)unused, vector == SOA_VECTOR_ALPHA || vector == SOA_VECTOR_F;
}

/* alpha and f stand for the betadot and f_c that were defined before; rewritten they would stand for those given. */
static bool stands_for_defined(const soa_compiled *c, int output)
{
    bool defined = false;
    for (int i = 0; i < output && !defined; i++) {
        const char *name = soa_compiled_output_at(c, i)->name;
        defined = strcmp(name, "betadot") == 0 || strcmp(name, "f_c") == 0;
    }
    return defined && soa_term_any(c->terms, soa_compiled_output_at(c, output)->term, is_alpha_or_f, NULL);
}

static soa_status try_cheaper(soa_compiled *c, int output, soa_error *error)
{
    soa_compiled_output *out = (soa_compiled_output *)c->outputs.items + output;
    const bool vector = soa_term_is_vector(out->term);
    const soa_term *written = out->term;
    soa_simplified found;
    soa_cost before = { 0 }, after = { 0 };
    soa_status status = cost_of(c, vector ? -1 : output, &before, error);
    if (status != SOA_OK || (before.order <= 1 && before.sweeps <= 1)) { /* no search finds much less than one sweep */
        return status;
    }
    status = soa_simplify(c->terms, written, soa_has_rotors(c->model), &found, NULL);
    if (status != SOA_OK) {
        return status == SOA_E_MEMORY ? soa_fail_memory(error) : SOA_OK;
    }
    const soa_term *cheaper = found.term;
    soa_simplified_free(&found);
    if (cheaper == written) {
        return SOA_OK;
    }
    out->term = cheaper;
    status = cost_of(c, vector ? -1 : output, &after, error);
    const bool fewer = after.order < before.order || (after.order == before.order && after.sweeps < before.sweeps);
    const bool worth = fewer || after.flops < WORTH * before.flops;
    if (status != SOA_OK || soa_cost_compare(&after, &before) >= 0 || !worth) {
        out->term = written;
    }
    return status;
}

soa_status soa_compiled_simplify(soa_compiled *compiled, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; status == SOA_OK && i < compiled->outputs.count; i++) {
        const soa_compiled_output *out = soa_compiled_output_at(compiled, i);
        const bool matrix = !soa_term_is_vector(out->term);
        if (out->kernel == SOA_BY_NONE && !out->term->derived && out->term->size <= SIZE_MOST &&
            !stands_for_defined(compiled, i) &&
            !(matrix && soa_recognise(compiled->recogniser, out->term) != SOA_BY_NONE)) {
            status = try_cheaper(compiled, i, error);
        }
    }
    return status;
}
