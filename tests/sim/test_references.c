/* Motions known to 18 digits: a double pendulum and a free body, whose equations were written down by hand and integrated
 * with 30 digits (mpmath, Taylor series); the stiff governor of A05 by its
 * Lagrange equations in two angles and one height, classical Runge-Kutta steps of 2e-5 s. */
#include "sim/checks.h"

#include "soa/io.h"
#include "soa/scenario.h"

static soa_model *model_of(const char *text)
{
    soa_model *model = NULL;
    ok(soa_load_text(SOA_YAML, text, strlen(text), "text", NULL, &model, &error));
    return model;
}

/* Runs to `t` with a tolerance of 1e-13 and compares the state, q then v, with what is known. */
static void check(const soa_model *model, const double *q0, const double *v0, double t, const double *known)
{
    const int nq = soa_model_nq(model), nv = soa_model_nv(model);
    soa_sim_setup setup = soa_sim_setup_default();
    soa_sim *sim = NULL;
    setup.method = SOA_RK853;
    setup.rtol = setup.atol = 1e-13;
    setup.q = q0;
    setup.v = v0;
    ok(soa_sim_new(model, &setup, NULL, &sim, &error));
    ok(soa_sim_advance(sim, t, &error));
    for (int i = 0; i < nq + nv; i++) {
        const double is = i < nq ? soa_sim_q(sim)[i] : soa_sim_v(sim)[i - nq];
        if (!(fabs(is - known[i]) < 1e-10)) {
            fail_msg("number %d is %.17g, not %.17g", i, is, known[i]);
        }
    }
    soa_sim_free(sim);
}

static void double_pendulum(void **state)
{
    (void)state;
    soa_model *model = model_of("soa: 1\nname: double\ngravity: [0, -9.81, 0]\nlinks:\n"
                                "  - {name: one, joint: {name: a, type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
                                "     com: [0, -1, 0], inertia: [0, 0, 0, 0, 0, 0]}\n"
                                "  - {name: two, parent: one, joint: {name: b, type: revolute, axis: [0, 0, 1],\n"
                                "     at: {xyz: [0, -1, 0]}}, mass: 0.5, com: [0, -0.7, 0],\n"
                                "     inertia: [0, 0, 0, 0, 0, 0]}\n");
    check(model, (const double[]){ 1.0, 0.5 }, (const double[]){ 0.0, 0.0 }, 5.0,
        (const double[]){ 1.01167350999962867, 0.43170408173630117, 0.269615165189705305, -0.351073486509629309 });
    soa_model_free(model);
}

/* A body that turns near its middle axis, which is unstable. */
static void free_body(void **state)
{
    (void)state;
    soa_model *model = model_of("soa: 1\nname: stone\ngravity: [0, 0, 0]\nlinks:\n"
                                "  - {name: stone, joint: {name: ball, type: spherical}, mass: 1, com: [0, 0, 0],\n"
                                "     inertia: [1, 0, 0, 2, 0, 2.5]}\n");
    check(model, (const double[]){ 1, 0, 0, 0 }, (const double[]){ 0.1, 2.0, 0.05 }, 20.0,
        (const double[]){ -0.946206515830937021, -0.0179751266085982137, -0.323030042445146405, -0.00466003222848358199,
            0.0844605037393901559, 2.0010746200384764, 0.014382675464920663 });
    soa_model_free(model);
}

static void stiff_governor(void **state)
{
    (void)state;
    soa_scenario *scenario = NULL;
    soa_sim *sim = NULL;
    ok(soa_scenario_load(SOA_SOURCE "/examples/benchmarks/a05-governor.yaml", NULL, &scenario, &error));
    soa_sim_setup setup = *soa_scenario_setup(scenario);
    setup.step = 0.001;
    ok(soa_sim_new(soa_scenario_model(scenario), &setup, NULL, &sim, &error));
    ok(soa_sim_advance(sim, 10.0, &error));
    assert_true(fabs(soa_sim_q(sim)[1] - 0.6196229170613773) < 1e-7);
    assert_true(fabs(soa_sim_q(sim)[2] - 0.3900737018446348) < 1e-7);
    assert_true(fabs(soa_sim_v(sim)[2] - 0.8084670513456663) < 1e-6);
    soa_sim_free(sim);
    soa_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(free_body),
        cmocka_unit_test(stiff_governor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
