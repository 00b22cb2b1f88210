/* How the work grows: arms that hold one object, and a ladder of loops. Counted in bytes of rows that travel. */
#include "closure/closure.h"
#include "closure/kit.h"

/* l arms of seven joints and a free object, joined rigidly. */
static size_t arms_bytes(int arms)
{
    closed_kit kit = { .seed = 3, .systems = 1 };
    soa_model *arm = NULL;
    soa_builder *b = soa_builder_new(NULL);
    OK(&kit, soa_model_builtin("arm7", NULL, &arm, &kit.error));
    for (int i = 0; i < arms; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "arm%d", i);
        const soa_pose at = some_pose(&kit, 1.0);
        OK(&kit, soa_builder_attach(b, arm, name, SOA_WORLD, &at, &kit.error));
    }
    soa_link object = soa_link_default("object", SOA_WORLD, SOA_FREE);
    object.inertia = (soa_inertia){ 5.0, { 0.0, 0.0, 0.0 }, { 0.2, 0.0, 0.0, 0.2, 0.0, 0.2 } };
    int held = 0;
    OK(&kit, soa_builder_add_link(b, &object, &held, &kit.error));
    OK(&kit, soa_builder_finish(b, &kit.model[0], &kit.error));
    soa_builder_free(b);
    const int links = soa_model_links(arm);
    soa_model_free(arm);
    const soa_closures_room room = { arms, 6 * arms, 0 };
    kit_begin(&kit, &room);
    kit_state(&kit);
    for (int i = 0; i < arms; i++) {
        soa_closure c = soa_closure_default("grip", SOA_CLOSE_RIGID, links * (i + 1) - 1, held);
        c.at_b = some_pose(&kit, 0.3);
        OK(&kit, soa_closure_add(kit.set, &c, 0, 0, NULL, &kit.error));
    }
    soa_closed closed;
    OK(&kit, soa_closed_forward_dynamics(kit.set, kit.q, kit.v, kit.T, NULL, kit.vdot, &closed, &kit.error));
    assert_int_equal(closed.rank, 6 * arms);
    assert_true(closed.eliminated >= 6 * arms - 18); /* nearly all are solved at the object */
    const size_t bytes = kit.set->stack.used;
    kit_end(&kit);
    return bytes;
}

static void arms_cost_the_same_each(void **state)
{
    (void)state;
    const double few = (double)arms_bytes(4) / 4.0, many = (double)arms_bytes(128) / 128.0;
    assert_true(many < 1.5 * few);
}

static soa_link bar(const char *name, int parent, double x, double z)
{
    soa_link link = soa_link_default(name, parent, SOA_REVOLUTE);
    link.joint.name = name;
    link.joint.axis[1] = 1.0, link.joint.axis[2] = 0.0;
    link.joint.at.position[0] = x, link.joint.at.position[2] = z;
    link.inertia = (soa_inertia){ 1.0, { 0.0, 0.0, 0.25 }, { 0.05, 0.0, 0.0, 0.05, 0.0, 0.05 } };
    return link;
}

/* Rungs on left rails, right rails hanging from the rungs and closed to the rung below: planar in space, so that
 * three of the five rows of each loop depend on the others. */
static size_t ladder_bytes(int loops)
{
    closed_kit kit = { .seed = 3, .systems = 1 };
    soa_builder *b = soa_builder_new(NULL);
    int below = SOA_WORLD;
    for (int k = 0; k < loops; k++) {
        char name[16];
        int left = 0, rung = 0, right = 0;
        (void)snprintf(name, sizeof name, "left%d", k);
        soa_link link = bar(name, below, 0.0, 0.0);
        OK(&kit, soa_builder_add_link(b, &link, &left, &kit.error));
        (void)snprintf(name, sizeof name, "rung%d", k);
        link = bar(name, left, 0.0, 0.5);
        OK(&kit, soa_builder_add_link(b, &link, &rung, &kit.error));
        (void)snprintf(name, sizeof name, "right%d", k);
        link = bar(name, rung, 0.6, 0.0);
        OK(&kit, soa_builder_add_link(b, &link, &right, &kit.error));
        soa_closure c = soa_closure_default("pin", SOA_CLOSE_REVOLUTE, right, below);
        const double x[3] = { 1.0, 0.0, 0.0 }, foot[3] = { 0.0, 0.0, -0.5 }, end[3] = { 0.6, 0.0, 0.0 };
        c.at_a = soa_pose_from_axis_angle(foot, x, -1.5707963267948966);
        c.at_b = soa_pose_from_axis_angle(end, x, -1.5707963267948966);
        OK(&kit, soa_builder_add_closure(b, &c, NULL, &kit.error));
        below = rung;
    }
    OK(&kit, soa_builder_finish(b, &kit.model[0], &kit.error));
    soa_builder_free(b);
    kit_begin(&kit, NULL);
    for (int i = 0; i < kit.nv; i++) {
        kit.q[i] = i % 3 == 1 ? -0.01 : 0.01;
        kit.T[i] = some(&kit);
    }
    soa_closed closed;
    OK(&kit, soa_closed_forward_dynamics(kit.set, kit.q, kit.v, kit.T, NULL, kit.vdot, &closed, &kit.error));
    assert_int_equal(closed.rank, 2 * loops);
    assert_int_equal(closed.rows, 5 * loops);
    double *missed = calloc((size_t)closed.rows, sizeof *missed);
    const soa_closed_input in = { .q = kit.q, .v = kit.v };
    kit.set->table->locate(kit.set, &in);
    kit.set->table->accelerate(kit.set, &in, kit.vdot, missed);
    assert_true(largest(closed.rows, missed) < 1e-9 * fmax(1.0, largest(kit.nv, kit.vdot)));
    free(missed);
    const size_t bytes = kit.set->stack.used;
    kit_end(&kit);
    return bytes;
}

static void a_ladder_is_linear(void **state)
{
    (void)state;
    const double few = (double)ladder_bytes(50) / 50.0, many = (double)ladder_bytes(1000) / 1000.0;
    assert_true(many < 1.2 * few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arms_cost_the_same_each),
        cmocka_unit_test(a_ladder_is_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
