/* system/system.h - the inside of a system: its state, and scratch memory for what is computed there. */
#ifndef SOA_SYSTEM_SYSTEM_H
#define SOA_SYSTEM_SYSTEM_H

#include "closure/closure.h"
#include "core/dense.h"
#include "core/memory.h"
#include "soa/system.h"

struct soa_system {
    soa_allocator allocator;
    const soa_model *model;
    soa_workspace *workspace;
    soa_closures *set;
    soa_forces *forces;     /* of the joints */
    soa_arena arena;        /* holds the vectors */
    double *block;          /* all matrices */
    size_t nq, nv, rows;    /* rows: room for those of all closures */
    size_t dofs;            /* independent velocities */
    int *independent;       /* their numbers in v */
    int *solved_by;         /* by velocity: the row that gives it, -1: independent */
    bool *preferred;        /* by velocity: it is to stay independent */
    double *q, *v, *x, *y;  /* x, y: nv + rows numbers of scratch */
    double *Q;              /* what the forces of the joints do at the state, nv numbers */
    double *T;              /* with Q, nv numbers of scratch */
    double *weight;         /* of inverse dynamics, if none is given */
    double *S;              /* nv x dofs */
    double *J, *J_dot;      /* rows x nv */
    double *R;              /* J by row operations: the columns of dependent velocities are unit vectors */
    double *E;              /* those operations, rows x rows: R = E J */
    double *dS;             /* nv x dofs: the rate of S along a motion */
    double *Z;              /* rows x nv, scratch */
    double *M, *N, *W;      /* nv x nv, scratch */
    double *A, *B, *AX, *X; /* linear models: 2nv x 2nv, 2nv x nv, 2nv x 2nv, 2nv x 2nv */
};

/* T + Q (T NULL: Q), which stays until the next call. */
const double *soa_system_total(soa_system *s, const double *T);

/* The status, or SOA_E_NUMBER and NaN if a result of n numbers (NULL: none) is not finite. */
static inline soa_status soa_system_result(
    const soa_system *s, soa_status status, const char *name, double *y, size_t n, soa_error *error)
{
    return status == SOA_OK ? soa_closed_finite(s->set, (soa_closed_result){ name, y, n, SOA_IN_ALL }, error) : status;
}

/* L of the mass matrix of the independent velocities into N; SOA_E_SINGULAR names the joint that moves no inertia. */
soa_status soa_system_factor_mass(soa_system *s, soa_error *error);

/* E, R and S at the q that is set; J is there. */
soa_status soa_system_find_motion(soa_system *s, soa_error *error);

/* x = S e_j: the motion of all joints that goes with independent velocity j. */
void soa_system_column(const soa_system *s, size_t j, double *x);

/* y = S* x: forces on the independent velocities. */
void soa_system_project(const soa_system *s, const double *x, double *y);

/* J_dot for the motion x of all joints (nv numbers). */
soa_status soa_system_rate(soa_system *s, const double *x, soa_error *error);

/* Adds to y the dependent numbers that solve J y + r = 0, those of y before being zero; r: rows numbers. */
void soa_system_follow(const soa_system *s, const double *r, double *y);

/* dS from J_dot:  J dS + J_dot S = 0. */
void soa_system_motion_rate(soa_system *s);

#endif
