/* expr/lemma.c - the inversion lemma (Woodbury), and the cheapest equal expression with it or without. */
#include "core/error.h"
#include "expr/parse.h"
#include "expr/simplify.h"

/* Larger terms are left alone. */
enum { SIZE_MOST = 1000, PARTS_MOST = 64 };

static bool is_small(soa_space space)
{
    return space == SOA_SPACE_POINT || space == SOA_SPACE_CONSTRAINT;
}

/* The first factor of a product that gives points or constraints, other than the first; 0: none. */
static int small_factor(const soa_term *term)
{
    int i = 1;
    while (term->kind == SOA_TERM_PRODUCT && i < term->count && !is_small(term->child[i]->type.to.space)) {
        i++;
    }
    return term->kind == SOA_TERM_PRODUCT && i < term->count ? i : 0;
}

/* B^-1 - r B^-1 U (I + r W B^-1 U)^-1 W B^-1, where r U W is one product of the sum and B the rest. */
static const soa_term *inverse_without(soa_terms *terms, const soa_term *sum, int part)
{
    const soa_term *product = sum->child[part], *other[PARTS_MOST];
    soa_ratio factor[PARTS_MOST];
    int count = 0;
    for (int i = 0; i < sum->count; i++) {
        if (i != part) {
            other[count] = sum->child[i];
            factor[count++] = sum->ratio[i];
        }
    }
    const int at = small_factor(product);
    const soa_term *B = soa_term_inverse(terms, soa_term_sum(terms, count, factor, other));
    const soa_term *U = soa_term_product(terms, at, product->child);
    const soa_term *W = soa_term_product(terms, product->count - at, product->child + at);
    const soa_term *small = soa_term_product(terms, 3, (const soa_term *const[]){ W, B, U });
    const soa_term *one = W ? soa_term_identity(terms, W->type.to) : NULL;
    small = soa_term_add(terms, one, soa_term_scale(terms, sum->ratio[part], small));
    const soa_term *rest[] = { B, U, soa_term_inverse(terms, small), W, B };
    return soa_term_subtract(terms, B, soa_term_scale(terms, sum->ratio[part], soa_term_product(terms, 5, rest)));
}

static const soa_term *by_lemma(soa_terms *terms, const soa_term *inverse)
{
    const soa_term *sum = inverse->kind == SOA_TERM_INVERSE ? inverse->child[0] : inverse;
    if (sum == inverse || sum->kind != SOA_TERM_SUM || sum->count < 2 || sum->count > PARTS_MOST ||
        is_small(sum->type.to.space)) {
        return inverse;
    }
    for (int i = 0; i < sum->count; i++) {
        if (small_factor(sum->child[i]) > 0) {
            const soa_term *made = inverse_without(terms, sum, i);
            return made && sum->count > 2 ? soa_inversion_lemma(terms, made) : made;
        }
    }
    return inverse;
}

static const soa_term *lemma_in(void *terms, const soa_term *term)
{
    return soa_inversion_lemma(terms, term);
}

const soa_term *soa_inversion_lemma(soa_terms *terms, const soa_term *term)
{
    if (term->count == 0 || term->size > SIZE_MOST || term->derived) {
        return term;
    }
    const soa_term *made = soa_term_mapped(terms, term, lemma_in, terms);
    return made ? by_lemma(terms, made) : NULL;
}

/* ---- the cheapest, with the lemma or without ------------------------------------------------------------ */

/* The steps of `other` behind one by the inversion lemma, in place of those of the result. */
static void take_lemma(soa_terms *terms, const soa_term *lemma, soa_simplified *other, soa_simplified *result)
{
    soa_proof_step *step = soa_arena_take(&terms->arena, (size_t)other->steps + 1, sizeof *step);
    for (int i = 0; step && i < other->steps; i++) {
        step[i + 1] = other->step[i];
    }
    if (step) {
        step[0] = (soa_proof_step){ "inversion lemma", lemma };
        other->step = step;
        other->steps++;
    }
    other->before = result->before;
    *result = *other;
}

/* Where an inverse grows with the bodies: the cheapest of what the inversion lemma makes of it, if that is cheaper. */
static void try_lemma(soa_terms *terms, const soa_term *term, soa_theory_kind kind, soa_simplified *result)
{
    const soa_term *lemma = result->after.order > 1 ? soa_inversion_lemma(terms, term) : term;
    if (!lemma || lemma == term) {
        return;
    }
    soa_simplified other;
    bool equal = false;
    if (soa_rewrite(terms, lemma, kind, NULL, &other, NULL) == SOA_OK &&
        soa_cost_compare(&other.after, &result->after) < 0 &&
        soa_ask_equal(terms, kind, term, other.term, &equal, NULL) == SOA_OK && equal) {
        take_lemma(terms, lemma, &other, result);
    }
}

soa_status soa_simplify(soa_terms *terms, const soa_term *term, bool rotors, soa_simplified *result, soa_error *error)
{
    *result = (soa_simplified){ .term = term };
    if (term->depth > SOA_PARSE_HEIGHT) {
        return soa_fail(error, SOA_E_LIMIT, -1, "the expression is nested too deeply");
    }
    const soa_theory_kind kind = rotors || soa_term_has_rotors(terms, term) ? SOA_THEORY_ROTORS : SOA_THEORY_PLAIN;
    soa_status status = soa_rewrite(terms, term, kind, NULL, result, error);
    if (status == SOA_OK) {
        try_lemma(terms, term, kind, result);
    }
    result->with_rotors = kind == SOA_THEORY_ROTORS;
    if (status == SOA_OK && !result->with_rotors) {
        status = soa_ask_equal(terms, SOA_THEORY_ROTORS, term, result->term, &result->with_rotors, error);
    }
    return soa_terms_settle(terms, status, error);
}
