/* emit/plan.h - an expression at work. */
#ifndef SOA_EMIT_PLAN_H
#define SOA_EMIT_PLAN_H

#include "emit/job.h"

typedef struct plan {
    emit_job *job;
    soa_runner *runner;
    const double **bound; /* by input of the compiled: its values */
} plan;

/* ---- plan_matrix.c ---- */

/* The inputs of a graph are what is bound. */
void emit_bind_inputs(const plan *p, soa_graph_run *run);

/* One run of a graph, its inputs and outputs bound; matrices that it needs are made. */
bool emit_run_graph(plan *p, soa_graph_run *run);

/* A matrix with those that it is made of. */
bool emit_make_matrix(plan *p, soa_matrix_run *run);

#endif
