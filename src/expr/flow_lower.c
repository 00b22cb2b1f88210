/* expr/flow_lower.c - terms into steps: a product becomes its factors one after another. */
#include <string.h>

#include "expr/flow.h"
#include "expr/parse.h"
#include "expr/vector.h"

/* Work that even small terms could cause by sharing their parts. */
enum { MOST_CALLS = 200000, MOST_DEPTH = 4000 };

bool soa_flow_too_long(soa_flow *flow, const soa_term *term)
{
    if (flow->status == SOA_OK && (++flow->visits > MOST_CALLS || term->depth > MOST_DEPTH)) {
        soa_flow_fail(flow, SOA_E_LIMIT, "the expression is too large to be planned; break it up or simplify it");
    }
    return flow->status != SOA_OK;
}

/* ---- vectors ------------------------------------------------------------------------------ */

/* The value of what was computed by that name, or -1. */
static int value_of(const soa_flow *flow, const char *name)
{
    for (int i = flow->outputs.count - 1; i >= 0; i--) {
        if (strcmp(soa_flow_output_at(flow, i)->name, name) == 0) {
            return soa_flow_output_at(flow, i)->step;
        }
    }
    for (int i = flow->calls.count - 1; i >= 0; i--) {
        if (strcmp(soa_flow_call_at(flow, i)->name + 1, name) == 0) {
            return soa_flow_call_at(flow, i)->step;
        }
    }
    return -1;
}

/* A vector by what it is made of; in it betadot and f_c are those that were defined before, or given. */
static int by_definition(soa_flow *flow, const char *definition)
{
    const soa_term *meaning = NULL;
    const soa_status status = soa_parse_term(flow->terms, definition, &meaning, NULL);
    if (status != SOA_OK) {
        return soa_flow_fail(flow, status, status == SOA_E_MEMORY ? NULL : "a vector of the list cannot be opened");
    }
    const bool outer = flow->defining;
    flow->defining = true;
    const int y = soa_flow_vector(flow, meaning);
    flow->defining = outer;
    return y;
}

static int named_vector(soa_flow *flow, const char *name, soa_place place)
{
    static const int state[SOA_VECTORS] = { [SOA_VECTOR_V] = 1 + SOA_STATE_V,
        [SOA_VECTOR_A] = 1 + SOA_STATE_A,
        [SOA_VECTOR_B] = 1 + SOA_STATE_B,
        [SOA_VECTOR_G] = 1 + SOA_STATE_G,
        [SOA_VECTOR_B_ARM] = 1 + SOA_STATE_ARMATURE };
    const soa_vector_id id = soa_vector_find(name);
    const soa_vector_info about = soa_vector_about(id);
    const bool listed = id != SOA_VECTORS && about.space == place.space;
    const char *definition = listed ? soa_vector_definition(id, flow->rotors) : "";
    if (listed && state[id] > 0) {
        return soa_flow_state(flow, (soa_state_part)(state[id] - 1));
    }
    if (definition[0]) {
        return by_definition(flow, definition);
    }
    const int value = flow->defining ? value_of(flow, name) : -1;
    return value >= 0 ? value : soa_flow_input(flow, name, place);
}

static int vector_sum(soa_flow *flow, const soa_term *term)
{
    int *x = soa_arena_take(&flow->arena, (size_t)term->count, sizeof *x);
    if (!x) {
        return soa_flow_fail(flow, SOA_E_MEMORY, NULL);
    }
    for (int i = 0; i < term->count; i++) {
        x[i] = soa_flow_vector(flow, term->child[i]);
        if (x[i] < 0) {
            return -1;
        }
    }
    return soa_flow_sum(flow, term->type.to, term->count, term->factor, x);
}

int soa_flow_vector(soa_flow *flow, const soa_term *term)
{
    if (soa_flow_too_long(flow, term)) {
        return -1;
    }
    for (int i = 0; i < flow->calls.count; i++) {
        if (soa_flow_call_at(flow, i)->term == term) {
            return soa_flow_call_at(flow, i)->step;
        }
    }
    switch (term->kind) {
    case SOA_TERM_ZERO:
        return soa_flow_zero(flow, term->type.to);
    case SOA_TERM_VARIABLE:
        return named_vector(flow, soa_terms_about(flow->terms, term->variable)->name, term->type.to);
    case SOA_TERM_SUM:
        return vector_sum(flow, term);
    case SOA_TERM_PRODUCT: {
        int x = soa_flow_vector(flow, term->child[term->count - 1]);
        for (int i = term->count - 2; x >= 0 && i >= 0; i--) {
            x = soa_flow_apply(flow, term->child[i], false, x);
        }
        return x;
    }
    case SOA_TERM_ADJOINT: /* of a number */
        return soa_flow_vector(flow, term->child[0]);
    case SOA_TERM_DERIVATIVE:
        return soa_flow_vector_derivative(flow, term);
    default:
        return soa_flow_fail(flow, SOA_E_UNSUPPORTED, "this vector cannot be computed");
    }
}

/* ---- operators ------------------------------------------------------------------------------ */

static int apply_sum(soa_flow *flow, const soa_term *term, bool adjoint, int x)
{
    int *y = soa_arena_take(&flow->arena, (size_t)term->count, sizeof *y);
    if (!y) {
        return soa_flow_fail(flow, SOA_E_MEMORY, NULL);
    }
    for (int i = 0; i < term->count; i++) {
        y[i] = soa_flow_apply(flow, term->child[i], adjoint, x);
        if (y[i] < 0) {
            return -1;
        }
    }
    const soa_place to = adjoint ? soa_place_dual(term->type.from) : term->type.to;
    return soa_flow_sum(flow, to, term->count, term->factor, y);
}

static int apply_product(soa_flow *flow, const soa_term *term, bool adjoint, int x)
{
    for (int i = 0; x >= 0 && i < term->count; i++) {
        x = soa_flow_apply(flow, term->child[adjoint ? i : term->count - 1 - i], adjoint, x);
    }
    return x;
}

/* A vector taken for an operator: v s, or v* x. */
static int apply_vector(soa_flow *flow, const soa_term *term, bool adjoint, int x)
{
    const int v = soa_flow_vector(flow, term);
    if (v < 0 || x < 0) {
        return -1;
    }
    const soa_place one = { SOA_SPACE_ONE, SOA_SIDE_ANY };
    return soa_flow_make(flow, (soa_step){ .kind = adjoint ? SOA_STEP_DOT : SOA_STEP_SCALE,
                                   .place = adjoint ? one : term->type.to,
                                   .need = -1,
                                   .count = 2,
                                   .input = (const int[]){ v, x } });
}

int soa_flow_apply(soa_flow *flow, const soa_term *term, bool adjoint, int x)
{
    if (x < 0 || soa_flow_too_long(flow, term)) {
        return -1;
    }
    if (soa_term_is_vector(term)) {
        return apply_vector(flow, term, adjoint, x);
    }
    const soa_place to = adjoint ? soa_place_dual(term->type.from) : term->type.to;
    switch (term->kind) {
    case SOA_TERM_ZERO:
        return soa_flow_zero(flow, to);
    case SOA_TERM_IDENTITY:
        return x;
    case SOA_TERM_OPERATOR:
        return soa_flow_operator(flow, term->op, adjoint, x);
    case SOA_TERM_VARIABLE:
        return soa_flow_multiply(flow, (soa_flow_matrix){ SOA_MATRIX_GIVEN, term, false }, to, adjoint, x);
    case SOA_TERM_SUM:
        return apply_sum(flow, term, adjoint, x);
    case SOA_TERM_PRODUCT:
        return apply_product(flow, term, adjoint, x);
    case SOA_TERM_ADJOINT:
        return soa_flow_apply(flow, term->child[0], !adjoint, x);
    case SOA_TERM_INVERSE:
        return soa_flow_inverse(flow, term->child[0], adjoint, x);
    case SOA_TERM_ROOT:
        return soa_flow_multiply(flow, (soa_flow_matrix){ SOA_MATRIX_ROOT, term->child[0], true }, to, false, x);
    case SOA_TERM_DERIVATIVE:
        break;
    }
    return soa_flow_apply_derivative(flow, term, adjoint, x);
}
