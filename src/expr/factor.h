/* expr/factor.h - polynomials as products of sums again. */
#ifndef SOA_EXPR_FACTOR_H
#define SOA_EXPR_FACTOR_H

#include "expr/theory.h"

typedef enum soa_factoring {
    SOA_FACTOR_BOTH,  /* (a + b) (c + d) wherever that saves most */
    SOA_FACTOR_LEFT,  /* a (b + c): what is common to the left, letter by letter */
    SOA_FACTOR_RIGHT, /* (a + b) c */
    SOA_FACTORINGS
} soa_factoring;

/* A term of this type that is the polynomial when multiplied out: no relation is used. Sums of
 * adjoints are written as the adjoint of a sum. NULL: no room for terms, or the algebra failed. */
const soa_term *soa_theory_factor(soa_theory *theory, soa_poly a, soa_type type, soa_factoring how);

#endif
