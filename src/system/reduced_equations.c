/* system/reduced_equations.c - the equations of motion of the independent velocities.
 *
 *     mass = S* Mass S,   bias = S* (Mass vdot + C) at vdot_i = 0,   C_r = S* (C S + Mass dS/dt) */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "soa/christoffel.h"
#include "system/system.h"

/* to(i, k) = S* W, rows of `to` `stride` numbers apart. W is nv x dofs. */
static void put_projected(const soa_system *s, const double *W, double *to, size_t stride)
{
    for (size_t i = 0; i < s->dofs; i++) {
        for (size_t k = 0; k < s->dofs; k++) {
            double sum = 0.0;
            for (size_t a = 0; a < s->nv; a++) {
                sum += s->S[a * s->dofs + i] * W[a * s->dofs + k];
            }
            to[i * stride + k] = sum;
        }
    }
}

/* W += M X, X nv x dofs */
static void add_product(const soa_system *s, double *M, double *X, double *W)
{
    soa_multiply_add(
        s->nv, (soa_matrix_view){ M, s->nv }, (soa_matrix_view){ X, s->dofs }, (soa_matrix_view){ W, s->dofs });
}

static void set_product(const soa_system *s, double *M, double *X, double *W)
{
    memset(W, 0, s->nv * s->dofs * sizeof *W);
    add_product(s, M, X, W);
}

soa_status soa_system_mass_matrix(soa_system *s, double *mass, soa_error *error)
{
    if (!s || (!mass && s->dofs > 0)) {
        return soa_fail_null(error, "the system or a result");
    }
    const soa_status status = soa_mass_matrix(s->model, s->workspace, 1, s->q, s->M, error);
    if (status == SOA_OK) {
        set_product(s, s->M, s->S, s->W);
        put_projected(s, s->W, mass, s->dofs);
    }
    return soa_system_result(s, status, "mass", mass, s->dofs * s->dofs, error);
}

/* L of the mass matrix, in N; the joint that lost its pivot is named. */
soa_status soa_system_factor_mass(soa_system *s, soa_error *error)
{
    const soa_status status = soa_system_mass_matrix(s, s->N, error);
    const size_t rank = status == SOA_OK ? soa_cholesky(s->dofs, s->N, SOA_ROUNDED).rank : s->dofs;
    if (rank == s->dofs) {
        return status;
    }
    int body = soa_model_bodies(s->model) - 1;
    while (soa_model_body(s->model, body).v > s->independent[rank]) {
        body--;
    }
    const soa_link *link = soa_model_link(s->model, soa_model_body(s->model, body).link);
    return soa_fail(error, SOA_E_SINGULAR, body,
        "joint '%s', with the joints that follow it, moves nothing that has inertia; give a link that they move "
        "mass, or the joint armature",
        link->joint.name ? link->joint.name : link->name);
}

soa_status soa_system_mass_inverse(soa_system *s, double *inverse, soa_error *error)
{
    if (!s || (!inverse && s->dofs > 0)) {
        return soa_fail_null(error, "the system or a result");
    }
    const size_t n = s->dofs;
    const soa_status status = soa_system_factor_mass(s, error);
    for (size_t j = 0; j < n && status == SOA_OK; j++) {
        for (size_t i = 0; i < n; i++) {
            s->x[i] = i == j ? 1.0 : 0.0;
        }
        soa_cholesky_solve(n, s->N, s->x);
        for (size_t i = 0; i < n; i++) {
            inverse[i * n + j] = s->x[i];
        }
    }
    return soa_system_result(s, status, "inverse", inverse, n * n, error);
}

soa_status soa_system_bias_force(soa_system *s, double *bias, soa_error *error)
{
    if (!s || (!bias && s->dofs > 0)) {
        return soa_fail_null(error, "the system or a result");
    }
    double *vdot = s->W, *T = s->N;
    soa_status status = soa_system_acceleration(s, NULL, vdot, error);
    status =
        status == SOA_OK ? soa_inverse_dynamics(s->model, s->workspace, 1, s->q, s->v, vdot, NULL, T, error) : status;
    soa_system_project(s, T, bias);
    return soa_system_result(s, status, "bias", bias, s->dofs, error);
}

soa_status soa_system_gravity_force(soa_system *s, double *gravity, soa_error *error)
{
    if (!s || (!gravity && s->dofs > 0)) {
        return soa_fail_null(error, "the system or a result");
    }
    const soa_status status = soa_gravity_force(s->model, s->workspace, 1, s->q, s->N, error);
    soa_system_project(s, s->N, gravity);
    return soa_system_result(s, status, "gravity", gravity, s->dofs, error);
}

/* S* (C(x) S + Mass dS) for a motion x of all joints; Mass is in M. */
static soa_status connection(soa_system *s, const double *x, double *to, size_t stride, soa_error *error)
{
    soa_status status = soa_coriolis_matrix(s->model, s->workspace, 1, s->q, x, s->N, error);
    SOA_NEXT(status, soa_system_rate(s, x, error));
    if (status == SOA_OK) {
        soa_system_motion_rate(s);
        set_product(s, s->N, s->S, s->W);
        add_product(s, s->M, s->dS, s->W);
        put_projected(s, s->W, to, stride);
    }
    return status;
}

soa_status soa_system_coriolis_matrix(soa_system *s, double *C, soa_error *error)
{
    if (!s || (!C && s->dofs > 0)) {
        return soa_fail_null(error, "the system or a result");
    }
    soa_status status = soa_mass_matrix(s->model, s->workspace, 1, s->q, s->M, error);
    SOA_NEXT(status, connection(s, s->v, C, s->dofs, error));
    return soa_system_result(s, status, "C", C, s->dofs * s->dofs, error);
}

soa_status soa_system_christoffel(soa_system *s, double *symbols, soa_error *error)
{
    if (!s || (!symbols && s->dofs > 0)) {
        return soa_fail_null(error, "the system or a result");
    }
    const size_t n = s->dofs;
    soa_status status = soa_mass_matrix(s->model, s->workspace, 1, s->q, s->M, error);
    for (size_t j = 0; j < n && status == SOA_OK; j++) {
        double *motion = s->AX;
        soa_system_column(s, j, motion);
        status = connection(s, motion, symbols + j * n, n * n, error);
    }
    return soa_system_result(s, status, "symbols", symbols, n * n * n, error);
}

/* dmass_j(i, k) = C_i(j, k) + C_k(j, i), in place of the symbols. */
soa_status soa_system_mass_derivatives(soa_system *s, double *dmass, soa_error *error)
{
    if (!s || (!dmass && s->dofs > 0)) {
        return soa_fail_null(error, "the system or a result");
    }
    const size_t n = s->dofs;
    soa_status status = soa_mass_matrix(s->model, s->workspace, 1, s->q, s->M, error);
    for (size_t j = 0; j < n && status == SOA_OK; j++) {
        double *motion = s->AX, *own = dmass + j * n * n;
        soa_system_column(s, j, motion);
        status = connection(s, motion, own, n, error);
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k <= i; k++) {
                own[i * n + k] = own[k * n + i] = own[i * n + k] + own[k * n + i];
            }
        }
    }
    return soa_system_result(s, status, "dmass", dmass, n * n * n, error);
}

soa_status soa_system_jacobian(soa_system *s, int points, const soa_point *point, double *J, soa_error *error)
{
    if (!s || points < 0 || (points > 0 && (!point || !J))) {
        return soa_fail_null(error, "the system or a result");
    }
    soa_status status = SOA_OK;
    for (int p = 0; p < points && status == SOA_OK; p++) {
        double *own = s->AX;
        status = soa_jacobian(s->model, s->workspace, 1, &point[p], SOA_AXES_MIXED, 1, s->q, own, error);
        for (size_t i = 0; i < 6; i++) {
            soa_system_project(s, own + i * s->nv, J + ((size_t)p * 6 + i) * s->dofs);
        }
    }
    return soa_system_result(s, status, "J", J, points > 0 ? 6 * (size_t)points * s->dofs : 0, error);
}

/* ---- all joints --------------------------------------------------------------------------------------- */

/* lambda of the set from the forces F = J* lambda: R = E J has unit columns for the dependent velocities, so
 * lambda = E* mu, mu being F at the velocity that each row gives. */
static void put_multipliers(soa_system *s, const double *F)
{
    const size_t rows = (size_t)soa_closures_rows(s->set);
    memset(s->set->last.lambda, 0, rows * sizeof(double));
    for (size_t i = 0; i < s->nv; i++) {
        for (size_t k = 0; k < rows && s->solved_by[i] >= 0; k++) {
            s->set->last.lambda[k] += s->E[(size_t)s->solved_by[i] * rows + k] * F[i];
        }
    }
}

/* mass vdot_i = S* (T - Mass vdot_0 - C), vdot_0 that of vdot_i = 0: also where links without inertia make the tree
 * singular, if those that they follow have some. */
static soa_status reduced_forward_dynamics(
    soa_system *s, const double *T, const double *f, double *vdot, soa_error *error)
{
    double *F = s->AX, *b = F + s->nv, *given = b + s->nv;
    soa_status status = soa_system_factor_mass(s, error);
    SOA_NEXT(status, soa_system_acceleration(s, NULL, vdot, error));
    SOA_NEXT(status, soa_inverse_dynamics(s->model, s->workspace, 1, s->q, s->v, vdot, f, F, error));
    if (status != SOA_OK) {
        return status;
    }
    for (size_t i = 0; i < s->nv; i++) {
        F[i] = T[i] - F[i];
        given[i] = 0.0;
    }
    soa_system_project(s, F, b);
    soa_cholesky_solve(s->dofs, s->N, b);
    for (size_t j = 0; j < s->dofs; j++) {
        given[s->independent[j]] = b[j];
    }
    status = soa_system_acceleration(s, given, vdot, error);
    SOA_NEXT(status, soa_inverse_dynamics(s->model, s->workspace, 1, s->q, s->v, vdot, f, F, error));
    for (size_t i = 0; i < s->nv; i++) {
        F[i] -= T[i];
    }
    put_multipliers(s, F);
    return status;
}

soa_status soa_system_forward_dynamics(
    soa_system *s, const double *T, const double *f, double *vdot, soa_closed *closed, soa_error *error)
{
    if (!s || (!vdot && s->nv > 0)) {
        return soa_fail_null(error, "the system or a result");
    }
    const double *all = soa_system_total(s, T);
    const soa_status status = soa_closed_forward_dynamics(s->set, 1, s->q, s->v, all, f, vdot, NULL, closed, error);
    if (status != SOA_E_SINGULAR) {
        return status;
    }
    if (error) {
        soa_error_clear(error);
    }
    if (closed) {
        *closed = (soa_closed){ .rows = soa_closures_rows(s->set), .rank = (int)(s->nv - s->dofs), .condition = NAN };
    }
    return soa_system_result(s, reduced_forward_dynamics(s, all, f, vdot, error), "vdot", vdot, s->nv, error);
}

soa_status soa_system_inverse_dynamics(
    soa_system *s, const double *vdot, const double *f, const double *weight, double *T, soa_error *error)
{
    if (!s || (!T && s->nv > 0)) {
        return soa_fail_null(error, "the system or a result");
    }
    double *all = s->W;
    soa_status status = soa_system_acceleration(s, vdot, all, error);
    if (status != SOA_OK) {
        return status;
    }
    const soa_closed_input in = { .q = s->q, .v = s->v, .T = s->Q, .f = f };
    return soa_closed_drive(s->set, &in, all, weight ? weight : s->weight, T, error);
}
