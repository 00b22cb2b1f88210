/* check.h - laws that are verified on a model: what they say and how far they are off. */
#ifndef SOA_TOOL_CHECK_H
#define SOA_TOOL_CHECK_H

#include "compute.h"

/* Rounding errors of laws on well-made models stay below 1e-12; real robots with
 * masses of grams beside masses of hundreds of kilograms, and long chains, lose more
 * digits. Laws evaluated by differences have a tolerance of their own. */
#define CHECK_TOLERANCE      1e-9
#define CHECK_BODIES         1000 /* beyond which tolerances grow with the square of the bodies */
#define CHECK_BY_DIFFERENCES 1e-6
#define CHECK_ROUNDINGS      20.0 /* how many times its rounding a law may be off */

typedef struct check_row {
    const char *label;
    const char *text;
    double error;     /* the worst of all states so far, relative */
    double tolerance; /* 0: not looked at, for the reason in `without` */
    double rounding; /* what the error becomes if numbers change in their last digit: large of ill-conditioned models */
    const char *without;
    bool unchecked; /* it could not be looked at in any state: that is a failure */
} check_row;

typedef struct check_table {
    int count, room;
    double scale;    /* of all tolerances */
    double rounding; /* what laws of closures may be off besides, where rows of the file are rounded */
    check_row *row;
} check_table;

/* The row of the law, made if it is new. Making a row may move the others. */
check_row *check_row_of(check_table *table, int index, const char *label, const char *text, double tolerance);

/* The state at which laws are checked, and room for vectors. */
typedef struct check_state {
    const soa_model *model;
    soa_workspace *workspace;
    int nq, nv;
    double *q, *v, *vdot, *tau;
    double *x[6]; /* nv (at least nq) numbers each */
} check_state;

/* The algorithms against each other: forward and inverse dynamics, mass matrix, energy. From the row
 * `first` on; returns the row after them. */
int check_algorithms(const check_state *state, bool mass, check_table *table, int first);

/* The algorithms of closed systems against each other, from the row `first` on, at a state near this one that satisfies the
 * closures. Nothing if there are none. */
void check_closures(const check_state *state, check_table *table, int first);

#endif
