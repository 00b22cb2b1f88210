/* sim/implicit_derivatives.c - how the accelerations of everything that acts change with q and v. */
#include <string.h>

#include "core/dense.h"
#include "core/error.h"
#include "sim/sim_system.h"
#include "soa/sens.h"

/* The generalized forces T + J* f, into T. */
static soa_status fold_forces(soa_sim *sim, const double *q, soa_error *error)
{
    double *with = sim->y_stage, *without = sim->y_try;
    soa_status status = soa_inverse_dynamics(sim->model, sim->workspace, 1, q, NULL, NULL, sim->f, with, error);
    SOA_NEXT(status, soa_inverse_dynamics(sim->model, sim->workspace, 1, q, NULL, NULL, NULL, without, error));
    for (int i = 0; i < sim->nv && status == SOA_OK; i++) {
        sim->T[i] += without[i] - with[i];
    }
    return status;
}

/* vdot_q and vdot_v of everything that acts, into the first two of the five matrices of sim->A. */
soa_status sim_derivatives(soa_sim *sim, double t, const double *y, soa_error *error)
{
    const size_t n = (size_t)sim->nv, nn = n * n;
    const double *v = y + sim->nq, *z = v + sim->nv;
    double *vdot_q = sim->A, *vdot_v = vdot_q + nn, *vdot_T = vdot_v + nn, *T_q = vdot_T + nn, *T_v = T_q + nn;
    soa_status status = soa_forces_derivatives(sim->forces, t, y, v, T_q, T_v, error);
    memset(vdot_q, 0, 2 * nn * sizeof *vdot_q);
    SOA_NEXT(status, sim_control_derivatives(sim, t, y, v, z, vdot_q, vdot_v, error));
    SOA_NEXT(status, sim_forces(sim, t, y, v, z, NULL, error));
    sim_actuator_derivatives(sim, t, y, v, vdot_q, vdot_v, sim->lag_rows);
    for (size_t i = 0; i < 2 * nn; i++) {
        T_q[i] += vdot_q[i];
    }
    status = status == SOA_OK && sim->holds + sim->leads > 0 ? sim_accelerate(sim, t, y, v, sim->vdot, error) : status;
    SOA_NEXT(status, fold_forces(sim, y, error));
    if (status != SOA_OK) {
        return status;
    }
    if (sim_is_closed(sim)) {
        const soa_closed_derivatives out = { .vdot_q = vdot_q, .vdot_v = vdot_v, .vdot_T = vdot_T };
        status = soa_closed_forward_dynamics_derivatives(sim->closures, 1, y, v, sim->T, NULL, &out, error);
    } else {
        status = soa_forward_dynamics_derivatives(
            sim->model, sim->workspace, 1, y, v, sim->T, NULL, vdot_q, vdot_v, vdot_T, sim->vdot, error);
    }
    const soa_matrix_view by_T = { vdot_T, n };
    soa_multiply_add(n, by_T, (soa_matrix_view){ T_q, n }, (soa_matrix_view){ vdot_q, n });
    soa_multiply_add(n, by_T, (soa_matrix_view){ T_v, n }, (soa_matrix_view){ vdot_v, n });
    sim_hold_derivatives(sim, vdot_T, n, vdot_q);
    sim_hold_derivatives(sim, vdot_T, n, vdot_v);
    sim_lag_columns(sim, vdot_T, sim->lag_rows + 2 * n * (size_t)sim->lags);
    sim_hold_derivatives(sim, vdot_T, (size_t)sim->lags, sim->lag_rows + 2 * n * (size_t)sim->lags);
    return status;
}
