/* expr/graph_lower.c - terms into steps: a product becomes its factors one after another, an operator that stands for a
 * product is opened. */
#include <string.h>

#include "core/error.h"
#include "expr/graph.h"
#include "expr/parse.h"
#include "model/model.h"

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

static int apply_text(soa_graph *graph, const char *text, bool adjoint, int x)
{
    const soa_term *term = soa_graph_parse(graph, text);
    return term ? soa_graph_apply(graph, term, adjoint, x) : -1;
}

/* ---- vectors by name ---------------------------------------------------------------------- */

/* A part of the state; what it is made of; or given. */
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
    return definition[0] ? apply_text(graph, definition, false, SOA_GRAPH_ONE) : soa_graph_input(graph, name, place);
}

/* What a kernel computes that is the term, or the last factors of it; NULL: nothing. */
static const soa_graph_output *called(const soa_graph *graph, const soa_term *term)
{
    for (int i = 0; i < graph->calls.count; i++) {
        const soa_graph_output *call = (const soa_graph_output *)graph->calls.items + i;
        const soa_term *is = call->term;
        const int before = term->count - is->count;
        const bool ends = term->kind == SOA_TERM_PRODUCT && is->kind == SOA_TERM_PRODUCT && before > 0 &&
                          memcmp(term->child + before, is->child, (size_t)is->count * sizeof *is->child) == 0;
        if (is == term || ends) {
            return call;
        }
    }
    return NULL;
}

/* ---- variables ------------------------------------------------------------------------------ */

int soa_model_find_part(const soa_model *model, soa_space space, const char *name, soa_error *error)
{
    soa_point point;
    const int bodies = soa_model_bodies(model);
    const int number = soa_body_number(name);
    if (number >= 0) {
        if (number < 1 || (space != SOA_SPACE_POINT && number > bodies)) {
            (void)soa_fail(error, SOA_E_NAME, -1, "there is no body %s; bodies count from 1 to %d", name, bodies);
            return -1;
        }
        return number - 1;
    }
    if (soa_model_find_point(model, name, &point, error) != SOA_OK) {
        return -1;
    }
    const int body = soa_model_link_body(model, point.link, NULL);
    if (body < 0) {
        (void)soa_fail(error, SOA_E_NAME, -1, "'%s' is welded to the world; it is no body that moves", name);
    }
    return body;
}

/* The number of the body or point that a selector is of; -1: without a model, or the graph has failed. */
static int selected(soa_graph *graph, const soa_term *term)
{
    soa_error error;
    const char *name = soa_term_selects(graph->terms, term);
    const int index = graph->model ? soa_model_find_part(graph->model, term->type.to.space, name, &error) : -1;
    return index < 0 && graph->model ? soa_graph_fail(graph, error.status, error.text) : index;
}

/* Given by name, a selector, or a pseudo-inverse. */
static int apply_matrix(soa_graph *graph, const soa_term *term, soa_place to, bool adjoint, int x)
{
    const soa_variable *about = soa_terms_about(graph->terms, term->variable);
    soa_graph_matrix like = { .kind = SOA_MATRIX_GIVEN, .term = term };
    like.blocks = soa_kind_is_blocks(term->causality, term->type);
    if (about->body) {
        like.kind = SOA_MATRIX_SELECT;
        like.index = selected(graph, term);
    } else if (about->of) {
        like.kind = SOA_MATRIX_PSEUDO;
        like.term = about->of;
    }
    return soa_graph_multiply(graph, like, to, adjoint, x);
}

static int apply_variable(soa_graph *graph, const soa_term *term, soa_place to, bool adjoint, int x)
{
    const soa_variable *about = soa_terms_about(graph->terms, term->variable);
    const soa_graph_matrix measured = { .kind = SOA_MATRIX_MEASURE, .term = about->of, .measure = about->measure };
    return x != SOA_GRAPH_ONE ? apply_matrix(graph, term, to, adjoint, x)
           : about->of        ? soa_graph_measured(graph, measured, about->name, to)
                              : named_vector(graph, about->name, to);
}

/* ---- sums, products, and vectors taken for operators ------------------------------------------------ */

static int apply_sum(soa_graph *graph, const soa_term *term, soa_place to, bool adjoint, int x)
{
    int *y = soa_graph_take(graph, (size_t)term->count, sizeof *y);
    for (int i = 0; y && i < term->count; i++) {
        y[i] = soa_graph_apply(graph, term->child[i], adjoint, x);
    }
    return y ? soa_graph_sum(graph, to, term->count, term->factor, y) : -1;
}

/* Applies the factors of a product to x from the right, where the vector is; those of its adjoint from the left. */
static int apply_product(soa_graph *graph, const soa_term *term, bool adjoint, int x)
{
    const soa_graph_output *value = x == SOA_GRAPH_ONE ? called(graph, term) : NULL;
    x = value ? value->step : x;
    for (int i = value ? value->term->count : 0; x != -1 && i < term->count; i++) {
        x = soa_graph_apply(graph, term->child[adjoint ? i : term->count - 1 - i], adjoint, x);
    }
    return x;
}

/* v s, or v* x */
static int apply_vector(soa_graph *graph, const soa_term *term, bool adjoint, int x)
{
    const soa_place one = { SOA_SPACE_ONE, SOA_SIDE_ANY };
    const int v = soa_graph_apply(graph, term, false, SOA_GRAPH_ONE);
    const int input[] = { v, x };
    soa_step step = { .kind = adjoint ? SOA_STEP_DOT : SOA_STEP_SCALE, .need = -1, .count = 2, .input = input };
    step.place = adjoint ? one : term->type.to;
    return soa_graph_make(graph, step);
}

/* ---- operators ------------------------------------------------------------------------------ */

/* X x: the blocks of Omega between branches.  [I11] */
static int branch(soa_graph *graph, int x)
{
    const int z = soa_graph_apply_one(graph, SOA_OP_PSI, false, x);
    const int others = z < 0 ? -1 : soa_graph_apply_one(graph, SOA_OP_E_PSI, false, z);
    const int input[] = { z, others };
    soa_step step = {
        .kind = SOA_STEP_BRANCH, .place = { SOA_SPACE_BODY, SOA_SIDE_MOTION }, .count = 2, .input = input
    };
    step.need = others < 0 ? -1 : soa_graph_state(graph, SOA_STATE_UPSILON);
    return others < 0 ? -1 : soa_graph_make(graph, step);
}

static int apply_inverse(soa_graph *graph, const soa_term *term, bool adjoint, int x);

static int apply_operator(soa_graph *graph, soa_operator op, bool adjoint, int x)
{
    const soa_operator_step *about = soa_operator_step_of(op);
    if (op == SOA_OP_I) {
        return x;
    }
    if (op == SOA_OP_BRANCH) {
        return branch(graph, x);
    }
    if (graph->literal && op == SOA_OP_MASS_INV) {
        const soa_term *mass = soa_term_operator(graph->terms, SOA_OP_MASS);
        return mass ? apply_inverse(graph, mass, adjoint, x) : soa_graph_fail(graph, SOA_E_MEMORY, NULL);
    }
    if (about->open[0]) {
        const char *text = graph->rotors && about->open[1][0]      ? about->open[1]
                           : graph->literal && op == SOA_OP_LAMBDA ? "J Mass^-1 J'"
                                                                   : about->open[0];
        return apply_text(graph, text, adjoint, x);
    }
    return soa_graph_apply_one(graph, op, adjoint, x);
}

/* ---- inverses ------------------------------------------------------------------------------------------ */

static bool all_square(const soa_term *product)
{
    bool square = true;
    for (int i = 0; i < product->count && square; i++) {
        square = product->child[i]->type.from.space == product->child[i]->type.to.space;
    }
    return square;
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

/* phi^-1 = I - E_phi, psi^-1 = I - E_psi, that of Mass, that of a product by its factors; any other as a matrix. */
static int apply_inverse(soa_graph *graph, const soa_term *term, bool adjoint, int x)
{
    if (term->kind == SOA_TERM_OPERATOR && (term->op == SOA_OP_PHI || term->op == SOA_OP_PSI)) {
        return apply_text(graph, term->op == SOA_OP_PHI ? "I - E_phi" : "I - E_psi", adjoint, x);
    }
    if (term->kind == SOA_TERM_PRODUCT && !graph->literal && !graph->rotors &&
        term == soa_graph_parse(graph, soa_operator_step_of(SOA_OP_MASS)->open[0])) {
        return apply_operator(graph, SOA_OP_MASS_INV, false, x);
    }
    if (term->kind == SOA_TERM_ADJOINT) {
        return apply_inverse(graph, term->child[0], !adjoint, x);
    }
    if (term->kind == SOA_TERM_PRODUCT && all_square(term)) {
        return factor_by_factor(graph, term, adjoint, x);
    }
    soa_graph_matrix like = { .kind = SOA_MATRIX_INVERSE, .term = term };
    like.blocks = soa_kind_is_blocks(term->causality, term->type);
    if (term->kind == SOA_TERM_ROOT) {
        like = (soa_graph_matrix){ .kind = SOA_MATRIX_INVERSE_ROOT, .term = term->child[0], .blocks = true };
        adjoint = false;
    }
    const soa_type type = like.term->type; /* of the inverse: from type.to to type.from */
    return soa_graph_multiply(graph, like, adjoint ? soa_place_dual(type.to) : type.from, adjoint, x);
}

/* ---- all --------------------------------------------------------------------------------------------- */

int soa_graph_apply(soa_graph *graph, const soa_term *term, bool adjoint, int x)
{
    if (x == -1 || soa_graph_too_long(graph, term)) {
        return -1;
    }
    const bool alone = x == SOA_GRAPH_ONE;
    if (!alone && soa_term_is_vector(term)) {
        return apply_vector(graph, term, adjoint, x);
    }
    const soa_graph_output *value = alone ? called(graph, term) : NULL;
    if (value && value->term == term) {
        return value->step;
    }
    const soa_place to = adjoint ? soa_place_dual(term->type.from) : term->type.to;
    const soa_graph_matrix one = { .kind = SOA_MATRIX_UNIT, .term = term };
    const soa_graph_matrix root = {
        .kind = SOA_MATRIX_ROOT, .term = term->count > 0 ? term->child[0] : NULL, .blocks = true
    };
    switch (term->kind) {
    case SOA_TERM_ZERO:
        return soa_graph_zero(graph, to);
    case SOA_TERM_IDENTITY:
        return alone ? soa_graph_measured(graph, one, "1", to) : x;
    case SOA_TERM_VARIABLE:
        return apply_variable(graph, term, to, adjoint, x);
    case SOA_TERM_SUM:
        return apply_sum(graph, term, to, adjoint, x);
    case SOA_TERM_PRODUCT:
        return apply_product(graph, term, adjoint, x);
    case SOA_TERM_ADJOINT: /* of a number: itself */
        return soa_graph_apply(graph, term->child[0], !adjoint && !alone, x);
    case SOA_TERM_DERIVATIVE:
        return soa_graph_apply_derivative(graph, term, adjoint, x);
    case SOA_TERM_OPERATOR:
    case SOA_TERM_INVERSE:
    case SOA_TERM_ROOT:
        break;
    }
    return alone ? soa_graph_fail(graph, SOA_E_UNSUPPORTED, "this vector cannot be computed")
           : term->kind == SOA_TERM_OPERATOR ? apply_operator(graph, term->op, adjoint, x)
           : term->kind == SOA_TERM_INVERSE  ? apply_inverse(graph, term->child[0], adjoint, x)
                                             : soa_graph_multiply(graph, root, to, false, x);
}
