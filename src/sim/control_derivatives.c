/* sim/control_derivatives.c - how the forces of controllers change with q and v.
 *
 * Exact for every kind but expressions and functions of the user's: they are taken by differences of the eighth order, which
 * are exact for polynomials up to the eighth degree, such as what velocities do, and otherwise wrong by about 1e-12. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/error.h"
#include "sim/led_point.h"
#include "soa/sens.h"

static double gain(const double *k, int i)
{
    return k ? k[i] : 0.0;
}

/* Whether the controller knows the state of joint number i itself: what an encoder shows is constant during a step. */
static bool knows(const sim_controller *c, int i)
{
    return !c->setup.sensor || c->setup.sensor[i] < 0;
}

/* [pd] [pid] dT = -kp dq - kd dv */
static void gains(const soa_sim *sim, const sim_controller *c, double *by_q, double *by_v)
{
    for (int i = 0; i < c->setup.joints; i++) {
        const size_t at = (size_t)c->at_v[i] * ((size_t)sim->nv + 1);
        by_q[at] = knows(c, i) ? -gain(c->setup.kp, i) : 0.0;
        by_v[at] = knows(c, i) ? -gain(c->setup.kd, i) : 0.0;
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

/* ---- [computed-torque] --------------------------------------------------------------------------- */

/* Its joints p accelerate as asked, dvdot_p = -kp dq - kd dv; the others u bear no force:
 *     Mass_uu dvdot_u = -(dID + Mass dvdot_p)_u,    dT_p = (dID + Mass dvdot)_p. */
typedef struct torque_work {
    int others;
    double *ID_q, *ID_v, *Mass, *L, *column; /* nv x nv; L of Mass_uu; nv */
    bool own[SOA_MAX_REDUCED];
} torque_work;

static bool factor_others(const soa_sim *sim, torque_work *w)
{
    size_t at = 0;
    for (int i = 0; i < sim->nv; i++) {
        for (int j = 0; j < sim->nv && !w->own[i]; j++) {
            if (!w->own[j]) {
                w->L[at++] = w->Mass[i * sim->nv + j];
            }
        }
        w->others += !w->own[i];
    }
    return soa_cholesky((size_t)w->others, w->L, SOA_ROUNDED).rank == (size_t)w->others;
}

/* Along velocity k, whose own joint is asked for dvdot_k = asked. */
static void torque_along(const soa_sim *sim, torque_work *w, const double *ID, int k, double asked, double *out)
{
    const int nv = sim->nv;
    double *x = w->column, *u = x + nv;
    for (int i = 0, at = 0; i < nv; i++) {
        if (!w->own[i]) {
            u[at++] = -(ID[i * nv + k] + w->Mass[i * nv + k] * asked);
        }
    }
    soa_cholesky_solve((size_t)w->others, w->L, u);
    for (int i = 0, at = 0; i < nv; i++) {
        x[i] = !w->own[i] ? u[at++] : i == k ? asked : 0.0;
    }
    for (int i = 0; i < nv; i++) {
        double sum = ID[i * nv + k];
        for (int j = 0; j < nv; j++) {
            sum += w->Mass[i * nv + j] * x[j];
        }
        out[i * nv + k] = w->own[i] ? sum : 0.0;
    }
}

/* sim_control has left in c->value how its joints and the others accelerate. */
static soa_status computed_torque(soa_sim *sim, const sim_controller *c, const double *q, const double *v, double *by_q,
    double *by_v, soa_error *error)
{
    const size_t nv = (size_t)sim->nv, nn = nv * nv;
    double *at = sim->control_work;
    torque_work w = { .ID_q = at, .ID_v = at + nn, .Mass = at + 2 * nn, .L = at + 3 * nn, .column = at + 6 * nn };
    soa_status status = soa_inverse_dynamics_derivatives(
        sim->model, sim->workspace, 1, q, v, c->value, NULL, w.ID_q, w.ID_v, w.Mass, error);
    for (int i = 0; i < c->setup.joints; i++) {
        w.own[c->at_v[i]] = true;
    }
    if (status == SOA_OK && !factor_others(sim, &w)) {
        status = soa_fail(error, SOA_E_SINGULAR, -1, "controller '%s': joints that it does not drive move nothing",
            c->setup.name ? c->setup.name : "");
    }
    for (int k = 0; k < sim->nv && status == SOA_OK; k++) {
        double kp = 0.0, kd = 0.0;
        for (int i = 0; i < c->setup.joints; i++) {
            if (c->at_v[i] == k && knows(c, i)) {
                kp = gain(c->setup.kp, i);
                kd = gain(c->setup.kd, i);
            }
        }
        torque_along(sim, &w, w.ID_q, k, -kp, by_q);
        torque_along(sim, &w, w.ID_v, k, -kd, by_v);
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

static bool is_flexible(const soa_model *model)
{
    bool flexible = false;
    for (int k = 0; k < soa_model_bodies(model); k++) {
        flexible = flexible || soa_model_body(model, k).flexible;
    }
    return flexible;
}

/* Of one controller, whose forces at the state are in sim->control. */
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
        return computed_torque(sim, c, q, v, by_q, by_v, error);
    case SOA_CONTROL_PRESCRIBED:
        return SOA_OK;
    case SOA_CONTROL_POINT:
        return is_flexible(sim->model) ? differences(sim, c, t, q, v, z, by_q, by_v, error)
                                       : sim_led_derivatives(sim, c, q, v, by_q, by_v, error);
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
        status = status == SOA_OK ? derive(sim, c, t, q, v, z, own_q, own_v, error) : status;
        for (size_t i = 0; i < n * n; i++) {
            by_q[i] += sim->vdot[i / n] * own_q[i];
            by_v[i] += sim->vdot[i / n] * own_v[i];
        }
    }
    return status;
}
