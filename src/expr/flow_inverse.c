/* expr/flow_inverse.c - inverses on vectors: by a recursion where one is known, else by a matrix. */
#include "expr/flow.h"

static int difference(soa_flow *flow, double factor, int x, int y)
{
    if (x < 0 || y < 0) {
        return -1;
    }
    return soa_flow_sum(flow, soa_flow_step(flow, x)->place, 2, (const double[]){ 1.0, factor }, (const int[]){ x, y });
}

static int one(soa_flow *flow, soa_operator op, bool adjoint, int x)
{
    return x < 0 ? -1 : soa_flow_apply_one(flow, op, adjoint, x);
}

/* ---- shapes -------------------------------------------------------------------------------- */

static bool is_operator(const soa_term *term, soa_operator op)
{
    return term->kind == SOA_TERM_OPERATOR && term->op == op;
}

static bool is_product_of(const soa_term *term, const soa_operator *op, const bool *adjoint, int count)
{
    if (term->kind != SOA_TERM_PRODUCT || term->count != count) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const soa_term *child = term->child[i];
        const bool is_adjoint = child->kind == SOA_TERM_ADJOINT;
        if (is_adjoint != adjoint[i] || !is_operator(is_adjoint ? child->child[0] : child, op[i])) {
            return false;
        }
    }
    return true;
}

/* H phi M phi* H* */
static bool is_mass(const soa_term *term)
{
    static const soa_operator op[] = { SOA_OP_H, SOA_OP_PHI, SOA_OP_M, SOA_OP_PHI, SOA_OP_H };
    static const bool adjoint[] = { false, false, false, true, true };
    return is_product_of(term, op, adjoint, 5);
}

/* H whole K */
static bool is_gain(const soa_term *term, soa_operator whole)
{
    const soa_operator op[] = { SOA_OP_H, whole, SOA_OP_K };
    return is_product_of(term, op, (const bool[]){ false, false, false }, 3);
}

/* The other part of I + factor A; NULL if the term is none. */
static const soa_term *beside_identity(const soa_term *term, double *factor)
{
    if (term->kind != SOA_TERM_SUM || term->count != 2) {
        return NULL;
    }
    const int at = term->child[0]->kind == SOA_TERM_IDENTITY ? 0 : 1;
    if (term->child[at]->kind != SOA_TERM_IDENTITY || term->factor[at] != 1.0) {
        return NULL;
    }
    *factor = term->factor[1 - at];
    return term->child[1 - at];
}

/* ---- by recursions --------------------------------------------------------------------------- */

/* (I + factor A)^-1 x where it is known; -2: it is not.  [I5] */
static int known_sum(soa_flow *flow, const soa_term *term, bool adjoint, int x)
{
    double factor = 0.0;
    const soa_term *A = beside_identity(term, &factor);
    if (!A) {
        return -2;
    }
    if (factor == -1.0 && (is_operator(A, SOA_OP_E_PHI) || is_operator(A, SOA_OP_E_PSI))) {
        return one(flow, is_operator(A, SOA_OP_E_PHI) ? SOA_OP_PHI : SOA_OP_PSI, adjoint, x);
    }
    const bool phi = factor == 1.0 && is_gain(A, SOA_OP_PHI), psi = factor == -1.0 && is_gain(A, SOA_OP_PSI);
    if (!phi && !psi) {
        return -2;
    }
    const soa_operator whole = phi ? SOA_OP_PSI : SOA_OP_PHI;
    const int y = adjoint ? one(flow, SOA_OP_K, true, one(flow, whole, true, one(flow, SOA_OP_H, true, x)))
                          : one(flow, SOA_OP_H, false, one(flow, whole, false, one(flow, SOA_OP_K, false, x)));
    return difference(flow, phi ? -1.0 : 1.0, x, y);
}

static int known_operator(soa_flow *flow, soa_operator op, bool adjoint, int x)
{
    switch (op) {
    case SOA_OP_PHI:
        return difference(flow, -1.0, x, one(flow, SOA_OP_E_PHI, adjoint, x));
    case SOA_OP_PSI:
        return difference(flow, -1.0, x, one(flow, SOA_OP_E_PSI, adjoint, x));
    default:
        return -2;
    }
}

static bool all_square(const soa_term *product)
{
    for (int i = 0; i < product->count; i++) {
        if (product->child[i]->type.from.space != product->child[i]->type.to.space) {
            return false;
        }
    }
    return true;
}

/* (A B)^-1 = B^-1 A^-1 */
static int factor_by_factor(soa_flow *flow, const soa_term *term, bool adjoint, int x)
{
    for (int i = 0; x >= 0 && i < term->count; i++) {
        const soa_term *child = term->child[adjoint ? term->count - 1 - i : i];
        const soa_term *inverse = soa_term_inverse(flow->terms, child);
        x = inverse ? soa_flow_apply(flow, inverse, adjoint, x) : soa_flow_fail(flow, SOA_E_MEMORY, NULL);
    }
    return x;
}

/* ---- by a matrix ------------------------------------------------------------------------------- */

static int by_matrix(soa_flow *flow, soa_flow_matrix like, bool adjoint, int x)
{
    const soa_type type = like.term->type; /* of the inverse: from type.to to type.from */
    return soa_flow_multiply(flow, like, adjoint ? soa_place_dual(type.to) : type.from, adjoint, x);
}

int soa_flow_inverse(soa_flow *flow, const soa_term *term, bool adjoint, int x)
{
    int y = -2;
    if (term->kind == SOA_TERM_OPERATOR) {
        y = known_operator(flow, term->op, adjoint, x);
    } else if (term->kind == SOA_TERM_SUM) {
        y = known_sum(flow, term, adjoint, x);
    } else if (term->kind == SOA_TERM_ADJOINT) {
        return soa_flow_inverse(flow, term->child[0], !adjoint, x);
    } else if (term->kind == SOA_TERM_PRODUCT && is_mass(term) && !flow->literal && !flow->rotors) {
        y = soa_flow_operator(flow, SOA_OP_MASS_INV, false, x);
    } else if (term->kind == SOA_TERM_PRODUCT && all_square(term)) {
        y = factor_by_factor(flow, term, adjoint, x);
    } else if (term->kind == SOA_TERM_ROOT) {
        return by_matrix(flow, (soa_flow_matrix){ SOA_MATRIX_INVERSE_ROOT, term->child[0], true }, false, x);
    }
    if (y != -2) {
        return y;
    }
    const bool blocks = term->causality == SOA_KIND_MEMORYLESS &&
                        (term->type.from.space == SOA_SPACE_BODY || term->type.from.space == SOA_SPACE_JOINT);
    return by_matrix(flow, (soa_flow_matrix){ SOA_MATRIX_INVERSE, term, blocks }, adjoint, x);
}
