/* expr/refute.c - both sides of a statement on random systems. */
#include <math.h>
#include <stdio.h>

#include "core/error.h"
#include "expr/dense_value.h"
#include "expr/prove.h"

/* The largest difference of two matrices, relative to scale, and where. */
static double difference(soa_matrix a, soa_matrix b, soa_number scale, int *where)
{
    soa_number most = -1.0L;
    for (int i = 0; i < a.rows * a.cols; i++) {
        const soa_number d = fabsl(a.at[i] - b.at[i]);
        if (!(d <= most)) { /* also NaN */
            most = d;
            *where = i;
        }
    }
    return (double)(scale > 0.0L ? most / scale : most);
}

/* Compares on one system; SOA_E_SINGULAR if it has no value there. */
static soa_status compare(const soa_sample *sample, soa_terms *terms, const soa_term *left, const soa_term *right,
    soa_arena *arena, soa_proof *proof)
{
    soa_matrix a, b;
    soa_number scale[2], rounding[2];
    soa_status status = soa_dense_value(sample, terms, left, arena, &a, &scale[0], &rounding[0]);
    if (status == SOA_OK) {
        status = soa_dense_value(sample, terms, right, arena, &b, &scale[1], &rounding[1]);
    }
    if (status != SOA_OK) {
        return status;
    }
    int where = 0;
    const soa_number noise = fmaxl(rounding[0], rounding[1]) / (soa_number)SOA_PROVE_TOLERANCE;
    const double d = difference(a, b, fmaxl(fmaxl(scale[0], scale[1]), noise), &where);
    proof->systems++;
    proof->difference = d > proof->difference ? d : proof->difference;
    if (d <= SOA_PROVE_TOLERANCE || a.rows * a.cols == 0) {
        return SOA_OK;
    }
    proof->verdict = SOA_REFUTED;
    soa_counterexample *c = &proof->counterexample;
    snprintf(c->system, sizeof c->system, "builtin:%s", sample->name);
    c->bodies = sample->bodies;
    c->row = where / a.cols;
    c->col = where % a.cols;
    c->left = (double)a.at[where];
    c->right = (double)b.at[where];
    return SOA_OK;
}

static soa_status try_one(soa_terms *terms, const soa_term *left, const soa_term *right, unsigned long long *seed,
    bool rotors, soa_proof *proof, soa_error *error)
{
    soa_sample sample;
    soa_status status = soa_sample_new(&sample, seed, rotors, &proof->allocator, error);
    if (status != SOA_OK) {
        return status;
    }
    soa_arena arena = soa_arena_on(&proof->allocator);
    status = compare(&sample, terms, left, right, &arena, proof);
    proof->counterexample.seed = *seed - 1;
    soa_arena_free(&arena);
    soa_sample_free(&sample);
    if (status == SOA_E_SINGULAR) {
        proof->singular++;
        return SOA_OK;
    }
    if (status == SOA_E_MEMORY) {
        return soa_fail_memory(error);
    }
    return status == SOA_OK ? SOA_OK : soa_fail(error, status, -1, "the statement is too large to evaluate");
}

soa_status soa_refute(soa_terms *terms, const soa_term *left, const soa_term *right, int systems, bool rotors,
    soa_proof *proof, soa_error *error)
{
    unsigned long long seed = 1;
    soa_status status = SOA_OK;
    proof->verdict = SOA_OPEN;
    for (int i = 0; i < systems && status == SOA_OK && proof->verdict == SOA_OPEN; i++) {
        status = try_one(terms, left, right, &seed, rotors, proof, error);
    }
    return status;
}
