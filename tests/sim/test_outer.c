/* An integrator from outside: the classical Runge-Kutta method, written here on what the simulation offers. */
#include <stdlib.h>

#include "sim/checks.h"

enum { MOST = 80 };
#define STEP 1e-3

typedef struct outer {
    soa_integration task;
    double t, y[MOST];         /* the front */
    double before, y0[MOST];   /* of the last step */
    double k[MOST], at[MOST];  /* scratch */
    int begun, projected, nqv; /* nqv: numbers that the projection may change */
} outer;

static outer only;

static soa_status make(const soa_integration *task, void **self, soa_error *e)
{
    (void)e;
    assert_true(task->size <= MOST && task->rate && task->project);
    only.task = *task;
    *self = &only;
    return SOA_OK;
}

static void release(void *self)
{
    (void)self;
}

static soa_status begin(void *self, double t, const double *y, soa_error *e)
{
    outer *o = self;
    (void)e;
    o->t = t;
    o->begun++;
    memcpy(o->y, y, (size_t)o->task.size * sizeof *y);
    return SOA_OK;
}

/* What is moved onto the closures is all of y: the state by a little, the work of the elements not at all. */
static void project(outer *o, soa_error *e)
{
    for (int i = 0; i < o->task.size; i++) {
        o->at[i] = NAN;
    }
    ok(o->task.project(o->task.context, o->t, o->y, o->at, e));
    for (int i = 0; i < o->task.size; i++) {
        assert_true(i < o->nqv ? fabs(o->at[i] - o->y[i]) < 1e-6 : o->at[i] == o->y[i]);
    }
    memcpy(o->y, o->at, (size_t)o->task.size * sizeof *o->y);
    o->projected++;
}

static soa_status step(void *self, double until, double *t, double *y, soa_error *e)
{
    static const double part[4] = { 0.0, 0.5, 0.5, 1.0 }, weight[4] = { 1.0, 2.0, 2.0, 1.0 };
    outer *o = self;
    const double h = fmin(STEP, until - o->t);
    memcpy(o->y0, o->y, sizeof o->y);
    memset(o->k, 0, sizeof o->k);
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < o->task.size; i++) {
            o->at[i] = o->y0[i] + h * part[stage] * o->k[i];
        }
        ok(o->task.rate(o->task.context, o->t + h * part[stage], o->at, o->k, e));
        for (int i = 0; i < o->task.size; i++) {
            o->y[i] += h / 6.0 * weight[stage] * o->k[i];
        }
    }
    o->before = o->t;
    *t = o->t = h < STEP ? until : o->t + h;
    project(o, e);
    memcpy(y, o->y, (size_t)o->task.size * sizeof *y);
    return SOA_OK;
}

static soa_status at(void *self, double t, double *y, soa_error *e)
{
    const outer *o = self;
    const double x = (t - o->before) / (o->t - o->before);
    (void)e;
    for (int i = 0; i < o->task.size; i++) {
        y[i] = (1.0 - x) * o->y0[i] + x * o->y[i];
    }
    return SOA_OK;
}

/* A platform on six legs sinks: integrated from outside it moves as by the method of high order, and its energy balances. */
static void loops_move_as_by_other_methods(void **state)
{
    (void)state;
    const soa_integrator mine = { make, release, begin, step, at };
    soa_model *model = NULL;
    soa_sim *sim[2] = { NULL, NULL };
    ok(soa_model_builtin("hexapod", NULL, &model, &error));
    const int nq = soa_model_nq(model), nv = soa_model_nv(model);
    soa_force damper = soa_force_default("damper", SOA_FORCE_JOINT_DAMPER);
    damper.link = soa_model_find_joint(model, "slide3");
    damper.damping = 50.0;
    soa_sim_setup setup = soa_sim_setup_default();
    setup.forces = 1;
    setup.force = &damper;
    only = (outer){ .nqv = nq + nv };
    for (int i = 0; i < 2; i++) {
        setup.method = i == 0 ? SOA_CVODE : SOA_RK853;
        setup.integrator = i == 0 ? &mine : NULL;
        setup.rtol = setup.atol = 1e-10;
        ok(soa_sim_new(model, &setup, NULL, &sim[i], &error));
        ok(soa_sim_advance(sim[i], 0.1, &error));
        soa_sim_report report;
        ok(soa_sim_report_get(sim[i], &report, &error));
        assert_true(report.work < -1e-3 && fabs(report.drift) < 1e-7 * report.exchanged);
    }
    assert_int_equal(only.task.size, nq + nv + 1);
    assert_true(only.projected >= 100 && only.begun >= 1);
    double moved = 0.0;
    for (int i = 0; i < nv; i++) {
        assert_true(fabs(soa_sim_v(sim[0])[i] - soa_sim_v(sim[1])[i]) < 1e-7);
        moved = fmax(moved, fabs(soa_sim_v(sim[0])[i]));
    }
    assert_true(moved > 0.1);
    soa_sim_free(sim[0]);
    soa_sim_free(sim[1]);
    soa_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(loops_move_as_by_other_methods) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
