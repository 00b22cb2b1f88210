/* sim/checkpoint.c - a simulation saved, and another like it that goes on from there with the same bits. */
#include <stdint.h>

#include "closure/closure.h"
#include "core/error.h"
#include "force/force_set.h"
#include "sim/sim_system.h"

/* What must be the same for the bytes to mean the same. */
typedef struct heading {
    char what[16];
    int method, nq, nv, nz, controllers, events, elements, ties;
    size_t size;
} heading;

static heading heading_of(const soa_sim *sim, size_t size)
{
    heading h;
    memset(&h, 0, sizeof h);
    memcpy(h.what, "soa sim " SOA_VERSION, sizeof "soa sim " SOA_VERSION);
    h.method = (int)sim->setup.method;
    h.nq = sim->nq;
    h.nv = sim->nv;
    h.nz = sim->nz;
    h.controllers = sim->controllers;
    h.events = sim->events;
    h.elements = soa_forces_count(sim->forces);
    h.ties = sim->closures ? soa_closures_count(sim->closures) : 0;
    h.size = size;
    return h;
}

static void pass_flags(soa_sim *sim, soa_state *state)
{
    bool *const flag[] = { &sim->f_ready, &sim->at_break, &sim->stopped, &sim->due, &sim->step.dense_ready,
        &sim->step.coasted };
    double *const number[] = { &sim->t, &sim->front, &sim->h, &sim->step.t, &sim->step.h };
    for (size_t i = 0; i < sizeof flag / sizeof *flag; i++) {
        soa_state_pass(state, flag[i], sizeof *flag[i]);
    }
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        soa_state_pass(state, number[i], sizeof *number[i]);
    }
}

/* Every part that changes after soa_sim_new. */
static void pass(soa_sim *sim, soa_state *state)
{
    pass_flags(sim, state);
    for (int i = 0; i < sim->blocks; i++) {
        soa_state_pass(state, sim->block[i].at, sim->block[i].count * sizeof(double));
    }
    for (int i = 0; i < sim->events; i++) {
        soa_state_pass(state, &sim->event[i].before, sizeof sim->event[i].before);
        soa_state_pass(state, &sim->event[i].done, sizeof sim->event[i].done);
    }
    for (int i = 0; i < sim->controllers; i++) {
        soa_state_pass(state, &sim->controller[i].enabled, sizeof sim->controller[i].enabled);
    }
    soa_state_pass(state, &sim->report, sizeof sim->report); /* its pointer is set when the report is asked for */
    soa_state_pass(state, sim->record, (size_t)sim->record_room * sizeof *sim->record);
    soa_forces_pass(sim->forces, state);
    if (sim->closures) {
        soa_closures_pass(sim->closures, state);
    }
}

size_t soa_sim_saved_size(soa_sim *sim)
{
    soa_state state = { .way = SOA_STATE_MEASURE };
    if (!sim) {
        return 0;
    }
    pass(sim, &state);
    return sizeof(heading) + state.used;
}

soa_status soa_sim_save(soa_sim *sim, void *saved, soa_error *error)
{
    soa_error_clear(error);
    if (!sim || !saved) {
        return soa_fail_null(error, "the simulation or the memory to save it in");
    }
    if (sim->outer) {
        return soa_fail(error, SOA_E_UNSUPPORTED, -1, "the integrator from outside cannot be saved");
    }
    const heading h = heading_of(sim, soa_sim_saved_size(sim));
    soa_state state = { .way = SOA_STATE_SAVE, .at = saved };
    memcpy(saved, &h, sizeof h);
    state.used = sizeof h;
    pass(sim, &state);
    return SOA_OK;
}

soa_status soa_sim_restore(soa_sim *sim, const void *saved, size_t size, soa_error *error)
{
    soa_error_clear(error);
    if (!sim || !saved) {
        return soa_fail_null(error, "the simulation or what was saved");
    }
    const heading h = heading_of(sim, soa_sim_saved_size(sim));
    if (size != h.size || memcmp(saved, &h, sizeof h) != 0) {
        return soa_fail(error, SOA_E_ARGUMENT, -1,
            "what was saved is not of such a simulation: the model, the setup or the version differs");
    }
    /* Loading only reads the bytes. */
    soa_state state = { .way = SOA_STATE_LOAD, .at = (char *)(uintptr_t)saved, .used = sizeof h };
    pass(sim, &state);
    return SOA_OK;
}
