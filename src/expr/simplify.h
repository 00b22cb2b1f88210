/* expr/simplify.h - the cheapest equal expression.
 *
 * The expression is multiplied out and rewritten in the ways that the rules allow
 * (with inertias and vectors left as they are, or replaced by what they are made
 * of); each stage on the way is written in factors again, from the left, from the
 * right and both; of all these the one that costs least is taken. That it is equal
 * is checked by normal forms. */
#ifndef SOA_EXPR_SIMPLIFY_H
#define SOA_EXPR_SIMPLIFY_H

#include "expr/cost.h"
#include "expr/prove.h"

typedef struct soa_simplified {
    soa_arena arena;
    soa_allocator allocator;
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
void soa_simplified_free(soa_simplified *result);

#endif
