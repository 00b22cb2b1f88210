/* expr/terms.h - how terms get into a pool. */
#ifndef SOA_EXPR_TERMS_H
#define SOA_EXPR_TERMS_H

#include "expr/term.h"

/* The term in the pool that is like this one; its children and factors are copied,
 * its number, depth and hash made. NULL, with the pool's status, when there is no room. */
const soa_term *soa_terms_intern(soa_terms *pool, soa_term like);

/* NULL, and why. */
const soa_term *soa_terms_none(soa_terms *pool, soa_status why);

#endif
