/* The parts of scenarios that take numbers from files or act by themselves: each against a motion known in closed form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "soa/scenario.h"

#define SCENARIO "scenario-parts.yaml"

static soa_error error;

static void near_at(int line, double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) {
        fail_msg("line %d: %.15g, not %.15g", line, a, b);
    }
}
#define NEAR(a, b, tolerance) near_at(__LINE__, a, b, tolerance)

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

typedef struct run {
    soa_scenario *scenario;
    soa_sim *sim;
} run;

static void ok_at(int line, soa_status status)
{
    char message[1024];
    if (status != SOA_OK) {
        fail_msg("line %d: %s", line, soa_error_message(&error, message, sizeof message));
    }
}
#define OK(status) ok_at(__LINE__, status)

/* A wheel with inertia 0.5 about its axis z, without weight; `rest` is appended to the scenario. */
static run wheel(const char *rest)
{
    run r = { 0 };
    char text[2048];
    put("scenario-wheel.yaml", "soa: 1\nname: wheel\nlinks:\n"
                               "  - {name: wheel, joint: {name: axle, type: revolute, axis: [0, 0, 1]}, mass: 1, "
                               "inertia: [0.5, 0, 0, 0.5, 0, 0.5]}\n"
                               "closures:\n  - {name: lock, kind: rigid, a: wheel, b: world, inactive: true}\n");
    snprintf(text, sizeof text, "soa: 1\nscenario: part\nmodel: scenario-wheel.yaml\nduration: 2\n%s", rest);
    put(SCENARIO, text);
    OK(soa_scenario_load(SCENARIO, NULL, &r.scenario, &error));
    OK(soa_sim_new(soa_scenario_model(r.scenario), soa_scenario_setup(r.scenario), NULL, &r.sim, &error));
    return r;
}

static run other(const char *text)
{
    run r = { 0 };
    put(SCENARIO, text);
    OK(soa_scenario_load(SCENARIO, NULL, &r.scenario, &error));
    OK(soa_sim_new(soa_scenario_model(r.scenario), soa_scenario_setup(r.scenario), NULL, &r.sim, &error));
    return r;
}

static void end(run *r)
{
    soa_sim_free(r->sim);
    soa_scenario_free(r->scenario);
}

static double signal_of(run *r, const char *name)
{
    const int i = soa_sim_signal_find(r->sim, name);
    const double *value = soa_sim_signal_values(r->sim, &error);
    assert_true(i >= 0 && value);
    return value[i];
}

/* T rises from 0 to 2 and falls to 0 again in two seconds: I v = 2. */
static void a_table_is_a_torque(void **state)
{
    (void)state;
    put("scenario-torque.csv", "t,force\n0,0\n1,2\n2,0\n");
    run r = wheel("forces:\n  - {kind: torque, joint: axle, table: scenario-torque.csv}\n");
    OK(soa_sim_advance(r.sim, 1.0, &error));
    NEAR(soa_sim_v(r.sim)[0], 2.0, 1e-8);
    OK(soa_sim_advance(r.sim, 2.0, &error));
    NEAR(soa_sim_v(r.sim)[0], 4.0, 1e-8);
    end(&r);
}

/* Computed torque follows its reference exactly if it begins on it. */
static void a_table_is_a_path(void **state)
{
    (void)state;
    put("scenario-path.csv", "t, axle\n0, 0\n1, 1\n2, 3\n");
    run r = wheel("initial: {v: {axle: 1}}\ncontrollers:\n"
                  "  - {kind: computed-torque, joints: [axle], kp: 100, kd: 20, table: scenario-path.csv}\n");
    OK(soa_sim_advance(r.sim, 0.75, &error));
    NEAR(soa_sim_q(r.sim)[0], 0.75, 1e-8);
    end(&r);
    r = wheel(
        "controllers:\n  - {kind: computed-torque, joints: [axle], kp: 100, kd: 20, table: scenario-path.csv, timing: "
        "trapezoidal}\n");
    const double x[][2] = { { 0.25, 1.0 / 6.0 }, { 0.5, 0.5 }, { 0.75, 5.0 / 6.0 }, { 1.0, 1.0 }, { 1.5, 2.0 } };
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        OK(soa_sim_advance(r.sim, x[i][0], &error));
        NEAR(soa_sim_q(r.sim)[0], x[i][1], 1e-7);
    }
    end(&r);
}

/* A limit of 2 on a PD controller that wants far more:  I v = 2 t. */
static void a_limit_bounds_a_controller(void **state)
{
    (void)state;
    run r = wheel("controllers:\n  - {kind: pd, joints: [axle], kp: 1000, kd: 1, limit: 2, target: {axle: 1}}\n");
    OK(soa_sim_advance(r.sim, 0.1, &error));
    NEAR(soa_sim_v(r.sim)[0], 0.4, 1e-9);
    NEAR(signal_of(&r, "tau.axle"), 2.0, 1e-12);
    end(&r);
}

/* A lag far below the step of a method for stiff systems or of the variational one:  v = (T / I) (t - lag (1 - e^(-t/lag))). */
static void a_short_lag_is_no_harm(void **state)
{
    (void)state;
    static const char *METHOD[] = { "variational", "implicit" };
    for (int m = 0; m < 2; m++) {
        char text[512];
        snprintf(text, sizeof text,
            "integrator: {method: %s, step: 1e-3}\nactuators:\n"
            "  - {kind: velocity, joint: axle, kd: 1e-6, lag: 1e-4, target: {axle: 1e6}}\n",
            METHOD[m]);
        run r = wheel(text);
        OK(soa_sim_advance(r.sim, 0.1, &error));
        NEAR(soa_sim_v(r.sim)[0], 2.0 * (0.1 - 1e-4),
            m == 0 ? 2e-4 : 1e-6); /* the first step of 1e-3 is as long as ten lags */
        end(&r);
    }
}

/* Gravity compensation holds an arm where it begins. */
static void gravity_is_compensated(void **state)
{
    (void)state;
    run r =
        other("soa: 1\nscenario: hold\nmodel: builtin:arm7\nduration: 1\ninitial: {q: {joint2: 0.7, joint4: -1.1}}\n"
              "controllers:\n  - {kind: gravity, joints: [joint1, joint2, joint3, joint4, joint5, joint6, joint7]}\n");
    double q[7];
    memcpy(q, soa_sim_q(r.sim), sizeof q);
    OK(soa_sim_advance(r.sim, 0.5, &error));
    for (int i = 0; i < 7; i++) {
        NEAR(soa_sim_q(r.sim)[i], q[i], 1e-9);
    }
    end(&r);
}

/* The weight of what a closure carries is what its sensor shows. */
static void a_closure_is_weighed(void **state)
{
    (void)state;
    put("scenario-box.yaml",
        "soa: 1\nname: box\nlinks:\n"
        "  - {name: box, joint: {name: base, type: free}, mass: 2, inertia: [0.1, 0, 0, 0.1, 0, 0.1]}\n"
        "closures:\n  - {name: hook, kind: rigid, a: box, b: world}\n");
    run r = other("soa: 1\nscenario: weigh\nmodel: scenario-box.yaml\nduration: 1\ngravity: [0, 0, -10]\n"
                  "sensors:\n  - {kind: closure-force, name: scale, closure: hook, rate: 100}\n");
    OK(soa_sim_advance(r.sim, 0.1, &error));
    const double *shown = soa_sim_sensor(r.sim, 0);
    assert_int_equal(soa_sim_sensors(r.sim), 1);
    for (int i = 0; i < 5; i++) {
        NEAR(shown[i], 0.0, 1e-9);
    }
    NEAR(shown[5], 20.0, 1e-8);
    end(&r);
}

/* Steps of a control loop are those of the method. */
static void steps_are_those_of_the_method(void **state)
{
    (void)state;
    const char *text = "soa: 1\nscenario: swing\nmodel: builtin:double-pendulum\nduration: 1\n"
                       "initial: {q: [1, 0.5]}\nintegrator: {method: rk4, step: 1e-3}\n";
    run r = other(text), s = other(text);
    for (int i = 0; i < 100; i++) {
        OK(soa_sim_step(r.sim, 1e-3, &error));
    }
    OK(soa_sim_advance(s.sim, 0.1, &error));
    NEAR(soa_sim_q(r.sim)[1], soa_sim_q(s.sim)[1], 1e-12);
    assert_int_equal(soa_sim_step(r.sim, 0.0, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_sim_step(NULL, 1.0, &error), SOA_E_ARGUMENT);
    end(&r);
    end(&s);
}

/* Which way an event is crossed, given and left out. */
static void events_have_directions(void **state)
{
    (void)state;
    static const struct {
        const char *when;
        int direction;
    } event[] = { { "contact: ball", 1 }, { "contact: ball, change: made", 1 }, { "contact: ball, change: lost", -1 },
        { "signal: q.axle, crosses: 1", 0 }, { "signal: q.axle, crosses: 1, direction: rising", 1 },
        { "signal: q.axle, crosses: 1, direction: falling", -1 }, { "formula: 2 * q.axle, crosses: 1", 0 } };
    for (size_t i = 0; i < sizeof event / sizeof *event; i++) {
        char text[400];
        snprintf(text, sizeof text,
            "forces:\n  - {kind: contact, name: ball, a: wheel, b: world, shape: sphere, radius: 0.1, stiffness: "
            "1000}\n"
            "events:\n  - {when: {%s}, do: {record: true}}\n",
            event[i].when);
        run r = wheel(text);
        assert_int_equal(soa_scenario_setup(r.scenario)->event[0].direction, event[i].direction);
        end(&r);
    }
}

/* A closure that an event enables holds the wheel; without the event the torque turns it. */
static void an_event_enables_a_closure(void **state)
{
    (void)state;
    const char *push = "forces:\n  - {kind: torque, joint: axle, value: 1, from: 0.2}\n";
    char text[512];
    run free = wheel(push);
    OK(soa_sim_advance(free.sim, 0.5, &error));
    NEAR(soa_sim_v(free.sim)[0], 0.6, 1e-9);
    end(&free);
    snprintf(text, sizeof text, "%sevents:\n  - {when: {time: 0.1}, do: {enable-closure: lock}}\n", push);
    run held = wheel(text);
    OK(soa_sim_advance(held.sim, 0.5, &error));
    NEAR(soa_sim_v(held.sim)[0], 0.0, 1e-10);
    NEAR(signal_of(&held, "closure.lock.moment"), 1.0, 1e-8);
    end(&held);
}

/* Lines of a field are those of y: high where y is, low where x is. */
static void a_field_is_read_line_by_line(void **state)
{
    (void)state;
    put("scenario-field.csv", "0,0,0\n0,0,0\n1,1,1\n");
    run r = other(
        "soa: 1\nscenario: field\nmodel: builtin:pendulum\nduration: 1\nforces:\n"
        "  - {kind: contact, name: y, a: {link: world, at: [0, 1, 1.2]}, b: {link: world, at: [0, 0, 0]}, radius: 0.1, "
        "stiffness: 1, field: scenario-field.csv, spacing: [1, 1]}\n"
        "  - {kind: contact, name: x, a: {link: world, at: [1, 0, 1.2]}, b: {link: world, at: [0, 0, 0]}, radius: 0.1, "
        "stiffness: 1, field: scenario-field.csv, spacing: [1, 1]}\n");
    assert_true(signal_of(&r, "contact.y.depth") > -0.2 && signal_of(&r, "contact.y.depth") < -0.01);
    NEAR(signal_of(&r, "contact.x.depth"), 0.1 - 1.2 / sqrt(1.25), 1e-9); /* the ground rises by 1/2 along y there */
    end(&r);
}

/* A base that is freed falls. */
static void a_free_base_falls(void **state)
{
    (void)state;
    put("scenario-brick.yaml",
        "soa: 1\nname: brick\nlinks:\n  - {name: brick, mass: 2, inertia: [0.1, 0, 0, 0.1, 0, 0.1]}\n");
    run r =
        other("soa: 1\nscenario: fall\nmodel: scenario-brick.yaml\nbase: free\nduration: 1\ngravity: [0, 0, -10]\n");
    OK(soa_sim_advance(r.sim, 0.5, &error));
    NEAR(soa_sim_q(r.sim)[6], -1.25, 1e-9);
    end(&r);
}

/* The strain of a bent link is energy of the system; only its damping does work. */
static void strain_is_energy(void **state)
{
    (void)state;
    put("scenario-boom.yaml",
        "soa: 1\nname: boom\ngravity: [0, 0, 0]\nlinks:\n"
        "  - {name: boom, joint: {name: hinge, type: revolute, axis: [0, 0, 1]}, flexible: {beam: {length: 4, axis: x, "
        "elements: "
        "8, E: 7e10, G: 2.7e10, rho: 2700, A: 4e-4, Iy: 1.3e-8, Iz: 1.3e-8, J: 2.6e-8}, modes: 4, damping: 0.02}}\n");
    run r = other("soa: 1\nscenario: bent\nmodel: scenario-boom.yaml\nduration: 1\ninitial: {q: {boom/flex: [0.1, 0.1, "
                  "0, 0]}}\n");
    const double before = signal_of(&r, "energy.potential");
    assert_true(before > 1e-6 && signal_of(&r, "energy.kinetic") == 0.0);
    OK(soa_sim_advance(r.sim, 1.0, &error));
    soa_sim_report report;
    OK(soa_sim_report_get(r.sim, &report, &error));
    const double after = signal_of(&r, "energy.potential") + signal_of(&r, "energy.kinetic");
    NEAR(report.initial, before, 1e-12 * before);
    NEAR(report.final, after, 1e-12 * before);
    assert_true(report.work < -1e-3 * before && after > 0.0);
    NEAR(report.work, after - before, 1e-7 * before);
    end(&r);
}

/* A point of a gantry is led to a place: critically damped, e(t) = e0 (1 + 10 t) e^(-10 t). */
static void a_point_is_led_to_a_place(void **state)
{
    (void)state;
    put("scenario-gantry.yaml",
        "soa: 1\nname: gantry\nlinks:\n"
        "  - {name: x, joint: {name: x, type: prismatic, axis: [1, 0, 0]}, mass: 1, inertia: [1, 0, 0, 1, 0, 1]}\n"
        "  - {name: y, parent: x, joint: {name: y, type: prismatic, axis: [0, 1, 0]}, mass: 1, inertia: [1, 0, 0, 1, "
        "0, 1]}\n"
        "  - {name: z, parent: y, joint: {name: z, type: prismatic, axis: [0, 0, 1]}, mass: 1, inertia: [1, 0, 0, 1, "
        "0, 1]}\n");
    run r = other(
        "soa: 1\nscenario: led\nmodel: scenario-gantry.yaml\nduration: 1\ncontrollers:\n"
        "  - {kind: operational-space, joints: [x, y, z], at: {link: z, at: [0, 0, 0]}, point_kp: 100, point_kd: 20, "
        "position: [0.1, -0.2, 0.3]}\n");
    const double to[3] = { 0.1, -0.2, 0.3 }, left = (1.0 + 2.0) * exp(-2.0);
    OK(soa_sim_advance(r.sim, 0.2, &error));
    for (int i = 0; i < 3; i++) {
        NEAR(soa_sim_q(r.sim)[i], to[i] * (1.0 - left), 1e-7);
    }
    end(&r);
}

/* A configuration of the model gives positions and velocities; an impulse J adds J / I; events may share a formula. */
static void a_configuration_is_a_beginning(void **state)
{
    (void)state;
    put("scenario-spin.yaml", "soa: 1\nname: wheel\nlinks:\n"
                              "  - {name: wheel, joint: {name: axle, type: revolute, axis: [0, 0, 1]}, mass: 1, "
                              "inertia: [0.5, 0, 0, 0.5, 0, 0.5]}\n"
                              "configurations: [{name: spin, q: {axle: 0.5}, v: {axle: 3}}]\n");
    run r = other("soa: 1\nscenario: part\nmodel: scenario-spin.yaml\nduration: 1\ninitial: {configuration: spin}\n"
                  "events:\n  - {when: {time: 0.5}, do: {impulse: axle, value: 2}}\n"
                  "  - {when: {formula: 2 * q.axle, crosses: 2}, do: {record: true}}\n"
                  "  - {when: {formula: 2 * q.axle, crosses: 9}, do: {record: true}}\n");
    soa_sim_report report;
    OK(soa_sim_advance(r.sim, 1.0, &error));
    NEAR(soa_sim_v(r.sim)[0], 7.0, 1e-12);
    NEAR(soa_sim_q(r.sim)[0], 0.5 + 0.5 * 3.0 + 0.5 * 7.0, 1e-9);
    OK(soa_sim_report_get(r.sim, &report, &error));
    assert_int_equal(report.events, 3);
    NEAR(report.event[0].t, 0.5 / 3.0, 1e-9);
    NEAR(report.event[2].t, 0.5 + 2.5 / 7.0, 1e-9);
    end(&r);
}

/* What is wrong is said with its file and line, and nothing is made. */
static void parts_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *rest, *said;
    } bad[] = {
        { "forces:\n  - {kind: torque, joint: axle, table: scenario-3.csv}\n", "two columns" },
        { "forces:\n  - {kind: torque, joint: axle, table: scenario-words.csv}\n", "not a finite number" },
        { "forces:\n  - {kind: torque, joint: axle, table: scenario-none.csv}\n", "no rows of numbers" },
        { "controllers:\n  - {kind: pd, joints: [axle], kp: 1, table: scenario-torque.csv}\n", "force" },
        { "controllers:\n  - {kind: pd, joints: [axle], kp: 1, table: scenario-plain.csv}\n", "line of names" },
        { "controllers:\n  - {kind: pd, kp: 1}\n", "'joints' is missing" },
        { "controllers:\n  - {kind: pd, joints: [axle], kp: .nan}\n", "finite" },
        { "controllers:\n  - {kind: pd, joints: [axle], kp: 1, waypoints: {t: [0, 1], axle: [0]}}\n", "'t' has 2" },
        { "signals: [a, b]\n", "mapping" },
        { "events:\n  - {when: {time: 1}}\n", "'do' is missing" },
        { "events:\n  - {when: {limit: axle, side: upper}, do: {stop: true}}\n", "no such limit" },
        { "initial: {q: 1}\n", "list of numbers" },
        { "base: afloat\n", "afloat" },
        { "record: {every: 1e-308}\n", "'every' divides the duration into more than 1e+12 parts" },
        { "integrator: {method: rk4, step: 1e-300}\n", "'step' divides the duration into more than 1e+12 parts" },
        { "sensors:\n  - {kind: encoder, name: e, joint: axle, rate: 1e20}\n", "at most 1e9" },
        { "sensors:\n  - {kind: encoder, name: e, joint: axle, rate: 1, seed: x}\n", "'seed' is 'x'" },
        { "events:\n  - {do: {stop: true}}\n", "'when' is missing" },
        { "events:\n  - {when: {time: 1}, do: {value: 1}}\n", "'do' names no action" },
        { "events:\n  - {when: {formula: [1], crosses: 0}, do: {stop: true}}\n", "formula" },
        { "forces: [3]\n", "each force is a mapping such as {kind: torque, ...}" },
        { "forces:\n  - {kind: torque, joint: axle, table: scenario-cells.csv}\n",
            "this row has 1 cells, the first line 2" },
        { "forces:\n  - {kind: torque, joint: axle, table: [1]}\n", "table" },
        { "forces:\n  - {kind: torque, joint: axle, table: scenario-back.csv}\n", "must rise" },
        { "forces:\n  - {kind: contact, a: wheel, b: world, field: x.csv, spacing: 1}\n", "list of 2 numbers" },
        { "forces:\n  - {kind: contact, a: {link: wheel, at: 1}, b: world}\n", "list of 3 numbers" },
        { "controllers:\n  - {kind: pd, joints: [axle], kp: 1, waypoints: {t: 3, axle: [0]}}\n", "'t' must be a list" },
        { "controllers:\n  - {kind: pd, joints: [axle], kp: 1, table: scenario-axle.csv, timing: soft}\n", "linear" },
        { "initial: {configuration: [1]}\n", "configuration" },
        { "record: {signals: q}\n", "list" },
        { "record: {signals: [w]}\n", "no signal 'w'" },
    };
    put("scenario-3.csv", "t,a,b\n0,0,0\n");
    put("scenario-cells.csv", "t,force \n0,0\n1\n");
    put("scenario-back.csv", "t,force\n1,0\n0,0\n");
    put("scenario-axle.csv", "t,axle\n0,0\n1,0\n");
    put("scenario-words.csv", "t,force\n0,much\n");
    put("scenario-none.csv", "t,force\n");
    put("scenario-plain.csv", "0,0\n1,1\n");
    put("scenario-torque.csv", "t,force\n0,0\n1,2\n2,0\n");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[1024], message[1024];
        soa_scenario *scenario = NULL;
        snprintf(text, sizeof text, "soa: 1\nscenario: part\nmodel: scenario-wheel.yaml\nduration: 2\n%s", bad[i].rest);
        put(SCENARIO, text);
        if (soa_scenario_load(SCENARIO, NULL, &scenario, &error) == SOA_OK) {
            fail_msg("taken: %s", bad[i].rest);
        }
        assert_null(scenario);
        soa_error_message(&error, message, sizeof message);
        if (!strstr(message, bad[i].said) || !strstr(message, ":") || !strstr(message, "scenario-")) {
            fail_msg("%s: %s", bad[i].rest, message);
        }
    }
    soa_recording *recording = NULL;
    assert_int_equal(soa_recording_load("scenario-plain.csv", NULL, &recording, &error), SOA_E_SYNTAX);
    assert_non_null(strstr(error.text, "this is not a recording: it needs a line of names"));
    assert_null(recording);
    soa_scenario *scenario = NULL;
    put(SCENARIO, "soa: 1\nscenario: part\nmodel: builtin:quadruped\nduration: 2\n"
                  "controllers:\n  - {kind: pd, joints: [floating_base], kp: 1}\n");
    assert_int_equal(soa_scenario_load(SCENARIO, NULL, &scenario, &error), SOA_E_JOINT);
    assert_non_null(strstr(error.text, "has several coordinates; controllers take joints with one"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_a_torque),
        cmocka_unit_test(a_table_is_a_path),
        cmocka_unit_test(a_limit_bounds_a_controller),
        cmocka_unit_test(a_short_lag_is_no_harm),
        cmocka_unit_test(gravity_is_compensated),
        cmocka_unit_test(a_closure_is_weighed),
        cmocka_unit_test(steps_are_those_of_the_method),
        cmocka_unit_test(events_have_directions),
        cmocka_unit_test(an_event_enables_a_closure),
        cmocka_unit_test(a_field_is_read_line_by_line),
        cmocka_unit_test(a_free_base_falls),
        cmocka_unit_test(strain_is_energy),
        cmocka_unit_test(a_point_is_led_to_a_place),
        cmocka_unit_test(a_configuration_is_a_beginning),
        cmocka_unit_test(parts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
