/* sim/actuator.c - motors between commands and joints.
 *
 *     u = command / gear          torque: of the controllers at its joint
 *       = kd (ref - v) / gear     velocity servo
 *       = (kp (ref - q) + kd (ref' - v)) / gear      position servo
 *     m = u, bounded by `limit`, and where it drives by limit (1 - |gear v| / speed); with a lag  m' = (bounded u - m) / lag
 *     T = gear m. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/kind_words.h"
#include "sim/sim_system.h"

SOA_WORDS(soa_actuator_kind, soa_actuator_kind, SOA_ACTUATOR_KINDS, SOA_ACTUATOR_LIST, "unknown")

soa_actuator soa_actuator_default(const char *name, soa_actuator_kind kind)
{
    return (soa_actuator){
        .name = name, .kind = kind, .link = SOA_WORLD, .gear = 1.0, .limit = HUGE_VAL, .speed = HUGE_VAL
    };
}

/* ---- made ---------------------------------------------------------------------------------- */

static soa_status refuse(const soa_actuator *a, soa_status status, soa_error *error, const char *why)
{
    return soa_fail(
        error, status, -1, "actuator '%s' (%s): %s", a->name ? a->name : "", soa_actuator_kind_text(a->kind), why);
}

static soa_status check(const soa_actuator *a, soa_error *error)
{
    const bool gains = a->kp >= 0.0 && a->kd >= 0.0 && isfinite(a->kp) && isfinite(a->kd);
    if ((unsigned)a->kind >= SOA_ACTUATOR_KINDS) {
        return refuse(a, SOA_E_ARGUMENT, error, "its kind does not exist");
    }
    if (!isfinite(a->gear) || a->gear == 0.0 || !(a->limit > 0.0) || !(a->speed > 0.0)) {
        return refuse(a, SOA_E_NUMBER, error, "gear must not be zero, limit and speed be positive");
    }
    if (!gains || !(a->lag >= 0.0) || !isfinite(a->lag)) {
        return refuse(a, SOA_E_NUMBER, error, "kp, kd and lag must not be negative");
    }
    if (isfinite(a->speed) && !isfinite(a->limit)) {
        return refuse(a, SOA_E_NUMBER, error, "a speed limit needs the limit of torque, which it lowers");
    }
    return SOA_OK;
}

static soa_status make_one(soa_sim *sim, int i, const double *q0, soa_error *error)
{
    sim_actuator *a = &sim->actuator[i];
    const soa_status status = check(&a->setup, error);
    if (status != SOA_OK) {
        return status;
    }
    const int body = sim_joint_of(sim, a->setup.link);
    if (body < 0) {
        return refuse(&a->setup, SOA_E_JOINT, error, "its joint must move and have one coordinate");
    }
    const soa_body b = soa_model_body(sim->model, body);
    a->at_q = b.q;
    a->at_v = b.v;
    a->reference = a->setup.kind == SOA_ACTUATOR_POSITION ? q0[b.q] : 0.0;
    for (int j = 0; j < i; j++) {
        if (sim->actuator[j].at_v == b.v) {
            return refuse(&a->setup, SOA_E_ARGUMENT, error, "another actuator is at its joint");
        }
    }
    sim->driven[b.v] = a->setup.kind == SOA_ACTUATOR_TORQUE;
    return SOA_OK;
}

/* What work they do comes after that of the controllers in z; their lags come last. */
soa_status sim_actuators_count(soa_sim *sim, soa_error *error)
{
    sim->actuators = sim->setup.actuators;
    sim->actuator = soa_arena_take(&sim->arena, (size_t)sim->actuators, sizeof *sim->actuator);
    sim->driven = soa_arena_take(&sim->arena, (size_t)sim->nv, sizeof *sim->driven);
    sim->command = sim_numbers_take(sim, (size_t)sim->nv);
    sim->motor = sim_numbers_take(sim, 2 * (size_t)sim->actuators);
    if (sim->arena.failed) {
        return soa_fail_memory(error);
    }
    for (int i = 0; i < sim->actuators; i++) {
        sim->actuator[i].setup = sim->setup.actuator[i];
        sim->actuator[i].state = sim->setup.actuator[i].lag > 0.0 ? sim->nz++ : -1;
        sim->lags += sim->actuator[i].state >= 0;
    }
    return SOA_OK;
}

soa_status sim_actuators_make(soa_sim *sim, const double *q0, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; i < sim->actuators && status == SOA_OK; i++) {
        status = make_one(sim, i, q0, error);
    }
    return status;
}

/* ---- run ------------------------------------------------------------------------------------- */

/* A number and its derivatives by q and v of the joint and by the command. */
typedef struct sloped {
    double x, q, v, c;
} sloped;

static sloped demand(const sim_actuator *a, double t, double q, double v, double command)
{
    const soa_actuator *s = &a->setup;
    double ref[3] = { a->reference, 0.0, 0.0 };
    if (s->reference) {
        soa_path_at(s->reference, t, ref);
    }
    switch (s->kind) {
    case SOA_ACTUATOR_POSITION:
        return (
            sloped){ (s->kp * (ref[0] - q) + s->kd * (ref[1] - v)) / s->gear, -s->kp / s->gear, -s->kd / s->gear, 0.0 };
    case SOA_ACTUATOR_VELOCITY:
        return (sloped){ s->kd * (ref[0] - v) / s->gear, 0.0, -s->kd / s->gear, 0.0 };
    default:
        return (sloped){ command / s->gear, 0.0, 0.0, 1.0 / s->gear };
    }
}

static sloped bounded(const soa_actuator *s, double v, sloped u)
{
    const double w = s->gear * v, fast = fabs(w) / s->speed;
    const bool drives = u.x * w > 0.0 && isfinite(s->speed);
    const double most = drives ? s->limit * fmax(0.0, 1.0 - fast) : s->limit;
    if (fabs(u.x) <= most) {
        return u;
    }
    const double slope = drives && fast < 1.0 ? -s->limit / s->speed * copysign(s->gear, w * s->gear) : 0.0;
    return (sloped){ copysign(most, u.x), 0.0, copysign(1.0, u.x) * slope, 0.0 };
}

void sim_actuate(soa_sim *sim, double t, const double *q, const double *v, const double *z, double *z_rate)
{
    const int work = soa_forces_count(sim->forces) + sim->controllers;
    for (int i = 0; i < sim->actuators; i++) {
        const sim_actuator *a = &sim->actuator[i];
        const double speed = v[a->at_v];
        const sloped u = demand(a, t, q[a->at_q], speed, sim->command[a->at_v]), m = bounded(&a->setup, speed, u);
        const double T = a->setup.gear * (a->state < 0 ? m.x : z[a->state]);
        sim->T[a->at_v] += T;
        sim->motor[2 * i] = T;
        sim->motor[2 * i + 1] = u.x;
        if (z_rate) {
            z_rate[work + i] = T * speed;
        }
        if (z_rate && a->state >= 0) {
            z_rate[a->state] = (m.x - z[a->state]) / a->setup.lag;
        }
    }
}

void sim_lags_ahead(const soa_sim *sim, const double *y0, const double *rate, double dt, double *y)
{
    const int from = sim->nq + sim->nv;
    for (int i = 0; i < sim->actuators; i++) {
        const double lag = sim->actuator[i].setup.lag;
        const int at = from + sim->actuator[i].state;
        if (sim->actuator[i].state >= 0) {
            y[at] = y0[at] - lag * rate[at] * expm1(-dt / lag);
        }
    }
}

/* With u a parabola over the step, m' = (u - m)/lag has the solution
 *     m1 = m0 e^-x + u0 I0 + (4 um - 3 u0 - u1) I1 + 2 (u0 - 2 um + u1) I2,   x = h/lag,
 *     I0 = 1 - e^-x,   I1 = 1 - I0/x,   I2 = 1 - 2 I1/x. */
void sim_lags_finish(const soa_sim *sim, const double *y_middle)
{
    const sim_step *s = &sim->step;
    const int from = sim->nq + sim->nv;
    for (int i = 0; i < sim->actuators; i++) {
        const double lag = sim->actuator[i].setup.lag, x = s->h / lag;
        const int at = from + sim->actuator[i].state;
        if (sim->actuator[i].state < 0) {
            continue;
        }
        const double u0 = s->y0[at] + lag * s->k[0][at], um = y_middle[at] + lag * s->k[2][at];
        const double u1 = s->y1[at] + lag * s->k[1][at];
        const double I0 = -expm1(-x), I1 = x > 1e-3 ? 1.0 - I0 / x : x / 2.0 - x * x / 6.0;
        const double I2 = x > 1e-3 ? 1.0 - 2.0 * I1 / x : x / 3.0 - x * x / 12.0;
        s->y1[at] =
            s->y0[at] * (1.0 - I0) + u0 * I0 + (4.0 * um - 3.0 * u0 - u1) * I1 + 2.0 * (u0 - 2.0 * um + u1) * I2;
    }
}

/* Row at_v of the derivatives of what is wanted at a joint by q and v of all. */
static void wanted_rows(const soa_sim *sim, const sim_actuator *a, sloped m, const double *by_q, const double *by_v,
    double *row_q, double *row_v)
{
    const size_t n = (size_t)sim->nv, at = (size_t)a->at_v;
    for (size_t k = 0; k < n; k++) {
        row_q[k] = m.c * by_q[at * n + k];
        row_v[k] = m.c * by_v[at * n + k];
    }
    row_q[at] += m.q;
    row_v[at] += m.v;
}

void sim_actuator_derivatives(
    soa_sim *sim, double t, const double *q, const double *v, double *by_q, double *by_v, double *lag)
{
    const size_t n = (size_t)sim->nv;
    double *rows = lag + 3 * n * (size_t)sim->lags; /* of one actuator without a lag */
    for (int i = 0, l = 0; i < sim->actuators; i++) {
        const sim_actuator *a = &sim->actuator[i];
        const size_t at = (size_t)a->at_v;
        const sloped m = bounded(&a->setup, v[at], demand(a, t, q[a->at_q], v[at], sim->command[at]));
        const bool slow = a->state >= 0;
        double *row_q = slow ? lag + (size_t)l * n : rows;
        double *row_v = slow ? lag + (size_t)(sim->lags + l) * n : rows + n;
        const double scale = slow ? 1.0 / a->setup.lag : a->setup.gear;
        wanted_rows(sim, a, m, by_q, by_v, row_q, row_v);
        l += slow;
        for (size_t k = 0; k < n; k++) {
            row_q[k] *= scale;
            row_v[k] *= scale;
            if (a->setup.kind == SOA_ACTUATOR_TORQUE) { /* commands act by way of it alone */
                by_q[at * n + k] = by_v[at * n + k] = 0.0;
            }
            by_q[at * n + k] += slow ? 0.0 : row_q[k];
            by_v[at * n + k] += slow ? 0.0 : row_v[k];
        }
    }
}

static const sim_actuator *slow_one(const soa_sim *sim, int l)
{
    int i = 0;
    for (; sim->actuator[i].state < 0 || l-- > 0; i++) {
    }
    return &sim->actuator[i];
}

double sim_lag_of(const soa_sim *sim, int l)
{
    return slow_one(sim, l)->setup.lag;
}

void sim_lag_columns(const soa_sim *sim, const double *vdot_T, double *columns)
{
    for (int l = 0; l < sim->lags; l++) {
        const sim_actuator *a = slow_one(sim, l);
        for (int i = 0; i < sim->nv; i++) {
            columns[i * sim->lags + l] = a->setup.gear * vdot_T[i * sim->nv + a->at_v];
        }
    }
}
