/* expr/theory_inverse.c - inverses in a theory. */
#include "expr/theory.h"

/* What an inverse of which nothing is known weighs. */
enum { OPAQUE_WEIGHT = 2 };

/* X Y - I */
static soa_poly product_less_one(soa_theory *theory, soa_poly X, soa_poly Y)
{
    soa_poly zero = soa_poly_multiply(&theory->algebra, X, Y);
    soa_poly_add(&theory->algebra, &zero, soa_ratio_of(-1), theory->algebra.one);
    return zero;
}

/* ---- settled inverses ------------------------------------------------------------------------ */

bool soa_theory_settle(soa_theory *theory, soa_letter x, soa_poly X, soa_poly Y, const char *label)
{
    soa_algebra *algebra = &theory->algebra;
    soa_array uses = { 0 };
    const soa_poly letter = soa_poly_letter(algebra, x);
    const soa_poly rest = soa_theory_reduce(theory, product_less_one(theory, X, Y), &uses);
    const bool holds = soa_theory_ok(theory) && rest.count == 0;
    const soa_poly given = product_less_one(theory, letter, X); /* x X - I = 0: a rule that only certificates use */
    const int basic = holds ? soa_theory_push_rule(theory, given, (soa_rule){ .label = label, .basic = true }) : -1;
    for (int i = 0; basic >= 0 && i < uses.count && soa_theory_ok(theory); i++) { /* x (I - X Y) */
        soa_use *use = soa_array_at(&uses, i);
        use->factor = soa_ratio_negative(use->factor);
        use->before = soa_word_join(algebra, letter.at[0].word, use->before, NULL);
    }
    for (int i = 0; basic >= 0 && i < Y.count; i++) { /* (x X - I) Y */
        const soa_ratio factor = soa_ratio_multiply(given.at[0].factor, Y.at[i].factor);
        (void)soa_theory_add(theory, &uses, &(soa_use){ factor, algebra->one, Y.at[i].word, basic });
    }
    if (basic >= 0 && soa_theory_ok(theory)) {
        const soa_trace trace = { uses.count, uses.items };
        (void)soa_theory_derive(theory, soa_poly_minus(algebra, letter, Y), trace, label);
    }
    return holds && soa_theory_ok(theory);
}

/* ---- pairs ------------------------------------------------------------------------------------- */

void soa_theory_pair(soa_theory *theory, soa_poly X, soa_poly Y, const char *label)
{
    soa_algebra *algebra = &theory->algebra;
    const soa_poly x = soa_theory_reduce(theory, X, NULL), y = soa_theory_reduce(theory, Y, NULL);
    if (soa_theory_reduce(theory, product_less_one(theory, x, y), NULL).count ||
        soa_theory_reduce(theory, product_less_one(theory, y, x), NULL).count || !soa_theory_ok(theory)) {
        return;
    }
    const soa_poly x_t = soa_theory_reduce(theory, soa_poly_adjoint(algebra, x), NULL);
    const soa_poly y_t = soa_theory_reduce(theory, soa_poly_adjoint(algebra, y), NULL);
    const soa_inverse_pair pair[] = { { label, x, y }, { label, y, x }, { label, x_t, y_t }, { label, y_t, x_t } };
    for (int i = 0; i < 4; i++) {
        (void)soa_theory_add(theory, &theory->pairs, &pair[i]);
    }
}

const soa_inverse_pair *soa_theory_known(const soa_theory *theory, soa_poly X, soa_ratio *ratio)
{
    for (int i = 0; i < theory->pairs.count; i++) {
        const soa_inverse_pair *pair = soa_array_at(&theory->pairs, i);
        if (soa_poly_proportional(X, pair->of, ratio)) {
            return pair;
        }
    }
    return NULL;
}

/* The letter weighs more than what it is, so that it is replaced by that. */
static soa_poly by_pair(soa_theory *theory, soa_poly X, soa_inverse_pair pair, soa_ratio ratio, const soa_term *term)
{
    const soa_letter x = soa_algebra_letter(&theory->algebra, term, pair.is.at[0].word->weight + 1, false);
    int rule;
    const soa_poly inverse = soa_poly_letter(&theory->algebra, x);
    if (soa_theory_ok(theory) && soa_theory_match(theory, inverse.at[0].word, &rule) < 0) {
        soa_algebra *algebra = &theory->algebra;
        const soa_poly Y = soa_poly_scaled(&theory->algebra, soa_ratio_divide(soa_ratio_of(1), ratio), pair.is);
        const soa_letter x_t = soa_algebra_about(algebra, x)->adjoint;
        (void)soa_theory_add(theory, &theory->settled, &(soa_opaque){ X, x });
        (void)soa_theory_settle(theory, x, X, Y, pair.label);
        if (x_t != x && soa_theory_ok(theory)) { /* the adjoint is the inverse of the adjoint */
            const soa_poly X_t = soa_poly_adjoint(algebra, X), Y_t = soa_poly_adjoint(algebra, Y);
            (void)soa_theory_settle(theory, x_t, X_t, Y_t, pair.label);
        }
    }
    return inverse;
}

/* ---- opaque ones ---------------------------------------------------------------------------------- */

/* The letter of an inverse met before, of X or of its adjoint, and its factor. */
static bool met_before(soa_theory *theory, soa_poly X, soa_poly adjoint, soa_poly *inverse)
{
    for (int i = 0; i < theory->opaques.count; i++) {
        const soa_opaque *known = soa_array_at(&theory->opaques, i);
        soa_ratio ratio;
        if (soa_poly_proportional(X, known->of, &ratio)) {
            *inverse = soa_poly_scaled(&theory->algebra, soa_ratio_divide(soa_ratio_of(1), ratio),
                soa_poly_letter(&theory->algebra, known->letter));
            return true;
        }
        if (soa_poly_proportional(adjoint, known->of, &ratio)) {
            const soa_letter letter = soa_algebra_about(&theory->algebra, known->letter)->adjoint;
            *inverse = soa_poly_scaled(
                &theory->algebra, soa_ratio_divide(soa_ratio_of(1), ratio), soa_poly_letter(&theory->algebra, letter));
            return true;
        }
    }
    return false;
}

soa_poly soa_theory_inverse(soa_theory *theory, soa_poly X, const soa_term *term)
{
    soa_algebra *algebra = &theory->algebra;
    const soa_poly adjoint = soa_theory_reduce(theory, soa_poly_adjoint(algebra, X), NULL);
    soa_poly inverse = { 0 };
    if (!soa_theory_ok(theory) || met_before(theory, X, adjoint, &inverse)) {
        return inverse;
    }
    soa_ratio ratio = soa_ratio_of(1);
    const soa_inverse_pair *pair = soa_theory_known(theory, X, &ratio);
    if (pair) {
        return by_pair(theory, X, *pair, ratio, term);
    }
    const soa_letter x = soa_algebra_letter(algebra, term, OPAQUE_WEIGHT, soa_poly_equal(X, adjoint));
    inverse = soa_poly_letter(&theory->algebra, x);
    if (soa_theory_add(theory, &theory->opaques, &(soa_opaque){ X, x }) && X.count > 0) {
        (void)soa_theory_relate(theory, product_less_one(theory, inverse, X), "inverse");
        (void)soa_theory_relate(theory, product_less_one(theory, X, inverse), "inverse");
        (void)soa_theory_complete(theory);
    }
    return inverse;
}
