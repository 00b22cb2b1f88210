/* emit/trace_closure.h - rows of closures on a tape. */
#ifndef SOA_EMIT_TRACE_CLOSURE_H
#define SOA_EMIT_TRACE_CLOSURE_H

#include "emit/tape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The frame of an end: its pose in the world (rotation by rows, position), and how its origin moves. */
typedef struct trace_end {
    double pose[12], velocity[6], acceleration[6];
} trace_end;

/* What the rows of a closure say of the velocities of its frames, and their accelerations at vdot = 0. */
typedef struct trace_rows {
    double on[2][6][6]; /* of each end and row: six numbers, world axes */
    double bias[6];
} trace_rows;

struct soa_closure;
void trace_closure(tape *t, const struct soa_closure *closure, int rows, const trace_end end[2], trace_rows *to);

/* beta(link) - slope beta(driver), at q and beta of the driver: the slope, and the acceleration of the row at vdot = 0. */
void trace_coupling(tape *t, const double *coefficient, double q, double beta, double *slope, double *bias);

#ifdef __cplusplus
}
#endif
#endif
