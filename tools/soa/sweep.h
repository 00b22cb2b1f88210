/* sweep.h - many runs of a scenario: what the files of soa sweep share.
 *
 * The program that was called hands out blocks of runs to workers and takes their rows in the order of the runs. It is a
 * worker itself, in a thread; with mpirun the processes of the other ranks are, too. All speak by sockets, so that the death
 * of one is seen at once and its block goes to another. The numbers of a run depend on the seed and its number alone. */
#ifndef SOA_TOOL_SWEEP_H
#define SOA_TOOL_SWEEP_H

#include "compute.h"
#include "vary.h"

enum { MOST_VARIED = 64, SWEEP_TOGETHER = 64 };

typedef struct sweep_job {
    tool_call *call;
    soa_scenario *scenario;
    void (*forward)(const double *, const double *, const double *, double *); /* compiled for its model, or NULL */
    int parameters;
    vary parameter[MOST_VARIED];
    long runs;
    unsigned long long seed;
    int threads;
    int columns; /* parameters, then signals at the end, then the time at the end */
    int signals;
    int *signal;
    char **name; /* of the signals */
} sweep_job;

/* ---- sweep_work.c ---- */

/* Runs that follow each other: a row and, "" if the run was good, what went wrong. */
typedef struct sweep_block {
    long first, count;
    double *number;
    char (*failure)[SOA_ERROR_TEXT];
} sweep_block;

bool sweep_block_make(const sweep_job *j, long first, long count, sweep_block *block);
void sweep_block_free(sweep_block *block);

/* Does the runs of a block on all threads, in lanes where the scenario lets them. */
void sweep_block_run(const sweep_job *j, sweep_block *block);

/* ---- sweep_hand_out.c ---- */

/* Takes rows in the order of the runs. */
typedef void sweep_taker(void *context, const sweep_block *block);

/* All runs by this process and by workers at the other ends of `count` sockets, which are closed; the number of each is its
 * rank. An interrupt or a failure of the taker stops it. *died: how many workers have died. */
void sweep_hand_out(const sweep_job *j, int count, const int *socket, sweep_taker *take, void *context, int *died);

/* Works for the process at the other end of the socket until that has no more to do; *died: how many workers have.
 * false: the process is gone. */
bool sweep_serve(const sweep_job *j, int socket, int *died);

/* ---- sweep_statistics.c ---- */

/* Means, deviations, extremes and quantiles of columns, row by row. */
typedef struct sweep_statistics sweep_statistics;

sweep_statistics *sweep_statistics_new(const sweep_job *j);
void sweep_statistics_add(sweep_statistics *s, long run, const double *row, const char *failure);
long sweep_statistics_failed(const sweep_statistics *s);
const char *sweep_statistics_first_failure(const sweep_statistics *s); /* its words; "" if none failed */
void sweep_statistics_write(void *statistics, FILE *out);              /* a tool_writer: statistics.json */

#endif
