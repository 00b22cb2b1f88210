/* quantity.c - what soa compute can compute: each word of --what. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"
#include "soa/christoffel.h"

/* ---- how each is computed ------------------------------------------------------------- */

static soa_status run_fd(tool_batch *b, soa_method method, double *out, soa_error *error)
{
    if (b->closed != NULL) {
        return tool_closed_run(b->closed, b->states, b->q, b->v, b->tau, out, error);
    }
    return soa_forward_dynamics_by(b->model, b->workspace, method, b->states, b->q, b->v, b->tau, NULL, out, error);
}

static soa_status run_id(tool_batch *b, soa_method method, double *out, soa_error *error)
{
    (void)method;
    return soa_inverse_dynamics(b->model, b->workspace, b->states, b->q, b->v, b->vdot, NULL, out, error);
}

static soa_status run_mass(tool_batch *b, soa_method method, double *out, soa_error *error)
{
    (void)method;
    return soa_mass_matrix(b->model, b->workspace, b->states, b->q, out, error);
}

static soa_status run_massinv(tool_batch *b, soa_method method, double *out, soa_error *error)
{
    (void)method;
    return soa_mass_inverse(b->model, b->workspace, b->states, b->q, out, error);
}

static soa_status run_bias(tool_batch *b, soa_method method, double *out, soa_error *error)
{
    (void)method;
    return soa_bias_force(b->model, b->workspace, b->states, b->q, b->v, out, error);
}

static soa_status run_gravity(tool_batch *b, soa_method method, double *out, soa_error *error)
{
    (void)method;
    return soa_gravity_force(b->model, b->workspace, b->states, b->q, out, error);
}

static soa_status run_coriolis(tool_batch *b, soa_method method, double *out, soa_error *error)
{
    (void)method;
    return soa_coriolis_matrix(b->model, b->workspace, b->states, b->q, b->v, out, error);
}

/* Poses of all states, then velocities, then accelerations. */
static soa_status run_kinematics(tool_batch *b, soa_method method, double *out, soa_error *error)
{
    (void)method;
    double *velocity = out + 12 * (size_t)b->links * (size_t)b->states;
    double *acceleration = velocity + 6 * (size_t)b->links * (size_t)b->states;
    return soa_kinematics(b->model, b->workspace, b->states, b->q, b->v, b->vdot, out, velocity, acceleration, error);
}

/* One point after another, so that a workspace for a few points does for all links. */
static soa_status run_jacobian(tool_batch *b, soa_method method, double *out, soa_error *error)
{
    (void)method;
    const tool_points *points = &b->jacobian_points;
    const size_t size = 6 * (size_t)b->nv;
    soa_status status = SOA_OK;
    for (int i = 0; i < points->count && status == SOA_OK; i++) {
        for (int s = 0; s < b->states && status == SOA_OK; s++) {
            double *J = out + ((size_t)s * (size_t)points->count + (size_t)i) * size;
            const double *q = b->q + (size_t)s * (size_t)b->nq;
            status = soa_jacobian(b->model, b->workspace, 1, &points->point[i], SOA_AXES_MIXED, 1, q, J, error);
        }
    }
    return status;
}

/* Lambda of all states, then their inertias; where there is none it stays NaN. */
static soa_status run_osim(tool_batch *b, soa_method method, double *out, soa_error *error)
{
    (void)method;
    const size_t size = 36 * (size_t)b->points.count * (size_t)b->points.count;
    double *inertia = out + size * (size_t)b->states;
    const soa_status status = soa_operational_inertia(
        b->model, b->workspace, b->points.count, b->points.point, b->states, b->q, out, inertia, error);
    for (int s = 0; s < b->states; s++) {
        if (isnan(inertia[(size_t)s * size]) && !isnan(out[(size_t)s * size])) {
            b->first_singular = b->singular == 0 ? b->first + s : b->first_singular;
            b->singular++;
        }
    }
    const bool lost = status == SOA_E_SINGULAR && error->body < 0;
    return lost ? SOA_OK : status;
}

static soa_status run_energy(tool_batch *b, soa_method method, double *out, soa_error *error)
{
    (void)method;
    return soa_energy(b->model, b->workspace, b->states, b->q, b->v, out, error);
}

static soa_status run_momentum(tool_batch *b, soa_method method, double *out, soa_error *error)
{
    (void)method;
    return soa_momentum(b->model, b->workspace, b->states, b->q, b->v, out, NULL, error);
}

static soa_status run_dmass(tool_batch *b, soa_method method, double *out, soa_error *error)
{
    (void)method;
    return soa_mass_derivatives(b->model, b->workspace, b->states, b->q, out, error);
}

static soa_status run_christoffel(tool_batch *b, soa_method method, double *out, soa_error *error)
{
    (void)method;
    return soa_christoffel(b->model, b->workspace, b->states, b->q, out, error);
}

/* ---- the list ----------------------------------------------------------------------------- */

static const tool_quantity QUANTITY[] = {
    { "fd", "vdot", SHAPE_VECTOR, SOA_FD_FASTEST, run_fd },
    { "fd:1", "vdot", SHAPE_VECTOR, SOA_FD1, run_fd },
    { "fd:2", "vdot", SHAPE_VECTOR, SOA_FD2, run_fd },
    { "fd:3", "vdot", SHAPE_VECTOR, SOA_FD3, run_fd },
    { "fd:4", "vdot", SHAPE_VECTOR, SOA_FD4, run_fd },
    { "id", "tau", SHAPE_VECTOR, SOA_FD_FASTEST, run_id },
    { "mass", "mass", SHAPE_MATRIX, SOA_FD_FASTEST, run_mass },
    { "massinv", "massinv", SHAPE_MATRIX, SOA_FD_FASTEST, run_massinv },
    { "bias", "bias", SHAPE_VECTOR, SOA_FD_FASTEST, run_bias },
    { "gravity", "gravity_force", SHAPE_VECTOR, SOA_FD_FASTEST, run_gravity },
    { "coriolis", "coriolis", SHAPE_MATRIX, SOA_FD_FASTEST, run_coriolis },
    { "kinematics", "bodies", SHAPE_BODIES, SOA_FD_FASTEST, run_kinematics },
    { "jacobian", "jacobian", SHAPE_JACOBIAN, SOA_FD_FASTEST, run_jacobian },
    { "osim", "osim", SHAPE_OSIM, SOA_FD_FASTEST, run_osim },
    { "energy", "energy", SHAPE_ENERGY, SOA_FD_FASTEST, run_energy },
    { "momentum", "momentum", SHAPE_MOMENTUM, SOA_FD_FASTEST, run_momentum },
    { "dmass", "dmass", SHAPE_TENSOR, SOA_FD_FASTEST, run_dmass },
    { "christoffel", "christoffel", SHAPE_TENSOR, SOA_FD_FASTEST, run_christoffel },
    { "linear", "dvdot_dq", SHAPE_LINEAR, SOA_FD_FASTEST, tool_linear_run },
};

enum { QUANTITIES = sizeof QUANTITY / sizeof QUANTITY[0] };

#define WORDS                                                                                                      \
    "fd fd:1 fd:2 fd:3 fd:4 id mass massinv bias gravity coriolis kinematics jacobian osim energy momentum dmass " \
    "christoffel linear"

static const char *word_at(int index)
{
    return QUANTITY[index].word;
}

static const tool_quantity *find_quantity(const char *word, size_t length)
{
    for (int i = 0; i < QUANTITIES; i++) {
        if (strlen(QUANTITY[i].word) == length && strncmp(QUANTITY[i].word, word, length) == 0) {
            return &QUANTITY[i];
        }
    }
    return NULL;
}

static int unknown_word(const tool_call *call, const char *word, size_t length)
{
    char text[TOOL_CELL];
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), word);
    const char *nearest = tool_nearest(text, QUANTITIES, word_at);
    if (nearest != NULL) {
        return tool_wrong_usage(
            call->command, "--what '%s' is not known; did you mean '%s'? There are: " WORDS, text, nearest);
    }
    return tool_wrong_usage(call->command, "--what '%s' is not known; there are: " WORDS, text);
}

/* One word more; two that fill the same field exclude each other. */
static int add_quantity(const tool_call *call, const char *word, size_t length, const tool_quantity **list, int *count)
{
    const tool_quantity *found = find_quantity(word, length);
    if (found == NULL) {
        return unknown_word(call, word, length);
    }
    for (int i = 0; i < *count; i++) {
        if (strcmp(list[i]->field, found->field) == 0) {
            return tool_wrong_usage(call->command, "'%s' and '%s' both give \"%s\"; ask for one of them", list[i]->word,
                found->word, found->field);
        }
    }
    list[(*count)++] = found;
    return TOOL_OK;
}

int tool_quantities_get(const tool_call *call, const char *words, const tool_quantity **list, int *count)
{
    *count = 0;
    if (words == NULL) {
        return tool_wrong_usage(call->command, "say what to compute: '--what LIST' of " WORDS);
    }
    for (;;) {
        const size_t length = strcspn(words, ",");
        const int status = add_quantity(call, words, length, list, count);
        if (status != TOOL_OK || words[length] == '\0') {
            return status;
        }
        words += length + 1;
    }
}

size_t tool_quantity_size(const tool_batch *b, const tool_quantity *quantity)
{
    const size_t nv = (size_t)b->nv, points = (size_t)b->points.count;
    switch (quantity->shape) {
    case SHAPE_VECTOR:
        return nv;
    case SHAPE_MATRIX:
        return nv * nv;
    case SHAPE_TENSOR:
        return nv * nv * nv;
    case SHAPE_LINEAR:
        return tool_linear_size(b);
    case SHAPE_BODIES:
        return 24 * (size_t)b->links;
    case SHAPE_JACOBIAN:
        return 6 * nv * (size_t)b->jacobian_points.count;
    case SHAPE_OSIM:
        return 2 * 36 * points * points;
    case SHAPE_ENERGY:
        return 2;
    case SHAPE_MOMENTUM:
        return 12;
    }
    return 0;
}
