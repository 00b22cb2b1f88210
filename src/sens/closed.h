/* sens/closed.h - the derivatives of closed systems: what their rows are made of, inside. */
#ifndef SOA_SENS_CLOSED_H
#define SOA_SENS_CLOSED_H

#include "closure/closure.h"
#include "core/dense.h"

/* The systems of a set at a state, after its solution: moving_columns and the numbers of all of them; v NULL: rest. */
typedef struct soa_closed_state {
    const soa_closures *set;
    const double *column, *body; /* SOA_MOVING_COLUMN per velocity, SOA_MOVING_BODY per node */
    const double *q, *v, *vdot, *lambda;
    const double *f; /* external forces, 6 per node, or NULL */
    double *scratch; /* 12 numbers per velocity, if models have flexible links */
} soa_closed_state;

/* Right-hand sides, one column per number: r1 with nv rows and r2 with the rows of the set; either may be NULL. */
typedef struct soa_closed_sides {
    double *r1, *r2;
    size_t columns;
} soa_closed_sides;

/* J and F, rows x nv: what the rows hold, and how their multipliers push; they differ where something slides. */
void soa_closed_rows(const soa_closed_state *state, double *J, double *F);

/* Right-hand sides by q, by v and by the place of the joints (six numbers per node): r1 gains d(F* lambda), r2 loses
 * d(J vdot + bias). */
void soa_closed_by_q(const soa_closed_state *state, soa_closed_sides to);
void soa_closed_by_v(const soa_closed_state *state, soa_closed_sides to);
void soa_closed_by_placement(const soa_closed_state *state, soa_closed_sides to);

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
