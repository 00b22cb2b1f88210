/* sim/sim_new.c - a simulation made. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "sim/dead_point.h"
#include "soa/sens.h"

static soa_status check(const soa_sim_setup *s, soa_error *error)
{
    if ((unsigned)s->method >= SOA_METHODS) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "method %d does not exist", (int)s->method);
    }
    if (soa_sim_method_adaptive(s->method) &&
        !(s->rtol >= 0.0 && s->atol > 0.0 && s->rtol < 1.0 && isfinite(s->atol))) {
        return soa_fail(error, SOA_E_NUMBER, -1, "rtol must be below 1 and atol positive");
    }
    if (!soa_sim_method_adaptive(s->method) && !(s->step > 0.0 && isfinite(s->step))) {
        return soa_fail(error, SOA_E_NUMBER, -1, "method %s needs a positive step", soa_sim_method_text(s->method));
    }
    if (!(s->shut > 0.0) || !(s->largest >= 0.0)) {
        return soa_fail(
            error, SOA_E_NUMBER, -1, "the tolerance of closures must be positive, the largest step not negative");
    }
    return SOA_OK;
}

/* The elements of the setup, then those of the joints. */
static soa_status make_forces(soa_sim *sim, soa_error *error)
{
    const int own = sim->setup.forces, joints = sim->setup.bare ? 0 : soa_forces_of_model(sim->model, 0, NULL);
    soa_force *all = soa_arena_take(&sim->arena, (size_t)(own + joints), sizeof *all);
    if (!all) {
        return soa_fail_memory(error);
    }
    if (own > 0) {
        memcpy(all, sim->setup.force, (size_t)own * sizeof *all);
    }
    soa_forces_of_model(sim->model, joints, all + own);
    for (int i = own; i < own + joints; i++) {
        all[i].stick = sim->setup.stick && all[i].kind == SOA_FORCE_JOINT_FRICTION &&
                       soa_joint_kind_nv(soa_model_link(sim->model, all[i].link)->joint.kind) == 1;
    }
    for (int i = 0; i < own; i++) {
        sim->loaded = sim->loaded || !soa_force_kind_at_joint(all[i].kind);
    }
    return soa_forces_new(sim->model, own + joints, all, &sim->allocator, &sim->forces, error);
}

static soa_status make_closures(soa_sim *sim, soa_error *error)
{
    const int described = soa_model_closures(sim->model) + soa_model_couplings(sim->model);
    return sim->setup.open || described == 0
               ? SOA_OK
               : soa_closures_new(1, &sim->model, NULL, &sim->allocator, &sim->closures, error);
}

double *sim_numbers_take(soa_sim *sim, size_t count)
{
    double *at = soa_arena_take(&sim->arena, count, sizeof *at);
    sim->arena.failed = sim->arena.failed || sim->blocks == SIM_NUMBERS;
    if (!sim->arena.failed) {
        sim->block[sim->blocks++] = (sim_numbers){ at, count };
    }
    return at;
}

static void make_room(soa_sim *sim)
{
    const size_t ny = (size_t)sim->ny, nv = (size_t)sim->nv, bodies = (size_t)soa_model_bodies(sim->model);
    const size_t elements = (size_t)soa_forces_count(sim->forces), events = (size_t)(sim->events + sim->holds);
    double **const vector[] = { &sim->y, &sim->y_front, &sim->f_front, &sim->y_stage, &sim->y_try, &sim->step.y0,
        &sim->step.y1 };
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
        *vector[i] = sim_numbers_take(sim, ny);
    }
    for (int i = 0; i < SIM_STAGES; i++) {
        sim->step.k[i] = sim_numbers_take(sim, ny);
    }
    for (int i = 0; i < SIM_DENSE; i++) {
        sim->step.dense[i] = sim_numbers_take(sim, ny);
    }
    sim->q = sim_numbers_take(sim, (size_t)sim->nq);
    sim->T = sim_numbers_take(sim, nv);
    sim->f = sim_numbers_take(sim, 6 * bodies);
    sim->vdot = sim_numbers_take(sim, nv);
    sim->change = sim_numbers_take(sim, nv + 2 * events);
    sim->control = sim_numbers_take(sim, nv);
    sim->energy = sim_numbers_take(sim, elements);
    sim->power = sim_numbers_take(sim, elements);
    sim->wrench = sim_numbers_take(sim, 6 * elements);
    sim->depth = sim_numbers_take(sim, elements);
    sim->record_room = 4096;
    sim->record = soa_arena_take(&sim->arena, (size_t)sim->record_room, sizeof *sim->record);
}

static soa_status make_matrices(soa_sim *sim, soa_error *error)
{
    const size_t nv = (size_t)sim->nv;
    if (sim->setup.method == SOA_VARIATIONAL) {
        sim->A = sim_numbers_take(sim, nv * nv);
    }
    if (!sim_is_implicit(sim)) {
        return SOA_OK;
    }
    sim->A = sim_numbers_take(sim, 5 * nv * nv);
    sim->control_work = sim_numbers_take(sim, (6 * nv + 25) * nv + 27 * (size_t)soa_model_bodies(sim->model));
    sim->lag_rows = sim_numbers_take(sim, (3 * (size_t)sim->lags + 2) * nv);
    sim->lu = sim_numbers_take(sim, nv * nv);
    sim->pivot = soa_arena_take(&sim->arena, nv, sizeof *sim->pivot);
    return sim->closures ? soa_closures_reserve_derivatives(sim->closures, error) : SOA_OK;
}

static soa_status make_memory(soa_sim *sim, soa_error *error)
{
    make_room(sim);
    sim_spin_take(sim);
    sim_passage_make(sim);
    const soa_status status = make_matrices(sim, error);
    return sim->arena.failed ? soa_fail_memory(error) : status;
}

static soa_status start(soa_sim *sim, soa_error *error)
{
    if (sim->setup.q) {
        memcpy(sim->y_front, sim->setup.q, (size_t)sim->nq * sizeof(double));
    } else {
        soa_model_neutral(sim->model, sim->y_front);
    }
    if (sim->setup.v) {
        memcpy(sim->y_front + sim->nq, sim->setup.v, (size_t)sim->nv * sizeof(double));
    }
    soa_status status = soa_check_configuration(sim->model, sim->y_front, error);
    const double shut = sim->setup.shut;
    if (status == SOA_OK && sim_is_closed(sim)) {
        soa_projection done = { 0 };
        memcpy(sim->y_try, sim->y_front, (size_t)sim->ny * sizeof(double));
        status = soa_closure_project(
            sim->closures, SOA_METRIC_MASS, shut, 1, sim->y_front, sim->y_front + sim->nq, &done, error);
        double off = 0.0;
        soa_difference(sim->model, sim->y_try, sim->y_front, sim->change);
        for (int i = 0; i < sim->nv; i++) {
            off = fmax(off, fmax(fabs(sim->change[i]), fabs(sim->y_front[sim->nq + i] - sim->y_try[sim->nq + i])));
        }
        if (status == SOA_OK && !sim->setup.consistent && off > 1e-6) {
            return soa_fail(error, SOA_E_CLOSURE, -1,
                "the initial state violates the closures: the nearest that does not is %.1e away; begin there, or set "
                "'consistent: true' in initial",
                off);
        }
    }
    return status;
}

static soa_status make_controllers(soa_sim *sim, soa_error *error)
{
    sim->controllers = sim->setup.controllers;
    sim->controller = soa_arena_take(&sim->arena, (size_t)sim->controllers, sizeof *sim->controller);
    sim->nz = soa_forces_count(sim->forces) + sim->controllers + sim->setup.actuators;
    for (int i = 0; sim->controller && i < sim->controllers; i++) {
        sim->controller[i].setup = sim->setup.controller[i];
        sim->controller[i].integral = sim->nz;
        sim->nz += sim->setup.controller[i].kind == SOA_CONTROL_PID ? sim->setup.controller[i].joints : 0;
    }
    const soa_status status = sim->controller ? sim_actuators_count(sim, error) : soa_fail_memory(error);
    sim->ny = sim->nq + sim->nv + sim->nz;
    return status;
}

/* Where every event's signal is at the start, and the energy. */
static soa_status first_look(soa_sim *sim, soa_error *error)
{
    double energy[2] = { 0.0 };
    soa_status status = sim_energy(sim, 0.0, sim->y_front, energy, error);
    sim->report.initial = energy[0] + energy[1];
    sim->report.exchanged = fabs(energy[0]);
    SOA_NEXT(status, sim_holds_start(sim, error));
    SOA_NEXT(status, sim_sensors_update(sim, error));
    SOA_NEXT(status, sim_signals_at(sim, 0.0, sim->y_front, error));
    for (int i = 0; i < sim->events && status == SOA_OK; i++) {
        sim_event *e = &sim->event[i];
        e->before = (e->signal < 0 ? 0.0 : sim->value[e->signal]) - e->setup.value;
    }
    memcpy(sim->y, sim->y_front, (size_t)sim->ny * sizeof(double));
    return status;
}

static soa_status make(soa_sim *sim, soa_error *error)
{
    soa_status status = check(&sim->setup, error);
    SOA_NEXT(status, soa_workspace_new(sim->model, &sim->allocator, &sim->workspace, error));
    SOA_NEXT(status, make_forces(sim, error));
    SOA_NEXT(status, make_closures(sim, error));
    SOA_NEXT(status, sim_holds_make(sim, error));
    SOA_NEXT(status, make_controllers(sim, error));
    SOA_NEXT(status, make_memory(sim, error));
    SOA_NEXT(status, start(sim, error));
    SOA_NEXT(status, sim_judge_redundancy(sim, error));
    for (int i = 0; i < sim->controllers && status == SOA_OK; i++) {
        status = sim_controller_make(sim, &sim->controller[i], sim->y_front, error);
    }
    for (int i = 0; i < sim->controllers && status == SOA_OK; i++) {
        const sim_controller *c = &sim->controller[i];
        status = c->enabled ? sim_lead_check(sim, c, 0.0, sim->y_front, error) : SOA_OK;
    }
    SOA_NEXT(status, sim_actuators_make(sim, sim->y_front, error));
    SOA_NEXT(status, sim_sensors_make(sim, error));
    SOA_NEXT(status, sim_signals_make(sim, error));
    SOA_NEXT(status, sim_events_make(sim, error));
    SOA_NEXT(status, sim_outer_make(sim, error));
    return status == SOA_OK ? first_look(sim, error) : status;
}

soa_status soa_sim_new(
    const soa_model *model, const soa_sim_setup *setup, const soa_allocator *allocator, soa_sim **sim, soa_error *error)
{
    soa_error_clear(error);
    if (!model || !setup || !sim) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "a simulation needs a model and a setup");
    }
    const soa_allocator memory = allocator ? *allocator : soa_allocator_default();
    soa_sim *s = soa_allocate(&memory, 1, sizeof *s);
    *sim = NULL;
    if (!s) {
        return soa_fail_memory(error);
    }
    *s = (soa_sim){ .model = model,
        .allocator = memory,
        .setup = *setup,
        .nq = soa_model_nq(model),
        .nv = soa_model_nv(model),
        .events = setup->events };
    s->arena = soa_arena_on(&s->allocator);
    s->event = soa_arena_take(&s->arena, (size_t)setup->events, sizeof *s->event);
    const soa_status status = s->event ? make(s, error) : soa_fail_memory(error);
    if (status != SOA_OK) {
        soa_sim_free(s);
        return status;
    }
    *sim = s;
    return SOA_OK;
}

void soa_sim_free(soa_sim *sim)
{
    if (sim) {
        const soa_allocator allocator = sim->allocator;
        for (int i = 0; sim->controller && i < sim->controllers; i++) {
            sim_controller_free(&sim->controller[i]);
        }
        if (sim->outer) {
            sim->setup.integrator->free(sim->outer);
        }
        soa_forces_free(sim->forces);
        soa_closures_free(sim->closures);
        soa_workspace_free(sim->workspace);
        soa_arena_free(&sim->arena);
        soa_release(&allocator, sim);
    }
}
