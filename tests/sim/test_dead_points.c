/* A parallelogram under gravity turns over and over: it passes its dead points on its branch and gains no energy. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soa/sim.h"

/* longer: what the base is longer than the bar. */
static soa_model *rounded_parallelogram(double gravity, double longer)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    soa_error error;
    for (int i = 0; i < 3; i++) {
        static const char *const name[] = { "crank", "bar", "follower" };
        soa_link link = soa_link_default(name[i], i == 1 ? 0 : SOA_WORLD, SOA_REVOLUTE);
        link.joint.name = name[i];
        link.joint.at.position[0] = 0.5 * i + (i == 2 ? longer : 0.0);
        link.inertia = (soa_inertia){ 1.0, { i == 1 ? 0.5 : 0.25, 0.0, 0.0 }, { 0.01, 0.0, 0.0, 0.02, 0.0, 0.03 } };
        assert_int_equal(soa_builder_add_link(b, &link, NULL, &error), SOA_OK);
    }
    soa_closure pin = soa_closure_default("pin", SOA_CLOSE_REVOLUTE, 1, 2);
    pin.at_a.position[0] = 1.0;
    pin.at_b.position[0] = 0.5;
    assert_int_equal(soa_builder_add_closure(b, &pin, NULL, &error), SOA_OK);
    soa_builder_set_gravity(b, (const double[3]){ 0.0, -gravity, 0.0 });
    assert_int_equal(soa_builder_finish(b, &model, &error), SOA_OK);
    soa_builder_free(b);
    return model;
}

static soa_model *parallelogram(double gravity)
{
    return rounded_parallelogram(gravity, 0.0);
}

static void keeps_branch_and_energy(void **state)
{
    (void)state;
    soa_model *model = parallelogram(9.81);
    static const double step[] = { 0.002, 0.01, 0.04 }, allowed[] = { 1e-6, 1e-4, 1e-2 };
    for (int i = 0; i < 3; i++) {
        soa_error error;
        soa_sim *sim = NULL;
        soa_sim_report report;
        soa_sim_setup setup = soa_sim_setup_default();
        setup.method = SOA_RK4;
        setup.step = step[i];
        setup.q = (const double[3]){ 0.7, -0.7, 0.7 };
        setup.v = (const double[3]){ 9.0, -9.0, 9.0 };
        assert_int_equal(soa_sim_new(model, &setup, NULL, &sim, &error), SOA_OK);
        assert_int_equal(soa_sim_advance(sim, 9.0, &error), SOA_OK);
        assert_int_equal(soa_sim_report_get(sim, &report, &error), SOA_OK);
        const double *q = soa_sim_q(sim);
        assert_true(q[0] > 60.0);                           /* twenty dead points */
        assert_true(fabs(sin(0.5 * (q[0] - q[2]))) < 1e-6); /* the cranks stay parallel */
        assert_true(fabs(report.drift) < allowed[i]);
        assert_int_equal(report.branches_changed, 0);
        soa_sim_free(sim);
    }
    soa_model_free(model);
}

/* The angle after 10 s of the pendulum that a parallelogram on its branch is:  inertia * angle'' = -moment cos(angle). */
static double pendulum(double gravity, double speed)
{
    const double inertia = 2.0 * (0.03 + 0.25 * 0.25) + 0.5 * 0.5, moment = gravity * (0.25 + 0.25 + 0.5), h = 1e-4;
    double q = 0.7, v = speed - 0.5 * h * moment / inertia * cos(q); /* in the middle of steps */
    for (int i = 0; i < 100000; i++) {
        q += h * v;
        v -= h * moment / inertia * cos(q);
    }
    return q;
}

/* Steps that adapt become so short at a dead point that they follow what is left of a violation around the corner. */
static void keeps_branch_with_short_steps(void **state)
{
    (void)state;
    static const struct {
        double gravity, speed, rtol;
        soa_sim_method method;
    } run[] = { { 9.81, 14.0, 1e-8, SOA_RK45 }, { 9.81, 9.0, 1e-8, SOA_RK45 }, { 9.81, 3.0, 1e-8, SOA_RK45 },
        { 9.81, 6.0, 1e-8, SOA_RK853 }, { 0.0, 14.0, 1e-8, SOA_RK45 }, { 9.81, 6.0, 1e-9, SOA_RK45 },
        { 9.81, 14.0, 1e-10, SOA_RK853 }, { 9.81, 30.0, 1e-11, SOA_RK45 }, { 9.81, 6.0, 1e-11, SOA_RK853 },
        { 9.81, 3.0, 1e-12, SOA_RK45 }, { 9.81, 9.0, 1e-12, SOA_RK853 } };
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        soa_model *model = parallelogram(run[i].gravity);
        const double w = run[i].speed;
        soa_error error;
        soa_sim *sim = NULL;
        soa_sim_report report;
        soa_sim_setup setup = soa_sim_setup_default();
        setup.method = run[i].method;
        setup.rtol = run[i].rtol;
        setup.atol = 1e-3 * run[i].rtol;
        setup.q = (const double[3]){ 0.7, -0.7, 0.7 };
        setup.v = (const double[3]){ w, -w, w };
        assert_int_equal(soa_sim_new(model, &setup, NULL, &sim, &error), SOA_OK);
        for (int k = 1; k <= 200; k++) {
            assert_int_equal(soa_sim_advance(sim, 0.05 * k, &error), SOA_OK);
            assert_true(fabs(soa_sim_q(sim)[0] - soa_sim_q(sim)[2]) < 1e-5); /* the cranks stay parallel */
        }
        assert_int_equal(soa_sim_report_get(sim, &report, &error), SOA_OK);
        assert_true(fabs(soa_sim_q(sim)[0] - pendulum(run[i].gravity, w)) < 2e-5);
        assert_true(fabs(report.drift) < fmax(5e-9, 20.0 * run[i].rtol) * report.exchanged);
        assert_int_equal(report.branches_changed, 0);
        assert_true(report.branches_kept > 5 || run[i].gravity == 0.0); /* then steps are as long as a turn */
        assert_true(report.steps < 5000);
        soa_sim_free(sim);
        soa_model_free(model);
    }
}

/* Lengths of links are rounded, so that branches pass each other at a distance e and no longer cross. Up to e = 1e-8 the
 * cranks turn on as if they crossed: the motion before the dead point tells where it goes while e is small beside the
 * tolerance, and otherwise the front is put back onto its branch behind the dead point. */
static void keeps_branch_with_rounded_lengths(void **state)
{
    (void)state;
    static const struct {
        double longer, rtol, drift;
        soa_sim_method method;
    } run[] = { { 5e-15, 1e-11, 1e-7, SOA_RK45 }, { 1e-14, 1e-11, 1e-7, SOA_RK853 }, { 1e-12, 1e-11, 1e-4, SOA_RK853 },
        { 1e-12, 1e-10, 1e-6, SOA_STIFF }, { 1e-10, 1e-8, 1e-4, SOA_RK45 }, { 1e-9, 1e-8, 1e-4, SOA_RK853 },
        { 1e-8, 1e-8, 1e-4, SOA_RK853 }, { -1e-8, 1e-10, 1e-5, SOA_RK45 } };
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        soa_model *model = rounded_parallelogram(9.81, run[i].longer);
        soa_error error;
        soa_sim *sim = NULL;
        soa_sim_report report;
        soa_sim_setup setup = soa_sim_setup_default();
        const bool stiff = run[i].method == SOA_STIFF; /* and slow */
        const double end = stiff ? 0.5 : 10.0;
        setup.method = run[i].method;
        setup.rtol = run[i].rtol;
        setup.atol = 1e-3 * run[i].rtol;
        setup.q = (const double[3]){ 0.7, -0.7, 0.7 };
        setup.v = (const double[3]){ 9.0, -9.0, 9.0 };
        setup.consistent = true;
        assert_int_equal(soa_sim_new(model, &setup, NULL, &sim, &error), SOA_OK);
        for (int k = 1; k <= 100; k++) {
            assert_int_equal(soa_sim_advance(sim, end * 0.01 * k, &error), SOA_OK);
            assert_true(fabs(soa_sim_q(sim)[0] - soa_sim_q(sim)[2]) < 2e-5);
        }
        assert_int_equal(soa_sim_report_get(sim, &report, &error), SOA_OK);
        assert_true(stiff || fabs(soa_sim_q(sim)[0] - pendulum(9.81, 9.0)) < 1e-4);
        assert_true(fabs(report.drift) < run[i].drift);
        assert_true(report.branches_kept > (stiff ? 0 : 20));
        assert_int_equal(report.branches_changed, 0);
        soa_sim_free(sim);
        soa_model_free(model);
    }
}

/* What is wider apart than rounding is a mechanism of its own: it follows its branch around the corner, keeps its energy,
 * and the report says that the cranks no longer turn alike. */
static void tells_of_changed_branches(void **state)
{
    (void)state;
    soa_model *model = rounded_parallelogram(9.81, 1e-6);
    soa_error error;
    soa_sim *sim = NULL;
    soa_sim_report report;
    soa_sim_setup setup = soa_sim_setup_default();
    setup.rtol = 1e-8;
    setup.atol = 1e-11;
    setup.q = (const double[3]){ 0.7, -0.7, 0.7 };
    setup.v = (const double[3]){ 9.0, -9.0, 9.0 };
    assert_int_equal(soa_sim_new(model, &setup, NULL, &sim, &error), SOA_E_CLOSURE); /* it would open */
    assert_non_null(
        strstr(error.text, "the initial state violates the closures: the nearest that does not is 3.8e-05 away"));
    setup.consistent = true;
    assert_int_equal(soa_sim_new(model, &setup, NULL, &sim, &error), SOA_OK);
    assert_int_equal(soa_sim_advance(sim, 0.5, &error), SOA_OK);
    assert_int_equal(soa_sim_report_get(sim, &report, &error), SOA_OK);
    assert_true(fabs(soa_sim_q(sim)[0] - soa_sim_q(sim)[2]) > 1.0);
    assert_int_equal(report.branches_changed, 1);
    assert_int_equal(report.branches_kept, 0);
    assert_true(fabs(report.drift) < 1e-5);
    soa_sim_free(sim);
    soa_model_free(model);
}

/* Positions between steps are on the branch too, where steps are long. */
static void keeps_branch_with_long_steps(void **state)
{
    (void)state;
    soa_model *model = parallelogram(9.81);
    for (int i = 0; i < 4; i++) {
        const double w = 3.0 + 4.0 * i;
        soa_error error;
        soa_sim *sim = NULL;
        soa_sim_report report;
        soa_sim_setup setup = soa_sim_setup_default();
        setup.method = SOA_RK853;
        setup.rtol = 1e-5;
        setup.atol = 1e-8;
        setup.q = (const double[3]){ 0.7, -0.7, 0.7 };
        setup.v = (const double[3]){ w, -w, w };
        assert_int_equal(soa_sim_new(model, &setup, NULL, &sim, &error), SOA_OK);
        for (int k = 1; k <= 500; k++) {
            assert_int_equal(soa_sim_advance(sim, 0.02 * k, &error), SOA_OK);
            assert_true(fabs(soa_sim_q(sim)[0] - soa_sim_q(sim)[2]) < 5e-3);
        }
        assert_int_equal(soa_sim_report_get(sim, &report, &error), SOA_OK);
        assert_true(fabs(soa_sim_q(sim)[0] - pendulum(9.81, w)) < 0.01);
        assert_int_equal(report.branches_changed, 0);
        soa_sim_free(sim);
    }
    soa_model_free(model);
}

/* ---- an integrator from outside -------------------------------------------------------------------------- */

enum { MOST_NUMBERS = 64 };

/* The classical Runge-Kutta method with steps of the largest length. */
typedef struct classical {
    soa_integration task;
    double t, y[MOST_NUMBERS], before, y_before[MOST_NUMBERS];
    int begun;
} classical;

static classical classical_self;

static soa_status classical_make(const soa_integration *task, void **self, soa_error *error)
{
    (void)error;
    assert_true(task->size <= MOST_NUMBERS);
    classical_self = (classical){ .task = *task };
    *self = &classical_self;
    return SOA_OK;
}

static void classical_free(void *self)
{
    ((classical *)self)->begun = -1;
}

static soa_status classical_begin(void *self, double t, const double *y, soa_error *error)
{
    classical *c = self;
    (void)error;
    c->t = t;
    c->begun++;
    memcpy(c->y, y, (size_t)c->task.size * sizeof *y);
    return SOA_OK;
}

static soa_status classical_over(classical *c, double t, const double *y, double h, double *to, soa_error *error)
{
    static const double at[] = { 0.0, 0.5, 0.5, 1.0 }, weight[] = { 1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0 };
    double k[MOST_NUMBERS] = { 0.0 }, x[MOST_NUMBERS], sum[MOST_NUMBERS] = { 0.0 };
    soa_status status = SOA_OK;
    for (int s = 0; s < 4 && status == SOA_OK; s++) {
        for (int i = 0; i < c->task.size; i++) {
            x[i] = y[i] + at[s] * h * k[i];
        }
        status = c->task.rate(c->task.context, t + at[s] * h, x, k, error);
        for (int i = 0; i < c->task.size; i++) {
            sum[i] += weight[s] * h * k[i];
        }
    }
    for (int i = 0; i < c->task.size; i++) {
        x[i] = y[i] + sum[i];
    }
    memcpy(to, x, (size_t)c->task.size * sizeof *to);
    return status == SOA_OK && c->task.project ? c->task.project(c->task.context, t + h, x, to, error) : status;
}

static soa_status classical_step(void *self, double until, double *t, double *y, soa_error *error)
{
    classical *c = self;
    const double h = fmin(c->task.largest, until - c->t);
    c->before = c->t;
    memcpy(c->y_before, c->y, sizeof c->y);
    const soa_status status = classical_over(c, c->t, c->y, h, c->y, error);
    *t = c->t += h;
    memcpy(y, c->y, (size_t)c->task.size * sizeof *y);
    return status;
}

static soa_status classical_at(void *self, double t, double *y, soa_error *error)
{
    classical *c = self;
    return classical_over(c, c->before, c->y_before, t - c->before, y, error);
}

static const soa_integrator CLASSICAL = { classical_make, classical_free, classical_begin, classical_step,
    classical_at };

/* An open chain moves as with the library's own Runge-Kutta method. */
static void outside_is_inside(void **state)
{
    (void)state;
    soa_model *model;
    soa_error error;
    double q[2][7];
    assert_int_equal(soa_model_builtin("arm7", NULL, &model, &error), SOA_OK);
    for (int i = 0; i < 2; i++) {
        soa_sim *sim = NULL;
        soa_sim_setup setup = soa_sim_setup_default();
        setup.method = i ? SOA_CVODE : SOA_RK4;
        setup.step = setup.largest = 1e-3;
        setup.integrator = &CLASSICAL;
        assert_int_equal(soa_sim_new(model, &setup, NULL, &sim, &error), SOA_OK);
        for (int k = 1; k <= 30; k++) { /* between steps too */
            assert_int_equal(soa_sim_advance(sim, 0.0107 * k, &error), SOA_OK);
        }
        memcpy(q[i], soa_sim_q(sim), sizeof q[i]);
        void *saved = malloc(soa_sim_saved_size(sim) + 1);
        assert_int_equal(soa_sim_save(sim, saved, &error), i ? SOA_E_UNSUPPORTED : SOA_OK);
        free(saved);
        soa_sim_free(sim);
    }
    for (int i = 0; i < 7; i++) {
        assert_true(fabs(q[0][i] - q[1][i]) < 1e-10);
    }
    assert_int_equal(classical_self.begun, -1);
    soa_model_free(model);
}

/* Short steps over dead points, on the branch and with the energy there was, by an integrator that knows of neither. */
static void keeps_branch_with_outside_steps(void **state)
{
    (void)state;
    soa_model *model = parallelogram(9.81);
    soa_error error;
    soa_sim *sim = NULL;
    soa_sim_report report;
    soa_sim_setup setup = soa_sim_setup_default();
    setup.method = SOA_ARKODE;
    setup.integrator = &CLASSICAL;
    setup.largest = 1e-3;
    setup.q = (const double[3]){ 0.7, -0.7, 0.7 };
    setup.v = (const double[3]){ 9.0, -9.0, 9.0 };
    assert_int_equal(soa_sim_new(model, &setup, NULL, &sim, &error), SOA_OK);
    assert_int_equal(soa_sim_advance(sim, 10.0, &error), SOA_OK);
    assert_int_equal(soa_sim_report_get(sim, &report, &error), SOA_OK);
    const double *q = soa_sim_q(sim);
    assert_true(fabs(sin(0.5 * (q[0] - q[2]))) < 1e-6);
    assert_true(fabs(q[0] - pendulum(9.81, 9.0)) < 1e-3);
    assert_int_equal(report.branches_changed, 0);
    assert_true(report.branches_kept > 20 && fabs(report.drift) < 1e-7);
    soa_sim_free(sim);
    soa_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_branch_and_energy),
        cmocka_unit_test(keeps_branch_with_short_steps),
        cmocka_unit_test(keeps_branch_with_rounded_lengths),
        cmocka_unit_test(tells_of_changed_branches),
        cmocka_unit_test(keeps_branch_with_long_steps),
        cmocka_unit_test(outside_is_inside),
        cmocka_unit_test(keeps_branch_with_outside_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
