/* Threads share compiled expressions, each with a runner of its own, and get the same bits. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "soa/soa.h"
#include "spatial/check.h"

enum { THREADS = 6, STATES = 11, ROUNDS = 5 };

static const char TEXT[] = "betadot = Mass^-1 (T - C); w = J betadot; L = inv(J Mass^-1 J' + Lambda) w; Mass";

typedef struct worker {
    pthread_t thread;
    const soa_compiled *compiled;
    const double *q, *v, *T;
    double *out[4];
    int numbers[4];
} worker;

static void *work(void *context)
{
    worker *me = context;
    soa_runner *runner;
    soa_error error;
    const soa_point point[] = { { 7, soa_pose_identity() } };
    if (soa_runner_new(me->compiled, 1, point, NULL, &runner, &error) != SOA_OK) {
        return me;
    }
    bool good = soa_runner_bind(runner, "T", me->T, &error) == SOA_OK &&
                soa_runner_bind(runner, "beta", me->v, &error) == SOA_OK;
    for (int i = 0; i < 4; i++) {
        const char *name = soa_compiled_output_info(me->compiled, i).name;
        me->numbers[i] = STATES * soa_runner_numbers(runner, name);
        me->out[i] = calloc((size_t)me->numbers[i], sizeof(double));
        good = good && soa_runner_bind_output(runner, name, me->out[i], &error) == SOA_OK;
    }
    for (int round = 0; good && round < ROUNDS; round++) {
        good = soa_runner_run(runner, STATES, me->q, &error) == SOA_OK;
    }
    soa_runner_free(runner);
    return good ? NULL : me;
}

static void threads_share_what_is_compiled(void **state)
{
    (void)state;
    soa_model *model;
    soa_program *program;
    soa_compiled *compiled;
    soa_error error;
    assert_int_equal(soa_model_builtin("humanoid", NULL, &model, &error), SOA_OK);
    assert_int_equal(soa_program_new(NULL, &program, &error), SOA_OK);
    assert_int_equal(soa_program_read(program, TEXT, SOA_READ_PROGRAM, &error), SOA_OK);
    assert_int_equal(soa_compile(model, program, SOA_SIMPLIFIED, 0, NULL, &compiled, &error), SOA_OK);
    const int nq = soa_model_nq(model), nv = soa_model_nv(model);
    double *q = calloc((size_t)(STATES * nq), sizeof *q), *v = calloc((size_t)(2 * STATES * nv), sizeof *v);
    unsigned long long seed = 3;
    random_fill(&seed, 2 * STATES * nv, v);
    for (int i = 0; i < STATES; i++) {
        soa_random_configuration(model, &seed, q + i * nq);
    }
    worker workers[THREADS + 1];
    for (int t = 0; t <= THREADS; t++) {
        workers[t] = (worker){ .compiled = compiled, .q = q, .v = v, .T = v + STATES * nv };
    }
    assert_null(work(&workers[THREADS])); /* alone */
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_create(&workers[t].thread, NULL, work, &workers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        void *failed;
        assert_int_equal(pthread_join(workers[t].thread, &failed), 0);
        assert_null(failed);
    }
    for (int t = 0; t <= THREADS; t++) {
        for (int i = 0; i < 4; i++) {
            const size_t size = (size_t)workers[t].numbers[i] * sizeof(double);
            assert_memory_equal(workers[t].out[i], workers[THREADS].out[i], size);
            if (t < THREADS) {
                free(workers[t].out[i]);
            }
        }
    }
    for (int i = 0; i < 4; i++) {
        free(workers[THREADS].out[i]);
    }
    free(q);
    free(v);
    soa_compiled_free(compiled);
    soa_program_free(program);
    soa_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(threads_share_what_is_compiled) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
