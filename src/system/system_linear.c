/* system/system_linear.c - linear models of a system, in all displacements and in the independent ones.
 *
 *     x = X x_i,   X = (S 0; Q S),   Q e_j = dv along S e_j with v_i kept:  J Q e_j + J_dot(S e_j) v = 0 */
#include <string.h>

#include "core/error.h"
#include "soa/linear.h"
#include "system/system.h"

soa_status soa_system_linear_model(
    soa_system *s, const double *T, const double *f, double *A, double *B, double *C, double *D, soa_error *error)
{
    if (!s) {
        return soa_fail_null(error, "the system");
    }
    const soa_status status =
        soa_closed_linear_model(s->set, 1, s->q, s->v, soa_system_total(s, T), f, A, B, C, D, error);
    if (status ==
        SOA_E_SINGULAR) { /* the solver of closures names a joint that cannot be moved by itself, a follower too */
        (void)soa_system_factor_mass(s, error);
    }
    return status == SOA_OK && soa_forces_count(s->forces) > 0
               ? soa_forces_linear(s->forces, 0.0, s->q, s->v, A, B, C, s->X, error)
               : status;
}

/* J_dot along S e_j, and column j of S into `motion`. */
static soa_status move_along(soa_system *s, size_t j, double *motion, soa_error *error)
{
    soa_system_column(s, j, motion);
    return soa_system_rate(s, motion, error);
}

/* X, 2nv x 2dofs */
static soa_status fill_X(soa_system *s, soa_error *error)
{
    const size_t n = s->dofs, rows = (size_t)soa_closures_rows(s->set);
    soa_status status = SOA_OK;
    for (size_t j = 0; j < n && status == SOA_OK; j++) {
        double *motion = s->N, *change = s->N + s->nv;
        status = move_along(s, j, motion, error);
        soa_multiply(rows, s->nv, s->J_dot, s->v, s->x);
        memset(change, 0, s->nv * sizeof *change);
        soa_system_follow(s, s->x, change);
        for (size_t i = 0; i < s->nv; i++) {
            s->X[i * 2 * n + j] = s->X[(s->nv + i) * 2 * n + n + j] = motion[i];
            s->X[i * 2 * n + n + j] = 0.0;
            s->X[(s->nv + i) * 2 * n + j] = change[i];
        }
    }
    return status;
}

/* A, B of all joints, X, and AX = A X. */
static soa_status fill_minimal(soa_system *s, const double *T, const double *f, soa_error *error)
{
    const size_t n = 2 * s->dofs, N = 2 * s->nv;
    soa_status status = soa_system_linear_model(s, T, f, s->A, s->B, NULL, NULL, error);
    SOA_NEXT(status, fill_X(s, error));
    memset(s->AX, 0, N * n * sizeof *s->AX);
    soa_multiply_add(status == SOA_OK ? N : 0, (soa_matrix_view){ s->A, N }, (soa_matrix_view){ s->X, n },
        (soa_matrix_view){ s->AX, n });
    return status;
}

soa_status soa_system_minimal_model(
    soa_system *s, const double *T, const double *f, double *A, double *B, double *C, double *D, soa_error *error)
{
    if (!s || !A || !B) {
        return soa_fail_null(error, "the system or a result");
    }
    const size_t nv = s->nv, n = 2 * s->dofs;
    const soa_status status = fill_minimal(s, T, f, error);
    if (status != SOA_OK) {
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t from = i < s->dofs ? (size_t)s->independent[i] : nv + (size_t)s->independent[i - s->dofs];
        memcpy(A + i * n, s->AX + from * n, n * sizeof *A);
        memcpy(B + i * nv, s->B + from * nv, nv * sizeof *B);
    }
    if (C) {
        memcpy(C, s->X, 2 * nv * n * sizeof *C);
        memcpy(C + 2 * nv * n, s->AX + nv * n, nv * n * sizeof *C);
    }
    if (D) {
        memset(D, 0, 2 * nv * nv * sizeof *D);
        memcpy(D + 2 * nv * nv, s->B + nv * nv, nv * nv * sizeof *D);
    }
    const soa_status fits = soa_system_result(s, status, "A", A, n * n, error);
    return soa_system_result(s, fits, "C", C, 3 * nv * n, error);
}

/* ---- inverse dynamics ------------------------------------------------------------------------------------- */

/* Vectors of nv numbers that the derivatives of inverse dynamics need. */
typedef struct id_vectors {
    double *a, *a0, *F;             /* vdot, that of forward dynamics without forces, and inverse dynamics at vdot */
    double *motion, *da, *dF, *da0; /* along one velocity: of v or q, of vdot, of the forces */
} id_vectors;

static id_vectors id_vectors_of(const soa_system *s)
{
    double *at = s->B;
    const size_t nv = s->nv;
    return (id_vectors){ at, at + nv, at + 2 * nv, at + 3 * nv, at + 4 * nv, at + 5 * nv, at + 6 * nv };
}

/* da of the dependent velocities with vdot_i kept:  J da + J_dot (a - a0) = J da0; moves false: J_dot = 0. */
static void fill_da(soa_system *s, const id_vectors *z, bool moves)
{
    const size_t rows = (size_t)soa_closures_rows(s->set);
    soa_multiply(rows, s->nv, s->J, z->da0, s->x);
    for (size_t k = 0; k < rows; k++) {
        s->x[k] = -s->x[k];
        for (size_t i = 0; i < s->nv && moves; i++) {
            s->x[k] += s->J_dot[k * s->nv + i] * (z->a[i] - z->a0[i]);
        }
    }
    memset(z->da, 0, s->nv * sizeof *z->da);
    soa_system_follow(s, s->x, z->da);
}

static void column_of(size_t rows, size_t columns, const double *A, size_t j, double *to)
{
    for (size_t i = 0; i < rows; i++) {
        to[i] = A[i * columns + j];
    }
}

/* y += A x, nv x nv */
static void add_multiply(const soa_system *s, const double *A, const double *x, double *y)
{
    soa_multiply(s->nv, s->nv, A, x, s->x);
    for (size_t i = 0; i < s->nv; i++) {
        y[i] += s->x[i];
    }
}

/* Column j of d/dq (moves) or d/dv of S* F; M, N, W hold dT_dvdot, dT_dq, dT_dv of the tree. */
static soa_status id_column(soa_system *s, const id_vectors *z, size_t j, bool moves, double *to, soa_error *error)
{
    const size_t n = s->dofs;
    soa_status status = move_along(s, j, z->motion, error);
    column_of(s->nv, 2 * n, s->AX + s->nv * 2 * n, moves ? j : n + j, z->da0);
    fill_da(s, z, moves);
    memset(z->dF, 0, s->nv * sizeof *z->dF);
    add_multiply(s, moves ? s->N : s->W, z->motion, z->dF);
    add_multiply(s, s->M, z->da, z->dF);
    if (moves) {
        column_of(s->nv, 2 * n, s->X + s->nv * 2 * n, j, z->motion);
        add_multiply(s, s->W, z->motion, z->dF);
    }
    soa_system_project(s, z->dF, s->y);
    for (size_t i = 0; i < n; i++) {
        to[i * n + j] = s->y[i];
    }
    if (moves) {
        soa_system_motion_rate(s);
    }
    for (size_t i = 0; i < n && moves; i++) {
        for (size_t k = 0; k < s->nv; k++) {
            to[i * n + j] += s->dS[k * n + i] * z->F[k];
        }
    }
    return status;
}

/* F - Q, and its derivatives by q and v. */
static soa_status less_forces(soa_system *s, const id_vectors *z, soa_error *error)
{
    const size_t nv = s->nv;
    double *Q_q = s->A, *Q_v = Q_q + nv * nv;
    const soa_status status = soa_forces_derivatives(s->forces, 0.0, s->q, s->v, Q_q, Q_v, error);
    for (size_t i = 0; i < nv && status == SOA_OK; i++) {
        z->F[i] -= s->Q[i];
    }
    for (size_t i = 0; i < nv * nv && status == SOA_OK; i++) {
        s->N[i] -= Q_q[i];
        s->W[i] -= Q_v[i];
    }
    return status;
}

soa_status soa_system_inverse_dynamics_derivatives(
    soa_system *s, const double *vdot, double *dT_dq, double *dT_dv, soa_error *error)
{
    if (!s || !dT_dq || !dT_dv) {
        return soa_fail_null(error, "the system or a result");
    }
    soa_status status = fill_minimal(s, NULL, NULL, error);
    const id_vectors z = id_vectors_of(s);
    SOA_NEXT(status, soa_system_acceleration(s, vdot, z.a, error));
    SOA_NEXT(status, soa_system_forward_dynamics(s, NULL, NULL, z.a0, NULL, error));
    SOA_NEXT(status, soa_inverse_dynamics(s->model, s->workspace, 1, s->q, s->v, z.a, NULL, z.F, error));
    if (status == SOA_OK) {
        status =
            soa_inverse_dynamics_derivatives(s->model, s->workspace, 1, s->q, s->v, z.a, NULL, s->N, s->W, s->M, error);
    }
    SOA_NEXT(status, less_forces(s, &z, error));
    for (size_t j = 0; j < s->dofs && status == SOA_OK; j++) {
        status = id_column(s, &z, j, true, dT_dq, error);
        SOA_NEXT(status, id_column(s, &z, j, false, dT_dv, error));
    }
    status = soa_system_result(s, status, "dT_dq", dT_dq, s->dofs * s->dofs, error);
    return soa_system_result(s, status, "dT_dv", dT_dv, s->dofs * s->dofs, error);
}
