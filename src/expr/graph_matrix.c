/* expr/graph_matrix.c - how the matrix of an operator is made: by a kernel of the list kernels.def, else column by column.
 *
 * Factors that are matrices themselves (A, operators given by name) are split off at both ends. */
#include <string.h>

#include "expr/compile.h"
#include "model/model.h"
#include "sens/flexible_sens.h"

static soa_graph_matrix *new_matrix(soa_compiled *c, soa_graph_matrix like)
{
    soa_graph_matrix *made = soa_arena_take(&c->arena, 1, sizeof *made);
    return made ? memcpy(made, &like, sizeof like) : NULL;
}

/* The velocity that a derivative is along, -1 of the time; false: the error says why there is none. */
static bool velocity_of(soa_compiled *c, const soa_term *derivative, int *velocity)
{
    soa_graph graph = soa_compiled_graph(c);
    *velocity = soa_graph_velocity(&graph, derivative->child[1]);
    return graph.status == SOA_OK;
}

/* A matrix that a kernel of the list makes. */
static soa_graph_matrix *by_kernel(soa_compiled *c, const soa_term *term, soa_expr_kernel kernel)
{
    soa_graph_matrix like = { .kind = SOA_MATRIX_KERNEL, .kernel = kernel, .term = term };
    return kernel != SOA_BY_MASS_RATE || velocity_of(c, term, &like.index) ? new_matrix(c, like) : NULL;
}

/* A matrix that is made column by column, or if it is made of blocks by six vectors. */
static soa_graph_matrix *by_columns(soa_compiled *c, const soa_term *term, bool blocks)
{
    soa_graph *graph = soa_arena_take(&c->arena, 1, sizeof *graph);
    if (!graph) {
        return NULL;
    }
    *graph = soa_compiled_graph(c);
    const soa_graph_matrix like = { .kind = SOA_MATRIX_COLUMNS, .term = term, .blocks = blocks, .graph = graph };
    const bool made = soa_graph_add(graph, "y", term) == SOA_OK && soa_compiled_complete(c, graph);
    return made ? new_matrix(c, like) : NULL;
}

/* Whether a matrix is made of no term. */
static bool has_no_parts(soa_matrix_kind kind)
{
    return kind == SOA_MATRIX_GIVEN || kind == SOA_MATRIX_SELECT || kind == SOA_MATRIX_UNIT;
}

/* The slopes of the columns of what is differentiated, once or twice. */
static soa_graph_matrix *by_slope(soa_compiled *c, const soa_term *derivative)
{
    soa_graph graph = soa_compiled_graph(c);
    soa_along along;
    const soa_term *of = soa_graph_along(&graph, derivative, &along);
    if (of && of->kind == SOA_TERM_ROOT) {
        soa_graph_fail(&graph, SOA_E_UNSUPPORTED, "the second derivative of a root ^(1/2) cannot be run");
        return NULL;
    }
    bool known = of && (along.count == 1 || soa_twice_known(c->error) == SOA_OK);
    soa_direction slope[SOA_ALONG] = { { SOA_BY_NOTHING, -1 }, { SOA_BY_NOTHING, -1 } };
    for (int i = 0; known && i < along.count; i++) {
        const soa_graph_coordinate *about = soa_graph_coordinate_at(&graph, along.at[i]);
        slope[i] = (soa_direction){ about->by, about->velocity };
        known = about->by != SOA_BY_TIME || soa_compiled_needs_beta(c);
    }
    soa_graph_matrix *made = known ? by_columns(c, of, false) : NULL;
    if (made) {
        memcpy(made->slope, slope, sizeof slope);
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

static bool needs_given(soa_compiled *c, const soa_term *variable)
{
    return soa_compiled_needs(c, soa_terms_about(c->terms, variable->variable)->name, variable->type);
}

static soa_graph_matrix *given(soa_compiled *c, const soa_term *term)
{
    const soa_term *inner = soa_term_upright(term);
    const bool variable = inner->kind == SOA_TERM_VARIABLE;
    const soa_graph_matrix like = {
        .kind = variable ? SOA_MATRIX_GIVEN : SOA_MATRIX_CONSTRAINTS, .adjoint = inner != term, .term = term
    };
    return !variable || needs_given(c, inner) ? new_matrix(c, like) : NULL;
}

/* A product or sum of the matrices of some terms. */
static soa_graph_matrix *combined(soa_compiled *c, soa_graph_matrix like, int count, const soa_term *const *of)
{
    like.count = count;
    like.part = soa_arena_take(&c->arena, (size_t)count, sizeof(soa_graph_matrix *));
    bool made = like.part != NULL;
    for (int i = 0; made && i < count; i++) {
        like.part[i] = of[i] ? soa_matrix_of(c, of[i]) : NULL;
        made = like.part[i] != NULL;
    }
    return made ? new_matrix(c, like) : NULL;
}

static soa_graph_matrix *product(soa_compiled *c, const soa_term *term)
{
    int left = 0, right = term->count, n = 0;
    while (left < right && is_given(c->terms, term->child[left])) {
        left++;
    }
    while (right > left && is_given(c->terms, term->child[right - 1])) {
        right--;
    }
    if (left == 0 && right == term->count) {
        return by_columns(c, term, false);
    }
    const soa_term **factor = soa_arena_take(&c->arena, (size_t)term->count, sizeof *factor);
    for (int i = 0; factor && i < term->count; i = i == left && right > left ? right : i + 1) {
        factor[n++] =
            i == left && right > left ? soa_term_product(c->terms, right - left, term->child + left) : term->child[i];
    }
    return factor ? combined(c, (soa_graph_matrix){ .kind = SOA_MATRIX_PRODUCT, .term = term }, n, factor) : NULL;
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
static soa_graph_matrix *expanded(soa_compiled *c, const soa_term *term)
{
    soa_graph graph = soa_compiled_graph(c);
    const soa_term *open = soa_graph_expanded(&graph, term);
    if (open && open->kind != SOA_TERM_DERIVATIVE) {
        return soa_matrix_of(c, open);
    }
    const bool slopes = open && c->model && c->model->flexible && open->child[0]->kind != SOA_TERM_ROOT;
    return !open ? NULL : slopes ? by_slope(c, open) : by_columns(c, open, false);
}

soa_graph_matrix *soa_matrix_of(soa_compiled *compiled, const soa_term *term)
{
    const soa_expr_kernel kernel = soa_recognise(compiled->recogniser, term);
    const bool known = kernel != SOA_BY_NONE && (kernel != SOA_BY_MASS_RATE || compiled->model);
    const soa_graph_matrix sum = { .kind = SOA_MATRIX_SUM, .term = term, .factor = term->factor };
    return known                                                     ? by_kernel(compiled, term, kernel)
           : term->kind == SOA_TERM_DERIVATIVE                       ? expanded(compiled, term)
           : is_given(compiled->terms, term)                         ? given(compiled, term)
           : term->kind == SOA_TERM_PRODUCT                          ? product(compiled, term)
           : term->kind == SOA_TERM_SUM && all_known(compiled, term) ? combined(compiled, sum, term->count, term->child)
                                                                     : by_columns(compiled, term, false);
}

soa_graph_matrix *soa_matrix_of_block(soa_compiled *compiled, const soa_term *term, soa_block block)
{
    soa_graph_matrix *made = by_columns(compiled, term, false);
    if (made) {
        made->block = block;
    }
    return made;
}

bool soa_matrices_of(soa_compiled *compiled, soa_graph *graph)
{
    bool fine = true;
    for (int i = 0; i < graph->matrices.count && fine; i++) {
        soa_graph_matrix *m = soa_graph_matrix_at(graph, i);
        if (has_no_parts(m->kind)) {
            fine = m->kind != SOA_MATRIX_GIVEN || needs_given(compiled, m->term);
            continue;
        }
        if (m->kind == SOA_MATRIX_COLUMNS) {
            const soa_graph_matrix *slope = by_slope(compiled, m->term);
            *m = slope ? *slope : *m;
            fine = slope != NULL;
            continue;
        }
        const soa_term *of[] = { m->term, m->rate };
        m->count = m->rate ? 2 : 1;
        m->part = soa_arena_take(&compiled->arena, 2, sizeof(soa_graph_matrix *));
        fine = m->part != NULL;
        for (int part = 0; part < m->count && fine; part++) {
            m->part[part] = m->blocks ? by_columns(compiled, of[part], true) : soa_matrix_of(compiled, of[part]);
            fine = m->part[part] != NULL;
        }
    }
    return fine;
}
