/* Expressions run: lanes, given numbers, memory, and what is refused. */
#include "counting.h"
#include "expr/run_job.h"

static random_text drawn;

static const char FD4_BARE[] = "nu = D^-1 ((I - H psi K) T - H psi b - H psi~ P a); "
                               "betadot = (I - H psi K)' nu - K' psi' taubar' a - G' a";

/* ---- lanes, memory, refusals ---------------------------------------------------------------------------------- */

/* The bits do not depend on lanes. */
static void lanes_agree(void **state)
{
    (void)state;
    soa_model *model = model_of("tree:12,5");
    const soa_point point[] = { { 3, soa_pose_identity() }, { 7, soa_pose_identity() } };
    enum { STATES = 13 };
    for (int i = 0; i < 60; i++) {
        drawn.used = 0;
        drawn.seed = (unsigned)i + 900;
        random_declarations(&drawn);
        random_vector_text(&drawn, random_vector[i % 6].place, 2 + i % 3);
        if (strstr(drawn.text, "A")) {
            continue;
        }
        job j = job_new(model, drawn.text, false, 2, point);
        states s = states_new(model, STATES, 8);
        double *bound[RANDOM_VECTORS] = { NULL };
        unsigned long long seed = 5;
        for (int k = 0; k < RANDOM_VECTORS; k++) {
            const int n = soa_runner_numbers(j.runner, random_vector[k].name);
            bound[k] = n > 0 ? calloc((size_t)(STATES * n), sizeof(double)) : NULL;
            random_fill(&seed, n > 0 ? STATES * n : 0, bound[k]);
            (void)soa_runner_bind(j.runner, random_vector[k].name, bound[k], NULL);
        }
        same_in_lanes(&j, STATES, s.q, drawn.text);
        for (int k = 0; k < RANDOM_VECTORS; k++) {
            free(bound[k]);
        }
        states_free(&s);
        job_free(&j);
    }
    soa_model_free(model);
}

/* Numbers, operators given by name, and numbers written in the program. */
static void given_operators_and_numbers(void **state)
{
    (void)state;
    soa_model *model = model_of("arm7");
    states s = states_new(model, 4, 21);
    soa_workspace *w;
    OK(soa_workspace_new(model, NULL, &w, &job_error));
    double S[49], twice[4], energy[8], y[4 * 7], z[4 * 7];
    job j = job_new(model,
        "S: joint motion -> joint force; c: joint force = 1, 2, 3, 4, 5, 6, 7\n"
        "twice = beta' Mass beta; y = S' (beta (beta' T)) + 2 c; z = inv(S + Mass) T",
        true, 0, NULL);
    unsigned long long seed = 8;
    random_fill(&seed, 49, S);
    OK(soa_runner_bind(j.runner, "S", S, &job_error));
    OK(soa_runner_bind(j.runner, "beta", s.v, &job_error));
    OK(soa_runner_bind(j.runner, "T", s.T, &job_error));
    OK(soa_runner_bind_output(j.runner, "twice", twice, &job_error));
    OK(soa_runner_bind_output(j.runner, "y", y, &job_error));
    OK(soa_runner_bind_output(j.runner, "z", z, &job_error));
    OK(soa_runner_run(j.runner, 4, s.q, &job_error));
    OK(soa_energy(model, w, 4, s.q, s.v, energy, &job_error));
    for (int i = 0; i < 4; i++) {
        const double *beta = s.v + 7 * i, *T = s.T + 7 * i;
        double power = 0.0, mass[49];
        OK(soa_mass_matrix(model, w, 1, s.q + 7 * i, mass, &job_error));
        for (int k = 0; k < 7; k++) {
            power += beta[k] * T[k];
        }
        assert_true(fabs(twice[i] - 2.0 * energy[2 * i]) < 1e-12 * (1.0 + energy[2 * i]));
        for (int r = 0; r < 7; r++) {
            double expected = 2.0 * (r + 1), back = 0.0;
            for (int k = 0; k < 7; k++) {
                expected += S[7 * k + r] * beta[k] * power;
                back += (S[7 * r + k] + mass[7 * r + k]) * z[7 * i + k];
            }
            assert_true(fabs(y[7 * i + r] - expected) < 1e-12);
            assert_true(fabs(back - T[r]) < 1e-9);
        }
    }
    soa_workspace_free(w);
    job_free(&j);
    states_free(&s);
    soa_model_free(model);
}

static const char WHOLE[] =
    "betadot = Mass^-1 (T - C); r = inv(A Lambda A') A J betadot; e = D^(1/2) betadot; Mass; "
    "A J Mass^-1 J' A'; phi M phi'; d(Mass^-1 (T - C), q_2); d(Mass, q_3); d(A Lambda A', q_1); "
    "d(d(psi, q_1), q_2); d(d(Ups, q_3), q_1)";

/* A run takes no memory. */
static void running_allocates_nothing(void **state)
{
    (void)state;
    counting c;
    const soa_allocator allocator = counting_on(&c, COUNTING_PLENTY);
    soa_model *model = model_of("humanoid");
    const soa_point point[] = { { 5, soa_pose_identity() }, { 9, soa_pose_identity() } };
    states s = states_new(model, 5, 7);
    soa_program *program;
    soa_compiled *compiled;
    soa_runner *runner;
    double A[3 * 12];
    unsigned long long seed = 2;
    random_fill(&seed, 36, A);
    OK(soa_program_new(&allocator, &program, &job_error));
    OK(soa_program_read(program, WHOLE, SOA_READ_PROGRAM, &job_error));
    OK(soa_compile(model, program, SOA_SIMPLIFIED, 0, NULL, &compiled, &job_error));
    OK(soa_runner_new(compiled, 2, point, &allocator, &runner, &job_error));
    OK(soa_runner_set_constraints(runner, 3, A, &job_error));
    OK(soa_runner_bind(runner, "T", s.T, &job_error));
    OK(soa_runner_bind(runner, "beta", s.v, &job_error));
    enum { OUTPUTS = 11 };
    double *out[OUTPUTS];
    assert_int_equal(soa_compiled_outputs(compiled), OUTPUTS);
    for (int i = 0; i < OUTPUTS; i++) {
        const char *name = soa_compiled_output_info(compiled, i).name;
        out[i] = calloc((size_t)(5 * soa_runner_numbers(runner, name)), sizeof(double));
        OK(soa_runner_bind_output(runner, name, out[i], &job_error));
    }
    const int taken = c.taken;
    c.left = 0;
    OK(soa_runner_run(runner, 5, s.q, &job_error));
    assert_int_equal(c.taken, taken);
    for (int i = 0; i < OUTPUTS; i++) {
        free(out[i]);
    }
    soa_runner_free(runner);
    soa_compiled_free(compiled);
    soa_program_free(program);
    assert_int_equal(c.open, 0);
    states_free(&s);
    soa_model_free(model);
}

/* Allocations of compiling and of making a runner fail, one in each run: SOA_E_MEMORY, and nothing leaks. */
static void allocations_fail(soa_writing writing, int step)
{
    soa_model *model = model_of("arm7");
    const soa_point point[] = { { 3, soa_pose_identity() } };
    soa_status status = SOA_E_MEMORY;
    int n = 0;
    for (; status == SOA_E_MEMORY; n += step + n / 8) { /* there are thousands */
        counting c;
        const soa_allocator allocator = counting_on(&c, COUNTING_PLENTY);
        soa_program *program;
        soa_compiled *compiled = NULL;
        soa_runner *runner = NULL;
        OK(soa_program_new(&allocator, &program, &job_error));
        OK(soa_program_read(program, WHOLE, SOA_READ_PROGRAM, &job_error));
        c.left = n;
        status = soa_compile(model, program, writing, 0, NULL, &compiled, &job_error);
        status = status == SOA_OK ? soa_runner_new(compiled, 1, point, &allocator, &runner, &job_error) : status;
        c.left = COUNTING_PLENTY;
        soa_runner_free(runner);
        soa_compiled_free(compiled);
        soa_program_free(program);
        assert_int_equal(c.open, 0);
    }
    assert_int_equal(status, SOA_OK);
    print_message("%d allocations\n", n);
    soa_model_free(model);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    allocations_fail(SOA_AS_WRITTEN, 1);
    allocations_fail(SOA_SIMPLIFIED, 101);
}

static void bad_calls_are_refused(void **state)
{
    (void)state;
    soa_model *model = model_of("arm7");
    states s = states_new(model, 3, 7);
    job j = job_new(model, FD4_BARE, false, 0, NULL);
    OK(soa_runner_bind(j.runner, "T", s.T, &job_error));
    OK(soa_runner_bind_output(j.runner, "betadot", s.y, &job_error));
    assert_int_equal(soa_runner_run(j.runner, 1, s.q, &job_error), SOA_E_ARGUMENT);
    assert_non_null(strstr(job_error.text, "beta"));
    OK(soa_runner_bind(j.runner, "beta", s.v, &job_error));
    assert_int_equal(soa_runner_bind(j.runner, "U", s.v, &job_error), SOA_E_NAME);
    assert_int_equal(soa_runner_bind_output(j.runner, "U", s.y, &job_error), SOA_E_NAME);
    assert_int_equal(soa_runner_run(j.runner, -1, s.q, &job_error), SOA_E_ARGUMENT);
    assert_int_equal(soa_runner_run(j.runner, 1, NULL, &job_error), SOA_E_ARGUMENT);
    OK(soa_runner_run(j.runner, 3, s.q, &job_error));
    memcpy(s.z, s.y, (size_t)(3 * s.nv) * sizeof(double));
    s.T[s.nv + 2] = NAN;
    assert_int_equal(soa_runner_run(j.runner, 3, s.q, &job_error), SOA_E_NUMBER);
    assert_int_equal(job_error.state, 1);
    assert_memory_equal(s.y, s.z, (size_t)s.nv * sizeof(double));
    assert_true(isnan(s.y[s.nv]));
    assert_memory_equal(s.y + 2 * s.nv, s.z + 2 * s.nv, (size_t)s.nv * sizeof(double));
    job_free(&j);
    const soa_point twice[] = { { 3, soa_pose_identity() }, { 3, soa_pose_identity() } };
    j = job_new(model, "y = inv(Lambda) J beta", false, 2, twice); /* one point twice */
    OK(soa_runner_bind(j.runner, "beta", s.v, &job_error));
    assert_int_equal(soa_runner_run(j.runner, 1, s.q, &job_error), SOA_E_SINGULAR);
    job_free(&j);
    states_free(&s);
    soa_model_free(model);
}

/* A chain whose last link has no mass: its body has no D, and it is named wherever it stands. */
static void singular_bodies_are_named(void **state)
{
    (void)state;
    for (int last = 0; last < 3; last++) {
        soa_builder *builder = soa_builder_new(NULL);
        soa_model *model = NULL;
        for (int i = 0; i <= last; i++) {
            soa_link link = soa_link_default("link", i - 1, SOA_REVOLUTE);
            link.name = (const char *const[]){ "one", "two", "three" }[i];
            link.inertia = i < last ? (soa_inertia){ 1.0, { 0.0 }, { 1, 0, 0, 1, 0, 1 } } : link.inertia;
            OK(soa_builder_add_link(builder, &link, NULL, &job_error));
        }
        OK(soa_builder_finish(builder, &model, &job_error));
        soa_builder_free(builder);
        states s = states_new(model, 9, 1);
        job j = job_new(model, "y = inv(D) T", false, 0, NULL);
        OK(soa_runner_bind(j.runner, "T", s.T, &job_error));
        OK(soa_runner_bind_output(j.runner, "y", s.y, &job_error));
        for (int count = 1; count < 10; count += 8) {
            assert_int_equal(soa_runner_run(j.runner, count, s.q, &job_error), SOA_E_SINGULAR);
            assert_int_equal(job_error.body, last);
            assert_int_equal(job_error.state, 0);
        }
        job_free(&j);
        states_free(&s);
        soa_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(singular_bodies_are_named),
        cmocka_unit_test(given_operators_and_numbers),
        cmocka_unit_test(lanes_agree),
        cmocka_unit_test(running_allocates_nothing),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(bad_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
