/* compute_job.h - what the files of soa compute share. */
#ifndef SOA_TOOL_COMPUTE_JOB_H
#define SOA_TOOL_COMPUTE_JOB_H

#include "compute.h"

typedef struct compute_job {
    tool_call *call;
    tool_batch batch;
    tool_states states;
    tool_system system;
    double wrench[6];
    int count; /* quantities */
    const tool_quantity *quantity[TOOL_MAX_QUANTITIES];
    double *value[TOOL_MAX_QUANTITIES]; /* of a batch */
    int chunk;                          /* states of a batch */
} compute_job;

/* Computes the states from `first` on, as many as fit in a batch. */
void compute_batch(compute_job *j, int first);

/* Computes all states and writes them as the options say. */
void compute_write(compute_job *j);

#endif
