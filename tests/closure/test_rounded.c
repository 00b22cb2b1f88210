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

/* A crank on a slide, with numbers rounded to six digits; lengths in this unit. */
static soa_model *sliding_crank(closed_kit *kit, double unit)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    const double length[3] = { 0.0, 1.0 * unit, 1.3 * unit }, x[3] = { 1.0, 0.0, 0.0 };
    for (int i = 0; i < 3; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "link%d", i);
        soa_link link = soa_link_default(name, i - 1, i == 0 ? SOA_PRISMATIC : SOA_REVOLUTE);
        link.joint.axis[i == 0 ? 0 : 1] = 1.0, link.joint.axis[2] = i == 2 ? 1e-6 : 0.0;
        link.joint.at.position[0] = i == 0 ? 0.0 : length[i - 1];
        link.inertia =
            (soa_inertia){ 1.0, { 0.0, 0.0, 0.0 }, { unit * unit, 0.0, 0.0, unit * unit, 0.0, unit * unit } };
        OK(kit, soa_builder_add_link(b, &link, NULL, &kit->error));
    }
    soa_closure c = soa_closure_default("ground", SOA_CLOSE_REVOLUTE, 2, SOA_WORLD);
    c.at_a = soa_pose_from_axis_angle((double[3]){ length[2], 0.0, 0.0 }, x, -1.5707963267948966);
    c.at_b = soa_pose_from_axis_angle((double[3]){ 0.7 * unit, 0.0, 0.4 * unit }, x, -1.5707963267948966);
    OK(kit, soa_builder_add_closure(b, &c, NULL, &kit->error));
    OK(kit, soa_builder_finish(b, &model, &kit->error));
    soa_builder_free(b);
    return model;
}

/* What counts does not depend on the unit of length, also if the first joint slides. */
static void units_do_not_matter(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        closed_kit kit = { .seed = 1, .systems = 1 };
        soa_redundancy found;
        kit.model[0] = sliding_crank(&kit, i == 0 ? 1.0 : i == 1 ? 1e-3 : 1e3);
        kit_begin(&kit, NULL);
        OK(&kit, soa_closures_redundancy(kit.set, &found, &kit.error));
        assert_true(found.rounded && found.rank == 2 && found.rows == 5);
        assert_true(found.kept > 0.7 && found.kept < 0.9 && found.dropped > 7e-7 && found.dropped < 1e-6);
        kit_end(&kit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_exact_ones),
        cmocka_unit_test(named_and_overruled),
        cmocka_unit_test(units_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
