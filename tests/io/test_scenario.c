/* Scenarios from files: the benchmark problems of examples/benchmarks against published and exact solutions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "soa/scenario.h"

#define BENCHMARKS SOA_SOURCE "/examples/benchmarks/"

typedef struct run {
    soa_scenario *scenario;
    soa_sim *sim;
    soa_sim_report report;
    soa_error error;
} run;

/* The scenario from its beginning to its end. */
static run run_of(const char *path)
{
    run r = { 0 };
    char message[1024];
    if (soa_scenario_load(path, NULL, &r.scenario, &r.error) != SOA_OK ||
        soa_sim_new(soa_scenario_model(r.scenario), soa_scenario_setup(r.scenario), NULL, &r.sim, &r.error) != SOA_OK ||
        soa_sim_advance(r.sim, soa_scenario_duration(r.scenario), &r.error) != SOA_OK ||
        soa_sim_report_get(r.sim, &r.report, &r.error) != SOA_OK) {
        fail_msg("%s", soa_error_message(&r.error, message, sizeof message));
    }
    print_message("%s: %ld steps, drift %.1e of %.2g J, violation %.1e\n", soa_scenario_name(r.scenario),
        r.report.steps, r.report.drift, r.report.exchanged, r.report.position);
    assert_true(fabs(r.report.drift) < 1e-8 * r.report.exchanged);
    assert_true(r.report.position < 1e-10);
    return r;
}

static void end(run *r)
{
    soa_sim_free(r->sim);
    soa_scenario_free(r->scenario);
}

static double joint(const run *r, const char *name)
{
    soa_body body;
    assert_int_equal(soa_model_find_body(soa_scenario_model(r->scenario), name, &body, NULL), SOA_OK);
    return soa_sim_q(r->sim)[body.q];
}

/* theta = 2 asin(k cd(w t, k)), k = sin(pi/4): evaluated with 30 digits. */
static void pendulum_is_elliptic(void **state)
{
    (void)state;
    run r = run_of(BENCHMARKS "a01-pendulum.yaml");
    assert_true(fabs(joint(&r, "hinge") + 0.278680673569982948) < 1e-8);
    end(&r);
}

/* The reference solution at 0.03 s of the test set of initial value problems (Mazzia and Magherini, 2008). */
static void squeezer_is_published(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double q;
    } published[] = { { "beta", 0.1581077119629904e2 }, { "theta", -0.1575637105984298e2 },
        { "gamma", 0.4082224013073101e-1 }, { "phi", -0.5347301163226948 }, { "delta", 0.5244099658805304 },
        { "omega", 0.5347301163226948 }, { "epsilon", 0.1048080741042263e1 } };
    run r = run_of(BENCHMARKS "a03-squeezer.yaml");
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        assert_true(fabs(joint(&r, published[i].name) - published[i].q) < 1e-8);
    }
    end(&r);
}

/* The largest change of energy that a recording of the scenario shows, with this setup. *q: where the joint ends. */
static double energy_error(soa_scenario *scenario, const soa_sim_setup *setup, double *q)
{
    soa_sim *sim;
    soa_error error;
    assert_int_equal(soa_sim_new(soa_scenario_model(scenario), setup, NULL, &sim, &error), SOA_OK);
    const int kinetic = soa_sim_signal_find(sim, "energy.kinetic"), potential = kinetic + 1;
    double first = 0.0, most = 0.0;
    for (int i = 0; i <= 200; i++) {
        const soa_status status = soa_sim_advance(sim, 0.05 * i, &error);
        const double *value = status == SOA_OK ? soa_sim_signal_values(sim, &error) : NULL;
        if (!value) {
            fail_msg("%s at t = %g: %s", soa_sim_method_text(setup->method), 0.05 * i, error.text);
        }
        first = i == 0 ? value[kinetic] + value[potential] : first;
        most = fmax(most, fabs(value[kinetic] + value[potential] - first));
    }
    *q = soa_sim_q(sim)[0];
    print_message(
        "%s by %s: energy within %.1e J\n", soa_scenario_name(scenario), soa_sim_method_text(setup->method), most);
    soa_sim_free(sim);
    return most;
}

/* A peer's results are published with the change of energy over the 10 s (OpenSim 3.2, Core i5-4570): ours is not larger. */
static void energy_is_as_published_or_better(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        double published; /* J */
    } problem[] = { { BENCHMARKS "a01-pendulum.yaml", 4e-11 }, { BENCHMARKS "a02-four-bars-2.yaml", 3e-7 },
        { BENCHMARKS "a04-bricard.yaml", 9e-7 } };
    for (size_t i = 0; i < sizeof problem / sizeof *problem; i++) {
        soa_scenario *scenario;
        double q;
        assert_int_equal(soa_scenario_load(problem[i].file, NULL, &scenario, NULL), SOA_OK);
        assert_true(energy_error(scenario, soa_scenario_setup(scenario), &q) < problem[i].published);
        soa_scenario_free(scenario);
    }
}

/* One of its rows is redundant, and only on the closures: every method gets through, roughly or finely, and agrees. */
static void bricard_by_every_method(void **state)
{
    (void)state;
    static const struct {
        soa_sim_method method;
        double rtol, step, energy, q;
    } way[] = { { SOA_RK853, 1e-12, 0.0, 1e-9, 1e-9 }, { SOA_RK853, 1e-6, 0.0, 1e-3, 1e-4 },
        { SOA_RK45, 1e-6, 0.0, 1e-3, 1e-4 }, { SOA_RK45, 1e-3, 0.0, 1.0, 1.0 }, { SOA_RK4, 0.0, 0.03, 1e-4, 1e-4 },
        { SOA_IMPLICIT, 0.0, 0.02, 1e-3, 1e-2 }, { SOA_STIFF, 1e-5, 0.0, 1e-3, 1e-2 } };
    soa_scenario *scenario;
    assert_int_equal(soa_scenario_load(BENCHMARKS "a04-bricard.yaml", NULL, &scenario, NULL), SOA_OK);
    double first = 0.0, q;
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        soa_sim_setup setup = *soa_scenario_setup(scenario);
        setup.method = way[i].method;
        setup.rtol = setup.atol = way[i].rtol;
        setup.step = way[i].step;
        assert_true(energy_error(scenario, &setup, &q) < way[i].energy);
        first = i == 0 ? q : first;
        assert_true(fabs(q - first) < way[i].q);
    }
    soa_scenario_free(scenario);
}

/* All loops are singular when the bars lie flat: they pass on their branch, and all rods stay parallel. */
static void four_bars_pass_singular_positions(void **state)
{
    (void)state;
    static const char *const file[] = { BENCHMARKS "a02-four-bars-2.yaml", BENCHMARKS "a02-four-bars-40.yaml" };
    static const char *const last[] = { "pivot2", "pivot40" };
    for (int i = 0; i < 2; i++) {
        run r = run_of(file[i]);
        assert_true(fabs(r.report.drift) < 1e-8 * r.report.exchanged);
        assert_int_equal(r.report.branches_changed, 0);
        assert_true(fabs(joint(&r, "pivot0") - joint(&r, last[i])) < 1e-9);
        end(&r);
    }
}

/* Every allocation that a scenario takes may fail. */
static void failing_allocations(void **state)
{
    (void)state;
    soa_error error;
    soa_scenario *scenario = NULL;
    for (int n = 0;; n++) {
        counting count;
        const soa_allocator allocator = counting_lack(&count, n);
        const soa_status status = soa_scenario_load(BENCHMARKS "a03-squeezer.yaml", &allocator, &scenario, &error);
        assert_int_equal(status == SOA_OK, count.refused == 0);
        soa_scenario_free(scenario);
        assert_int_equal(count.open, 0);
        if (status == SOA_OK) {
            break;
        }
        assert_int_equal(status, SOA_E_MEMORY);
        assert_null(scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_is_elliptic),
        cmocka_unit_test(squeezer_is_published),
        cmocka_unit_test(energy_is_as_published_or_better),
        cmocka_unit_test(bricard_by_every_method),
        cmocka_unit_test(four_bars_pass_singular_positions),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
