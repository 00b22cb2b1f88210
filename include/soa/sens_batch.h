/* soa/sens_batch.h - derivatives of many states by several threads.
 *
 * Each function of soa/sens.h, soa/christoffel.h, soa/parameters.h and soa/linear.h that takes states, as
 * soa_batch_NAME, with a batch (soa/batch.h) for model and workspace:
 *     soa_batch_forward_dynamics_derivatives(batch, states, q, v, T, f, dvdot_dq, dvdot_dv, dvdot_dT, vdot, error)
 * Outputs, status and error are those of one call on all states, to the bit. Points: soa_batch_reserve. */
#ifndef SOA_SENS_BATCH_H
#define SOA_SENS_BATCH_H

#include "soa/batch.h"
#include "soa/christoffel.h"
#include "soa/linear.h"
#include "soa/parameters.h"
#include "soa/sens.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/* Of every function its arguments, as in soa/batch.h; m: the model. */
#define SOA_BATCH_inverse_dynamics_derivatives(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) IN(vdot, nv) IN(f, 6 * bodies) OUT(dT_dq, nv * nv) OUT(dT_dv, nv * nv) \
    OUT(dT_dvdot, nv * nv)
#define SOA_BATCH_forward_dynamics_derivatives(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) IN(T, nv) IN(f, 6 * bodies) OUT(dvdot_dq, nv * nv) OUT(dvdot_dv, nv * nv) \
    OUT(dvdot_dT, nv * nv) OUT(vdot, nv)
#define SOA_BATCH_point_force_derivatives(ARG, STATES, IN, OUT) \
    ARG(int, points) ARG(const soa_point *, point) STATES IN(q, nq) IN(f, 6 * points) OUT(dT_dq, nv * nv) \
    OUT(dT_df, 6 * points * nv)
#define SOA_BATCH_point_acceleration_derivatives(ARG, STATES, IN, OUT) \
    ARG(int, points) ARG(const soa_point *, point) STATES IN(q, nq) OUT(dvdot_df, 6 * points * nv)
#define SOA_BATCH_gravity_derivatives(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) OUT(dT_dg, 3 * nv) OUT(dvdot_dg, 3 * nv)
#define SOA_BATCH_inverse_dynamics_second_derivatives(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) IN(vdot, nv) IN(x, nv) OUT(qq, nv * nv) OUT(vq, nv * nv) OUT(vv, nv * nv) \
    OUT(aq, nv * nv)
#define SOA_BATCH_articulated_rates(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) \
    OUT(P_dot, (ptrdiff_t)soa_articulated_stride(m) * (ptrdiff_t)soa_articulated_stride(m) * (ptrdiff_t)bodies) \
    OUT(D_dot, (ptrdiff_t)soa_articulated_stride(m) * (ptrdiff_t)nv) \
    OUT(G_dot, (ptrdiff_t)soa_articulated_stride(m) * (ptrdiff_t)nv)
#define SOA_BATCH_diagonal_equations(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) IN(T, nv) OUT(nu, nv) OUT(eps, nv) OUT(mu, nv)
#define SOA_BATCH_mass_derivatives(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) OUT(dmass, nv * nv * nv)
#define SOA_BATCH_mass_derivative(ARG, STATES, IN, OUT) \
    ARG(int, velocity) STATES IN(q, nq) OUT(dmass, nv * nv)
#define SOA_BATCH_mass_rate(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(x, nv) OUT(rate, nv * nv)
#define SOA_BATCH_mass_product_derivative(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(x, nv) OUT(derivative, nv * nv)
#define SOA_BATCH_christoffel(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) OUT(symbols, nv * nv * nv)
#define SOA_BATCH_christoffel_packed(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) OUT(symbols, (ptrdiff_t)soa_christoffel_size(m))
#define SOA_BATCH_christoffel_product(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(x, nv) IN(y, nv) OUT(product, nv)
#define SOA_BATCH_regressor(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) IN(vdot, nv) OUT(Y, SOA_PARAMETERS * links * nv)
#define SOA_BATCH_forward_dynamics_parameters(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) IN(T, nv) OUT(dvdot_dpi, SOA_PARAMETERS * links * nv)
#define SOA_BATCH_inverse_dynamics_placement(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) IN(vdot, nv) OUT(dT, 6 * bodies * nv)
#define SOA_BATCH_forward_dynamics_placement(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) IN(T, nv) OUT(dvdot, 6 * bodies * nv)
#define SOA_BATCH_point_force_placement(ARG, STATES, IN, OUT) \
    ARG(int, points) ARG(const soa_point *, point) STATES IN(q, nq) IN(f, 6 * points) OUT(dT, 6 * bodies * nv)
#define SOA_BATCH_linear_model(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) IN(T, nv) IN(f, 6 * bodies) OUT(A, 4 * nv * nv) OUT(B, 2 * nv * nv) \
    OUT(C, 6 * nv * nv) OUT(D, 3 * nv * nv)
/* clang-format on */

/* The names of all of them. */
#define SOA_SENS_BATCH_LIST(X)             \
    X(inverse_dynamics_derivatives)        \
    X(forward_dynamics_derivatives)        \
    X(point_force_derivatives)             \
    X(point_acceleration_derivatives)      \
    X(gravity_derivatives)                 \
    X(inverse_dynamics_second_derivatives) \
    X(articulated_rates)                   \
    X(diagonal_equations)                  \
    X(mass_derivatives)                    \
    X(mass_derivative)                     \
    X(mass_rate)                           \
    X(mass_product_derivative)             \
    X(christoffel)                         \
    X(christoffel_packed)                  \
    X(christoffel_product)                 \
    X(regressor)                           \
    X(forward_dynamics_parameters)         \
    X(inverse_dynamics_placement)          \
    X(forward_dynamics_placement)          \
    X(point_force_placement)               \
    X(linear_model)

/* The functions themselves. */
SOA_API soa_status soa_batch_inverse_dynamics_derivatives(soa_batch *batch, int states, const double *q,
    const double *v, const double *vdot, const double *f, double *dT_dq, double *dT_dv, double *dT_dvdot,
    soa_error *error);
SOA_API soa_status soa_batch_forward_dynamics_derivatives(soa_batch *batch, int states, const double *q,
    const double *v, const double *T, const double *f, double *dvdot_dq, double *dvdot_dv, double *dvdot_dT,
    double *vdot, soa_error *error);
SOA_API soa_status soa_batch_point_force_derivatives(soa_batch *batch, int points, const soa_point *point, int states,
    const double *q, const double *f, double *dT_dq, double *dT_df, soa_error *error);
SOA_API soa_status soa_batch_point_acceleration_derivatives(soa_batch *batch, int points, const soa_point *point,
    int states, const double *q, double *dvdot_df, soa_error *error);
SOA_API soa_status soa_batch_gravity_derivatives(
    soa_batch *batch, int states, const double *q, double *dT_dg, double *dvdot_dg, soa_error *error);
SOA_API soa_status soa_batch_inverse_dynamics_second_derivatives(soa_batch *batch, int states, const double *q,
    const double *v, const double *vdot, const double *x, double *qq, double *vq, double *vv, double *aq,
    soa_error *error);
SOA_API soa_status soa_batch_articulated_rates(soa_batch *batch, int states, const double *q, const double *v,
    double *P_dot, double *D_dot, double *G_dot, soa_error *error);
SOA_API soa_status soa_batch_diagonal_equations(soa_batch *batch, int states, const double *q, const double *v,
    const double *T, double *nu, double *eps, double *mu, soa_error *error);
SOA_API soa_status soa_batch_mass_derivatives(
    soa_batch *batch, int states, const double *q, double *dmass, soa_error *error);
SOA_API soa_status soa_batch_mass_derivative(
    soa_batch *batch, int velocity, int states, const double *q, double *dmass, soa_error *error);
SOA_API soa_status soa_batch_mass_rate(
    soa_batch *batch, int states, const double *q, const double *x, double *rate, soa_error *error);
SOA_API soa_status soa_batch_mass_product_derivative(
    soa_batch *batch, int states, const double *q, const double *x, double *derivative, soa_error *error);
SOA_API soa_status soa_batch_christoffel(
    soa_batch *batch, int states, const double *q, double *symbols, soa_error *error);
SOA_API soa_status soa_batch_christoffel_packed(
    soa_batch *batch, int states, const double *q, double *symbols, soa_error *error);
SOA_API soa_status soa_batch_christoffel_product(
    soa_batch *batch, int states, const double *q, const double *x, const double *y, double *product, soa_error *error);
SOA_API soa_status soa_batch_regressor(
    soa_batch *batch, int states, const double *q, const double *v, const double *vdot, double *Y, soa_error *error);
SOA_API soa_status soa_batch_forward_dynamics_parameters(soa_batch *batch, int states, const double *q, const double *v,
    const double *T, double *dvdot_dpi, soa_error *error);
SOA_API soa_status soa_batch_inverse_dynamics_placement(
    soa_batch *batch, int states, const double *q, const double *v, const double *vdot, double *dT, soa_error *error);
SOA_API soa_status soa_batch_forward_dynamics_placement(
    soa_batch *batch, int states, const double *q, const double *v, const double *T, double *dvdot, soa_error *error);
SOA_API soa_status soa_batch_point_force_placement(soa_batch *batch, int points, const soa_point *point, int states,
    const double *q, const double *f, double *dT, soa_error *error);
SOA_API soa_status soa_batch_linear_model(soa_batch *batch, int states, const double *q, const double *v,
    const double *T, const double *f, double *A, double *B, double *C, double *D, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
