/* expr/theory_inverse.c - inverses in a theory. */
#include "expr/theory.h"

/* What an inverse of which nothing is known weighs. */
enum { OPAQUE_WEIGHT = 2 };

static soa_poly letter_poly(soa_theory *theory, soa_letter letter)
{
    soa_poly made = { 0 };
    soa_poly_add(&theory->algebra, &made, soa_ratio_of(1), soa_word_of(&theory->algebra, 1, &letter));
    return made;
}

static soa_poly scaled(soa_theory *theory, soa_ratio factor, soa_poly a)
{
    soa_poly made = { 0 };
    soa_poly_add_times(&theory->algebra, &made, factor, NULL, a, NULL);
    return made;
}

/* X Y - I */
static soa_poly product_less_one(soa_theory *theory, soa_poly X, soa_poly Y)
{
    soa_poly zero = soa_poly_multiply(&theory->algebra, X, Y);
    soa_poly_add(&theory->algebra, &zero, soa_ratio_of(-1), theory->algebra.one);
    return zero;
}

/* ---- settled inverses ------------------------------------------------------------------------ */

static void push_use(soa_theory *theory, soa_array *uses, soa_use use)
{
    soa_use *made = soa_array_push(uses, &theory->algebra.allocator);
    if (made) {
        *made = use;
    } else {
        theory->algebra.status = SOA_E_MEMORY;
    }
}

/* x X - I = 0 as a basic rule that only certificates use; and the factor of its left. */
static int basic_inverse(soa_theory *theory, soa_letter x, soa_poly X, const char *label, soa_ratio *lead)
{
    const soa_poly zero = product_less_one(theory, letter_poly(theory, x), X);
    soa_rule *made = soa_theory_ok(theory) ? soa_array_push(&theory->rules, &theory->algebra.allocator) : NULL;
    if (!made) {
        theory->algebra.status = soa_theory_ok(theory) ? SOA_E_MEMORY : theory->algebra.status;
        return -1;
    }
    *lead = zero.at[0].factor;
    *made = (soa_rule){ .left = zero.at[0].word, .label = label, .basic = true };
    const int rule = theory->rules.count - 1;
    soa_poly right = { 0 };
    for (int i = 1; i < zero.count; i++) {
        soa_poly_add(
            &theory->algebra, &right, soa_ratio_divide(soa_ratio_negative(zero.at[i].factor), *lead), zero.at[i].word);
    }
    ((soa_rule *)soa_array_at(&theory->rules, rule))->right = right;
    return rule;
}

bool soa_theory_settle(soa_theory *theory, soa_letter x, soa_poly X, soa_poly Y, const char *label)
{
    soa_algebra *algebra = &theory->algebra;
    soa_array uses = soa_array_of(sizeof(soa_use));
    const soa_poly rest = soa_theory_reduce(theory, product_less_one(theory, X, Y), &uses);
    const bool holds = soa_theory_ok(theory) && rest.count == 0;
    soa_ratio lead = soa_ratio_of(1);
    const int basic = holds ? basic_inverse(theory, x, X, label, &lead) : -1;
    if (basic >= 0) {
        const soa_word *before = soa_word_of(algebra, 1, &x);
        for (int i = 0; i < uses.count && soa_theory_ok(theory); i++) { /* x (I - X Y) */
            soa_use *use = soa_array_at(&uses, i);
            use->factor = soa_ratio_negative(use->factor);
            use->before = soa_word_join(algebra, before, use->before, NULL);
        }
        for (int i = 0; i < Y.count && soa_theory_ok(theory); i++) { /* (x X - I) Y */
            push_use(theory, &uses,
                (soa_use){ soa_ratio_multiply(lead, Y.at[i].factor), algebra->one, Y.at[i].word, basic });
        }
        soa_poly zero = letter_poly(theory, x);
        soa_poly_add_times(algebra, &zero, soa_ratio_of(-1), NULL, Y, NULL);
        const soa_trace trace = { uses.count, uses.items };
        if (soa_theory_ok(theory)) {
            (void)soa_theory_derive(theory, zero, trace, label);
        }
    }
    soa_array_free(&uses, &algebra->allocator);
    return holds && soa_theory_ok(theory);
}

/* ---- pairs ------------------------------------------------------------------------------------- */

static void push_pair(soa_theory *theory, soa_poly of, soa_poly is, const char *label)
{
    soa_inverse_pair *made = soa_array_push(&theory->pairs, &theory->algebra.allocator);
    if (made) {
        *made = (soa_inverse_pair){ label, of, is };
    } else {
        theory->algebra.status = SOA_E_MEMORY;
    }
}

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
    push_pair(theory, x, y, label);
    push_pair(theory, y, x, label);
    push_pair(theory, x_t, y_t, label);
    push_pair(theory, y_t, x_t, label);
}

static void remember(soa_theory *theory, soa_array *list, soa_poly X, soa_letter letter)
{
    soa_opaque *made = soa_array_push(list, &theory->algebra.allocator);
    if (made) {
        *made = (soa_opaque){ X, letter };
    } else {
        theory->algebra.status = SOA_E_MEMORY;
    }
}

/* The pair of which X is a multiple; -1: none. */
static int known_pair(const soa_theory *theory, soa_poly X, soa_ratio *ratio)
{
    for (int i = 0; i < theory->pairs.count; i++) {
        if (soa_poly_proportional(X, ((const soa_inverse_pair *)soa_array_at(&theory->pairs, i))->of, ratio)) {
            return i;
        }
    }
    return -1;
}

/* The letter weighs more than what it is, so that it is replaced by that. */
static soa_poly by_pair(soa_theory *theory, soa_poly X, int number, soa_ratio ratio, const soa_term *term)
{
    const soa_inverse_pair pair = *(const soa_inverse_pair *)soa_array_at(&theory->pairs, number);
    const soa_letter x = soa_algebra_letter(&theory->algebra, term, pair.is.at[0].word->weight + 1, false);
    int rule;
    const soa_poly inverse = letter_poly(theory, x);
    if (soa_theory_ok(theory) && soa_theory_match(theory, inverse.at[0].word, &rule) < 0) {
        soa_algebra *algebra = &theory->algebra;
        const soa_poly Y = scaled(theory, soa_ratio_divide(soa_ratio_of(1), ratio), pair.is);
        const soa_letter x_t = soa_algebra_about(algebra, x)->adjoint;
        remember(theory, &theory->settled, X, x);
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
            *inverse = scaled(theory, soa_ratio_divide(soa_ratio_of(1), ratio), letter_poly(theory, known->letter));
            return true;
        }
        if (soa_poly_proportional(adjoint, known->of, &ratio)) {
            const soa_letter letter = soa_algebra_about(&theory->algebra, known->letter)->adjoint;
            *inverse = scaled(theory, soa_ratio_divide(soa_ratio_of(1), ratio), letter_poly(theory, letter));
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
    const int pair = known_pair(theory, X, &ratio);
    if (pair >= 0) {
        return by_pair(theory, X, pair, ratio, term);
    }
    const soa_letter x = soa_algebra_letter(algebra, term, OPAQUE_WEIGHT, soa_poly_equal(X, adjoint));
    inverse = letter_poly(theory, x);
    if (!soa_theory_ok(theory)) {
        return inverse;
    }
    remember(theory, &theory->opaques, X, x);
    if (X.count > 0) {
        (void)soa_theory_relate(theory, product_less_one(theory, inverse, X), "inverse");
        (void)soa_theory_relate(theory, product_less_one(theory, X, inverse), "inverse");
        (void)soa_theory_complete(theory);
    }
    return inverse;
}
