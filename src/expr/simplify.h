/* expr/simplify.h - the cheapest equal expression.
 *
 * The expression is multiplied out and rewritten in the ways that the rules allow
 * (with inertias and vectors left as they are, or replaced by what they are made
 * of); each stage on the way is written in factors again, from the left, from the
 * right and both; of all these the one that costs least is taken. That it is equal
 * is checked by normal forms. */
#ifndef SOA_EXPR_SIMPLIFY_H
#define SOA_EXPR_SIMPLIFY_H

#include "expr/graph.h"
#include "expr/prove.h"
#include "expr/theory.h"

/* What came of simplifying a term. Steps and their labels live as long as the terms. */
typedef struct soa_simplified {
    const soa_term *term; /* the given one if none is cheaper */
    soa_cost before, after;
    int steps; /* given = step[0] = ... = step[steps - 1], which is term */
    const soa_proof_step *step;
    bool with_rotors;  /* they are equal with rotors too; false: only where there are none */
    bool inverses;     /* it takes for granted that the inverses in it exist */
    bool budget_spent; /* the search was given up: too long */
} soa_simplified;

/* rotors: for systems with rotors; without it, if the term has them in it, too. */
soa_status soa_simplify(soa_terms *terms, const soa_term *term, bool rotors, soa_simplified *result, soa_error *error);
/* The term with inverses of sums by the inversion lemma, where a part of the sum goes through points or constraints:
 *     (B + U W)^-1 = B^-1 - B^-1 U (I + W B^-1 U)^-1 W B^-1
 * so that what is inverted is B and a matrix that does not grow with the bodies. The term itself: there is none.
 * NULL: no room. (lemma.c) */
const soa_term *soa_inversion_lemma(soa_terms *terms, const soa_term *term);

/* An equal form in O(N), what it costs, and the labels of the steps that led to it. */
typedef struct soa_form {
    const soa_term *term;
    soa_cost cost;
    const char *labels;
} soa_form;

/* Simplifies by rewriting alone, without the lemma; forms (of soa_form; NULL: they are not wanted) gets every form in O(N) on
 * the way, and lives as long as the terms. */
soa_status soa_rewrite(soa_terms *terms, const soa_term *term, soa_theory_kind kind, soa_array *forms,
    soa_simplified *result, soa_error *error);

/* Whether two terms have one normal form. */
soa_status soa_ask_equal(
    soa_terms *terms, soa_theory_kind kind, const soa_term *a, const soa_term *b, bool *equal, soa_error *error);

/* ---- rewriting in steps that can be read (stages.c) ---------------------------------------------- */

/* A polynomial on the way to its normal form, and the label of the rules that led to it. */
typedef struct soa_stage {
    const char *label;
    soa_poly poly;
} soa_stage;

/* Rewrites a up to its normal form, one label at a time: definitions first, each by itself. The
 * stages after a (of soa_stage). keep, if not NULL: letters (by number, keep_count of them) whose
 * definitions are left alone; then the end is not a normal form. */
void soa_theory_stages(soa_theory *theory, soa_poly a, const bool *keep, int keep_count, soa_array *stages);

/* Stages one after another. */
typedef struct soa_chain {
    int count;
    const soa_stage *at;
} soa_chain;

/* first = ... = last as steps, which live as long as the terms: what is too long to read, or written as before, is one step with the
 * next. NULL: the status of the theory says why. */
const soa_proof_step *soa_theory_steps(
    soa_theory *theory, soa_chain chain, const soa_term *first, const soa_term *last, int *steps);

#endif
