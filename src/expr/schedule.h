/* expr/schedule.h - which sweep computes what.
 *
 * Sweeps alternate between inward and outward. A step at body k needs its inputs at k
 * (local), at the bodies on it (near inward) or at its parent (near outward), or
 * itself there too (a recursion). So it fits into a sweep in which its inputs are
 * ready at k when k's turn comes; taking each step as early as possible gives the
 * fewest sweeps. */
#ifndef SOA_EXPR_SCHEDULE_H
#define SOA_EXPR_SCHEDULE_H

#include "expr/step_table.h"

struct soa_graph;

soa_reach soa_step_reach(const struct soa_graph *graph, int step);

/* Vectors that stand for themselves: read anywhere, computed nowhere. */
enum { SOA_BEFORE = -1 };

typedef struct soa_schedule {
    int sweeps;  /* that run */
    int counted; /* those with a recursion: what a cost counts */
    bool inward_first;
    int *sweep; /* by step: where it is computed; SOA_BEFORE: before all; WHOLE: behind that sweep */
} soa_schedule;

static inline bool soa_sweep_inward(const soa_schedule *schedule, int sweep)
{
    return schedule->inward_first == (sweep % 2 == 0);
}

/* Makes the schedule of a merged graph; it lives in the graph's arena. */
soa_status soa_schedule_make(struct soa_graph *graph);

/* Sweeps as the expression is written: each recursion in it is a sweep of its own if it
 * works on the result of another one; V, P and their like go with the others. -1: no memory. */
int soa_schedule_written(struct soa_graph *graph);

#endif
