/* compute_forces.c - springs, damping and dry friction of the joints in what soa compute computes.
 *
 * A system (soa/system.h) has them in its functions; those of the tree are given tau + push, and less of it. */
#include <stdlib.h>
#include <string.h>

#include "compute.h"

static void disable_all(soa_forces *forces)
{
    for (int i = 0; i < soa_forces_count(forces); i++) {
        (void)soa_forces_enable(forces, i, false, NULL);
    }
}

static int make_set(tool_batch *b)
{
    soa_error error;
    const int count = soa_forces_of_model(b->model, 0, NULL);
    soa_force *force = calloc((size_t)count + 1, sizeof *force);
    if (force == NULL) {
        return tool_fail_memory();
    }
    (void)soa_forces_of_model(b->model, count, force);
    const soa_status status = soa_forces_new(b->model, count, force, NULL, &b->forces, &error);
    free(force);
    return status == SOA_OK ? TOOL_OK : tool_fail_error(&error);
}

int tool_forces_begin(tool_call *call, tool_batch *b)
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
    return off || soa_forces_of_model(b->model, 0, NULL) == 0 ? TOOL_OK : make_set(b);
}

soa_status tool_forces_place(tool_batch *b, soa_error *error)
{
    const size_t nv = (size_t)b->nv, count = (size_t)b->states * nv;
    soa_status status = SOA_OK;
    memset(b->push, 0, count * sizeof *b->push);
    for (size_t s = 0; s < (size_t)b->states && b->forces != NULL && status == SOA_OK; s++) {
        status = soa_forces_apply(
            b->forces, 0.0, b->q + s * (size_t)b->nq, b->v + s * nv, b->push + s * nv, NULL, NULL, error);
    }
    for (size_t i = 0; i < count; i++) {
        b->all[i] = b->tau[i] + b->push[i];
    }
    return status;
}

void tool_forces_subtract(const tool_batch *b, double *out)
{
    for (size_t i = 0; i < (size_t)b->states * (size_t)b->nv && b->forces != NULL; i++) {
        out[i] -= b->push[i];
    }
}

/* Adds what springs have stored to the potential energies. */
soa_status tool_forces_energy(tool_batch *b, double *out, soa_error *error)
{
    const int count = soa_forces_count(b->forces);
    const size_t nv = (size_t)b->nv;
    double *stored = calloc((size_t)count + nv + 1, sizeof *stored);
    if (stored == NULL) {
        snprintf(error->text, sizeof error->text, "out of memory");
        return SOA_E_MEMORY;
    }
    soa_status status = SOA_OK;
    const soa_force_report report = { .energy = stored };
    for (size_t s = 0; s < (size_t)b->states && count > 0 && status == SOA_OK; s++) {
        status = soa_forces_apply(
            b->forces, 0.0, b->q + s * (size_t)b->nq, b->v + s * nv, stored + count, NULL, &report, error);
        for (int i = 0; i < count; i++) {
            out[2 * s + 1] += stored[i];
        }
    }
    free(stored);
    return status;
}

/* What the forces change with the state: in A, C of a linear model, and in the derivatives of inverse dynamics. */
soa_status tool_forces_linear(tool_batch *b, int state, double *const block[5], soa_error *error)
{
    const size_t nv = (size_t)b->nv, s = (size_t)state;
    const double *q = b->q + s * (size_t)b->nq, *v = b->v + s * nv;
    if (b->forces == NULL) {
        return SOA_OK;
    }
    double *dQ = calloc(2 * nv * nv + 1, sizeof *dQ);
    if (dQ == NULL) {
        snprintf(error->text, sizeof error->text, "out of memory");
        return SOA_E_MEMORY;
    }
    const soa_status status = soa_forces_linear(b->forces, 0.0, q, v, block[0], block[1], block[2], dQ, error);
    for (size_t i = 0; i < nv * nv && status == SOA_OK; i++) {
        block[3][i] -= dQ[i];
        block[4][i] -= dQ[nv * nv + i];
    }
    free(dQ);
    return status;
}
