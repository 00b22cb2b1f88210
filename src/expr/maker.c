/* expr/maker.c - how the matrix of an operator is made: by a kernel of the list kernels.def, else column by column.
 *
 * Factors that are matrices themselves (A, operators given by name) are split off at both ends. */
#include "expr/compile.h"

#include "core/error.h"

static soa_maker *new_maker(soa_compiled *c, soa_maker like, soa_error *error)
{
    soa_maker *made = soa_arena_take(&c->arena, 1, sizeof *made);
    if (!made) {
        soa_fail_memory(error);
        return NULL;
    }
    *made = like;
    return made;
}

/* By a kernel of the list; NULL: there is none for this matrix, or the error says why. */
static soa_maker *by_kernel(soa_compiled *c, const soa_term *term, soa_error *error)
{
    const soa_expr_kernel kernel = soa_recognise(c->recogniser, term);
    soa_maker like = { .kind = SOA_MAKE_KERNEL, .kernel = kernel, .term = term };
    if (c->recogniser->status != SOA_OK) {
        soa_fail_memory(error);
        return NULL;
    }
    if (kernel == SOA_BY_MASS_RATE) {
        soa_flow flow = soa_compiled_flow(c, error);
        like.velocity = soa_flow_velocity(&flow, term->child[1]);
        soa_flow_free(&flow);
    }
    return kernel == SOA_BY_NONE || like.velocity < 0 ? NULL : new_maker(c, like, error);
}

/* ---- column by column ------------------------------------------------------------------------------- */

static soa_unit *unit_of(soa_compiled *c, const soa_term *term, soa_error *error)
{
    soa_unit **place = soa_array_push(&c->units, &c->allocator);
    soa_unit *unit = soa_arena_take(&c->arena, 1, sizeof *unit);
    if (!place || !unit) {
        c->units.count -= place != NULL;
        soa_fail_memory(error);
        return NULL;
    }
    soa_flow flow = soa_compiled_flow(c, error);
    if (soa_flow_add(&flow, "y", term) != SOA_OK) {
        soa_flow_free(&flow);
        c->units.count--;
        return NULL;
    }
    if (soa_plan_make(flow, &unit->plan, error) != SOA_OK) {
        c->units.count--;
        return NULL;
    }
    *place = unit;
    return soa_unit_complete(c, unit, error) == SOA_OK ? unit : NULL;
}

static soa_maker *by_unit(soa_compiled *c, soa_maker_kind kind, const soa_term *term, soa_error *error)
{
    soa_unit *unit = unit_of(c, term, error);
    return unit ? new_maker(c, (soa_maker){ .kind = kind, .term = term, .unit = unit }, error) : NULL;
}

soa_maker *soa_maker_blocks(soa_compiled *compiled, const soa_term *term, soa_error *error)
{
    return by_unit(compiled, SOA_MAKE_BLOCKS, term, error);
}

/* ---- products and sums ---------------------------------------------------------------------------------- */

/* A matrix by itself: A, or an operator given by name, or the adjoint of one. */
static soa_maker *given(soa_compiled *c, const soa_term *term, soa_error *error)
{
    const bool adjoint = term->kind == SOA_TERM_ADJOINT;
    const soa_term *inner = adjoint ? term->child[0] : term;
    if (inner->kind == SOA_TERM_OPERATOR && inner->op == SOA_OP_A) {
        return new_maker(c, (soa_maker){ .kind = SOA_MAKE_CONSTRAINTS, .adjoint = adjoint, .term = term }, error);
    }
    if (inner->kind != SOA_TERM_VARIABLE || soa_term_is_vector(inner)) {
        return NULL;
    }
    const char *name = soa_terms_about(c->terms, inner->variable)->name;
    if (soa_compiled_needs(c, name, inner->type, error) != SOA_OK) {
        return NULL;
    }
    return new_maker(c, (soa_maker){ .kind = SOA_MAKE_GIVEN, .adjoint = adjoint, .term = term, .name = name }, error);
}

static bool is_given(const soa_term *term)
{
    const soa_term *inner = term->kind == SOA_TERM_ADJOINT ? term->child[0] : term;
    return (inner->kind == SOA_TERM_OPERATOR && inner->op == SOA_OP_A) ||
           (inner->kind == SOA_TERM_VARIABLE && !soa_term_is_vector(inner));
}

static soa_maker *product(soa_compiled *c, const soa_term *term, soa_error *error)
{
    int left = 0, right = term->count;
    while (left < right && is_given(term->child[left])) {
        left++;
    }
    while (right > left && is_given(term->child[right - 1])) {
        right--;
    }
    if (left == 0 && right == term->count) {
        return by_unit(c, SOA_MAKE_COLUMNS, term, error);
    }
    soa_maker **part = soa_arena_take(&c->arena, (size_t)term->count, sizeof *part);
    if (!part) {
        soa_fail_memory(error);
        return NULL;
    }
    int n = 0;
    for (int i = 0; i < term->count; i++) {
        const bool middle = i == left && right > left;
        if (i > left && i < right) {
            continue;
        }
        const soa_term *inner = middle ? soa_term_product(c->terms, right - left, term->child + left) : NULL;
        part[n] = middle ? inner ? soa_maker_of(c, inner, error) : NULL : given(c, term->child[i], error);
        if (!part[n++]) {
            return NULL;
        }
    }
    return new_maker(c, (soa_maker){ .kind = SOA_MAKE_PRODUCT, .term = term, .count = n, .part = part }, error);
}

/* A sum is made part by part if each part is given or has a kernel. */
static bool all_known(const soa_compiled *c, const soa_term *sum)
{
    for (int i = 0; i < sum->count; i++) {
        const soa_term *part = sum->child[i];
        const bool known = is_given(part) || (part->kind == SOA_TERM_PRODUCT && is_given(part->child[0])) ||
                           soa_recognise(c->recogniser, part) != SOA_BY_NONE;
        if (!known) {
            return false;
        }
    }
    return true;
}

static soa_maker *sum(soa_compiled *c, const soa_term *term, soa_error *error)
{
    soa_maker **part = soa_arena_take(&c->arena, (size_t)term->count, sizeof *part);
    if (!part) {
        soa_fail_memory(error);
        return NULL;
    }
    for (int i = 0; i < term->count; i++) {
        part[i] = soa_maker_of(c, term->child[i], error);
        if (!part[i]) {
            return NULL;
        }
    }
    return new_maker(c,
        (soa_maker){ .kind = SOA_MAKE_SUM, .term = term, .count = term->count, .part = part, .factor = term->factor },
        error);
}

/* Of the term with its derivatives expanded, so that what is given is split off from them too. */
static soa_maker *expanded(soa_compiled *c, const soa_term *term, soa_error *error)
{
    soa_flow flow = soa_compiled_flow(c, error);
    const soa_term *open = soa_flow_expanded(&flow, term);
    soa_flow_free(&flow);
    if (!open) {
        return NULL;
    }
    return open->kind == SOA_TERM_DERIVATIVE ? by_unit(c, SOA_MAKE_COLUMNS, open, error) : soa_maker_of(c, open, error);
}

soa_maker *soa_maker_of(soa_compiled *compiled, const soa_term *term, soa_error *error)
{
    soa_maker *made = by_kernel(compiled, term, error);
    if (made || error->status != SOA_OK) {
        return made;
    }
    if (term->kind == SOA_TERM_DERIVATIVE) {
        return expanded(compiled, term, error);
    }
    if (is_given(term)) {
        return given(compiled, term, error);
    }
    if (term->kind == SOA_TERM_PRODUCT) {
        return product(compiled, term, error);
    }
    if (term->kind == SOA_TERM_SUM && all_known(compiled, term)) {
        return sum(compiled, term, error);
    }
    return by_unit(compiled, SOA_MAKE_COLUMNS, term, error);
}
