/* Methods of integration: their orders and tolerances, momenta and impulses, samples. */
#include "sim/checks.h"

enum { MOST = 64 };

static soa_sim *make(const soa_model *model, const soa_sim_setup *setup)
{
    soa_sim *sim = NULL;
    ok(soa_sim_new(model, setup, NULL, &sim, &error));
    return sim;
}

/* Random q and v that every test of a model shares. */
static void random_state(const soa_model *model, double *q, double *v)
{
    unsigned long long seed = 12;
    soa_random_configuration(model, &seed, q);
    for (int i = 0; i < soa_model_nv(model); i++) {
        v[i] = soa_model_random_number(&seed);
    }
}

/* The state after `seconds`. */
static void end_state(const soa_model *model, soa_sim_setup setup, double seconds, double *q, double *v)
{
    double q0[MOST], v0[MOST];
    random_state(model, q0, v0);
    setup.q = q0;
    setup.v = v0;
    soa_sim *sim = make(model, &setup);
    ok(soa_sim_advance(sim, seconds, &error));
    memcpy(q, soa_sim_q(sim), (size_t)soa_model_nq(model) * sizeof *q);
    memcpy(v, soa_sim_v(sim), (size_t)soa_model_nv(model) * sizeof *v);
    soa_sim_free(sim);
}

static double distance(const soa_model *model, const double *q, const double *v, const double *q1, const double *v1)
{
    double d[MOST], most = 0.0;
    soa_difference(model, q, q1, d);
    for (int i = 0; i < soa_model_nv(model); i++) {
        most = fmax(most, fmax(fabs(d[i]), fabs(v[i] - v1[i])));
    }
    return most;
}

static const char *const MODELS[] = { "arm7", "quadruped", "tree:6,4", "tree:6,3" };

/* Halving the step of a method of order p divides the error by 2^p. */
static void check_order(soa_sim_method method, double step, double order)
{
    for (size_t m = 0; m < sizeof MODELS / sizeof *MODELS; m++) {
        soa_model *model = builtin(MODELS[m]);
        double q[MOST], v[MOST], exact_q[MOST], exact_v[MOST], off[2];
        soa_sim_setup setup = soa_sim_setup_default();
        setup.method = SOA_RK853;
        setup.rtol = 1e-13;
        setup.atol = 1e-14;
        end_state(model, setup, 0.125, exact_q, exact_v);
        for (int i = 0; i < 2; i++) {
            setup.method = method;
            setup.step = step / (1 << i);
            end_state(model, setup, 0.125, q, v);
            off[i] = distance(model, exact_q, exact_v, q, v);
        }
        print_message("%s, %s: %.2e, %.2e, order %.2f\n", soa_sim_method_text(method), MODELS[m], off[0], off[1],
            log2(off[0] / off[1]));
        assert_true(log2(off[0] / off[1]) > order - 0.25);
        soa_model_free(model);
    }
}

static void orders_of_fixed_steps(void **state)
{
    (void)state;
    check_order(SOA_RK4, 1.0 / 256, 4.0);
    check_order(SOA_IMPLICIT, 1.0 / 256, 3.0);
    check_order(SOA_VARIATIONAL, 1.0 / 256, 2.0);
}

/* The adaptive methods stay near the tolerance, whatever it is, and agree. */
static void tolerances_are_kept(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof MODELS / sizeof *MODELS; m++) {
        soa_model *model = builtin(MODELS[m]);
        double q[MOST], v[MOST], exact_q[MOST], exact_v[MOST];
        soa_sim_setup setup = soa_sim_setup_default();
        setup.method = SOA_RK853;
        setup.rtol = 1e-13;
        setup.atol = 1e-14;
        end_state(model, setup, 0.25, exact_q, exact_v);
        for (int method = SOA_RK45; method <= SOA_RK853; method++) {
            for (double tolerance = 1e-6; tolerance > 1e-11; tolerance *= 1e-2) {
                setup.method = (soa_sim_method)method;
                setup.rtol = setup.atol = tolerance;
                end_state(model, setup, 0.25, q, v);
                const double off = distance(model, exact_q, exact_v, q, v);
                if (off > 200 * tolerance) {
                    fail_msg("%s %s %g: %g", MODELS[m], soa_sim_method_text(setup.method), tolerance, off);
                }
            }
        }
        soa_model_free(model);
    }
}

/* A torque-free body keeps energy and its momentum in the world; quaternions stay unit. */
static void free_body_keeps_momentum(void **state)
{
    (void)state;
    soa_model *model = builtin("satellite");
    soa_workspace *workspace;
    ok(soa_workspace_new(model, NULL, &workspace, &error));
    double q[MOST], v[MOST], before[12], after[12];
    random_state(model, q, v);
    soa_sim_setup setup = soa_sim_setup_default();
    setup.method = SOA_RK853;
    setup.q = q;
    setup.v = v;
    soa_sim *sim = make(model, &setup);
    ok(soa_momentum(model, workspace, 1, q, v, before, NULL, &error));
    ok(soa_sim_advance(sim, 10.0, &error));
    ok(soa_momentum(model, workspace, 1, soa_sim_q(sim), soa_sim_v(sim), after, NULL, &error));
    for (int i = 6; i < 12; i++) {
        assert_true(fabs(after[i] - before[i]) < 1e-7 * (1.0 + fabs(before[i])));
    }
    const double *w = soa_sim_q(sim);
    assert_true(fabs(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3] - 1.0) < 1e-15);
    soa_sim_report report;
    ok(soa_sim_report_get(sim, &report, &error));
    assert_true(fabs(report.drift) < 1e-8 * report.exchanged);
    soa_sim_free(sim);
    soa_workspace_free(workspace);
    soa_model_free(model);
}

/* The largest difference of the energy from the first one, over `count` steps from step `from` on. */
static double energy_error(soa_sim *sim, int from, int count)
{
    const int kinetic = soa_sim_signal_find(sim, "energy.kinetic");
    const int potential = soa_sim_signal_find(sim, "energy.potential");
    double most = 0.0;
    soa_sim_report report;
    ok(soa_sim_report_get(sim, &report, &error));
    for (int i = 1; i <= count; i++) {
        ok(soa_sim_advance(sim, 0.01 * (from + i), &error));
        const double *signal = soa_sim_signal_values(sim, &error);
        most = fmax(most, fabs(signal[kinetic] + signal[potential] - report.initial));
    }
    return most;
}

/* The momentum of everything, its angular part about the world's origin. */
static void momentum_of(const soa_model *model, soa_workspace *workspace, const double *q, const double *v, double m[6])
{
    double all[12];
    ok(soa_momentum(model, workspace, 1, q, v, all, NULL, &error));
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        m[i] = all[6 + i] + all[j] * all[9 + k] - all[k] * all[9 + j];
        m[3 + i] = all[9 + i];
    }
}

/* The variational method keeps the momentum of what floats to rounding, and its error of energy does not grow; that of
 * rk4 at the same step does. */
static void variational_steps_last(void **state)
{
    (void)state;
    soa_model *model = builtin("satellite");
    soa_workspace *workspace;
    ok(soa_workspace_new(model, NULL, &workspace, &error));
    double q[MOST], v[MOST], before[6], after[6], first[2], last[2];
    random_state(model, q, v);
    soa_sim_setup setup = soa_sim_setup_default();
    setup.bare = true;
    setup.q = q;
    setup.v = v;
    setup.step = 0.01;
    momentum_of(model, workspace, q, v, before);
    for (int i = 0; i < 2; i++) {
        setup.method = i == 0 ? SOA_VARIATIONAL : SOA_RK4;
        soa_sim *sim = make(model, &setup);
        first[i] = energy_error(sim, 0, 1000);
        ok(soa_sim_advance(sim, 190.0, &error));
        last[i] = energy_error(sim, 19000, 1000);
        if (i == 0) {
            momentum_of(model, workspace, soa_sim_q(sim), soa_sim_v(sim), after);
        }
        print_message("%s: energy off by %.2e in the first 1000 steps, %.2e in the last of 20000\n",
            soa_sim_method_text(setup.method), first[i], last[i]);
        soa_sim_free(sim);
    }
    for (int i = 0; i < 6; i++) {
        const double *whole = before + i / 3 * 3; /* the angular one, or the linear */
        const double size = sqrt(whole[0] * whole[0] + whole[1] * whole[1] + whole[2] * whole[2]);
        assert_true(fabs(after[i] - before[i]) < 1e-10 * size);
    }
    /* An error that grows with time would be twenty times as large; the motion is chaotic, so windows differ. */
    assert_true(last[0] < 5.0 * first[0] && last[1] > 5.0 * first[1]);
    soa_workspace_free(workspace);
    soa_model_free(model);
}

/* Samples between steps are those of a run that stops there. */
static void samples_do_not_depend_on_each_other(void **state)
{
    (void)state;
    soa_model *model = builtin("arm7");
    for (int method = 0; !soa_sim_method_outside((soa_sim_method)method); method++) {
        double q[MOST], v[MOST], q0[MOST], v0[MOST];
        soa_sim_setup setup = soa_sim_setup_default();
        setup.method = (soa_sim_method)method;
        setup.rtol = setup.atol = 1e-8;
        end_state(model, setup, 0.3, q, v);
        random_state(model, q0, v0);
        setup.q = q0;
        setup.v = v0;
        soa_sim *sim = make(model, &setup);
        for (int i = 1; i <= 30; i++) {
            ok(soa_sim_advance(sim, 0.01 * i, &error));
        }
        assert_true(distance(model, q, v, soa_sim_q(sim), soa_sim_v(sim)) < 1e-6);
        soa_sim_free(sim);
    }
    soa_model_free(model);
}

/* A fixed step fits a whole number of times: rounding takes no step more. */
static void rounding_takes_no_step(void **state)
{
    (void)state;
    soa_model *model = builtin("double-pendulum");
    soa_sim_setup setup = soa_sim_setup_default();
    soa_sim_report report;
    soa_sim *sim;
    setup.method = SOA_RK4;
    setup.step = 5e-5;
    ok(soa_sim_new(model, &setup, NULL, &sim, &error));
    for (int i = 1; i <= 100; i++) {
        ok(soa_sim_advance(sim, 0.01 * i, &error));
    }
    ok(soa_sim_report_get(sim, &report, &error));
    assert_int_equal(report.steps, 20000);
    soa_sim_free(sim);
    soa_model_free(model);
}

/* An impulse at the elbow is the change of Mass v there, and of nothing else. */
static void impulses_change_momenta(void **state)
{
    (void)state;
    soa_model *model = builtin("double-pendulum");
    soa_workspace *workspace;
    const soa_event event = { .value = 0.1, .action = SOA_ACTION_IMPULSE, .target = 1, .impulse = 0.3 };
    double q0[2], v0[2], q[2], before[2], Mass[4];
    soa_sim_setup setup = soa_sim_setup_default();
    end_state(model, setup, 0.1, q, before);
    random_state(model, q0, v0); /* from which that began */
    setup.q = q0;
    setup.v = v0;
    setup.events = 1;
    setup.event = &event;
    soa_sim *sim = make(model, &setup);
    ok(soa_sim_advance(sim, 0.1, &error));
    ok(soa_workspace_new(model, NULL, &workspace, &error));
    ok(soa_mass_matrix(model, workspace, 1, q, Mass, &error));
    const double dv[] = { soa_sim_v(sim)[0] - before[0], soa_sim_v(sim)[1] - before[1] };
    assert_true(fabs(Mass[0] * dv[0] + Mass[1] * dv[1]) < 1e-7);
    assert_true(fabs(Mass[2] * dv[0] + Mass[3] * dv[1] - 0.3) < 1e-7);
    soa_workspace_free(workspace);
    soa_sim_free(sim);
    soa_model_free(model);
}

/* Nothing tells how fast a system at rest will move, so its first step is 1e-6 s, and each next one six times as long; the same from zero, where
 * the state has no size. What moves begins with a hundredth of the time in which its state changes. */
static void first_steps_are_cautious(void **state)
{
    (void)state;
    static const struct {
        double q, v, gravity;
    } at[] = { { 1.0, 0.0, 0.0 }, { 0.0, 0.0, 9.0 }, { 1.0, 0.5, 0.0 } };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        soa_builder *b = soa_builder_new(NULL);
        soa_model *model = NULL;
        soa_link link = soa_link_default("slider", SOA_WORLD, SOA_PRISMATIC);
        soa_sim_setup setup = soa_sim_setup_default();
        soa_sim_report report;
        double total = 0.0, step = i < 2 ? 1e-6 : 0.01 * 1.0 / 0.5;
        long steps = 0;
        link.inertia.mass = 1.0;
        ok(soa_builder_add_link(b, &link, NULL, &error));
        soa_builder_set_gravity(b, (double[3]){ 0.0, 0.0, at[i].gravity });
        ok(soa_builder_finish(b, &model, &error));
        setup.q = &at[i].q, setup.v = &at[i].v;
        soa_sim *sim = make(model, &setup);
        ok(soa_sim_advance(sim, 1.0, &error));
        ok(soa_sim_report_get(sim, &report, &error));
        for (; total < 1.0 - 1e-12; total += step, step *= 6.0) {
            steps++;
        }
        assert_in_range(report.steps, steps - (i == 2), steps);
        soa_sim_free(sim);
        soa_model_free(model);
        soa_builder_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_steps_are_cautious),
        cmocka_unit_test(orders_of_fixed_steps),
        cmocka_unit_test(tolerances_are_kept),
        cmocka_unit_test(free_body_keeps_momentum),
        cmocka_unit_test(variational_steps_last),
        cmocka_unit_test(samples_do_not_depend_on_each_other),
        cmocka_unit_test(rounding_takes_no_step),
        cmocka_unit_test(impulses_change_momenta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
