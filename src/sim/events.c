/* sim/events.c - what happens when a signal crosses a value: found inside the step, then done. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/kind_words.h"
#include "sim/dead_point.h"

SOA_WORDS(soa_action, soa_action_kind, SOA_ACTIONS, SOA_ACTION_LIST, "unknown")

/* ---- made ------------------------------------------------------------------------------- */

static soa_status refuse(const soa_event *e, soa_status status, soa_error *error, const char *why)
{
    return soa_fail(error, status, -1, "event '%s' (%s): %s", e->name ? e->name : "", soa_action_text(e->action), why);
}

static bool target_exists(const soa_sim *sim, const soa_event *e)
{
    switch (e->action) {
    case SOA_ACTION_ATTACH:
    case SOA_ACTION_ENABLE_CLOSURE:
    case SOA_ACTION_DETACH:
        return sim->closures && e->target >= 0 && e->target < soa_closures_count(sim->closures);
    case SOA_ACTION_ENABLE:
    case SOA_ACTION_DISABLE:
        return soa_forces_get(sim->forces, e->target);
    case SOA_ACTION_START:
    case SOA_ACTION_HALT:
        return e->target >= 0 && e->target < sim->controllers;
    case SOA_ACTION_IMPULSE:
        return sim_joint_of(sim, e->target) >= 0;
    default:
        return true;
    }
}

soa_status sim_events_make(soa_sim *sim, soa_error *error)
{
    for (int i = 0; i < sim->events; i++) {
        sim_event *e = &sim->event[i];
        e->setup = sim->setup.event[i];
        e->signal = e->setup.signal ? soa_sim_signal_find(sim, e->setup.signal) : -1;
        if (e->setup.signal && e->signal < 0) {
            return refuse(&e->setup, SOA_E_NAME, error, "its signal does not exist");
        }
        if ((unsigned)e->setup.action >= SOA_ACTIONS || !isfinite(e->setup.value) || !isfinite(e->setup.impulse)) {
            return refuse(&e->setup, SOA_E_ARGUMENT, error, "its action does not exist or a number is not finite");
        }
        if (!target_exists(sim, &e->setup)) {
            return refuse(&e->setup, SOA_E_NAME, error, "its target does not exist");
        }
    }
    return SOA_OK;
}

/* ---- looked for ------------------------------------------------------------------------------ */

/* The sides of holds at y_try, where the forces are known or not. */
static soa_status hold_sides_at(soa_sim *sim, double t, bool known, double *side, soa_error *error)
{
    const soa_status status = known ? SOA_OK : sim_accelerate_at(sim, t, sim->y_try, error);
    sim_hold_sides(sim, sim->y_try, side);
    return status == SOA_E_CLOSURE ? SOA_OK : status;
}

/* Signal minus value of every event that is looked at, then the sides of holds, at time t of the last step. */
static soa_status sides_at(soa_sim *sim, double t, double *side, soa_error *error)
{
    bool signals = false;
    for (int i = 0; i < sim->events; i++) {
        signals = signals || (!sim->event[i].done && sim->event[i].signal >= 0);
    }
    soa_status status = signals || sim->holds > 0 ? sim_interpolate(sim, t, sim->y_try, error) : SOA_OK;
    status = status == SOA_OK && signals ? sim_signals_at(sim, t, sim->y_try, error) : status;
    status = status == SOA_OK && sim->holds > 0 ? hold_sides_at(sim, t, signals, side + sim->events, error) : status;
    for (int i = 0; i < sim->events && status == SOA_OK; i++) {
        const sim_event *e = &sim->event[i];
        side[i] = (e->signal < 0 ? t : sim->value[e->signal]) - e->setup.value;
    }
    return status;
}

static bool crosses(const sim_event *e, double before, double after)
{
    const bool rising = before < 0.0 && after >= 0.0, falling = before > 0.0 && after <= 0.0;
    return !e->done && ((rising && e->setup.direction >= 0) || (falling && e->setup.direction <= 0));
}

static bool any_crosses(const soa_sim *sim, const double *after)
{
    bool any = false;
    for (int i = 0; i < sim->events; i++) {
        any = any || crosses(&sim->event[i], sim->event[i].before, after[i]);
    }
    for (int i = 0; i < sim->holds; i++) {
        any = any || sim_hold_crosses(sim->hold_before[i], after[sim->events + i]);
    }
    return any;
}

/* Narrows (low, high], in which an event is, to less than 1e-11 s; `side` is that at high. */
static soa_status narrow(soa_sim *sim, double low, double *high, double *side, soa_error *error)
{
    double *middle = side + sim->events + sim->holds;
    soa_status status = SOA_OK;
    while (*high - low > fmax(1e-11, 4e-16 * fabs(low)) && status == SOA_OK) {
        const double t = low + 0.5 * (*high - low);
        status = sides_at(sim, t, middle, error);
        if (status == SOA_OK && any_crosses(sim, middle)) {
            *high = t;
            memcpy(side, middle, (size_t)(sim->events + sim->holds) * sizeof *side);
        } else {
            low = t;
        }
    }
    return status;
}

/* ---- done ----------------------------------------------------------------------------------------- */

static soa_status act_on_closure(soa_sim *sim, const soa_event *e, soa_error *error)
{
    soa_projection done;
    soa_status status = soa_closure_enable(sim->closures, e->target, e->action != SOA_ACTION_DETACH, error);
    if (e->action == SOA_ACTION_ATTACH) {
        SOA_NEXT(status, soa_closure_hold_here(sim->closures, e->target, sim->y_front, error));
    }
    SOA_NEXT(status, sim_judge_redundancy(sim, error));
    if (e->action == SOA_ACTION_ENABLE_CLOSURE) {
        SOA_NEXT(status, soa_closure_project(sim->closures, SOA_METRIC_MASS, sim->setup.shut, 1, sim->y_front,
                             sim->y_front + sim->nq, &done, error));
    }
    if (e->action != SOA_ACTION_DETACH) {
        SOA_NEXT(status, soa_closure_project_velocity(
                             sim->closures, SOA_METRIC_MASS, 1, sim->y_front, sim->y_front + sim->nq, &done, error));
    }
    return status;
}

static soa_status act(soa_sim *sim, const soa_event *e, soa_error *error)
{
    switch (e->action) {
    case SOA_ACTION_STOP:
        sim->stopped = true;
        return SOA_OK;
    case SOA_ACTION_ATTACH:
    case SOA_ACTION_ENABLE_CLOSURE:
    case SOA_ACTION_DETACH:
        return act_on_closure(sim, e, error);
    case SOA_ACTION_ENABLE:
    case SOA_ACTION_DISABLE:
        return soa_forces_enable(sim->forces, e->target, e->action == SOA_ACTION_ENABLE, error);
    case SOA_ACTION_START:
    case SOA_ACTION_HALT:
        sim->controller[e->target].enabled = e->action == SOA_ACTION_START;
        return e->action == SOA_ACTION_START
                   ? sim_lead_check(sim, &sim->controller[e->target], sim->front, sim->y_front, error)
                   : SOA_OK;
    case SOA_ACTION_IMPULSE:
        return sim_strike(
            sim, soa_model_body(sim->model, sim_joint_of(sim, e->target)).v, e->impulse, sim->y_front + sim->nq, error);
    default:
        return SOA_OK;
    }
}

static soa_status total_energy(soa_sim *sim, double *energy, soa_error *error)
{
    double part[2] = { 0.0 };
    const soa_status status = sim_energy(sim, sim->front, sim->y_front, part, error);
    *energy = part[0] + part[1];
    return status;
}

/* Does the action of event i at the front and notes it. */
static soa_status happen(soa_sim *sim, int i, soa_error *error)
{
    double before, after;
    sim_event *e = &sim->event[i];
    soa_status status = total_energy(sim, &before, error);
    SOA_NEXT(status, act(sim, &e->setup, error));
    SOA_NEXT(status, total_energy(sim, &after, error));
    if (status != SOA_OK) {
        return status;
    }
    e->done = e->setup.once || e->signal < 0;
    sim->f_ready = false;
    sim->h = 0.0;
    sim->report.work += after - before;
    if (sim->report.events < sim->record_room) {
        sim->record[sim->report.events] = (soa_event_record){ sim->front, i, after - before };
    }
    sim->report.events++;
    return SOA_OK;
}

/* The front goes back to time t of the last step. */
static soa_status go_back(soa_sim *sim, double t, soa_error *error)
{
    bool moved;
    soa_status status = sim_interpolate(sim, t, sim->y_try, error);
    if (status != SOA_OK) {
        return status;
    }
    memcpy(sim->y_front, sim->y_try, (size_t)sim->ny * sizeof(double));
    sim->front = t;
    sim->f_ready = false;
    return sim_settle(sim, sim->y_front, &moved, error);
}

soa_status sim_events_look(soa_sim *sim, soa_error *error)
{
    double *side = sim->change + sim->nv, low = sim->step.t;
    const bool any = sim->events + sim->holds > 0;
    soa_status status = SOA_OK;
    for (int part = 1; part <= SIM_CHECKS && status == SOA_OK && !sim->due && any; part++) {
        double high = part == SIM_CHECKS ? sim->front : sim->step.t + sim->step.h * part / SIM_CHECKS;
        status = sides_at(sim, high, side, error);
        sim->due = status == SOA_OK && any_crosses(sim, side);
        if (sim->due) {
            status = narrow(sim, low, &high, side, error);
            return status == SOA_OK && high < sim->front ? go_back(sim, high, error) : status;
        }
        for (int i = 0; i < sim->events; i++) {
            sim->event[i].before = side[i];
        }
        if (sim->holds > 0) {
            memcpy(sim->hold_before, side + sim->events, (size_t)sim->holds * sizeof *side);
        }
        low = high;
    }
    return status;
}

soa_status sim_events_do(soa_sim *sim, soa_error *error)
{
    const double *side = sim->change + sim->nv;
    soa_status status = SOA_OK;
    sim->due = false;
    sim_passage_forget(sim);
    for (int i = 0; i < sim->events && status == SOA_OK; i++) {
        const bool now = crosses(&sim->event[i], sim->event[i].before, side[i]);
        sim->event[i].before = side[i];
        status = now ? happen(sim, i, error) : SOA_OK;
    }
    return status == SOA_OK ? sim_holds_switch(sim, side + sim->events, error) : status;
}
