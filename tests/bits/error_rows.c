/* tests/bits/error_rows.c - what is said of results that are not finite.
 *
 * Hashes of statuses, states, bodies and texts: inputs of enormous size, bodies of hardly any moment and bodies without mass for every function
 * that takes states, and links of hardly any mass or enormous velocities for systems. Success means that all numbers are finite. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "listed.h"

enum { STATES = 3 };

static hash hash_error(hash h, soa_status status, const soa_error *error)
{
    const double numbers[] = { status, status == SOA_OK ? 0 : error->state, status == SOA_OK ? 0 : error->body };
    h = hash_numbers(h, 3, numbers);
    for (const char *c = error->text; status != SOA_OK && *c; c++) {
        h = hash_numbers(h, 1, (double[1]){ *c });
    }
    return h;
}

static void must_be_finite(soa_status status, size_t n, const double *y)
{
    for (size_t i = 0; i < n && status == SOA_OK; i++) {
        if (!isfinite(y[i])) {
            bits_fail("success with a number that is not finite");
        }
    }
}

/* ---- functions that take states ------------------------------------------------------------------------ */

/* Inputs but q are random numbers up to `scale`, and all lanes say the same. */
static void large_row(const char *name, const listed_function *f, listed_call *c, double scale)
{
    unsigned long long seed = 41;
    double *input[INPUTS], *output[LISTED_OUTPUTS];
    char text[80];
    hash h[2];
    soa_status status = SOA_OK;
    const int widest = soa_workspace_lanes(c->w);
    f->measure(c);
    for (int i = 0; i < INPUTS; i++) {
        input[i] = bits_numbers(STATES * c->reads[i]);
        c->input[i] = input[i];
        for (size_t k = 0; k < STATES * c->reads[i]; k++) {
            input[i][k] = scale * soa_model_random_number(&seed);
        }
    }
    for (size_t s = 0; s < STATES && c->reads[INPUT_q] > 0; s++) {
        soa_random_configuration(c->m, &seed, input[INPUT_q] + s * c->reads[INPUT_q]);
    }
    for (int i = 0; i < 2; i++) {
        (void)soa_workspace_set_lanes(c->w, i == 0 ? 1 : widest, NULL);
        for (int o = 0; o < c->outputs; o++) {
            c->output[o] = output[o] = bits_numbers(STATES * c->writes[o]);
        }
        status = f->run(c);
        h[i] = hash_error(hash_begin(SOA_OK), status, &c->error);
        for (int o = 0; o < c->outputs; o++) {
            must_be_finite(status, STATES * c->writes[o], output[o]);
            bits_free(output[o]);
        }
    }
    for (int i = 0; i < INPUTS; i++) {
        bits_free(input[i]);
    }
    (void)snprintf(text, sizeof text, "%s [%g]", f->name, scale);
    print_row(name, text, (bool[WAYS]){ true, true }, (hash[WAYS]){ h[0], h[1] }, status);
}

static void rows_at(const char *name, const soa_model *model, int scales, const double *scale)
{
    unsigned long long seed = 42;
    soa_point point[LISTED_POINTS];
    bool *prescribed = calloc((size_t)soa_model_nv(model) + 1, sizeof *prescribed);
    listed_call c = { .m = model, .states = STATES, .points = LISTED_POINTS, .point = point, .prescribed = prescribed };
    if (!prescribed || soa_workspace_new(model, NULL, &c.w, NULL) != SOA_OK) {
        bits_fail("out of memory");
    }
    bits_points(model, &seed, LISTED_POINTS, point);
    point[0].link = 0, point[0].node = SOA_LINK_FRAME; /* the first link, and the world, are named by themselves */
    point[1].link = SOA_WORLD, point[1].node = SOA_LINK_FRAME;
    for (int f = 0; f < LISTED_COUNT; f++) {
        for (int i = 0; i < scales; i++) {
            large_row(name, &LISTED[f], &c, scale[i]);
        }
    }
    soa_workspace_free(c.w);
    free(prescribed);
}

/* A body of ordinary mass and hardly any moment, which is not singular. */
static soa_model *speck(soa_joint_kind kind)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    soa_link link = soa_link_default("speck", SOA_WORLD, kind);
    link.joint.axis2[0] = 1.0, link.joint.axis2[2] = 0.0, link.joint.pitch = kind == SOA_HELICAL ? 0.1 : 0.0;
    link.inertia = (soa_inertia){ 1.0, { 0.0 }, { 1e-18, 0.0, 0.0, 1e-18, 0.0, 1e-18 } };
    (void)soa_builder_add_link(b, &link, NULL, NULL);
    (void)soa_builder_finish(b, &model, NULL);
    soa_builder_free(b);
    if (!model) {
        bits_fail("there is no speck");
    }
    return model;
}

/* On a rigid or flexible arm a body of that joint kind that has no mass. */
static soa_model *bare(const char *arm_name, soa_joint_kind kind)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL, *arm = bits_model(arm_name);
    soa_error error = { .text = "" };
    const soa_pose here = soa_pose_identity();
    (void)soa_builder_attach(b, arm, NULL, SOA_WORLD, &here, &error);
    const int last = soa_builder_links(b) - 1;
    const soa_flexible *flexible = soa_model_link(arm, last)->flexible;
    soa_link link = soa_link_default("bare", last, kind);
    link.joint.axis2[0] = 1.0, link.joint.axis2[2] = 0.0, link.joint.pitch = kind == SOA_HELICAL ? 0.1 : 0.0;
    link.node = flexible ? flexible->nodes : SOA_LINK_FRAME;
    (void)soa_builder_add_link(b, &link, NULL, &error);
    (void)soa_builder_finish(b, &model, &error);
    soa_builder_free(b);
    soa_model_free(arm);
    if (!model) {
        bits_fail(error.text);
    }
    return model;
}

void bits_singular(void)
{
    static const double ORDINARY[] = { 1.0 };
    static const char *const ARM[] = { "arm6", "flexible-chain:2,2" };
    for (int i = 0; i < 2 * SOA_JOINT_KINDS; i++) {
        const soa_joint_kind kind = (soa_joint_kind)(i / 2);
        char name[40];
        soa_model *model = bare(ARM[i % 2], kind);
        (void)snprintf(name, sizeof name, "%.8s:%s", ARM[i % 2], soa_joint_kind_text(kind));
        rows_at(name, model, 1, ORDINARY);
        soa_model_free(model);
    }
}

/* ---- systems -------------------------------------------------------------------------------------------- */

enum { CHAIN = 4 };

/* A chain of hardly any mass, its link of that number of even less; -1: one of ordinary mass. */
static soa_model *faint_chain(int faint)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    for (int i = 0; i < CHAIN; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "l%d", i);
        const double mass = faint < 0 ? 1.0 : i == faint ? 2e-309 : 1e-306;
        soa_link link = soa_link_default(name, i - 1, SOA_REVOLUTE);
        link.joint.axis[i % 3] = 1.0, link.joint.axis[2] = i % 3 == 2 ? 1.0 : 0.0;
        link.joint.at.position[0] = i == faint ? 0.0 : 0.3;
        link.inertia = (soa_inertia){ mass, { 0.0, 0.1, 0.0 }, { mass, 0.0, 0.0, mass, 0.0, mass } };
        (void)soa_builder_add_link(b, &link, NULL, NULL);
    }
    (void)soa_builder_finish(b, &model, NULL);
    soa_builder_free(b);
    return model;
}

typedef soa_status state_function(soa_system *system, double *y, soa_error *error);

static const struct {
    const char *name;
    state_function *run;
    int numbers;
} OF_STATE[] = {
    { "system_mass_matrix", soa_system_mass_matrix, CHAIN *CHAIN },
    { "system_mass_inverse", soa_system_mass_inverse, CHAIN *CHAIN },
    { "system_bias_force", soa_system_bias_force, CHAIN },
    { "system_gravity_force", soa_system_gravity_force, CHAIN },
    { "system_coriolis_matrix", soa_system_coriolis_matrix, CHAIN *CHAIN },
    { "system_christoffel", soa_system_christoffel, CHAIN *CHAIN *CHAIN },
    { "system_mass_derivatives", soa_system_mass_derivatives, CHAIN *CHAIN *CHAIN },
};

static void system_rows(const char *name, soa_system *system)
{
    double y[CHAIN * CHAIN * CHAIN], *A = bits_numbers(15 * CHAIN * CHAIN);
    double T[CHAIN] = { 0.1, 0.2, 0.3, 0.4 };
    soa_error error = { .text = "" };
    for (size_t i = 0; i < sizeof OF_STATE / sizeof OF_STATE[0]; i++) {
        const soa_status status = OF_STATE[i].run(system, y, &error);
        must_be_finite(status, (size_t)OF_STATE[i].numbers, y);
        print_single(name, OF_STATE[i].name, status, hash_error(hash_begin(SOA_OK), status, &error));
    }
    for (int i = 0; i < 4; i++) {
        double *B = A + 4 * CHAIN * CHAIN, *C = B + 2 * CHAIN * CHAIN, *D = C + 6 * CHAIN * CHAIN;
        const soa_status status = i == 0   ? soa_system_forward_dynamics(system, T, NULL, A, NULL, &error)
                                  : i == 1 ? soa_system_inverse_dynamics_derivatives(system, T, A, B, &error)
                                  : i == 2 ? soa_system_linear_model(system, T, NULL, A, B, C, D, &error)
                                           : soa_system_minimal_model(system, T, NULL, A, B, C, D, &error);
        static const char *const NAME[] = { "system_forward_dynamics", "system_inverse_dynamics_derivatives",
            "system_linear_model", "system_minimal_model" };
        must_be_finite(status, 15 * CHAIN * CHAIN, A);
        print_single(name, NAME[i], status, hash_error(hash_begin(SOA_OK), status, &error));
    }
    bits_free(A);
}

void bits_errors(void)
{
    static const double LARGE[] = { 1e160, 1e300 }, ORDINARY[] = { 1.0 };
    static const char *const MODEL[] = { "arm7", "quadruped", "odd", "tree:9,2", "flexible-chain:2,2", "coupled-arm" };
    for (size_t i = 0; i < sizeof MODEL / sizeof MODEL[0]; i++) {
        soa_model *model = bits_model(MODEL[i]);
        rows_at(MODEL[i], model, 2, LARGE);
        soa_model_free(model);
    }
    for (int kind = 0; kind < SOA_JOINT_KINDS; kind++) {
        char name[40];
        soa_model *model = speck((soa_joint_kind)kind);
        (void)snprintf(name, sizeof name, "speck:%s", soa_joint_kind_text((soa_joint_kind)kind));
        rows_at(name, model, 1, ORDINARY);
        soa_model_free(model);
    }
    for (int i = 0; i < 2 * CHAIN; i++) {
        char name[16];
        const double q[CHAIN] = { 0.3, -0.4, 0.7, 1.1 };
        double v[CHAIN] = { 0.0 };
        soa_model *model = faint_chain(i < CHAIN ? i : -1);
        soa_system *system = NULL;
        soa_error error;
        (void)snprintf(name, sizeof name, "%s:%d", i < CHAIN ? "faint" : "fast", i % CHAIN);
        v[i % CHAIN] = i < CHAIN ? 1.0 : 1e200;
        if (!model || soa_system_new(model, NULL, &system, NULL) != SOA_OK ||
            soa_system_set(system, q, v, &error) != SOA_OK) {
            bits_fail(name);
        }
        system_rows(name, system);
        soa_system_free(system);
        soa_model_free(model);
    }
}
