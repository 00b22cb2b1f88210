/* closure/each_state.h - calls with many states: what each is given, and what comes out. */
#ifndef SOA_CLOSURE_EACH_STATE_H
#define SOA_CLOSURE_EACH_STATE_H

#include "soa/closure.h"

/* What is asked of the solver: of the real motion, or of a step in which neither velocities nor gravity
 * count and row i is to change by -target[i]. */
typedef enum soa_solve_mode { SOA_SOLVE_MOTION, SOA_SOLVE_STEP } soa_solve_mode;

/* What a state is given. */
typedef struct soa_closed_input {
    const double *q, *v, *T, *f;
    double *vdot;
    soa_solve_mode mode;
    const double *target; /* NULL: zeros */
    bool positions;       /* a step in positions: rows that have none do not count */
    bool one_q;           /* of lanes of states: all have the q of the first */
    bool identity;        /* a step that is short in the numbers of v; the tree alone gives that in kinetic energy */
} soa_closed_input;

/* n numbers of an input are finite; NULL is. */
soa_status soa_check_numbers(const double *x, size_t n, const char *name, soa_error *error);

/* A result: that many numbers for each velocity of all systems, for each row, or in all. */
typedef enum soa_closed_items { SOA_BY_VELOCITY, SOA_BY_ROW, SOA_IN_ALL } soa_closed_items;
typedef struct soa_closed_result {
    const char *name;
    double *at; /* NULL: not asked for */
    size_t columns;
    soa_closed_items by;
} soa_closed_result;

/* SOA_E_NUMBER, and the result becomes NaN, if one of its numbers is not finite. */
soa_status soa_closed_finite(const soa_closures *set, soa_closed_result y, soa_error *error);

/* The status of a state, or SOA_E_NUMBER if a result is not finite; all results become NaN unless it is SOA_OK. */
soa_status soa_closed_done(
    const soa_closures *set, soa_status status, int count, const soa_closed_result *y, soa_error *error);

/* The numbers of a state in an array that has n of them for each; NULL stays. */
static inline const double *soa_given_at(const double *x, int n, int state)
{
    return x ? x + (size_t)n * (size_t)state : NULL;
}

static inline double *soa_result_at(double *y, int n, int state)
{
    return y ? y + (size_t)n * (size_t)state : NULL;
}

/* States of a call, one after another:
 *     soa_each each = soa_each_state(set, states, all, error);
 *     while (soa_each_next(&each)) { soa_each_done(&each, solve(set, &each.in, each.error)); }
 *     return each.status;                                                                         of the first that failed */
typedef struct soa_each {
    int states, state;    /* how many there are, and which one is at hand */
    int nq, nv, bodies;   /* in one state */
    soa_closed_input all; /* arrays of all states */
    soa_closed_input in;  /* the state at hand */
    soa_status status;
    soa_error *error; /* for the state at hand; NULL after one has failed */
} soa_each;

soa_each soa_each_state(const soa_closures *set, int states, soa_closed_input all, soa_error *error);
bool soa_each_next(soa_each *each);
void soa_each_done(soa_each *each, soa_status status);

/* Inputs are finite, quaternions of unit length; T named in messages. */
soa_status soa_check_closed(soa_closures *set, const soa_closed_input *in, soa_error *error);

#endif
