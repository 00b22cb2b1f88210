/* Over-constrained mechanisms written with few digits behave like the exact ones. */
#include "closure/rounded.h"

enum { CASES = 2000 };

/* A state of the exact mechanism that satisfies its closures; the rank there of the dense equations. */
static int exact_state(closed_kit *kit, soa_closed *closed, double *vdot, double *lambda)
{
    double off[MOST_LOOPS * MOST_BARS];
    soa_status status = SOA_E_CLOSURE;
    for (int tries = 0; status != SOA_OK && tries < 10; tries++) { /* from a dead end another start is taken */
        soa_model_neutral(kit->model[0], kit->q);
        for (int i = 0; i < kit->nv; i++) {
            off[i] = 0.3 * some(kit);
            kit->v[i] = some(kit);
            kit->T[i] = some(kit);
        }
        soa_integrate(kit->model[0], kit->q, off, 1.0, kit->q);
        status = soa_closure_project(kit->set, SOA_METRIC_MASS, 0.0, 1, kit->q, kit->v, NULL, &kit->error);
    }
    OK(kit, status);
    OK(kit,
        soa_closed_forward_dynamics(kit->set, 1, kit->q, kit->v, kit->T, NULL, kit->vdot, NULL, closed, &kit->error));
    return dense_solve(kit, vdot, lambda);
}

/* From the same state to one that satisfies the rounded closures best: same rank, nearly the same accelerations. */
static void compare(const closed_kit *exact, closed_kit *kit, int digits, int rank, int rows)
{
    const double unit = pow(10.0, -digits);
    soa_redundancy found;
    soa_projection p;
    soa_closed closed;
    memcpy(kit->q, exact->q, (size_t)(kit->nq + 2 * kit->nv) * sizeof *kit->q);
    OK(kit, soa_closures_redundancy(kit->set, &found, &kit->error));
    assert_false(found.undecided);
    assert_int_equal(found.rank, rank);
    assert_int_equal(found.rows, rows);
    OK(kit, soa_closure_project(kit->set, SOA_METRIC_MASS, 0.0, 1, kit->q, kit->v, &p, &kit->error));
    assert_true(p.position < 20.0 * unit);
    OK(kit,
        soa_closed_forward_dynamics(kit->set, 1, kit->q, kit->v, kit->T, NULL, kit->vdot, NULL, &closed, &kit->error));
    assert_int_equal(closed.rank, rank);
    assert_true(closed.kept > 8.0 * closed.dropped);
    NEAR(kit->nv, kit->vdot, exact->vdot, 20.0 * unit / (closed.kept * closed.kept));
}

static void as_the_exact_ones(void **state)
{
    (void)state;
    int redundant[16] = { 0 };
    for (int n = 0; n < CASES; n++) {
        closed_kit exact = { .seed = 5000ull + (unsigned)n, .systems = 1 };
        drawing d;
        draw(&exact, &d);
        closed_kit kit = exact;
        exact.model[0] = build(&exact, &d, EXACT_DIGITS);
        kit.model[0] = build(&kit, &d, 3 + n % 8);
        kit_begin(&exact, NULL);
        kit_begin(&kit, NULL);
        const int rows = soa_closures_rows(exact.set);
        double *vdot = calloc((size_t)(exact.nv + rows), sizeof *vdot);
        soa_closed closed;
        const int rank = exact_state(&exact, &closed, vdot, vdot + exact.nv);
        assert_int_equal(closed.rank, rank);
        redundant[rows - rank]++;
        compare(&exact, &kit, 3 + n % 8, rank, rows);
        free(vdot);
        kit_end(&exact);
        kit_end(&kit);
    }
    for (int i = 1; i < 10; i++) {
        assert_true(redundant[i] > 0);
    }
}

/* What is dropped is named, and a tolerance of the rank overrules the gap. */
static void named_and_overruled(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 5005, .systems = 1 };
    drawing d;
    draw(&kit, &d);
    kit.model[0] = build(&kit, &d, 5);
    kit_begin(&kit, NULL);
    soa_redundancy found;
    OK(&kit, soa_closures_redundancy(kit.set, &found, &kit.error));
    assert_true(found.rounded && found.rank < found.rows && strstr(found.closures, "'loop0'") != NULL);
    assert_true(found.dropped > 1e-9 && found.dropped < 1e-4 && found.kept > 1e-2);
    const int rank = found.rank;
    OK(&kit,
        soa_closures_set_tolerances(kit.set, &(soa_closure_tolerances){ .rank = 0.01 * found.dropped }, &kit.error));
    OK(&kit, soa_closures_redundancy(kit.set, &found, &kit.error));
    assert_true(found.rank > rank);
    OK(&kit, soa_closures_set_tolerances(kit.set, NULL, &kit.error));
    OK(&kit, soa_closures_redundancy(kit.set, &found, &kit.error));
    assert_int_equal(found.rank, rank);
    /* a contradiction that is not allowed is refused, and named */
    soa_model_neutral(kit.model[0], kit.q);
    OK(&kit, soa_closures_set_tolerances(kit.set, &(soa_closure_tolerances){ .contradiction = 1e-9 }, &kit.error));
    assert_int_equal(
        soa_closure_project(kit.set, SOA_METRIC_MASS, 0.0, 1, kit.q, NULL, NULL, &kit.error), SOA_E_CLOSURE);
    assert_non_null(strstr(kit.error.text, "contradict"));
    kit_end(&kit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_exact_ones),
        cmocka_unit_test(named_and_overruled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
