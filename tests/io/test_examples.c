/* The scenarios of examples/scenarios, and a robot with loops: what must come out of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "soa/io.h"
#include "soa/scenario.h"

#define SCENARIOS SOA_SOURCE "/examples/scenarios/"

static soa_error error;

static void ok(soa_status status)
{
    char message[1024];
    if (status != SOA_OK) {
        fail_msg("%s", soa_error_message(&error, message, sizeof message));
    }
}

typedef struct run {
    soa_scenario *scenario;
    const soa_model *model;
    soa_sim *sim;
    soa_sim_report report;
} run;

static run begin(const char *path)
{
    run r = { 0 };
    ok(soa_scenario_load(path, NULL, &r.scenario, &error));
    r.model = soa_scenario_model(r.scenario);
    ok(soa_sim_new(r.model, soa_scenario_setup(r.scenario), NULL, &r.sim, &error));
    return r;
}

static void advance(run *r, double t)
{
    ok(soa_sim_advance(r->sim, t, &error));
    ok(soa_sim_report_get(r->sim, &r->report, &error));
}

static void finish(run *r)
{
    soa_sim_free(r->sim);
    soa_scenario_free(r->scenario);
}

static double signal(const run *r, const char *name)
{
    const double *value = soa_sim_signal_values(r->sim, &error);
    const int at = soa_sim_signal_find(r->sim, name);
    assert_true(value && at >= 0);
    return value[at];
}

/* Linear and angular momentum about the origin, world axes: sums over the bodies by definition. */
static void momenta(const run *r, double sum[6])
{
    soa_workspace *w = NULL;
    double m[12];
    ok(soa_workspace_new(r->model, NULL, &w, &error));
    ok(soa_momentum(r->model, w, 1, soa_sim_q(r->sim), soa_sim_v(r->sim), m, NULL, &error));
    soa_workspace_free(w);
    memcpy(sum, m + 6, 6 * sizeof *sum);
}

/* The legs bear the weight, the trunk is level and above the ground, and nothing moves any more. */
static void quadruped_comes_to_rest(void **state)
{
    (void)state;
    run r = begin(SCENARIOS "fall.yaml");
    advance(&r, 4.0);
    const double weight = signal(&r, "contact.FL.force") + signal(&r, "contact.FR.force") +
                          signal(&r, "contact.RL.force") + signal(&r, "contact.RR.force");
    assert_true(fabs(weight / (15.22 * 9.81) - 1.0) < 0.01);
    assert_true(signal(&r, "contact.trunk.depth") < -0.2);
    assert_true(fabs(signal(&r, "q.floating_base.0")) > 0.999);
    assert_true(signal(&r, "energy.kinetic") < 1e-4);
    assert_true(fabs(r.report.drift) < 1e-5 * r.report.exchanged);
    assert_int_equal(r.report.events, 1); /* a foot has landed after sqrt(2 h / g) */
    assert_true(r.report.event[0].t > 0.2 && r.report.event[0].t < 0.25);
    finish(&r);
}

/* 10 rad/s last 5 s and 25 rad, and the gear then stands still. */
static void gears_coast_to_rest(void **state)
{
    (void)state;
    run r = begin(SCENARIOS "gears.yaml");
    advance(&r, 6.0);
    assert_true(fabs(signal(&r, "q.motor") - 25.0) < 1e-9 && fabs(signal(&r, "q.wheel") + 25.0 / 3.0) < 1e-9);
    assert_true(signal(&r, "v.motor") == 0.0 && signal(&r, "v.wheel") == 0.0);
    assert_true(fabs(r.report.event[0].t - 2.5) < 1e-10);
    assert_true(fabs(signal(&r, "work.joint-friction.bearing") + 0.05 * 25.0) < 1e-9);
    finish(&r);
}

/* An inelastic catch keeps momenta and loses the energy it reports; afterwards hand and object move as one. */
static void satellite_catches(void **state)
{
    (void)state;
    run r = begin(SCENARIOS "capture.yaml");
    double first[6], last[6];
    advance(&r, 0.99);
    const double before = signal(&r, "energy.kinetic");
    momenta(&r, first);
    advance(&r, 20.0);
    momenta(&r, last);
    for (int i = 0; i < 6; i++) {
        assert_true(fabs(first[i] - last[i]) < 1e-9);
    }
    assert_int_equal(r.report.events, 1);
    const double lost = -r.report.event[0].energy, after = signal(&r, "energy.kinetic");
    assert_true(lost > 0.1 && lost < before);
    assert_true(after < before - lost && fabs(r.report.drift) < 1e-9 * r.report.exchanged);
    finish(&r);
}

/* The box leaves the table, is carried 12 cm, lies there, and the hands bear its weight meanwhile. */
static void arms_carry_a_box(void **state)
{
    (void)state;
    run r = begin(SCENARIOS "carry.yaml");
    const double y = signal(&r, "q.box/free.5"), z = signal(&r, "q.box/free.6");
    advance(&r, 2.4);
    assert_true(signal(&r, "q.box/free.6") - z > 0.12 && signal(&r, "contact.table.depth") < -0.1);
    const double held = signal(&r, "closure.left-hand.force") + signal(&r, "closure.right-hand.force");
    assert_true(held > 4.0 * 9.81 * 0.9);
    advance(&r, 6.0);
    assert_true(fabs(signal(&r, "q.box/free.5") - y - 0.12) < 1e-3 && fabs(signal(&r, "q.box/free.6") - z) < 1e-3);
    assert_true(fabs(signal(&r, "contact.table.force") / (4.0 * 9.81) - 1.0) < 1e-3);
    assert_true(r.report.position < 1e-9 && fabs(r.report.drift) < 1e-6 * r.report.exchanged);
    assert_int_equal(r.report.events, 5);
    finish(&r);
}

/* Two opposite pushes leave the satellite turned, its panels bent alike and its momenta zero. */
static void satellite_turns_its_panels(void **state)
{
    (void)state;
    run r = begin(SCENARIOS "satellite-turn.yaml");
    double last[6];
    advance(&r, 2.0);
    const double turning = signal(&r, "v.attitude.1"), right = signal(&r, "q.right/flex.0");
    assert_true(turning > 0.01 && fabs(right) > 1e-4);
    assert_true(fabs(fabs(right) - fabs(signal(&r, "q.left/flex.0"))) < 1e-6 * fabs(right));
    advance(&r, 4.0);
    momenta(&r, last);
    for (int i = 0; i < 6; i++) {
        assert_true(fabs(last[i]) < 1e-9);
    }
    assert_true(fabs(r.report.drift) < 1e-8 * r.report.exchanged);
    finish(&r);
}

/* The crank turns as it is told, the loop stays shut, and the coupler is bent by two millimetres while it pulls the rocker back. */
static void four_bar_bends_its_coupler(void **state)
{
    (void)state;
    run r = begin(SCENARIOS "four-bar-crank.yaml");
    advance(&r, 0.6);
    assert_true(fabs(signal(&r, "q.coupler/flex.0")) < 2e-4);
    advance(&r, 0.683);
    assert_true(fabs(signal(&r, "q.coupler/flex.0") + 2.0e-3) < 1e-4);
    assert_true(signal(&r, "v.pivot") < -8.0);
    assert_true(r.report.position < 1e-9 && fabs(r.report.drift) < 1e-6 * r.report.exchanged);
    finish(&r);
}

/* Cassie hangs in the air at its pelvis, its loops closed, under PD of its motors: it comes to rest near its pose. */
static void cassie_holds_its_pose(void **state)
{
    (void)state;
    char path[] = "soa-cassie-XXXXXX";
    const char *model = SOA_ROBOTS "/cassie/cassie.xml";
    const int file = access(model, R_OK) == 0 ? mkstemp(path) : -1;
    if (file < 0) {
        skip();
    }
    dprintf(file,
        "soa: 1\nscenario: cassie\nmodel: %s\ngravity: [0, 0, 0]\nduration: 1\n"
        "initial: {configuration: home, consistent: true}\n"
        "integrator: {method: rk45, rtol: 1e-7, atol: 1e-9}\ncontrollers:\n"
        "  - {kind: pd, joints: [left-hip-roll, left-hip-yaw, left-hip-pitch, left-knee, left-foot, right-hip-roll,"
        " right-hip-yaw, right-hip-pitch, right-knee, right-foot], kp: 100, kd: 8}\n",
        model);
    close(file);
    run r = begin(path);
    unlink(path);
    const double knee = signal(&r, "q.left-knee");
    double first[6], last[6];
    momenta(&r, first);
    advance(&r, 1.0);
    momenta(&r, last);
    for (int i = 0; i < 6; i++) {
        assert_true(fabs(first[i] - last[i]) < 1e-6);
    }
    assert_true(r.report.position < 1e-9 && fabs(r.report.drift) < 1e-6 * r.report.exchanged);
    assert_true(fabs(signal(&r, "q.left-knee") - knee) < 0.05 && fabs(signal(&r, "v.left-knee")) < 0.05);
    finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadruped_comes_to_rest),
        cmocka_unit_test(gears_coast_to_rest),
        cmocka_unit_test(satellite_catches),
        cmocka_unit_test(arms_carry_a_box),
        cmocka_unit_test(satellite_turns_its_panels),
        cmocka_unit_test(four_bar_bends_its_coupler),
        cmocka_unit_test(cassie_holds_its_pose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
