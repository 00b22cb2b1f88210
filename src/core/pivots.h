/* core/pivots.h - the pivots of a factorization, and what they say of it. */
#ifndef SOA_CORE_PIVOTS_H
#define SOA_CORE_PIVOTS_H

#include <math.h>

#include "core/dense.h"

/* The pivots of a factorization so far. */
typedef struct pivots {
    double least, most;
} pivots;

static const pivots no_pivots = { INFINITY, 0.0 };

static inline void note(pivots *p, double size)
{
    p->least = fmin(p->least, size);
    p->most = fmax(p->most, size);
}

/* Without a pivot the condition is not finite; without rows it is 1. */
static inline soa_factored factored(size_t rank, size_t rows, pivots p)
{
    return (soa_factored){ rank, rows == 0 ? 1.0 : rank < rows ? INFINITY : p.most / p.least };
}

#endif
