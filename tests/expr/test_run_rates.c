/* Derivatives in expressions, run: against soa/sens.h and soa/christoffel.h, in lanes, and what is refused. */
#include "expr/derivative_job.h"

/* ---- against the derivatives of the library ----------------------------------------------------------------- */

static void is_near(const char *what, int n, const double *y, const double *expected, int stride, double *worst)
{
    double size = 1e-3;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(expected[i * stride]));
    }
    for (int i = 0; i < n; i++) {
        const double error = fabs(y[i] - expected[i * stride]) / size;
        *worst = fmax(*worst, error);
        if (!(error <= 1e-10)) {
            fail_msg("%s at %d: %.17g instead of %.17g", what, i, y[i], expected[i * stride]);
        }
    }
}

/* The value of a text in which q_i is that velocity. */
static double *value_along(const bench *b, const char *format, int velocity)
{
    char text[256], *at;
    snprintf(text, sizeof text, "%s", format);
    while ((at = strstr(text, "q_i"))) {
        char rest[256];
        snprintf(rest, sizeof rest, "%s", at + 3);
        snprintf(at, sizeof text - (size_t)(at - text), "q_%d%.200s", velocity + 1, rest);
    }
    job j = bench_job(b, text);
    double *y = calloc((size_t)soa_runner_numbers(j.runner, "y") + 1, sizeof *y);
    assert_true(bench_run(&j, b->t.q, y));
    job_free(&j);
    return y;
}

static void is_column(
    const bench *b, const char *format, int n, int velocity, const double *expected, int stride, double *worst)
{
    double *y = value_along(b, format, velocity);
    is_near(format, n, y, expected, stride, worst);
    free(y);
}

static const double *given(const bench *b, const char *name)
{
    for (int i = 0; i < GIVEN; i++) {
        if (strcmp(name, i < RANDOM_VECTORS ? random_vector[i].name : given_name[i - RANDOM_VECTORS]) == 0) {
            return b->number[i];
        }
    }
    return NULL;
}

/* dMass/dq_i as a matrix and on a vector, and derivatives of inverse and forward dynamics. */
static void mass_and_dynamics(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int seed = 1; seed <= 30; seed++) {
        bench *b = bench_new(2 + seed % 14, false, (unsigned)seed);
        const soa_model *m = b->t.model;
        const int n = soa_model_nv(m);
        const size_t square = (size_t)(n * n) + 1;
        double *D = calloc(square, sizeof *D), *E = calloc(square, sizeof *E), *F = calloc(square, sizeof *F);
        soa_workspace *w;
        OK(soa_workspace_new(m, NULL, &w, &job_error));
        OK(soa_mass_product_derivative(m, w, 1, b->t.q, given(b, "betadot"), D, &job_error));
        OK(soa_inverse_dynamics_derivatives(
            m, w, 1, b->t.q, given(b, "beta"), given(b, "betadot"), NULL, E, NULL, NULL, &job_error));
        OK(soa_forward_dynamics_derivatives(
            m, w, 1, b->t.q, given(b, "beta"), given(b, "T"), NULL, F, NULL, NULL, NULL, &job_error));
        for (int i = 0; i < n; i++) {
            is_column(b, "d(Mass, q_i) betadot", n, i, D + i, n, &worst);
            is_column(b, "d(Mass betadot, q_i)", n, i, D + i, n, &worst);
            is_column(b, "d(Mass betadot + C, q_i)", n, i, E + i, n, &worst);
            is_column(b, "d(Mass^-1 (T - C), q_i)", n, i, F + i, n, &worst);
        }
        for (int i = 0; i < n; i += 1 + n / 3) {
            OK(soa_mass_derivative(m, w, i, 1, b->t.q, D, &job_error));
            is_column(b, "d(Mass, q_i)", n * n, i, D, 1, &worst);
            is_column(b, "d(H phi M phi' H', q_i)", n * n, i, D, 1, &worst);
            is_column(b, "2 d(H phi M phi' H', q_i) - d(Mass, q_i)", n * n, i, D, 1, &worst);
        }
        soa_workspace_free(w);
        free(D), free(E), free(F);
        bench_free(b);
    }
    print_message("mass and dynamics: worst relative error %.1e\n", worst);
}

/* Armature of a free and a planar joint, and a geared rotor: all that depends on velocities. */
static soa_model *with_rotors(void)
{
    static const soa_joint_kind kind[] = { SOA_FREE, SOA_PLANAR, SOA_REVOLUTE, SOA_REVOLUTE };
    static const char *const name[] = { "base", "cart", "arm", "hand" };
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model;
    for (int k = 0; k < 4; k++) {
        soa_link link = soa_link_default(name[k], k - 1, kind[k]);
        link.inertia = (soa_inertia){ 1.0 + k, { 0.1, 0.2, -0.1 * k }, { 0.3, 0.01, 0.02, 0.4, -0.03, 0.5 } };
        link.joint.axis[0] = 0.5, link.joint.at.position[0] = 0.4;
        link.joint.rotor = (soa_rotor){ .armature = 0.3 + k, .axis = { 0.3, -0.5, 1.0 } };
        link.joint.rotor.ratio = k >= 2 ? 9.0 : 0.0, link.joint.rotor.spin = k >= 2 ? 2e-2 : 0.0;
        OK(soa_builder_add_link(b, &link, NULL, &job_error));
    }
    OK(soa_builder_finish(b, &model, &job_error));
    soa_builder_free(b);
    return model;
}

/* The value of a text at q, v. */
static void value_at(const soa_model *m, const char *text, const double *q, const double *v, double *y)
{
    job j = job_new(m, text, false, 0, NULL);
    (void)soa_runner_bind(j.runner, "beta", v, NULL);
    OK(soa_runner_bind_output(j.runner, "y", y, &job_error));
    OK(soa_runner_run(j.runner, 1, q, &job_error));
    job_free(&j);
}

/* dC/dbeta_i against soa/sens.h, and d2C/dbeta_i dbeta_j against differences of it, which are exact: C is quadratic. */
static void rotors_along_velocities(void **state)
{
    (void)state;
    enum { MOST_VELOCITIES = 16 };
    soa_model *m = with_rotors();
    states s = states_new(m, 1, 4);
    const int n = s.nv;
    double D[3][MOST_VELOCITIES * MOST_VELOCITIES], y[MOST_VELOCITIES], slope[MOST_VELOCITIES], worst = 0.0;
    char text[64];
    soa_workspace *w;
    OK(soa_workspace_new(m, NULL, &w, &job_error));
    OK(soa_inverse_dynamics_derivatives(m, w, 1, s.q, s.v, s.T, NULL, NULL, D[0], NULL, &job_error));
    for (int i = 0; i < n; i++) {
        snprintf(text, sizeof text, "d(C, beta_%d)", i + 1);
        value_at(m, text, s.q, s.v, y);
        is_near(text, n, y, D[0] + i, n, &worst);
        for (int side = 0; side < 2; side++) {
            double v[MOST_VELOCITIES];
            memcpy(v, s.v, (size_t)n * sizeof *v);
            v[i] += side ? -0.5 : 0.5;
            OK(soa_inverse_dynamics_derivatives(m, w, 1, s.q, v, s.T, NULL, NULL, D[1 + side], NULL, &job_error));
        }
        for (int j = 0; j < n; j++) {
            snprintf(text, sizeof text, "d(d(C, beta_%d), beta_%d)", i + 1, j + 1);
            value_at(m, text, s.q, s.v, y);
            for (int r = 0; r < n; r++) {
                slope[r] = D[1][r * n + j] - D[2][r * n + j];
            }
            is_near(text, n, y, slope, 1, &worst);
        }
    }
    print_message("rotors: worst relative error %.1e\n", worst);
    soa_workspace_free(w);
    states_free(&s);
    soa_model_free(m);
}

/* dP/dq_i, dG/dq_i. */
static void articulated_quantities(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int seed = 41; seed <= 60; seed++) {
        bench *b = bench_new(2 + seed % 9, seed % 2, (unsigned)seed);
        const soa_model *m = b->t.model;
        const int n = soa_model_nv(m), bodies = soa_model_bodies(m);
        double *P = calloc((size_t)(36 * bodies) + 1, sizeof *P), *G = calloc((size_t)(6 * n) + 1, sizeof *G);
        double v[TREE_MAX_LINKS * SOA_JOINT_MAX_NV] = { 0 };
        soa_workspace *w;
        OK(soa_workspace_new(m, NULL, &w, &job_error));
        for (int i = 0; i < n; i++) {
            v[i] = 1.0;
            OK(soa_articulated_rates(m, w, 1, b->t.q, v, P, NULL, G, &job_error));
            v[i] = 0.0;
            double *dP = value_along(b, "d(P, q_i)", i);
            for (int k = 0; k < bodies; k++) {
                for (int row = 0; row < 6; row++) {
                    is_near("d(P, q_i)", 6, dP + (6 * k + row) * 6 * bodies + 6 * k, P + 36 * k + 6 * row, 1, &worst);
                }
            }
            free(dP);
        }
        soa_workspace_free(w);
        free(P), free(G);
        bench_free(b);
    }
    print_message("articulated inertia: worst relative error %.1e\n", worst);
}

/* ---- lanes ---------------------------------------------------------------------------------------------------- */

static const char *const in_lanes[] = { "d(Mass, q_2) betadot", "d(psi, q_3) u_bf", "d(Mass^-1, q_4) T", "d(C, q_1)",
    "d(d(C, q_4), q_2)", "d(f, q_5)", "d(Lambda, q_3) u_pf", "d(d(J', q_6), q_5) u_pf", "d(Ups, q_2) u_bf",
    "d(d(Ups, q_3), q_3) u_bf", "d(X, q_1) u_bf", "d(R, q_5) V + d(P, q_6) V", "d(g, q_1)", "d(B, q_1) f_c" };

static void lanes_agree(void **state)
{
    (void)state;
    enum { STATES = 13 };
    for (size_t i = 0; i < sizeof in_lanes / sizeof in_lanes[0]; i++) {
        bench *b = bench_new(12, i % 2, 500 + i);
        job j = bench_job(b, in_lanes[i]);
        double *bound[GIVEN] = { NULL };
        states s = states_new(b->t.model, STATES, 8);
        unsigned long long seed = 5;
        for (int k = 0; k < GIVEN; k++) {
            const char *name = k < RANDOM_VECTORS ? random_vector[k].name : given_name[k - RANDOM_VECTORS];
            const int n = soa_runner_numbers(j.runner, name);
            bound[k] = n > 0 ? calloc((size_t)(STATES * n), sizeof(double)) : NULL;
            random_fill(&seed, n > 0 ? STATES * n : 0, bound[k]);
            (void)soa_runner_bind(j.runner, name, bound[k], NULL);
        }
        same_in_lanes(&j, STATES, s.q, in_lanes[i]);
        for (int k = 0; k < GIVEN; k++) {
            free(bound[k]);
        }
        states_free(&s);
        job_free(&j);
        bench_free(b);
    }
}

/* ---- names, plans, refusals ------------------------------------------------------------------------------------- */

static soa_status compiles(const soa_model *model, const char *text)
{
    soa_program *program;
    soa_compiled *compiled = NULL;
    OK(soa_program_new(NULL, &program, &job_error));
    OK(soa_program_read(program, text, SOA_READ_PROGRAM, &job_error));
    const soa_status status = soa_compile(model, program, SOA_SIMPLIFIED, 0, NULL, &compiled, &job_error);
    soa_compiled_free(compiled);
    soa_program_free(program);
    return status;
}

/* A joint with one velocity by its name is that velocity. */
static void coordinates_have_names(void **state)
{
    (void)state;
    soa_model *model = model_of("double-pendulum");
    const double q[] = { 0.4, -0.9 };
    double y[2][4];
    for (int i = 0; i < 2; i++) {
        job j = job_new(model, i ? "d(Mass, q_elbow)" : "d(Mass, q_2)", false, 0, NULL);
        OK(soa_runner_bind_output(j.runner, "y", y[i], &job_error));
        OK(soa_runner_run(j.runner, 1, q, &job_error));
        job_free(&j);
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    assert_true(y[0][0] != 0.0);
    soa_model_free(model);
}

static void what_cannot_be_run_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        soa_status status;
        const char *why;
    } bad[] = {
        { "d(Mass, q_9)", SOA_E_NAME, "q_1 to q_7" },
        { "d(Mass, q_0) betadot", SOA_E_NAME, "q_1 to q_7" },
        { "d(Mass, q_99999999999999999999) betadot", SOA_E_NAME, "q_1 to q_7" },
        { "d(Mass, q_nowhere) betadot", SOA_E_NAME, "q_nowhere: no joint" },
        { "d(d(D^(1/2), q_1), q_2)", SOA_E_UNSUPPORTED, "root" },
        { "d(d(d(phi, q_1), q_1), q_2)", SOA_E_UNSUPPORTED, "third" },
        { "d(d(d(a, q_1), q_1), q_2)", SOA_E_UNSUPPORTED, "third" },
    };
    soa_model *arm = model_of("arm7"), *free_flying = model_of("quadruped");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(compiles(arm, bad[i].text), bad[i].status);
        if (!strstr(job_error.text, bad[i].why)) {
            fail_msg("%s: %s", bad[i].text, job_error.text);
        }
    }
    assert_int_equal(compiles(free_flying, "d(Mass, q_floating_base)"), SOA_E_NAME);
    assert_non_null(strstr(job_error.text, "q_1 to q_6"));
    soa_model_free(arm);
    soa_model_free(free_flying);
}

/* d(Mass, q_i) x in one sweep out and one in; Mass^-1 adds one of each. */
static void sweeps_are_few(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int sweeps;
    } known[] = { { "d(Mass, q_2) betadot", 2 }, { "d(d(Mass, q_2), q_3) betadot", 2 }, { "d(psi, q_1) f", 2 },
        { "d(J, q_2) betadot", 1 }, { "d(Mass^-1, q_2) T", 4 }, { "d(C, q_3)", 2 } };
    soa_model *arm = model_of("arm7");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        job j = job_new(arm, known[i].text, false, 0, NULL);
        if (soa_compiled_sweeps(j.compiled) != known[i].sweeps) {
            fail_msg("%s: %d sweeps", known[i].text, soa_compiled_sweeps(j.compiled));
        }
        job_free(&j);
    }
    soa_model_free(arm);
}

/* alpha and f know of a betadot that the program defines, and so do their derivatives. */
static void definitions_are_differentiated(void **state)
{
    (void)state;
    bench *b = bench_new(7, false, 9);
    const int n = soa_model_bodies(b->t.model) * 6;
    job whole = bench_job(b, "betadot = Mass^-1 (T - C); dalpha = d(alpha, q_3); "
                             "y = d(phi' (H' Mass^-1 (T - C) + a), q_3) - dalpha");
    soa_compiled_free(whole.compiled);
    soa_runner_free(whole.runner);
    OK(soa_compile(b->t.model, whole.program, SOA_SIMPLIFIED, 0, NULL, &whole.compiled, &job_error));
    OK(soa_runner_new(whole.compiled, b->t.points, b->t.point, NULL, &whole.runner, &job_error));
    OK(soa_runner_bind(whole.runner, "T", given(b, "T"), &job_error));
    OK(soa_runner_bind(whole.runner, "beta", given(b, "beta"), &job_error));
    double *d = calloc((size_t)n + 1, sizeof *d), *y = calloc((size_t)n + 1, sizeof *y);
    OK(soa_runner_bind_output(whole.runner, "dalpha", d, &job_error));
    assert_true(bench_run(&whole, b->t.q, y));
    double size = 0.0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(d[i]));
    }
    for (int i = 0; i < n; i++) {
        assert_true(fabs(y[i]) <= 1e-12 * size);
    }
    assert_true(size > 0.0);
    free(d), free(y);
    job_free(&whole);
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_and_dynamics),
        cmocka_unit_test(rotors_along_velocities),
        cmocka_unit_test(articulated_quantities),
        cmocka_unit_test(lanes_agree),
        cmocka_unit_test(coordinates_have_names),
        cmocka_unit_test(what_cannot_be_run_is_refused),
        cmocka_unit_test(sweeps_are_few),
        cmocka_unit_test(definitions_are_differentiated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
