/* expr/graph_lower.c - terms into steps: a product becomes its factors one after another. */
#include <string.h>

#include "expr/graph.h"
#include "expr/parse.h"
#include "expr/vector.h"

/* Work that even small terms could cause by sharing their parts. */
enum { MOST_CALLS = 200000, MOST_DEPTH = 4000 };

bool soa_graph_too_long(soa_graph *graph, const soa_term *term)
{
    if (graph->status == SOA_OK && (++graph->visits > MOST_CALLS || term->depth > MOST_DEPTH)) {
        soa_graph_fail(graph, SOA_E_LIMIT, "the expression is too large to be planned; break it up or simplify it");
    }
    return graph->status != SOA_OK;
}

const soa_term *soa_graph_parse(soa_graph *graph, const char *text)
{
    const soa_term *term = NULL;
    const soa_status status = soa_parse_term(graph->terms, text, &term, NULL);
    if (status != SOA_OK) {
        soa_graph_fail(graph, status, status == SOA_E_MEMORY ? NULL : "what a list says cannot be opened");
    }
    return term;
}

/* ---- vectors ------------------------------------------------------------------------------ */

/* The value of what was computed by that name, or -1. */
static int value_of(const soa_graph *graph, const char *name)
{
    for (int i = graph->outputs.count - 1; i >= 0; i--) {
        if (strcmp(soa_graph_output_at(graph, i)->name, name) == 0) {
            return soa_graph_output_at(graph, i)->step;
        }
    }
    for (int i = graph->calls.count - 1; i >= 0; i--) {
        if (strcmp(soa_graph_call_at(graph, i)->name + 1, name) == 0) {
            return soa_graph_call_at(graph, i)->step;
        }
    }
    return -1;
}

/* A vector by what it is made of; in it betadot and f_c are those that were defined before, or given. */
static int by_definition(soa_graph *graph, const char *definition)
{
    const soa_term *meaning = soa_graph_parse(graph, definition);
    const bool outer = graph->defining;
    graph->defining = true;
    const int y = meaning ? soa_graph_vector(graph, meaning) : -1;
    graph->defining = outer;
    return y;
}

static int named_vector(soa_graph *graph, const char *name, soa_place place)
{
    const soa_vector_id id = soa_vector_find(name);
    const bool listed = id != SOA_VECTORS && soa_vector_about(id).space == place.space;
    for (int part = 0; listed && part < SOA_STATE_PARTS; part++) {
        if (soa_part_step_of((soa_state_part)part)->vector == id) {
            return soa_graph_state(graph, (soa_state_part)part);
        }
    }
    const char *definition = listed ? soa_vector_definition(id, graph->rotors) : "";
    if (definition[0]) {
        return by_definition(graph, definition);
    }
    const int value = graph->defining ? value_of(graph, name) : -1;
    return value >= 0 ? value : soa_graph_input(graph, name, place);
}

static int vector_sum(soa_graph *graph, const soa_term *term)
{
    int *x = soa_arena_take(&graph->arena, (size_t)term->count, sizeof *x);
    if (!x) {
        return soa_graph_fail(graph, SOA_E_MEMORY, NULL);
    }
    for (int i = 0; i < term->count; i++) {
        x[i] = soa_graph_vector(graph, term->child[i]);
        if (x[i] < 0) {
            return -1;
        }
    }
    return soa_graph_sum(graph, term->type.to, term->count, term->factor, x);
}

/* How many of the last factors of a product are a vector that a kernel computes; *x: its step. */
static int factors_of_call(const soa_graph *graph, const soa_term *product, int *x)
{
    for (int i = 0; i < graph->calls.count; i++) {
        const soa_term *is = soa_graph_call_at(graph, i)->term;
        const int before = product->count - is->count;
        if (is->kind == SOA_TERM_PRODUCT && before > 0 &&
            memcmp(product->child + before, is->child, (size_t)is->count * sizeof *is->child) == 0) {
            *x = soa_graph_call_at(graph, i)->step;
            return is->count;
        }
    }
    return 0;
}

/* From the right, where the vector is. */
static int vector_product(soa_graph *graph, const soa_term *term)
{
    int x = -1, taken = factors_of_call(graph, term, &x);
    if (taken == 0) {
        taken = 1;
        x = soa_graph_vector(graph, term->child[term->count - 1]);
    }
    for (int i = term->count - 1 - taken; x >= 0 && i >= 0; i--) {
        x = soa_graph_apply(graph, term->child[i], false, x);
    }
    return x;
}

int soa_graph_vector(soa_graph *graph, const soa_term *term)
{
    if (soa_graph_too_long(graph, term)) {
        return -1;
    }
    for (int i = 0; i < graph->calls.count; i++) {
        if (soa_graph_call_at(graph, i)->term == term) {
            return soa_graph_call_at(graph, i)->step;
        }
    }
    switch (term->kind) {
    case SOA_TERM_ZERO:
        return soa_graph_zero(graph, term->type.to);
    case SOA_TERM_IDENTITY: /* of numbers: 1 */
        return soa_graph_measured(
            graph, (soa_graph_matrix){ .kind = SOA_MATRIX_UNIT, .term = term }, "1", term->type.to);
    case SOA_TERM_VARIABLE: {
        const soa_variable *about = soa_terms_about(graph->terms, term->variable);
        const soa_graph_matrix of = { .kind = SOA_MATRIX_MEASURE, .term = about->of, .measure = about->measure };
        return about->of ? soa_graph_measured(graph, of, about->name, term->type.to)
                         : named_vector(graph, about->name, term->type.to);
    }
    case SOA_TERM_SUM:
        return vector_sum(graph, term);
    case SOA_TERM_PRODUCT:
        return vector_product(graph, term);
    case SOA_TERM_ADJOINT: /* of a number */
        return soa_graph_vector(graph, term->child[0]);
    case SOA_TERM_DERIVATIVE:
        return soa_graph_vector_derivative(graph, term);
    default:
        return soa_graph_fail(graph, SOA_E_UNSUPPORTED, "this vector cannot be computed");
    }
}

/* ---- operators ------------------------------------------------------------------------------ */

static int apply_sum(soa_graph *graph, const soa_term *term, bool adjoint, int x)
{
    int *y = soa_arena_take(&graph->arena, (size_t)term->count, sizeof *y);
    if (!y) {
        return soa_graph_fail(graph, SOA_E_MEMORY, NULL);
    }
    for (int i = 0; i < term->count; i++) {
        y[i] = soa_graph_apply(graph, term->child[i], adjoint, x);
        if (y[i] < 0) {
            return -1;
        }
    }
    const soa_place to = adjoint ? soa_place_dual(term->type.from) : term->type.to;
    return soa_graph_sum(graph, to, term->count, term->factor, y);
}

static int apply_product(soa_graph *graph, const soa_term *term, bool adjoint, int x)
{
    for (int i = 0; x >= 0 && i < term->count; i++) {
        x = soa_graph_apply(graph, term->child[adjoint ? i : term->count - 1 - i], adjoint, x);
    }
    return x;
}

/* A vector taken for an operator: v s, or v* x. */
static int apply_vector(soa_graph *graph, const soa_term *term, bool adjoint, int x)
{
    const int v = soa_graph_vector(graph, term);
    if (v < 0 || x < 0) {
        return -1;
    }
    const soa_place one = { SOA_SPACE_ONE, SOA_SIDE_ANY };
    return soa_graph_make(graph, (soa_step){ .kind = adjoint ? SOA_STEP_DOT : SOA_STEP_SCALE,
                                     .place = adjoint ? one : term->type.to,
                                     .need = -1,
                                     .count = 2,
                                     .input = (const int[]){ v, x } });
}

/* Given by name, a selector, or a pseudo-inverse. */
static soa_graph_matrix matrix_of_variable(soa_graph *graph, const soa_term *term)
{
    const soa_variable *about = soa_terms_about(graph->terms, term->variable);
    const bool blocks = soa_kind_is_blocks(term->causality, term->type);
    return about->body ? soa_graph_selector(graph, term)
           : about->of ? (soa_graph_matrix){ .kind = SOA_MATRIX_PSEUDO, .term = about->of, .blocks = blocks }
                       : (soa_graph_matrix){ .kind = SOA_MATRIX_GIVEN, .term = term, .blocks = blocks };
}

int soa_graph_apply(soa_graph *graph, const soa_term *term, bool adjoint, int x)
{
    if (x < 0 || soa_graph_too_long(graph, term)) {
        return -1;
    }
    if (soa_term_is_vector(term)) {
        return apply_vector(graph, term, adjoint, x);
    }
    const soa_place to = adjoint ? soa_place_dual(term->type.from) : term->type.to;
    switch (term->kind) {
    case SOA_TERM_ZERO:
        return soa_graph_zero(graph, to);
    case SOA_TERM_IDENTITY:
        return x;
    case SOA_TERM_OPERATOR:
        return soa_graph_operator(graph, term->op, adjoint, x);
    case SOA_TERM_VARIABLE:
        return soa_graph_multiply(graph, matrix_of_variable(graph, term), to, adjoint, x);
    case SOA_TERM_SUM:
        return apply_sum(graph, term, adjoint, x);
    case SOA_TERM_PRODUCT:
        return apply_product(graph, term, adjoint, x);
    case SOA_TERM_ADJOINT:
        return soa_graph_apply(graph, term->child[0], !adjoint, x);
    case SOA_TERM_INVERSE:
        return soa_graph_inverse(graph, term->child[0], adjoint, x);
    case SOA_TERM_ROOT:
        return soa_graph_multiply(
            graph, (soa_graph_matrix){ .kind = SOA_MATRIX_ROOT, .term = term->child[0], .blocks = true }, to, false, x);
    case SOA_TERM_DERIVATIVE:
        break;
    }
    return soa_graph_apply_derivative(graph, term, adjoint, x);
}
