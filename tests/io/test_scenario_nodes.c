/* Points of scenarios on nodes of flexible links: a beam bends as a cantilever does, however the node is named. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "soa/scenario.h"

#define SCENARIO "scenario-nodes.yaml"
#define HEAD     "soa: 1\nscenario: bend\nmodel: scenario-cantilever.yaml\nduration: 8\n"

enum { NODES = 9, LAST_LINE = 7 };

static const double LENGTH = 4.0, EI = 7e10 * 1.3e-8, PUSH = 2.0;

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void put_model(void)
{
    put("scenario-cantilever.yaml",
        "soa: 1\nname: cantilever\ngravity: [0, 0, 0]\nlinks:\n"
        "  - name: boom\n    flexible: {beam: {length: 4, axis: x, elements: 8, E: 7e10, G: 2.7e10, rho: 2700, A: "
        "4e-4, Iy: 1.3e-8, Iz: 1.3e-8, J: 2.6e-8}, modes: 2, interface: last, damping: 0.7}\n"
        "    frames: [{name: tip, node: last}]\n"
        "  - {name: cap, parent: boom, joint: {type: fixed, node: last}}\n");
}

static void put_scenario(const char *forces)
{
    char text[1024];
    snprintf(text, sizeof text, HEAD "integrator: {method: implicit, step: 0.01}\nforces:\n  - %s\n", forces);
    put(SCENARIO, text);
}

/* How far the tip ends along y. */
static double bent_by(const char *forces)
{
    soa_scenario *scenario = NULL;
    soa_sim *sim = NULL;
    soa_workspace *w = NULL;
    soa_error error;
    double pose[12];
    const soa_point tip = { 0, soa_pose_identity(), NODES };
    put_scenario(forces);
    if (soa_scenario_load(SCENARIO, NULL, &scenario, &error) != SOA_OK) {
        fail_msg("%s: %s", forces, error.text);
    }
    const soa_model *model = soa_scenario_model(scenario);
    assert_int_equal(soa_sim_new(model, soa_scenario_setup(scenario), NULL, &sim, &error), SOA_OK);
    assert_int_equal(soa_sim_advance(sim, soa_scenario_duration(scenario), &error), SOA_OK);
    assert_int_equal(soa_workspace_new(model, NULL, &w, &error), SOA_OK);
    assert_int_equal(
        soa_point_kinematics(model, w, 1, &tip, 1, soa_sim_q(sim), NULL, NULL, pose, NULL, NULL, &error), SOA_OK);
    soa_workspace_free(w);
    soa_sim_free(sim);
    soa_scenario_free(scenario);
    return pose[10];
}

/* F L^3 / 3 EI, and with a spring k beside it F / (k + 3 EI / L^3). */
static void a_beam_bends(void **state)
{
    (void)state;
    static const char *const place[] = { "link: boom, node: last", "link: boom, node: 9", "link: tip", "link: cap" };
    const double yields = LENGTH * LENGTH * LENGTH / (3.0 * EI);
    char text[256];
    put_model();
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        snprintf(text, sizeof text, "{kind: wrench, %s, force: [0, %g, 0]}", place[i], PUSH);
        assert_true(fabs(bent_by(text) - PUSH * yields) < 1e-7 * PUSH * yields);
    }
    snprintf(text, sizeof text,
        "{kind: bushing, a: {%s}, b: {link: world, at: [4, 0.1, 0]}, stiffness: [0, 30, 0], damping: [0, 1, 0]}",
        place[0]);
    assert_true(fabs(bent_by(text) - 0.1 * 30.0 / (30.0 + 1.0 / yields)) < 1e-7);
}

/* Sensors and points that are led are read in the same way. */
static void sensors_take_nodes(void **state)
{
    (void)state;
    soa_scenario *scenario = NULL;
    soa_error error;
    put_model();
    put(SCENARIO, HEAD "sensors: [{kind: imu, name: tip, at: {link: boom, node: 5, at: [0, 0, 0.1]}}]\n");
    assert_int_equal(soa_scenario_load(SCENARIO, NULL, &scenario, &error), SOA_OK);
    const soa_point at = soa_scenario_setup(scenario)->sensor[0].at;
    assert_true(at.link == 0 && at.node == 5 && at.at.position[2] == 0.1);
    soa_scenario_free(scenario);
}

static void wrong_nodes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *force, *said;
    } bad[] = {
        { "{kind: wrench, link: boom, node: 10, force: [0, 1, 0]}", "link 'boom' has no node '10'; it has 9: give" },
        { "{kind: drag, link: boom, node: tip, damping: 1}", "link 'boom' has no node 'tip'; it has 9: give" },
        { "{kind: wrench, link: cap, node: last, force: [0, 1, 0]}",
            "'node' names a node of link 'cap', which is not flexible; leave it out" },
        { "{kind: spring, a: tip, b: {link: world, node: 1}, stiffness: 1}",
            "'node' names a node of the world, which is not flexible; leave it out" },
        { "{kind: spring, a: {link: tip, node: 1}, b: world, stiffness: 1}",
            "'node' goes with a link, but 'tip' is a frame; leave it out" },
        { "{kind: wrench, link: none, node: 1}", "there is no link or frame 'none'" },
        { "{kind: wrench, node: 1}", "force: 'link' is missing" },
        { "{kind: torque, joint: boom, node: 1}", "unknown key 'node'" },
    };
    put_model();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        soa_scenario *scenario = NULL;
        soa_error error;
        put_scenario(bad[i].force);
        if (soa_scenario_load(SCENARIO, NULL, &scenario, &error) == SOA_OK) {
            fail_msg("taken: %s", bad[i].force);
        }
        assert_null(scenario);
        if (!strstr(error.text, bad[i].said) || error.line != LAST_LINE) {
            fail_msg("%s: line %d, %s", bad[i].force, error.line, error.text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_beam_bends),
        cmocka_unit_test(sensors_take_nodes),
        cmocka_unit_test(wrong_nodes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
