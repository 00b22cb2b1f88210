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

/* Computes the linear model of a closed system at one state, with vdot of soa_closed_forward_dynamics; nv counts the
 * velocities of all systems of the set. x has displacements that the closures forbid, too; the model is exact for
 * displacements between states that satisfy the closures. work has room for soa_closed_linear_work numbers. The
 * function refuses what soa_closed_forward_dynamics_derivatives refuses. */
SOA_API size_t soa_closed_linear_work(const soa_closures *set);
SOA_API soa_status soa_closed_linear_model(soa_closures *set, const double *q, const double *v, const double *T,
    const double *f, double *A, double *B, double *C, double *D, double *work, soa_error *error);

/* Computes E = exp(A), n x n, by scaling and squaring of the diagonal Pade approximant of degree 13. work has room for
 * soa_exponential_work(n) numbers. E may be A. SOA_E_NUMBER: A is not finite, or exp(A) is too large. */
SOA_API size_t soa_exponential_work(int n);
SOA_API soa_status soa_linear_exponential(int n, const double *A, double *E, double *work, soa_error *error);

/* Converts a system with n states and m inputs to steps of dt, with u constant over each step:
 * x(t + dt) = Ad x(t) + Bd u(t). C and D do not change. work has room for soa_discrete_work(n, m) numbers. */
SOA_API size_t soa_discrete_work(int n, int m);
SOA_API soa_status soa_discrete(
    int n, int m, const double *A, const double *B, double dt, double *Ad, double *Bd, double *work, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
