/* tests/dynamics/calls.h - every function of soa/dynamics.h behind one signature.
 *
 * For tests that hold for all of them: lanes, threads, memory, refusals. */
#ifndef SOA_TESTS_DYNAMICS_CALLS_H
#define SOA_TESTS_DYNAMICS_CALLS_H

#include "dynamics/kit.h"

enum { OUTPUTS = 3, POINTS = 3 };

/* Many states of a model. */
typedef struct batch {
    const soa_model *m;
    int states, nq, nv, bodies, links;
    int block; /* states are in blocks of that many; 1: one after another */
    double *q, *v, *a, *T, *f, *g, *inertia;
    soa_point point[POINTS];
    bool *prescribed;
} batch;

/* A model with a coupling. */
static inline soa_model *coupled_arm(void)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *arm = builtin("arm7"), *model;
    soa_error error;
    const soa_pose here = soa_pose_identity();
    const double g[3] = { 0, 0, -9.81 };
    soa_builder_set_gravity(b, g);
    ok_at(__FILE__, __LINE__, soa_builder_attach(b, arm, NULL, SOA_WORLD, &here, &error), &error);
    const int links = soa_builder_links(b);
    const soa_coupling c = { .name = "c", .link = links - 2, .driver = links - 4, .coefficient = { 0.1, 0.5, 0.2 } };
    ok_at(__FILE__, __LINE__, soa_builder_add_coupling(b, &c, NULL, &error), &error);
    ok_at(__FILE__, __LINE__, soa_builder_finish(b, &model, &error), &error);
    soa_builder_free(b);
    soa_model_free(arm);
    return model;
}

static inline batch batch_of(kit *k, int states)
{
    batch b = {
        .m = k->m, .states = states, .nq = k->nq, .nv = k->nv, .bodies = k->bodies, .links = k->links, .block = 1
    };
    const int rows = 6 * POINTS;
    b.q = numbers(states * b.nq);
    b.v = numbers(states * b.nv);
    b.a = numbers(states * b.nv);
    b.T = numbers(states * b.nv);
    b.f = numbers(states * 6 * b.bodies);
    b.g = numbers(states * rows);
    b.inertia = numbers(states * rows * rows);
    b.prescribed = calloc((size_t)b.nv + 1, sizeof *b.prescribed);
    for (int s = 0; s < states; s++) {
        soa_random_configuration(k->m, &k->seed, b.q + s * b.nq);
        soa_couple(k->m, b.q + s * b.nq, NULL);
    }
    random_numbers(&k->seed, states * b.nv, b.v);
    for (int s = 0; s < states; s++) {
        soa_couple(k->m, b.q + s * b.nq, b.v + s * b.nv);
    }
    random_numbers(&k->seed, states * b.nv, b.a);
    random_numbers(&k->seed, states * b.nv, b.T);
    random_numbers(&k->seed, states * 6 * b.bodies, b.f);
    random_numbers(&k->seed, states * rows, b.g);
    random_numbers(&k->seed, states * rows * rows, b.inertia);
    random_points(k, POINTS, b.point);
    for (int i = 0; i < b.bodies; i++) {
        const soa_body body = soa_model_body(k->m, i);
        for (int j = 0; j < body.nv; j++) {
            b.prescribed[body.v + j] = i % 3 == 1;
        }
    }
    return b;
}

static inline void batch_free(batch *b)
{
    free(b->q);
    free(b->v);
    free(b->a);
    free(b->T);
    free(b->f);
    free(b->g);
    free(b->inertia);
    free(b->prescribed);
}

/* Which inputs a call reads. */
enum { READS_V = 1, READS_A = 2, READS_T = 4, READS_F = 8, READS_G = 16, SOLVES = 32 };

/* n states from state s on; y[i] are the outputs of state s and after. */
typedef soa_status run_call(const batch *b, soa_workspace *w, int s, int n, double *const *y, soa_error *e);
typedef void size_call(const batch *b, int *size);

typedef struct api_call {
    const char *name;
    run_call *run;
    size_call *size; /* numbers per state of each output; 0: none */
    int reads;
} api_call;

#define Q (b->q ? b->q + s * b->nq : NULL)
#define V (b->v + s * b->nv)
#define A (b->a + s * b->nv)
#define T (b->T + s * b->nv)
#define F (b->f + s * 6 * b->bodies)
#define CALL(name) \
    static inline soa_status run_##name(const batch *b, soa_workspace *w, int s, int n, double *const *y, soa_error *e)
#define SIZE(name, y0, y1, y2)                                \
    static inline void size_##name(const batch *b, int *size) \
    {                                                         \
        (void)b;                                              \
        size[0] = (y0);                                       \
        size[1] = (y1);                                       \
        size[2] = (y2);                                       \
    }

SIZE(velocity, b->nv, 0, 0)
SIZE(two, b->nv, b->nv, 0)
SIZE(square, b->nv * b->nv, 0, 0)
SIZE(six, 6 * b->bodies, 0, 0)
SIZE(kinematics, 12 * b->links, 6 * b->links, 6 * b->links)
SIZE(points, 12 * POINTS, 6 * POINTS, 6 * POINTS)
SIZE(jacobian, 6 * POINTS * b->nv, 6 * POINTS * b->nv, 6 * POINTS * b->nv)
SIZE(bias, 6 * POINTS, 0, 0)
SIZE(lambda, 36 * POINTS * POINTS, 36 * POINTS * POINTS, 0)
SIZE(operational, 6 * POINTS, 6 * POINTS, 0)
SIZE(energy, 2, 0, 0)
SIZE(momentum, 12, 6, 0)
SIZE(centroidal, 6 * b->nv, 0, 0)

CALL(inverse)
{
    return soa_inverse_dynamics(b->m, w, n, Q, V, A, F, y[0], e);
}
CALL(forward)
{
    return soa_forward_dynamics(b->m, w, n, Q, V, T, F, y[0], e);
}
CALL(forward1)
{
    return soa_forward_dynamics_by(b->m, w, SOA_FD1, n, Q, V, T, F, y[0], e);
}
CALL(forward2)
{
    return soa_forward_dynamics_by(b->m, w, SOA_FD2, n, Q, V, T, F, y[0], e);
}
CALL(forward3)
{
    return soa_forward_dynamics_by(b->m, w, SOA_FD3, n, Q, V, T, F, y[0], e);
}
CALL(forward4)
{
    return soa_forward_dynamics_by(b->m, w, SOA_FD4, n, Q, V, T, F, y[0], e);
}
CALL(forward_rest)
{
    return soa_forward_dynamics(b->m, w, n, Q, NULL, T, NULL, y[0], e);
}
CALL(hybrid)
{
    const int places = (n + b->block - 1) / b->block * b->block;
    memcpy(y[0], T, (size_t)(places * b->nv) * sizeof(double));
    memcpy(y[1], A, (size_t)(places * b->nv) * sizeof(double));
    return soa_hybrid_dynamics(b->m, w, b->prescribed, n, Q, V, F, y[0], y[1], e);
}
CALL(bias_force)
{
    return soa_bias_force(b->m, w, n, Q, V, y[0], e);
}
CALL(gravity)
{
    return soa_gravity_force(b->m, w, n, Q, y[0], e);
}
CALL(coriolis)
{
    return soa_coriolis_force(b->m, w, n, Q, V, y[0], e);
}
CALL(coriolis_matrix)
{
    return soa_coriolis_matrix(b->m, w, n, Q, V, y[0], e);
}
CALL(joint_forces)
{
    return soa_joint_forces(b->m, w, n, Q, V, A, F, y[0], e);
}
CALL(mass)
{
    return soa_mass_matrix(b->m, w, n, Q, y[0], e);
}
CALL(mass_inverse)
{
    return soa_mass_inverse(b->m, w, n, Q, y[0], e);
}
CALL(multiply)
{
    return soa_mass_multiply(b->m, w, n, Q, T, y[0], e);
}
CALL(solve)
{
    return soa_mass_solve(b->m, w, n, Q, T, y[0], e);
}
CALL(kinematics)
{
    return soa_kinematics(b->m, w, n, Q, V, A, y[0], y[1], y[2], e);
}
CALL(points)
{
    return soa_point_kinematics(b->m, w, POINTS, b->point, n, Q, V, A, y[0], y[1], y[2], e);
}
CALL(jacobian)
{
    soa_status status = SOA_OK;
    for (int axes = SOA_AXES_MIXED; axes <= SOA_AXES_WORLD && status == SOA_OK; axes++) {
        status = soa_jacobian(b->m, w, POINTS, b->point, (soa_axes)axes, n, Q, y[axes], e);
    }
    return status;
}
CALL(jacobian_rate)
{
    soa_status status = SOA_OK;
    for (int axes = SOA_AXES_MIXED; axes <= SOA_AXES_WORLD && status == SOA_OK; axes++) {
        status = soa_jacobian_rate(b->m, w, POINTS, b->point, (soa_axes)axes, n, Q, V, y[axes], e);
    }
    return status;
}
CALL(jacobian_bias)
{
    return soa_jacobian_bias(b->m, w, POINTS, b->point, n, Q, V, y[0], e);
}
CALL(lambda)
{
    return soa_operational_inertia(b->m, w, POINTS, b->point, n, Q, y[0], y[1], e);
}
CALL(operational_bias)
{
    const double *inertia = b->inertia + s * 36 * POINTS * POINTS;
    return soa_operational_bias(b->m, w, POINTS, b->point, n, Q, V, inertia, y[0], y[1], e);
}
CALL(correction)
{
    return soa_point_correction(b->m, w, POINTS, b->point, n, Q, b->g + s * 6 * POINTS, y[0], e);
}
CALL(energy)
{
    return soa_energy(b->m, w, n, Q, V, y[0], e);
}
CALL(momentum)
{
    return soa_momentum(b->m, w, n, Q, V, y[0], y[1], e);
}
CALL(centroidal)
{
    return soa_centroidal_matrix(b->m, w, n, Q, y[0], e);
}
#undef Q
#undef V
#undef A
#undef T
#undef F

static const api_call CALLS[] = {
    { "inverse dynamics", run_inverse, size_velocity, READS_V | READS_A | READS_F },
    { "forward dynamics", run_forward, size_velocity, READS_V | READS_T | READS_F | SOLVES },
    { "forward dynamics 1", run_forward1, size_velocity, READS_V | READS_T | READS_F | SOLVES },
    { "forward dynamics 2", run_forward2, size_velocity, READS_V | READS_T | READS_F | SOLVES },
    { "forward dynamics 3", run_forward3, size_velocity, READS_V | READS_T | READS_F | SOLVES },
    { "forward dynamics 4", run_forward4, size_velocity, READS_V | READS_T | READS_F | SOLVES },
    { "forward dynamics at rest", run_forward_rest, size_velocity, READS_T | SOLVES },
    { "hybrid dynamics", run_hybrid, size_two, READS_V | READS_A | READS_T | READS_F | SOLVES },
    { "bias", run_bias_force, size_velocity, READS_V },
    { "gravity", run_gravity, size_velocity, 0 },
    { "coriolis", run_coriolis, size_velocity, READS_V },
    { "coriolis matrix", run_coriolis_matrix, size_square, READS_V },
    { "joint forces", run_joint_forces, size_six, READS_V | READS_A | READS_F },
    { "mass", run_mass, size_square, 0 },
    { "mass inverse", run_mass_inverse, size_square, SOLVES },
    { "mass multiply", run_multiply, size_velocity, READS_T },
    { "mass solve", run_solve, size_velocity, READS_T | SOLVES },
    { "kinematics", run_kinematics, size_kinematics, READS_V | READS_A },
    { "points", run_points, size_points, READS_V | READS_A },
    { "jacobian", run_jacobian, size_jacobian, 0 },
    { "jacobian rate", run_jacobian_rate, size_jacobian, READS_V },
    { "jacobian bias", run_jacobian_bias, size_bias, READS_V },
    { "operational inertia", run_lambda, size_lambda, SOLVES },
    { "operational bias", run_operational_bias, size_operational, READS_V | SOLVES },
    { "correction", run_correction, size_velocity, READS_G | SOLVES },
    { "energy", run_energy, size_energy, READS_V },
    { "momentum", run_momentum, size_momentum, READS_V },
    { "centroidal matrix", run_centroidal, size_centroidal, 0 },
};
enum { API_CALLS = sizeof CALLS / sizeof CALLS[0] };

/* ---- outputs ------------------------------------------------------------------------------- */

typedef struct outputs {
    int size[OUTPUTS];
    double *y[OUTPUTS];
} outputs;

static inline outputs outputs_of(const api_call *call, const batch *b)
{
    outputs out;
    call->size(b, out.size);
    for (int i = 0; i < OUTPUTS; i++) {
        out.y[i] = numbers(out.size[i] * b->states);
        memset(out.y[i], 0xff, (size_t)(out.size[i] * b->states) * sizeof(double));
    }
    return out;
}

static inline void outputs_free(outputs *out)
{
    for (int i = 0; i < OUTPUTS; i++) {
        free(out->y[i]);
    }
}

/* n states from s on in one call, to their places in out. */
static inline soa_status run_states(
    const api_call *call, const batch *b, soa_workspace *w, int s, int n, outputs *out, soa_error *error)
{
    double *y[OUTPUTS];
    for (int i = 0; i < OUTPUTS; i++) {
        y[i] = out->y[i] + s * out->size[i];
    }
    return call->run(b, w, s, n, y, error);
}

/* Both outputs of `states` states from s on: the same bits. */
static inline void same_outputs(const api_call *call, const outputs *x, const outputs *expected, int s, int states)
{
    for (int i = 0; i < OUTPUTS; i++) {
        const size_t at = (size_t)(s * x->size[i]), n = (size_t)(states * x->size[i]);
        for (size_t j = at; j < at + n; j++) {
            if (memcmp(&x->y[i][j], &expected->y[i][j], sizeof(double)) != 0) {
                print_error("%s: output %d of state %zu, number %zu: %a, expected %a\n", call->name, i,
                    j / (size_t)x->size[i], j % (size_t)x->size[i], x->y[i][j], expected->y[i][j]);
                fail();
            }
        }
    }
}

#endif
