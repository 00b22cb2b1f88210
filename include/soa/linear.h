/* soa/linear.h - linear state-space models, for the design of controllers.
 *
 * About a state (q, v) with joint forces T, in small displacements x = (dq; dv), u = dT:
 *     dx/dt = A x + B u,    y = C x + D u,    y = (dq; dv; dvdot)                      [LIN]
 * dq is a displacement along the velocities (soa_difference), so x has 2 nv numbers whatever the joints are. */
#ifndef SOA_LINEAR_H
#define SOA_LINEAR_H

#include "soa/sens.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Per state A: 2nv x 2nv, B: 2nv x nv, C: 3nv x 2nv, D: 3nv x nv, row by row; C and D may be NULL.
 * v, T, f NULL: zero; f as in soa_forward_dynamics. */
SOA_API soa_status soa_linear_model(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *T, const double *f, double *A, double *B, double *C, double *D, soa_error *error);

/* The same of a closed system, for one state, with vdot of soa_closed_forward_dynamics; nv is that of all systems of the
 * set. Displacements that the closures forbid are in x, too: of those from one state that satisfies the closures to
 * another, the model tells the truth. work: soa_closed_linear_work numbers. Refusals: those of
 * soa_closed_forward_dynamics_derivatives. */
SOA_API size_t soa_closed_linear_work(const soa_closures *set);
SOA_API soa_status soa_closed_linear_model(soa_closures *set, const double *q, const double *v, const double *T,
    const double *f, double *A, double *B, double *C, double *D, double *work, soa_error *error);

/* E = exp(A), n x n, by scaling and squaring of the diagonal Pade approximant of degree 13.
 * work: soa_exponential_work(n) numbers. E may be A. SOA_E_NUMBER: A is not finite, or exp(A) is too large. */
SOA_API size_t soa_exponential_work(int n);
SOA_API soa_status soa_linear_exponential(int n, const double *A, double *E, double *work, soa_error *error);

/* The same system in steps of dt with u constant over each step, x(t + dt) = Ad x(t) + Bd u(t): n states, m inputs.
 * C and D do not change. work: soa_discrete_work(n, m) numbers. */
SOA_API size_t soa_discrete_work(int n, int m);
SOA_API soa_status soa_discrete(
    int n, int m, const double *A, const double *B, double dt, double *Ad, double *Bd, double *work, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
