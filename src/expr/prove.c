/* expr/prove.c - proofs: normal forms, the steps that lead to them, certificates. */
#include "expr/prove.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "expr/steps.h"

bool soa_term_has_rotors(const soa_term *term)
{
    if (term->kind == SOA_TERM_OPERATOR) {
        return term->op == SOA_OP_ARM || term->op == SOA_OP_GAMMA;
    }
    bool found = false;
    for (int i = 0; i < term->count && !found && term->depth < 1000; i++) {
        found = soa_term_has_rotors(term->child[i]);
    }
    return found;
}

/* ---- one theory -------------------------------------------------------------------------------- */

typedef struct attempt {
    soa_theory theory;
    soa_poly left, right, difference; /* multiplied out */
    soa_array uses;                   /* difference = sum of them, if it is zero */
    bool zero;                        /* the two sides are equal */
} attempt;

static void attempt_clear(attempt *a)
{
    soa_array_free(&a->uses, &a->theory.algebra.allocator);
    soa_theory_clear(&a->theory);
}

/* A number is its own adjoint. */
static bool is_number(const soa_term *term)
{
    return term->type.from.space == SOA_SPACE_ONE && term->type.to.space == SOA_SPACE_ONE;
}

static soa_status attempt_init(
    attempt *a, soa_theory_kind kind, soa_terms *terms, const soa_term *left, const soa_term *right, soa_error *error)
{
    *a = (attempt){ .uses = soa_array_of(sizeof(soa_use)) };
    const soa_status status = soa_theory_init(&a->theory, kind, terms, error);
    if (status != SOA_OK) {
        return status;
    }
    soa_algebra *algebra = &a->theory.algebra;
    a->left = soa_theory_poly(&a->theory, left);
    a->right = soa_theory_poly(&a->theory, right);
    a->difference = soa_poly_copy(algebra, a->left);
    soa_poly_add_times(algebra, &a->difference, -1.0, NULL, a->right, NULL);
    soa_poly rest = soa_theory_reduce(&a->theory, a->difference, &a->uses);
    if (rest.count > 0 && is_number(left)) {
        rest = soa_poly_copy(algebra, a->difference);
        soa_poly_add_times(algebra, &rest, 1.0, NULL, soa_poly_adjoint(algebra, a->difference), NULL);
        a->difference = rest;
        soa_array_free(&a->uses, &algebra->allocator);
        a->uses = soa_array_of(sizeof(soa_use));
        rest = soa_theory_reduce(&a->theory, rest, &a->uses);
    }
    a->zero = soa_theory_ok(&a->theory) && rest.count == 0;
    if (algebra->status == SOA_E_MEMORY) {
        attempt_clear(a);
        return soa_fail_memory(error);
    }
    return SOA_OK;
}

/* ---- steps ----------------------------------------------------------------------------------------- */

/* The stages of the two sides up to the first that they share. */
typedef struct sides {
    soa_array left, right; /* of soa_stage, the first being the side multiplied out */
    int meet_left, meet_right;
} sides;

static const soa_stage *stage_at(const soa_array *stages, int i)
{
    return soa_array_at(stages, i);
}

static void meet(sides *s)
{
    s->meet_left = s->left.count - 1;
    s->meet_right = s->right.count - 1;
    for (int i = 0; i < s->left.count; i++) {
        for (int j = 0; j < s->right.count; j++) {
            if (i + j < s->meet_left + s->meet_right &&
                soa_poly_equal(stage_at(&s->left, i)->poly, stage_at(&s->right, j)->poly)) {
                s->meet_left = i;
                s->meet_right = j;
            }
        }
    }
}

static void stages_of(soa_theory *theory, soa_poly a, soa_array *stages)
{
    *stages = soa_array_of(sizeof(soa_stage));
    soa_stage *first = soa_array_push(stages, &theory->algebra.allocator);
    if (!first) {
        theory->algebra.status = SOA_E_MEMORY;
        return;
    }
    *first = (soa_stage){ "", a };
    soa_theory_stages(theory, a, stages);
}

/* The term as it would be printed if nothing happened to it: no step leads there. */
static void push_step(
    soa_proof *proof, soa_proof_step *step, const char *label, const soa_term *term, const soa_term *before)
{
    if (term && term != before) {
        step[proof->steps++] = (soa_proof_step){ label, term };
    }
}

static soa_status write_steps(soa_proof *proof, attempt *a, const sides *s, const soa_term *left, const soa_term *right)
{
    const size_t most = (size_t)s->meet_left + (size_t)s->meet_right + 4;
    soa_proof_step *step = soa_arena_take(&proof->arena, most, sizeof *step);
    if (!step) {
        return SOA_E_MEMORY;
    }
    const soa_term *before = left;
    for (int i = 0; i <= s->meet_left; i++) {
        const soa_stage *stage = stage_at(&s->left, i);
        push_step(proof, step, stage->label, soa_theory_term(&a->theory, stage->poly, left->type), before);
        before = proof->steps ? step[proof->steps - 1].term : left;
    }
    for (int j = s->meet_right; j > 0; j--) { /* from right[j] back to right[j - 1], by the label of j */
        const soa_term *term = soa_theory_term(&a->theory, stage_at(&s->right, j - 1)->poly, left->type);
        push_step(proof, step, stage_at(&s->right, j)->label, term, before);
        before = proof->steps ? step[proof->steps - 1].term : left;
    }
    push_step(proof, step, "", right, before);
    for (int i = 0; i < proof->steps; i++) { /* the labels may live in the theory */
        step[i].label = soa_arena_text(&proof->arena, step[i].label);
        if (!step[i].label) {
            return SOA_E_MEMORY;
        }
    }
    proof->step = step;
    return soa_theory_ok(&a->theory) ? SOA_OK : a->theory.algebra.status;
}

static soa_status make_steps(soa_proof *proof, attempt *a, const soa_term *left, const soa_term *right)
{
    sides s = { 0 };
    stages_of(&a->theory, a->left, &s.left);
    stages_of(&a->theory, a->right, &s.right);
    soa_status status = a->theory.algebra.status;
    if (status == SOA_OK) {
        meet(&s);
        status = write_steps(proof, a, &s, left, right);
    }
    soa_array_free(&s.left, &a->theory.algebra.allocator);
    soa_array_free(&s.right, &a->theory.algebra.allocator);
    return status;
}

/* ---- the certificate ----------------------------------------------------------------------------------- */

static void check_certificate(soa_proof *proof, attempt *a)
{
    const soa_trace trace = { a->uses.count, a->uses.items };
    const soa_poly sum = soa_theory_expand(&a->theory, trace, &proof->relations);
    proof->checked = soa_theory_ok(&a->theory) && soa_poly_equal(sum, a->difference);
}

static bool has_opaque(const soa_theory *theory)
{
    return theory->opaques.count > 0;
}

/* ---- all ------------------------------------------------------------------------------------------------- */

static soa_status proved(soa_proof *proof, attempt *a, const soa_term *left, const soa_term *right, soa_error *error)
{
    proof->verdict = SOA_PROVED;
    proof->with_rotors = a->theory.kind == SOA_THEORY_ROTORS;
    proof->inverses = has_opaque(&a->theory);
    check_certificate(proof, a);
    if (a->theory.algebra.status == SOA_E_LIMIT) { /* too long to write out; proved all the same */
        a->theory.algebra.status = SOA_OK;
    }
    const soa_status status = make_steps(proof, a, left, right);
    return status == SOA_E_MEMORY ? soa_fail_memory(error) : SOA_OK;
}

static soa_status holds_with_rotors(
    soa_terms *terms, const soa_term *left, const soa_term *right, bool *holds, soa_error *error)
{
    attempt a;
    const soa_status status = attempt_init(&a, SOA_THEORY_ROTORS, terms, left, right, error);
    if (status == SOA_OK) {
        *holds = a.zero;
        attempt_clear(&a);
    }
    return status;
}

static soa_status rewrite_sides(
    soa_terms *terms, const soa_term *left, const soa_term *right, bool rotors, soa_proof *proof, soa_error *error)
{
    attempt a;
    soa_status status = attempt_init(&a, rotors ? SOA_THEORY_ROTORS : SOA_THEORY_PLAIN, terms, left, right, error);
    if (status != SOA_OK) {
        return status;
    }
    proof->budget_spent = !soa_theory_ok(&a.theory);
    if (a.zero) {
        status = proved(proof, &a, left, right, error);
    }
    attempt_clear(&a);
    return status;
}

soa_status soa_prove(soa_terms *terms, const soa_term *left, const soa_term *right, soa_proof *proof, soa_error *error)
{
    *proof = (soa_proof){ .allocator = *soa_terms_allocator(terms), .verdict = SOA_OPEN };
    proof->arena = soa_arena_on(&proof->allocator);
    if (!soa_type_equal(left->type, right->type)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the two sides are of different types");
    }
    const bool rotors = soa_term_has_rotors(left) || soa_term_has_rotors(right);
    soa_status status = rewrite_sides(terms, left, right, rotors, proof, error);
    if (status == SOA_OK && proof->verdict == SOA_PROVED && !rotors) {
        status = holds_with_rotors(terms, left, right, &proof->with_rotors, error);
    }
    if (status == SOA_OK && proof->verdict != SOA_PROVED) {
        status = soa_refute(terms, left, right, SOA_PROVE_SYSTEMS, rotors, proof, error);
    }
    if (status != SOA_OK) {
        soa_proof_free(proof);
    }
    return status;
}

void soa_proof_free(soa_proof *proof)
{
    soa_arena_free(&proof->arena);
    proof->step = NULL;
    proof->steps = 0;
}
