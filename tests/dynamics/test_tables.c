/* Every table of kernels, also those that this processor would not choose: without FMA the
 * numbers are those with FMA but for rounding. */
#include "dynamics/calls.h"

#include "dynamics/kernels.h"
#include "expr/runner.h"

enum { STATES = 5 };

/* The same workspace with the kernels for another processor, one lane. */
static void use_kernels(soa_workspace *w, soa_cpu cpu)
{
    w->one = soa_kernels_one(w->model, cpu);
    w->many = soa_kernels_many(w->model, cpu, 1);
    w->work = w->many->work;
    w->lanes = 1;
    w->work_many = w->work_one;
    w->one->prepare(w->model, w->points, w->work_one);
}

/* NaN where NaN is expected, otherwise near. */
static void near_or_nan(const char *what, int n, double *x, double *expected, double tolerance)
{
    for (int i = 0; i < n; i++) {
        if (isnan(expected[i]) && isnan(x[i])) {
            expected[i] = x[i] = 0.0;
        }
    }
    near_at(__FILE__, __LINE__, what, n, x, expected, tolerance);
}

static void plain_kernels_agree(void **state)
{
    (void)state;
    static const char *const names[] = { "arm7", "humanoid", "satellite", "tree:9,2", "tree:25,6", "pendulum" };
    const soa_cpu plain = { false, false, false };
    for (size_t model = 0; model < sizeof names / sizeof names[0]; model++) {
        kit k = kit_open(names[model], 3 + model);
        batch b = batch_of(&k, STATES);
        soa_workspace *w;
        OK(&k, soa_workspace_new(k.m, NULL, &w, &k.error));
        use_kernels(w, plain);
        for (int c = 0; c < API_CALLS; c++) {
            outputs expected = outputs_of(&CALLS[c], &b), out = outputs_of(&CALLS[c], &b);
            const soa_status status = run_states(&CALLS[c], &b, k.w, 0, STATES, &expected, &k.error);
            assert_int_equal(run_states(&CALLS[c], &b, w, 0, STATES, &out, &k.error), status);
            for (int i = 0; i < OUTPUTS; i++) {
                near_or_nan(CALLS[c].name, STATES * out.size[i], out.y[i], expected.y[i], 1e-9);
            }
            outputs_free(&expected);
            outputs_free(&out);
        }
        soa_workspace_free(w);
        batch_free(&b);
        kit_close(&k);
    }
}

/* With FMA, whatever registers there are, one state has the bits that it has here. */
static void kernels_with_fma_have_the_same_bits(void **state)
{
    (void)state;
    static const char *const names[] = { "arm7", "humanoid", "satellite", "tree:25,6" };
    const soa_cpu avx2 = { true, true, false };
    if (!soa_cpu_features().avx2) {
        return;
    }
    for (size_t model = 0; model < sizeof names / sizeof names[0]; model++) {
        kit k = kit_open(names[model], 5 + model);
        batch b = batch_of(&k, STATES);
        soa_workspace *w;
        OK(&k, soa_workspace_new(k.m, NULL, &w, &k.error));
        use_kernels(w, avx2);
        for (int c = 0; c < API_CALLS; c++) {
            outputs expected = outputs_of(&CALLS[c], &b), out = outputs_of(&CALLS[c], &b);
            const soa_status status = run_states(&CALLS[c], &b, k.w, 0, STATES, &expected, &k.error);
            assert_int_equal(run_states(&CALLS[c], &b, w, 0, STATES, &out, &k.error), status);
            same_outputs(&CALLS[c], &out, &expected, 0, STATES);
            outputs_free(&expected);
            outputs_free(&out);
        }
        soa_workspace_free(w);
        batch_free(&b);
        kit_close(&k);
    }
}

/* A table is chosen only where all that it was compiled for is there. */
static void tables_fit_the_processor(void **state)
{
    (void)state;
    const soa_cpu plain = { false, false, false }, fma = { true, false, false };
    kit k = kit_open("pendulum", 1);
    const soa_kernel_table *one = soa_kernels_one(k.m, plain);
    assert_ptr_equal(soa_kernels_one(k.m, fma), one);
    assert_ptr_equal(soa_kernels_many(k.m, plain, 1), one);
    assert_int_equal(one->lanes, 1);
    assert_ptr_equal(soa_run_kernels(fma, 1), soa_run_kernels(plain, 1));
    for (int lanes = 0; lanes <= 9; lanes++) {
        const soa_cpu cpus[] = { plain, fma, { true, true, false }, { true, true, true } };
        const int most[] = { 1, 1, 4, 8 };
        for (int i = 0; i < 4; i++) {
            const soa_kernel_table *table = soa_kernels_many(k.m, cpus[i], lanes);
            const bool offered = lanes == 1 || lanes == 4 || lanes == 8;
#if defined(__x86_64__)
            assert_int_equal(table != NULL, offered && lanes <= most[i]);
#else
            assert_int_equal(table != NULL, offered && lanes == 1 && most[i] > 0);
#endif
            assert_true(!table || table->lanes == lanes);
        }
    }
    kit_close(&k);
}

/* y = op x for every operator and adjoint but I and A, one result after another, by the kernels of a processor; how many numbers. */
static int apply_all(soa_cpu cpu, const kit *k, const soa_point *point, const double *x, double *y)
{
    soa_program *program;
    soa_compiled *compiled;
    soa_runner *runner;
    char text[128], name[16];
    soa_error error;
    int n = 0;
    assert_int_equal(soa_program_new(NULL, &program, &error), SOA_OK);
    for (int i = 2 * SOA_OP_I + 2; i < 2 * SOA_OP_A; i++) {
        const soa_operator_info about = soa_operator_about((soa_operator)(i / 2), i % 2 != 0);
        (void)snprintf(text, sizeof text, "x%d: %s %s; y%d = %s%s x%d", i, soa_space_text(about.domain_space),
            soa_side_text(about.domain_side), i, about.text, i % 2 ? "'" : "", i);
        assert_int_equal(soa_program_read(program, text, SOA_READ_PROGRAM, &error), SOA_OK);
    }
    assert_int_equal(soa_compile(k->m, program, SOA_AS_WRITTEN, 0, NULL, &compiled, &error), SOA_OK);
    assert_int_equal(soa_runner_new(compiled, POINTS, point, NULL, &runner, &error), SOA_OK);
    runner->lanes = 1;
    runner->one = runner->many = soa_run_kernels(cpu, 1);
    for (int i = 2 * SOA_OP_I + 2; i < 2 * SOA_OP_A; i++) {
        (void)snprintf(name, sizeof name, "x%d", i);
        assert_int_equal(soa_runner_bind(runner, name, x, &error), SOA_OK);
        name[0] = 'y';
        assert_int_equal(soa_runner_bind_output(runner, name, y + n, &error), SOA_OK);
        n += soa_runner_numbers(runner, name);
    }
    assert_int_equal(soa_runner_run(runner, 1, k->q, &error), SOA_OK);
    soa_runner_free(runner);
    soa_compiled_free(compiled);
    soa_program_free(program);
    return n;
}

static void plain_operators_agree(void **state)
{
    (void)state;
    const soa_cpu plain = { false, false, false };
    for (int i = 0; i < 8; i++) {
        kit k = kit_tree(1 + 4 * i, 60 + i);
        soa_point point[POINTS];
        random_points(&k, POINTS, point);
        const int most = 6 * (k.bodies + POINTS);
        double *x = numbers(most), *y = numbers(2 * SOA_OPERATORS * most),
               *expected = numbers(2 * SOA_OPERATORS * most);
        random_numbers(&k.seed, most, x);
        const int n = apply_all(soa_cpu_features(), &k, point, x, expected);
        assert_int_equal(apply_all(plain, &k, point, x, y), n);
        NEAR(n, y, expected, 1e-11);
        free(x);
        free(y);
        free(expected);
        kit_close(&k);
    }
}

/* x = R* y, R the rotation of a pose as soa_kinematics gives it. */
static void to_body(const double *pose, const double *y, double *x)
{
    for (int i = 0; i < 3; i++) {
        x[i] = pose[i] * y[0] + pose[3 + i] * y[1] + pose[6 + i] * y[2];
    }
}

/* [FD2] also gives alpha = psi* H* nu + phi* a: the accelerations that kinematics finds from its betadot. */
static void second_method_gives_accelerations(void **state)
{
    (void)state;
    static const char *const names[] = { "arm7", "humanoid", "satellite", "tree:9,2", "tree:25,6" };
    for (size_t model = 0; model < sizeof names / sizeof names[0]; model++) {
        kit k = kit_open(names[model], 11 + model);
        double *vdot = numbers(k.nv), *alpha = numbers(6 * k.bodies), *expected = numbers(6 * k.bodies);
        double *pose = numbers(12 * k.links), *velocity = numbers(6 * k.links), *acceleration = numbers(6 * k.links);
        soa_call call = { .q.at = k.q, .v.at = k.v, .u.at = k.T, .u_name = "T", .y.at = vdot, .y2.at = alpha };
        OK(&k, soa_run(k.w, k.m, SOA_KERNEL_forward_dynamics_2, 1, &call, &k.error));
        OK(&k, soa_kinematics(k.m, k.w, 1, k.q, k.v, vdot, pose, velocity, acceleration, &k.error));
        for (int b = 0; b < k.bodies; b++) {
            const int link = soa_model_body(k.m, b).link;
            const double *V = velocity + 6 * link, *A = acceleration + 6 * link;
            const double a[3] = { A[3] - (V[1] * V[5] - V[2] * V[4]), A[4] - (V[2] * V[3] - V[0] * V[5]),
                A[5] - (V[0] * V[4] - V[1] * V[3]) };
            to_body(pose + 12 * link, A, expected + 6 * b);
            to_body(pose + 12 * link, a, expected + 6 * b + 3);
        }
        NEAR(6 * k.bodies, alpha, expected, 1e-11);
        free(vdot);
        free(alpha);
        free(expected);
        free(pose);
        free(velocity);
        free(acceleration);
        kit_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_kernels_agree),
        cmocka_unit_test(kernels_with_fma_have_the_same_bits),
        cmocka_unit_test(plain_operators_agree),
        cmocka_unit_test(second_method_gives_accelerations),
        cmocka_unit_test(tables_fit_the_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
