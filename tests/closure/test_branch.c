/* A parallelogram that turns over and over passes its dead points on the branch on which it began. */
#include "closure/kit.h"

#define STEP 2e-3

/* Two cranks of length 0.5 on the world, a coupler of length 1 on the first, closed by a pin at the second; and, if wanted, a
 * wheel that has nothing to do with them. */
static soa_model *parallelogram(closed_kit *kit, bool wheel)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    for (int i = 0; i < 3; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "bar%d", i);
        soa_link link = soa_link_default(name, i == 1 ? 0 : SOA_WORLD, SOA_REVOLUTE);
        link.joint.at.position[0] = i == 0 ? 0.0 : i == 1 ? 0.5 : 1.0;
        link.inertia = (soa_inertia){ 1.0, { i == 1 ? 0.5 : 0.25, 0.0, 0.0 }, { 0.01, 0.0, 0.0, 0.02, 0.0, 0.03 } };
        OK(kit, soa_builder_add_link(b, &link, NULL, &kit->error));
    }
    if (wheel) {
        soa_link link = soa_link_default("wheel", SOA_WORLD, SOA_REVOLUTE);
        link.inertia = (soa_inertia){ 1.0, { 0.0, 0.0, 0.0 }, { 0.01, 0.0, 0.0, 0.02, 0.0, 0.03 } };
        OK(kit, soa_builder_add_link(b, &link, NULL, &kit->error));
    }
    soa_closure pin = soa_closure_default("pin", SOA_CLOSE_GENERAL, 1, 2);
    pin.at_a.position[0] = 1.0;
    pin.at_b.position[0] = 0.5;
    pin.rows = 2;
    pin.Q[0][3] = pin.Q[1][4] = 1.0;
    OK(kit, soa_builder_add_closure(b, &pin, NULL, &kit->error));
    soa_builder_set_gravity(b, (const double[3]){ 0.0, 0.0, -9.8 }); /* along the axes: energy is kinetic alone */
    OK(kit, soa_builder_finish(b, &model, &kit->error));
    soa_builder_free(b);
    return model;
}

/* A step by the rule of the middle. */
static void step(closed_kit *kit)
{
    double q[3], v[3];
    OK(kit, soa_closed_forward_dynamics(kit->set, 1, kit->q, kit->v, NULL, NULL, kit->vdot, NULL, NULL, &kit->error));
    for (int i = 0; i < 3; i++) {
        q[i] = kit->q[i] + 0.5 * STEP * kit->v[i];
        v[i] = kit->v[i] + 0.5 * STEP * kit->vdot[i];
    }
    OK(kit, soa_closed_forward_dynamics(kit->set, 1, q, v, NULL, NULL, kit->vdot, NULL, NULL, &kit->error));
    for (int i = 0; i < 3; i++) {
        kit->q[i] += STEP * v[i];
        kit->v[i] += STEP * kit->vdot[i];
    }
}

static void over_and_over(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 1, .systems = 1 };
    kit.model[0] = parallelogram(&kit, false);
    kit_begin(&kit, NULL);
    double energy = 0.0;
    soa_workspace *w = NULL;
    OK(&kit, soa_workspace_new(kit.model[0], NULL, &w, &kit.error));
    kit.q[0] = kit.q[2] = 0.7, kit.q[1] = -0.7;
    kit.v[0] = kit.v[2] = 3.0, kit.v[1] = -3.0;
    for (int n = 0; n < 4000; n++) { /* eight seconds: seven dead points */
        const double from[3] = { kit.q[0], kit.q[1], kit.q[2] };
        double now[2];
        soa_projection p;
        step(&kit);
        OK(&kit, soa_closure_project_from(kit.set, SOA_METRIC_MASS, 1e-10, 1, from, kit.q, kit.v, &p, &kit.error));
        assert_false(p.branch_changed);
        assert_true(fabs(sin(0.5 * (kit.q[0] - kit.q[2]))) < 1e-6); /* the cranks stay parallel */
        OK(&kit, soa_energy(kit.model[0], w, 1, kit.q, kit.v, now, &kit.error));
        energy = n == 0 ? now[0] : energy;
        assert_true(fabs(now[0] - energy) < 0.02 * energy);
    }
    assert_true(kit.q[0] > 20.0);
    soa_workspace_free(w);
    kit_end(&kit);
}

/* Past a dead point, nearer to the other branch: that is seen, and not taken; a wheel turns as far meanwhile. */
static void not_taken(double wheel)
{
    closed_kit kit = { .seed = 1, .systems = 1 };
    kit.model[0] = parallelogram(&kit, true);
    kit_begin(&kit, NULL);
    const double from[4] = { -0.02, 0.02, -0.02, 0.0 };
    /* the cranks turn against each other on the other branch: at a small angle x of the first, -3 x of the second */
    kit.q[0] = 0.01, kit.q[2] = kit.q[1] = -0.03, kit.q[3] = wheel;
    kit.v[0] = kit.v[2] = 1.0, kit.v[1] = -1.0, kit.v[3] = 30.0 * wheel;
    soa_projection p;
    OK(&kit, soa_closure_project_from(kit.set, SOA_METRIC_MASS, 1e-10, 1, from, kit.q, kit.v, &p, &kit.error));
    assert_true(p.branch_kept && !p.branch_changed);
    assert_true(fabs(kit.q[0] - kit.q[2]) < 1e-6 && kit.q[0] > -0.02);
    assert_true(fabs(kit.q[3] - wheel) < 1e-12);
    kit_end(&kit);
}

static void not_taken_alone(void **state)
{
    (void)state;
    not_taken(0.0);
}

/* Each loop is judged by its own motion. */
static void not_taken_beside_fast_motion(void **state)
{
    (void)state;
    not_taken(3.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(over_and_over),
        cmocka_unit_test(not_taken_alone),
        cmocka_unit_test(not_taken_beside_fast_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
