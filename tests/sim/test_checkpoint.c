/* Checkpoints: a simulation that is saved, made anew and restored goes on with the same bits; other bytes are refused. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/checks.h"

#include "soa/scenario.h"

enum { ROWS = 24, SAVES = 3 };

static soa_sim *make(const soa_model *model, const soa_sim_setup *setup)
{
    soa_sim *sim = NULL;
    ok(soa_sim_new(model, setup, NULL, &sim, &error));
    return sim;
}

/* Goes to row i of the run and compares all signals with `row`, or (write) keeps them there. */
static void go(soa_sim *sim, double duration, int i, double *row, bool write)
{
    ok(soa_sim_advance(sim, duration * i / ROWS, &error));
    const double *value = soa_sim_signal_values(sim, &error);
    const size_t bytes = (size_t)soa_sim_signals(sim) * sizeof *value;
    assert_non_null(value);
    if (write) {
        memcpy(row, value, bytes);
    } else if (memcmp(row, value, bytes) != 0) {
        fail_msg("row %d differs from that of the uninterrupted run", i);
    }
}

static void same_report(soa_sim *a, soa_sim *b)
{
    soa_sim_report x, y;
    ok(soa_sim_report_get(a, &x, &error));
    ok(soa_sim_report_get(b, &y, &error));
    assert_int_equal(x.steps, y.steps);
    assert_int_equal(x.rejected, y.rejected);
    assert_int_equal(x.evaluations, y.evaluations);
    assert_true(x.drift == y.drift && x.work == y.work && x.exchanged == y.exchanged);
    assert_true(x.position == y.position && x.velocity == y.velocity);
    assert_int_equal(x.events, y.events);
    for (int i = 0; i < x.events; i++) {
        assert_true(x.event[i].t == y.event[i].t && x.event[i].event == y.event[i].event);
    }
}

/* Saved at three rows; each time the rest of the rows comes out with the same bits. */
static void check(const soa_model *model, const soa_sim_setup *setup, double duration)
{
    static const int at[SAVES] = { 1, ROWS / 2, ROWS - 3 };
    soa_sim *whole = make(model, setup);
    const size_t signals = (size_t)soa_sim_signals(whole), size = soa_sim_saved_size(whole);
    double *row = calloc(signals * (ROWS + 1), sizeof *row);
    char *saved = malloc(SAVES * size);
    for (int i = 1, n = 0; i <= ROWS; i++) {
        go(whole, duration, i, row + signals * (size_t)i, true);
        if (n < SAVES && at[n] == i) {
            ok(soa_sim_save(whole, saved + (size_t)n++ * size, &error));
        }
    }
    for (int n = 0; n < SAVES; n++) {
        soa_sim *again = make(model, setup);
        ok(soa_sim_restore(again, saved + (size_t)n * size, size, &error));
        for (int i = at[n] + 1; i <= ROWS; i++) {
            go(again, duration, i, row + signals * (size_t)i, false);
        }
        same_report(whole, again);
        soa_sim_free(again);
    }
    free(saved);
    free(row);
    soa_sim_free(whole);
}

/* Loops, attachments, motors, events: what the examples have. */
static void check_scenario(const char *file, double part)
{
    char path[512];
    soa_scenario *scenario = NULL;
    snprintf(path, sizeof path, "%s/examples/%s", SOA_SOURCE, file);
    ok(soa_scenario_load(path, NULL, &scenario, &error));
    check(soa_scenario_model(scenario), soa_scenario_setup(scenario), part * soa_scenario_duration(scenario));
    soa_scenario_free(scenario);
}

static void scenarios_go_on(void **state)
{
    (void)state;
    check_scenario("scenarios/carry.yaml", 1.0);
    check_scenario("benchmarks/a01-pendulum.yaml", 1.0);
    check_scenario("benchmarks/a03-squeezer.yaml", 1.0);
    check_scenario("benchmarks/a04-bricard.yaml", 0.5);
}

/* Every method, with an integral of a controller, a force that ends and events of a signal. */
static void methods_go_on(void **state)
{
    (void)state;
    soa_model *model = NULL;
    ok(soa_model_builtin("quadruped", NULL, &model, &error));
    const int last = soa_model_bodies(model) - 1, link[] = { soa_model_body(model, last).link };
    const double gain[] = { 0.5 }, target[] = { 0.4 }, when[] = { 0.0 };
    const soa_path path = { { 1, when, target }, SOA_TIMING_LINEAR };
    const soa_controller controller = {
        .kind = SOA_CONTROL_PID, .joints = 1, .link = link, .kp = gain, .ki = gain, .kd = gain, .reference = &path
    };
    soa_force torque = soa_force_default("push", SOA_FORCE_TORQUE);
    torque.link = link[0];
    torque.value = 0.7;
    torque.to = 0.06;
    const soa_event event[] = { { .value = 0.033, .action = SOA_ACTION_DISABLE },
        { .signal = "energy.kinetic", .value = 0.2, .action = SOA_ACTION_HALT, .once = true } };
    for (int method = 0; !soa_sim_method_outside((soa_sim_method)method); method++) {
        soa_sim_setup setup = soa_sim_setup_default();
        setup.method = (soa_sim_method)method;
        setup.step = 1.3e-3;
        setup.controllers = setup.forces = 1;
        setup.controller = &controller;
        setup.force = &torque;
        setup.events = 2;
        setup.event = event;
        check(model, &setup, 0.1);
    }
    soa_model_free(model);
}

/* Saved while a signal is on the other side of an event's value than at first: the event does not happen again. */
static void sides_go_on(void **state)
{
    (void)state;
    soa_model *model = NULL;
    ok(soa_model_builtin("pendulum", NULL, &model, &error));
    const double q[] = { 0.4 };
    const soa_event event = { .signal = "q.pivot", .value = 0.0, .action = SOA_ACTION_RECORD };
    soa_sim_setup setup = soa_sim_setup_default();
    setup.q = q;
    setup.events = 1;
    setup.event = &event;
    for (int i = 0; i < 8; i++) {
        check(model, &setup, 1.0 + 0.5 * i);
    }
    soa_model_free(model);
}

static void other_bytes_are_refused(void **state)
{
    (void)state;
    soa_model *arm = NULL, *pendulum = NULL;
    ok(soa_model_builtin("arm7", NULL, &arm, &error));
    ok(soa_model_builtin("pendulum", NULL, &pendulum, &error));
    const soa_sim_setup setup = soa_sim_setup_default();
    soa_sim *a = make(arm, &setup), *b = make(pendulum, &setup);
    const size_t size = soa_sim_saved_size(a);
    char *saved = malloc(size);
    ok(soa_sim_save(a, saved, &error));
    assert_int_equal(soa_sim_restore(b, saved, size, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_sim_restore(a, saved, size - 1, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_sim_restore(a, NULL, size, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_sim_save(a, NULL, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_sim_saved_size(NULL), 0);
    saved[3] ^= 1;
    assert_int_equal(soa_sim_restore(a, saved, size, &error), SOA_E_ARGUMENT);
    free(saved);
    soa_sim_free(a);
    soa_sim_free(b);
    soa_model_free(arm);
    soa_model_free(pendulum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenarios_go_on),
        cmocka_unit_test(methods_go_on),
        cmocka_unit_test(sides_go_on),
        cmocka_unit_test(other_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
