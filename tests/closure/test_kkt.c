/* Closed forward dynamics against the dense equations, on random systems with every kind of closure. */
#include "closure/kinds.h"

#define TOLERANCE 1e-9

/* Of multipliers. Where the smallest independent row is a millionth of the largest and others depend on it, A Lambda A*
 * in double precision does not know its share of the load better. */
static double multiplier_tolerance(const soa_closed *closed)
{
    return closed->rank < closed->rows && closed->condition > 1e6 ? 1e-8 : TOLERANCE;
}

/* Motions of the closures such that some acceleration satisfies all of them. */
static void make_consistent(closed_kit *kit)
{
    const int rows = soa_closures_rows(kit->set);
    double *J = calloc((size_t)rows * (size_t)kit->nv + (size_t)rows + 1, sizeof *J), *U = J + rows * kit->nv;
    for (int i = 0; i < soa_closures_count(kit->set); i++) {
        OK(kit, soa_closure_set_motion(kit->set, i, NULL, NULL, NULL, &kit->error));
    }
    OK(kit, soa_closure_jacobian(kit->set, 1, kit->q, J, &kit->error));
    OK(kit, soa_closure_bias(kit->set, 1, kit->q, kit->v, U, &kit->error));
    for (int k = 0; k < kit->nv; k++) {
        const double x = some(kit);
        for (int r = 0; r < rows; r++) {
            U[r] += J[r * kit->nv + k] * x;
        }
    }
    for (int i = 0; i < soa_closures_count(kit->set); i++) {
        const double *own = U + soa_closure_first_row(kit->set, i);
        OK(kit, soa_closure_set_motion(kit->set, i, NULL, NULL, own, &kit->error));
    }
    free(J);
}

/* Returns whether rows depend on each other and contradict. */
static bool compare(closed_kit *kit)
{
    const int rows = soa_closures_rows(kit->set);
    double *vdot = calloc((size_t)(kit->nv + rows) + 1, sizeof *vdot), *lambda = vdot + kit->nv;
    const int rank = dense_solve(kit, vdot, lambda);
    soa_closed closed;
    const soa_status status =
        soa_closed_forward_dynamics(kit->set, 1, kit->q, kit->v, kit->T, NULL, kit->vdot, NULL, &closed, &kit->error);
    assert_int_equal(closed.rank, rank);
    assert_int_equal(closed.rows, rows);
    const bool contradict = status == SOA_E_CLOSURE;
    if (contradict) {
        assert_true(rank < rows);
        assert_non_null(strstr(kit->error.text, "'loop'"));
        assert_true(isfinite(largest(kit->nv, kit->vdot)));
    } else {
        OK(kit, status);
        NEAR(kit->nv, kit->vdot, vdot, TOLERANCE);
        NEAR(rows, soa_closure_multipliers(kit->set), lambda, multiplier_tolerance(&closed));
    }
    free(vdot);
    return contradict;
}

static void random_systems(void **state)
{
    (void)state;
    int redundant = 0;
    for (int n = 0; n < 200; n++) {
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
        if (compare(&kit)) { /* random motions of rows that depend on each other: those that fit once more */
            make_consistent(&kit);
            assert_false(compare(&kit));
            redundant++;
        }
        kit_end(&kit);
    }
    assert_true(redundant > 100 && redundant < 400);
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
        assert_false(compare(&kit));
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
