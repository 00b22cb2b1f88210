/* bench.h - what the files of the program bench_peers share. */
#ifndef SOA_BENCH_H
#define SOA_BENCH_H

#include <stdio.h>

#include "peer.h"

enum {
    BENCH_SOA,   /* the first two contestants are soa itself, */
    BENCH_BATCH, /* one state per call and all of BENCH_BATCH_STATES in one */
    BENCH_FIRST_PEER,
    BENCH_MOST_PEERS = 16,
    BENCH_MOST_ROBOTS = 16,
    BENCH_STATES = 256,
    BENCH_BATCH_STATES = 4096,
};

/* Results that differ by more than this, relative to the largest number of them (if above 1), do not agree. */
#define BENCH_AGREEMENT 1e-6

const bench_peer_info *bench_soa(void);
const bench_peer_info *bench_soa_batch(void);

const char *bench_algorithm_text(bench_algorithm algorithm);

/* Numbers of the result for one state, and the most of any algorithm. */
size_t bench_outputs(const bench_robot *robot, bench_algorithm algorithm);
size_t bench_most_outputs(const bench_robot *robot);

/* ---- results ----------------------------------------------------------------------- */

typedef enum bench_verdict { BENCH_ABSENT, BENCH_DIFFERS, BENCH_TIMED } bench_verdict;

/* Of one contestant. */
typedef struct bench_cell {
    bench_verdict verdict;
    double difference;  /* from soa, the largest over all states */
    double ns;          /* per state, median */
    double ratio;       /* to soa, one state per call: median over the rounds */
    double batch_ratio; /* to soa, batch; 0: none */
    double open_ratio;  /* closed dynamics: to the contestant's own forward dynamics of the tree; 0: others */
} bench_cell;

typedef struct bench_row {
    bench_algorithm algorithm;
    bench_cell cell[BENCH_MOST_PEERS];
} bench_row;

typedef struct bench_table {
    char robot[64];
    int bodies, nv;
    bool closed; /* with closures */
    bench_row row[BENCH_ALGORITHMS];
} bench_table;

typedef struct bench_machine {
    char cpu[128];
    int cores;
    double load; /* of the last minute, when the run began */
    char date[32];
    int lanes;
} bench_machine;

typedef struct bench_run {
    int peers; /* contestants, soa's two included */
    const bench_peer_info *peer[BENCH_MOST_PEERS];
    int tables;
    bench_table table[BENCH_MOST_ROBOTS];
    bench_machine machine;
    double seconds; /* for each contestant and algorithm */
} bench_run;

bench_machine bench_machine_of(void);

/* ---- contest ------------------------------------------------------------------------- */

/* Checks and times every contestant on a robot. */
void bench_contest(const bench_run *run, const bench_robot *robot, bench_table *table);

/* One contestant ready to be timed, and its samples. */
typedef struct bench_entry {
    const bench_peer_info *peer;
    void *self;
    bench_algorithm algorithm;
    int states; /* that it has */
    int sample; /* states per sample */
    int next;
    double *ns; /* one number per round */
} bench_entry;

/* Takes samples of all in turn, round after round; returns the number of rounds. */
int bench_rounds(int entries, bench_entry *entry, double seconds);
#define BENCH_MOST_ROUNDS 4000

/* Of x, and of x / y number by number; x is reordered or lost. */
double bench_median(int n, double *x);
double bench_median_ratio(int n, const double *x, const double *y, double *scratch);

/* ---- report -------------------------------------------------------------------------- */

void bench_print(const bench_run *run, FILE *out);
bool bench_write_json(const bench_run *run, const char *path);
bool bench_write_chart(const bench_run *run, const char *path);

#endif
