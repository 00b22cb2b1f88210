/* system/reduced_equations.c - the equations of motion of the independent velocities.
 *
 *     mass = S* Mass S,   bias = S* (Mass vdot + C) at vdot_i = 0,   C_r = S* (C S + Mass dS/dt) */
#include <string.h>

#include "core/dense.h"
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
static void add_product(const soa_system *s, const double *M, const double *X, double *W)
{
    for (size_t a = 0; a < s->nv; a++) {
        for (size_t b = 0; b < s->nv; b++) {
            const double m = M[a * s->nv + b];
            for (size_t k = 0; k < s->dofs && m != 0.0; k++) {
                W[a * s->dofs + k] += m * X[b * s->dofs + k];
            }
        }
    }
}

static void set_product(const soa_system *s, const double *M, const double *X, double *W)
{
    memset(W, 0, s->nv * s->dofs * sizeof *W);
    add_product(s, M, X, W);
}

soa_status soa_system_mass_matrix(soa_system *s, double *mass, soa_error *error)
{
    const soa_status status = soa_mass_matrix(s->model, s->workspace, 1, s->q, s->M, error);
    if (status == SOA_OK) {
        set_product(s, s->M, s->S, s->W);
        put_projected(s, s->W, mass, s->dofs);
    }
    return status;
}

soa_status soa_system_mass_inverse(soa_system *s, double *inverse, soa_error *error)
{
    const size_t n = s->dofs;
    soa_status status = soa_system_mass_matrix(s, s->N, error);
    if (status == SOA_OK && soa_cholesky(n, s->N, SOA_ROUNDED).rank < n) {
        status = soa_fail(error, SOA_E_SINGULAR, -1,
            "a motion that the closures and couplings allow moves nothing that has inertia; give a link mass");
    }
    for (size_t j = 0; j < n && status == SOA_OK; j++) {
        for (size_t i = 0; i < n; i++) {
            s->x[i] = i == j ? 1.0 : 0.0;
        }
        soa_cholesky_solve(n, s->N, s->x);
        for (size_t i = 0; i < n; i++) {
            inverse[i * n + j] = s->x[i];
        }
    }
    return status;
}

soa_status soa_system_bias_force(soa_system *s, double *bias, soa_error *error)
{
    double *vdot = s->W, *T = s->N;
    soa_status status = soa_system_acceleration(s, NULL, vdot, error);
    status =
        status == SOA_OK ? soa_inverse_dynamics(s->model, s->workspace, 1, s->q, s->v, vdot, NULL, T, error) : status;
    soa_system_project(s, T, bias);
    return status;
}

soa_status soa_system_gravity_force(soa_system *s, double *gravity, soa_error *error)
{
    const soa_status status = soa_gravity_force(s->model, s->workspace, 1, s->q, s->N, error);
    soa_system_project(s, s->N, gravity);
    return status;
}

/* S* (C(x) S + Mass dS) for a motion x of all joints; Mass is in M. */
static soa_status connection(soa_system *s, const double *x, double *to, size_t stride, soa_error *error)
{
    soa_status status = soa_coriolis_matrix(s->model, s->workspace, 1, s->q, x, s->N, error);
    status = status == SOA_OK ? soa_system_rate(s, x, error) : status;
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
    const soa_status status = soa_mass_matrix(s->model, s->workspace, 1, s->q, s->M, error);
    return status == SOA_OK ? connection(s, s->v, C, s->dofs, error) : status;
}

soa_status soa_system_christoffel(soa_system *s, double *symbols, soa_error *error)
{
    const size_t n = s->dofs;
    soa_status status = soa_mass_matrix(s->model, s->workspace, 1, s->q, s->M, error);
    for (size_t j = 0; j < n && status == SOA_OK; j++) {
        double *motion = s->AX;
        for (size_t i = 0; i < s->nv; i++) {
            motion[i] = s->S[i * n + j];
        }
        status = connection(s, motion, symbols + j * n, n * n, error);
    }
    return status;
}

/* dmass_j(i, k) = C_i(j, k) + C_k(j, i), in place of the symbols. */
soa_status soa_system_mass_derivatives(soa_system *s, double *dmass, soa_error *error)
{
    const size_t n = s->dofs;
    soa_status status = soa_mass_matrix(s->model, s->workspace, 1, s->q, s->M, error);
    for (size_t j = 0; j < n && status == SOA_OK; j++) {
        double *motion = s->AX, *own = dmass + j * n * n;
        for (size_t i = 0; i < s->nv; i++) {
            motion[i] = s->S[i * n + j];
        }
        status = connection(s, motion, own, n, error);
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k <= i; k++) {
                own[i * n + k] = own[k * n + i] = own[i * n + k] + own[k * n + i];
            }
        }
    }
    return status;
}

soa_status soa_system_jacobian(soa_system *s, int points, const soa_point *point, double *J, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int p = 0; p < points && status == SOA_OK; p++) {
        double *own = s->AX;
        status = soa_jacobian(s->model, s->workspace, 1, &point[p], SOA_AXES_MIXED, 1, s->q, own, error);
        for (size_t i = 0; i < 6; i++) {
            soa_system_project(s, own + i * s->nv, J + ((size_t)p * 6 + i) * s->dofs);
        }
    }
    return status;
}

/* ---- all joints --------------------------------------------------------------------------------------- */

soa_status soa_system_forward_dynamics(
    soa_system *s, const double *T, const double *f, double *vdot, soa_closed *closed, soa_error *error)
{
    return soa_closed_forward_dynamics(s->set, s->q, s->v, T, f, vdot, closed, error);
}

soa_status soa_system_inverse_dynamics(
    soa_system *s, const double *vdot, const double *f, const double *weight, double *T, soa_error *error)
{
    double *all = s->W;
    soa_status status = soa_system_acceleration(s, vdot, all, error);
    if (status != SOA_OK) {
        return status;
    }
    return soa_closed_inverse_dynamics(s->set, s->q, s->v, all, f, weight ? weight : s->weight, T, error);
}
