/* Values that a program gives to its names hold in every state, in any lanes: as the same numbers bound for each state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soa/soa.h"

enum { STATES = 11, NV = 5 };

static const double GIVEN[NV] = { 0.5, -1.0, 2.0, 0.25, 3.0 };

/* y of all states; `bound`: w and c are given by arrays, else by the text. */
static void run(const soa_model *model, const char *text, bool bound, int lanes, const double *q, double *y)
{
    soa_program *program = NULL;
    soa_compiled *compiled = NULL;
    soa_runner *runner = NULL;
    double w[STATES * NV], c[STATES];
    for (int i = 0; i < STATES * NV; i++) {
        w[i] = GIVEN[i % NV], c[i / NV] = -1.5;
    }
    assert_int_equal(soa_program_new(NULL, &program, NULL), SOA_OK);
    assert_int_equal(soa_program_read(program, text, SOA_READ_PROGRAM, NULL), SOA_OK);
    assert_int_equal(soa_compile(model, program, SOA_AS_WRITTEN, 0, NULL, &compiled, NULL), SOA_OK);
    assert_int_equal(soa_runner_new(compiled, 0, NULL, NULL, &runner, NULL), SOA_OK);
    if (bound) {
        assert_int_equal(soa_runner_bind(runner, "w", w, NULL), SOA_OK);
        assert_int_equal(soa_runner_bind(runner, "c", c, NULL), SOA_OK);
    }
    assert_int_equal(soa_runner_bind_output(runner, "y", y, NULL), SOA_OK);
    if (soa_runner_set_lanes(runner, lanes, NULL) == SOA_OK) {
        assert_int_equal(soa_runner_run(runner, STATES, q, NULL), SOA_OK);
    } else {
        assert_true(lanes > 1);
    }
    soa_runner_free(runner);
    soa_compiled_free(compiled);
    soa_program_free(program);
}

static void constants_hold_in_every_state(void **state)
{
    (void)state;
    static const char declared[] = "w: joint velocity; c: number; y = c Mass w",
                      given[] = "w: joint velocity = 0.5, -1, 2, 0.25, 3; c: number = -1.5; y = c Mass w";
    unsigned long long seed = 4;
    soa_model *model = NULL;
    assert_int_equal(soa_model_builtin("chain:5", NULL, &model, NULL), SOA_OK);
    assert_int_equal(soa_model_nv(model), NV);
    double q[STATES * NV];
    for (int s = 0; s < STATES; s++) {
        soa_random_configuration(model, &seed, q + s * soa_model_nq(model));
    }
    for (int lanes = 1; lanes <= 8; lanes *= 2) {
        double expected[STATES * NV] = { 0.0 }, y[STATES * NV] = { 0.0 };
        run(model, declared, true, lanes, q, expected);
        run(model, given, false, lanes, q, y);
        assert_memory_equal(expected, y, sizeof y);
    }
    soa_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(constants_hold_in_every_state) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
