/* sens/closed.h - the derivatives of closed systems: what their rows are made of, inside. */
#ifndef SOA_SENS_CLOSED_H
#define SOA_SENS_CLOSED_H

#include "closure/closure.h"
#include "core/dense.h"
#include "sens/point_change.h"

/* ---- the equations: closed_matrix.c ---- */

/* Room for the matrix of n velocities and so many rows. */
typedef struct soa_closed_matrix {
    size_t n, rows;
    double *K;     /* n + rows square: the matrix in units, factored */
    double *unit;  /* of its rows and columns; 0: the row depends on others, and its multiplier is zero */
    size_t *order; /* of its rows */
    bool *depends; /* by row of the set: on others, as the solution found */
} soa_closed_matrix;

/* The factored matrix at a state that was solved. Scratch: J and F rows x n, block a square of each system.
 * SOA_E_SINGULAR says which joint moves no inertia, or that rows cannot be told apart. */
soa_status soa_closed_matrix_make(soa_closures *set, const soa_closed_matrix *s, const soa_closed_input *in, double *J,
    double *F, double *block, soa_error *error);

/* X = (dvdot; dlambda) for right-hand sides R = (r1; r2), which are overwritten. */
void soa_closed_matrix_solve(const soa_closed_matrix *s, size_t columns, double *R, double *X);

/* A block of one system, times the factor, at its velocities and from a column on. */
void soa_closed_put_block(const soa_part *part, double factor, soa_matrix_view from, size_t column, soa_matrix_view to);

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
