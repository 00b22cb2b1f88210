/* Redundant and contradictory closures, and closures that come and go. */
#include "closure/kinds.h"
#include "counting.h"

/* Two closures that say the same, and two that contradict each other. */
static void redundant_and_contradictory(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 3, .systems = 1 };
    make_tree(&kit, 0, 12);
    kit_begin(&kit, NULL);
    kit_state(&kit);
    const int a = add_some(&kit, SOA_CLOSE_SPHERICAL);
    soa_closure again = *soa_closure_get(kit.set, a);
    again.name = "again";
    int b = -1;
    OK(&kit, soa_closure_add(kit.set, &again, 0, 0, &b, &kit.error));
    soa_closed closed;
    OK(&kit, soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, kit.T, NULL, kit.vdot, NULL, &closed, &kit.error));
    assert_int_equal(closed.rank, 3);
    assert_int_equal(closed.rows, 6);
    NEAR(3, soa_closure_multipliers(kit.set), soa_closure_multipliers(kit.set) + 3, 1e-9); /* they share */
    const double U[3] = { 0.0, 0.5, 0.0 };
    OK(&kit, soa_closure_set_motion(kit.set, b, NULL, NULL, U, &kit.error));
    const soa_status status =
        soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, kit.T, NULL, kit.vdot, NULL, &closed, &kit.error);
    assert_int_equal(status, SOA_E_CLOSURE);
    assert_non_null(strstr(kit.error.text, "'again'"));
    assert_non_null(strstr(kit.error.text, "'loop'"));
    assert_true(fabs(closed.inconsistency - 0.5) < 1e-9);
    kit_end(&kit);
}

/* ---- coming and going --------------------------------------------------------------------------------- */

/* Feet of a walking machine are set down and lifted; nothing is allocated, and with none it is the free motion. */
static void changing_feet(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 8, .systems = 1 };
    make_tree(&kit, 0, 14);
    counting c;
    const soa_allocator allocator = counting_on(&c, COUNTING_PLENTY);
    const soa_model *model = kit.model[0];
    const soa_closures_room room = { 4, 12, 0 };
    kit_begin(&kit, NULL);
    kit_state(&kit);
    soa_closures *set = NULL;
    OK(&kit, soa_closures_new(1, &model, &room, &allocator, &set, &kit.error));
    const int before = c.taken;
    double *free_vdot = calloc((size_t)kit.nv, sizeof *free_vdot);
    soa_workspace *w = NULL;
    OK(&kit, soa_workspace_new(model, NULL, &w, &kit.error));
    OK(&kit, soa_forward_dynamics(model, w, 1, kit.q, kit.v, kit.T, NULL, free_vdot, &kit.error));
    int foot[4];
    for (int i = 0; i < 4; i++) {
        soa_closure f = soa_closure_default("foot", SOA_CLOSE_POINT, soa_model_links(model) - 1 - i, SOA_WORLD);
        f.inactive = true;
        OK(&kit, soa_closure_add(set, &f, 0, 0, &foot[i], &kit.error));
    }
    const soa_closure more = soa_closure_default("fifth", SOA_CLOSE_POINT, 0, SOA_WORLD);
    assert_int_equal(soa_closure_add(set, &more, 0, 0, NULL, &kit.error), SOA_E_LIMIT);
    for (int n = 0; n < 16; n++) {
        for (int i = 0; i < 4; i++) {
            OK(&kit, soa_closure_enable(set, foot[i], n >> i & 1, &kit.error));
            OK(&kit, soa_closure_hold_here(set, foot[i], kit.q, &kit.error));
        }
        soa_closed closed;
        const soa_status status =
            soa_closed_forward_dynamics(set, 1, kit.q, kit.v, kit.T, NULL, kit.vdot, NULL, &closed, &kit.error);
        assert_true(status == SOA_OK || closed.rank < closed.rows);
        assert_int_equal(soa_closures_rows(set), 3 * ((n & 1) + (n >> 1 & 1) + (n >> 2 & 1) + (n >> 3 & 1)));
        if (n == 0) {
            NEAR(kit.nv, kit.vdot, free_vdot, 0.0);
        }
    }
    OK(&kit, soa_closure_remove(set, foot[1], &kit.error));
    assert_int_equal(soa_closure_remove(set, foot[1], &kit.error), SOA_E_ARGUMENT);
    OK(&kit, soa_closure_add(set, &more, 0, 0, &foot[0], &kit.error));
    assert_int_equal(foot[0], foot[1]);
    assert_int_equal(soa_closure_find(set, "fifth"), foot[0]);
    assert_int_equal(c.taken, before);
    soa_workspace_free(w);
    soa_closures_free(set);
    free(free_vdot);
    kit_end(&kit);
}

/* Every allocation of a set and of a partition may fail. */
static void memory_may_fail(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 8, .systems = 1 };
    make_tree(&kit, 0, 5);
    const soa_model *model = kit.model[0];
    bool done = false;
    for (int n = 0; !done && n < 200; n++) {
        counting c;
        const soa_allocator allocator = counting_lack(&c, n);
        soa_closures *set = NULL;
        soa_partition *partition = NULL;
        soa_status status = soa_closures_new(1, &model, NULL, &allocator, &set, &kit.error);
        if (status == SOA_OK) {
            status = soa_partition_new(set, &partition, &kit.error);
        }
        assert_int_equal(status, c.refused == 0 ? SOA_OK : SOA_E_MEMORY);
        done = status == SOA_OK;
        soa_partition_free(partition);
        soa_closures_free(set);
        assert_int_equal(c.open, 0);
    }
    assert_true(done);
    soa_model_free(kit.model[0]);
}

/* What is not valid is refused with a reason. */
static void refusals(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 8, .systems = 1 };
    make_tree(&kit, 0, 5);
    kit_begin(&kit, NULL);
    kit_state(&kit);
    soa_closure c = soa_closure_default("bad", SOA_CLOSE_RIGID, 1, 1);
    assert_int_equal(soa_closure_add(kit.set, &c, 0, 0, NULL, &kit.error), SOA_E_CLOSURE);
    c.b = 77;
    assert_int_equal(soa_closure_add(kit.set, &c, 0, 0, NULL, &kit.error), SOA_E_CLOSURE);
    c.b = SOA_WORLD;
    assert_int_equal(soa_closure_add(kit.set, &c, 3, 0, NULL, &kit.error), SOA_E_CLOSURE);
    c.kind = SOA_CLOSE_GENERAL;
    assert_int_equal(soa_closure_add(kit.set, &c, 0, 0, NULL, &kit.error), SOA_E_CLOSURE);
    c.kind = SOA_CLOSE_DISTANCE;
    assert_int_equal(soa_closure_add(kit.set, &c, 0, 0, NULL, &kit.error), SOA_E_CLOSURE);
    kit.v[0] = NAN;
    assert_int_equal(
        soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, kit.T, NULL, kit.vdot, NULL, NULL, &kit.error),
        SOA_E_NUMBER);
    assert_int_equal(
        soa_closures_set_tolerances(kit.set, &(soa_closure_tolerances){ .rank = 1.5 }, &kit.error), SOA_E_ARGUMENT);
    soa_closure_load load;
    assert_int_equal(soa_closure_force(kit.set, 9, &load, &kit.error), SOA_E_ARGUMENT);
    kit_end(&kit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redundant_and_contradictory),
        cmocka_unit_test(changing_feet),
        cmocka_unit_test(memory_may_fail),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
