/* compute_forces.c - springs, damping and dry friction of the joints in what soa compute computes.
 *
 * A system (soa/system.h) has them in its functions; those of the tree are given tau + push, and less of it. */
#include <string.h>

#include "compute.h"

static void disable_all(soa_forces *forces)
{
    for (int i = 0; i < soa_forces_count(forces); i++) {
        (void)soa_forces_enable(forces, i, false, NULL);
    }
}

void tool_forces_begin(tool_call *call, tool_batch *b)
{
    const bool off = tool_value(call, "no-forces") != NULL || tool_value(call, "open") != NULL;
    if (off) {
        tool_note_forces(call, b->model);
    } else {
        tool_note_forces_act(call, b->model);
    }
    if (off && b->system != NULL) {
        disable_all(soa_system_forces(b->system->system));
    }
    const int count = off ? 0 : soa_forces_of_model(b->model, 0, NULL);
    if (count > 0) {
        soa_force *force = tool_take((size_t)count, sizeof *force);
        (void)soa_forces_of_model(b->model, count, force);
        tool_must(soa_forces_new(b->model, count, force, &TOOL_MEMORY, &b->forces, tool_error()));
    }
}

void tool_forces_place(tool_batch *b)
{
    const size_t nv = (size_t)b->nv, count = (size_t)b->states * nv;
    memset(b->push, 0, count * sizeof *b->push);
    for (size_t s = 0; s < (size_t)b->states && b->forces != NULL; s++) {
        const double *q = b->q + s * (size_t)b->nq, *v = b->v + s * nv;
        tool_must_for(b->first, -1, soa_forces_apply(b->forces, 0.0, q, v, b->push + s * nv, NULL, NULL, tool_error()));
    }
    for (size_t i = 0; i < count; i++) {
        b->all[i] = b->tau[i] + b->push[i];
    }
}

void tool_forces_subtract(const tool_batch *b, double *out)
{
    for (size_t i = 0; i < (size_t)b->states * (size_t)b->nv && b->forces != NULL; i++) {
        out[i] -= b->push[i];
    }
}

/* Adds what springs have stored to the potential energies. */
void tool_forces_energy(tool_batch *b, double *out)
{
    const int count = soa_forces_count(b->forces);
    const size_t nv = (size_t)b->nv;
    double *stored = tool_take((size_t)count + nv, sizeof *stored);
    const soa_force_report report = { .energy = stored };
    for (size_t s = 0; s < (size_t)b->states && count > 0; s++) {
        const double *q = b->q + s * (size_t)b->nq, *v = b->v + s * nv;
        tool_must_for(
            b->first, -1, soa_forces_apply(b->forces, 0.0, q, v, stored + count, NULL, &report, tool_error()));
        for (int i = 0; i < count; i++) {
            out[2 * s + 1] += stored[i];
        }
    }
    tool_return(stored);
}

/* What the forces change with the state: in A, C of a linear model, and in the derivatives of inverse dynamics. */
void tool_forces_linear(tool_batch *b, int state, double *const block[5])
{
    const size_t nv = (size_t)b->nv, s = (size_t)state;
    const double *q = b->q + s * (size_t)b->nq, *v = b->v + s * nv;
    if (b->forces == NULL) {
        return;
    }
    double *dQ = tool_take(2 * nv * nv, sizeof *dQ);
    tool_must_for(
        b->first, state, soa_forces_linear(b->forces, 0.0, q, v, block[0], block[1], block[2], dQ, tool_error()));
    for (size_t i = 0; i < nv * nv; i++) {
        block[3][i] -= dQ[i];
        block[4][i] -= dQ[nv * nv + i];
    }
    tool_return(dQ);
}
