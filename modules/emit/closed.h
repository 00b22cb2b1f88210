/* emit/closed.h - closures when a file is written: which states satisfy them, which rows are solved and in which order. */
#ifndef SOA_EMIT_CLOSED_H
#define SOA_EMIT_CLOSED_H

#include "emit/job.h"
#include "soa/closure.h"

/* A row in its place, and its compliance in general states. */
typedef struct closed_pivot {
    int row;
    double typical;
} closed_pivot;

/* A pivot must be this part of its row's compliance, here and in general; of a row that depends on others less must be left. */
#define CLOSED_LEAST           1e-7
#define CLOSED_DEPENDENT       1e-9
#define CLOSED_DEPENDENT_FLOAT 1e-5

/* The closures of the model; NULL: why not. */
soa_closures *closed_set(emit_job *job);

/* A random state that satisfies them, which need not be far from the neutral one; false: none was found. */
bool closed_state(
    soa_closures *set, const soa_model *model, unsigned long long *seed, double *q, double *v, soa_error *error);

/* The rows in an order in which they can be solved without a search for pivots; the first *rank are independent. */
bool closed_order(emit_job *job, soa_closures *set, closed_pivot *order, int *rank);

#endif
