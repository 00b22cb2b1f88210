/* expr/refute.c - both sides of a statement on random systems: exactly, and in doubles to show where they differ. */
#include <math.h>
#include <stdio.h>

#include "core/error.h"
#include "expr/dense_value.h"
#include "expr/exact.h"
#include "expr/prove.h"

typedef struct question {
    soa_terms *terms;
    const soa_term *left, *right;
    bool rotors;
} question;

/* ---- doubles -------------------------------------------------------------------------------------------- */

/* The largest difference of two matrices, and where. */
static soa_number difference(soa_matrix a, soa_matrix b, int *where)
{
    soa_number most = 0.0L;
    for (int i = 0; i < a.rows * a.cols; i++) {
        const soa_number d = fabsl(a.at[i] - b.at[i]);
        if (d > most) {
            most = d;
            *where = i;
        }
    }
    return most;
}

/* The sides on one system, and a counterexample if they differ: by far more than rounding, unless it is certain that they
 * do on some. SOA_E_SINGULAR if there is no value. */
static soa_status compare(
    const soa_sample *sample, const question *ask, bool certain, soa_arena *arena, soa_counterexample *c)
{
    soa_terms *terms = ask->terms;
    const soa_term *left = ask->left, *right = ask->right;
    soa_matrix a, b;
    soa_number scale[2], rounding[2];
    soa_status status = soa_dense_value(sample, terms, left, arena, &a, &scale[0], &rounding[0]);
    status = status == SOA_OK ? soa_dense_value(sample, terms, right, arena, &b, &scale[1], &rounding[1]) : status;
    if (status != SOA_OK) {
        return status;
    }
    int where = 0;
    const soa_number d = difference(a, b, &where);
    const soa_number noise = certain ? 0.0L : 1e3L * fmaxl(rounding[0], rounding[1]);
    if (d > fmaxl(noise, 1e-9L * fmaxl(scale[0], scale[1]))) {
        (void)snprintf(c->system, sizeof c->system, "builtin:%s", sample->name);
        c->bodies = sample->bodies;
        c->row = where / a.cols;
        c->col = where % a.cols;
        c->left = (double)a.at[where];
        c->right = (double)b.at[where];
    }
    return SOA_OK;
}

/* The next random tree from *seed on; counts it. */
static soa_status try_doubles(
    const question *ask, unsigned long long *seed, bool certain, soa_proof *proof, soa_error *error)
{
    soa_sample sample;
    soa_status status = soa_sample_new(&sample, seed, ask->rotors, &proof->allocator, error);
    if (status != SOA_OK) {
        return status;
    }
    soa_arena arena = soa_arena_on(&proof->allocator);
    status = compare(&sample, ask, certain, &arena, &proof->counterexample);
    proof->counterexample.seed = *seed - 1;
    soa_arena_free(&arena);
    soa_sample_free(&sample);
    proof->singular += status == SOA_E_SINGULAR;
    proof->systems += status == SOA_OK;
    return status == SOA_E_MEMORY ? soa_fail_memory(error) : SOA_OK;
}

/* A vector that the system gives: doubles would take a random one for it. */
static bool is_of_the_state(const soa_terms *terms, const soa_term *term)
{
    if (term->kind == SOA_TERM_VARIABLE) {
        const soa_vector_id id = soa_vector_find(soa_terms_about(terms, term->variable)->name);
        return id != SOA_VECTORS && soa_vector_about(id).origin == SOA_ORIGIN_MODEL && id != SOA_VECTOR_V;
    }
    bool found = false;
    for (int i = 0; i < term->count && !found; i++) {
        found = is_of_the_state(terms, term->child[i]);
    }
    return found;
}

/* Systems on which doubles are to show a difference. */
enum { SHOWN_MOST = 20 };

static soa_status in_doubles(const question *ask, bool certain, soa_proof *proof, soa_error *error)
{
    unsigned long long seed = 1;
    soa_status status = SOA_OK;
    const bool can = !is_of_the_state(ask->terms, ask->left) && !is_of_the_state(ask->terms, ask->right);
    proof->systems = proof->singular = 0;
    for (int i = 0; can && i < SHOWN_MOST && status == SOA_OK && !proof->counterexample.system[0]; i++) {
        status = soa_terms_expired(ask->terms) ? status : try_doubles(ask, &seed, certain, proof, error);
    }
    return status;
}

/* ---- exactly --------------------------------------------------------------------------------------------- */

/* On so many systems where it can be evaluated; roots: signs of roots are arbitrary. */
static soa_status exactly(const question *ask, int systems, bool *roots, soa_proof *proof)
{
    const int tries = systems > SOA_PROVE_SYSTEMS ? systems : SOA_PROVE_SYSTEMS;
    soa_exact_answer answer = { .evaluated = true };
    for (int i = 1; i <= tries && proof->systems < systems && answer.evaluated && !answer.differs; i++) {
        const soa_status status =
            soa_exact_compare(ask->terms, ask->left, ask->right, (unsigned)i, ask->rotors, &answer);
        if (status != SOA_OK) {
            return status;
        }
        proof->systems += answer.evaluated && answer.exists;
        proof->singular += answer.evaluated && !answer.exists;
        proof->counterexample.bodies = answer.bodies;
        proof->counterexample.seed = (unsigned)i;
    }
    *roots = answer.roots;
    proof->exact = proof->systems + proof->singular > 0;
    proof->verdict = answer.differs ? SOA_REFUTED : SOA_OPEN;
    return SOA_OK;
}

soa_status soa_refute(soa_terms *terms, const soa_term *left, const soa_term *right, int systems, bool rotors,
    soa_proof *proof, soa_error *error)
{
    const question ask = { terms, left, right, rotors };
    bool roots;
    proof->systems = proof->singular = 0;
    proof->counterexample = (soa_counterexample){ 0 };
    if (exactly(&ask, systems, &roots, proof) != SOA_OK) {
        return soa_fail_memory(error);
    }
    const bool differs = proof->verdict == SOA_REFUTED;
    if (!differs && (proof->exact || !roots)) {
        return SOA_OK;
    }
    soa_proof shown = *proof; /* doubles show it, or are all there is for want of roots */
    const soa_status status = in_doubles(&ask, differs, &shown, error);
    if (shown.counterexample.system[0]) {
        proof->counterexample = shown.counterexample;
        proof->verdict = SOA_REFUTED;
    } else if (!proof->exact || roots) {
        proof->exact = false;
        proof->verdict = SOA_OPEN;
        proof->systems = shown.systems;
        proof->singular = shown.singular;
    }
    return status;
}
