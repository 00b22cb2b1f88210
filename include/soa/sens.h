/* soa/sens.h - derivatives of the dynamics of trees.
 *
 * Arrays, states, workspaces, layouts and refusals are those of soa/dynamics.h; an output
 * that is NULL is not wanted. A matrix dy_dx has a row for each y and a column for
 * each x, row by row.
 *
 * Derivatives by q are by the tangent space of each joint: column j is the rate of
 * change when the joints move with v = e_j, every number of v, vdot and T as it is. For joints whose
 * v is the rate of q this is the partial derivative by q_j. External forces keep their
 * numbers too: they stay as they are in world axes while the point at which they act moves. */
#ifndef SOA_SENS_H
#define SOA_SENS_H

#include "soa/closure.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- first derivatives ------------------------------------------------------------- */

/* Of soa_inverse_dynamics: nv x nv numbers per state each; dT_dvdot is the mass matrix.
 * v, vdot, f NULL: rest, and no forces.  [LIN] */
SOA_API soa_status soa_inverse_dynamics_derivatives(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *vdot, const double *f, double *dT_dq, double *dT_dv,
    double *dT_dvdot, soa_error *error);

/* Of soa_forward_dynamics, and vdot itself; dvdot_dT is the inverse of the mass matrix.  [LIN] */
SOA_API soa_status soa_forward_dynamics_derivatives(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *T, const double *f, double *dvdot_dq, double *dvdot_dv,
    double *dvdot_dT, double *vdot, soa_error *error);

/* Of the part -J* f that forces f at points (6 each: world axes, at the point) have in T:
 * dT_dq, nv x nv, and dT_df = -J*, nv x 6 points. f NULL: zero. */
SOA_API soa_status soa_point_force_derivatives(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, const double *f, double *dT_dq, double *dT_df,
    soa_error *error);

/* dvdot_df = Mass^-1 J*, nv x 6 points: what forces at the points do to the acceleration. */
SOA_API soa_status soa_point_acceleration_derivatives(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, double *dvdot_df, soa_error *error);

/* By gravity, three numbers in world axes: dT_dg and dvdot_dg, nv x 3 each. */
SOA_API soa_status soa_gravity_derivatives(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, double *dT_dg, double *dvdot_dg, soa_error *error);

/* ---- second derivatives -------------------------------------------------------------- */

/* The second derivatives of inverse dynamics summed with weights x: with L = sum of x_i T_i
 *     qq(j,k) = d/dq_k (dL/dq_j),  vq(j,k) = d/dq_k (dL/dv_j),
 *     vv(j,k) = d2L/dv_j dv_k,     aq(j,k) = d/dq_k (dL/dvdot_j),
 * nv x nv numbers each; those by v and vdot, and by vdot twice, are zero. qq is symmetric up to the turning of
 * the axes of joints with several velocities. */
SOA_API soa_status soa_inverse_dynamics_second_derivatives(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *vdot, const double *x, double *qq, double *vq, double *vv,
    double *aq, soa_error *error);

/* ---- articulated quantities ------------------------------------------------------------ */

/* The derivatives of P, D and G along a motion v of the joints (dP/dq_i: v = e_i). P: 6 x 6
 * per body, in the axes and at the origin of the frame of the body's link, as are the forces
 * of G; D: nv x 6 (row i has as many numbers as its joint velocities), G: 6 numbers per velocity. */
SOA_API soa_status soa_articulated_rates(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *P_dot, double *D_dot, double *G_dot, soa_error *error);

/* The diagonal form of the equations of motion, nv numbers each:
 *     nu = D^1/2* (I + H phi K)* v,  eps = D^-1/2 (I - H psi K) T,  nudot + mu = eps,          [DIAG]
 * D^1/2 the lower triangular factor of D (joint by joint). nu . nu is twice the kinetic energy. mu holds
 * gravity as well. T NULL: zero. Outputs may be the arrays v and T. */
SOA_API soa_status soa_diagonal_equations(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *T, double *nu, double *eps, double *mu, soa_error *error);

/* ---- closed systems ------------------------------------------------------------------------ */

/* The derivatives of soa_closed_forward_dynamics. The arrays are the caller's; what is NULL is not wanted. Those of
 * vdot have nv rows, those of the multipliers lambda as many as the set. */
typedef struct soa_closed_derivatives {
    double *vdot_q, *vdot_v, *vdot_T; /* nv columns each */
    double *lambda_q, *lambda_v, *lambda_T;
    double *work;                                /* scratch: soa_closed_derivatives_work numbers */
    double *vdot_g, *lambda_g;                   /* gravity of all systems alike: 3 columns */
    double *vdot_parameters, *lambda_parameters; /* ten per link (soa/parameters.h), system after system */
    double *vdot_placement, *lambda_placement;   /* six per body, as soa_forward_dynamics_placement, but with f */
    double *vdot_f, *lambda_f;                   /* forces at points: 6 columns each */
    int points;
    const soa_closed_point *point;
} soa_closed_derivatives;

SOA_API size_t soa_closed_derivatives_work(const soa_closures *set);

/* At q, v (NULL: rest), T and f (NULL: none) of all systems of the set, from
 *     Mass dvdot - J* dlambda = dT - (dID - dJ* lambda),  J dvdot = -(dJ vdot + dbias),
 * in O(n^3), every term exact. Sliding closures bring their friction with them, slip and all else kept. Where rows
 * depend on others, the derivatives of lambda are some of many that hold; those of vdot are the same for all.
 * Refusals: those of soa_closed_forward_dynamics. */
SOA_API soa_status soa_closed_forward_dynamics_derivatives(soa_closures *set, const double *q, const double *v,
    const double *T, const double *f, const soa_closed_derivatives *out, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
