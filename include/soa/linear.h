/* soa/linear.h - linear state-space models, for the design of controllers.
 *
 * A model describes small displacements x = (dq; dv) and u = dT about a state (q, v) with joint forces T:
 *     dx/dt = A x + B u,    y = C x + D u,    y = (dq; dv; dvdot)                      [LIN]
 * dq is a displacement along the velocities (soa_difference), so x has 2 nv numbers for joints of every kind. */
#ifndef SOA_LINEAR_H
#define SOA_LINEAR_H

#include "soa/sens.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes the linear model at each state: A is 2 nv x 2 nv, B 2 nv x nv, C 3 nv x 2 nv and D 3 nv x nv, row by row.
 * C and D may be NULL. */
SOA_API soa_status soa_linear_model(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *T, const double *f, double *A, double *B, double *C, double *D, soa_error *error);

/* Computes the linear model of a closed system at each state, with vdot of soa_closed_forward_dynamics; nv counts the
 * velocities of all systems of the set. x has displacements that the closures forbid, too; the model is exact for
 * displacements between states that satisfy the closures. Call soa_closures_reserve_derivatives once before. The function
 * refuses what soa_closed_forward_dynamics_derivatives refuses. */
SOA_API soa_status soa_closed_linear_model(soa_closures *set, int states, const double *q, const double *v,
    const double *T, const double *f, double *A, double *B, double *C, double *D, soa_error *error);

/* Memory for exponentials and for steps in time. */
typedef struct soa_linear_workspace soa_linear_workspace;

/* Makes a workspace for exponentials of matrices of at most this many rows; steps of a system with n states and m inputs
 * need n + m rows. allocator NULL means soa_allocator_default. */
SOA_API soa_status soa_linear_workspace_new(
    int rows, const soa_allocator *allocator, soa_linear_workspace **workspace, soa_error *error);
SOA_API void soa_linear_workspace_free(soa_linear_workspace *workspace);

/* Computes E = exp(A), n x n, by scaling and squaring of the diagonal Pade approximant of degree 13. E may be A.
 * SOA_E_NUMBER: A is not finite, or exp(A) is too large. SOA_E_LIMIT: the workspace is too small. */
SOA_API soa_status soa_linear_exponential(
    soa_linear_workspace *workspace, int n, const double *A, double *E, soa_error *error);

/* Converts a system with n states and m inputs to steps of dt, with u constant over each step:
 * x(t + dt) = Ad x(t) + Bd u(t). C and D do not change. */
SOA_API soa_status soa_linear_discrete(soa_linear_workspace *workspace, int n, int m, const double *A, const double *B,
    double dt, double *Ad, double *Bd, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
