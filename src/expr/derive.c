/* expr/derive.c - derivatives along a coordinate: the rule of products. */
#include "expr/derive.h"

#include "expr/derivative.h"
#include "expr/parse.h"

/* What the derivative of a letter weighs: more than what it is made of. */
enum { WEIGHT = 8, DEFINITIONS_MOST = 50 };

typedef struct deriver {
    soa_theory *theory;
    soa_algebra *algebra;
    const soa_term *coordinate;
    int depth;
} deriver;

static soa_poly derivative(deriver *d, soa_poly a);

static soa_poly letter_poly(soa_algebra *algebra, soa_letter letter)
{
    soa_poly made = { 0 };
    soa_poly_add(algebra, &made, soa_ratio_of(1), soa_word_of(algebra, 1, &letter));
    return made;
}

static soa_poly read(deriver *d, const char *text)
{
    const soa_term *term = NULL;
    const soa_status status = soa_parse_term(d->algebra->terms, text, &term, NULL);
    if (status != SOA_OK) {
        d->algebra->status = status;
        return (soa_poly){ 0 };
    }
    return soa_theory_poly(d->theory, term);
}

/* factor a b c */
static soa_poly triple(deriver *d, soa_ratio factor, soa_poly a, soa_poly b, soa_poly c)
{
    soa_poly made = { 0 };
    soa_poly_add_times(
        d->algebra, &made, factor, NULL, soa_poly_multiply(d->algebra, soa_poly_multiply(d->algebra, a, b), c), NULL);
    return made;
}

/* ---- letters -------------------------------------------------------------------------------------- */

/* The letter d(atom, q); its own adjoint if the atom is. */
static soa_poly atomic(deriver *d, const soa_term *atom, bool symmetric)
{
    const soa_term *term = soa_term_derivative(d->algebra->terms, atom, d->coordinate);
    return letter_poly(d->algebra, soa_algebra_letter(d->algebra, term, WEIGHT, symmetric));
}

/* The same with the relation that the derivative of a relation is. */
static soa_poly inertia(deriver *d, const soa_term *atom, const char *relation)
{
    const int known = d->algebra->letters.count;
    const soa_poly made = atomic(d, atom, true);
    if (d->algebra->letters.count > known && soa_algebra_ok(d->algebra)) {
        (void)soa_theory_relate(d->theory, derivative(d, read(d, relation)), "d");
        (void)soa_theory_complete(d->theory);
    }
    return made;
}

/* By the list of derivatives; what is elementary in it is a letter. */
static soa_poly of_operator(deriver *d, const soa_term *atom)
{
    const bool rotors = d->theory->kind == SOA_THEORY_ROTORS;
    const soa_term *expanded = NULL;
    switch (soa_derivative_of(atom->op, rotors)) {
    case SOA_DERIVATIVE_ZERO:
        return (soa_poly){ 0 };
    case SOA_DERIVATIVE_ELEMENTARY:
        return atom->op == SOA_OP_P   ? inertia(d, atom, "P - E_phi P E_phi' + K D K'")
               : atom->op == SOA_OP_R ? inertia(d, atom, "R - E_phi R E_phi'")
                                      : atomic(d, atom, soa_operator_about(atom->op, false).symmetric);
    case SOA_DERIVATIVE_EXPANDS:
        break;
    }
    const soa_status status = soa_derivative_read(d->algebra->terms, atom->op, rotors, d->coordinate, &expanded);
    if (status != SOA_OK) {
        d->algebra->status = status;
        return (soa_poly){ 0 };
    }
    return soa_theory_poly(d->theory, expanded);
}

/* The definition of a letter as it is written, or what an inverse was found to be; false: it has none. */
static bool definition(const deriver *d, soa_letter letter, soa_poly *is)
{
    for (int i = 0; i < d->theory->rules.count; i++) {
        const soa_rule *rule = soa_theory_rule(d->theory, i);
        if (rule->left->length == 1 && rule->left->at[0] == letter && (rule->basic || rule->active)) {
            *is = rule->right;
            return true;
        }
    }
    return false;
}

/* -x dX x of an inverse x that is but a letter; false: it is none. */
static bool of_inverse(deriver *d, soa_letter letter, soa_poly *made)
{
    for (int i = 0; i < d->theory->opaques.count; i++) {
        const soa_opaque opaque = *(const soa_opaque *)soa_array_at(&d->theory->opaques, i);
        if (opaque.letter == letter) {
            const soa_poly x = letter_poly(d->algebra, letter);
            *made = triple(d, soa_ratio_of(-1), x, derivative(d, opaque.of), x);
            return true;
        }
    }
    return false;
}

static soa_poly of_variable(deriver *d, const soa_term *atom)
{
    const soa_vector_id id = soa_vector_find(soa_terms_about(d->algebra->terms, atom->variable)->name);
    const bool rotors = d->theory->kind == SOA_THEORY_ROTORS;
    const bool moves = soa_derivative_of_vector(id, rotors) != SOA_DERIVATIVE_ZERO;
    return moves ? atomic(d, atom, false) : (soa_poly){ 0 };
}

static soa_poly of_letter(deriver *d, soa_letter letter)
{
    const soa_letter_info about = *soa_algebra_about(d->algebra, letter);
    soa_poly made = { 0 };
    const bool is_operator = about.term->kind == SOA_TERM_OPERATOR;
    if (is_operator && soa_derivative_of(about.term->op, d->theory->kind == SOA_THEORY_ROTORS) == SOA_DERIVATIVE_ZERO) {
        return made;
    }
    if (is_operator && about.term->op == SOA_OP_MASS_INV) {
        return of_operator(d, about.term); /* not by what it is made of */
    }
    if (definition(d, letter, &made)) {
        return derivative(d, made);
    }
    if (of_inverse(d, letter, &made)) {
        return made;
    }
    if (about.term->kind == SOA_TERM_ADJOINT && about.adjoint != letter) {
        return soa_poly_adjoint(d->algebra, of_letter(d, about.adjoint));
    }
    return about.term->kind == SOA_TERM_OPERATOR   ? of_operator(d, about.term)
           : about.term->kind == SOA_TERM_VARIABLE ? of_variable(d, about.term)
                                                   : atomic(d, about.term, about.adjoint == letter);
}

/* ---- sums and products --------------------------------------------------------------------------------- */

static soa_poly derivative(deriver *d, soa_poly a)
{
    soa_poly made = { 0 };
    if (d->depth++ > DEFINITIONS_MOST && soa_algebra_ok(d->algebra)) {
        d->algebra->status = SOA_E_LIMIT;
    }
    for (int i = 0; i < a.count && soa_algebra_ok(d->algebra); i++) {
        const soa_word *word = a.at[i].word;
        for (int j = 0; j < word->length && soa_algebra_ok(d->algebra); j++) {
            const soa_word *before = soa_word_part(d->algebra, word, 0, j);
            const soa_word *after = soa_word_part(d->algebra, word, j + 1, word->length - j - 1);
            soa_poly_add_times(d->algebra, &made, a.at[i].factor, before, of_letter(d, word->at[j]), after);
        }
    }
    d->depth--;
    return made;
}

soa_poly soa_theory_derivative(soa_theory *theory, soa_poly a, const soa_term *coordinate)
{
    deriver d = { theory, &theory->algebra, coordinate, 0 };
    return derivative(&d, a);
}
