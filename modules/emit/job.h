/* emit/job.h - one emission: the algorithm, its inputs on a tape, its outputs. */
#ifndef SOA_EMIT_JOB_H
#define SOA_EMIT_JOB_H

#include "emit/print.h"
#include "emit/trace.h"
#include "module.h"
#include "soa/closure.h"
#include "soa/expr.h"

/* Inputs in the order of the signature. */
enum { IN_Q, IN_V, IN_U, IN_STATE };

enum { EMIT_NAME = 64 };

typedef struct emit_job {
    const module_emit_request *request;
    const soa_model *model; /* of the request, or regrouped */
    soa_model regrouped;    /* that of the request with inertias moved across joints that do not feel them */
    tape t;
    double *in[EMIT_ARRAYS]; /* the inputs on the tape; NULL: the algorithm does not take it */
    double *push;            /* tau with the forces that the model describes; NULL: they do not act */
    soa_compiled *compiled;  /* of an expression */
    soa_runner *runner;
    emit_function f;
    char name[2 * EMIT_ARRAYS][EMIT_NAME]; /* of arrays of expressions */
    int names;
    double limit; /* how far rounding may move the outputs, where that may be much (driver.c) */
    size_t room;  /* of why */
    char *why;
} emit_job;

/* The library on numbers: the outputs one after another, as in the job. */
typedef struct emit_reference {
    const soa_model *model;
    soa_workspace *workspace;
    int points;
    const soa_point *point;
    soa_runner *runner;        /* of an expression */
    soa_closures *closures;    /* of what they act in */
    struct soa_forces *forces; /* with --forces, or NULL */
    double *pushed;            /* tau with them */
    const double *in[EMIT_ARRAYS];
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
    bool closed; /* closures and couplings act, and states must satisfy them */
    bool pushed; /* the forces that the model describes may act */
    bool exact;  /* literally, it has the bits of the library */
} emit_algorithm;

/* By either name; false: there is none. */
bool emit_find(const char *name, emit_algorithm *found);

/* A name of C for an array, which no other has; at most 2 EMIT_ARRAYS of them. */
const char *emit_name(emit_job *job, const char *prefix, const char *name);

/* One more output of so many numbers, zero at first; NULL: no memory. */
double *emit_output(emit_job *job, const char *name, int size);

/* Says why and returns false. */
bool emit_refuse(emit_job *job, const char *format, ...) SOA_PRINTF(2, 3);

/* An expression as an algorithm: compiled, its inputs in the function. */
bool emit_plan_begin(emit_job *job, emit_algorithm *algorithm);
void emit_plan_end(emit_job *job);

/* ---- parts of algorithms ------------------------------------------------------------ */

/* The call of a kernel on the inputs of the job. */
soa_call emit_call(const emit_job *job);

/* The model of the job with fewer numbers in its inertias. For what depends on Mass and C alone. */
bool emit_regroup(emit_job *job);

/* With --forces: the forces that the model describes, added to tau. */
bool emit_push(emit_job *job);

/* The same for the library, which is given all forces as tau; false: r->error says why. */
bool emit_push_begin(const emit_job *job, emit_reference *r);
bool emit_push_state(emit_reference *r);
void emit_push_end(emit_reference *r);

bool emit_mass(emit_job *job, double *mass);
bool emit_mass_inverse(emit_job *job, double *inverse);
bool emit_jacobian(emit_job *job, double *J);
bool emit_lambda(emit_job *job, double *lambda); /* J Mass^-1 J* */

/* x = Mass^-1 x, x nv rows of n columns; what columns have in common is on the tape once. */
bool emit_solve_columns(emit_job *job, int n, double *x);

/* The derivatives of n values along a velocity, by number i of an input, or along velocities v; `stride` apart. They may stand
 * in the place of the values. */
bool emit_derive(emit_job *job, int n, const double *value, int velocity, double *to, int stride);
bool emit_derive_input(emit_job *job, int n, const double *value, int array, int i, double *to, int stride);
bool emit_derive_in_time(emit_job *job, int n, const double *value, const double *v, double *to);

/* The algorithms of emit_list.h. */
#define EMIT_TRACE_LIST(X) \
    X(id)                  \
    X(fd)                  \
    X(closed_fd)           \
    X(mass)                \
    X(massinv)             \
    X(coriolis)            \
    X(kinematics)          \
    X(jacobian) X(osim) X(energy) X(momentum) X(centroidal) X(id_derivatives) X(fd_derivatives) X(regressor)
#define EMIT_TRACE(name) bool trace_##name(emit_job *job);
EMIT_TRACE_LIST(EMIT_TRACE)
#undef EMIT_TRACE

/* A name in a comment: ASCII, and nothing that ends it. */
void emit_clean(text *to, const char *name);

/* The model as a constant. */
void emit_data(text *to, const emit_job *job, const char *name);

/* The comment at the top, and a main that compares with the library. */
void emit_comment(text *to, const emit_job *job, const emit_algorithm *a, const emit_counts *counts);
void emit_count_lines(text *to, const emit_job *job, const emit_algorithm *a, const emit_counts *counts);
bool emit_driver(text *to, emit_job *job, const emit_algorithm *a);

#endif
