/* Odd sets and arguments: nothing there, no memory, half a turn, links without mass. */
#include "closure/linkage.h"

/* ---- arguments ------------------------------------------------------------------------------------ */

static void nothing_given(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 3, .systems = 1 };
    const double bars[3] = { 1.0, 1.2, 0.9 };
    kit.model[0] = linkage(&kit, 3, bars, 1.5);
    kit_begin(&kit, NULL);
    soa_closures *set = kit.set;
    soa_error *e = &kit.error;
    double x[64];
    soa_redundancy r;
    const soa_status bad[] = {
        soa_closures_new(1, NULL, NULL, NULL, &set, e),
        soa_closure_add(NULL, NULL, 0, 0, NULL, e),
        soa_closure_add_coupling(kit.set, NULL, 0, 0, NULL, e),
        soa_closure_remove(NULL, 0, e),
        soa_closure_enable(NULL, 0, true, e),
        soa_closure_set_motion(NULL, 0, NULL, NULL, NULL, e),
        soa_closure_hold_here(NULL, 0, kit.q, e),
        soa_closure_violation(NULL, 1, kit.q, NULL, x, x, e),
        soa_closure_violation(kit.set, 1, NULL, NULL, x, x, e),
        soa_closure_jacobian(kit.set, 1, kit.q, NULL, e),
        soa_closure_jacobian_rate(kit.set, 1, kit.q, kit.v, NULL, e),
        soa_closure_jacobian_rate(kit.set, 1, NULL, kit.v, x, e),
        soa_closure_bias(kit.set, -1, kit.q, kit.v, x, e),
        soa_closure_bias(kit.set, 1, kit.q, kit.v, NULL, e),
        soa_closures_set_tolerances(NULL, NULL, e),
        soa_closures_redundancy(NULL, &r, e),
        soa_closures_redundancy(kit.set, NULL, e),
        soa_closed_forward_dynamics(NULL, 1, kit.q, NULL, NULL, NULL, x, NULL, NULL, e),
        soa_closed_forward_dynamics(kit.set, 1, NULL, NULL, NULL, NULL, x, NULL, NULL, e),
        soa_closed_forward_dynamics(kit.set, 1, kit.q, NULL, NULL, NULL, NULL, NULL, NULL, e),
        soa_closure_force(NULL, 0, NULL, e),
        soa_closure_project(NULL, SOA_METRIC_MASS, 0.0, 1, kit.q, NULL, NULL, e),
        soa_closure_project(kit.set, SOA_METRIC_MASS, 0.0, 1, NULL, NULL, NULL, e),
        soa_closure_project_from(kit.set, SOA_METRIC_MASS, 0.0, 1, NULL, kit.q, kit.v, NULL, e),
        soa_closed_inverse_dynamics(kit.set, 1, kit.q, NULL, NULL, NULL, NULL, NULL, NULL, e),
        soa_grasp_balance(kit.set, 0, 0, 1, kit.q, NULL, NULL, x, e),
        soa_grasp_split(kit.set, 0, 0, 1, kit.q, NULL, NULL, x, x, NULL, e),
        soa_closed_operational_inertia(kit.set, 1, NULL, 1, kit.q, x, NULL, e),
        soa_partition_new(NULL, NULL, e),
        soa_partition_system(NULL, 0, kit.q, NULL, NULL, NULL, e),
        soa_partition_closures(NULL, NULL, e),
        soa_partition_correct(NULL, 0, x, e),
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (bad[i] != SOA_E_ARGUMENT) {
            print_error("call %zu: %s\n", i, soa_status_text(bad[i]));
            fail();
        }
    }
    assert_true(soa_closures_systems(NULL) + soa_closures_nq(NULL) + soa_closures_nv(NULL) == 0);
    assert_true(soa_closures_count(NULL) + soa_closures_rows(NULL) == 0 && !soa_closure_enabled(NULL, 0));
    assert_true(!soa_closure_multipliers(NULL) && soa_closure_find(NULL, "x") == SOA_NONE && !soa_closure_get(NULL, 0));
    soa_closures_free(NULL);
    kit_end(&kit);
}

static void refused(closed_kit *kit, soa_status status, soa_status expected, const char *words)
{
    if (status != expected || !strstr(kit->error.text, words)) {
        fail_msg("%s: %s", soa_status_text(status), kit->error.text);
    }
}

/* What there is no room for, and numbers that closures cannot have. */
static void no_room(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 3, .systems = 1 };
    const double bars[3] = { 1.0, 1.2, 0.9 }, bad[6] = { 0.0, NAN };
    kit.model[0] = linkage(&kit, 3, bars, 1.5);
    const soa_model *model = kit.model[0];
    soa_closures *none = NULL;
    soa_closures_room room = { .closures = -1 };
    refused(&kit, soa_closures_new(1, &model, &room, NULL, &none, &kit.error), SOA_E_LIMIT, "room for at most 1000000");
    room = (soa_closures_room){ .closures = 40, .rows = 40 };
    kit_begin(&kit, &room);
    soa_closure c = soa_closure_default("more", SOA_CLOSE_RIGID, 1, SOA_WORLD);
    soa_partition *partition;
    int index;
    OK(&kit, soa_partition_new(kit.set, &partition, &kit.error));
    OK(&kit, soa_partition_system(partition, 0, kit.q, NULL, NULL, NULL, &kit.error));
    OK(&kit, soa_closure_add(kit.set, &c, 0, 0, &index, &kit.error));
    refused(&kit, soa_partition_closures(partition, NULL, &kit.error), SOA_E_CLOSURE,
        "was added after the partition was made");
    soa_partition_free(partition);
    refused(&kit, soa_closure_set_motion(kit.set, index, bad, NULL, NULL, &kit.error), SOA_E_CLOSURE,
        "a prescribed motion must be finite");
    refused(&kit, soa_closure_hold_here(kit.set, index, NULL, &kit.error), SOA_E_CLOSURE, "q is missing");
    refused(&kit, soa_closure_project(kit.set, SOA_METRIC_MASS, -1.0, 1, kit.q, NULL, NULL, &kit.error), SOA_E_ARGUMENT,
        "the tolerance of a projection is not negative");
    c.kind = SOA_CLOSE_SLIDING;
    for (int i = 0; i < 27; i++) {
        OK(&kit, soa_closure_add(kit.set, &c, 0, 0, NULL, &kit.error));
    }
    c.kind = SOA_CLOSE_RIGID;
    c.inactive = true;
    OK(&kit, soa_closure_add(kit.set, &c, 0, 0, &index, &kit.error));
    refused(&kit, soa_closure_enable(kit.set, index, true, &kit.error), SOA_E_LIMIT, "the set has room for 40 rows");
    kit_end(&kit);
    room.closures = room.rows = 60;
    kit.model[0] = linkage(&kit, 3, bars, 1.5);
    kit_begin(&kit, &room);
    c.kind = SOA_CLOSE_SLIDING;
    c.inactive = false;
    for (int i = 0; i < 33; i++) {
        OK(&kit, soa_closure_add(kit.set, &c, 0, 0, NULL, &kit.error));
    }
    refused(&kit, soa_closed_forward_dynamics(kit.set, 1, kit.q, NULL, NULL, NULL, kit.vdot, NULL, NULL, &kit.error),
        SOA_E_LIMIT, "at most 32 contacts may slide at a time");
    kit_end(&kit);
}

/* A box of 2 kg stands on a soft finger and is twisted by 0.5 N m: the bound of 0.01 m holds 0.1962 N m. */
static void a_soft_finger_slips(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 3, .systems = 1 };
    soa_builder *b = soa_builder_new(NULL);
    soa_link box = soa_link_default("box", SOA_WORLD, SOA_FREE);
    box.inertia = (soa_inertia){ 2.0, { 0.0, 0.0, 0.0 }, { 0.1, 0.0, 0.0, 0.1, 0.0, 0.1 } };
    OK(&kit, soa_builder_add_link(b, &box, NULL, &kit.error));
    soa_closure c = soa_closure_default("finger", SOA_CLOSE_SOFT_FINGER, 0, SOA_WORLD);
    c.friction = 0.5;
    c.twist = 0.01;
    OK(&kit, soa_builder_add_closure(b, &c, NULL, &kit.error));
    soa_builder_set_gravity(b, (const double[3]){ 0.0, 0.0, -9.81 });
    OK(&kit, soa_builder_finish(b, &kit.model[0], &kit.error));
    soa_builder_free(b);
    kit_begin(&kit, NULL);
    soa_model_neutral(kit.model[0], kit.q);
    soa_closure_load load;
    kit.T[2] = 0.5;
    OK(&kit, soa_closed_forward_dynamics(kit.set, 1, kit.q, NULL, kit.T, NULL, kit.vdot, NULL, NULL, &kit.error));
    OK(&kit, soa_closure_force(kit.set, 0, &load, &kit.error));
    assert_true(fabs(load.normal - 19.62) < 1e-12 && fabs(fabs(load.twist) - 0.5) < 1e-12);
    assert_true(fabs(load.cone_margin - (0.1962 - 0.5)) < 1e-12 && !load.holds);
    kit.T[2] = 0.1;
    OK(&kit, soa_closed_forward_dynamics(kit.set, 1, kit.q, NULL, kit.T, NULL, kit.vdot, NULL, NULL, &kit.error));
    OK(&kit, soa_closure_force(kit.set, 0, &load, &kit.error));
    assert_true(fabs(load.cone_margin - (0.1962 - 0.1)) < 1e-12 && load.holds);
    kit_end(&kit);
}

/* ---- memory ------------------------------------------------------------------------------------------ */

typedef struct limited {
    long left, taken;
} limited;

static void *take(void *user, size_t size)
{
    limited *l = user;
    if (l->left-- <= 0) {
        return NULL;
    }
    l->taken++;
    return aligned_alloc(64, (size + 63) / 64 * 64);
}

static void give(void *user, void *block)
{
    ((limited *)user)->taken -= block != NULL;
    free(block);
}

/* Every allocation in turn fails; with room for so much each array of the set is one by itself. */
static void no_memory(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 3, .systems = 1 };
    const double bars[3] = { 1.0, 1.2, 0.9 };
    kit.model[0] = linkage(&kit, 3, bars, 1.5);
    const soa_model *model = kit.model[0];
    const soa_closures_room room = { .closures = 4000, .rows = 20000, .bytes = 1 << 16 };
    limited memory = { 0, 0 };
    const soa_allocator allocator = { .allocate = take, .release = give, .context = &memory };
    soa_status status = SOA_E_MEMORY;
    long n = 0;
    for (; status != SOA_OK && n < 200; n++) {
        soa_closures *set = NULL;
        memory.left = n;
        status = soa_closures_new(1, &model, &room, &allocator, &set, &kit.error);
        assert_true(status == SOA_OK ? set != NULL : status == SOA_E_MEMORY && set == NULL);
        soa_closures_free(set);
        assert_true(memory.taken == 0);
    }
    assert_true(status == SOA_OK && n > 15);
    soa_model_free(kit.model[0]);
}

/* ---- half a turn --------------------------------------------------------------------------------------- */

/* A weld that is half a turn off, about any axis, says so. */
static void half_a_turn(void **state)
{
    (void)state;
    const double axes[][3] = { { 0.8, 0.5, 0.33 }, { 0.3, -0.9, 0.2 }, { 0.2, 0.4, 0.85 }, { -0.7, 0.1, 0.6 },
        { 1.0, 0.0, 0.0 }, { 0.0, 0.0, 1.0 } };
    for (size_t n = 0; n < sizeof axes / sizeof *axes; n++) {
        closed_kit kit = { .seed = 1, .systems = 1 };
        const double zero[3] = { 0.0, 0.0, 0.0 }, pi = 3.141592653589793;
        double axis[3], violation[6];
        const double length = sqrt(axes[n][0] * axes[n][0] + axes[n][1] * axes[n][1] + axes[n][2] * axes[n][2]);
        for (int i = 0; i < 3; i++) {
            axis[i] = axes[n][i] / length;
        }
        soa_builder *b = soa_builder_new(NULL);
        soa_link link = soa_link_default("body", SOA_WORLD, SOA_SPHERICAL);
        link.inertia = (soa_inertia){ 1.0, { 0.0, 0.0, 0.0 }, { 1.0, 0.0, 0.0, 1.0, 0.0, 1.0 } };
        OK(&kit, soa_builder_add_link(b, &link, NULL, &kit.error));
        soa_closure weld = soa_closure_default("weld", SOA_CLOSE_RIGID, 0, SOA_WORLD);
        weld.at_a = soa_pose_from_axis_angle(zero, axis, pi);
        OK(&kit, soa_builder_add_closure(b, &weld, NULL, &kit.error));
        OK(&kit, soa_builder_finish(b, &kit.model[0], &kit.error));
        soa_builder_free(b);
        kit_begin(&kit, NULL);
        soa_model_neutral(kit.model[0], kit.q);
        OK(&kit, soa_closure_violation(kit.set, 1, kit.q, NULL, violation, NULL, &kit.error));
        double along = 0.0;
        for (int i = 0; i < 3; i++) {
            along += violation[i] * axis[i];
        }
        for (int i = 0; i < 3; i++) {
            assert_true(fabs(violation[i] - along * axis[i]) < 1e-6);
        }
        assert_true(fabs(fabs(along) - pi) < 1e-6);
        kit_end(&kit);
    }
}

/* ---- odd models -------------------------------------------------------------------------------------------- */

/* A model without a body that moves, and a tree without closures. */
static void nothing_there(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 1, .systems = 1 };
    soa_builder *b = soa_builder_new(NULL);
    soa_link link = soa_link_default("rock", SOA_WORLD, SOA_FIXED);
    link.inertia.mass = 1.0;
    OK(&kit, soa_builder_add_link(b, &link, NULL, &kit.error));
    OK(&kit, soa_builder_finish(b, &kit.model[0], &kit.error));
    soa_builder_free(b);
    for (int n = 0; n < 2; n++) {
        soa_closed closed;
        soa_projection p;
        soa_redundancy r;
        if (n == 1) {
            soa_model_free(kit.model[0]);
            OK(&kit, soa_model_builtin("arm7", NULL, &kit.model[0], &kit.error));
        }
        kit_begin(&kit, NULL);
        soa_model_neutral(kit.model[0], kit.q);
        OK(&kit,
            soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, NULL, NULL, kit.vdot, NULL, &closed, &kit.error));
        assert_true(closed.rows == 0 && closed.rank == 0 && closed.condition == 1.0);
        OK(&kit, soa_closure_project(kit.set, SOA_METRIC_MASS, 0.0, 1, kit.q, kit.v, &p, &kit.error));
        OK(&kit, soa_closures_redundancy(kit.set, &r, &kit.error));
        assert_true(p.rank == 0 && r.rank == 0 && r.rows == 0 && !r.rounded);
        soa_closures_free(kit.set);
        free(kit.q);
    }
    soa_model_free(kit.model[0]);
}

/* ---- links without mass ------------------------------------------------------------------------------------- */

/* A four-bar whose coupler and rocker have no inertia: the crank alone is accelerated. With them of next to no mass
 * the accelerations are nearly the same. */
static soa_model *light_four_bar(closed_kit *kit, double mass)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    const double length[3] = { 0.3, 1.0, 0.8 };
    for (int i = 0; i < 3; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "bar%d", i);
        soa_link link = soa_link_default(name, i - 1, SOA_REVOLUTE);
        link.joint.at.position[0] = i == 0 ? 0.0 : length[i - 1];
        const double m = i == 0 ? 1.0 : mass;
        link.inertia = (soa_inertia){ m, { 0.1, 0.0, 0.0 }, { 0.01 * m, 0.0, 0.0, 0.02 * m, 0.0, 0.03 * m } };
        OK(kit, soa_builder_add_link(b, &link, NULL, &kit->error));
    }
    soa_closure c = soa_closure_default("ground", SOA_CLOSE_REVOLUTE, 2, SOA_WORLD);
    c.at_a.position[0] = length[2];
    c.at_b.position[0] = 1.1;
    OK(kit, soa_builder_add_closure(b, &c, NULL, &kit->error));
    soa_builder_set_gravity(b, (const double[3]){ 0.0, -9.8, 0.0 });
    OK(kit, soa_builder_finish(b, &model, &kit->error));
    soa_builder_free(b);
    return model;
}

static void massless_links(void **state)
{
    (void)state;
    double q[3] = { 0.4, 0.9, -2.0 }, vdot[2][3], lambda[2][5];
    for (int n = 0; n < 2; n++) {
        closed_kit kit = { .seed = 4, .systems = 1 };
        kit.model[0] = light_four_bar(&kit, n == 0 ? 1e-9 : 0.0);
        kit_begin(&kit, NULL);
        if (n == 0) {
            OK(&kit, soa_closure_project(kit.set, SOA_METRIC_IDENTITY, 0.0, 1, q, NULL, NULL, &kit.error));
        }
        const double v[3] = { 0.0, 0.0, 0.0 }, T[3] = { 0.5, 0.0, 0.0 };
        soa_closed closed;
        OK(&kit, soa_closed_forward_dynamics(kit.set, 1, q, v, T, NULL, vdot[n], NULL, &closed, &kit.error));
        assert_int_equal(closed.rank, 2);
        memcpy(lambda[n], soa_closure_multipliers(kit.set), sizeof lambda[n]);
        kit_end(&kit);
    }
    const double crank = (0.5 - 9.8 * 0.1 * cos(q[0])) / (0.03 + 0.01); /* about its pin, by itself */
    assert_true(fabs(vdot[1][0] - crank) < 1e-9 * fabs(crank));
    NEAR(3, vdot[1], vdot[0], 1e-6);
    NEAR(5, lambda[1], lambda[0], 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_given),
        cmocka_unit_test(no_room),
        cmocka_unit_test(a_soft_finger_slips),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(half_a_turn),
        cmocka_unit_test(nothing_there),
        cmocka_unit_test(massless_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
