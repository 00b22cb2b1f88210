/* soa/sens.h - derivatives of the dynamics of trees.
 *
 * Arrays, states, workspaces, layouts and refusals are those of soa/dynamics.h. The functions do not compute an output
 * that is NULL. A matrix dy_dx has a row for each y and a column for each x; it is stored row by row.
 *
 * Derivatives with respect to q are taken in the tangent space of each joint: column j is the rate of change when the
 * joints move with v = e_j while all numbers of v, vdot and T stay the same. For a joint whose v is the rate of q this
 * is the partial derivative with respect to q_j. External forces keep their numbers in world axes, too, while the point
 * at which they act moves. */
#ifndef SOA_SENS_H
#define SOA_SENS_H

#include "soa/closure.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- first derivatives ------------------------------------------------------------- */

/* Computes the derivatives of inverse dynamics: nv x nv numbers per state each. dT_dvdot is the mass matrix.  [LIN] */
SOA_API soa_status soa_inverse_dynamics_derivatives(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *vdot, const double *f, double *dT_dq, double *dT_dv,
    double *dT_dvdot, soa_error *error);

/* Computes the derivatives of forward dynamics, and vdot itself. dvdot_dT is the inverse of the mass matrix.  [LIN] */
SOA_API soa_status soa_forward_dynamics_derivatives(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *T, const double *f, double *dvdot_dq, double *dvdot_dv,
    double *dvdot_dT, double *vdot, soa_error *error);

/* Computes the derivatives of -J* f, the part of T that balances forces f at points (6 numbers each, in world axes, at
 * the point): dT_dq, nv x nv, and dT_df = -J*, nv x 6 points. */
SOA_API soa_status soa_point_force_derivatives(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, const double *f, double *dT_dq, double *dT_df,
    soa_error *error);

/* Computes dvdot_df = Mass^-1 J*, nv x 6 points: how forces at the points change the acceleration. */
SOA_API soa_status soa_point_acceleration_derivatives(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, double *dvdot_df, soa_error *error);

/* Computes the derivatives with respect to gravity, three numbers in world axes: dT_dg and dvdot_dg, nv x 3 each. */
SOA_API soa_status soa_gravity_derivatives(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, double *dT_dg, double *dvdot_dg, soa_error *error);

/* ---- second derivatives -------------------------------------------------------------- */

/* Computes the second derivatives of inverse dynamics, summed with weights x. With L = sum of x_i T_i
 *     qq(j,k) = d/dq_k (dL/dq_j),  vq(j,k) = d/dq_k (dL/dv_j),
 *     vv(j,k) = d2L/dv_j dv_k,     aq(j,k) = d/dq_k (dL/dvdot_j),
 * nv x nv numbers each. The derivatives by v and vdot, and by vdot twice, are zero. qq is symmetric if every joint has
 * one velocity; the turning axes of other joints add a skew part. SOA_E_UNSUPPORTED: the model has flexible links, and the
 * library was built by a compiler that knows no C++. */
SOA_API soa_status soa_inverse_dynamics_second_derivatives(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *vdot, const double *x, double *qq, double *vq, double *vv,
    double *aq, soa_error *error);

/* ---- articulated quantities ------------------------------------------------------------ */

/* Computes the derivatives of P, D and G along a motion v of the joints; v = e_i gives dP/dq_i. P has s x s numbers per
 * body, in the axes and at the origin of the frame of the body's link, and so have the forces of G. D is nv x s: row i
 * has as many numbers as its joint has velocities. G has s numbers per velocity. s is soa_articulated_stride: 6, and 6 + the
 * most modes of a link if there are flexible links. A body of modes (soa_body.flexible) has 6 + modes numbers, as in
 * soa/operator.h; what is left of a row is zero. */
SOA_API int soa_articulated_stride(const soa_model *model);
SOA_API soa_status soa_articulated_rates(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *P_dot, double *D_dot, double *G_dot, soa_error *error);

/* Computes the diagonal form of the equations of motion, nv numbers each:
 *     nu = D^1/2* (I + H phi K)* v,  eps = D^-1/2 (I - H psi K) T,  nudot + mu = eps,          [DIAG]
 * where D^1/2 is the lower triangular factor of D, joint by joint. nu . nu is twice the kinetic energy. mu includes
 * gravity. The outputs may be the arrays v and T. */
SOA_API soa_status soa_diagonal_equations(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *T, double *nu, double *eps, double *mu, soa_error *error);

/* ---- closed systems ------------------------------------------------------------------------ */

/* The derivatives of soa_closed_forward_dynamics. The caller owns the arrays; those that are NULL are not computed. The
 * derivatives of vdot have nv rows, those of the multipliers lambda one row per row of the set. */
typedef struct soa_closed_derivatives {
    double *vdot_q, *vdot_v, *vdot_T; /* nv columns each */
    double *lambda_q, *lambda_v, *lambda_T;
    double *vdot_g, *lambda_g;                   /* gravity of all systems alike: 3 columns */
    double *vdot_parameters, *lambda_parameters; /* ten per link (soa/parameters.h), system after system */
    double *vdot_placement, *lambda_placement;   /* six per body, as soa_forward_dynamics_placement, but with f */
    double *vdot_f, *lambda_f;                   /* forces at points: 6 columns each */
    int points;
    const soa_closed_point *point;
} soa_closed_derivatives;

/* Makes room in a set for its derivatives and linear models: memory of order nv^2, for any choice of enabled closures. Call
 * it once before them. */
SOA_API soa_status soa_closures_reserve_derivatives(soa_closures *set, soa_error *error);

/* Computes the derivatives at q, v, T and f of all systems of the set, from
 *     Mass dvdot - J* dlambda = dT - (dID - dJ* lambda),  J dvdot = -(dJ vdot + dbias).
 * Every term is exact; the cost is O(n^3) per state. v, T and f may be NULL. The friction of sliding closures is included, with
 * its slip kept constant. If rows depend on each other, the derivatives of lambda are one of many solutions; those of
 * vdot are unique. The function refuses what soa_closed_forward_dynamics refuses. SOA_E_LIMIT: the set has no room; call
 * soa_closures_reserve_derivatives. */
SOA_API soa_status soa_closed_forward_dynamics_derivatives(soa_closures *set, int states, const double *q,
    const double *v, const double *T, const double *f, const soa_closed_derivatives *out, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
