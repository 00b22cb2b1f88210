/* Sensors: samples, delays, noise, and what they measure against other ways to know it. */
#include "sim/checks.h"

#include "soa/io.h"

static soa_sim *make(const soa_model *model, int sensors, const soa_sensor *sensor, soa_sim_setup setup)
{
    soa_sim *sim = NULL;
    setup.sensors = sensors;
    setup.sensor = sensor;
    ok(soa_sim_new(model, &setup, NULL, &sim, &error));
    return sim;
}

static soa_sensor encoder(double rate, double delay)
{
    soa_sensor s = soa_sensor_default("angle", SOA_SENSOR_ENCODER);
    s.link = 0;
    s.rate = rate;
    s.delay = delay;
    return s;
}

/* q at t of a simulation without sensors. */
static double true_q(const soa_model *model, soa_sim_setup setup, double t)
{
    soa_sim *sim = make(model, 0, NULL, setup);
    ok(soa_sim_advance(sim, t, &error));
    const double q = soa_sim_q(sim)[0];
    soa_sim_free(sim);
    return q;
}

/* At any time an encoder shows q of the last sample whose delay has passed; resolution rounds it. */
static void samples_are_held_and_delayed(void **state)
{
    (void)state;
    soa_model *model = builtin("double-pendulum");
    const double q0[] = { 1.0, 0.5 };
    soa_sim_setup setup = soa_sim_setup_default();
    setup.q = q0;
    soa_sensor sensor[] = { encoder(100.0, 0.0), encoder(50.0, 0.035), encoder(100.0, 0.0) };
    sensor[2].resolution = 0.01;
    soa_sim *sim = make(model, 3, sensor, setup);
    const double at[] = { 0.001, 0.0349, 0.0351, 0.0549, 0.0551, 0.06, 0.1234, 0.29 };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        ok(soa_sim_advance(sim, at[i], &error));
        const double first = floor(at[i] * 100.0 + 1e-9) / 100.0;
        const double second = fmax(0.0, floor((at[i] - 0.035) * 50.0 + 1e-9) / 50.0);
        NEAR(soa_sim_sensor(sim, 0)[0], true_q(model, setup, first), 1e-8);
        NEAR(soa_sim_sensor(sim, 1)[0], true_q(model, setup, second), 1e-8);
        NEAR(soa_sim_sensor(sim, 2)[0], 0.01 * round(true_q(model, setup, first) / 0.01), 1e-12);
    }
    const int signal = soa_sim_signal_find(sim, "sensor.angle.0");
    assert_true(signal >= 0 && soa_sim_signal_values(sim, &error)[signal] == soa_sim_sensor(sim, 0)[0]);
    soa_sim_free(sim);
    soa_model_free(model);
}

/* Noise has its mean, deviation and no memory; the same seed gives the same bits, another seed others. */
static void noise_is_what_it_says(void **state)
{
    (void)state;
    enum { SAMPLES = 20000 };
    soa_model *model = builtin("pendulum");
    const double q0[] = { 0.0 };
    soa_sim_setup setup = soa_sim_setup_default();
    setup.q = q0; /* hangs still */
    setup.method = SOA_RK4;
    setup.step = 1.0;
    soa_sensor sensor[] = { encoder(1000.0, 0.0), encoder(1000.0, 0.0) };
    for (int i = 0; i < 2; i++) {
        sensor[i].noise[0] = 0.02;
        sensor[i].bias[0] = 0.5;
        sensor[i].seed = 7;
    }
    soa_sim *sim = make(model, 2, sensor, setup), *again = make(model, 2, sensor, setup);
    const double still = true_q(model, setup, 0.0);
    double sum = 0.0, square = 0.0, lagged = 0.0, crossed = 0.0, before = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        ok(soa_sim_advance(sim, (i + 0.5) / 1000.0, &error));
        ok(soa_sim_advance(again, (i + 0.5) / 1000.0, &error));
        const double x = soa_sim_sensor(sim, 0)[0] - still - 0.5, y = soa_sim_sensor(sim, 1)[0] - still - 0.5;
        assert_true(soa_sim_sensor(sim, 0)[0] == soa_sim_sensor(again, 0)[0]);
        sum += x;
        square += x * x;
        lagged += x * before;
        crossed += x * y;
        before = x;
    }
    NEAR(sum / SAMPLES, 0.0, 5 * 0.02 / sqrt(SAMPLES));
    NEAR(sqrt(square / SAMPLES), 0.02, 5 * 0.02 / sqrt(2.0 * SAMPLES));
    NEAR(lagged / square, 0.0, 5 / sqrt(SAMPLES));
    NEAR(crossed / square, 0.0, 5 / sqrt(SAMPLES));
    soa_sim_free(sim);
    soa_sim_free(again);
    sensor[0].seed = 8;
    again = make(model, 2, sensor, setup);
    sensor[0].seed = 7;
    sim = make(model, 2, sensor, setup);
    assert_true(soa_sim_sensor(sim, 0)[0] != soa_sim_sensor(again, 0)[0]);
    soa_sim_free(sim);
    soa_sim_free(again);
    soa_model_free(model);
}

/* An accelerometer at rest shows -g; on a swinging pendulum v'/dt - g by differences of the velocity of its point. */
static void imu_shows_specific_force(void **state)
{
    (void)state;
    soa_model *model = builtin("arm7");
    soa_workspace *workspace = NULL;
    ok(soa_workspace_new(model, NULL, &workspace, &error));
    unsigned long long seed = 3;
    double q0[7], v0[7], pose[12], V[3][6], g[3];
    soa_random_configuration(model, &seed, q0);
    for (int i = 0; i < 7; i++) {
        v0[i] = soa_model_random_number(&seed);
    }
    soa_model_gravity(model, g);
    soa_sensor sensor = soa_sensor_default("imu", SOA_SENSOR_IMU);
    sensor.at = (soa_point){ soa_model_links(model) - 1, soa_pose_identity() };
    sensor.at.at.position[0] = 0.2;
    sensor.rate = 100.0;
    soa_sim_setup setup = soa_sim_setup_default();
    setup.method = SOA_RK853;
    setup.rtol = 1e-12;
    setup.q = q0;
    setup.v = v0;
    const double h = 1e-5;
    soa_sim *sim = make(model, 1, &sensor, setup);
    for (int i = -1; i <= 1; i++) {
        ok(soa_sim_advance(sim, 0.1 + i * h, &error));
        ok(soa_point_kinematics(
            model, workspace, 1, &sensor.at, 1, soa_sim_q(sim), soa_sim_v(sim), NULL, pose, V[i + 1], NULL, &error));
    }
    ok(soa_point_kinematics(model, workspace, 1, &sensor.at, 1, soa_sim_q(sim), NULL, NULL, pose, NULL, NULL, &error));
    for (int i = 0; i < 3; i++) {
        double w = 0.0, a = 0.0;
        for (int j = 0; j < 3; j++) {
            w += pose[3 * j + i] * V[1][j];
            a += pose[3 * j + i] * ((V[2][3 + j] - V[0][3 + j]) / (2 * h) - g[j]);
        }
        NEAR(soa_sim_sensor(sim, 0)[i], w, 1e-3);
        NEAR(soa_sim_sensor(sim, 0)[3 + i], a, 2e-2);
    }
    soa_sim_free(sim);
    soa_workspace_free(workspace);
    soa_model_free(model);
}

/* At the first joint: the rate of the momentum of all links, less their weight, by differences. */
static void joint_forces_carry_what_is_outboard(void **state)
{
    (void)state;
    soa_model *model = builtin("arm7");
    soa_sim_setup setup = soa_sim_setup_default();
    double q0[7];
    unsigned long long seed = 9;
    soa_random_configuration(model, &seed, q0);
    setup.q = q0;
    soa_sensor sensor = soa_sensor_default("wrist", SOA_SENSOR_JOINT);
    sensor.link = soa_model_body(model, 0).link;
    soa_sim *sim = make(model, 1, &sensor, setup);
    ok(soa_sim_advance(sim, 0.05, &error));
    soa_workspace *workspace = NULL;
    ok(soa_workspace_new(model, NULL, &workspace, &error));
    double momentum[3][12], mass = 0.0, g[3], pose[12];
    for (int k = 0; k < soa_model_links(model); k++) {
        const int body = soa_model_link_body(model, k, NULL);
        mass += body >= 0 ? soa_model_link(model, k)->inertia.mass : 0.0;
    }
    soa_model_gravity(model, g);
    const double h = 1e-5;
    for (int i = -1; i <= 1; i++) {
        soa_sim_setup other = setup;
        soa_sim *near = make(model, 0, NULL, other);
        ok(soa_sim_advance(near, 0.05 + i * h, &error));
        ok(soa_momentum(model, workspace, 1, soa_sim_q(near), soa_sim_v(near), momentum[i + 1], NULL, &error));
        soa_sim_free(near);
    }
    const soa_point at = { sensor.link, soa_pose_identity() };
    ok(soa_point_kinematics(model, workspace, 1, &at, 1, soa_sim_q(sim), NULL, NULL, pose, NULL, NULL, &error));
    for (int i = 0; i < 3; i++) {
        double F = 0.0;
        for (int j = 0; j < 3; j++) {
            F += pose[3 * j + i] * ((momentum[2][9 + j] - momentum[0][9 + j]) / (2 * h) - mass * g[j]);
        }
        NEAR(soa_sim_sensor(sim, 0)[3 + i], F, 1e-3 * fabs(F) + 1e-3);
    }
    soa_workspace_free(workspace);
    soa_sim_free(sim);
    soa_model_free(model);
}

/* Where no force acts along a joint, the wrench there has no moment about its axis: closures load the links, too. */
static void joint_forces_know_closures(void **state)
{
    (void)state;
    soa_model *model = NULL;
    ok(soa_load(SOA_SOURCE "/examples/models/four-bar.yaml", NULL, &model, &error));
    soa_sim_setup setup = soa_sim_setup_default();
    setup.consistent = true;
    setup.bare = true;
    soa_sensor sensor[8];
    const int bodies = soa_model_bodies(model);
    for (int k = 0; k < bodies; k++) {
        sensor[k] = soa_sensor_default(NULL, SOA_SENSOR_JOINT);
        sensor[k].link = soa_model_body(model, k).link;
    }
    soa_sim *sim = make(model, bodies, sensor, setup);
    ok(soa_sim_advance(sim, 0.25, &error));
    for (int k = 0; k < bodies; k++) {
        const double *axis = soa_model_link(model, sensor[k].link)->joint.axis, *F = soa_sim_sensor(sim, k);
        NEAR(axis[0] * F[0] + axis[1] * F[1] + axis[2] * F[2], 0.0, 1e-9);
        assert_true(fabs(F[3]) + fabs(F[4]) + fabs(F[5]) > 1e-2);
    }
    soa_sim_free(sim);
    soa_model_free(model);
}

/* A PD controller that sees a late encoder oscillates where one that knows q does not. */
static void controllers_see_encoders(void **state)
{
    (void)state;
    soa_model *model = builtin("pendulum");
    const int link = 0, seen = 0;
    const double kp = 400.0, kd = 4.0, q0[] = { 0.4 };
    soa_controller c = { .kind = SOA_CONTROL_PD, .joints = 1, .link = &link, .kp = &kp, .kd = &kd };
    soa_sensor sensor = encoder(1000.0, 0.0);
    double end[3];
    for (int i = 0; i < 3; i++) {
        soa_sim_setup setup = soa_sim_setup_default();
        setup.q = q0;
        setup.controllers = 1;
        setup.controller = &c;
        c.sensor = i == 0 ? NULL : &seen;
        sensor.rate = i == 1 ? 1e4 : 1000.0;
        sensor.delay = i == 2 ? 0.2 : 0.0;
        soa_sim *sim = make(model, 1, &sensor, setup);
        ok(soa_sim_advance(sim, 0.1, &error));
        end[i] = soa_sim_v(sim)[0];
        soa_sim_free(sim);
    }
    NEAR(end[0], end[1], 0.02 * fabs(end[0]));
    assert_true(fabs(end[2] - end[0]) > 0.1 * fabs(end[0]));
    soa_model_free(model);
}

/* The sensor of each force element shows the wrench of that element. */
static void contact_sensors_show_their_element(void **state)
{
    (void)state;
    soa_model *model = builtin("pendulum");
    soa_force force[3];
    soa_sensor sensor[3];
    for (int i = 0; i < 3; i++) {
        force[i] = soa_force_default(NULL, SOA_FORCE_WRENCH);
        force[i].a.link = 0;
        sensor[i] = soa_sensor_default("push", SOA_SENSOR_CONTACT);
        sensor[i].force = 2 - i;
        sensor[i].rate = 100.0;
        for (int k = 0; k < 6; k++) {
            force[i].wrench[k] = 0.01 * (6 * i + k + 1);
        }
    }
    soa_sim_setup setup = soa_sim_setup_default();
    setup.forces = 3;
    setup.force = force;
    soa_sim *sim = make(model, 3, sensor, setup);
    ok(soa_sim_advance(sim, 0.015, &error));
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 6; k++) {
            NEAR(soa_sim_sensor(sim, i)[k], force[2 - i].wrench[k], 1e-15);
        }
    }
    soa_sim_free(sim);
    soa_model_free(model);
}

/* No simulation is made; the error says why, and names a body or none. */
static void refused(const soa_model *model, const soa_sim_setup *setup, soa_status status)
{
    soa_sim *sim = NULL;
    assert_int_equal(soa_sim_new(model, setup, NULL, &sim, &error), status);
    assert_null(sim);
    assert_true(error.text[0] != '\0' && error.body >= -1);
}

static void bad_sensors_are_refused(void **state)
{
    (void)state;
    soa_model *model = builtin("pendulum");
    soa_sim_setup setup = soa_sim_setup_default();
    soa_sensor s = encoder(0.0, 0.0);
    setup.sensors = 1;
    setup.sensor = &s;
    refused(model, &setup, SOA_E_NUMBER);
    s = encoder(10.0, -1.0);
    refused(model, &setup, SOA_E_NUMBER);
    s = encoder(10.0, 0.0);
    s.link = 5;
    refused(model, &setup, SOA_E_JOINT);
    s.kind = SOA_SENSOR_CLOSURE;
    refused(model, &setup, SOA_E_NAME);
    s.kind = SOA_SENSOR_CONTACT;
    refused(model, &setup, SOA_E_NAME);
    s.kind = (soa_sensor_kind)99;
    refused(model, &setup, SOA_E_ARGUMENT);
    double *const number[] = { &s.bias[0], &s.bias[1], &s.noise[0], &s.noise[1], &s.resolution };
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        s = encoder(10.0, 0.0);
        *number[i] = NAN;
        refused(model, &setup, SOA_E_NUMBER);
        *number[i] = i < 2 ? -INFINITY : -1.0;
        refused(model, &setup, SOA_E_NUMBER);
    }
    s = soa_sensor_default("imu", SOA_SENSOR_IMU);
    s.rate = 10.0;
    for (s.at.link = -1; s.at.link <= soa_model_links(model); s.at.link++) {
        soa_sim *sim = NULL;
        if (s.at.link < 0 || s.at.link == soa_model_links(model)) {
            refused(model, &setup, SOA_E_NAME);
            continue;
        }
        ok(soa_sim_new(model, &setup, NULL, &sim, &error));
        assert_non_null(soa_sim_sensor(sim, 0));
        assert_true(!soa_sim_sensor(sim, -1) && !soa_sim_sensor(sim, 1) && !soa_sim_sensor(NULL, 0));
        soa_sim_free(sim);
    }
    soa_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_held_and_delayed),
        cmocka_unit_test(noise_is_what_it_says),
        cmocka_unit_test(imu_shows_specific_force),
        cmocka_unit_test(joint_forces_carry_what_is_outboard),
        cmocka_unit_test(joint_forces_know_closures),
        cmocka_unit_test(controllers_see_encoders),
        cmocka_unit_test(contact_sensors_show_their_element),
        cmocka_unit_test(bad_sensors_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
