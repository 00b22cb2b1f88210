/* tests/bits/force_rows.c - force elements of every kind, and systems with what their models describe. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"

enum { TIMES = 5, VARIANTS = 6 };

/* A model with a state and room for results. */
typedef struct scene {
    const soa_model *model;
    int nq, nv, bodies;
    double *q, *v, *T, *f, *y;
} scene;

static scene scene_new(const soa_model *model, unsigned long long seed)
{
    scene s = { model, soa_model_nq(model), soa_model_nv(model), soa_model_bodies(model), NULL, NULL, NULL, NULL,
        NULL };
    const size_t nv = (size_t)s.nv, forces = 6 * (size_t)s.bodies;
    s.q = bits_numbers((size_t)s.nq), s.v = bits_numbers(nv), s.T = bits_numbers(nv), s.f = bits_numbers(forces);
    s.y = bits_numbers(nv * nv * (nv + 20) + 1000);
    bits_random(&seed, nv * nv * (nv + 20) + 1000, s.y); /* what is not written shows */
    soa_random_configuration(model, &seed, s.q);
    bits_random(&seed, nv, s.v);
    bits_random(&seed, nv, s.T);
    bits_random(&seed, forces, s.f);
    soa_couple(model, s.q, s.v);
    return s;
}

static void scene_free(scene *s)
{
    bits_free(s->q);
    bits_free(s->v);
    bits_free(s->T);
    bits_free(s->f);
    bits_free(s->y);
}

/* ---- force elements ----------------------------------------------------------------------------------- */

static const double HEIGHTS[12] = { 0.1, -0.2, 0.3, 0.0, 0.2, 0.1, -0.1, 0.4, 0.2, 0.0, -0.3, 0.1 };
static const soa_height_field GROUND = { 4, 3, -1.0, -1.0, 0.7, 0.9, HEIGHTS };
static const double WHEN[3] = { -0.5, 0.2, 1.0 }, WHAT[3] = { 3.0, -4.0, 2.0 };

/* An element of the kind at a link; the variant chooses among its options. */
static soa_force some_force(soa_force_kind kind, int link, int variant, unsigned long long *seed)
{
    static const soa_shape SHAPE[3] = { SOA_SHAPE_SPHERE, SOA_SHAPE_CAPSULE, SOA_SHAPE_BOX };
    soa_force x = soa_force_default(NULL, kind);
    double number[24];
    bits_random(seed, 24, number);
    x.link = x.a.link = link, x.b.link = variant % 3 == 0 ? SOA_WORLD : 0;
    x.a.at = bits_pose(seed, 0.3), x.b.at = bits_pose(seed, 0.5);
    x.stiffness = 300.0 + 100.0 * number[0], x.damping = variant == 5 ? 0.0 : 2.0 + number[1];
    x.reference = number[2], x.length = 0.3 + 0.1 * number[3], x.value = variant == 4 ? 0.0 : 1.0 + 0.5 * number[4];
    x.speed = 0.1, x.exponent = variant % 2 == 0 ? 1.5 : 1.0 + 0.5 * (number[5] + 1.0);
    x.shape = SHAPE[variant % 3], x.size[0] = 0.2, x.size[1] = 0.3, x.size[2] = 0.4;
    x.field = kind == SOA_FORCE_CONTACT && variant >= 3 ? &GROUND : NULL;
    x.lower = -0.3 + 0.2 * number[6], x.upper = x.lower + 0.4, x.restitution = 0.5;
    x.in_body = variant % 2 == 1;
    for (int i = 0; i < 6; i++) {
        x.wrench[i] = number[7 + i], x.hold[i] = 50.0 + 20.0 * number[13 + i],
        x.damp[i] = 1.0 + 0.5 * number[18 + i % 6];
    }
    if (variant >= 4) {
        x.table = (soa_series){ 3, WHEN, WHAT };
        x.from = -0.2, x.to = 0.6;
    }
    return x;
}

static hash force_numbers(hash h, scene *s, soa_forces *forces, double t)
{
    const size_t nv = (size_t)s->nv, count = (size_t)soa_forces_count(forces);
    double *T = s->y, *f = T + nv, *energy = f + 6 * s->bodies, *power = energy + count;
    double *wrench = power + count, *depth = wrench + 6 * count;
    const soa_force_report report = { energy, power, wrench, depth };
    memset(T, 0, (nv + 6 * (size_t)s->bodies + 9 * count) * sizeof *T);
    h += (hash)soa_forces_apply(forces, t, s->q, s->v, T, f, &report, NULL);
    h = hash_rounded(hash_rounded(h, nv, T), 6 * (size_t)s->bodies, f);
    h = hash_rounded(h, 9 * count, energy);
    h += (hash)soa_forces_derivatives(forces, t, s->q, s->v, s->y, s->y + nv * nv, NULL);
    h = hash_rounded(hash_rounded(h, nv * nv, s->y), nv * nv, s->y + nv * nv);
    double *A = bits_numbers(4 * nv * nv), *B = bits_numbers(2 * nv * nv), *C = bits_numbers(6 * nv * nv);
    for (size_t i = 0; i < 2 * nv * nv; i++) {
        B[i] = (double)(i % 7) - 2.0;
    }
    h += (hash)soa_forces_linear(forces, t, s->q, s->v, A, B, C, s->y, NULL);
    h = hash_rounded(hash_rounded(h, 4 * nv * nv, A), 6 * nv * nv, C);
    bits_free(A);
    bits_free(B);
    bits_free(C);
    return h;
}

/* One element of the kind, of each variant and at each of some links, at several times. */
static void kind_row(const char *name, scene *s, soa_force_kind kind)
{
    unsigned long long seed = 30;
    hash h = hash_begin(SOA_OK);
    for (int i = 0; i < 3 * VARIANTS; i++) {
        const int link = i % soa_model_links(s->model);
        const soa_force x = some_force(kind, link, i % VARIANTS, &seed);
        soa_forces *forces = NULL;
        const soa_status status = soa_forces_new(s->model, 1, &x, NULL, &forces, NULL);
        h = hash_rounded(h, 1, (double[1]){ (double)status });
        for (int k = 0; forces && k < 2; k++) {
            h = force_numbers(h, s, forces, 0.5 * k);
            h += soa_forces_conservative(forces, 0);
        }
        soa_forces_free(forces);
    }
    print_single(name, soa_force_kind_text(kind), SOA_OK, h);
}

void bits_forces(const char *name, const soa_model *model)
{
    scene s = scene_new(model, 31);
    soa_force *described = calloc((size_t)(3 * soa_model_links(model)) + 1, sizeof *described);
    soa_forces *forces = NULL;
    for (int kind = 0; kind < SOA_FORCE_KINDS; kind++) {
        kind_row(name, &s, (soa_force_kind)kind);
    }
    const int count = soa_forces_of_model(model, 3 * soa_model_links(model), described);
    const soa_status status = soa_forces_new(model, count, described, NULL, &forces, NULL);
    print_single(name, "forces_of_model", status, forces ? force_numbers(hash_begin(status), &s, forces, 0.0) : 0);
    soa_forces_free(forces);
    free(described);
    scene_free(&s);
}

/* ---- systems -------------------------------------------------------------------------------------------- */

typedef soa_status square_function(soa_system *system, double *y, soa_error *error);

/* Every function that gives numbers of the state alone: name, how the dofs are raised. */
#define SQUARE_LIST(X)    \
    X(mass_matrix, 2)     \
    X(mass_inverse, 2)    \
    X(bias_force, 1)      \
    X(gravity_force, 1)   \
    X(coriolis_matrix, 2) \
    X(christoffel, 3)     \
    X(mass_derivatives, 3)

static const struct {
    const char *name;
    square_function *run;
    int power;
} SQUARE[] = {
#define SQUARE_ENTRY(name, power) { "system_" #name, soa_system_##name, power },
    SQUARE_LIST(SQUARE_ENTRY)
};

static void print_system(const char *name, const char *algorithm, soa_status status, size_t n, const double *y)
{
    print_single(name, algorithm, status, hash_numbers(hash_begin(status), n, y));
}

/* The call writes n numbers into y and none behind them. */
#define system_row(name, algorithm, call, n, y)              \
    do {                                                     \
        double *const end = (y) + (n), was = bits_mark(end); \
        const soa_status said = (call);                      \
        bits_unmark(end, was);                               \
        print_system(name, algorithm, said, n, y);           \
    } while (0)

static void state_rows(const char *name, scene *s, soa_system *system)
{
    const size_t dofs = (size_t)soa_system_dofs(system), nv = (size_t)s->nv;
    for (size_t i = 0; i < sizeof SQUARE / sizeof SQUARE[0]; i++) {
        const size_t n = SQUARE[i].power == 1 ? dofs : SQUARE[i].power == 2 ? dofs * dofs : dofs * dofs * dofs;
        system_row(name, SQUARE[i].name, SQUARE[i].run(system, s->y, NULL), n, s->y);
    }
    hash h = hash_begin(SOA_OK);
    for (size_t i = 0; i < dofs; i++) {
        h = hash_numbers(h, 1, (double[1]){ soa_system_independent(system)[i] });
    }
    soa_system_motion(system, s->y);
    h = hash_numbers(hash_numbers(h, nv * dofs, s->y), nv, soa_system_velocity(system));
    print_single(name, "system_motion", SOA_OK, hash_numbers(h, nv, soa_system_joint_forces(system)));
}

static void motion_rows(const char *name, scene *s, soa_system *system)
{
    const size_t nv = (size_t)s->nv, dofs = (size_t)soa_system_dofs(system);
    unsigned long long seed = 33;
    double *y = s->y, *z = y + nv;
    soa_point point[2];
    soa_closed closed;
    bits_points(s->model, &seed, 2, point);
    system_row(name, "system_acceleration", soa_system_acceleration(system, s->T, y, NULL), nv, y);
    system_row(name, "system_inverse_dynamics", soa_system_inverse_dynamics(system, y, s->f, NULL, z, NULL), nv, z);
    system_row(
        name, "system_forward_dynamics", soa_system_forward_dynamics(system, s->T, s->f, y, &closed, NULL), nv, y);
    system_row(
        name, "system_forward_dynamics [rest]", soa_system_forward_dynamics(system, NULL, NULL, y, NULL, NULL), nv, y);
    system_row(name, "system_jacobian", soa_system_jacobian(system, 2, point, y, NULL), 12 * dofs, y);
    z = y + dofs * dofs;
    system_row(name, "system_inverse_dynamics_derivatives",
        soa_system_inverse_dynamics_derivatives(system, s->T, y, z, NULL), 2 * dofs * dofs, y);
    double *A = bits_numbers(15 * nv * nv), *B = A + 4 * nv * nv, *C = B + 2 * nv * nv, *D = C + 6 * nv * nv;
    bits_random(&seed, 15 * nv * nv, A); /* what is not written shows */
    soa_status status = soa_system_linear_model(system, s->T, s->f, A, B, C, D, NULL);
    system_row(name, "system_linear_model", status, 15 * nv * nv, A);
    bits_random(&seed, 15 * nv * nv, A);
    status = soa_system_minimal_model(system, s->T, s->f, A, B, C, D, NULL);
    system_row(name, "system_minimal_model", status, 15 * nv * nv, A);
    bits_free(A);
}

void bits_system(const char *name, const soa_model *model)
{
    scene s = scene_new(model, 32);
    soa_system *system = NULL;
    soa_status status = soa_system_new(model, NULL, &system, NULL);
    bool *preferred = calloc((size_t)s.nv + 1, sizeof *preferred);
    if (soa_model_closures(model) > 0) {
        soa_model_neutral(model, s.q);
        soa_integrate(model, s.q, s.v, 0.05, s.q);
        (void)soa_closure_project(soa_system_closures(system), SOA_METRIC_IDENTITY, 0.0, 1, s.q, s.v, NULL, NULL);
    }
    for (int prefers = 0; status == SOA_OK && prefers < 2; prefers++) {
        soa_system_prefer(system, prefers ? preferred : NULL);
        status = soa_system_set(system, s.q, prefers ? NULL : s.v, NULL);
        system_row(name, "system_set", status, (size_t)s.nq, s.q);
        if (status == SOA_OK) {
            state_rows(name, &s, system);
            motion_rows(name, &s, system);
        }
        preferred[s.nv - 1] = preferred[s.nv / 2] = true;
    }
    soa_system_free(system);
    free(preferred);
    scene_free(&s);
}
