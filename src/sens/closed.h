/* sens/closed.h - the derivatives of closed systems: what their rows are made of, inside. */
#ifndef SOA_SENS_CLOSED_H
#define SOA_SENS_CLOSED_H

#include "closure/closure.h"

/* ---- a closure and how it changes: tie_dual.c ---- */

/* An end of a closure in the world, as soa_point_kinematics has it: pose (12 numbers), velocity and acceleration (6 each);
 * and their slopes along some motion. */
typedef struct soa_moving_end {
    double number[24], slope[24];
} soa_moving_end;

/* Slopes of the accelerations of the rows; the forces of the multipliers on both ends, each at its origin, and their slopes. */
typedef struct soa_tie_change {
    double row[SOA_CLOSURE_MAX_ROWS], push[2][6], push_slope[2][6];
} soa_tie_change;

soa_tie_change soa_tie_change_of(const soa_tie *tie, const double *lambda, const soa_moving_end end[2]);

/* ---- right-hand sides: closed_sides.c ---- */

/* The systems of a set at a state, after its solution; v NULL: rest. */
typedef struct soa_closed_state {
    const soa_closures *set;
    const double *column, *body; /* moving_columns of all systems without flexible links */
    const double *q, *v, *vdot, *lambda;
    const double *f;             /* external forces, 6 per node, or NULL */
    double *block, *ends, *push; /* scratch: a matrix of one system, 12 nv numbers, 12 per tie */
} soa_closed_state;

typedef enum soa_closed_by { SOA_CLOSED_BY_Q, SOA_CLOSED_BY_V, SOA_CLOSED_BY_PLACEMENT } soa_closed_by;

/* Right-hand sides, one column per number: r1 with nv rows and r2 with the rows of the set. */
typedef struct soa_closed_sides {
    double *r1, *r2;
    size_t columns;
} soa_closed_sides;

/* By q, by v or by the place of the joints (six numbers per node; external forces too): r1 gains d(F* lambda), r2 loses
 * d(J vdot + bias). */
soa_status soa_closed_add_sides(const soa_closed_state *state, soa_closed_by by, soa_closed_sides to, soa_error *error);

#endif
