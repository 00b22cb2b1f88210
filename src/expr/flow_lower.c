/* expr/flow_lower.c - terms into steps: a product becomes its factors one after another. */
#include <string.h>

#include "expr/flow.h"

/* Work that even small terms could cause by sharing their parts. */
enum { MOST_CALLS = 200000, MOST_DEPTH = 4000 };

bool soa_flow_too_long(soa_flow *flow, const soa_term *term)
{
    if (flow->status == SOA_OK && (++flow->calls > MOST_CALLS || term->depth > MOST_DEPTH)) {
        soa_flow_fail(flow, SOA_E_LIMIT, "the expression is too large to be planned; break it up or simplify it");
    }
    return flow->status != SOA_OK;
}

/* ---- vectors ------------------------------------------------------------------------------ */

static int sum_of_two(soa_flow *flow, int a, int b)
{
    if (a < 0 || b < 0) {
        return -1;
    }
    return soa_flow_sum(flow, soa_flow_step(flow, a)->place, 2, (const double[]){ 1.0, 1.0 }, (const int[]){ a, b });
}

/* What alpha and f are made of: as defined before, or given. */
static int implied(soa_flow *flow, const char *name, soa_place place)
{
    for (int i = flow->outputs.count - 1; i >= 0; i--) {
        if (strcmp(soa_flow_output_at(flow, i)->name, name) == 0) {
            return soa_flow_output_at(flow, i)->step;
        }
    }
    return soa_flow_input(flow, name, place);
}

/* alpha = phi* (H* betadot + a)  [ACC] */
static int acceleration(soa_flow *flow)
{
    const int betadot = implied(flow, "betadot", (soa_place){ SOA_SPACE_JOINT, SOA_SIDE_MOTION });
    const int own = soa_flow_apply_one(flow, SOA_OP_H, true, betadot);
    return soa_flow_apply_one(flow, SOA_OP_PHI, true, sum_of_two(flow, own, soa_flow_state(flow, SOA_STATE_A)));
}

/* f = phi (M alpha + b + B f_c)  [FRC] */
static int forces(soa_flow *flow)
{
    const int f_c = implied(flow, "f_c", (soa_place){ SOA_SPACE_POINT, SOA_SIDE_FORCE });
    const int inertial = sum_of_two(flow, soa_flow_apply_one(flow, SOA_OP_M, false, acceleration(flow)),
        soa_flow_apply_one(flow, SOA_OP_B, false, f_c));
    return soa_flow_apply_one(flow, SOA_OP_PHI, false, sum_of_two(flow, inertial, soa_flow_state(flow, SOA_STATE_B)));
}

/* C = H phi (M phi* a + b), with rotors + Gamma* phi* a  [ID] [GEAR] */
static int bias(soa_flow *flow)
{
    const int a = soa_flow_apply_one(flow, SOA_OP_PHI, true, soa_flow_state(flow, SOA_STATE_A));
    const int zeta = sum_of_two(flow, soa_flow_apply_one(flow, SOA_OP_M, false, a), soa_flow_state(flow, SOA_STATE_B));
    const int C = soa_flow_apply_one(flow, SOA_OP_H, false, soa_flow_apply_one(flow, SOA_OP_PHI, false, zeta));
    return flow->rotors ? sum_of_two(flow, C, soa_flow_apply_one(flow, SOA_OP_GAMMA, true, a)) : C;
}

static int named_vector(soa_flow *flow, const char *name, soa_place place)
{
    static const char *const state[] = {
        [SOA_STATE_V] = "V", [SOA_STATE_A] = "a", [SOA_STATE_B] = "b", [SOA_STATE_G] = "g"
    };
    for (int part = SOA_STATE_V; place.space == SOA_SPACE_BODY && part <= SOA_STATE_G; part++) {
        if (strcmp(name, state[part]) == 0) {
            return soa_flow_state(flow, (soa_state_part)part);
        }
    }
    if (place.space == SOA_SPACE_BODY && strcmp(name, "alpha") == 0) {
        return acceleration(flow);
    }
    if (place.space == SOA_SPACE_BODY && strcmp(name, "f") == 0) {
        return forces(flow);
    }
    if (place.space == SOA_SPACE_JOINT && strcmp(name, "C") == 0) {
        return bias(flow);
    }
    return soa_flow_input(flow, name, place);
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
