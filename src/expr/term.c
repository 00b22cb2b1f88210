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
    soa_term like = { .kind = SOA_TERM_VARIABLE, .variable = variable, .type = about->type };
    like.causality = about->causality;
    like.size = !of ? 1 : of->size < INT_MAX ? of->size + 1 : INT_MAX;
    like.depth = of ? of->depth + 1 : 0;
    return soa_terms_intern(pool, like);
}

/* ---- sums and products ---------------------------------------------------------------------------
 * Both are flat, and of one part with factor 1 they are that part. Sums have no zeros. Products have no identities and are
 * zero if a factor is; numbers go to the front: A (3 B) is 3 (A B). */

/* The most parts of one sum or product. */
enum { PARTS_MOST = 1 << 16 };

typedef struct parts {
    soa_term_kind kind;
    soa_ratio *ratio; /* of a product all are 1 */
    const soa_term **child;
    int count;
} parts;

static const soa_term *node(soa_terms *pool, soa_term_kind kind, soa_type type, soa_kind causality, int count,
    const soa_term *const *child, const soa_ratio *ratio)
{
    return soa_terms_intern(
        pool, (soa_term){
                  .kind = kind, .type = type, .causality = causality, .count = count, .child = child, .ratio = ratio });
}

static bool is_multiple(const soa_term *term)
{
    return term->kind == SOA_TERM_SUM && term->count == 1;
}

/* Room for the parts that the children have; false: a child is NULL, there are too many, or there is no memory. */
static bool parts_new(soa_terms *pool, parts *made, int count, const soa_term *const *child)
{
    int most = 0;
    for (int i = 0; i < count; i++) {
        if (!child[i]) {
            return false;
        }
        const bool inner = made->kind == SOA_TERM_PRODUCT && is_multiple(child[i]);
        const soa_term *of = inner ? child[i]->child[0] : child[i];
        most += of->kind == made->kind ? of->count : 1;
        if (most > PARTS_MOST) {
            soa_terms_none(pool, SOA_E_LIMIT);
            return false;
        }
    }
    made->ratio = soa_allocate(&pool->allocator, (size_t)most + 1, sizeof *made->ratio);
    made->child = soa_allocate(&pool->allocator, (size_t)most + 1, sizeof *made->child);
    if (!made->ratio || !made->child) {
        soa_terms_none(pool, SOA_E_MEMORY);
    }
    return made->ratio && made->child && most > 0;
}

static void parts_free(soa_terms *pool, parts *made)
{
    soa_release(&pool->allocator, made->ratio);
    soa_release(&pool->allocator, (void *)made->child);
}

/* Adds a part, or all parts of one of the same kind. */
static void parts_add(parts *to, soa_ratio ratio, const soa_term *child)
{
    if (child->kind == to->kind) {
        for (int i = 0; i < child->count; i++) {
            parts_add(to, child->ratio ? soa_ratio_multiply(ratio, child->ratio[i]) : ratio, child->child[i]);
        }
    } else if (to->kind == SOA_TERM_SUM ? child->kind != SOA_TERM_ZERO && !soa_ratio_is_zero(ratio)
                                        : child->kind != SOA_TERM_IDENTITY) {
        to->ratio[to->count] = ratio;
        to->child[to->count++] = child;
    }
}

static const soa_term *parts_joined(soa_terms *pool, const parts *made, soa_type type)
{
    const bool sum = made->kind == SOA_TERM_SUM;
    if (made->count == 0) {
        return sum ? soa_term_zero(pool, type) : soa_term_identity(pool, type.to);
    }
    if (made->count == 1 && soa_ratio_is(made->ratio[0], 1)) {
        return made->child[0];
    }
    soa_kind kind = made->child[0]->causality;
    for (int i = 0; i < made->count; i++) {
        kind = (sum ? soa_kind_sum : soa_kind_product)(kind, made->child[i]->causality);
        if (!soa_ratio_is_number(made->ratio[i])) {
            return soa_terms_none(pool, SOA_E_NUMBER);
        }
    }
    return node(pool, made->kind, type, kind, made->count, made->child, sum ? made->ratio : NULL);
}

const soa_term *soa_term_sum(soa_terms *pool, int count, const soa_ratio *ratio, const soa_term *const *child)
{
    parts sum = { .kind = SOA_TERM_SUM };
    const soa_term *made = NULL;
    if (parts_new(pool, &sum, count, child)) {
        for (int i = 0; i < count; i++) {
            parts_add(&sum, ratio[i], child[i]);
        }
        made = parts_joined(pool, &sum, child[0]->type);
    }
    parts_free(pool, &sum);
    return made;
}

const soa_term *soa_term_product(soa_terms *pool, int count, const soa_term *const *child)
{
    parts product = { .kind = SOA_TERM_PRODUCT };
    const soa_term *made = NULL;
    soa_ratio ratio = soa_ratio_of(1);
    if (parts_new(pool, &product, count, child)) {
        const soa_type type = { child[count - 1]->type.from, child[0]->type.to };
        bool zero = false;
        for (int i = 0; i < count; i++) {
            const bool multiple = is_multiple(child[i]);
            ratio = multiple ? soa_ratio_multiply(ratio, child[i]->ratio[0]) : ratio;
            zero = zero || child[i]->kind == SOA_TERM_ZERO;
            parts_add(&product, soa_ratio_of(1), multiple ? child[i]->child[0] : child[i]);
        }
        if (!zero && product.count > 1) {
            product.count = soa_selectors_move(pool, product.child, product.count);
            zero = product.count == 0;
        }
        made = zero ? soa_term_zero(pool, type) : parts_joined(pool, &product, type);
    }
    parts_free(pool, &product);
    return soa_ratio_is(ratio, 1) ? made : soa_term_scale(pool, ratio, made);
}

/* ---- adjoint, inverse, root, derivative ------------------------------------------------------------- */

static bool goes_to_middle(const soa_term *root)
{
    return root->type.to.side == SOA_SIDE_ANY;
}

/* (A S B)' = B' S' A', so that a selector meets those beside it; a product without selectors stays as it is written. */
static const soa_term *adjoint_of_product(soa_terms *pool, const soa_term *term)
{
    const soa_term *made = soa_term_adjoint(pool, term->child[term->count - 1]);
    for (int i = term->count - 2; i >= 0; i--) {
        made = soa_term_multiply(pool, made, soa_term_adjoint(pool, term->child[i]));
    }
    return made;
}

static bool has_selector(const soa_terms *pool, const soa_term *product)
{
    int i = 0;
    while (i < product->count && !soa_term_selects(pool, product->child[i])) {
        i++;
    }
    return i < product->count;
}

const soa_term *soa_term_adjoint(soa_terms *pool, const soa_term *term)
{
    const bool symmetric =
        term && (term->kind == SOA_TERM_OPERATOR
                        ? soa_operator_about(term->op, false).symmetric
                        : term->kind == SOA_TERM_VARIABLE && soa_terms_about(pool, term->variable)->symmetric);
    if (!term || symmetric) {
        return term;
    }
    const soa_term_kind kind = term->kind;
    const soa_type type = { soa_place_dual(term->type.to), soa_place_dual(term->type.from) };
    return kind == SOA_TERM_ADJOINT    ? term->child[0]
           : kind == SOA_TERM_ROOT     ? soa_term_root(pool, term->child[0], !goes_to_middle(term))
           : kind == SOA_TERM_IDENTITY ? soa_term_identity(pool, type.to)
           : kind == SOA_TERM_ZERO     ? soa_term_zero(pool, type)
           : is_multiple(term)         ? soa_term_scale(pool, term->ratio[0], soa_term_adjoint(pool, term->child[0]))
           : kind == SOA_TERM_PRODUCT && has_selector(pool, term)
               ? adjoint_of_product(pool, term)
               : node(pool, SOA_TERM_ADJOINT, type, soa_kind_adjoint(term->causality), 1, &term, NULL);
}

soa_operator soa_operator_inverse(soa_operator op)
{
    return op == SOA_OP_D          ? SOA_OP_D_INV
           : op == SOA_OP_D_INV    ? SOA_OP_D
           : op == SOA_OP_MASS     ? SOA_OP_MASS_INV
           : op == SOA_OP_MASS_INV ? SOA_OP_MASS
                                   : SOA_OPERATORS;
}

const soa_term *soa_term_inverse(soa_terms *pool, const soa_term *term)
{
    if (!term || term->kind == SOA_TERM_IDENTITY) {
        return term;
    }
    const soa_operator op = term->kind == SOA_TERM_OPERATOR ? soa_operator_inverse(term->op) : SOA_OPERATORS;
    const soa_type type = { term->type.to, term->type.from };
    const soa_kind kind = term->causality;
    const bool triangular = kind == SOA_KIND_MEMORYLESS || kind == SOA_KIND_CAUSAL || kind == SOA_KIND_ANTICAUSAL;
    const soa_ratio one = soa_ratio_of(1);
    return term->kind == SOA_TERM_INVERSE ? term->child[0]
           : term->kind == SOA_TERM_ROOT
               ? soa_term_root(pool, soa_term_inverse(pool, term->child[0]), !goes_to_middle(term))
           : op != SOA_OPERATORS ? soa_term_operator(pool, op)
           : is_multiple(term)
               ? soa_term_scale(pool, soa_ratio_divide(one, term->ratio[0]), soa_term_inverse(pool, term->child[0]))
               : node(pool, SOA_TERM_INVERSE, type, triangular ? kind : SOA_KIND_FULL, 1, &term, NULL);
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
    return node(pool, SOA_TERM_ROOT, type, term->causality, 1, &term, NULL);
}

/* Zeros stay zeros: the derivative is of the same kind. */
const soa_term *soa_term_derivative(soa_terms *pool, const soa_term *term, const soa_term *coordinate)
{
    const soa_term *child[] = { term, coordinate };
    return term && coordinate ? node(pool, SOA_TERM_DERIVATIVE, term->type, term->causality, 2, child, NULL) : NULL;
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

const soa_term *soa_term_mapped(soa_terms *pool, const soa_term *term, soa_term_image *image, void *context)
{
    const soa_term **child = soa_allocate(&pool->allocator, (size_t)term->count + 1, sizeof *child);
    bool made = child != NULL;
    for (int i = 0; made && i < term->count; i++) {
        child[i] = image(context, term->child[i]);
        made = child[i] != NULL;
    }
    const soa_term *is = made ? soa_term_with(pool, term, child) : child ? NULL : soa_terms_none(pool, SOA_E_MEMORY);
    soa_release(&pool->allocator, (void *)child);
    return is;
}

const soa_term *soa_term_number(soa_terms *pool, soa_ratio number, soa_type type)
{
    if (soa_ratio_is_zero(number)) {
        return soa_term_zero(pool, type);
    }
    const soa_term *identity = soa_term_identity(pool, type.to);
    return soa_ratio_is(number, 1) ? identity : soa_term_scale(pool, number, identity);
}

bool soa_term_any(const soa_terms *pool, const soa_term *term, soa_term_test *test, const void *context)
{
    const soa_term *of = term->kind == SOA_TERM_VARIABLE ? soa_terms_about(pool, term->variable)->of : NULL;
    bool found = test(pool, term, context) || (of && soa_term_any(pool, of, test, context));
    for (int i = 0; i < term->count && !found; i++) {
        found = soa_term_any(pool, term->child[i], test, context);
    }
    return found;
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
