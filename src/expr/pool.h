/* expr/pool.h - how terms get into a pool. */
#ifndef SOA_EXPR_POOL_H
#define SOA_EXPR_POOL_H

#include "expr/term.h"

/* The term in the pool that is like this one; its children and factors are copied,
 * its number, depth and hash made. NULL, with the pool's status, when there is no room. */
const soa_term *soa_pool_intern(soa_pool *pool, soa_term like);

/* NULL, and why. */
const soa_term *soa_pool_none(soa_pool *pool, soa_status why);

#endif
