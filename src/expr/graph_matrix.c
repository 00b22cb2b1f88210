/* expr/graph_matrix.c - how the matrix of an operator is made: by a kernel of the list kernels.def, else column by column.
 *
 * Factors that are matrices themselves (A, operators given by name) are split off at both ends. */
#include <string.h>

#include "core/error.h"
#include "expr/compile.h"
#include "model/model.h"

/* Room of what is compiled; NULL: the error says so. */
static void *take(soa_compiled *c, int count, size_t size, soa_error *error)
{
    void *room = soa_arena_take(&c->arena, (size_t)count, size);
    if (!room) {
        (void)soa_fail_memory(error);
    }
    return room;
}

static soa_graph_matrix *new_matrix(soa_compiled *c, soa_graph_matrix like, soa_error *error)
{
    soa_graph_matrix *made = take(c, 1, sizeof *made, error);
    return made ? memcpy(made, &like, sizeof like) : NULL;
}

/* A matrix that a kernel of the list makes; NULL: there is no kernel for it, or the error says why. */
static soa_graph_matrix *by_kernel(soa_compiled *c, const soa_term *term, soa_error *error)
{
    const soa_expr_kernel kernel = soa_recognise(c->recogniser, term);
    soa_graph_matrix like = { .kind = SOA_MATRIX_KERNEL, .kernel = kernel, .term = term };
    if (c->recogniser->status != SOA_OK) {
        soa_fail_memory(error);
        return NULL;
    }
    if (kernel == SOA_BY_MASS_RATE) {
        soa_graph graph = soa_compiled_graph(c, error);
        like.index = soa_graph_velocity(&graph, term->child[1]);
        soa_graph_free(&graph);
    }
    return kernel == SOA_BY_NONE || like.index < 0 ? NULL : new_matrix(c, like, error);
}

/* A matrix that is made column by column, or if it is made of blocks by six vectors. */
static soa_graph_matrix *by_columns(soa_compiled *c, const soa_term *term, bool blocks, soa_error *error)
{
    soa_graph *graph = take(c, 1, sizeof *graph, error);
    if (!graph || !soa_arena_add(&c->arena, &c->graphs, (const void *)&graph, sizeof(soa_graph *))) {
        (void)soa_fail_memory(error);
        return NULL;
    }
    *graph = soa_compiled_graph(c, error);
    soa_status status = soa_graph_add(graph, "y", term);
    status = status == SOA_OK ? soa_compiled_complete(c, graph, error) : status;
    const soa_graph_matrix like = { .kind = SOA_MATRIX_COLUMNS, .term = term, .blocks = blocks, .graph = graph };
    return status == SOA_OK ? new_matrix(c, like, error) : NULL;
}

/* The slopes of the columns of what is differentiated. */
static soa_graph_matrix *by_slope(soa_compiled *c, const soa_term *derivative, soa_error *error)
{
    soa_graph graph = soa_compiled_graph(c, error);
    const int index = soa_graph_velocity(&graph, derivative->child[1]); /* -1 of the time */
    soa_status status = graph.status;
    soa_graph_free(&graph);
    const soa_by by = soa_derivative_by(soa_terms_about(c->terms, derivative->child[1]->variable)->name);
    if (status == SOA_OK && by == SOA_BY_TIME) {
        status = soa_compiled_needs_beta(c, error);
    }
    soa_graph_matrix *made = status != SOA_OK ? NULL : by_columns(c, derivative->child[0], false, error);
    for (int i = 0; made && i < made->graph->matrices.count; i++) {
        const soa_matrix_kind kind = soa_graph_matrix_at(made->graph, i)->kind;
        if (kind != SOA_MATRIX_GIVEN && kind != SOA_MATRIX_SELECT && kind != SOA_MATRIX_UNIT) {
            (void)soa_refuse_flexible(c->model, "derivatives of roots in expressions", error);
            return NULL;
        }
    }
    if (made) {
        made->by = by;
        made->index = index;
    }
    return made;
}

/* ---- products and sums ---------------------------------------------------------------------------------- */

/* Whether it is a matrix by itself: A, or an operator given by name, or the adjoint of one. */
static bool is_given(const soa_terms *terms, const soa_term *term)
{
    const soa_term *inner = soa_term_upright(term);
    const soa_variable *about = inner->kind == SOA_TERM_VARIABLE ? soa_terms_about(terms, inner->variable) : NULL;
    return (inner->kind == SOA_TERM_OPERATOR && inner->op == SOA_OP_A) ||
           (about && !about->body && !about->of && !soa_term_is_vector(inner));
}

static soa_status needs_given(soa_compiled *c, const soa_term *variable, soa_error *error)
{
    return soa_compiled_needs(c, soa_terms_about(c->terms, variable->variable)->name, variable->type, error);
}

static soa_graph_matrix *given(soa_compiled *c, const soa_term *term, soa_error *error)
{
    const soa_term *inner = soa_term_upright(term);
    const bool variable = inner->kind == SOA_TERM_VARIABLE;
    if (variable && needs_given(c, inner, error) != SOA_OK) {
        return NULL;
    }
    return new_matrix(c,
        (soa_graph_matrix){
            .kind = variable ? SOA_MATRIX_GIVEN : SOA_MATRIX_CONSTRAINTS, .adjoint = inner != term, .term = term },
        error);
}

/* A product or sum of the matrices of some terms. */
static soa_graph_matrix *combined(
    soa_compiled *c, soa_graph_matrix like, int count, const soa_term *const *of, soa_error *error)
{
    like.count = count;
    like.part = take(c, count, sizeof(soa_graph_matrix *), error);
    bool made = like.part != NULL;
    for (int i = 0; made && i < count; i++) {
        like.part[i] = of[i] ? soa_matrix_of(c, of[i], error) : NULL;
        made = like.part[i] != NULL;
    }
    return made ? new_matrix(c, like, error) : NULL;
}

static soa_graph_matrix *product(soa_compiled *c, const soa_term *term, soa_error *error)
{
    int left = 0, right = term->count, n = 0;
    while (left < right && is_given(c->terms, term->child[left])) {
        left++;
    }
    while (right > left && is_given(c->terms, term->child[right - 1])) {
        right--;
    }
    if (left == 0 && right == term->count) {
        return by_columns(c, term, false, error);
    }
    const soa_term **factor = soa_arena_take(&c->arena, (size_t)term->count, sizeof *factor);
    for (int i = 0; factor && i < term->count; i = i == left && right > left ? right : i + 1) {
        factor[n++] =
            i == left && right > left ? soa_term_product(c->terms, right - left, term->child + left) : term->child[i];
    }
    return factor ? combined(c, (soa_graph_matrix){ .kind = SOA_MATRIX_PRODUCT, .term = term }, n, factor, error)
                  : NULL;
}

/* A sum is made part by part if each part is given or has a kernel. */
static bool all_known(const soa_compiled *c, const soa_term *sum)
{
    for (int i = 0; i < sum->count; i++) {
        const soa_term *part = sum->child[i];
        const bool known = is_given(c->terms, part) ||
                           (part->kind == SOA_TERM_PRODUCT && is_given(c->terms, part->child[0])) ||
                           soa_recognise(c->recogniser, part) != SOA_BY_NONE;
        if (!known) {
            return false;
        }
    }
    return true;
}

/* The matrix of the term with its derivatives expanded, so that what is given is split off from them too. */
static soa_graph_matrix *expanded(soa_compiled *c, const soa_term *term, soa_error *error)
{
    soa_graph graph = soa_compiled_graph(c, error);
    const soa_term *open = soa_graph_expanded(&graph, term);
    soa_graph_free(&graph);
    if (!open) {
        return NULL;
    }
    return open->kind != SOA_TERM_DERIVATIVE ? soa_matrix_of(c, open, error)
           : c->model && c->model->flexible  ? by_slope(c, open, error)
                                             : by_columns(c, open, false, error);
}

soa_graph_matrix *soa_matrix_of(soa_compiled *compiled, const soa_term *term, soa_error *error)
{
    soa_graph_matrix *made = by_kernel(compiled, term, error);
    if (made || error->status != SOA_OK) {
        return made;
    }
    const soa_graph_matrix sum = { .kind = SOA_MATRIX_SUM, .term = term, .factor = term->factor };
    return term->kind == SOA_TERM_DERIVATIVE ? expanded(compiled, term, error)
           : is_given(compiled->terms, term) ? given(compiled, term, error)
           : term->kind == SOA_TERM_PRODUCT  ? product(compiled, term, error)
           : term->kind == SOA_TERM_SUM && all_known(compiled, term)
               ? combined(compiled, sum, term->count, term->child, error)
               : by_columns(compiled, term, false, error);
}

soa_graph_matrix *soa_matrix_of_block(soa_compiled *compiled, const soa_term *term, soa_block block, soa_error *error)
{
    soa_graph_matrix *made = by_columns(compiled, term, false, error);
    if (made) {
        made->block = block;
    }
    return made;
}

soa_status soa_matrices_of(soa_compiled *compiled, soa_graph *graph, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; i < graph->matrices.count && status == SOA_OK; i++) {
        soa_graph_matrix *m = soa_graph_matrix_at(graph, i);
        if (m->kind == SOA_MATRIX_GIVEN || m->kind == SOA_MATRIX_SELECT || m->kind == SOA_MATRIX_UNIT) {
            status = m->kind == SOA_MATRIX_GIVEN ? needs_given(compiled, m->term, error) : SOA_OK;
            continue;
        }
        if (m->kind == SOA_MATRIX_COLUMNS) {
            const soa_graph_matrix *slope = by_slope(compiled, m->term, error);
            *m = slope ? *slope : *m;
            status = slope ? SOA_OK : error->status != SOA_OK ? error->status : soa_fail_memory(error);
            continue;
        }
        const soa_term *of[] = { m->term, m->rate };
        m->count = m->rate ? 2 : 1;
        m->part = soa_arena_take(&compiled->arena, 2, sizeof(soa_graph_matrix *));
        for (int part = 0; part < m->count && status == SOA_OK; part++) {
            soa_graph_matrix *made = !m->part    ? NULL
                                     : m->blocks ? by_columns(compiled, of[part], true, error)
                                                 : soa_matrix_of(compiled, of[part], error);
            if (made) {
                m->part[part] = made;
            } else {
                status = error->status != SOA_OK ? error->status : soa_fail_memory(error);
            }
        }
    }
    return status;
}
