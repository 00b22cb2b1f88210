/* Simulation: loops, events, controllers, refusals. */
#include <stdio.h>

#include "sim/checks.h"

#include "soa/io.h"

static soa_sim *make(const soa_model *model, const soa_sim_setup *setup)
{
    soa_sim *sim = NULL;
    ok(soa_sim_new(model, setup, NULL, &sim, &error));
    return sim;
}

/* A motor turns a wheel by a gear of 3 and a drum that is fixed to its shaft: (0.02 + 0.01 + 0.18 / 9) vdot = 1. */
static void closures_and_couplings_act_together(void **state)
{
    (void)state;
    static const char text[] = "soa: 1\n"
                               "gravity: [0, 0, 0]\n"
                               "links:\n"
                               "  - {name: shaft, joint: {name: shaft, type: continuous, axis: [0, 0, 1]}, mass: 1, "
                               "inertia: [0.01, 0, 0, 0.01, 0, 0.02]}\n"
                               "  - {name: wheel, joint: {name: wheel, type: continuous, axis: [0, 0, 1]}, mass: 3, "
                               "inertia: [0.1, 0, 0, 0.1, 0, 0.18]}\n"
                               "  - {name: drum, joint: {name: drum, type: continuous, axis: [0, 0, 1]}, mass: 1, "
                               "inertia: [0.01, 0, 0, 0.01, 0, 0.01]}\n"
                               "couplings: [{joint: wheel, driver: shaft, coefficients: [0, -0.3333333333333333]}]\n"
                               "closures: [{name: keyed, kind: rigid, a: shaft, b: drum}]\n";
    soa_model *model = NULL;
    ok(soa_load_text(SOA_YAML, text, strlen(text), "text", NULL, &model, &error));
    soa_force motor = soa_force_default("motor", SOA_FORCE_TORQUE);
    motor.link = soa_model_find_link(model, "shaft");
    motor.value = 1.0;
    soa_sim_setup setup = soa_sim_setup_default();
    setup.forces = 1;
    setup.force = &motor;
    soa_sim *sim = make(model, &setup);
    ok(soa_sim_advance(sim, 0.5, &error));
    for (int i = 0; i < 3; i++) {
        const double wanted = 0.5 / 0.05 * (i == 1 ? -1.0 / 3.0 : 1.0);
        assert_true(fabs(soa_sim_v(sim)[i] / wanted - 1.0) < 1e-9);
    }
    soa_sim_free(sim);
    soa_model_free(model);
}

/* Loops stay shut, and energy with damping is that which the dampers took. */
static void four_bar_keeps_its_account(void **state)
{
    (void)state;
    soa_model *model = NULL;
    ok(soa_load(SOA_SOURCE "/examples/models/four-bar.yaml", NULL, &model, &error));
    soa_force damper = soa_force_default("loss", SOA_FORCE_JOINT_DAMPER);
    damper.link = soa_model_body(model, 0).link;
    damper.damping = 0.05;
    soa_sim_setup setup = soa_sim_setup_default();
    setup.consistent = true;
    setup.forces = 1;
    setup.force = &damper;
    setup.q = soa_model_configurations(model) > 0 ? soa_model_configuration(model, 0)->q : NULL;
    soa_sim *sim = make(model, &setup);
    ok(soa_sim_advance(sim, 5.0, &error));
    soa_sim_report report;
    ok(soa_sim_report_get(sim, &report, &error));
    print_message("four-bar: %ld steps, drift %.1e of %.2g J, work %.3g, violation %.1e %.1e\n", report.steps,
        report.drift, report.exchanged, report.work, report.position, report.velocity);
    assert_true(report.position < 1e-10 && report.velocity < 1e-9);
    assert_true(report.work < -1e-3);
    assert_true(fabs(report.drift) < 1e-8 * report.exchanged);
    soa_sim_free(sim);
    soa_model_free(model);
}

/* A stiff damped spring: the implicit method takes steps a hundred times its time constant. */
static void implicit_steps_may_be_long(void **state)
{
    (void)state;
    soa_model *model = builtin("pendulum");
    soa_force spring[2] = { soa_force_default("hold", SOA_FORCE_JOINT_SPRING),
        soa_force_default("damp", SOA_FORCE_JOINT_DAMPER) };
    spring[0].link = spring[1].link = soa_model_body(model, 0).link;
    spring[0].stiffness = 1e8;
    spring[1].damping = 1e5;
    const double q0[1] = { 1e-3 };
    soa_sim_setup setup = soa_sim_setup_default();
    setup.method = SOA_IMPLICIT;
    setup.step = 0.01;
    setup.forces = 2;
    setup.force = spring;
    setup.q = q0;
    soa_sim *sim = make(model, &setup);
    ok(soa_sim_advance(sim, 1.0, &error));
    assert_true(fabs(soa_sim_q(sim)[0]) < 1e-6);
    assert_true(fabs(soa_sim_v(sim)[0]) < 1e-6);
    soa_sim_free(sim);
    soa_model_free(model);
}

/* A pendulum let go is found at its lowest point to 1e-10 s: a quarter of its period. */
static void events_are_located(void **state)
{
    (void)state;
    soa_model *model = builtin("pendulum");
    const double q0[1] = { 0.4 };
    char signal[64];
    soa_event event = { .value = 0.0, .direction = -1, .action = SOA_ACTION_STOP };
    soa_sim_setup setup = soa_sim_setup_default();
    double found[SOA_METHODS];
    snprintf(signal, sizeof signal, "q.%s", soa_model_link(model, soa_model_body(model, 0).link)->joint.name);
    event.signal = signal;
    setup.q = q0;
    setup.events = 1;
    setup.event = &event;
    setup.rtol = setup.atol = 1e-12;
    for (int method = 0; !soa_sim_method_outside((soa_sim_method)method); method++) {
        setup.method = (soa_sim_method)method;
        setup.step = 1e-4;
        soa_sim *sim = make(model, &setup);
        ok(soa_sim_advance(sim, 10.0, &error));
        assert_true(soa_sim_stopped(sim));
        found[method] = soa_sim_time(sim);
        assert_true(fabs(soa_sim_q(sim)[0]) < 1e-9);
        soa_sim_report report;
        ok(soa_sim_report_get(sim, &report, &error));
        assert_int_equal(report.events, 1);
        soa_sim_free(sim);
    }
    assert_true(fabs(found[SOA_RK45] - found[SOA_RK853]) < 1e-10);
    assert_true(fabs(found[SOA_RK4] - found[SOA_RK853]) < 1e-9);
    soa_model_free(model);
}

/* An event starts a controller, another halts it: it acts in between alone. */
static void controllers_start_and_halt(void **state)
{
    (void)state;
    soa_model *model = builtin("pendulum");
    static const int link[] = { 0 };
    static const double kp[] = { 3.0 };
    const soa_controller c = {
        .name = "c", .kind = SOA_CONTROL_PD, .joints = 1, .link = link, .kp = kp, .inactive = true
    };
    const soa_event event[] = { { .value = 0.1, .action = SOA_ACTION_START },
        { .value = 0.3, .action = SOA_ACTION_HALT } };
    soa_sim_setup setup = soa_sim_setup_default();
    const double q0[] = { 0.4 }, at[] = { 0.05, 0.2, 0.35 };
    setup.q = q0;
    setup.controllers = 1;
    setup.controller = &c;
    setup.events = 2;
    setup.event = event;
    soa_sim *sim = make(model, &setup);
    const int tau = soa_sim_signal_find(sim, "tau.pivot");
    for (int i = 0; i < 3; i++) {
        ok(soa_sim_advance(sim, at[i], &error));
        const double wanted = i == 1 ? 3.0 * (0.4 - soa_sim_q(sim)[0]) : 0.0;
        assert_true(fabs(soa_sim_signal_values(sim, &error)[tau] - wanted) < 1e-12 && (i != 1 || wanted > 0.1));
    }
    soa_sim_free(sim);
    soa_model_free(model);
}

/* Computed torque follows a path exactly; the same as an expression gives the same. */
static void controllers_follow(void **state)
{
    (void)state;
    soa_model *model = builtin("arm7");
    int link[7];
    double kp[7], kd[7], q0[7], end_q[2][7];
    const double t[2] = { 0.0, 1.0 };
    double x[7][2];
    soa_path path[7];
    soa_model_neutral(model, q0);
    for (int i = 0; i < 7; i++) {
        link[i] = soa_model_body(model, i).link;
        kp[i] = 100.0;
        kd[i] = 20.0;
        x[i][0] = q0[i];
        x[i][1] = q0[i] + 0.1 * (i + 1);
        path[i] = (soa_path){ { 2, t, x[i] }, SOA_TIMING_QUINTIC };
    }
    soa_controller c = {
        .kind = SOA_CONTROL_COMPUTED_TORQUE, .joints = 7, .link = link, .kp = kp, .kd = kd, .reference = path
    };
    soa_sim_setup setup = soa_sim_setup_default();
    setup.controllers = 1;
    setup.controller = &c;
    for (int way = 0; way < 2; way++) {
        soa_sim *sim = make(model, &setup);
        ok(soa_sim_advance(sim, 1.5, &error));
        memcpy(end_q[way], soa_sim_q(sim), sizeof end_q[way]);
        soa_sim_report report;
        ok(soa_sim_report_get(sim, &report, &error));
        assert_true(fabs(report.drift) < 1e-7 * report.exchanged);
        soa_sim_free(sim);
        c.kind = SOA_CONTROL_EXPRESSION;
        c.expression = "Mass (qdd_ref - 100 e - 20 edot) + C";
    }
    for (int i = 0; i < 7; i++) {
        assert_true(fabs(end_q[0][i] - x[i][1]) < 1e-7);
        assert_true(fabs(end_q[1][i] - x[i][1]) < 1e-7);
    }
    soa_model_free(model);
}

static void expect_refusal(const soa_model *model, const soa_sim_setup *setup, soa_status status)
{
    soa_sim *sim = NULL;
    assert_int_equal(soa_sim_new(model, setup, NULL, &sim, &error), status);
    assert_null(sim);
    assert_true(error.text[0] != '\0' && error.body >= -1);
}

static void bad_setups_are_refused(void **state)
{
    (void)state;
    soa_model *model = builtin("arm7");
    soa_sim_setup setup = soa_sim_setup_default();
    setup.method = (soa_sim_method)77;
    expect_refusal(model, &setup, SOA_E_ARGUMENT);
    setup = soa_sim_setup_default();
    setup.atol = 0.0;
    expect_refusal(model, &setup, SOA_E_NUMBER);
    setup = soa_sim_setup_default();
    setup.method = SOA_RK4;
    setup.step = NAN;
    expect_refusal(model, &setup, SOA_E_NUMBER);
    double q[7] = { NAN };
    setup = soa_sim_setup_default();
    setup.q = q;
    expect_refusal(model, &setup, SOA_E_NUMBER);
    setup = soa_sim_setup_default();
    const soa_event event = { .signal = "q.nowhere" };
    setup.events = 1;
    setup.event = &event;
    expect_refusal(model, &setup, SOA_E_NAME);
    setup = soa_sim_setup_default();
    const soa_controller c = { .kind = SOA_CONTROL_EXPRESSION, .expression = "Mass (" };
    setup.controllers = 1;
    setup.controller = &c;
    expect_refusal(model, &setup, SOA_E_SYNTAX);
    expect_refusal(NULL, &setup, SOA_E_ARGUMENT);
    setup = soa_sim_setup_default();
    setup.shut = 0.0;
    expect_refusal(model, &setup, SOA_E_NUMBER);
    setup = soa_sim_setup_default();
    setup.largest = -1.0;
    expect_refusal(model, &setup, SOA_E_NUMBER);
    setup = soa_sim_setup_default();
    setup.signals = 1;
    expect_refusal(model, &setup, SOA_E_ARGUMENT);
    setup = soa_sim_setup_default();
    setup.method = SOA_CVODE; /* which no integrator from outside does */
    expect_refusal(model, &setup, SOA_E_UNSUPPORTED);
    soa_model_free(model);
}

/* What is refused, and in which words. */
static void bad_parts_are_refused(void **state)
{
    (void)state;
    static const int joint[] = { 1 }, none[] = { 99 }, eye[] = { 0 }, blind[] = { 1 };
    static const double gain[] = { INFINITY };
    static const struct {
        soa_controller c;
        const char *words;
    } control[] = {
        { { .kind = (soa_controller_kind)99 }, "its kind does not exist" },
        { { .kind = SOA_CONTROL_PD, .joints = 1 }, "its joints are missing" },
        { { .kind = SOA_CONTROL_PD, .joints = -1 }, "its joints are missing" },
        { { .kind = SOA_CONTROL_PD, .joints = 1, .link = none }, "must move and have one coordinate" },
        { { .kind = SOA_CONTROL_PD, .joints = 1, .link = joint, .kp = gain }, "a gain is not finite" },
        { { .kind = SOA_CONTROL_PD, .joints = 1, .link = joint, .ki = gain }, "a gain is not finite" },
        { { .kind = SOA_CONTROL_PD, .joints = 1, .link = joint, .kd = gain }, "a gain is not finite" },
        { { .kind = SOA_CONTROL_PD, .joints = 1, .link = joint, .sensor = eye }, "is no encoder" },
        { { .kind = SOA_CONTROL_PD, .joints = 1, .link = joint, .sensor = blind }, "is no encoder" },
        { { .kind = SOA_CONTROL_POINT }, "its point is missing" },
        { { .kind = SOA_CONTROL_EXPRESSION }, "its expression is missing" },
        { { .kind = SOA_CONTROL_EXPRESSION, .expression = "beta" }, "must be a joint force" },
        { { .kind = SOA_CONTROL_CALLBACK }, "its function is missing" },
    };
    static const struct {
        soa_event e;
        const char *words;
    } event[] = {
        { { .action = (soa_action_kind)99 }, "its action does not exist" },
        { { .action = SOA_ACTION_STOP, .value = NAN }, "a number is not finite" },
        { { .action = SOA_ACTION_IMPULSE, .target = 99 }, "its target does not exist" },
        { { .action = SOA_ACTION_IMPULSE, .target = 1, .impulse = INFINITY }, "a number is not finite" },
        { { .action = SOA_ACTION_DETACH, .target = 0 }, "its target does not exist" },
        { { .action = SOA_ACTION_HALT, .target = -1 }, "its target does not exist" },
        { { .action = SOA_ACTION_ENABLE, .target = 0 }, "its target does not exist" },
    };
    soa_model *model = builtin("arm7");
    soa_sensor sensor[2] = { soa_sensor_default("imu", SOA_SENSOR_IMU), soa_sensor_default("e", SOA_SENSOR_ENCODER) };
    sensor[0].at = (soa_point){ 1, soa_pose_identity(), SOA_LINK_FRAME };
    sensor[0].rate = sensor[1].rate = 100.0;
    for (size_t i = 0; i < sizeof control / sizeof *control + sizeof event / sizeof *event; i++) {
        soa_sim_setup setup = soa_sim_setup_default();
        const size_t k = i - sizeof control / sizeof *control;
        const char *words = i < sizeof control / sizeof *control ? control[i].words : event[k].words;
        setup.sensors = 1, setup.sensor = sensor; /* the encoder is none of them */
        if (i < sizeof control / sizeof *control) {
            setup.controllers = 1, setup.controller = &control[i].c;
        } else {
            setup.events = 1, setup.event = &event[k].e;
        }
        soa_sim *sim = NULL;
        assert_int_not_equal(soa_sim_new(model, &setup, NULL, &sim, &error), SOA_OK);
        if (!strstr(error.text, words) || error.body != -1) {
            fail_msg("%s (body %d), not %s", error.text, error.body, words);
        }
    }
    soa_sim *sim = NULL;
    const soa_sim_setup setup = soa_sim_setup_default();
    assert_int_equal(soa_sim_new(model, &setup, NULL, &sim, &error), SOA_OK);
    assert_int_equal(soa_sim_advance(sim, 0.01, &error), SOA_OK);
    assert_int_equal(soa_sim_advance(sim, 0.005, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_sim_advance(sim, INFINITY, &error), SOA_E_ARGUMENT);
    soa_sim_free(sim);
    soa_model_free(model);
}

/* A torque that depends on more than time and state: no step is short enough. */
static soa_status noise(void *context, double t, const double *q, const double *v, double *T, soa_error *e)
{
    (void)t, (void)q, (void)v, (void)e;
    T[0] += soa_model_random_number(context);
    return SOA_OK;
}

static void noise_is_refused(void **state)
{
    (void)state;
    unsigned long long seed = 1;
    const soa_controller controller = { .kind = SOA_CONTROL_CALLBACK, .function = noise, .context = &seed };
    soa_model *model = builtin("pendulum");
    soa_sim_setup setup = soa_sim_setup_default();
    setup.controller = &controller;
    setup.controllers = 1;
    setup.rtol = 1e-14;
    setup.atol = 1e-20;
    soa_sim *sim = make(model, &setup);
    assert_int_equal(soa_sim_advance(sim, 1.0, &error), SOA_E_NUMBER);
    assert_non_null(strstr(error.text, "forces are too stiff for an explicit method or not smooth; try method stiff"));
    assert_string_equal(soa_sim_method_meaning(SOA_METHODS), "");
    assert_non_null(strstr(soa_sim_method_meaning(SOA_RK45), "Dormand"));
    assert_non_null(soa_sim_forces(sim));
    soa_sim_free(sim);
    soa_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_refused),
        cmocka_unit_test(closures_and_couplings_act_together),
        cmocka_unit_test(four_bar_keeps_its_account),
        cmocka_unit_test(implicit_steps_may_be_long),
        cmocka_unit_test(events_are_located),
        cmocka_unit_test(controllers_start_and_halt),
        cmocka_unit_test(controllers_follow),
        cmocka_unit_test(bad_setups_are_refused),
        cmocka_unit_test(bad_parts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
