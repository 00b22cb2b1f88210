/* Expressions run like the named algorithms: sweeps, bits, numbers. */
#include "expr/run_job.h"
#include "operator/random_tree.h"

static const char FD1[] = "Tp = T - H phi (M phi' a + b + B f_c); "
                          "betadot = (I - H psi K)' D^-1 (I - H psi K) Tp";
static const char FD2[] = "Tp = T - H phi (M phi' a + b + B f_c); nu = D^-1 (I - H psi K) Tp; "
                          "betadot = (I - H psi K)' nu; acc = psi' H' nu + phi' a";
static const char FD3[] = "zeta = M phi' a + b + B f_c; eps = T - H psi (K T + zeta); "
                          "betadot = (I - H psi K)' D^-1 eps";
static const char FD4[] = "nu = D^-1 ((I - H psi K) T - H psi (b + B f_c) - H psi~ P a); "
                          "betadot = (I - H psi K)' nu - K' psi' taubar' a - G' a";
static const char FD1_BARE[] = "Tp = T - H phi (M phi' a + b); betadot = (I - H psi K)' D^-1 (I - H psi K) Tp";
static const char FD3_BARE[] = "zeta = M phi' a + b; eps = T - H psi (K T + zeta); betadot = (I - H psi K)' D^-1 eps";
static const char FD4_BARE[] = "nu = D^-1 ((I - H psi K) T - H psi b - H psi~ P a); "
                               "betadot = (I - H psi K)' nu - K' psi' taubar' a - G' a";

/* ---- sweeps --------------------------------------------------------------------------------------------- */

/* [FD1] has four sweeps as written, [FD3] and [FD4] three; fused, all have three. */
static void sweeps_of_the_algorithms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int written, fused;
    } list[] = { { FD1, 4, 3 }, { FD2, 4, 3 }, { FD3, 3, 3 }, { FD4, 3, 3 }, { "Mass^-1 T", 2, 2 },
        { "Mass betadot", 2, 2 }, { "J Mass^-1 J' f_c", 4, 2 }, { "B' psi' H' D^-1 H psi B f_c", 2, 2 }, { "V", 1, 1 },
        { "H f", 2, 2 }, { "M V", 1, 1 }, { "M alpha", 1, 1 }, { "phi phi T1", 2, 1 } };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        soa_program *program;
        soa_compiled *compiled;
        OK(soa_program_new(NULL, &program, &job_error));
        OK(soa_program_read(program, "T1: body force", SOA_READ_PROGRAM, &job_error));
        OK(soa_program_read(program, list[i].text, SOA_READ_PROGRAM, &job_error));
        const int last = soa_program_statements(program) - 1;
        OK(soa_compile(NULL, program, SOA_AS_WRITTEN, 1, &last, &compiled, &job_error));
        assert_int_equal(soa_compiled_sweeps_written(compiled), list[i].written);
        assert_int_equal(soa_compiled_sweeps(compiled), list[i].fused);
        soa_compiled_free(compiled);
        soa_program_free(program);
    }
}

/* ---- the same bits as the hand-written algorithms -------------------------------------------------------- */

/* FASTEST is found by what the text equals, the others are run as they are written. */
static void same_bits(const soa_model *model, const char *text, soa_method method, int count, unsigned long long seed)
{
    job_writing = method == SOA_FD_FASTEST ? SOA_SIMPLIFIED : SOA_AS_WRITTEN;
    states s = states_new(model, count, seed);
    soa_workspace *w;
    job j = job_new(model, text, false, 0, NULL);
    bind_state(&j, &s);
    OK(soa_workspace_new(model, NULL, &w, &job_error));
    OK(soa_forward_dynamics_by(model, w, method, count, s.q, s.v, s.T, NULL, s.z, &job_error));
    for (int lanes = 1; lanes <= 8; lanes *= 2) {
        if (soa_runner_set_lanes(j.runner, lanes, NULL) == SOA_OK) {
            memset(s.y, 0xff, (size_t)(count * s.nv) * sizeof(double));
            OK(soa_runner_run(j.runner, count, s.q, &job_error));
            assert_memory_equal(s.y, s.z, (size_t)(count * s.nv) * sizeof(double));
        }
    }
    soa_workspace_free(w);
    job_free(&j);
    states_free(&s);
    job_writing = SOA_AS_WRITTEN;
}

static void bits_of_forward_dynamics(void **state)
{
    (void)state;
    static const char *const name[] = { "humanoid", "quadruped", "arm7", "chain:40" };
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        soa_model *model = NULL;
        if (soa_model_builtin(name[i], NULL, &model, &job_error) != SOA_OK) {
            continue;
        }
        same_bits(model, FD4_BARE, SOA_FD_FASTEST, 19, 5 + i);
        same_bits(model, "betadot = Mass^-1 (T - C)", SOA_FD_FASTEST, 19, 5 + i);
        same_bits(model, FD1_BARE, SOA_FD_FASTEST, 9, 5 + i);
        same_bits(model, FD1_BARE, SOA_FD1, 9, 6 + i);
        same_bits(model, FD3_BARE, SOA_FD3, 10, 7 + i);
        soa_model_free(model);
    }
    for (int i = 0; i < 12; i++) { /* all joints; with rotors [FD4] alone is theirs */
        char text[32];
        snprintf(text, sizeof text, "tree:%d,%d", 3 + 2 * i, i);
        soa_model *model = model_of(text);
        if (!soa_has_turning_armature(model)) {
            same_bits(model, FD4_BARE, SOA_FD_FASTEST, 11, 50 + (unsigned)i);
        }
        same_bits(model, "betadot = Mass^-1 (T - C)", SOA_FD_FASTEST, 11, 50 + (unsigned)i);
        soa_model_free(model);
    }
}

/* Mass^-1 x is soa_mass_solve bit by bit. */
static void bits_of_mass_solve(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        char name[32];
        snprintf(name, sizeof name, "tree:%d,%d", 2 + 4 * i, 90 + i);
        soa_model *model = model_of(name);
        states s = states_new(model, 9, 3);
        soa_workspace *w;
        job j = job_new(model, "Mass^-1 T", false, 0, NULL);
        OK(soa_runner_bind(j.runner, "T", s.T, &job_error));
        OK(soa_runner_bind_output(j.runner, "y", s.y, &job_error));
        OK(soa_workspace_new(model, NULL, &w, &job_error));
        OK(soa_runner_run(j.runner, s.count, s.q, &job_error));
        OK(soa_mass_solve(model, w, s.count, s.q, s.T, s.z, &job_error));
        assert_memory_equal(s.y, s.z, (size_t)(s.count * s.nv) * sizeof(double));
        soa_workspace_free(w);
        job_free(&j);
        states_free(&s);
        soa_model_free(model);
    }
}

/* With forces at points the four algorithms agree, and FD2 gives the accelerations on the way. */
static void algorithms_agree(void **state)
{
    (void)state;
    soa_model *model = model_of("humanoid");
    const soa_point point[] = { { 5, soa_pose_identity() }, { 9, soa_pose_identity() } };
    states s = states_new(model, 5, 77);
    double f_c[5 * 12];
    unsigned long long seed = 4;
    random_fill(&seed, 60, f_c);
    static const char *const text[] = { FD1, FD2, FD3, FD4 };
    for (int i = 0; i < 4; i++) {
        job j = job_new(model, text[i], true, 2, point);
        bind_state(&j, &s);
        OK(soa_runner_bind(j.runner, "f_c", f_c, &job_error));
        OK(soa_runner_bind_output(j.runner, "betadot", i == 0 ? s.z : s.y, &job_error));
        OK(soa_runner_run(j.runner, s.count, s.q, &job_error));
        for (int k = 0; i > 0 && k < s.count * s.nv; k++) {
            assert_true(fabs(s.y[k] - s.z[k]) <= 1e-10 * (1.0 + fabs(s.z[k])));
        }
        job_free(&j);
    }
    states_free(&s);
    soa_model_free(model);
}

/* H f is inverse dynamics, and C its part without betadot. */
static void inverse_dynamics_agrees(void **state)
{
    (void)state;
    soa_model *model = model_of("humanoid");
    states s = states_new(model, 9, 12);
    soa_workspace *w;
    job j = job_new(model, "tau_all = H f; rest = Mass betadot + C - tau_all", true, 0, NULL);
    double *rest = calloc((size_t)(s.count * s.nv), sizeof *rest);
    OK(soa_runner_bind(j.runner, "betadot", s.T, &job_error));
    OK(soa_runner_bind(j.runner, "beta", s.v, &job_error));
    OK(soa_runner_bind_output(j.runner, "tau_all", s.y, &job_error));
    OK(soa_runner_bind_output(j.runner, "rest", rest, &job_error));
    OK(soa_runner_run(j.runner, s.count, s.q, &job_error));
    OK(soa_workspace_new(model, NULL, &w, &job_error));
    OK(soa_inverse_dynamics(model, w, s.count, s.q, s.v, s.T, NULL, s.z, &job_error));
    for (int i = 0; i < s.count * s.nv; i++) {
        assert_true(fabs(s.y[i] - s.z[i]) <= 1e-10 * (1.0 + fabs(s.z[i])));
        assert_true(fabs(rest[i]) <= 1e-9);
    }
    free(rest);
    soa_workspace_free(w);
    job_free(&j);
    states_free(&s);
    soa_model_free(model);
}

/* C by steps is that of the kernels on all kinds of joints, also where armature is on velocities that turn. */
static void bias_with_armature(void **state)
{
    (void)state;
    int turning = 0;
    for (unsigned i = 0; i < 60; i++) {
        tree t = tree_new(2 + (int)i % 7, TREE_BUSHY, true, i);
        const soa_model *model = t.model;
        states s = states_new(model, 5, 40 + i);
        soa_workspace *w;
        job_writing = i % 2 ? SOA_SIMPLIFIED : SOA_AS_WRITTEN;
        job j = job_new(model, "betadot = Mass^-1 (T + C) - Mass^-1 (2 C)", false, 0, NULL);
        bind_state(&j, &s);
        OK(soa_workspace_new(model, NULL, &w, &job_error));
        OK(soa_runner_run(j.runner, s.count, s.q, &job_error));
        OK(soa_forward_dynamics(model, w, s.count, s.q, s.v, s.T, NULL, s.z, &job_error));
        double largest = 0.0;
        for (int k = 0; k < s.count * s.nv; k++) {
            largest = fmax(largest, fabs(s.z[k]));
        }
        for (int k = 0; k < s.count * s.nv; k++) {
            assert_true(fabs(s.y[k] - s.z[k]) <= 1e-10 * (1.0 + largest));
        }
        turning += soa_has_turning_armature(model);
        soa_workspace_free(w);
        job_free(&j);
        states_free(&s);
        soa_model_free(t.model);
    }
    job_writing = SOA_AS_WRITTEN;
    assert_true(turning >= 3);
}

/* A result that overflows is an error that names it; the other states keep their values. */
static void overflow_is_named(void **state)
{
    (void)state;
    soa_model *model = model_of("arm7");
    states s = states_new(model, 3, 2);
    for (int k = 0; k < s.nv; k++) {
        s.v[s.nv + k] *= 1e200;
    }
    job j = job_new(model, "y = Mass^-1 (T - H phi b)", false, 0, NULL);
    OK(soa_runner_bind(j.runner, "T", s.T, &job_error));
    OK(soa_runner_bind(j.runner, "beta", s.v, &job_error));
    OK(soa_runner_bind_output(j.runner, "y", s.y, &job_error));
    for (int lanes = 1; lanes <= 8; lanes *= 2) {
        if (soa_runner_set_lanes(j.runner, lanes, NULL) == SOA_OK) {
            assert_int_equal(soa_runner_run(j.runner, s.count, s.q, &job_error), SOA_E_NUMBER);
            assert_int_equal(job_error.state, 1);
            assert_non_null(strstr(job_error.text, "state 1: y["));
            assert_true(isfinite(s.y[0]) && isnan(s.y[s.nv]) && isfinite(s.y[2 * s.nv]));
        }
    }
    job_free(&j);
    states_free(&s);
    soa_model_free(model);
}

/* What is named keeps its value where it is used: alpha in x is of the betadot that is given, whatever is defined later. */
static void names_keep_their_values(void **state)
{
    (void)state;
    soa_model *model = model_of("arm7");
    states s = states_new(model, 3, 8);
    double *betadot = calloc((size_t)(s.count * s.nv), sizeof *betadot);
    job j = job_new(model, "x = G' alpha; betadot = Mass^-1 T; y = 2 x + beta", true, 0, NULL);
    OK(soa_runner_bind(j.runner, "T", s.T, &job_error));
    OK(soa_runner_bind(j.runner, "beta", s.v, &job_error));
    OK(soa_runner_bind(j.runner, "betadot", betadot, &job_error));
    OK(soa_runner_bind_output(j.runner, "x", s.z, &job_error));
    OK(soa_runner_bind_output(j.runner, "y", s.y, &job_error));
    OK(soa_runner_run(j.runner, s.count, s.q, &job_error));
    for (int k = 0; k < s.count * s.nv; k++) {
        assert_true(fabs(s.y[k] - 2.0 * s.z[k] - s.v[k]) <= 1e-12 * (1.0 + fabs(s.z[k])));
    }
    job_free(&j);
    states_free(&s);
    free(betadot);
    soa_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_of_the_algorithms),
        cmocka_unit_test(bits_of_forward_dynamics),
        cmocka_unit_test(bits_of_mass_solve),
        cmocka_unit_test(algorithms_agree),
        cmocka_unit_test(inverse_dynamics_agrees),
        cmocka_unit_test(bias_with_armature),
        cmocka_unit_test(overflow_is_named),
        cmocka_unit_test(names_keep_their_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
