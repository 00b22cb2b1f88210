/* Many simulations moved at once: the bits of each are those it has alone, whatever acts on it. */
#include <stdio.h>

#include "sim/checks.h"

#include "counting.h"

enum { MOST = 64, RUNS = 21 };

typedef struct crew {
    soa_model *model, *other[RUNS]; /* other: of each run, or NULL */
    soa_sim *sim[RUNS], *alone[RUNS];
    counting blocks; /* that soa_sim_advance_all takes: alone none, together some */
} crew;

/* The model with other masses and gravity; links whose mass is that of their flexible data keep it. */
static soa_model *heavier(const soa_model *from, int i)
{
    const double gravity[3] = { 0.1 * i, 0.0, -9.81 };
    soa_builder *b = soa_builder_new(NULL);
    soa_model *made;
    soa_builder_set_gravity(b, gravity);
    ok(soa_builder_attach(b, from, NULL, SOA_WORLD, NULL, &error));
    for (int l = i % 2; l < soa_model_links(from); l += 2) {
        soa_link link = *soa_builder_link(b, l);
        if (!link.flexible) {
            link.inertia.mass *= 1.0 + 0.1 * i;
            link.inertia.com[0] += 0.01 * i;
            ok(soa_builder_set_link(b, l, &link, &error));
        }
    }
    ok(soa_builder_finish(b, &made, &error));
    soa_builder_free(b);
    return made;
}

/* Each simulation begins somewhere else, with another force and, if `varied`, another model. */
static void make_varied(crew *c, const char *name, soa_sim_setup setup, soa_force *force, bool varied)
{
    unsigned long long seed = 5;
    double q[MOST], v[MOST];
    const soa_allocator counted = counting_on(&c->blocks, COUNTING_PLENTY);
    ok(soa_model_builtin(name, NULL, &c->model, &error));
    if (force && force->link == SOA_WORLD) {
        force->link = force->a.link = soa_model_body(c->model, soa_model_bodies(c->model) - 1).link;
    }
    for (int i = 0; i < RUNS; i++) {
        soa_random_configuration(c->model, &seed, q);
        for (int k = 0; k < soa_model_nv(c->model); k++) {
            v[k] = soa_model_random_number(&seed);
        }
        setup.q = q;
        setup.v = v;
        setup.forces = force ? 1 : 0;
        setup.force = force;
        if (force) {
            force->damping = 0.01 * i;
        }
        c->other[i] = varied ? heavier(c->model, i) : NULL;
        const soa_model *model = varied ? c->other[i] : c->model;
        ok(soa_sim_new(model, &setup, &counted, &c->sim[i], &error));
        ok(soa_sim_new(model, &setup, NULL, &c->alone[i], &error));
    }
}

static void make(crew *c, const char *name, soa_sim_setup setup, soa_force *force)
{
    make_varied(c, name, setup, force, false);
}

static void end(crew *c)
{
    for (int i = 0; i < RUNS; i++) {
        soa_sim_free(c->sim[i]);
        soa_sim_free(c->alone[i]);
        soa_model_free(c->other[i]);
    }
    soa_model_free(c->model);
}

static void compare(crew *c, int i)
{
    const size_t signals = (size_t)soa_sim_signals(c->sim[i]);
    const double *together = soa_sim_signal_values(c->sim[i], &error);
    const double *alone = soa_sim_signal_values(c->alone[i], &error);
    assert_non_null(together);
    assert_non_null(alone);
    for (size_t k = 0; k < signals; k++) {
        if (memcmp(&together[k], &alone[k], sizeof *alone) != 0) {
            fail_msg(
                "run %d: %s is %.17g, alone %.17g", i, soa_sim_signal_name(c->sim[i], (int)k), together[k], alone[k]);
        }
    }
    soa_sim_report x, y;
    ok(soa_sim_report_get(c->sim[i], &x, &error));
    ok(soa_sim_report_get(c->alone[i], &y, &error));
    assert_int_equal(x.steps, y.steps);
    assert_int_equal(x.evaluations, y.evaluations);
    assert_true(x.drift == y.drift);
}

static bool has_lanes(const soa_model *model)
{
    soa_workspace *w;
    ok(soa_workspace_new(model, NULL, &w, &error));
    const bool lanes = soa_workspace_lanes(w) > 1;
    soa_workspace_free(w);
    return lanes;
}

/* Adds no torques, and counts how often it is asked: if lanes fail, all goes anew and alone. */
static soa_status count_calls(void *context, double t, const double *q, const double *v, double *T, soa_error *at_fault)
{
    (void)t, (void)q, (void)v, (void)T, (void)at_fault;
    ++*(long *)context;
    return SOA_OK;
}

static long calls;

/* Two stretches, the second from where the first has ended; the last step of each is shorter. */
static void go_as(crew *c, bool first, bool second)
{
    static const double until[] = { 0.0405, 0.1 };
    for (int part = 0; part < 2; part++) {
        soa_status status[RUNS];
        const int taken = c->blocks.taken;
        calls = 0;
        ok(soa_sim_advance_all(RUNS, c->sim, until[part], status, NULL));
        const long together = calls;
        assert_int_equal(c->blocks.taken > taken, (part == 0 ? first : second) && has_lanes(c->model));
        for (int i = 0; i < RUNS; i++) {
            ok(status[i]);
            ok(soa_sim_advance(c->alone[i], until[part], &error));
        }
        assert_int_equal(calls, 2 * together);
        for (int i = 0; i < RUNS; i++) {
            compare(c, i);
        }
    }
}

static void go(crew *c)
{
    go_as(c, true, true);
}

static soa_sim_setup rk4(void)
{
    soa_sim_setup setup = soa_sim_setup_default();
    setup.method = SOA_RK4;
    setup.step = 2e-3;
    return setup;
}

static void models_have_the_same_bits(void **state)
{
    (void)state;
    static const char *const name[] = { "double-pendulum", "arm7", "quadruped", "tree:9,3", "tree:12,8" };
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        crew c;
        make(&c, name[i], rk4(), NULL);
        go(&c);
        end(&c);
    }
}

/* Masses, centres and gravity may differ from run to run. */
static void masses_may_differ(void **state)
{
    (void)state;
    static const char *const name[] = { "double-pendulum", "quadruped", "tree:12,8", "flexible-chain:2,3" };
    const soa_controller counter = { .kind = SOA_CONTROL_CALLBACK, .function = count_calls, .context = &calls };
    soa_force force = soa_force_default("oil", SOA_FORCE_DRAG);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        crew c;
        soa_sim_setup setup = rk4();
        setup.controllers = i % 2 == 0 ? 0 : 1;
        setup.controller = &counter;
        setup.step = i == 3 ? 2e-4 : setup.step; /* beams have high frequencies */
        force.link = SOA_WORLD;
        make_varied(&c, name[i], setup, i % 2 == 0 ? NULL : &force, true);
        go(&c);
        end(&c);
    }
}

/* Models that differ in anything else go alone. */
static void other_lengths_go_alone(void **state)
{
    (void)state;
    crew c;
    soa_sim_setup setup = rk4();
    make(&c, "arm7", setup, NULL);
    soa_builder *b = soa_builder_new(NULL);
    ok(soa_builder_attach(b, c.model, NULL, SOA_WORLD, NULL, &error));
    soa_link link = *soa_builder_link(b, 3);
    link.joint.at.position[0] += 0.1;
    ok(soa_builder_set_link(b, 3, &link, &error));
    ok(soa_builder_finish(b, &c.other[5], &error));
    soa_builder_free(b);
    soa_sim_free(c.sim[5]);
    soa_sim_free(c.alone[5]);
    ok(soa_sim_new(c.other[5], &setup, NULL, &c.sim[5], &error));
    ok(soa_sim_new(c.other[5], &setup, NULL, &c.alone[5], &error));
    go_as(&c, false, false);
    end(&c);
}

static void forces_and_controllers_act(void **state)
{
    (void)state;
    const soa_force_kind kind[] = { SOA_FORCE_JOINT_DAMPER, SOA_FORCE_DRAG };
    for (int i = 0; i < 2; i++) {
        static const int link[] = { 3 };
        static const double gain[] = { 2.0 };
        const soa_controller pid = {
            .kind = SOA_CONTROL_PID, .joints = 1, .link = link, .kp = gain, .ki = gain, .kd = gain
        };
        soa_sim_setup setup = rk4();
        setup.controllers = 1;
        setup.controller = &pid;
        soa_force force = soa_force_default("oil", kind[i]);
        crew c;
        make(&c, "arm7", setup, &force);
        go(&c);
        end(&c);
    }
}

/* What cannot go in lanes goes alone: closures, events, a force that ends, another method. */
static void others_go_alone(void **state)
{
    (void)state;
    crew c;
    soa_sim_setup setup = rk4();
    const soa_event event = { .value = 0.05, .action = SOA_ACTION_RECORD };
    setup.events = 1;
    setup.event = &event;
    make(&c, "arm7", setup, NULL);
    go_as(&c, false, false);
    end(&c);
    soa_force force = soa_force_default("oil", SOA_FORCE_JOINT_DAMPER);
    force.to = 0.0333;
    make(&c, "arm7", rk4(), &force);
    go_as(&c, false, true);
    end(&c);
    make(&c, "arm7", soa_sim_setup_default(), NULL);
    go_as(&c, false, false);
    end(&c);
}

/* A run that fails does not disturb the others, and its error is that of the run alone. */
static void a_failure_is_its_own(void **state)
{
    (void)state;
    crew c;
    soa_status status[RUNS];
    soa_error errors[RUNS], own;
    soa_sim *bad = NULL;
    soa_sim_setup setup = rk4();
    setup.step = 2.0;
    make(&c, "double-pendulum", setup, NULL);
    const double q[] = { 1.0, 1.0 }, v[] = { 1e100, -1e100 };
    setup.q = q;
    setup.v = v;
    soa_sim_free(c.sim[3]);
    ok(soa_sim_new(c.model, &setup, NULL, &c.sim[3], &error));
    ok(soa_sim_new(c.model, &setup, NULL, &bad, &error));
    assert_int_not_equal(soa_sim_advance_all(RUNS, c.sim, 100.0, status, errors), SOA_OK);
    for (int i = 0; i < RUNS; i++) {
        if (i != 3) {
            assert_int_equal(status[i], soa_sim_advance(c.alone[i], 100.0, &error));
        }
    }
    assert_int_equal(soa_sim_advance(bad, 100.0, &own), status[3]);
    assert_string_equal(own.text, errors[3].text);
    assert_int_equal(soa_sim_advance_all(1, NULL, 1.0, status, NULL), SOA_E_ARGUMENT);
    soa_sim_free(bad);
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_have_the_same_bits),
        cmocka_unit_test(masses_may_differ),
        cmocka_unit_test(other_lengths_go_alone),
        cmocka_unit_test(forces_and_controllers_act),
        cmocka_unit_test(others_go_alone),
        cmocka_unit_test(a_failure_is_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
