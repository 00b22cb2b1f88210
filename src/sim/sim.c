/* sim/sim.c - a simulation moved through time and asked. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/kind_words.h"
#include "sim/sim_system.h"

SOA_WORDS(soa_sim_method, soa_sim_method, SOA_METHODS, SOA_METHOD_LIST, "unknown")
SOA_COLUMN(bool, soa_sim_method_adaptive, soa_sim_method, SOA_METHODS, SOA_METHOD_LIST, SOA_FOURTH, false)
SOA_COLUMN(const char *, soa_sim_method_meaning, soa_sim_method, SOA_METHODS, SOA_METHOD_LIST, SOA_FIFTH, "")

bool soa_sim_method_outside(soa_sim_method method)
{
    return method >= SOA_CVODE && method < SOA_METHODS;
}

soa_sim_setup soa_sim_setup_default(void)
{
    return (soa_sim_setup){ .method = SOA_RK45, .step = 1e-3, .rtol = 1e-9, .atol = 1e-12, .shut = 1e-10 };
}

/* ---- moved ---------------------------------------------------------------------------------- */

/* The first time of a series after `from`, but not beyond `next`. */
static double next_corner(const soa_series *series, double from, double next)
{
    int low = -1, high = series->count;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(series->t[middle] > from ? &high : &low) = middle;
    }
    return high < series->count ? fmin(next, series->t[high]) : next;
}

double sim_next_break(const soa_sim *sim, double t)
{
    double next = t;
    for (int i = 0; i < sim->events; i++) {
        const sim_event *e = &sim->event[i];
        next = e->signal < 0 && !e->done && e->setup.value > sim->front ? fmin(next, e->setup.value) : next;
    }
    for (int i = 0; i < soa_forces_count(sim->forces); i++) {
        const soa_force *f = soa_forces_get(sim->forces, i);
        next = f->from > sim->front ? fmin(next, f->from) : next;
        next = f->to > sim->front ? fmin(next, f->to) : next;
        next = next_corner(&f->table, sim->front, next);
    }
    for (int i = 0; i < sim->controllers; i++) {
        const soa_controller *c = &sim->controller[i].setup;
        for (int j = 0; c->reference && j < c->joints; j++) {
            next = next_corner(&c->reference[j].points, sim->front, next);
        }
    }
    next = sim_sensors_next(sim, next);
    for (int i = 0; i < sim->actuators; i++) {
        const soa_path *path = sim->actuator[i].setup.reference;
        next = path ? next_corner(&path->points, sim->front, next) : next;
    }
    return next;
}

/* What energy is in play at the front. */
static soa_status account(soa_sim *sim, soa_error *error)
{
    double energy[2] = { 0.0 };
    const soa_status status = sim_energy(sim, sim->front, sim->y_front, energy, error);
    sim->report.exchanged =
        fmax(sim->report.exchanged, fmax(fabs(energy[0]), fabs(energy[0] + energy[1] - sim->report.initial)));
    return status;
}

/* Whether nothing but rounding lies between the front and a break, where the front then is. */
static bool is_at(soa_sim *sim, double until)
{
    const bool there = isfinite(until) && fabs(until - sim->front) <= sim_rounding(until);
    sim->front = there ? until : sim->front;
    sim->at_break = sim->at_break || there;
    return there;
}

/* Steps until the front has reached t or the simulation has stopped. */
static soa_status reach(soa_sim *sim, double t, soa_error *error)
{
    soa_status status = SOA_OK;
    const bool adaptive = soa_sim_method_adaptive(sim->setup.method);
    while (sim->front < t && !sim->stopped && status == SOA_OK) {
        if (sim->due) {
            status = sim_events_do(sim, error);
            continue;
        }
        status = sim_sensors_update(sim, error);
        if (status != SOA_OK) {
            return status;
        }
        const double until = sim_next_break(sim, adaptive ? HUGE_VAL : t);
        if (is_at(sim, until)) {
            continue;
        }
        status = sim_step_once(sim, until - sim->front, error);
        (void)(status == SOA_OK && is_at(sim, until));
        SOA_NEXT(status, account(sim, error));
        SOA_NEXT(status, sim_spin_look(sim, error));
        SOA_NEXT(status, sim_events_look(sim, error));
    }
    status = status == SOA_OK && sim->due && sim->front <= t ? sim_events_do(sim, error) : status;
    return status == SOA_OK && sim->front <= t ? sim_sensors_update(sim, error) : status;
}

soa_status soa_sim_advance(soa_sim *sim, double t, soa_error *error)
{
    soa_error_clear(error);
    if (!sim || !(t >= sim->t) || !isfinite(t)) {
        return soa_fail(
            error, SOA_E_ARGUMENT, -1, "time must not go back: give a finite t of at least the present one");
    }
    soa_status status = reach(sim, t, error);
    const double now = sim->stopped ? sim->front : t;
    SOA_NEXT(status, sim_interpolate(sim, now, sim->y, error));
    sim->t = status == SOA_OK ? now : sim->t;
    return status;
}

soa_status soa_sim_step(soa_sim *sim, double dt, soa_error *error)
{
    if (!sim || !(dt > 0.0)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "a step needs a positive dt");
    }
    return soa_sim_advance(sim, sim->t + dt, error);
}

/* ---- asked ------------------------------------------------------------------------------------ */

double soa_sim_time(const soa_sim *sim)
{
    return sim->t;
}

bool soa_sim_stopped(const soa_sim *sim)
{
    return sim->stopped && sim->t >= sim->front;
}

const double *soa_sim_q(const soa_sim *sim)
{
    return sim->y;
}

const double *soa_sim_v(const soa_sim *sim)
{
    return sim->y + sim->nq;
}

soa_closures *soa_sim_closures(soa_sim *sim)
{
    return sim->closures;
}

soa_forces *soa_sim_forces(soa_sim *sim)
{
    return sim->forces;
}

soa_status soa_sim_report_get(soa_sim *sim, soa_sim_report *report, soa_error *error)
{
    if (!sim || !report) {
        return soa_fail_null(error, "the simulation or the report");
    }
    double energy[2] = { 0.0 };
    const double *z = sim->y + sim->nq + sim->nv;
    const soa_status status = sim_energy(sim, sim->t, sim->y, energy, error);
    *report = sim->report;
    for (int i = 0; i < soa_forces_count(sim->forces) + sim->controllers + sim->actuators; i++) {
        report->work += z[i];
        report->exchanged = fmax(report->exchanged, fabs(z[i]));
    }
    report->final = energy[0] + energy[1];
    report->drift = report->final - report->initial - report->work;
    report->event = sim->record;
    report->events = sim->report.events < sim->record_room ? sim->report.events : sim->record_room;
    return status;
}
