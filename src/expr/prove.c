/* expr/prove.c - proofs: normal forms, the steps that lead to them, certificates. */
#include "expr/prove.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "expr/parse.h"
#include "expr/simplify.h"
#include "expr/term.h"

static bool is_rotor(const soa_terms *pool, const soa_term *term, const void *unused)
{
    return (void)pool, (void)unused, soa_term_is(term, SOA_OP_ARM) || soa_term_is(term, SOA_OP_GAMMA);
}

bool soa_term_has_rotors(const soa_terms *pool, const soa_term *term)
{
    return soa_term_any(pool, term, is_rotor, NULL);
}

/* ---- one theory -------------------------------------------------------------------------------- */

typedef struct attempt {
    soa_theory theory;
    soa_poly left, right, difference; /* multiplied out */
    soa_array uses;                   /* difference = sum of them, if it is zero */
    bool zero;                        /* the two sides are equal */
} attempt;

static soa_status attempt_init(
    attempt *a, soa_theory_kind kind, soa_terms *terms, const soa_term *left, const soa_term *right, soa_error *error)
{
    *a = (attempt){ 0 };
    const soa_status status = soa_theory_init(&a->theory, kind, terms, error);
    if (status == SOA_OK) {
        a->left = soa_theory_poly(&a->theory, left);
        a->right = soa_theory_poly(&a->theory, right);
        a->difference = soa_poly_minus(&a->theory.algebra, a->left, a->right);
        const soa_poly rest = soa_theory_reduce(&a->theory, a->difference, &a->uses);
        a->zero = soa_theory_ok(&a->theory) && rest.count == 0;
    }
    return status;
}

/* ---- steps ----------------------------------------------------------------------------------------- */

/* The stages of the two sides, of soa_stage, the first being the side multiplied out; and the first that they share. */
typedef struct sides {
    soa_array of[2];
    int meet[2];
} sides;

static const soa_stage *stage_at(const sides *s, int side, int i)
{
    return soa_array_at(&s->of[side], i);
}

static void meet(sides *s)
{
    for (int i = 0; i < s->of[0].count; i++) {
        for (int j = 0; j < s->of[1].count; j++) {
            if (i + j < s->meet[0] + s->meet[1] && soa_poly_equal(stage_at(s, 0, i)->poly, stage_at(s, 1, j)->poly)) {
                s->meet[0] = i;
                s->meet[1] = j;
            }
        }
    }
}

/* left = ... = the stage where they meet = ... = right: behind it the stages of right, from the last to the first. */
static void write_steps(soa_proof *proof, attempt *a, const sides *s, const soa_term *left, const soa_term *right)
{
    const int count = s->meet[0] + s->meet[1];
    soa_stage *stage = soa_algebra_take(&a->theory.algebra, (size_t)count + 1, sizeof *stage);
    for (int i = 0; stage && i < s->meet[0]; i++) {
        stage[i] = *stage_at(s, 0, i + 1);
    }
    for (int i = s->meet[0], j = s->meet[1]; stage && j > 0; i++, j--) {
        stage[i] = (soa_stage){ stage_at(s, 1, j)->label, stage_at(s, 1, j - 1)->poly };
    }
    const soa_chain chain = { stage ? count : 0, stage };
    proof->step = soa_theory_steps(&a->theory, chain, left, right, &proof->steps);
}

static void mark_letters(soa_poly p, bool *mark)
{
    for (int i = 0; i < p.count; i++) {
        for (int j = 0; j < p.at[i].word->length; j++) {
            mark[p.at[i].word->at[j]] = true;
        }
    }
}

/* The letters that both sides have, with their adjoints: their definitions may not be needed. */
static bool *common_letters(attempt *a, int *count)
{
    *count = a->theory.algebra.letters.count;
    bool *mark = soa_algebra_take(&a->theory.algebra, 2 * (size_t)*count, sizeof *mark);
    if (!mark) {
        return NULL;
    }
    bool *other = mark + *count;
    mark_letters(a->left, mark);
    mark_letters(a->right, other);
    for (int i = 0; i < *count; i++) {
        const int adjoint = soa_algebra_about(&a->theory.algebra, (soa_letter)i)->adjoint;
        other[i] = (mark[i] || mark[adjoint]) && (other[i] || other[adjoint]);
    }
    return other;
}

/* Whether the last stages agree. */
static bool sides_of(attempt *a, const bool *keep, int count, sides *s)
{
    const soa_poly side[] = { a->left, a->right };
    for (int i = 0; i < 2; i++) {
        s->of[i] = (soa_array){ 0 };
        if (soa_theory_add(&a->theory, &s->of[i], &(soa_stage){ "", side[i] })) {
            soa_theory_stages(&a->theory, side[i], keep, count, &s->of[i]);
        }
        s->meet[i] = s->of[i].count - 1;
    }
    return soa_theory_ok(&a->theory) &&
           soa_poly_equal(stage_at(s, 0, s->meet[0])->poly, stage_at(s, 1, s->meet[1])->poly);
}

static void make_steps(soa_proof *proof, attempt *a, const soa_term *left, const soa_term *right)
{
    sides s = { 0 };
    int count = 0;
    const bool *keep = common_letters(a, &count);
    if (keep && !sides_of(a, keep, count, &s)) { /* they are needed */
        (void)sides_of(a, NULL, 0, &s);
    }
    if (soa_theory_ok(&a->theory)) {
        meet(&s);
        write_steps(proof, a, &s, left, right);
    }
}

/* ---- the certificate ----------------------------------------------------------------------------------- */

static void check_certificate(soa_proof *proof, attempt *a)
{
    const soa_trace trace = { a->uses.count, a->uses.items };
    soa_array uses;
    soa_theory_expand(&a->theory, trace, &uses);
    const soa_poly sum = soa_theory_sum(&a->theory, &uses, &proof->relations);
    proof->checked = soa_theory_ok(&a->theory) && soa_poly_equal(sum, a->difference);
    for (int i = 0; i < uses.count; i++) {
        const soa_use *use = soa_array_at(&uses, i);
        const char *label = soa_theory_rule(&a->theory, use->rule)->label;
        for (int j = 0; !soa_ratio_is_zero(use->factor) && j < soa_terms_assumptions(a->theory.algebra.terms); j++) {
            const bool used = soa_terms_assumption(a->theory.algebra.terms, j)->label == label;
            proof->assumed |= used && j < 64 ? 1ULL << j : 0;
        }
    }
}

/* Whether an inverse in the term may not exist, as far as its structure tells. */
static bool has_doubtful_inverse(soa_terms *terms, const soa_term *term)
{
    bool found = term->kind == SOA_TERM_INVERSE && !soa_term_traits(terms, term->child[0]).injective;
    for (int i = 0; i < term->count && !found; i++) {
        found = has_doubtful_inverse(terms, term->child[i]);
    }
    return found;
}

static bool is_inverse(const soa_terms *pool, const soa_term *term, const void *unused)
{
    return (void)pool, (void)unused, term->kind == SOA_TERM_INVERSE;
}

/* ---- all ------------------------------------------------------------------------------------------------- */

static void proved(soa_proof *proof, attempt *a, const soa_term *left, const soa_term *right)
{
    proof->verdict = SOA_PROVED;
    proof->free = a->theory.kind == SOA_THEORY_FREE;
    proof->with_rotors = a->theory.kind != SOA_THEORY_PLAIN;
    proof->inverses = proof->free ? has_doubtful_inverse(a->theory.algebra.terms, left) ||
                                        has_doubtful_inverse(a->theory.algebra.terms, right)
                                  : a->theory.opaques.count > 0;
    check_certificate(proof, a);
    if (a->theory.algebra.status == SOA_E_LIMIT) { /* too long to write out; proved all the same */
        a->theory.algebra.status = SOA_OK;
    }
    make_steps(proof, a, left, right);
}

static soa_status rewrite_sides(soa_terms *terms, const soa_term *left, const soa_term *right, soa_theory_kind kind,
    soa_proof *proof, soa_error *error)
{
    attempt a;
    const soa_status status = attempt_init(&a, kind, terms, left, right, error);
    if (status != SOA_OK) {
        return status;
    }
    proof->budget_spent = !soa_theory_ok(&a.theory);
    if (a.zero) {
        proved(proof, &a, left, right);
    }
    soa_theory_clear(&a.theory);
    return SOA_OK;
}

/* What is true of all systems is true of some: no rewriting is trusted. What was not proved is perhaps false. */
static void confirm(soa_terms *terms, const soa_term *left, const soa_term *right, bool rotors, soa_proof *proof)
{
    const bool claimed = proof->verdict == SOA_PROVED;
    const int systems = claimed ? SOA_PROVE_CONFIRM : SOA_PROVE_SYSTEMS;
    soa_proof numbers = *proof;
    soa_refute(terms, left, right, systems, rotors, &numbers);
    if (claimed && proof->with_rotors && !rotors && numbers.verdict == SOA_OPEN) {
        const int without = numbers.systems;
        soa_refute(terms, left, right, systems, true, &numbers);
        proof->with_rotors = numbers.verdict == SOA_OPEN;
        numbers.verdict = SOA_OPEN;
        numbers.systems += without;
    }
    proof->systems = numbers.systems;
    proof->singular = numbers.singular;
    proof->exact = numbers.exact;
    proof->counterexample = numbers.counterexample;
    proof->nowhere = claimed && numbers.systems == 0 && numbers.singular > 0 && soa_terms_assumptions(terms) == 0;
    proof->verdict = numbers.verdict == SOA_REFUTED ? SOA_REFUTED : claimed && !proof->nowhere ? SOA_PROVED : SOA_OPEN;
}

soa_status soa_prove(soa_terms *terms, const soa_term *left, const soa_term *right, soa_proof *proof, soa_error *error)
{
    *proof = (soa_proof){ .verdict = SOA_OPEN };
    if (!soa_type_equal(left->type, right->type)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the two sides are of different types");
    }
    if (left->depth > SOA_PARSE_HEIGHT || right->depth > SOA_PARSE_HEIGHT) {
        return soa_fail(error, SOA_E_LIMIT, -1, "the statement is nested too deeply");
    }
    const bool none = soa_terms_without_rotors(terms);
    const bool rotors = !none && (soa_term_has_rotors(terms, left) || soa_term_has_rotors(terms, right));
    soa_status status = SOA_OK;
    if (soa_term_any(terms, left, is_inverse, NULL) || soa_term_any(terms, right, is_inverse, NULL)) {
        status = rewrite_sides(terms, left, right, SOA_THEORY_FREE, proof, error);
    }
    if (status == SOA_OK && proof->verdict != SOA_PROVED) {
        status = rewrite_sides(terms, left, right, rotors ? SOA_THEORY_ROTORS : SOA_THEORY_PLAIN, proof, error);
    }
    if (status == SOA_OK && proof->verdict == SOA_PROVED && !proof->with_rotors && !none) {
        status = soa_ask_equal(terms, SOA_THEORY_ROTORS, left, right, &proof->with_rotors, error);
    }
    if (status == SOA_OK) {
        confirm(terms, left, right, rotors, proof);
    }
    return soa_terms_settle(terms, status, error);
}
