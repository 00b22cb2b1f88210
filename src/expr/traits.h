/* expr/traits.h - what can be said of a term without evaluating it. */
#ifndef SOA_EXPR_TRAITS_H
#define SOA_EXPR_TRAITS_H

#include "expr/term.h"

/* Each is certain when true, and open when false. Inertias are those of bodies with mass. */
typedef struct soa_traits {
    bool number;       /* a number times the identity, or 0 */
    bool symmetric;    /* its own adjoint */
    bool semidefinite; /* x' A x >= 0, and symmetric */
    bool positive;     /* x' A x > 0 for x other than 0, and symmetric */
    bool injective;    /* A x = 0 only for x = 0 */
    bool singular;     /* it has no inverse, whatever the model */
} soa_traits;

soa_traits soa_term_traits(soa_terms *pool, const soa_term *term);

/* Whether it is a number times the identity (0 for zero), and which. */
bool soa_term_is_number(const soa_term *term, soa_ratio *number);

/* The same term with adjoints only at atoms, roots, derivatives and inverses. NULL: no room. */
const soa_term *soa_term_push_adjoint(soa_terms *pool, const soa_term *term);

/* What is wrong with inverting it, in words; NULL: nothing that is known. */
const char *soa_term_no_inverse(soa_terms *pool, const soa_term *term);

#endif
