/* quantity.c - what soa compute can compute: each word of --what. */
#include <math.h>
#include <string.h>

#include "compute.h"
#include "soa/christoffel.h"

/* ---- of the tree ------------------------------------------------------------------------------ */

static void must(const tool_batch *b, soa_status status)
{
    tool_must_for(b->first, -1, status);
}

#define RUN(name, call)                                             \
    static void name(tool_batch *b, soa_method method, double *out) \
    {                                                               \
        (void)method;                                               \
        must(b, call);                                              \
    }

RUN(run_fd,
    soa_forward_dynamics_by(b->model, b->workspace, method, b->states, b->q, b->v, b->all, NULL, out, tool_error()))
RUN(run_mass, soa_mass_matrix(b->model, b->workspace, b->states, b->q, out, tool_error()))
RUN(run_massinv, soa_mass_inverse(b->model, b->workspace, b->states, b->q, out, tool_error()))
RUN(run_bias, soa_bias_force(b->model, b->workspace, b->states, b->q, b->v, out, tool_error()))
RUN(run_gravity, soa_gravity_force(b->model, b->workspace, b->states, b->q, out, tool_error()))
RUN(run_coriolis, soa_coriolis_matrix(b->model, b->workspace, b->states, b->q, b->v, out, tool_error()))
RUN(run_momentum, soa_momentum(b->model, b->workspace, b->states, b->q, b->v, out, NULL, tool_error()))
RUN(run_dmass, soa_mass_derivatives(b->model, b->workspace, b->states, b->q, out, tool_error()))
RUN(run_christoffel, soa_christoffel(b->model, b->workspace, b->states, b->q, out, tool_error()))

static void run_id(tool_batch *b, soa_method method, double *out)
{
    (void)method;
    must(b, soa_inverse_dynamics(b->model, b->workspace, b->states, b->q, b->v, b->vdot, NULL, out, tool_error()));
    tool_forces_subtract(b, out);
}

static void run_forces(tool_batch *b, soa_method method, double *out)
{
    (void)method;
    memcpy(out, b->push, (size_t)b->states * (size_t)b->nv * sizeof *out);
}

static void run_energy(tool_batch *b, soa_method method, double *out)
{
    (void)method;
    must(b, soa_energy(b->model, b->workspace, b->states, b->q, b->v, out, tool_error()));
    tool_forces_energy(b, out);
}

/* Poses of all states, then velocities, then accelerations. */
static void run_kinematics(tool_batch *b, soa_method method, double *out)
{
    (void)method;
    double *velocity = out + 12 * (size_t)b->links * (size_t)b->states;
    double *acceleration = velocity + 6 * (size_t)b->links * (size_t)b->states;
    must(b, soa_kinematics(
                b->model, b->workspace, b->states, b->q, b->v, b->vdot, out, velocity, acceleration, tool_error()));
}

/* One point after another, so that a workspace for a few points does for all links. */
static void run_jacobian(tool_batch *b, soa_method method, double *out)
{
    (void)method;
    const tool_points *points = &b->jacobian_points;
    for (int i = 0; i < points->count; i++) {
        for (int s = 0; s < b->states; s++) {
            double *J = out + ((size_t)s * (size_t)points->count + (size_t)i) * 6 * (size_t)b->nv;
            const double *q = b->q + (size_t)s * (size_t)b->nq;
            tool_must_for(b->first, s,
                soa_jacobian(b->model, b->workspace, 1, &points->point[i], SOA_AXES_MIXED, 1, q, J, tool_error()));
        }
    }
}

static void count_singular(tool_batch *b, int state, double lambda, double inertia)
{
    if (isnan(inertia) && !isnan(lambda)) {
        b->first_singular = b->singular == 0 ? b->first + state : b->first_singular;
        b->singular++;
    }
}

/* Lambda of all states, then their inertias; where there is none it stays NaN. */
static void run_osim(tool_batch *b, soa_method method, double *out)
{
    (void)method;
    const size_t size = 36 * (size_t)b->points.count * (size_t)b->points.count;
    double *inertia = out + size * (size_t)b->states;
    soa_error *error = tool_error();
    const soa_status status = soa_operational_inertia(
        b->model, b->workspace, b->points.count, b->points.point, b->states, b->q, out, inertia, error);
    for (int s = 0; s < b->states; s++) {
        count_singular(b, s, out[(size_t)s * size], inertia[(size_t)s * size]);
    }
    must(b, status == SOA_E_SINGULAR && error->body < 0 ? SOA_OK : status);
}

/* ---- of the system, which stands at the state ------------------------------------------------- */

static void system_fd(tool_batch *b, int state, double *out)
{
    tool_system *s = b->system;
    const double *tau = b->tau + (size_t)state * (size_t)b->nv;
    tool_must_for(
        b->first, state, soa_system_forward_dynamics(s->system, tau, NULL, out, &s->state[state].solved, tool_error()));
    tool_system_keep(s, state, &s->fd);
}

static void system_id(tool_batch *b, int state, double *out)
{
    tool_system *s = b->system;
    const double *vdot = b->vdot + (size_t)state * (size_t)b->nv;
    tool_must_for(b->first, state, soa_system_inverse_dynamics(s->system, vdot, NULL, s->weight, out, tool_error()));
    tool_system_keep(s, state, &s->id);
}

#define SYSTEM(name)                                                                             \
    static void system_##name(tool_batch *b, int state, double *out)                             \
    {                                                                                            \
        tool_must_for(b->first, state, soa_system_##name(b->system->system, out, tool_error())); \
    }

SYSTEM(mass_matrix)
SYSTEM(mass_inverse)
SYSTEM(bias_force)
SYSTEM(gravity_force)
SYSTEM(coriolis_matrix)
SYSTEM(mass_derivatives)
SYSTEM(christoffel)

static void system_jacobian(tool_batch *b, int state, double *out)
{
    const tool_points *points = &b->jacobian_points;
    tool_must_for(
        b->first, state, soa_system_jacobian(b->system->system, points->count, points->point, out, tool_error()));
}

/* As run_osim, `out` being that of this state. */
static void system_osim(tool_batch *b, int state, double *out)
{
    const size_t size = 36 * (size_t)b->points.count * (size_t)b->points.count;
    double *inertia = out + size * (size_t)b->states;
    soa_closed_point *point = tool_take((size_t)b->points.count, sizeof *point);
    for (int i = 0; i < b->points.count; i++) {
        point[i] = (soa_closed_point){ 0, b->points.point[i] };
    }
    const soa_status status = soa_closed_operational_inertia(
        b->system->set, b->points.count, point, 1, b->q + (size_t)state * (size_t)b->nq, out, inertia, tool_error());
    tool_return(point);
    count_singular(b, state, out[0], inertia[0]);
    tool_must_for(b->first, state, status == SOA_E_SINGULAR && isfinite(out[0]) ? SOA_OK : status);
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

TOOL_ENDS static void unknown_word(const tool_call *call, const char *word, size_t length)
{
    const char *text = tool_text("%.*s", (int)(length < TOOL_CELL ? length : TOOL_CELL - 1), word);
    const char *nearest = tool_nearest(text, QUANTITIES, word_at);
    if (nearest != NULL) {
        tool_wrong_usage(
            call->command, "--what '%s' is not known; did you mean '%s'? There are: " WORDS, text, nearest);
    }
    tool_wrong_usage(call->command, "--what '%s' is not known; there are: " WORDS, text);
}

/* One word more; two that fill the same field exclude each other. */
static void add_quantity(const tool_call *call, const char *word, size_t length, const tool_quantity **list, int *count)
{
    const tool_quantity *found = find_quantity(word, length);
    if (found == NULL) {
        unknown_word(call, word, length);
    }
    for (int i = 0; i < *count; i++) {
        if (strcmp(list[i]->field, found->field) == 0) {
            tool_wrong_usage(call->command, "'%s' and '%s' both give \"%s\"; ask for one of them", list[i]->word,
                found->word, found->field);
        }
    }
    list[(*count)++] = found;
}

void tool_quantities_get(const tool_call *call, const char *words, const tool_quantity **list, int *count)
{
    *count = 0;
    if (words == NULL) {
        tool_wrong_usage(call->command, "say what to compute: '--what LIST' of " WORDS);
    }
    for (bool more = true; more;) {
        const size_t length = strcspn(words, ",");
        add_quantity(call, words, length, list, count);
        more = words[length] == ',';
        words += length + more;
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
