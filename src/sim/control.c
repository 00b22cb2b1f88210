/* sim/control.c - the forces of controllers at a state. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "sim/sim_system.h"

void sim_reference_at(const sim_controller *c, int i, double t, double x[3])
{
    if (c->setup.reference) {
        soa_path_at(&c->setup.reference[i], t, x);
    } else {
        x[0] = c->reference[i];
        x[1] = x[2] = 0.0;
    }
}

/* q and v of joint number i, as its encoder shows them if it has one. */
static void state_of(const soa_sim *sim, const sim_controller *c, int i, const double *q, const double *v, double x[2])
{
    const double *shown = sim_controller_knows(c, i) ? NULL : sim_sensor_shown(sim, c->setup.sensor[i]);
    x[0] = shown ? shown[0] : q[c->at_q[i]];
    x[1] = shown ? shown[1] : v[c->at_v[i]];
}

/* [pd] [pid] T = kp e + ki z + kd de/dt, e = reference - q, dz/dt = e. */
static void run_pid(
    soa_sim *sim, const sim_controller *c, double t, const double *q, const double *v, const double *z, double *z_rate)
{
    for (int i = 0; i < c->setup.joints; i++) {
        const int at = c->at_v[i];
        double x[3], seen[2];
        sim_reference_at(c, i, t, x);
        state_of(sim, c, i, q, v, seen);
        const double e = x[0] - seen[0];
        double T = sim_gain(c->setup.kp, i) * e + sim_gain(c->setup.kd, i) * (x[1] - seen[1]);
        if (c->setup.kind == SOA_CONTROL_PID) {
            T += sim_gain(c->setup.ki, i) * z[c->integral + i];
            if (z_rate) {
                z_rate[c->integral + i] = e;
            }
        }
        sim->control[at] = T;
    }
}

/* e = q - reference and its rate for expressions; the accelerations that computed torque asks for in qdd_ref. */
static void errors_at(const soa_sim *sim, const sim_controller *c, double t, const double *q, const double *v)
{
    for (int i = 0; i < c->setup.joints; i++) {
        const int at = c->at_v[i];
        double x[3], seen[2];
        sim_reference_at(c, i, t, x);
        state_of(sim, c, i, q, v, seen);
        c->e[at] = seen[0] - x[0];
        c->edot[at] = seen[1] - x[1];
        c->qd_ref[at] = x[1];
        c->qdd_ref[at] = x[2];
    }
}

double sim_asked(const sim_controller *c, int i)
{
    const int at = c->at_v[i];
    return c->qdd_ref[at] - sim_gain(c->setup.kp, i) * c->e[at] - sim_gain(c->setup.kd, i) * c->edot[at];
}

/* The most velocities of a model with computed torque. */
enum { MOST_VELOCITIES = 2048 };

/* [computed-torque] T such that the joints accelerate as asked while all others bear no force of it. */
static soa_status run_computed_torque(
    soa_sim *sim, const sim_controller *c, const double *q, const double *v, soa_error *error)
{
    bool prescribed[MOST_VELOCITIES];
    if (sim->nv > MOST_VELOCITIES) {
        return sim_control_refuse(c, SOA_E_LIMIT, error, "the model has too many velocities for it");
    }
    memset(prescribed, 0, (size_t)sim->nv * sizeof *prescribed);
    for (int i = 0; i < c->setup.joints; i++) {
        const int at = c->at_v[i];
        prescribed[at] = true;
        c->value[at] = sim_asked(c, i);
    }
    return soa_hybrid_dynamics(sim->model, sim->workspace, prescribed, 1, q, v, NULL, sim->control, c->value, error);
}

/* The forces of c->value act at the joints of the controller. */
static void take_value(soa_sim *sim, const sim_controller *c)
{
    for (int i = 0; i < c->setup.joints; i++) {
        sim->control[c->at_v[i]] = c->value[c->at_v[i]];
    }
}

static soa_status run_gravity(soa_sim *sim, const sim_controller *c, const double *q, soa_error *error)
{
    const soa_status status = soa_gravity_force(sim->model, sim->workspace, 1, q, c->value, error);
    take_value(sim, c);
    return status;
}

static soa_status run_expression(
    soa_sim *sim, const sim_controller *c, const double *q, const double *v, soa_error *error)
{
    soa_status status =
        soa_runner_numbers(c->runner, "beta") < 0 ? SOA_OK : soa_runner_bind(c->runner, "beta", v, error);
    SOA_NEXT(status, soa_runner_run(c->runner, 1, q, error));
    if (status == SOA_OK && c->setup.joints == 0) {
        memcpy(sim->control, c->value, (size_t)sim->nv * sizeof *c->value);
    }
    take_value(sim, c);
    return status;
}

static void limit(soa_sim *sim, const sim_controller *c)
{
    for (int i = 0; c->setup.limit && i < c->setup.joints; i++) {
        double *T = &sim->control[c->at_v[i]];
        *T = fmin(fmax(*T, -c->setup.limit[i]), c->setup.limit[i]);
    }
}

soa_status sim_control(soa_sim *sim, const sim_controller *c, double t, const double *q, const double *v,
    const double *z, double *z_rate, soa_error *error)
{
    soa_status status = SOA_OK;
    switch (c->setup.kind) {
    case SOA_CONTROL_PD:
    case SOA_CONTROL_PID:
        run_pid(sim, c, t, q, v, z, z_rate);
        break;
    case SOA_CONTROL_GRAVITY:
        status = run_gravity(sim, c, q, error);
        break;
    case SOA_CONTROL_COMPUTED_TORQUE:
        errors_at(sim, c, t, q, v);
        status = run_computed_torque(sim, c, q, v, error);
        break;
    case SOA_CONTROL_POINT:
        errors_at(sim, c, t, q, v);
        status = sim_led_run(sim, c, t, q, v, error);
        break;
    case SOA_CONTROL_PRESCRIBED: /* prescribe.c */
        break;
    case SOA_CONTROL_EXPRESSION:
        errors_at(sim, c, t, q, v);
        status = run_expression(sim, c, q, v, error);
        break;
    default:
        status = c->setup.function(c->setup.context, t, q, v, sim->control, error);
    }
    limit(sim, c);
    return status;
}
