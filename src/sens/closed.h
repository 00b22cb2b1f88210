/* sens/closed.h - the derivatives of closed systems: what their rows are made of, inside. */
#ifndef SOA_SENS_CLOSED_H
#define SOA_SENS_CLOSED_H

#include "closure/closure.h"
#include "core/dense.h"

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

/* Scratch: n velocities, r rows, N bodies; columns: most of any right-hand side. */
typedef struct soa_closed_scratch {
    size_t n, r, N, columns;
    double *P;             /* n x n; Mass^-1 at first */
    double *E, *AF;        /* n x r */
    double *L, *J, *F;     /* r x n */
    double *S;             /* r x r, becomes its inverse */
    double *r1, *r2;       /* n x columns, r x columns, which is at least r (r + 1) */
    double *order;         /* of the rows of S, in r numbers */
    double *block;         /* of one system: its velocities x its columns, or two squares */
    double *column, *body; /* moving_columns of all systems */
    double *ends, *push;   /* of soa_closed_state */
    double *vdot, *lambda;
    bool *depends; /* on others, as the solution found; in r numbers */
} soa_closed_scratch;

void soa_set_zero(double *x, size_t n);

/* P, E, L and S^-1 from Mass^-1, J and F; false: S is singular. */
bool soa_closed_factor(const soa_closed_scratch *s);

/* P, Mass at first, becomes (Mass + w F* J)^-1: where a joint moves no inertia by itself (a follower without mass). Closed
 * motions have J dvdot = r2, so this changes nothing but dlambda, by w r2. Returns w, or 0: singular all the same.
 * room: 2 n^2 numbers. */
double soa_closed_weigh(const soa_closed_scratch *s, double *room);

#endif
