/* expr/dense_value.h - an oracle for tests: the value of a term on a small system, as a matrix.
 *
 * Operators are those of the dense oracle, from their definitions; what the system
 * does not say (vectors, operators known by type alone, A) is random, by name. */
#ifndef SOA_EXPR_DENSE_VALUE_H
#define SOA_EXPR_DENSE_VALUE_H

#include "expr/term.h"
#include "operator/operator_matrices.h"

/* A random system: a built-in tree at a random configuration. */
typedef struct soa_sample {
    char name[32]; /* "tree:5,17" */
    int bodies;
    soa_model *model;
    double *q;
    soa_point point[2];
    soa_dense *dense;
} soa_sample;

enum { SOA_SAMPLE_POINTS = 2, SOA_SAMPLE_CONSTRAINTS = 3 };

/* The next tree from *seed on, which is advanced: 2 to 6 bodies with all kinds of joints, with
 * rotors or without. */
soa_status soa_sample_new(
    soa_sample *sample, unsigned long long *seed, bool rotors, const soa_allocator *allocator, soa_error *error);
void soa_sample_free(soa_sample *sample);

/* A matrix of the type of the term, in the arena. largest: the largest number met in a part that
 * is of this type. rounding: about how far off the value may be. SOA_E_SINGULAR: an inverse, a root or a
 * coordinate does not exist here; SOA_E_LIMIT: the term is nested too deeply. Derivatives are differences: less exact. */
soa_status soa_dense_value(const soa_sample *sample, soa_terms *terms, const soa_term *term, soa_arena *arena,
    soa_matrix *value, soa_number *largest, soa_number *rounding);

#endif
