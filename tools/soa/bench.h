/* bench.h - what the files of soa bench share.
 *
 * Of one model, each algorithm is measured one state at a time and in batches
 * with as many lanes as the processor has, those with the most lanes also by
 * threads. An algorithm is a row of the table in bench_algorithms.c; to add one,
 * write the row and its function. */
#ifndef SOA_TOOL_BENCH_H
#define SOA_TOOL_BENCH_H

#include "soa/batch.h"
#include "soa/closure.h"
#include "tool.h"

/* One model and states to run it on. */
typedef struct bench_case {
    const char *source; /* as tool_load takes it */
    soa_model *model;
    soa_workspace *workspace;
    soa_batch *batch;       /* NULL: one thread alone */
    soa_point tip;          /* on a body with the most bodies inboard of it */
    bool many;              /* states were asked for: outputs may fill the memory */
    int states;             /* in q, v and u, for one thread */
    int batch_states;       /* the same for all threads of the batch */
    double *q, *v, *u, *y;  /* u stands for T and for vdot; y has room for the outputs */
    soa_closures *closures; /* NULL: the model has none that are on */
    int closed_states;      /* in closed_q and closed_v: they satisfy the closures */
    double *closed_q, *closed_v;
} bench_case;

typedef enum bench_needs {
    BENCH_ANY,
    BENCH_FILE,  /* the model is a file; lanes mean nothing */
    BENCH_LOOPS, /* the model has closures; one thread alone */
    BENCH_DENSE, /* the output grows with the square of nv */
    BENCH_CUBE,  /* with its cube */
} bench_needs;

typedef struct bench_algorithm {
    const char *name;
    const char *text; /* what is computed */
    bench_needs needs;
    size_t (*outputs)(const soa_model *model); /* numbers per state */
    soa_status (*run)(const bench_case *c, int first, int count, soa_error *error);
} bench_algorithm;

int bench_algorithms(void);
const bench_algorithm *bench_algorithm_at(int index);

/* One measurement, or the reason why there is none. */
typedef struct bench_result {
    const char *model; /* its name in the output */
    int bodies, nv;
    const bench_algorithm *algorithm;
    int lanes, threads;
    int states;       /* called for at once, or one after another */
    double ns;        /* per state: the median */
    char reason[240]; /* not empty: skipped */
} bench_result;

/* Beyond this many velocities no dense output. */
#define BENCH_DENSE_NV 3000
#define BENCH_CUBE_NV  200

/* States that satisfy the closures of the model, if it has any. */
void bench_close_loops(bench_case *c, unsigned long long seed);

/* states 0: a number that stays in the caches. */
void bench_open(const char *source, unsigned long long seed, int threads, int states, bench_case *c);
void bench_close(bench_case *c);

/* Fills in ns or the reason. */
void bench_measure(bench_case *c, double seconds, bench_result *result);

/* ---- machine --------------------------------------------------------------------- */

typedef struct bench_machine {
    char cpu[128];
    char compiler[64];
    char date[32];
    int cores;
} bench_machine;

bench_machine bench_machine_of(void);

/* Bytes that can be had without swapping; 0: unknown. */
double bench_memory(void);

/* ---- report ------------------------------------------------------------------------ */

typedef struct bench_report {
    bench_result *result;
    int results;
    bool growth;
    int threads; /* more than 1: batches are measured with so many, too */
    unsigned long long seed;
} bench_report;

void bench_print_json(const tool_call *call, const bench_report *report);
void bench_print(const tool_call *call, const bench_report *report);

#endif
