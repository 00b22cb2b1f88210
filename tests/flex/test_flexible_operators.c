/* The operators and the language on models with flexible links: all identities hold, and what they come to is what the
 * algorithms of dynamics give, which are those of particles (test_flexible_dynamics.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flex/sample.h"

enum { TREES = 20, POINTS = 2 };

/* A node of a flexible link and a link. */
static void make_points(const sample *s, int i, soa_point point[POINTS])
{
    point[0] = (soa_point){ s->t.links - 1, soa_pose_identity() };
    point[1] = (soa_point){ 1, soa_pose_identity(), 1 + i % NODES };
    point[0].at.position[1] = 0.2;
    point[1].at.position[2] = -0.1;
}

/* ---- identities --------------------------------------------------------------------------------- */

static void identities_hold(void **state)
{
    (void)state;
    const int count = soa_identities();
    soa_identity_result *result = calloc((size_t)count, sizeof *result);
    int checked = 0;
    for (int i = 0; i < TREES; i++) {
        sample s = sample_open(7000u + (unsigned)i, i % 3 == 0);
        soa_point point[POINTS];
        make_points(&s, i, point);
        OK(soa_check_identities(s.t.model, s.q, POINTS, point, SOA_BY_SWEEPS, result, &s.error));
        for (int c = 0; c < count; c++) {
            checked += result[c].applies;
            if (result[c].applies && !(result[c].error <= 1e-9)) {
                fail_msg("tree %d: [%s] %s is off by %g", i, result[c].label, result[c].text, result[c].error);
            }
        }
        sample_close(&s);
    }
    assert_true(checked > (TREES - 1) * count / 2);
    free(result);
}

/* ---- operators ------------------------------------------------------------------------------------ */

/* The matrix of an operator, column by column. */
static int matrix_of(soa_operators *ops, soa_operator op, bool adjoint, double *A, soa_error *error)
{
    const int rows = soa_operator_rows(ops, op, adjoint), cols = soa_operator_cols(ops, op, adjoint);
    double x[4 * MOST] = { 0.0 }, y[4 * MOST];
    assert_in_range(rows, 0, 4 * MOST);
    assert_in_range(cols, 0, 4 * MOST);
    for (int c = 0; c < cols; c++) {
        x[c] = 1.0;
        OK(soa_operators_apply(ops, op, adjoint, x, y, error));
        x[c] = 0.0;
        for (int r = 0; r < rows; r++) {
            A[r * cols + c] = y[r];
        }
    }
    return rows * cols;
}

/* Mass, its inverse, J and Lambda are those of soa/dynamics.h. */
static void operators_are_those_of_dynamics(void **state)
{
    (void)state;
    static double A[16 * MOST * MOST], B[16 * MOST * MOST];
    for (int i = 0; i < TREES; i++) {
        sample s = sample_open(7100u + (unsigned)i, i % 3 == 0);
        const soa_model *m = s.t.model;
        soa_operators *ops;
        soa_point point[POINTS];
        make_points(&s, i, point);
        OK(soa_operators_new(m, POINTS, NULL, &ops, &s.error));
        OK(soa_operators_set(ops, s.q, POINTS, point, &s.error));
        near_all("Mass", i, matrix_of(ops, SOA_OP_MASS, false, A, &s.error), A, s.mass, 1e-9);
        OK(soa_mass_inverse(m, s.w, 1, s.q, B, &s.error));
        near_all("Mass^-1", i, matrix_of(ops, SOA_OP_MASS_INV, false, A, &s.error), A, B, 1e-9);
        OK(soa_jacobian(m, s.w, POINTS, point, SOA_AXES_MIXED, 1, s.q, B, &s.error));
        near_all("J", i, matrix_of(ops, SOA_OP_J, false, A, &s.error), A, B, 1e-9);
        OK(soa_operational_inertia(m, s.w, POINTS, point, 1, s.q, B, NULL, &s.error));
        near_all("Lambda", i, matrix_of(ops, SOA_OP_LAMBDA, false, A, &s.error), A, B, 1e-9);
        soa_operators_free(ops);
        sample_close(&s);
    }
}

/* A* has the transposed matrix of A, on all spaces. */
static void adjoints_are_transposes(void **state)
{
    (void)state;
    static double A[16 * MOST * MOST], T[16 * MOST * MOST];
    sample s = sample_open(7205u, true);
    soa_operators *ops;
    soa_point point[POINTS];
    make_points(&s, 1, point);
    OK(soa_operators_new(s.t.model, POINTS, NULL, &ops, &s.error));
    OK(soa_operators_set(ops, s.q, POINTS, point, &s.error));
    for (int op = SOA_OP_I + 1; op < SOA_OP_A; op++) {
        const int rows = soa_operator_rows(ops, (soa_operator)op, false),
                  cols = soa_operator_cols(ops, (soa_operator)op, false);
        matrix_of(ops, (soa_operator)op, false, A, &s.error);
        matrix_of(ops, (soa_operator)op, true, T, &s.error);
        for (int e = 0; e < rows * cols; e++) {
            const double other = T[e % cols * rows + e / cols];
            assert_true(fabs(A[e] - other) <= 1e-9 * (1.0 + fabs(other)));
        }
    }
    soa_operators_free(ops);
    sample_close(&s);
}

/* A body of modes has its modes behind the six numbers of all bodies; nodes that do not exist are refused. */
static void sizes_and_nodes(void **state)
{
    (void)state;
    sample s = sample_open(7300u, false);
    int modes = 0;
    soa_operators *ops;
    for (int k = 0; k < soa_model_bodies(s.t.model); k++) {
        const soa_body body = soa_model_body(s.t.model, k);
        modes += body.flexible ? body.nv : 0;
    }
    assert_true(modes > 0);
    OK(soa_operators_new(s.t.model, 1, NULL, &ops, &s.error));
    assert_int_equal(soa_operator_rows(ops, SOA_OP_PHI, false), 6 * soa_model_bodies(s.t.model) + modes);
    const soa_point beyond = { 1, soa_pose_identity(), NODES + 1 };
    assert_int_not_equal(soa_operators_set(ops, s.q, 1, &beyond, &s.error), SOA_OK);
    assert_non_null(strstr(s.error.text, "point 0"));
    soa_operators_free(ops);
    sample_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identities_hold),
        cmocka_unit_test(operators_are_those_of_dynamics),
        cmocka_unit_test(adjoints_are_transposes),
        cmocka_unit_test(sizes_and_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
