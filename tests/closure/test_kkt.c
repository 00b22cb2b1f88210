/* Closed forward dynamics against the dense equations, on random systems with every kind of closure. */
#include "closure/kinds.h"

/* Ill-conditioned closures lose what their condition says. */
static double tolerance_for(const soa_closed *closed)
{
    return fmax(1e-9, 1e-15 * closed->condition);
}

static void compare(closed_kit *kit, bool may_contradict)
{
    const int rows = soa_closures_rows(kit->set);
    double *vdot = calloc((size_t)(kit->nv + rows) + 1, sizeof *vdot), *lambda = vdot + kit->nv;
    const int rank = dense_solve(kit, vdot, lambda);
    soa_closed closed;
    const soa_status status =
        soa_closed_forward_dynamics(kit->set, kit->q, kit->v, kit->T, NULL, kit->vdot, &closed, &kit->error);
    assert_int_equal(closed.rank, rank);
    assert_int_equal(closed.rows, rows);
    if (rank < rows && may_contradict) { /* rows with random motions depend on each other */
        assert_int_equal(status, SOA_E_CLOSURE);
        assert_non_null(strstr(kit->error.text, "'loop'"));
        assert_true(isfinite(largest(kit->nv, kit->vdot)));
        free(vdot);
        return;
    }
    OK(kit, status);
    NEAR(kit->nv, kit->vdot, vdot, tolerance_for(&closed));
    NEAR(rows, soa_closure_multipliers(kit->set), lambda, tolerance_for(&closed));
    free(vdot);
}

static void random_systems(void **state)
{
    (void)state;
    for (int n = 0; n < 500; n++) {
        closed_kit kit = { .seed = 100ull + (unsigned)n, .systems = 1 + n % 4 };
        for (int s = 0; s < kit.systems; s++) {
            make_tree(&kit, s, 2 + some_of(&kit, 24 / kit.systems));
        }
        kit_begin(&kit, NULL);
        kit_state(&kit);
        const int closures = 1 + some_of(&kit, 5);
        for (int i = 0; i < closures; i++) {
            const soa_closure_kind kind = (soa_closure_kind)((n + i) % SOA_CLOSURE_KINDS);
            if (soa_closures_rows(kit.set) + 7 < kit.nv) {
                const int closure = add_some(&kit, kind == SOA_CLOSE_SLIDING ? SOA_CLOSE_PLANE : kind);
                if (closure >= 0) {
                    move_some(&kit, closure);
                }
            }
            if (i == 2) {
                couple_some(&kit);
            }
        }
        compare(&kit, true);
        kit_end(&kit);
    }
}

/* l arms hold an object by contacts of one kind; once more the first contact, so rows depend on each other. */
static void arms_hold_an_object(void **state)
{
    (void)state;
    const soa_closure_kind kinds[] = { SOA_CLOSE_RIGID, SOA_CLOSE_REVOLUTE, SOA_CLOSE_LINE, SOA_CLOSE_SOFT_FINGER,
        SOA_CLOSE_POINT, SOA_CLOSE_SPHERICAL };
    for (int n = 0; n < 60; n++) {
        const int arms = 2 + n % 5;
        closed_kit kit = { .seed = 9000ull + (unsigned)n, .systems = arms + 1 };
        for (int s = 0; s < arms; s++) {
            OK(&kit, soa_model_builtin("arm7", NULL, &kit.model[s], &kit.error));
        }
        make_tree(&kit, arms, 1 + n % 3);
        soa_model *object = kit.model[arms];
        kit.model[arms] = NULL;
        if (soa_model_free_base(object, &kit.model[arms], &kit.error) != SOA_OK) {
            kit.model[arms] = object;
        } else {
            soa_model_free(object);
        }
        kit_begin(&kit, NULL);
        kit_state(&kit);
        for (int s = 0; s < arms; s++) {
            soa_closure c = soa_closure_default("grip", kinds[n % 6], soa_model_links(kit.model[s]) - 1,
                some_of(&kit, soa_model_links(kit.model[arms])));
            c.at_a = some_pose(&kit, 0.1);
            c.at_b = some_pose(&kit, 0.3);
            for (int twice = 0; twice < (s == 0 ? 2 : 1); twice++) {
                OK(&kit, soa_closure_add(kit.set, &c, s, arms, NULL, &kit.error));
            }
        }
        compare(&kit, false);
        kit_end(&kit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems),
        cmocka_unit_test(arms_hold_an_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
