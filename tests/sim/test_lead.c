/* Points that are led, joints that are prescribed, formulas of signals: against what they must do, and refusals. */
#include "sim/checks.h"

#include "counting.h"

enum { MOST = 32 };

typedef struct arm {
    soa_model *model;
    int link[MOST];
    double q[MOST], v[MOST], kp[MOST], kd[MOST];
    int joints;
} arm;

/* A model, away from straight positions, and its joints with one coordinate. */
static arm arm_of(const char *name)
{
    arm a = { 0 };
    unsigned long long seed = 5;
    ok(soa_model_builtin(name, NULL, &a.model, &error));
    soa_random_configuration(a.model, &seed, a.q);
    for (int k = 0; k < soa_model_bodies(a.model); k++) {
        const soa_body body = soa_model_body(a.model, k);
        if (body.nv == 1) {
            a.q[body.q] = 0.3 + 0.2 * a.joints;
            a.kp[a.joints] = 20.0;
            a.kd[a.joints] = 9.0;
            a.link[a.joints++] = body.link;
        }
    }
    return a;
}

static soa_sim *start(const arm *a, const soa_controller *c, soa_sim_setup setup)
{
    soa_sim *sim = NULL;
    setup.q = a->q;
    setup.v = a->v;
    setup.controllers = 1;
    setup.controller = c;
    ok(soa_sim_new(a->model, &setup, NULL, &sim, &error));
    return sim;
}

/* x, y, z and the rotation of a point, row by row. */
static void place_of(const arm *a, const soa_point *at, const double *q, double pose[12])
{
    soa_workspace *w = NULL;
    ok(soa_workspace_new(a->model, NULL, &w, &error));
    ok(soa_workspace_reserve(w, 1, &error));
    ok(soa_point_kinematics(a->model, w, 1, at, 1, q, NULL, NULL, pose, NULL, NULL, &error));
    soa_workspace_free(w);
}

static soa_point hand_of(const arm *a)
{
    const double xyz[3] = { 0.0, 0.0, 0.1 }, rpy[3] = { 0.2, 0.0, 0.0 };
    return (soa_point){ soa_model_links(a->model) - 1, soa_pose_from_rpy(xyz, rpy) };
}

/* Paths go through their points and stay beyond both ends; their derivatives are those of differences. */
static void paths_keep_their_timing(void **state)
{
    (void)state;
    static const soa_timing TIMING[] = { SOA_TIMING_LINEAR, SOA_TIMING_QUINTIC, SOA_TIMING_TRAPEZOIDAL,
        SOA_TIMING_SMOOTH };
    const double t[] = { 1.0, 3.0, 4.0, 4.5 }, x[] = { 2.0, -1.0, 0.5, 0.7 }, h = 1e-4;
    for (int k = 0; k < 4; k++) {
        const soa_path path = { { 4, t, x }, TIMING[k] };
        double at[3], before[3], after[3];
        for (int i = 0; i < 4; i++) {
            soa_path_at(&path, t[i], at);
            assert_true(fabs(at[0] - x[i]) < 1e-14);
        }
        for (int end = 0; end < 2; end++) {
            soa_path_at(&path, end == 0 ? 0.5 : 5.0, at);
            assert_true(at[0] == x[3 * end] && at[1] == 0.0 && at[2] == 0.0);
        }
        for (double time = 1.013; time < 4.5; time += 0.02) { /* no corner is nearer than h */
            soa_path_at(&path, time - h, before);
            soa_path_at(&path, time, at);
            soa_path_at(&path, time + h, after);
            assert_true(fabs((after[0] - before[0]) / (2.0 * h) - at[1]) < 1e-5);
            assert_true(fabs((after[1] - before[1]) / (2.0 * h) - at[2]) < 1e-4);
        }
    }
    /* A sixth of the way in the first quarter of the time, then two thirds at constant speed in half of it. */
    const soa_path path = { { 2, t, x }, SOA_TIMING_TRAPEZOIDAL };
    static const double PART[] = { 0.0, 1.0 / 24.0, 1.0 / 6.0, 1.0 / 3.0, 0.5, 2.0 / 3.0, 5.0 / 6.0, 23.0 / 24.0, 1.0 };
    for (int i = 0; i <= 8; i++) {
        double at[3];
        soa_path_at(&path, 1.0 + 0.25 * i, at);
        assert_true(fabs(at[0] - (2.0 - 3.0 * PART[i])) < 1e-14);
        assert_true(i < 2 || i > 6 || fabs(at[1] + 3.0 / 2.0 * 4.0 / 3.0) < 1e-14);
    }
}

/* Begun on its path, the point stays on it to the accuracy of the integrator, rotation too: what is asked of it and how it
 * accelerates are the same. Its free joint comes to rest in the null space. */
static void points_follow_their_paths(void **state)
{
    (void)state;
    arm a = arm_of("arm7");
    const soa_point hand = hand_of(&a);
    double begin[12], end[12], t[] = { 0.0, 2.0 }, x[6][2];
    place_of(&a, &hand, a.q, begin);
    const double rpy[3] = { atan2(begin[7], begin[8]), asin(-begin[6]), atan2(begin[3], begin[0]) };
    const double shift[6] = { 0.08, -0.06, -0.1, 0.1, 0.2, -0.3 };
    soa_path path[6];
    for (int i = 0; i < 6; i++) {
        x[i][0] = i < 3 ? begin[9 + i] : rpy[i - 3];
        x[i][1] = x[i][0] + shift[i];
        path[i] = (soa_path){ { 2, t, x[i] }, SOA_TIMING_QUINTIC };
    }
    const soa_led_point point = { hand, path, 100.0, 20.0, 100.0, 20.0 };
    const soa_controller c = {
        .kind = SOA_CONTROL_POINT, .joints = a.joints, .link = a.link, .kp = a.kp, .kd = a.kd, .point = &point
    };
    soa_sim *sim = start(&a, &c, soa_sim_setup_default());
    for (int k = 1; k <= 8; k++) {
        double u = k / 8.0, part = u * u * u * (10.0 + u * (6.0 * u - 15.0)), goal_rpy[3];
        const double origin[3] = { 0.0 };
        ok(soa_sim_advance(sim, 0.25 * k, &error));
        place_of(&a, &hand, soa_sim_q(sim), end);
        for (int i = 0; i < 3; i++) {
            goal_rpy[i] = x[i + 3][0] + part * shift[i + 3];
            assert_true(fabs(end[9 + i] - x[i][0] - part * shift[i]) < 1e-7);
        }
        const soa_pose goal = soa_pose_from_rpy(origin, goal_rpy);
        for (int i = 0; i < 9; i++) {
            assert_true(fabs(end[i] - goal.rotation[i / 3][i % 3]) < 1e-7);
        }
    }
    ok(soa_sim_advance(sim, 8.0, &error));
    for (int i = 0; i < 7; i++) {
        assert_true(fabs(soa_sim_v(sim)[i]) < 1e-4);
    }
    soa_sim_free(sim);
    soa_model_free(a.model);
}

/* The feet of a floating quadruped: its base is not driven, and the foot still moves as asked, in free fall. */
static void points_of_floating_models_follow(void **state)
{
    (void)state;
    arm a = arm_of("quadruped");
    const double zero[3] = { 0.0 }, none[3] = { 0.0 };
    soa_model *afloat = NULL;
    ok(soa_model_with_gravity(a.model, none, &afloat, &error));
    soa_model_free(a.model);
    a.model = afloat;
    const soa_point foot = { soa_model_links(a.model) - 1, soa_pose_from_rpy(zero, zero) };
    double begin[12], end[12], t[] = { 0.0, 1.0 }, x[2];
    place_of(&a, &foot, a.q, begin);
    x[0] = begin[9];
    x[1] = begin[9] + 0.05;
    const soa_path path[6] = { { { 2, t, x }, SOA_TIMING_QUINTIC } };
    const soa_led_point point = { foot, path, 100.0, 20.0, 0.0, 0.0 };
    const soa_controller c = {
        .kind = SOA_CONTROL_POINT, .joints = a.joints, .link = a.link, .kp = a.kp, .kd = a.kd, .point = &point
    };
    soa_sim *sim = start(&a, &c, soa_sim_setup_default());
    ok(soa_sim_advance(sim, 1.0, &error));
    place_of(&a, &foot, soa_sim_q(sim), end);
    assert_true(fabs(end[9] - x[1]) < 1e-7 && fabs(end[10] - begin[10]) < 1e-7 && fabs(end[11] - begin[11]) < 1e-7);
    soa_workspace *w = NULL;
    double momentum[12];
    ok(soa_workspace_new(a.model, NULL, &w, &error));
    ok(soa_momentum(a.model, w, 1, soa_sim_q(sim), soa_sim_v(sim), momentum, NULL, &error));
    for (int i = 6; i < 12; i++) { /* nobody pushes from outside */
        assert_true(fabs(momentum[i]) < 1e-8);
    }
    soa_workspace_free(w);
    soa_sim_free(sim);
    soa_model_free(a.model);
}

/* Prescribed joints are on their path to the last bits of a step, others move as hybrid dynamics say: here the elbow of a
 * double pendulum whose shoulder is turned. The work of the controller closes the account. Every method agrees. */
static void joints_move_as_prescribed(void **state)
{
    (void)state;
    arm a = arm_of("double-pendulum");
    const double t[] = { 0.0, 1.0, 1.6, 2.0 }, x[] = { a.q[0], a.q[0] + 1.0, a.q[0] - 0.5, a.q[0] };
    double elbow[5];
    for (int m = 0; m < 5; m++) {
        static const soa_sim_method METHOD[] = { SOA_RK853, SOA_RK45, SOA_RK4, SOA_IMPLICIT, SOA_STIFF };
        const soa_path path = { { 4, t, x }, m == 1 ? SOA_TIMING_SMOOTH : SOA_TIMING_QUINTIC };
        const soa_controller c = { .kind = SOA_CONTROL_PRESCRIBED, .joints = 1, .link = a.link, .reference = &path };
        soa_sim_setup setup = soa_sim_setup_default();
        setup.method = METHOD[m];
        setup.step = 5e-4;
        setup.rtol = METHOD[m] == SOA_STIFF ? 1e-7 : 1e-11;
        soa_sim *sim = start(&a, &c, setup);
        soa_sim_report report;
        double goal[3];
        ok(soa_sim_advance(sim, 1.3, &error));
        soa_path_at(&path, 1.3, goal);
        assert_true(fabs(soa_sim_q(sim)[0] - goal[0]) < 1e-6 && fabs(soa_sim_v(sim)[0] - goal[1]) < 1e-5);
        ok(soa_sim_report_get(sim, &report, &error));
        assert_true(fabs(report.drift) < 2e-6 * report.exchanged && fabs(report.work) > 0.1);
        elbow[m] = soa_sim_q(sim)[1];
        soa_sim_free(sim);
    }
    assert_true(
        fabs(elbow[2] - elbow[0]) < 1e-7 && fabs(elbow[3] - elbow[0]) < 1e-5 && fabs(elbow[4] - elbow[0]) < 1e-4);
    assert_true(fabs(elbow[1] - elbow[0]) > 1e-3); /* another path */
    soa_model_free(a.model);
}

static void refused(const arm *a, soa_sim_setup setup, const soa_controller *c, soa_status status)
{
    soa_sim *sim = NULL;
    setup.q = a->q;
    setup.controllers = 1;
    setup.controller = c;
    assert_int_equal(soa_sim_new(a->model, &setup, NULL, &sim, &error), status);
    assert_null(sim);
    assert_true(error.text[0] != '\0' && error.body >= -1);
}

static void bad_leads_are_refused(void **state)
{
    (void)state;
    arm a = arm_of("double-pendulum");
    const double t[] = { 0.0, 1.0 }, x[] = { a.q[0] + 0.1, a.q[0] };
    soa_path path = { { 2, t, x }, SOA_TIMING_QUINTIC };
    soa_controller c = { .kind = SOA_CONTROL_PRESCRIBED, .joints = 1, .link = a.link, .reference = &path };
    const soa_sim_setup setup = soa_sim_setup_default();
    refused(&a, setup, &c, SOA_E_NUMBER); /* it does not begin on its path */
    path.timing = SOA_TIMING_LINEAR;
    refused(&a, setup, &c, SOA_E_ARGUMENT);
    soa_force stop = soa_force_default("stop", SOA_FORCE_JOINT_STOP);
    soa_sim_setup with = setup;
    stop.link = a.link[1];
    with.forces = 1;
    with.force = &stop;
    c.reference = NULL;
    refused(&a, with, &c, SOA_E_UNSUPPORTED);
    c = (soa_controller){ .kind = SOA_CONTROL_POINT, .joints = 1, .link = a.link };
    refused(&a, setup, &c, SOA_E_ARGUMENT);
    const soa_led_point point = { .at = { 0, soa_pose_identity() }, .kp = NAN };
    c.point = &point;
    refused(&a, setup, &c, SOA_E_NUMBER);
    soa_model_free(a.model);
}

/* ---- formulas --------------------------------------------------------------------------------- */

static double value_of(const arm *a, const char *formula, soa_status expected)
{
    const soa_signal signal[] = { { "first", "2 * q.shoulder" }, { "second", formula } };
    soa_sim_setup setup = soa_sim_setup_default();
    soa_sim *sim = NULL;
    setup.q = a->q;
    setup.signals = 2;
    setup.signal = signal;
    const soa_status status = soa_sim_new(a->model, &setup, NULL, &sim, &error);
    if (status != expected) {
        fail_msg("%s: %s", formula, error.text);
    }
    const double *value = status == SOA_OK ? soa_sim_signal_values(sim, &error) : NULL;
    const double x = value ? value[soa_sim_signal_find(sim, "second")] : 0.0;
    soa_sim_free(sim);
    return x;
}

static void formulas_are_what_they_say(void **state)
{
    (void)state;
    arm a = arm_of("double-pendulum");
    const double q = a.q[0], e = a.q[1];
    const struct {
        const char *text;
        double value;
    } good[] = { { "1 + 2 * 3 ^ 2 ^ 0.5 - 4 / 2 / 2", 1.0 + 2.0 * pow(3.0, pow(2.0, 0.5)) - 1.0 },
        { "-q.shoulder ^ 2", -q * q }, { "2 - -3", 5.0 }, { "q.shoulder-q.elbow", q - e }, { "first / 2 + t", q },
        { "atan2(sin(q.elbow), cos(q.elbow)) * max(1, min(2, 3))", 2.0 * e },
        { "sqrt(abs(-4)) + exp(log(3)) + hypot(3, 4) + tan(0)", 10.0 }, { "((1e-1 + .5))", 0.6 } };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(fabs(value_of(&a, good[i].text, SOA_OK) - good[i].value) < 1e-14);
    }
    static const char *const bad[] = { "", "1 +", "(1", "q.nowhere", "second", "1 2", "max(1)", "max(1, 2", "3 * * 4",
        "q.shoulderx", "foo(1)", "1e999",
        "((((((((((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))))))))))" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        value_of(&a, bad[i], SOA_E_SYNTAX);
    }
    value_of(&a, "1 / t", SOA_E_NUMBER);
    const soa_signal taken = { "q.elbow", "1" };
    soa_sim_setup setup = soa_sim_setup_default();
    soa_sim *sim = NULL;
    setup.signals = 1;
    setup.signal = &taken;
    assert_int_equal(soa_sim_new(a.model, &setup, NULL, &sim, &error), SOA_E_NAME);
    soa_model_free(a.model);
}

/* An event of a formula, where it is known: 2 q crosses 0.2 where q crosses 0.1. */
static void events_wait_for_formulas(void **state)
{
    (void)state;
    arm a = arm_of("double-pendulum");
    const soa_signal signal = { "twice", "2 * q.shoulder" };
    const soa_event event[] = { { .signal = "twice", .value = 0.2, .once = true },
        { .signal = "q.shoulder", .value = 0.1, .once = true } };
    soa_sim_setup setup = soa_sim_setup_default();
    soa_sim *sim = NULL;
    soa_sim_report report;
    setup.q = a.q;
    setup.signals = 1;
    setup.signal = &signal;
    setup.events = 2;
    setup.event = event;
    ok(soa_sim_new(a.model, &setup, NULL, &sim, &error));
    ok(soa_sim_advance(sim, 2.0, &error));
    ok(soa_sim_report_get(sim, &report, &error));
    assert_int_equal(report.events, 2);
    assert_true(fabs(report.event[0].t - report.event[1].t) < 1e-10 && report.event[0].t > 0.0);
    soa_sim_free(sim);
    soa_model_free(a.model);
}

/* Every allocation may fail. */
static void failing_allocations(void **state)
{
    (void)state;
    arm a = arm_of("arm7");
    const soa_led_point point = { .at = hand_of(&a), .kp = 1.0, .turn_kp = 1.0 };
    const soa_controller c[] = { { .kind = SOA_CONTROL_POINT, .joints = 5, .link = a.link, .point = &point },
        { .kind = SOA_CONTROL_PRESCRIBED, .joints = 2, .link = a.link + 5 } };
    const soa_signal signal = { "sum", "q.joint1 + q.joint2" };
    soa_sim_setup setup = soa_sim_setup_default();
    setup.q = a.q;
    setup.controllers = 2;
    setup.controller = c;
    setup.signals = 1;
    setup.signal = &signal;
    for (int n = 0;; n++) {
        counting count;
        soa_sim *sim = NULL;
        const soa_allocator allocator = counting_lack(&count, n);
        const soa_status status = soa_sim_new(a.model, &setup, &allocator, &sim, &error);
        assert_int_equal(status == SOA_OK, count.refused == 0);
        const int taken = count.open;
        if (status == SOA_OK) {
            ok(soa_sim_advance(sim, 0.1, &error));
            assert_int_equal(count.open, taken);
        }
        soa_sim_free(sim);
        assert_int_equal(count.open, 0);
        if (status == SOA_OK) {
            break;
        }
        assert_int_equal(status, SOA_E_MEMORY);
    }
    soa_model_free(a.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_keep_their_timing),
        cmocka_unit_test(points_follow_their_paths),
        cmocka_unit_test(points_of_floating_models_follow),
        cmocka_unit_test(joints_move_as_prescribed),
        cmocka_unit_test(bad_leads_are_refused),
        cmocka_unit_test(formulas_are_what_they_say),
        cmocka_unit_test(events_wait_for_formulas),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
