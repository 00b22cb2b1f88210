/* expr/cost.h - what an expression costs when it is run. */
#ifndef SOA_EXPR_COST_H
#define SOA_EXPR_COST_H

#include "expr/term.h"

typedef struct soa_cost {
    int order;          /* 1: O(N), 2: O(N^2), 3: O(N^3) */
    int sweeps;         /* after fusion */
    int sweeps_written; /* as the expression is written: the papers' count */
    double flops;       /* per body, of one-dof joints; of the sweeps alone */
    int steps;          /* of the graph */
} soa_cost;

/* The cost of a vector, or of an operator applied to one. What is written is counted: Mass^-1 is
 * the inverse of a matrix, in O(N^3), until it is written by its factors. */
soa_status soa_cost_of(soa_terms *pool, const soa_term *term, soa_cost *cost, soa_error *error);

/* Negative: a is cheaper. Order, sweeps, flops, steps. */
int soa_cost_compare(const soa_cost *a, const soa_cost *b);

#endif
