/* How long forward dynamics takes as an expression, beside the hand-written one. */
#include <stdlib.h>
#include <time.h>

#include "soa/soa.h"
#include "spatial/check.h"

enum { STATES = 64, ROUNDS = 300 };

static const char FD4[] = "nu = D^-1 ((I - H psi K) T - H psi b - H psi~ P a); "
                          "betadot = (I - H psi K)' nu - K' psi' taubar' a - G' a";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct both {
    soa_model *model;
    soa_workspace *workspace;
    soa_runner *runner;
    double *q, *v, *T, *y;
} both;

/* The shortest of many rounds of each, in turn: states at a time. */
static double ratio(const both *b, int states)
{
    double expression = 1e9, kernel = 1e9;
    const int times = STATES / states / 4 + 1;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now();
        for (int i = 0; i < times; i++) {
            assert_int_equal(soa_runner_run(b->runner, states, b->q, NULL), SOA_OK);
        }
        const double middle = now();
        for (int i = 0; i < times; i++) {
            assert_int_equal(
                soa_forward_dynamics(b->model, b->workspace, states, b->q, b->v, b->T, NULL, b->y, NULL), SOA_OK);
        }
        const double end = now();
        expression = fmin(expression, middle - start);
        kernel = fmin(kernel, end - middle);
    }
    print_message("%d states: %.0f ns as an expression, %.0f ns hand-written: %.2f\n", states,
        1e9 * expression / (times * states), 1e9 * kernel / (times * states), expression / kernel);
    return expression / kernel;
}

/* A humanoid of some thirty bodies: at most 1.3 times the time. */
static void forward_dynamics_is_fast(void **state)
{
    (void)state;
    soa_error error;
    soa_program *program;
    soa_compiled *compiled;
    both b;
    assert_int_equal(soa_model_builtin("humanoid", NULL, &b.model, &error), SOA_OK);
    assert_int_equal(soa_program_new(NULL, &program, &error), SOA_OK);
    assert_int_equal(soa_program_read(program, FD4, SOA_READ_PROGRAM, &error), SOA_OK);
    const int last = soa_program_statements(program) - 1;
    assert_int_equal(soa_compile(b.model, program, 1, &last, &compiled, &error), SOA_OK);
    assert_int_equal(soa_runner_new(compiled, 0, NULL, NULL, &b.runner, &error), SOA_OK);
    assert_int_equal(soa_workspace_new(b.model, NULL, &b.workspace, &error), SOA_OK);
    const int nq = soa_model_nq(b.model), nv = soa_model_nv(b.model);
    unsigned long long seed = 9;
    b.q = calloc((size_t)(STATES * nq), sizeof(double));
    b.v = calloc((size_t)(3 * STATES * nv), sizeof(double));
    b.T = b.v + STATES * nv;
    b.y = b.T + STATES * nv;
    random_fill(&seed, 2 * STATES * nv, b.v);
    for (int i = 0; i < STATES; i++) {
        soa_random_configuration(b.model, &seed, b.q + i * nq);
    }
    double *y = calloc((size_t)(STATES * nv), sizeof *y);
    assert_int_equal(soa_runner_bind(b.runner, "T", b.T, &error), SOA_OK);
    assert_int_equal(soa_runner_bind(b.runner, "beta", b.v, &error), SOA_OK);
    assert_int_equal(soa_runner_bind_output(b.runner, "betadot", y, &error), SOA_OK);
    const double one = ratio(&b, 1), many = ratio(&b, STATES);
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    assert_true(one <= 1.3);
    assert_true(many <= 1.3);
#else
    (void)one, (void)many;
#endif
    free(y);
    free(b.q);
    free(b.v);
    soa_workspace_free(b.workspace);
    soa_runner_free(b.runner);
    soa_compiled_free(compiled);
    soa_program_free(program);
    soa_model_free(b.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(forward_dynamics_is_fast) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
