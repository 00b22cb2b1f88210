/* emit/job.h - one emission: the algorithm, its inputs on a tape, its outputs. */
#ifndef SOA_EMIT_JOB_H
#define SOA_EMIT_JOB_H

#include "emit/print.h"
#include "emit/trace.h"
#include "module.h"

/* Inputs in the order of the signature. */
enum { IN_Q, IN_V, IN_U, IN_ARRAYS };

typedef struct emit_job {
    const module_emit_request *request;
    const soa_model *model; /* of the request, or ... */
    soa_model regrouped;    /* ... the same with inertias moved across joints that do not feel them */
    tape t;
    double *in[IN_ARRAYS]; /* the inputs on the tape; NULL: the algorithm does not take it */
    emit_function f;
    size_t room; /* of why */
    char *why;
} emit_job;

/* The library on numbers: the outputs one after another, as in the job. */
typedef struct emit_reference {
    const soa_model *model;
    soa_workspace *workspace;
    int points;
    const soa_point *point;
    const double *in[IN_ARRAYS];
    double *out[EMIT_ARRAYS];
    soa_error error;
} emit_reference;

typedef struct emit_algorithm {
    const char *name, *word;
    int inputs;
    const char *third, *outputs, *equation;
    bool (*trace)(emit_job *job);
    soa_status (*reference)(emit_reference *r);
    bool needs_points;
    bool solves; /* linear equations with many columns: what is lost there is lost in the library as well */
    bool exact;  /* literally, it has the bits of the library */
} emit_algorithm;

/* By either name; false: there is none. */
bool emit_find(const char *name, emit_algorithm *found);

/* One more output of so many numbers, zero at first; NULL: no memory. */
double *emit_output(emit_job *job, const char *name, int size);

/* Says why and returns false. */
bool emit_refuse(emit_job *job, const char *format, ...) SOA_PRINTF(2, 3);

/* The comment at the top, and a main that compares with the library. */
void emit_comment(text *to, const emit_job *job, const emit_algorithm *a, const emit_counts *counts);
void emit_count_lines(text *to, const emit_job *job, const emit_algorithm *a, const emit_counts *counts);
bool emit_driver(text *to, emit_job *job, const emit_algorithm *a);

#endif
