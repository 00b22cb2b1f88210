/* The scenarios of examples/scenarios, and cassie under PD control, to their ends: what must have happened did. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "soa/dynamics.h"
#include "soa/scenario.h"

#define SCENARIOS SOA_SOURCE "/examples/scenarios/"

typedef struct run {
    soa_scenario *scenario;
    soa_sim *sim;
    soa_sim_report report;
} run;

static run begin(const char *path)
{
    run r = { 0 };
    soa_error error;
    char message[1024];
    if (soa_scenario_load(path, NULL, &r.scenario, &error) != SOA_OK ||
        soa_sim_new(soa_scenario_model(r.scenario), soa_scenario_setup(r.scenario), NULL, &r.sim, &error) != SOA_OK) {
        fail_msg("%s", soa_error_message(&error, message, sizeof message));
    }
    return r;
}

static void go(run *r, double t)
{
    soa_error error;
    if (soa_sim_advance(r->sim, t, &error) != SOA_OK || soa_sim_report_get(r->sim, &r->report, &error) != SOA_OK) {
        fail_msg("%s at t = %g: %s", soa_scenario_name(r->scenario), soa_sim_time(r->sim), error.text);
    }
}

static void end(run *r)
{
    soa_sim_free(r->sim);
    soa_scenario_free(r->scenario);
}

static double signal(const run *r, const char *name)
{
    const int i = soa_sim_signal_find(r->sim, name);
    assert_true(i >= 0);
    return soa_sim_signal_values(r->sim, NULL)[i];
}

/* Dry friction of 0.05 N m at the motor and 0.09 / 3 through the gears on 0.04 kg m^2: 2 rad/s^2, from 10 rad/s. */
static void gears_stop(void **state)
{
    (void)state;
    run r = begin(SCENARIOS "gears.yaml");
    go(&r, soa_scenario_duration(r.scenario));
    assert_int_equal(r.report.events, 1);
    assert_true(fabs(r.report.event[0].t - 2.5) < 1e-10);
    assert_true(fabs(signal(&r, "q.motor") - 25.0) < 1e-8);
    assert_true(signal(&r, "v.motor") == 0.0 && signal(&r, "v.wheel") == 0.0);
    assert_true(fabs(signal(&r, "work.joint-friction.bearing") + 1.25) < 1e-8 &&
                fabs(signal(&r, "work.joint-friction.hub") + 0.75) < 1e-8);
    end(&r);
}

/* It lies still at the end, and the ground carries its weight. */
static void quadruped_comes_to_rest(void **state)
{
    (void)state;
    static const char *const part[] = { "FL", "FR", "RL", "RR", "trunk" };
    run r = begin(SCENARIOS "fall.yaml");
    go(&r, soa_scenario_duration(r.scenario));
    double force = 0.0;
    for (int i = 0; i < 5; i++) {
        char name[32];
        snprintf(name, sizeof name, "contact.%s.force", part[i]);
        force += signal(&r, name);
    }
    print_message("carried %.3f N, moving with %.1e J\n", force, signal(&r, "energy.kinetic"));
    assert_true(fabs(force / (15.22 * 9.81) - 1.0) < 0.02);
    assert_true(signal(&r, "energy.kinetic") < 1e-3);
    assert_true(fabs(r.report.drift) < 1e-6 * r.report.exchanged);
    assert_true(fabs(r.report.event[0].t - 0.2279) < 1e-3);
    end(&r);
}

/* Momentum and angular momentum of all are what they were; the grip has cost energy and holds. */
static void satellite_is_caught(void **state)
{
    (void)state;
    run r = begin(SCENARIOS "capture.yaml");
    const soa_model *model = soa_scenario_model(r.scenario);
    soa_workspace *workspace;
    double first[12], last[12];
    assert_int_equal(soa_workspace_new(model, NULL, &workspace, NULL), SOA_OK);
    for (int k = 0; k < 2; k++) {
        go(&r, k * soa_scenario_duration(r.scenario));
        assert_int_equal(
            soa_momentum(model, workspace, 1, soa_sim_q(r.sim), soa_sim_v(r.sim), k == 0 ? first : last, NULL, NULL),
            SOA_OK);
    }
    for (int i = 6; i < 12; i++) { /* behind the centre of mass and its velocity */
        assert_true(fabs(first[i] - last[i]) < 1e-8);
    }
    assert_int_equal(r.report.events, 1);
    assert_true(r.report.event[0].t == 1.0 && r.report.event[0].energy < -0.1);
    assert_true(fabs(r.report.drift) < 1e-9 && r.report.position < 1e-9);
    soa_workspace_free(workspace);
    end(&r);
}

/* The box is lifted by 0.15 m, carried 0.12 m sideways, set down and lies where it was set. */
static void box_is_carried(void **state)
{
    (void)state;
    run r = begin(SCENARIOS "carry.yaml");
    const double y = signal(&r, "q.box/free.5"), z = signal(&r, "q.box/free.6");
    go(&r, 2.0);
    assert_true(signal(&r, "q.box/free.6") - z > 0.12);
    assert_true(signal(&r, "contact.table.force") == 0.0);
    go(&r, 4.6);
    const double set = signal(&r, "q.box/free.5");
    assert_true(fabs(set - y - 0.12) < 0.01 && fabs(signal(&r, "q.box/free.6") - z) < 0.01);
    go(&r, soa_scenario_duration(r.scenario));
    assert_true(fabs(signal(&r, "q.box/free.5") - set) < 1e-3 && signal(&r, "energy.kinetic") < 1e-3);
    assert_int_equal(r.report.events, 5);
    assert_true(fabs(r.report.drift) < 1e-6 * r.report.exchanged && r.report.position < 2e-10);
    end(&r);
}

/* Cassie hangs on a rope at its pelvis and holds its pose: its loops stay closed and it comes to rest. */
static void cassie_holds_its_pose(void **state)
{
    (void)state;
    static const char path[] = "cassie.test.yaml";
    FILE *model = fopen(SOA_ROBOTS "/cassie/cassie.xml", "r");
    if (!model) {
        skip();
    }
    fclose(model);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
        "soa: 1\nscenario: cassie\nmodel: %s\ninitial: {configuration: home, consistent: true}\nduration: 2\n"
        "integrator: {method: stiff, rtol: 1e-5, atol: 1e-6}\n"
        "forces: [{kind: bushing, name: rope, a: {link: cassie-pelvis}, b: {link: world, at: [0, 0, 1.0059301]},"
        " stiffness: [2e4, 2e4, 2e4], damping: [2e3, 2e3, 2e3], rotational_stiffness: [2e3, 2e3, 2e3],"
        " rotational_damping: [2e2, 2e2, 2e2]}]\n"
        "controllers: [{kind: pd, name: legs, kp: 300, kd: 20, joints: [left-hip-roll, left-hip-yaw, left-hip-pitch, "
        "left-knee,"
        " left-foot, right-hip-roll, right-hip-yaw, right-hip-pitch, right-knee, right-foot]}]\n",
        SOA_ROBOTS "/cassie/cassie.xml");
    fclose(file);
    run r = begin(path);
    go(&r, soa_scenario_duration(r.scenario));
    assert_true(r.report.position < 1e-9 && signal(&r, "energy.kinetic") < 1e-9);
    const double stretched = 1.0059301 - signal(&r, "q.cassie-pelvis/joint.6");
    assert_true(fabs(2e4 * stretched - 33.312 * 9.81) < 0.1); /* the rope carries its weight */
    assert_true(fabs(r.report.drift) < 1e-5 * r.report.exchanged);
    end(&r);
    remove(path);
}

/* A gripper with two loops falls against its springs; its pivots change their order on the way. */
static void gripper_stays_closed(void **state)
{
    (void)state;
    static const char path[] = "gripper.test.yaml";
    FILE *model = fopen(SOA_ROBOTS "/robotiq_2f85_mjcf/2f85.xml", "r");
    if (!model) {
        skip();
    }
    fclose(model);
    static const char *method[] = { "rk45", "stiff" };
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file,
            "soa: 1\nscenario: gripper\nmodel: %s\ninitial: {consistent: true}\nduration: 2\n"
            "integrator: {method: %s, rtol: 1e-6, atol: 1e-8}\n",
            SOA_ROBOTS "/robotiq_2f85_mjcf/2f85.xml", method[i]);
        fclose(file);
        run r = begin(path);
        go(&r, soa_scenario_duration(r.scenario));
        assert_true(r.report.position < 1e-9);
        assert_true(fabs(r.report.drift) < 1e-5 * r.report.exchanged);
        end(&r);
    }
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gears_stop),
        cmocka_unit_test(quadruped_comes_to_rest),
        cmocka_unit_test(satellite_is_caught),
        cmocka_unit_test(box_is_carried),
        cmocka_unit_test(cassie_holds_its_pose),
        cmocka_unit_test(gripper_stays_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
