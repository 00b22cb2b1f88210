/* quantity.c - what soa compute can compute: each word of --what. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"
#include "soa/christoffel.h"

/* ---- of the tree ------------------------------------------------------------------------------ */

#define RUN(name, call)                                                                     \
    static soa_status name(tool_batch *b, soa_method method, double *out, soa_error *error) \
    {                                                                                       \
        (void)method;                                                                       \
        return call;                                                                        \
    }

RUN(run_fd, soa_forward_dynamics_by(b->model, b->workspace, method, b->states, b->q, b->v, b->all, NULL, out, error))
RUN(run_mass, soa_mass_matrix(b->model, b->workspace, b->states, b->q, out, error))
RUN(run_massinv, soa_mass_inverse(b->model, b->workspace, b->states, b->q, out, error))
RUN(run_bias, soa_bias_force(b->model, b->workspace, b->states, b->q, b->v, out, error))
RUN(run_gravity, soa_gravity_force(b->model, b->workspace, b->states, b->q, out, error))
RUN(run_coriolis, soa_coriolis_matrix(b->model, b->workspace, b->states, b->q, b->v, out, error))
RUN(run_momentum, soa_momentum(b->model, b->workspace, b->states, b->q, b->v, out, NULL, error))
RUN(run_dmass, soa_mass_derivatives(b->model, b->workspace, b->states, b->q, out, error))
RUN(run_christoffel, soa_christoffel(b->model, b->workspace, b->states, b->q, out, error))

static soa_status run_id(tool_batch *b, soa_method method, double *out, soa_error *error)
{
    (void)method;
    const soa_status status =
        soa_inverse_dynamics(b->model, b->workspace, b->states, b->q, b->v, b->vdot, NULL, out, error);
    tool_forces_subtract(b, out);
    return status;
}

static soa_status run_forces(tool_batch *b, soa_method method, double *out, soa_error *error)
{
    (void)method;
    (void)error;
    memcpy(out, b->push, (size_t)b->states * (size_t)b->nv * sizeof *out);
    return SOA_OK;
}

static soa_status run_energy(tool_batch *b, soa_method method, double *out, soa_error *error)
{
    (void)method;
    const soa_status status = soa_energy(b->model, b->workspace, b->states, b->q, b->v, out, error);
    return status == SOA_OK ? tool_forces_energy(b, out, error) : status;
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

static void count_singular(tool_batch *b, int state, double lambda, double inertia)
{
    if (isnan(inertia) && !isnan(lambda)) {
        b->first_singular = b->singular == 0 ? b->first + state : b->first_singular;
        b->singular++;
    }
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
        count_singular(b, s, out[(size_t)s * size], inertia[(size_t)s * size]);
    }
    const bool lost = status == SOA_E_SINGULAR && error->body < 0;
    return lost ? SOA_OK : status;
}

/* ---- of the system, which stands at the state ------------------------------------------------- */

static soa_status system_fd(tool_batch *b, int state, double *out, soa_error *error)
{
    tool_system *s = b->system;
    const soa_status status = soa_system_forward_dynamics(
        s->system, b->tau + (size_t)state * (size_t)b->nv, NULL, out, &s->state[state].solved, error);
    return status == SOA_OK ? tool_system_keep(s, state, &s->fd, error) : status;
}

static soa_status system_id(tool_batch *b, int state, double *out, soa_error *error)
{
    tool_system *s = b->system;
    const soa_status status =
        soa_system_inverse_dynamics(s->system, b->vdot + (size_t)state * (size_t)b->nv, NULL, s->weight, out, error);
    return status == SOA_OK ? tool_system_keep(s, state, &s->id, error) : status;
}

#define SYSTEM(name)                                                                         \
    static soa_status system_##name(tool_batch *b, int state, double *out, soa_error *error) \
    {                                                                                        \
        (void)state;                                                                         \
        return soa_system_##name(b->system->system, out, error);                             \
    }

SYSTEM(mass_matrix)
SYSTEM(mass_inverse)
SYSTEM(bias_force)
SYSTEM(gravity_force)
SYSTEM(coriolis_matrix)
SYSTEM(mass_derivatives)
SYSTEM(christoffel)

static soa_status system_jacobian(tool_batch *b, int state, double *out, soa_error *error)
{
    (void)state;
    return soa_system_jacobian(b->system->system, b->jacobian_points.count, b->jacobian_points.point, out, error);
}

/* As run_osim, `out` being that of this state. */
static soa_status system_osim(tool_batch *b, int state, double *out, soa_error *error)
{
    const size_t size = 36 * (size_t)b->points.count * (size_t)b->points.count;
    double *lambda = out - size * (size_t)state, *inertia = lambda + size * (size_t)b->states;
    soa_closed_point *point = calloc((size_t)b->points.count + 1, sizeof *point);
    if (point == NULL) {
        snprintf(error->text, sizeof error->text, "out of memory");
        return SOA_E_MEMORY;
    }
    for (int i = 0; i < b->points.count; i++) {
        point[i] = (soa_closed_point){ 0, b->points.point[i] };
    }
    lambda += size * (size_t)state;
    inertia += size * (size_t)state;
    const soa_status status = soa_closed_operational_inertia(
        b->system->set, b->points.count, point, 1, b->q + (size_t)state * (size_t)b->nq, lambda, inertia, error);
    free(point);
    count_singular(b, state, lambda[0], inertia[0]);
    return status == SOA_E_SINGULAR && isfinite(lambda[0]) ? SOA_OK : status;
}

/* ---- the list ----------------------------------------------------------------------------- */

#define MASSES "kg, kg m, kg m^2"
#define FORCES "N m, N"

static const tool_quantity QUANTITY[] = {
    { "fd", "vdot", "unit/s^2", SHAPE_JOINTS, SOA_FD_FASTEST, run_fd, system_fd },
    { "fd:1", "vdot", "unit/s^2", SHAPE_JOINTS, SOA_FD1, run_fd, NULL },
    { "fd:2", "vdot", "unit/s^2", SHAPE_JOINTS, SOA_FD2, run_fd, NULL },
    { "fd:3", "vdot", "unit/s^2", SHAPE_JOINTS, SOA_FD3, run_fd, NULL },
    { "fd:4", "vdot", "unit/s^2", SHAPE_JOINTS, SOA_FD4, run_fd, NULL },
    { "id", "tau", FORCES, SHAPE_JOINTS, SOA_FD_FASTEST, run_id, system_id },
    { "mass", "mass", MASSES, SHAPE_MATRIX, SOA_FD_FASTEST, run_mass, system_mass_matrix },
    { "massinv", "massinv", "1/kg, 1/(kg m), 1/(kg m^2)", SHAPE_MATRIX, SOA_FD_FASTEST, run_massinv,
        system_mass_inverse },
    { "bias", "bias", FORCES, SHAPE_VECTOR, SOA_FD_FASTEST, run_bias, system_bias_force },
    { "gravity", "gravity_force", FORCES, SHAPE_VECTOR, SOA_FD_FASTEST, run_gravity, system_gravity_force },
    { "coriolis", "coriolis", "force per velocity", SHAPE_MATRIX, SOA_FD_FASTEST, run_coriolis,
        system_coriolis_matrix },
    { "kinematics", "bodies", "", SHAPE_BODIES, SOA_FD_FASTEST, run_kinematics, NULL },
    { "jacobian", "jacobian", "rad/s, m/s per velocity", SHAPE_JACOBIAN, SOA_FD_FASTEST, run_jacobian,
        system_jacobian },
    { "osim", "osim", MASSES, SHAPE_OSIM, SOA_FD_FASTEST, run_osim, system_osim },
    { "forces", "joint_force", FORCES, SHAPE_JOINTS, SOA_FD_FASTEST, run_forces, NULL },
    { "energy", "energy", "J", SHAPE_ENERGY, SOA_FD_FASTEST, run_energy, NULL },
    { "momentum", "momentum", "", SHAPE_MOMENTUM, SOA_FD_FASTEST, run_momentum, NULL },
    { "dmass", "dmass", "mass per unit of q", SHAPE_TENSOR, SOA_FD_FASTEST, run_dmass, system_mass_derivatives },
    { "christoffel", "christoffel", "mass per unit of q", SHAPE_TENSOR, SOA_FD_FASTEST, run_christoffel,
        system_christoffel },
    { "linear", "dvdot_dq", "", SHAPE_LINEAR, SOA_FD_FASTEST, tool_linear_run, tool_linear_system },
    { "grasp", "grasp", "", SHAPE_GRASP, SOA_FD_FASTEST, NULL, tool_grasp_system },
};

enum { QUANTITIES = sizeof QUANTITY / sizeof QUANTITY[0] };

#define WORDS                                                                                                       \
    "fd fd:1 fd:2 fd:3 fd:4 id mass massinv bias gravity coriolis kinematics jacobian osim forces energy momentum " \
    "dmass christoffel linear grasp"

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
    case SHAPE_JOINTS:
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
    case SHAPE_GRASP:
        return tool_grasp_size(b);
    }
    return 0;
}

int tool_batch_dofs(const tool_batch *b, int state)
{
    return b->system != NULL ? tool_system_dofs(b->system, state) : b->nv;
}
