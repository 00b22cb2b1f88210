/* expr/term.c - making terms. */
#include <limits.h>

#include "expr/term.h"

/* ---- atoms ------------------------------------------------------------------------------------ */

const soa_term *soa_term_zero(soa_terms *pool, soa_type type)
{
    return soa_terms_intern(pool, (soa_term){ .kind = SOA_TERM_ZERO, .type = type });
}

const soa_term *soa_term_identity(soa_terms *pool, soa_place place)
{
    return soa_terms_intern(pool, (soa_term){ .kind = SOA_TERM_IDENTITY, .type = { place, place } });
}

const soa_term *soa_term_operator(soa_terms *pool, soa_operator op)
{
    const soa_operator_info info = soa_operator_about(op, false);
    const soa_type type = { { info.domain_space, info.domain_side }, { info.codomain_space, info.codomain_side } };
    return soa_terms_intern(
        pool, (soa_term){ .kind = SOA_TERM_OPERATOR, .op = op, .type = type, .causality = info.kind });
}

const soa_term *soa_term_variable(soa_terms *pool, int variable)
{
    if (variable < 0) {
        return NULL;
    }
    const soa_variable *about = soa_terms_about(pool, variable);
    const soa_term *of = about->of;
    return soa_terms_intern(pool, (soa_term){ .kind = SOA_TERM_VARIABLE,
                                      .variable = variable,
                                      .type = about->type,
                                      .causality = about->causality,
                                      .size = of && of->size < INT_MAX ? of->size + 1
                                              : of                     ? INT_MAX
                                                                       : 1,
                                      .depth = of ? of->depth + 1 : 0 });
}

/* ---- sums ----------------------------------------------------------------------------------------
 * Flat, without zeros; a sum of one with factor 1 is that one. */

typedef struct parts {
    soa_ratio *ratio;
    const soa_term **child;
    int count;
} parts;

static bool parts_new(soa_terms *pool, parts *made, int most)
{
    made->count = 0;
    made->ratio = soa_allocate(soa_terms_allocator(pool), (size_t)most + 1, sizeof *made->ratio);
    made->child = soa_allocate(soa_terms_allocator(pool), (size_t)most + 1, sizeof *made->child);
    if (!made->ratio || !made->child) {
        soa_terms_none(pool, SOA_E_MEMORY);
        return false;
    }
    return true;
}

static void parts_free(soa_terms *pool, parts *made)
{
    soa_release(soa_terms_allocator(pool), made->ratio);
    soa_release(soa_terms_allocator(pool), (void *)made->child);
}

static void parts_add(parts *to, soa_ratio ratio, const soa_term *child)
{
    to->ratio[to->count] = ratio;
    to->child[to->count++] = child;
}

/* The most parts of one sum or product. */
enum { PARTS_MOST = 1 << 16 };

/* How many parts the children have when those of one kind are opened; -1 if one is NULL or there are too many. */
static int opened(soa_terms *pool, soa_term_kind kind, int count, const soa_term *const *child)
{
    int total = 0;
    for (int i = 0; i < count; i++) {
        if (!child[i]) {
            return -1;
        }
        total += child[i]->kind == kind ? child[i]->count : 1;
        if (total > PARTS_MOST) {
            soa_terms_none(pool, SOA_E_LIMIT);
            return -1;
        }
    }
    return total;
}

static const soa_term *finish_sum(soa_terms *pool, const parts *sum, soa_type type)
{
    if (sum->count == 0) {
        return soa_term_zero(pool, type);
    }
    if (sum->count == 1 && soa_ratio_is(sum->ratio[0], 1)) {
        return sum->child[0];
    }
    soa_kind kind = sum->child[0]->causality;
    for (int i = 1; i < sum->count; i++) {
        kind = soa_kind_sum(kind, sum->child[i]->causality);
    }
    return soa_terms_intern(pool, (soa_term){ .kind = SOA_TERM_SUM,
                                      .type = type,
                                      .causality = kind,
                                      .count = sum->count,
                                      .child = sum->child,
                                      .ratio = sum->ratio });
}

static void add_scaled(parts *sum, soa_ratio ratio, const soa_term *child)
{
    if (child->kind != SOA_TERM_ZERO && !soa_ratio_is_zero(ratio)) {
        parts_add(sum, ratio, child);
    }
}

static bool all_numbers(const parts *sum)
{
    int i = 0;
    while (i < sum->count && soa_ratio_is_number(sum->ratio[i])) {
        i++;
    }
    return i == sum->count;
}

const soa_term *soa_term_sum(soa_terms *pool, int count, const soa_ratio *ratio, const soa_term *const *child)
{
    const int most = opened(pool, SOA_TERM_SUM, count, child);
    parts sum = { 0 };
    const soa_term *made = NULL;
    if (most > 0 && parts_new(pool, &sum, most)) {
        for (int i = 0; i < count; i++) {
            const soa_term *part = child[i];
            if (part->kind == SOA_TERM_SUM) {
                for (int j = 0; j < part->count; j++) {
                    add_scaled(&sum, soa_ratio_multiply(ratio[i], part->ratio[j]), part->child[j]);
                }
            } else {
                add_scaled(&sum, ratio[i], part);
            }
        }
        made = all_numbers(&sum) ? finish_sum(pool, &sum, child[0]->type) : soa_terms_none(pool, SOA_E_NUMBER);
    }
    parts_free(pool, &sum);
    return made;
}

/* ---- products ---------------------------------------------------------------------------------------
 * Flat, without identities; zero if a factor is; numbers go to the front: A (3 B) is 3 (A B). */

static const soa_term *finish_product(soa_terms *pool, const parts *product, soa_type type)
{
    if (product->count == 0) {
        return soa_term_identity(pool, type.to);
    }
    if (product->count == 1) {
        return product->child[0];
    }
    soa_kind kind = product->child[0]->causality;
    for (int i = 1; i < product->count; i++) {
        kind = soa_kind_product(kind, product->child[i]->causality);
    }
    return soa_terms_intern(pool, (soa_term){ .kind = SOA_TERM_PRODUCT,
                                      .type = type,
                                      .causality = kind,
                                      .count = product->count,
                                      .child = product->child });
}

static bool is_multiple(const soa_term *term)
{
    return term->kind == SOA_TERM_SUM && term->count == 1;
}

static int product_room(soa_terms *pool, int count, const soa_term *const *child)
{
    int total = opened(pool, SOA_TERM_PRODUCT, count, child);
    for (int i = 0; total >= 0 && i < count; i++) {
        total += is_multiple(child[i]) ? child[i]->child[0]->count : 0;
    }
    return total;
}

static void add_factor(parts *product, const soa_term *part)
{
    if (part->kind == SOA_TERM_PRODUCT) {
        for (int j = 0; j < part->count; j++) {
            parts_add(product, soa_ratio_of(1), part->child[j]);
        }
    } else if (part->kind != SOA_TERM_IDENTITY) {
        parts_add(product, soa_ratio_of(1), part);
    }
}

const soa_term *soa_term_product(soa_terms *pool, int count, const soa_term *const *child)
{
    const int most = product_room(pool, count, child);
    parts product = { 0 };
    if (most < 1 || !parts_new(pool, &product, most)) {
        parts_free(pool, &product);
        return NULL;
    }
    const soa_type type = { child[count - 1]->type.from, child[0]->type.to };
    soa_ratio ratio = soa_ratio_of(1);
    bool zero = false;
    for (int i = 0; i < count; i++) {
        const bool multiple = is_multiple(child[i]);
        ratio = multiple ? soa_ratio_multiply(ratio, child[i]->ratio[0]) : ratio;
        zero = zero || child[i]->kind == SOA_TERM_ZERO;
        add_factor(&product, multiple ? child[i]->child[0] : child[i]);
    }
    if (!zero && product.count > 1) {
        product.count = soa_selectors_move(pool, product.child, product.count);
        zero = product.count == 0;
    }
    const soa_term *made = zero ? soa_term_zero(pool, type) : finish_product(pool, &product, type);
    parts_free(pool, &product);
    return soa_ratio_is(ratio, 1) ? made : soa_term_scale(pool, ratio, made);
}

/* ---- adjoint, inverse, root, derivative ------------------------------------------------------------- */

static const soa_term *wrap(
    soa_terms *pool, soa_term_kind kind, soa_type type, soa_kind causality, const soa_term *term)
{
    return soa_terms_intern(
        pool, (soa_term){ .kind = kind, .type = type, .causality = causality, .count = 1, .child = &term });
}

static bool is_symmetric_atom(const soa_terms *pool, const soa_term *term)
{
    return (term->kind == SOA_TERM_OPERATOR && soa_operator_about(term->op, false).symmetric) ||
           (term->kind == SOA_TERM_VARIABLE && soa_terms_about(pool, term->variable)->symmetric);
}

static bool goes_to_middle(const soa_term *root)
{
    return root->type.to.side == SOA_SIDE_ANY;
}

/* (A S B)' = B' S' A', so that a selector meets those beside it. */
static const soa_term *adjoint_of_product(soa_terms *pool, const soa_term *term)
{
    const soa_term *made = soa_term_adjoint(pool, term->child[term->count - 1]);
    for (int i = term->count - 2; i >= 0; i--) {
        made = soa_term_multiply(pool, made, soa_term_adjoint(pool, term->child[i]));
    }
    return made;
}

const soa_term *soa_term_adjoint(soa_terms *pool, const soa_term *term)
{
    if (!term || is_symmetric_atom(pool, term)) {
        return term;
    }
    const soa_type type = { soa_place_dual(term->type.to), soa_place_dual(term->type.from) };
    if (term->kind == SOA_TERM_ADJOINT) {
        return term->child[0];
    }
    if (term->kind == SOA_TERM_ROOT) {
        return soa_term_root(pool, term->child[0], !goes_to_middle(term));
    }
    if (term->kind == SOA_TERM_IDENTITY) {
        return soa_term_identity(pool, type.to);
    }
    if (term->kind == SOA_TERM_ZERO) {
        return soa_term_zero(pool, type);
    }
    if (is_multiple(term)) {
        return soa_term_scale(pool, term->ratio[0], soa_term_adjoint(pool, term->child[0]));
    }
    for (int i = 0; term->kind == SOA_TERM_PRODUCT && i < term->count; i++) {
        if (soa_term_selects(pool, term->child[i])) {
            return adjoint_of_product(pool, term);
        }
    }
    return wrap(pool, SOA_TERM_ADJOINT, type, soa_kind_adjoint(term->causality), term);
}

soa_operator soa_operator_inverse(soa_operator op)
{
    return op == SOA_OP_D          ? SOA_OP_D_INV
           : op == SOA_OP_D_INV    ? SOA_OP_D
           : op == SOA_OP_MASS     ? SOA_OP_MASS_INV
           : op == SOA_OP_MASS_INV ? SOA_OP_MASS
                                   : SOA_OPERATORS;
}

static soa_kind inverse_kind(soa_kind kind)
{
    const bool triangular = kind == SOA_KIND_MEMORYLESS || kind == SOA_KIND_CAUSAL || kind == SOA_KIND_ANTICAUSAL;
    return triangular ? kind : SOA_KIND_FULL;
}

const soa_term *soa_term_inverse(soa_terms *pool, const soa_term *term)
{
    if (!term || term->kind == SOA_TERM_IDENTITY) {
        return term;
    }
    if (term->kind == SOA_TERM_INVERSE) {
        return term->child[0];
    }
    if (term->kind == SOA_TERM_ROOT) {
        return soa_term_root(pool, soa_term_inverse(pool, term->child[0]), !goes_to_middle(term));
    }
    if (term->kind == SOA_TERM_OPERATOR && soa_operator_inverse(term->op) != SOA_OPERATORS) {
        return soa_term_operator(pool, soa_operator_inverse(term->op));
    }
    if (is_multiple(term)) {
        const soa_ratio inverse = soa_ratio_divide(soa_ratio_of(1), term->ratio[0]);
        return soa_term_scale(pool, inverse, soa_term_inverse(pool, term->child[0]));
    }
    const soa_type type = { term->type.to, term->type.from };
    return wrap(pool, SOA_TERM_INVERSE, type, inverse_kind(term->causality), term);
}

const soa_term *soa_term_root(soa_terms *pool, const soa_term *term, bool to_middle)
{
    if (!term || term->kind == SOA_TERM_IDENTITY) {
        return term;
    }
    const soa_ratio root = is_multiple(term) ? soa_ratio_root(term->ratio[0]) : soa_ratio_of(0);
    if (is_multiple(term) && soa_ratio_is_number(root)) {
        return soa_term_scale(pool, root, soa_term_root(pool, term->child[0], to_middle));
    }
    const soa_place middle = { term->type.to.space, SOA_SIDE_ANY };
    const soa_type type = { to_middle ? term->type.from : middle, to_middle ? middle : term->type.to };
    return wrap(pool, SOA_TERM_ROOT, type, term->causality, term);
}

/* Zeros stay zeros: the derivative is of the same kind. */
const soa_term *soa_term_derivative(soa_terms *pool, const soa_term *term, const soa_term *coordinate)
{
    if (!term || !coordinate) {
        return NULL;
    }
    const soa_term *child[] = { term, coordinate };
    return soa_terms_intern(pool, (soa_term){ .kind = SOA_TERM_DERIVATIVE,
                                      .type = term->type,
                                      .causality = term->causality,
                                      .count = 2,
                                      .child = child });
}

const soa_term *soa_term_with(soa_terms *pool, const soa_term *term, const soa_term *const *child)
{
    switch (term->kind) {
    case SOA_TERM_SUM:
        return soa_term_sum(pool, term->count, term->ratio, child);
    case SOA_TERM_PRODUCT:
        return soa_term_product(pool, term->count, child);
    case SOA_TERM_ADJOINT:
        return soa_term_adjoint(pool, child[0]);
    case SOA_TERM_INVERSE:
        return soa_term_inverse(pool, child[0]);
    case SOA_TERM_DERIVATIVE:
        return soa_term_derivative(pool, child[0], child[1]);
    case SOA_TERM_ROOT:
        return soa_term_root(pool, child[0], goes_to_middle(term));
    default:
        return term;
    }
}

/* ---- short forms --------------------------------------------------------------------------------------- */

const soa_term *soa_term_add(soa_terms *pool, const soa_term *a, const soa_term *b)
{
    const soa_ratio one = soa_ratio_of(1);
    return soa_term_sum(pool, 2, (const soa_ratio[]){ one, one }, (const soa_term *const[]){ a, b });
}

const soa_term *soa_term_subtract(soa_terms *pool, const soa_term *a, const soa_term *b)
{
    const soa_ratio one = soa_ratio_of(1);
    return soa_term_sum(
        pool, 2, (const soa_ratio[]){ one, soa_ratio_negative(one) }, (const soa_term *const[]){ a, b });
}

const soa_term *soa_term_scale(soa_terms *pool, soa_ratio ratio, const soa_term *a)
{
    return soa_term_sum(pool, 1, &ratio, &a);
}

const soa_term *soa_term_multiply(soa_terms *pool, const soa_term *a, const soa_term *b)
{
    return soa_term_product(pool, 2, (const soa_term *const[]){ a, b });
}
