/* soa/christoffel.h - derivatives of the mass matrix, and Christoffel symbols.
 *
 * Arrays, states, workspaces, layouts and refusals are those of soa/dynamics.h. d/dq_i is the derivative along velocity
 * i: the rate of change when the joints move with v = e_i and all else stays the same. For joints whose velocities are
 * the rates of their coordinates it is the partial derivative.
 *
 *     C_i(j,k) = 1/2 (dMass(i,j)/dq_k + dMass(i,k)/dq_j - dMass(j,k)/dq_i) + structure constants    [CHR]
 *
 * Spherical, free and planar joints have structure constants, because their velocities are not the rates of
 * coordinates. With them C_i(j,k) need not equal C_i(k,j). These always hold:
 *     C(q,v)(i,k)   = sum_j C_i(j,k) v_j             the Coriolis matrix of soa_coriolis_matrix,
 *     dMass(i,k)/dq_j = C_i(j,k) + C_k(j,i). */
#ifndef SOA_CHRISTOFFEL_H
#define SOA_CHRISTOFFEL_H

#include "soa/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- mass matrix ------------------------------------------------------------------------ */

/* Computes the derivatives of the mass matrix, dmass[i] = dMass/dq_i: nv x nv x nv numbers per state.  [DM] */
SOA_API soa_status soa_mass_derivatives(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *dmass, soa_error *error);

/* Computes dMass/dq_i for one velocity i: nv x nv numbers per state. */
SOA_API soa_status soa_mass_derivative(const soa_model *model, soa_workspace *workspace, int velocity, int states,
    const double *q, double *dmass, soa_error *error);

/* Computes the rate of the mass matrix for v = x: the sum of x_i dMass/dq_i, nv x nv. */
SOA_API soa_status soa_mass_rate(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *x, double *rate, soa_error *error);

/* Computes d(Mass x)/dq for constant x, nv x nv: row j, column i is d(Mass x)_j/dq_i. */
SOA_API soa_status soa_mass_product_derivative(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *x, double *derivative, soa_error *error);

/* ---- Christoffel symbols --------------------------------------------------------------------- */

/* Computes the Christoffel symbols: C_i(j,k) stands at (i nv + j) nv + k. */
SOA_API soa_status soa_christoffel(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *symbols, soa_error *error);

/* Computes only the symbols that may differ from zero: those with i, j and k on one path from the base. The size is how
 * many there are; the index is where a symbol stands, or -1 if it is zero. They are ordered by the last velocity c on
 * the path, which has d velocities up to it: C_c(r,s), d x d; C_r(c,s), d - 1 rows of d; C_r(s,c), (d - 1) x (d - 1). */
SOA_API long long soa_christoffel_size(const soa_model *model);
SOA_API long long soa_christoffel_index(const soa_model *model, int i, int j, int k);
SOA_API soa_status soa_christoffel_packed(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *symbols, soa_error *error);

/* Computes the sum over j and k of C_i(j,k) x_j y_k in O(n): nv numbers. For x = y = v it is the Coriolis force. */
SOA_API soa_status soa_christoffel_product(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *x, const double *y, double *product, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
