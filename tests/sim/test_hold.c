/* Dry friction that sticks and hard stops, against motions known in closed form. */
#include "sim/checks.h"

/* Slides along z, each on the world; the second follows the first if `ratio` is not zero. Masses 1.5 and 2. */
static soa_model *slides(int count, double ratio, double gravity)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    const char *const name[] = { "one", "two" };
    for (int i = 0; i < count; i++) {
        soa_link link = soa_link_default(name[i], SOA_WORLD, SOA_PRISMATIC);
        link.inertia = (soa_inertia){ 1.5 + 0.5 * i, { 0 }, { 0.1, 0, 0, 0.1, 0, 0.1 } };
        ok(soa_builder_add_link(b, &link, NULL, &error));
    }
    if (ratio != 0.0) {
        const soa_coupling c = { .link = 1, .driver = 0, .coefficient = { 0, ratio, 0, 0 } };
        ok(soa_builder_add_coupling(b, &c, NULL, &error));
    }
    soa_builder_set_gravity(b, (double[3]){ 0, 0, gravity });
    ok(soa_builder_finish(b, &model, &error));
    soa_builder_free(b);
    return model;
}

static soa_force friction(double value, double holding)
{
    soa_force f = soa_force_default("dry", SOA_FORCE_JOINT_FRICTION);
    f.link = 0;
    f.value = value;
    f.holding = holding;
    f.stick = true;
    return f;
}

static const soa_sim_method METHOD[] = { SOA_RK45, SOA_RK853, SOA_RK4, SOA_IMPLICIT, SOA_VARIATIONAL };
enum { METHODS = sizeof METHOD / sizeof *METHOD };

static soa_sim *run(const soa_model *model, soa_sim_setup setup, double until)
{
    soa_sim *sim = NULL;
    ok(soa_sim_new(model, &setup, NULL, &sim, &error));
    ok(soa_sim_advance(sim, until, &error));
    return sim;
}

/* A force 2 t breaks a joint loose at 3 (t = 1.5); then friction is 2:  m v' = 2 t - 2. With a follower of ratio 0.5 the
 * mass is 1.5 + 0.25 2. */
static void a_rising_force_breaks_loose(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 2; coupled++) {
        soa_model *model = slides(2, coupled ? 0.5 : 0.0, 0.0);
        const double mass = coupled ? 2.0 : 1.5, t[] = { 0, 3 }, x[] = { 0, 6 };
        soa_force force[] = { friction(2, 3), soa_force_default("ramp", SOA_FORCE_TORQUE) };
        force[1].link = 0;
        force[1].table = (soa_series){ 2, t, x };
        for (int m = 0; m < METHODS; m++) {
            soa_sim_setup setup = soa_sim_setup_default();
            setup.method = METHOD[m];
            setup.step = 0.01;
            setup.forces = 2;
            setup.force = force;
            soa_sim *sim = run(model, setup, 1.499);
            if (soa_sim_v(sim)[0] != 0.0 || fabs(soa_sim_q(sim)[0]) > 1e-15) { /* projections leave rounding */
                fail_msg(
                    "%s: it moved to %g with %g", soa_sim_method_text(METHOD[m]), soa_sim_q(sim)[0], soa_sim_v(sim)[0]);
            }
            ok(soa_sim_advance(sim, 3.0, &error));
            const double d = 1.5, v = (9 - 2.25 - 2 * d) / mass, q = ((27 - 3.375) / 3 - 2.25 * d - d * d) / mass;
            NEAR(soa_sim_v(sim)[0], v, METHOD[m] == SOA_VARIATIONAL ? 2e-4 : 1e-8);
            NEAR(soa_sim_q(sim)[0], q, METHOD[m] == SOA_VARIATIONAL ? 2e-4 : 1e-8);
            soa_sim_report report;
            ok(soa_sim_report_get(sim, &report, &error));
            NEAR(report.drift, 0.0, 1e-3 * report.exchanged);
            soa_sim_free(sim);
        }
        soa_model_free(model);
    }
}

/* Thrown against friction 3 it stops after v m / 3 and does not creep; half a spring's force does not move it. */
static void a_sliding_joint_comes_to_rest(void **state)
{
    (void)state;
    soa_model *model = slides(1, 0.0, 0.0);
    soa_force force[] = { friction(3, 3), soa_force_default("spring", SOA_FORCE_JOINT_SPRING) };
    force[1].link = 0;
    force[1].stiffness = 1e-12;
    for (int m = 0; m < METHODS; m++) {
        const double v0[] = { 2.0 };
        soa_sim_setup setup = soa_sim_setup_default();
        setup.method = METHOD[m];
        setup.step = 0.01;
        setup.v = v0;
        setup.forces = 2;
        setup.force = force;
        soa_sim *sim = run(model, setup, 2.0);
        assert_true(soa_sim_v(sim)[0] == 0.0);
        NEAR(soa_sim_q(sim)[0], 2.0 * 2.0 * 1.5 / (2.0 * 3.0), 1e-9);
        const double q = soa_sim_q(sim)[0];
        ok(soa_sim_advance(sim, 1000.0, &error));
        assert_true(soa_sim_q(sim)[0] == q);
        soa_sim_report report;
        ok(soa_sim_report_get(sim, &report, &error));
        NEAR(report.work, -0.5 * 1.5 * 4.0, 1e-8);
        NEAR(report.drift, 0.0, 1e-8);
        soa_sim_free(sim);
    }
    soa_model_free(model);
}

/* Dropped from 1 m onto a stop: impacts at the times of a bouncing ball, then it rests there exactly. */
static void a_stop_bounces_and_holds(void **state)
{
    (void)state;
    const double g = 9.81, e = 0.7, fall = sqrt(2.0 / g);
    soa_model *model = slides(1, 0.0, -g);
    const double q0[] = { 1.0 };
    soa_force stop = soa_force_default("floor", SOA_FORCE_JOINT_STOP);
    stop.link = 0;
    stop.lower = 0.0;
    stop.restitution = e;
    stop.speed = 1e-3;
    for (int m = 0; m < METHODS; m++) {
        soa_sim_setup setup = soa_sim_setup_default();
        setup.method = METHOD[m];
        setup.step = 0.01;
        setup.q = q0;
        setup.forces = 1;
        setup.force = &stop;
        soa_sim *sim = run(model, setup, 1.0);
        int n = 0;
        double v = g * fall, time = fall; /* after n bounces: speed v, the last at `time` */
        for (double next = time; next <= 1.0; next = time + 2.0 * v / g, n++) {
            time = next;
            v *= e;
        }
        NEAR(soa_sim_v(sim)[0], v - g * (1.0 - time), 1e-7);
        NEAR(soa_sim_q(sim)[0], v * (1.0 - time) - 0.5 * g * (1.0 - time) * (1.0 - time), 1e-7);
        ok(soa_sim_advance(sim, 5.0, &error));
        assert_true(soa_sim_v(sim)[0] == 0.0 && soa_sim_q(sim)[0] == 0.0);
        soa_sim_report report;
        ok(soa_sim_report_get(sim, &report, &error));
        const long bounces = (long)ceil(log(stop.speed / (g * fall)) / log(e));
        assert_int_equal(report.impacts, bounces + 1);
        NEAR(report.impact_energy, -1.5 * g * 1.0, 1e-6);
        NEAR(report.drift, 0.0, 1e-6); /* fixed steps find bounces that hide in a quarter step 1e-9 deep */
        soa_sim_free(sim);
    }
    soa_model_free(model);
}

/* An impulse against the floor's load lifts a joint that rests there; through a coupling the masses act together. */
static void stops_of_coupled_joints(void **state)
{
    (void)state;
    const double g = 9.81;
    soa_model *model = slides(2, -1.0, -g); /* 1.5 up while 2 goes down */
    soa_force stop = soa_force_default("roof", SOA_FORCE_JOINT_STOP);
    stop.link = 0;
    stop.upper = 0.25;
    stop.restitution = 0.5;
    soa_sim_setup setup = soa_sim_setup_default();
    setup.forces = 1;
    setup.force = &stop;
    const double a = g * 0.5 / 3.5, hit = sqrt(2.0 * 0.25 / a), v = a * hit;
    soa_sim *sim = run(model, setup, hit + 0.1);
    NEAR(soa_sim_v(sim)[0], -0.5 * v + a * 0.1, 1e-8);
    NEAR(soa_sim_v(sim)[1], -(-0.5 * v + a * 0.1), 1e-8);
    soa_sim_report report;
    ok(soa_sim_report_get(sim, &report, &error));
    NEAR(report.impact_energy, -0.5 * 3.5 * v * v * 0.75, 1e-8);
    ok(soa_sim_advance(sim, 20.0, &error));
    NEAR(soa_sim_q(sim)[0], 0.25, 1e-9);
    NEAR(soa_sim_v(sim)[0], 0.0, 1e-9);
    soa_sim_free(sim);
    soa_model_free(model);
}

/* Coupled joints that stand between two stops without play: each impact takes from their speed what it does not give back,
 * until they stay. Without loss that never ends. */
static void joints_without_play_come_to_rest(void **state)
{
    (void)state;
    soa_model *model = slides(2, -1.0, 0.0);
    const double q0[] = { 0.1, -0.1 }, v0[] = { 1.0, -1.0 };
    soa_force stop[2];
    soa_sim_setup setup = soa_sim_setup_default();
    setup.q = q0;
    setup.v = v0;
    setup.forces = 2;
    setup.force = stop;
    for (int i = 0; i < 2; i++) {
        stop[i] = soa_force_default("stop", SOA_FORCE_JOINT_STOP);
        stop[i].link = i;
        stop[i].upper = q0[i];
        stop[i].restitution = 0.5;
        stop[i].speed = 1e-3;
    }
    soa_sim *sim = run(model, setup, 0.01);
    assert_true(soa_sim_v(sim)[0] == 0.0 && soa_sim_v(sim)[1] == 0.0);
    soa_sim_report report;
    ok(soa_sim_report_get(sim, &report, &error));
    assert_int_equal(report.impacts, (long)ceil(log(1e-3) / log(0.5)) + 1);
    NEAR(report.impact_energy, -0.5 * 3.5, 1e-12);
    soa_sim_free(sim);
    stop[0].restitution = stop[1].restitution = 1.0;
    assert_int_equal(soa_sim_new(model, &setup, NULL, &sim, &error), SOA_E_NUMBER);
    assert_non_null(strstr(error.text, "give less restitution"));
    assert_int_equal(error.body, -1);
    soa_model_free(model);
}

/* A simulation that was saved between a slip and an impact goes on with the same bits. */
static void saved_modes_go_on(void **state)
{
    (void)state;
    soa_model *model = slides(1, 0.0, -9.81);
    soa_force force[] = { friction(20, 20), soa_force_default("floor", SOA_FORCE_JOINT_STOP) };
    static char saved[1 << 20];
    force[1].link = 0;
    force[1].lower = -0.25;
    force[1].restitution = 0.5;
    const double v0[] = { -3.0 };
    soa_sim_setup setup = soa_sim_setup_default();
    setup.v = v0;
    setup.forces = 2;
    setup.force = force;
    soa_sim *sim = run(model, setup, 0.12), *other = run(model, setup, 0.01);
    assert_true(soa_sim_saved_size(sim) <= sizeof saved);
    ok(soa_sim_save(sim, saved, &error));
    ok(soa_sim_restore(other, saved, soa_sim_saved_size(sim), &error));
    ok(soa_sim_advance(sim, 1.0, &error));
    ok(soa_sim_advance(other, 1.0, &error));
    assert_true(soa_sim_v(sim)[0] == 0.0);
    assert_true(soa_sim_q(sim)[0] == soa_sim_q(other)[0] && soa_sim_q(sim)[0] >= -0.25);
    soa_sim_free(sim);
    soa_sim_free(other);
    soa_model_free(model);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    soa_model *model = slides(1, 0.0, 0.0);
    soa_sim *sim = NULL;
    soa_force stop = soa_force_default("floor", SOA_FORCE_JOINT_STOP);
    soa_sim_setup setup = soa_sim_setup_default();
    stop.link = 0;
    stop.lower = 0.5;
    setup.forces = 1;
    setup.force = &stop;
    assert_int_equal(soa_sim_new(model, &setup, NULL, &sim, &error), SOA_E_NUMBER);
    assert_non_null(strstr(error.text, "beyond its stops"));
    assert_int_equal(error.body, -1);
    stop.lower = -1.0;
    stop.restitution = 1.5;
    assert_int_equal(soa_sim_new(model, &setup, NULL, &sim, &error), SOA_E_NUMBER);
    assert_non_null(strstr(error.text, "restitution"));
    soa_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rising_force_breaks_loose),
        cmocka_unit_test(a_sliding_joint_comes_to_rest),
        cmocka_unit_test(a_stop_bounces_and_holds),
        cmocka_unit_test(stops_of_coupled_joints),
        cmocka_unit_test(joints_without_play_come_to_rest),
        cmocka_unit_test(saved_modes_go_on),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
