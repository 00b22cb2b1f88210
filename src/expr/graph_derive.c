/* expr/graph_derive.c - derivatives of terms: the rule of products, and the list of derivatives.
 *
 *     d(A B) = dA B + A dB,  dA' = (dA)',  dA^-1 = -A^-1 dA A^-1
 *
 * Products are halved, so that a derivative is as large as what it is of, times a logarithm.
 * Vectors given by name keep their numbers: their derivatives are zero. */
#include <string.h>

#include "expr/graph.h"
#include "expr/parse.h"
#include "model/model.h"

/* What terms become, by their number. */
typedef struct images {
    soa_graph *graph;
    const soa_term *coordinate; /* of derivatives; NULL: of expansions */
    int count;
    const soa_term **of;
} images;

static const soa_term *fail(soa_graph *graph, soa_status status, const char *text)
{
    soa_graph_fail(graph, status, text);
    return NULL;
}

/* The term that came of an expansion, or why there is none. */
static const soa_term *made(soa_graph *graph, const soa_term *term)
{
    const bool limit = graph->terms->status == SOA_E_LIMIT;
    return term || graph->status != SOA_OK ? term
           : limit ? fail(graph, SOA_E_LIMIT, "the derivative is too large; break the expression up or simplify it")
                   : fail(graph, SOA_E_MEMORY, NULL);
}

static const soa_term *zero(const images *m, const soa_term *like)
{
    return soa_term_zero(m->graph->terms, like->type);
}

/* The derivative of a term by the coordinate as it stands. */
static const soa_term *elementary(const images *m, const soa_term *term)
{
    return soa_term_derivative(m->graph->terms, term, m->coordinate);
}

static bool images_new(soa_graph *graph, const soa_term *term, const soa_term *coordinate, images *to)
{
    *to = (images){ graph, coordinate, term->number + 1, NULL };
    to->of = soa_graph_take(graph, (size_t)to->count, sizeof *to->of);
    return to->of != NULL;
}

/* The betadot that was added to the graph last, or the one that is given. */
static const soa_term *betadot_of(soa_graph *graph)
{
    const soa_graph_output *output = soa_array_named(&graph->outputs, "betadot");
    output = output ? output : soa_array_named(&graph->calls, "betadot");
    return output ? output->term : soa_names_vector(graph->terms, SOA_VECTOR_BETADOT);
}

/* ---- atoms ----------------------------------------------------------------------------- */

/* The derivative of an atom that the list has; op SOA_OPERATORS: of a vector. */
static const soa_term *of_listed(images *m, const soa_term *term, soa_operator op, soa_vector_id vector)
{
    soa_graph *graph = m->graph;
    const soa_term *is = NULL;
    const char *text = soa_derivative_text(op, vector, graph->rotors);
    if (text[0] == '0') {
        return zero(m, term);
    }
    if (text[0] == '\0') {
        return elementary(m, term);
    }
    const soa_status status = soa_derivative_parse(graph->terms, text, m->coordinate, &is);
    if (status != SOA_OK) {
        return fail(graph, status, status == SOA_E_MEMORY ? NULL : "a derivative of the list cannot be opened");
    }
    return soa_graph_expanded(graph, is);
}

static const soa_term *derivative(void *context, const soa_term *term);
static const soa_term *differentiated(soa_graph *graph, const soa_term *term, const soa_term *coordinate);

/* What a derivative of the images is by. */
static soa_by by_of(const images *m)
{
    return soa_derivative_by(soa_terms_about(m->graph->terms, m->coordinate->variable)->name);
}

/* d trace(A) = trace(dA), d log det A = trace(A^-1 dA). */
static const soa_term *of_measure(images *m, soa_variable about)
{
    soa_terms *terms = m->graph->terms;
    if (about.measure == SOA_MEASURE_PSEUDO) {
        return fail(m->graph, SOA_E_UNSUPPORTED, "the derivative of a pseudo-inverse is not known");
    }
    const soa_term *dA = differentiated(m->graph, about.of, m->coordinate);
    const bool logdet = about.measure == SOA_MEASURE_LOGDET;
    if (dA && logdet && soa_term_is_block(terms, about.of).row) {
        return fail(m->graph, SOA_E_UNSUPPORTED, "the derivative of the determinant of one block is not known");
    }
    dA = dA && logdet ? soa_term_multiply(terms, soa_term_inverse(terms, about.of), dA) : dA;
    return dA ? soa_term_measure(terms, logdet ? SOA_MEASURE_TRACE : about.measure, dA) : NULL;
}

/* T and beta by the time and by their own numbers; of others the list tells by q_i. NULL with *listed: ask the list. */
static const soa_term *of_state(images *m, const soa_term *term, soa_vector_id id, bool *listed)
{
    soa_graph *graph = m->graph;
    const soa_by by = by_of(m);
    const bool given = soa_vector_about(id).origin == SOA_ORIGIN_STATE;
    const bool own = (by == SOA_BY_VELOCITY && id == SOA_VECTOR_BETA) || (by == SOA_BY_FORCE && id == SOA_VECTOR_T);
    const bool moves = id == SOA_VECTOR_A || id == SOA_VECTOR_B || id == SOA_VECTOR_B_ARM;
    *listed = false;
    if (by == SOA_BY_TIME && id == SOA_VECTOR_BETA) {
        return betadot_of(graph);
    }
    if (by == SOA_BY_TIME && (given || moves)) {
        return fail(graph, SOA_E_UNSUPPORTED, "what T, betadot, f_c, a and b are at the next moment is not given");
    }
    if (own || (by == SOA_BY_VELOCITY && moves)) {
        return elementary(m, term);
    }
    if (given || (moves && by == SOA_BY_FORCE) || (id == SOA_VECTOR_G && by != SOA_BY_POSITION && by != SOA_BY_TIME)) {
        return zero(m, term);
    }
    *listed = true;
    return NULL;
}

static const soa_term *of_variable(images *m, const soa_term *term)
{
    const soa_variable variable = *soa_terms_about(m->graph->terms, term->variable);
    if (variable.of) {
        return of_measure(m, variable);
    }
    const soa_vector_id id = soa_vector_find(variable.name);
    const soa_vector_info about = soa_vector_about(id);
    const bool is = soa_term_is_vector(term) && term->type.to.space == about.space && term->type.to.side == about.side;
    bool listed = true;
    const soa_term *known = is && id != SOA_VECTORS ? of_state(m, term, id, &listed) : NULL;
    return listed ? of_listed(m, term, SOA_OPERATORS, is ? id : SOA_VECTORS) : known;
}

/* ---- sums and products --------------------------------------------------------------------------------------- */

/* Factors first .. last - 1 of a product. */
static const soa_term *of_factors(images *m, const soa_term *product, int first, int last)
{
    soa_terms *terms = m->graph->terms;
    if (last - first == 1) {
        return derivative(m, product->child[first]);
    }
    const int middle = (first + last) / 2;
    const soa_term *dA = of_factors(m, product, first, middle);
    const soa_term *dB = dA ? of_factors(m, product, middle, last) : NULL;
    if (!dB) {
        return NULL;
    }
    const soa_term *A = soa_term_product(terms, middle - first, product->child + first);
    const soa_term *B = soa_term_product(terms, last - middle, product->child + middle);
    return soa_term_add(terms, soa_term_multiply(terms, dA, B), soa_term_multiply(terms, A, dB));
}

/* -A^-1 dA A^-1 */
static const soa_term *of_inverse(images *m, const soa_term *inverse)
{
    soa_terms *terms = m->graph->terms;
    const soa_term *dA = derivative(m, inverse->child[0]);
    const soa_term *factor[] = { inverse, dA, inverse };
    return dA ? soa_term_scale(terms, soa_ratio_of(-1), soa_term_product(terms, 3, factor)) : NULL;
}

/* Whether an elementary derivative does not depend on the coordinate: of beta and T, and but for a and b all by a velocity. */
static bool is_constant(const images *m, const soa_term *term)
{
    const soa_term *atom = term;
    while (atom->kind == SOA_TERM_DERIVATIVE) {
        atom = atom->child[0];
    }
    const char *name = atom->kind == SOA_TERM_VARIABLE ? soa_terms_about(m->graph->terms, atom->variable)->name : "";
    const soa_vector_id id = soa_vector_find(name);
    const bool quadratic = id == SOA_VECTOR_A || id == SOA_VECTOR_B || id == SOA_VECTOR_B_ARM;
    return id == SOA_VECTOR_BETA || id == SOA_VECTOR_T || by_of(m) == SOA_BY_FORCE ||
           (by_of(m) == SOA_BY_VELOCITY && !quadratic);
}

static const soa_term *derivative_of_kind(images *m, const soa_term *term)
{
    switch (term->kind) {
    case SOA_TERM_ZERO:
    case SOA_TERM_IDENTITY:
        return zero(m, term);
    case SOA_TERM_OPERATOR:
        return by_of(m) == SOA_BY_POSITION || by_of(m) == SOA_BY_TIME ? of_listed(m, term, term->op, SOA_VECTORS)
                                                                      : zero(m, term);
    case SOA_TERM_VARIABLE:
        return of_variable(m, term);
    case SOA_TERM_PRODUCT:
        return of_factors(m, term, 0, term->count);
    case SOA_TERM_INVERSE:
        return of_inverse(m, term);
    case SOA_TERM_DERIVATIVE:
        return is_constant(m, term) ? zero(m, term) : elementary(m, term);
    case SOA_TERM_ROOT:
        return elementary(m, term);
    case SOA_TERM_SUM:
    case SOA_TERM_ADJOINT:
        break;
    }
    return soa_term_mapped(m->graph->terms, term, derivative, m);
}

/* Whether a term is made by steps alone, with no matrix between. */
static bool is_steps(images *m, const soa_term *term)
{
    const bool variable = term->kind == SOA_TERM_VARIABLE;
    bool steps = term->kind != SOA_TERM_INVERSE && term->kind != SOA_TERM_ROOT && term->kind != SOA_TERM_DERIVATIVE &&
                 !(variable && soa_terms_about(m->graph->terms, term->variable)->of) &&
                 !soa_graph_too_long(m->graph, term);
    for (int i = 0; i < term->count && steps; i++) {
        steps = is_steps(m, term->child[i]);
    }
    return steps;
}

/* Whether a term has vectors that the model or the state gives. */
static bool has_vectors(const images *m, const soa_term *term)
{
    const bool variable = term->kind == SOA_TERM_VARIABLE;
    bool has = variable && soa_vector_find(soa_terms_about(m->graph->terms, term->variable)->name) != SOA_VECTORS;
    for (int i = 0; i < term->count && !has; i++) {
        has = has_vectors(m, term->child[i]);
    }
    return has;
}

/* On models with flexible links, where M and others depend on the modes, which the list does not know, what is made by steps
 * is elementary: it is run on numbers with slopes, and so is its derivative. */
static const soa_term *derivative_by_slopes(images *m, const soa_term *term)
{
    soa_graph *graph = m->graph;
    if (term->kind == SOA_TERM_DERIVATIVE) {
        return by_of(m) != SOA_BY_TIME || !has_vectors(m, term->child[0])
                   ? elementary(m, term)
                   : fail(graph, SOA_E_UNSUPPORTED, "rates of derivatives of what depends on beta cannot be run");
    }
    const bool given = term->kind == SOA_TERM_VARIABLE &&
                       soa_vector_find(soa_terms_about(graph->terms, term->variable)->name) == SOA_VECTORS;
    const bool constant = given || term->kind == SOA_TERM_ZERO || term->kind == SOA_TERM_IDENTITY;
    const bool moves = by_of(m) != SOA_BY_TIME || term->kind == SOA_TERM_OPERATOR; /* in time beta changes by a rule */
    return !constant && moves && is_steps(m, term) ? elementary(m, term) : derivative_of_kind(m, term);
}

/* The derivative of a term whose derivatives are elementary. */
static const soa_term *derivative(void *context, const soa_term *term)
{
    images *m = context;
    if (soa_graph_too_long(m->graph, term)) {
        return NULL;
    }
    const bool kept = term->number < m->count;
    if (kept && m->of[term->number]) {
        return m->of[term->number];
    }
    const soa_model *model = m->graph->model;
    const soa_term *is = model && model->flexible ? derivative_by_slopes(m, term) : derivative_of_kind(m, term);
    if (kept) {
        m->of[term->number] = is;
    }
    return is;
}

static const soa_term *differentiated(soa_graph *graph, const soa_term *term, const soa_term *coordinate)
{
    images m;
    return images_new(graph, term, coordinate, &m) ? derivative(&m, term) : NULL;
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static const soa_term *expanded(void *context, const soa_term *term)
{
    images *m = context;
    if (!term->derived) {
        return term;
    }
    if (soa_graph_too_long(m->graph, term)) {
        return NULL;
    }
    if (!m->of[term->number]) {
        const bool derives = term->kind == SOA_TERM_DERIVATIVE;
        const soa_term *of =
            derives ? expanded(m, term->child[0]) : soa_term_mapped(m->graph->terms, term, expanded, m);
        m->of[term->number] = derives && of ? differentiated(m->graph, of, term->child[1]) : of;
    }
    return m->of[term->number];
}

const soa_term *soa_graph_expanded(soa_graph *graph, const soa_term *term)
{
    images m;
    return !term->derived ? term : images_new(graph, term, NULL, &m) ? made(graph, expanded(&m, term)) : NULL;
}

/* (I - H psi K)* D^-1 (I - H psi K) for Mass^-1  [I6] */
static const soa_term *factored(void *context, const soa_term *term)
{
    images *m = context;
    if (term->kind != SOA_TERM_OPERATOR && (term->count == 0 || soa_graph_too_long(m->graph, term))) {
        return m->graph->status == SOA_OK ? term : NULL;
    }
    if (!m->of[term->number]) {
        const soa_term *is = term;
        if (term->kind == SOA_TERM_OPERATOR && term->op == SOA_OP_MASS_INV) {
            is = soa_graph_parse(m->graph, soa_operator_step_of(SOA_OP_MASS_INV)->open[0]);
        } else if (term->kind != SOA_TERM_OPERATOR) {
            is = soa_term_mapped(m->graph->terms, term, factored, m);
        }
        m->of[term->number] = is;
    }
    return m->of[term->number];
}

const soa_term *soa_graph_factored(soa_graph *graph, const soa_term *term)
{
    images m;
    const soa_term *open = soa_graph_expanded(graph, term);
    return open && images_new(graph, open, NULL, &m) ? made(graph, factored(&m, open)) : NULL;
}
