/* sim/control_derivatives.c - how the forces of controllers change with q and v.
 *
 * Exact for every kind but expressions and functions of the user's: they are taken by differences of the eighth order, which
 * are exact for polynomials up to the eighth degree, such as what velocities do, and otherwise wrong by about 1e-12. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "sim/led_point.h"
#include "soa/sens.h"

/* [pd] [pid] dT = -kp dq - kd dv */
static void gains(const soa_sim *sim, const sim_controller *c, double *by_q, double *by_v)
{
    for (int i = 0; i < c->setup.joints; i++) {
        const size_t at = (size_t)c->at_v[i] * ((size_t)sim->nv + 1);
        by_q[at] = sim_controller_knows(c, i) ? -sim_gain(c->setup.kp, i) : 0.0;
        by_v[at] = sim_controller_knows(c, i) ? -sim_gain(c->setup.kd, i) : 0.0;
    }
}

/* [gravity] of inverse dynamics at rest */
static soa_status gravity(soa_sim *sim, const sim_controller *c, const double *q, double *by_q, soa_error *error)
{
    const size_t nv = (size_t)sim->nv;
    double *all = sim->control_work;
    const soa_status status =
        soa_inverse_dynamics_derivatives(sim->model, sim->workspace, 1, q, NULL, NULL, NULL, all, NULL, NULL, error);
    for (int i = 0; i < c->setup.joints && status == SOA_OK; i++) {
        const size_t row = (size_t)c->at_v[i] * nv;
        memcpy(by_q + row, all + row, nv * sizeof *by_q);
    }
    return status;
}

/* ---- by differences --------------------------------------------------------------------------------- */

enum { POINTS = 4 };

/* f' = sum of WEIGHT_j (f(x + j h) - f(x - j h)) / h */
static const double WEIGHT[POINTS] = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 };
#define APART 0.01

static soa_status difference(soa_sim *sim, const sim_controller *c, double t, const double *q, const double *v,
    const double *z, size_t at, double *out_q, double *out_v, soa_error *error)
{
    const size_t n = (size_t)sim->nv;
    double *near = sim->y_stage, *moved = sim->y_try, *tangent = sim->change;
    soa_status status = SOA_OK;
    for (int k = 0; k < 4 * POINTS && status == SOA_OK; k++) {
        const bool position = k < 2 * POINTS;
        const int j = k / 2 % POINTS;
        const double step = (k % 2 == 0 ? 1.0 : -1.0) * APART * (j + 1);
        memset(tangent, 0, n * sizeof *tangent);
        tangent[at] = step;
        memcpy(moved, v, n * sizeof *v);
        moved[at] += position ? 0.0 : step;
        memcpy(near, q, (size_t)sim->nq * sizeof *q);
        if (position) {
            soa_integrate(sim->model, q, tangent, 1.0, near);
        }
        memset(sim->control, 0, n * sizeof *sim->control);
        status = sim_control(sim, c, t, near, moved, z, NULL, error);
        double *out = position ? out_q : out_v;
        for (size_t i = 0; i < n; i++) {
            out[i * n + at] += WEIGHT[j] / APART * (step > 0.0 ? sim->control[i] : -sim->control[i]);
        }
    }
    return status;
}

static soa_status differences(soa_sim *sim, const sim_controller *c, double t, const double *q, const double *v,
    const double *z, double *by_q, double *by_v, soa_error *error)
{
    soa_status status = SOA_OK;
    for (size_t at = 0; at < (size_t)sim->nv && status == SOA_OK; at++) {
        status = difference(sim, c, t, q, v, z, at, by_q, by_v, error);
    }
    return status;
}

/* ---- all ---------------------------------------------------------------------------------------------- */

/* The derivatives of one controller, whose forces at the state are in sim->control. */
static soa_status derive(soa_sim *sim, const sim_controller *c, double t, const double *q, const double *v,
    const double *z, double *by_q, double *by_v, soa_error *error)
{
    switch (c->setup.kind) {
    case SOA_CONTROL_PD:
    case SOA_CONTROL_PID:
        gains(sim, c, by_q, by_v);
        return SOA_OK;
    case SOA_CONTROL_GRAVITY:
        return gravity(sim, c, q, by_q, error);
    case SOA_CONTROL_COMPUTED_TORQUE:
    case SOA_CONTROL_POINT:
        return sim_led_derivatives(sim, c, q, v, by_q, by_v, error);
    case SOA_CONTROL_PRESCRIBED:
        return SOA_OK;
    default:
        return differences(sim, c, t, q, v, z, by_q, by_v, error);
    }
}

/* A force at its limit stays there. */
static bool at_limit(const soa_sim *sim, const sim_controller *c, int row)
{
    for (int i = 0; c->setup.limit && i < c->setup.joints; i++) {
        if (c->at_v[i] == row) {
            return fabs(sim->control[row]) >= c->setup.limit[i];
        }
    }
    return false;
}

soa_status sim_control_derivatives(soa_sim *sim, double t, const double *q, const double *v, const double *z,
    double *by_q, double *by_v, soa_error *error)
{
    const size_t n = (size_t)sim->nv;
    double *own_q = sim->control_work + 4 * n * n, *own_v = own_q + n * n;
    soa_status status = SOA_OK;
    for (int k = 0; k < sim->controllers && status == SOA_OK; k++) {
        const sim_controller *c = &sim->controller[k];
        if (!c->enabled) {
            continue;
        }
        memset(own_q, 0, 2 * n * n * sizeof *own_q);
        memset(sim->control, 0, n * sizeof *sim->control);
        status = sim_control(sim, c, t, q, v, z, NULL, error);
        for (size_t i = 0; i < n; i++) {
            sim->vdot[i] = at_limit(sim, c, (int)i) ? 0.0 : 1.0;
        }
        SOA_NEXT(status, derive(sim, c, t, q, v, z, own_q, own_v, error));
        for (size_t i = 0; i < n * n; i++) {
            by_q[i] += sim->vdot[i / n] * own_q[i];
            by_v[i] += sim->vdot[i / n] * own_v[i];
        }
    }
    return status;
}
