/* Motors: servos, limits and lags against motions known in closed form, and derivatives in implicit steps. */
#include "sim/checks.h"

/* A wheel with inertia 0.5 about its axis, without weight. */
static soa_model *wheel(void)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    soa_link link = soa_link_default("wheel", SOA_WORLD, SOA_REVOLUTE);
    link.inertia = (soa_inertia){ 1.0, { 0 }, { 0.5, 0, 0, 0.5, 0, 0.5 } };
    ok(soa_builder_add_link(b, &link, NULL, &error));
    ok(soa_builder_finish(b, &model, &error));
    soa_builder_free(b);
    return model;
}

static soa_status steady(void *context, double t, const double *q, const double *v, double *T, soa_error *e)
{
    (void)t, (void)q, (void)v, (void)e;
    T[0] += *(double *)context;
    return SOA_OK;
}

static soa_sim *make(const soa_model *model, const soa_actuator *actuator, double *wanted, soa_sim_method method)
{
    soa_controller push = { .kind = SOA_CONTROL_CALLBACK, .function = steady, .context = wanted };
    soa_sim_setup setup = soa_sim_setup_default();
    soa_sim *sim = NULL;
    setup.method = method;
    setup.step = 1e-3;
    setup.actuators = 1;
    setup.actuator = actuator;
    setup.controllers = wanted ? 1 : 0;
    setup.controller = &push;
    ok(soa_sim_new(model, &setup, NULL, &sim, &error));
    return sim;
}

static double signal_of(soa_sim *sim, const char *name)
{
    const int i = soa_sim_signal_find(sim, name);
    assert_true(i >= 0);
    const double *value = soa_sim_signal_values(sim, &error);
    assert_non_null(value);
    return value[i];
}

static const soa_sim_method METHOD[] = { SOA_RK45, SOA_RK853, SOA_RK4, SOA_IMPLICIT };

/* A command of 4 through gear 10 and lag 0.1:  m = 0.4 (1 - e^(-t/0.1)), I v' = 10 m. */
static void a_lag_delays_the_torque(void **state)
{
    (void)state;
    soa_model *model = wheel();
    soa_actuator a = soa_actuator_default("motor", SOA_ACTUATOR_TORQUE);
    a.link = 0;
    a.gear = 10.0;
    a.lag = 0.1;
    for (size_t m = 0; m < sizeof METHOD / sizeof *METHOD; m++) {
        double wanted = 4.0;
        soa_sim *sim = make(model, &a, &wanted, METHOD[m]);
        ok(soa_sim_advance(sim, 0.3, &error));
        NEAR(signal_of(sim, "actuator.motor.torque"), 4.0 * (1.0 - exp(-3.0)), 1e-6);
        NEAR(signal_of(sim, "actuator.motor.command"), 0.4, 1e-12);
        NEAR(soa_sim_v(sim)[0], 8.0 * (0.3 - 0.1 * (1.0 - exp(-3.0))), 1e-6);
        soa_sim_report report;
        ok(soa_sim_report_get(sim, &report, &error));
        NEAR(report.drift, 0.0, 1e-6);
        NEAR(signal_of(sim, "work.actuator.motor"), report.work, 1e-14);
        soa_sim_free(sim);
    }
    soa_model_free(model);
}

/* At full command the torque falls with the speed:  I v' = g L (1 - g v / w)  so  v = w/g (1 - e^(-g^2 L t / (I w))). */
static void speed_limits_the_torque(void **state)
{
    (void)state;
    soa_model *model = wheel();
    soa_actuator a = soa_actuator_default("motor", SOA_ACTUATOR_TORQUE);
    a.link = 0;
    a.gear = 5.0;
    a.limit = 0.2;
    a.speed = 20.0;
    for (size_t m = 0; m < sizeof METHOD / sizeof *METHOD; m++) {
        double wanted = 1e3;
        soa_sim *sim = make(model, &a, &wanted, METHOD[m]);
        ok(soa_sim_advance(sim, 2.0, &error));
        NEAR(soa_sim_v(sim)[0], 4.0 * (1.0 - exp(-25.0 * 0.2 * 2.0 / (0.5 * 20.0))), 1e-7);
        soa_sim_free(sim);
    }
    soa_model_free(model);
}

/* A position servo is a damped oscillator:  I q'' = kp (1 - q) - kd q', here critically damped. */
static void servos_follow(void **state)
{
    (void)state;
    soa_model *model = wheel();
    const double zero = 0.0, one = 1.0;
    const soa_path to = { { 1, &zero, &one }, SOA_TIMING_LINEAR };
    for (size_t m = 0; m < sizeof METHOD / sizeof *METHOD; m++) {
        soa_actuator a = soa_actuator_default(NULL, SOA_ACTUATOR_POSITION);
        a.link = 0;
        a.kp = 50.0;
        a.kd = 10.0;
        a.gear = -3.0;
        a.reference = &to;
        soa_sim *sim = make(model, &a, NULL, METHOD[m]);
        ok(soa_sim_advance(sim, 0.4, &error));
        NEAR(soa_sim_q(sim)[0], 1.0 - exp(-4.0) * 5.0, 1e-6);
        soa_sim_free(sim);
        a.kind = SOA_ACTUATOR_VELOCITY;
        sim = make(model, &a, NULL, METHOD[m]);
        ok(soa_sim_advance(sim, 0.1, &error));
        NEAR(soa_sim_v(sim)[0], 1.0 - exp(-2.0), 1e-6);
        soa_sim_free(sim);
    }
    soa_model_free(model);
}

/* A lag much shorter than the step is as good as none. */
static void short_lags_take_long_steps(void **state)
{
    (void)state;
    soa_model *model = wheel();
    soa_actuator a = soa_actuator_default("motor", SOA_ACTUATOR_TORQUE);
    double wanted = 4.0;
    a.link = 0;
    a.lag = 1e-7;
    soa_sim *sim = make(model, &a, &wanted, SOA_IMPLICIT);
    ok(soa_sim_advance(sim, 0.3, &error));
    NEAR(soa_sim_v(sim)[0], 8.0 * 0.3, 1e-5);
    soa_sim_free(sim);
    soa_model_free(model);
}

/* A servo 1000 times stiffer than an explicit step of 1 ms bears: the implicit step knows its derivatives. */
static void stiff_servos_take_long_steps(void **state)
{
    (void)state;
    soa_model *model = wheel();
    const double zero = 0.0, one = 1.0;
    const soa_path to = { { 1, &zero, &one }, SOA_TIMING_LINEAR };
    soa_actuator a = soa_actuator_default(NULL, SOA_ACTUATOR_POSITION);
    a.link = 0;
    a.kp = 1e9;
    a.kd = 1e6;
    a.reference = &to;
    soa_sim *sim = make(model, &a, NULL, SOA_IMPLICIT);
    ok(soa_sim_advance(sim, 1.0, &error));
    NEAR(soa_sim_q(sim)[0], 1.0, 1e-6);
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

static void bad_actuators_are_refused(void **state)
{
    (void)state;
    soa_model *model = wheel();
    soa_sim_setup setup = soa_sim_setup_default();
    soa_actuator pair[2] = { soa_actuator_default("a", SOA_ACTUATOR_TORQUE),
        soa_actuator_default("b", SOA_ACTUATOR_TORQUE) };
    pair[0].link = pair[1].link = 0;
    setup.actuator = pair;
    setup.actuators = 2;
    refused(model, &setup, SOA_E_ARGUMENT);
    setup.actuators = 1;
    pair[0].gear = 0.0;
    refused(model, &setup, SOA_E_NUMBER);
    pair[0].gear = 1.0;
    pair[0].lag = -1.0;
    refused(model, &setup, SOA_E_NUMBER);
    pair[0].lag = 0.0;
    pair[0].speed = 3.0;
    refused(model, &setup, SOA_E_NUMBER);
    pair[0].speed = HUGE_VAL;
    pair[0].kp = -1.0;
    refused(model, &setup, SOA_E_NUMBER);
    pair[0].kp = 0.0;
    pair[0].kind = (soa_actuator_kind)99;
    refused(model, &setup, SOA_E_ARGUMENT);
    pair[0].kind = SOA_ACTUATOR_TORQUE;
    pair[0].link = 7;
    refused(model, &setup, SOA_E_JOINT);
    soa_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lag_delays_the_torque),
        cmocka_unit_test(speed_limits_the_torque),
        cmocka_unit_test(servos_follow),
        cmocka_unit_test(short_lags_take_long_steps),
        cmocka_unit_test(stiff_servos_take_long_steps),
        cmocka_unit_test(bad_actuators_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
