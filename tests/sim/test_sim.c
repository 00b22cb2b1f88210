/* Simulation: orders of the methods, energy and momentum, loops, events, controllers, refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "soa/io.h"
#include "soa/sim.h"

enum { MOST = 64 };

static soa_error error;

static void ok(soa_status status)
{
    if (status != SOA_OK) {
        fail_msg("%s", error.text);
    }
}

static soa_model *builtin(const char *name)
{
    soa_model *model = NULL;
    ok(soa_model_builtin(name, NULL, &model, &error));
    return model;
}

static soa_sim *make(const soa_model *model, const soa_sim_setup *setup)
{
    soa_sim *sim = NULL;
    ok(soa_sim_new(model, setup, NULL, &sim, &error));
    return sim;
}

/* Random q and v that every test of a model shares. */
static void random_state(const soa_model *model, double *q, double *v)
{
    unsigned long long seed = 12;
    soa_random_configuration(model, &seed, q);
    for (int i = 0; i < soa_model_nv(model); i++) {
        v[i] = soa_model_random_number(&seed);
    }
}

/* The state after `seconds`. */
static void end_state(const soa_model *model, soa_sim_setup setup, double seconds, double *q, double *v)
{
    double q0[MOST], v0[MOST];
    random_state(model, q0, v0);
    setup.q = q0;
    setup.v = v0;
    soa_sim *sim = make(model, &setup);
    ok(soa_sim_advance(sim, seconds, &error));
    memcpy(q, soa_sim_q(sim), (size_t)soa_model_nq(model) * sizeof *q);
    memcpy(v, soa_sim_v(sim), (size_t)soa_model_nv(model) * sizeof *v);
    soa_sim_free(sim);
}

static double distance(const soa_model *model, const double *q, const double *v, const double *q1, const double *v1)
{
    double d[MOST], most = 0.0;
    soa_difference(model, q, q1, d);
    for (int i = 0; i < soa_model_nv(model); i++) {
        most = fmax(most, fmax(fabs(d[i]), fabs(v[i] - v1[i])));
    }
    return most;
}

static const char *const MODELS[] = { "arm7", "quadruped", "tree:6,4", "tree:6,3" };

/* Halving the step of a method of order p divides the error by 2^p. */
static void check_order(soa_sim_method method, double step, double order)
{
    for (size_t m = 0; m < sizeof MODELS / sizeof *MODELS; m++) {
        soa_model *model = builtin(MODELS[m]);
        double q[MOST], v[MOST], exact_q[MOST], exact_v[MOST], off[2];
        soa_sim_setup setup = soa_sim_setup_default();
        setup.method = SOA_RK853;
        setup.rtol = 1e-13;
        setup.atol = 1e-14;
        end_state(model, setup, 0.125, exact_q, exact_v);
        for (int i = 0; i < 2; i++) {
            setup.method = method;
            setup.step = step / (1 << i);
            end_state(model, setup, 0.125, q, v);
            off[i] = distance(model, exact_q, exact_v, q, v);
        }
        print_message("%s, %s: %.2e, %.2e, order %.2f\n", soa_sim_method_text(method), MODELS[m], off[0], off[1],
            log2(off[0] / off[1]));
        assert_true(log2(off[0] / off[1]) > order - 0.25);
        soa_model_free(model);
    }
}

static void orders_of_fixed_steps(void **state)
{
    (void)state;
    check_order(SOA_RK4, 1.0 / 256, 4.0);
    check_order(SOA_IMPLICIT, 1.0 / 256, 3.0);
    check_order(SOA_VARIATIONAL, 1.0 / 256, 2.0);
}

/* The adaptive methods stay near the tolerance, whatever it is, and agree. */
static void tolerances_are_kept(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof MODELS / sizeof *MODELS; m++) {
        soa_model *model = builtin(MODELS[m]);
        double q[MOST], v[MOST], exact_q[MOST], exact_v[MOST];
        soa_sim_setup setup = soa_sim_setup_default();
        setup.method = SOA_RK853;
        setup.rtol = 1e-13;
        setup.atol = 1e-14;
        end_state(model, setup, 0.25, exact_q, exact_v);
        for (int method = SOA_RK45; method <= SOA_RK853; method++) {
            for (double tolerance = 1e-6; tolerance > 1e-11; tolerance *= 1e-2) {
                setup.method = (soa_sim_method)method;
                setup.rtol = setup.atol = tolerance;
                end_state(model, setup, 0.25, q, v);
                const double off = distance(model, exact_q, exact_v, q, v);
                if (off > 200 * tolerance) {
                    fail_msg("%s %s %g: %g", MODELS[m], soa_sim_method_text(setup.method), tolerance, off);
                }
            }
        }
        soa_model_free(model);
    }
}

/* A torque-free body keeps energy and its momentum in the world; quaternions stay unit. */
static void free_body_keeps_momentum(void **state)
{
    (void)state;
    soa_model *model = builtin("satellite");
    soa_workspace *workspace;
    ok(soa_workspace_new(model, NULL, &workspace, &error));
    double q[MOST], v[MOST], before[12], after[12];
    random_state(model, q, v);
    soa_sim_setup setup = soa_sim_setup_default();
    setup.method = SOA_RK853;
    setup.q = q;
    setup.v = v;
    soa_sim *sim = make(model, &setup);
    ok(soa_momentum(model, workspace, 1, q, v, before, NULL, &error));
    ok(soa_sim_advance(sim, 10.0, &error));
    ok(soa_momentum(model, workspace, 1, soa_sim_q(sim), soa_sim_v(sim), after, NULL, &error));
    for (int i = 6; i < 12; i++) {
        assert_true(fabs(after[i] - before[i]) < 1e-7 * (1.0 + fabs(before[i])));
    }
    const double *w = soa_sim_q(sim);
    assert_true(fabs(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3] - 1.0) < 1e-15);
    soa_sim_report report;
    ok(soa_sim_report_get(sim, &report, &error));
    assert_true(fabs(report.drift) < 1e-8 * report.exchanged);
    soa_sim_free(sim);
    soa_workspace_free(workspace);
    soa_model_free(model);
}

/* The largest difference of the energy from the first one, over `count` steps from step `from` on. */
static double energy_error(soa_sim *sim, int from, int count)
{
    const int kinetic = soa_sim_signal_find(sim, "energy.kinetic");
    const int potential = soa_sim_signal_find(sim, "energy.potential");
    double most = 0.0;
    soa_sim_report report;
    ok(soa_sim_report_get(sim, &report, &error));
    for (int i = 1; i <= count; i++) {
        ok(soa_sim_advance(sim, 0.01 * (from + i), &error));
        const double *signal = soa_sim_signal_values(sim, &error);
        most = fmax(most, fabs(signal[kinetic] + signal[potential] - report.initial));
    }
    return most;
}

/* The momentum of everything, its angular part about the world's origin. */
static void momentum_of(const soa_model *model, soa_workspace *workspace, const double *q, const double *v, double m[6])
{
    double all[12];
    ok(soa_momentum(model, workspace, 1, q, v, all, NULL, &error));
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        m[i] = all[6 + i] + all[j] * all[9 + k] - all[k] * all[9 + j];
        m[3 + i] = all[9 + i];
    }
}

/* The variational method keeps the momentum of what floats to rounding, and its error of energy does not grow; that of
 * rk4 at the same step does. */
static void variational_steps_last(void **state)
{
    (void)state;
    soa_model *model = builtin("satellite");
    soa_workspace *workspace;
    ok(soa_workspace_new(model, NULL, &workspace, &error));
    double q[MOST], v[MOST], before[6], after[6], first[2], last[2];
    random_state(model, q, v);
    soa_sim_setup setup = soa_sim_setup_default();
    setup.bare = true;
    setup.q = q;
    setup.v = v;
    setup.step = 0.01;
    momentum_of(model, workspace, q, v, before);
    for (int i = 0; i < 2; i++) {
        setup.method = i == 0 ? SOA_VARIATIONAL : SOA_RK4;
        soa_sim *sim = make(model, &setup);
        first[i] = energy_error(sim, 0, 1000);
        ok(soa_sim_advance(sim, 190.0, &error));
        last[i] = energy_error(sim, 19000, 1000);
        if (i == 0) {
            momentum_of(model, workspace, soa_sim_q(sim), soa_sim_v(sim), after);
        }
        print_message("%s: energy off by %.2e in the first 1000 steps, %.2e in the last of 20000\n",
            soa_sim_method_text(setup.method), first[i], last[i]);
        soa_sim_free(sim);
    }
    for (int i = 0; i < 6; i++) {
        const double *whole = before + i / 3 * 3; /* the angular one, or the linear */
        const double size = sqrt(whole[0] * whole[0] + whole[1] * whole[1] + whole[2] * whole[2]);
        assert_true(fabs(after[i] - before[i]) < 1e-10 * size);
    }
    /* An error that grows with time would be twenty times as large; the motion is chaotic, so windows differ. */
    assert_true(last[0] < 5.0 * first[0] && last[1] > 5.0 * first[1]);
    soa_workspace_free(workspace);
    soa_model_free(model);
}

/* Samples between steps are those of a run that stops there. */
static void samples_do_not_depend_on_each_other(void **state)
{
    (void)state;
    soa_model *model = builtin("arm7");
    for (int method = 0; !soa_sim_method_outside((soa_sim_method)method); method++) {
        double q[MOST], v[MOST], q0[MOST], v0[MOST];
        soa_sim_setup setup = soa_sim_setup_default();
        setup.method = (soa_sim_method)method;
        setup.rtol = setup.atol = 1e-8;
        end_state(model, setup, 0.3, q, v);
        random_state(model, q0, v0);
        setup.q = q0;
        setup.v = v0;
        soa_sim *sim = make(model, &setup);
        for (int i = 1; i <= 30; i++) {
            ok(soa_sim_advance(sim, 0.01 * i, &error));
        }
        assert_true(distance(model, q, v, soa_sim_q(sim), soa_sim_v(sim)) < 1e-6);
        soa_sim_free(sim);
    }
    soa_model_free(model);
}

/* A fixed step fits a whole number of times: rounding takes no step more. */
static void rounding_takes_no_step(void **state)
{
    (void)state;
    soa_model *model = builtin("double-pendulum");
    soa_sim_setup setup = soa_sim_setup_default();
    soa_sim_report report;
    soa_sim *sim;
    setup.method = SOA_RK4;
    setup.step = 5e-5;
    ok(soa_sim_new(model, &setup, NULL, &sim, &error));
    for (int i = 1; i <= 100; i++) {
        ok(soa_sim_advance(sim, 0.01 * i, &error));
    }
    ok(soa_sim_report_get(sim, &report, &error));
    assert_int_equal(report.steps, 20000);
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

/* An impulse at the elbow is the change of Mass v there, and of nothing else. */
static void impulses_change_momenta(void **state)
{
    (void)state;
    soa_model *model = builtin("double-pendulum");
    soa_workspace *workspace;
    const soa_event event = { .value = 0.1, .action = SOA_ACTION_IMPULSE, .target = 1, .impulse = 0.3 };
    double q0[2], v0[2], q[2], before[2], Mass[4];
    soa_sim_setup setup = soa_sim_setup_default();
    end_state(model, setup, 0.1, q, before);
    random_state(model, q0, v0); /* from which that began */
    setup.q = q0;
    setup.v = v0;
    setup.events = 1;
    setup.event = &event;
    soa_sim *sim = make(model, &setup);
    ok(soa_sim_advance(sim, 0.1, &error));
    ok(soa_workspace_new(model, NULL, &workspace, &error));
    ok(soa_mass_matrix(model, workspace, 1, q, Mass, &error));
    const double dv[] = { soa_sim_v(sim)[0] - before[0], soa_sim_v(sim)[1] - before[1] };
    assert_true(fabs(Mass[0] * dv[0] + Mass[1] * dv[1]) < 1e-7);
    assert_true(fabs(Mass[2] * dv[0] + Mass[3] * dv[1] - 0.3) < 1e-7);
    soa_workspace_free(workspace);
    soa_sim_free(sim);
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
    assert_true(error.text[0] != '\0');
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
    static const int joint[] = { 1 }, none[] = { 99 }, eye[] = { 0 }, blind[] = { 3 };
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
        { { .action = SOA_ACTION_ENABLE, .target = 5 }, "its target does not exist" },
    };
    soa_model *model = builtin("arm7");
    soa_sensor imu = soa_sensor_default("imu", SOA_SENSOR_IMU);
    imu.at = (soa_point){ 1, soa_pose_identity(), SOA_LINK_FRAME };
    imu.rate = 100.0;
    for (size_t i = 0; i < sizeof control / sizeof *control + sizeof event / sizeof *event; i++) {
        soa_sim_setup setup = soa_sim_setup_default();
        const size_t k = i - sizeof control / sizeof *control;
        const char *words = i < sizeof control / sizeof *control ? control[i].words : event[k].words;
        setup.sensors = 1, setup.sensor = &imu;
        if (i < sizeof control / sizeof *control) {
            setup.controllers = 1, setup.controller = &control[i].c;
        } else {
            setup.events = 1, setup.event = &event[k].e;
        }
        soa_sim *sim = NULL;
        assert_int_not_equal(soa_sim_new(model, &setup, NULL, &sim, &error), SOA_OK);
        if (!strstr(error.text, words)) {
            fail_msg("%s, not %s", error.text, words);
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
        cmocka_unit_test(orders_of_fixed_steps),
        cmocka_unit_test(tolerances_are_kept),
        cmocka_unit_test(free_body_keeps_momentum),
        cmocka_unit_test(variational_steps_last),
        cmocka_unit_test(samples_do_not_depend_on_each_other),
        cmocka_unit_test(rounding_takes_no_step),
        cmocka_unit_test(four_bar_keeps_its_account),
        cmocka_unit_test(implicit_steps_may_be_long),
        cmocka_unit_test(events_are_located),
        cmocka_unit_test(impulses_change_momenta),
        cmocka_unit_test(controllers_start_and_halt),
        cmocka_unit_test(controllers_follow),
        cmocka_unit_test(bad_setups_are_refused),
        cmocka_unit_test(bad_parts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
