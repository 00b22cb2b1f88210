/* sens/closed.h - the derivatives of closed systems: what their rows are made of, inside. */
#ifndef SOA_SENS_CLOSED_H
#define SOA_SENS_CLOSED_H

#include "closure/closure.h"
#include "sens/point_change.h"

/* ---- a closure and how it changes: tie_dual.c ---- */

/* Slopes of the accelerations of the rows; the forces of the multipliers on both ends, each at its origin, and their slopes. */
typedef struct soa_tie_change {
    double row[SOA_CLOSURE_MAX_ROWS], push[2][6], push_slope[2][6];
} soa_tie_change;

soa_tie_change soa_tie_change_of(const soa_tie *tie, const double *lambda, const soa_moving_point end[2]);

/* ---- right-hand sides: closed_sides.c ---- */

/* The systems of a set at a state, after its solution; v NULL: rest. */
typedef struct soa_closed_state {
    const soa_closures *set;
    double *column, *body; /* of soa_moving_system, all systems */
    const double *q, *v, *vdot, *lambda;
    const double *f;             /* external forces, 6 per node, or NULL */
    double *block, *ends, *push; /* scratch: a matrix of one system, 12 nv numbers, 12 per tie */
} soa_closed_state;

/* One of its systems. */
soa_moving_system soa_system_of_part(const soa_closed_state *state, const soa_part *part);

/* Right-hand sides, one column per number: r1 with nv rows and r2 with the rows of the set. */
typedef struct soa_closed_sides {
    double *r1, *r2;
    size_t columns;
} soa_closed_sides;

/* By q, by v or by the place of the joints (six numbers per node; external forces too): r1 gains d(F* lambda), r2 loses
 * d(J vdot + bias). */
soa_status soa_closed_add_sides(const soa_closed_state *state, soa_change_by by, soa_closed_sides to, soa_error *error);

#endif
