/* expr/graph_open.c - operators that stand for products of others, and inverses. */
#include "expr/graph.h"

static int apply_text(soa_graph *graph, const char *text, bool adjoint, int x)
{
    const soa_term *term = soa_graph_parse(graph, text);
    return term ? soa_graph_apply(graph, term, adjoint, x) : -1;
}

/* X x: the blocks of Omega between branches.  [I11] */
static int branch(soa_graph *graph, int x)
{
    const int z = soa_graph_apply_one(graph, SOA_OP_PSI, false, x);
    const int others = z < 0 ? -1 : soa_graph_apply_one(graph, SOA_OP_E_PSI, false, z);
    if (others < 0) {
        return -1;
    }
    return soa_graph_make(graph, (soa_step){ .kind = SOA_STEP_BRANCH,
                                     .place = { SOA_SPACE_BODY, SOA_SIDE_MOTION },
                                     .need = soa_graph_state(graph, SOA_STATE_UPSILON),
                                     .count = 2,
                                     .input = (const int[]){ z, others } });
}

int soa_graph_operator(soa_graph *graph, soa_operator op, bool adjoint, int x)
{
    const soa_operator_step *about = soa_operator_step_of(op);
    if (x < 0 || op == SOA_OP_I) {
        return x;
    }
    if (op == SOA_OP_BRANCH) {
        return branch(graph, x);
    }
    if (graph->literal && op == SOA_OP_MASS_INV) {
        const soa_term *mass = soa_term_operator(graph->terms, SOA_OP_MASS);
        return mass ? soa_graph_inverse(graph, mass, adjoint, x) : soa_graph_fail(graph, SOA_E_MEMORY, NULL);
    }
    if (about->open) {
        const char *text = graph->rotors && about->with_rotors[0]  ? about->with_rotors
                           : graph->literal && op == SOA_OP_LAMBDA ? "J Mass^-1 J'"
                                                                   : about->open;
        return apply_text(graph, text, adjoint, x);
    }
    return soa_graph_apply_one(graph, op, adjoint, x);
}

/* ---- inverses ------------------------------------------------------------------------------------------ */

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
static int factor_by_factor(soa_graph *graph, const soa_term *term, bool adjoint, int x)
{
    for (int i = 0; x >= 0 && i < term->count; i++) {
        const soa_term *child = term->child[adjoint ? term->count - 1 - i : i];
        const soa_term *inverse = soa_term_inverse(graph->terms, child);
        x = inverse ? soa_graph_apply(graph, inverse, adjoint, x) : soa_graph_fail(graph, SOA_E_MEMORY, NULL);
    }
    return x;
}

static int by_matrix(soa_graph *graph, soa_graph_matrix like, bool adjoint, int x)
{
    const soa_type type = like.term->type; /* of the inverse: from type.to to type.from */
    return soa_graph_multiply(graph, like, adjoint ? soa_place_dual(type.to) : type.from, adjoint, x);
}

/* Whether the term is Mass written out. */
static bool is_mass(soa_graph *graph, const soa_term *term)
{
    const soa_term *mass = soa_graph_parse(graph, soa_operator_step_of(SOA_OP_MASS)->open);
    return term == mass && !graph->rotors;
}

/* phi^-1 = I - E_phi, psi^-1 = I - E_psi, that of Mass, that of a product by its factors; any other as a matrix. */
int soa_graph_inverse(soa_graph *graph, const soa_term *term, bool adjoint, int x)
{
    const bool shift = term->kind == SOA_TERM_OPERATOR && (term->op == SOA_OP_PHI || term->op == SOA_OP_PSI);
    if (shift) {
        return apply_text(graph, term->op == SOA_OP_PHI ? "I - E_phi" : "I - E_psi", adjoint, x);
    }
    if (term->kind == SOA_TERM_PRODUCT && !graph->literal && is_mass(graph, term)) {
        return soa_graph_operator(graph, SOA_OP_MASS_INV, false, x);
    }
    if (term->kind == SOA_TERM_ADJOINT) {
        return soa_graph_inverse(graph, term->child[0], !adjoint, x);
    }
    if (term->kind == SOA_TERM_PRODUCT && all_square(term)) {
        return factor_by_factor(graph, term, adjoint, x);
    }
    soa_graph_matrix like = { .kind = SOA_MATRIX_INVERSE, .term = term };
    if (term->kind == SOA_TERM_ROOT) {
        like = (soa_graph_matrix){ .kind = SOA_MATRIX_INVERSE_ROOT, .term = term->child[0], .blocks = true };
        return by_matrix(graph, like, false, x);
    }
    like.blocks = soa_kind_is_blocks(term->causality, term->type);
    return by_matrix(graph, like, adjoint, x);
}
