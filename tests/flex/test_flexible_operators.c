/* The operators and the language on models with flexible links: all identities hold, and what they come to is what the
 * algorithms of dynamics give, which are those of particles (test_flexible_dynamics.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "flex/sample.h"

enum { TREES = 100, POINTS = 2 };

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

/* Digits are not lost from link to link. Mass itself is ill-conditioned, so that its product with its inverse is off by what
 * rounding explains; no other identity is. */
static void identities_hold_on_long_chains(void **state)
{
    (void)state;
    static const char *const name[] = { "flexible-chain:40,4", "flexible-chain:100,2" };
    const int count = soa_identities();
    soa_identity_result *result = calloc((size_t)count, sizeof *result);
    for (int i = 0; i < 2; i++) {
        soa_model *m;
        soa_error error;
        unsigned long long seed = 1;
        int rounded = 0;
        OK(soa_model_builtin(name[i], NULL, &m, &error));
        double *q = calloc((size_t)soa_model_nq(m), sizeof *q);
        soa_random_configuration(m, &seed, q);
        OK(soa_check_identities(m, q, 0, NULL, SOA_BY_SWEEPS, result, &error));
        for (int c = 0; c < count; c++) {
            const bool product = strcmp(result[c].text, "Mass Mass^-1 = I") == 0;
            rounded += result[c].rounding > 1e-9;
            if (!(result[c].error <= (product ? 10.0 * result[c].rounding : 1e-12))) {
                fail_msg("%s: [%s] %s is off by %g", name[i], result[c].label, result[c].text, result[c].error);
            }
        }
        assert_int_equal(rounded, 1);
        free(q);
        soa_model_free(m);
    }
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

/* Every operator is its matrix from the definition, which shares no sweep: nodes, inertias and inverses in long double. */
static void operators_are_their_definitions(void **state)
{
    (void)state;
    static double A[16 * MOST * MOST], B[16 * MOST * MOST];
    int held = 0;
    for (int i = 0; i < 14; i++) { /* the last ones have rotors */
        sample s = sample_open(i < 6 ? 7050u + (unsigned)i : 7u * (1000u + (unsigned)i), i % 3 == 0);
        for (int k = 0; k < soa_model_bodies(s.t.model); k++) {
            const soa_body body = soa_model_body(s.t.model, k);
            held += body.links + body.nv == 0;
        }
        soa_operators *ops;
        soa_point point[POINTS];
        make_points(&s, i, point);
        OK(soa_operators_new(s.t.model, POINTS, NULL, &ops, &s.error));
        OK(soa_operators_set(ops, s.q, POINTS, point, &s.error));
        for (int op = SOA_OP_I + 1; op < SOA_OP_A; op++) {
            OK(soa_dense_operator(s.t.model, s.q, POINTS, point, (soa_operator)op, false, B, &s.error));
            near_all(soa_operator_text((soa_operator)op), i, matrix_of(ops, (soa_operator)op, false, A, &s.error), A, B,
                1e-9);
        }
        soa_operators_free(ops);
        sample_close(&s);
    }
    assert_true(held > 2); /* rotors on flexible links */
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

/* ---- the language ----------------------------------------------------------------------------------- */

enum { NUMBERS = 16 * MOST * MOST };

/* y = the text; returns how many numbers. */
static int evaluate(
    const sample *s, const char *text, soa_writing writing, int points, const soa_point *point, double *y)
{
    soa_program *program = NULL;
    soa_compiled *compiled = NULL;
    soa_runner *runner = NULL;
    soa_error error;
    OK(soa_program_new(NULL, &program, &error));
    soa_status status = soa_program_read(program, text, SOA_READ_PROGRAM, &error);
    status = status == SOA_OK ? soa_compile(s->t.model, program, writing, 0, NULL, &compiled, &error) : status;
    status = status == SOA_OK ? soa_runner_new(compiled, points, point, NULL, &runner, &error) : status;
    if (status != SOA_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    const int n = soa_runner_numbers(runner, "y");
    assert_in_range(n, 0, NUMBERS);
    (void)soa_runner_bind(runner, "beta", s->v, NULL); /* where they are read */
    (void)soa_runner_bind(runner, "betadot", s->vd, NULL);
    (void)soa_runner_bind(runner, "T", s->T, NULL);
    OK(soa_runner_bind_output(runner, "y", y, &error));
    status = soa_runner_run(runner, 1, s->q, &error);
    if (status != SOA_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    soa_runner_free(runner);
    soa_compiled_free(compiled);
    soa_program_free(program);
    return n;
}

/* Expressions are what the algorithms compute, by kernels and by the recursions that are written. */
static void expressions_are_algorithms(void **state)
{
    (void)state;
    static double y[NUMBERS], expected[NUMBERS];
    for (int i = 0; i < TREES; i++) {
        if (tree_has_rotors(7400u + (unsigned)i)) { /* Gamma is not in what follows */
            continue;
        }
        sample s = sample_open(7400u + (unsigned)i, i % 3 == 0);
        const soa_model *m = s.t.model;
        soa_point point[POINTS];
        make_points(&s, i, point);
        for (int w = SOA_SIMPLIFIED; w <= SOA_AS_WRITTEN; w++) {
            const soa_writing writing = (soa_writing)w;
            near_all("Mass", i, evaluate(&s, "y = Mass", writing, 0, NULL, y), y, s.mass, 1e-9);
            near_all("H phi M phi' H' + Arm", i, evaluate(&s, "y = H phi M phi' H' + Arm", writing, 0, NULL, y), y,
                s.mass, 1e-9);
            near_all("inverse dynamics", i,
                evaluate(&s, "y = H phi (M phi' (H' betadot + a) + b) + Arm betadot + b_Arm", writing, 0, NULL, y), y,
                s.T, 1e-9);
            OK(soa_forward_dynamics(m, s.w, 1, s.q, s.v, s.T, NULL, expected, &s.error));
            near_all("Mass^-1 (T - C)", i, evaluate(&s, "y = Mass^-1 (T - C)", writing, 0, NULL, y), y, expected, 1e-9);
            near_all("[FD3]", i,
                evaluate(&s, "y = (I - H psi K)' D^-1 (T - b_Arm - H psi (K (T - b_Arm) + M phi' a + b))", writing, 0,
                    NULL, y),
                y, expected, 1e-9);
            OK(soa_operational_inertia(m, s.w, POINTS, point, 1, s.q, expected, NULL, &s.error));
            near_all("J Mass^-1 J'", i, evaluate(&s, "y = J Mass^-1 J'", writing, POINTS, point, y), y, expected, 1e-9);
            near_all("B' Omega B", i, evaluate(&s, "y = B' Omega B", writing, POINTS, point, y), y, expected, 1e-9);
        }
        sample_close(&s);
    }
}

/* "L = R" as "y = L - (R)", ' for the adjoint. */
static void difference_text(const char *identity, char *text)
{
    text += sprintf(text, "y = ");
    for (; *identity; identity++) {
        if (*identity == '=') {
            text += sprintf(text, "- (");
        } else {
            *text++ = *identity == '*' ? '\'' : *identity;
        }
    }
    sprintf(text, ")");
}

/* The identities as expressions, each operator by the instruction that applies it. */
static void identities_as_expressions(void **state)
{
    (void)state;
    static double y[NUMBERS];
    const int count = soa_identities();
    soa_identity_result *result = calloc((size_t)count, sizeof *result);
    for (int i = 0; i < 3; i++) {
        sample s = sample_open(7500u + (unsigned)i, i == 0);
        soa_point point[POINTS];
        make_points(&s, i, point);
        OK(soa_check_identities(s.t.model, s.q, POINTS, point, SOA_BY_SWEEPS, result, &s.error));
        for (int c = 0; c < count; c++) {
            char text[256];
            difference_text(result[c].text, text);
            const int n = result[c].applies ? evaluate(&s, text, SOA_AS_WRITTEN, POINTS, point, y) : 0;
            for (int e = 0; e < n; e++) {
                if (!(fabs(y[e]) <= 1e-7)) { /* of numbers up to some hundreds */
                    fail_msg("tree %d: %s is off by %g", i, text, y[e]);
                }
            }
        }
        sample_close(&s);
    }
    free(result);
}

/* Blocks of bodies and joints with modes: inverses and roots. */
static void powers_of_blocks(void **state)
{
    (void)state;
    static double y[NUMBERS];
    sample s = sample_open(7600u, false);
    static const char *const zero[] = { "y = P^-1 P - I", "y = D^(1/2) D^(1/2) - D", "y = D^(-1/2) D D^(-1/2) - I" };
    for (size_t t = 0; t < sizeof zero / sizeof zero[0]; t++) {
        const int n = evaluate(&s, zero[t], SOA_AS_WRITTEN, 0, NULL, y);
        assert_true(n > 0);
        for (int e = 0; e < n; e++) {
            assert_true(fabs(y[e]) <= 1e-8);
        }
    }
    sample_close(&s);
}

/* d(Mass, q_i) has a kernel; written out it runs on numbers with slopes. */
static void derivatives_are_those_of_the_kernel(void **state)
{
    (void)state;
    static double y[NUMBERS], expected[NUMBERS];
    sample s = sample_open(7700u, false);
    OK(soa_mass_derivative(s.t.model, s.w, 1, 1, s.q, expected, &s.error));
    near_all("d(Mass, q_2)", 0, evaluate(&s, "y = d(Mass, q_2)", SOA_SIMPLIFIED, 0, NULL, y), y, expected, 1e-12);
    const int n = evaluate(&s, "y = d(H phi M phi' H', q_2)", SOA_AS_WRITTEN, 0, NULL, y);
    near_all("d(H phi M phi' H', q_2)", 0, n, y, expected, 1e-10);
    sample_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identities_hold),
        cmocka_unit_test(identities_hold_on_long_chains),
        cmocka_unit_test(operators_are_their_definitions),
        cmocka_unit_test(operators_are_those_of_dynamics),
        cmocka_unit_test(adjoints_are_transposes),
        cmocka_unit_test(sizes_and_nodes),
        cmocka_unit_test(expressions_are_algorithms),
        cmocka_unit_test(identities_as_expressions),
        cmocka_unit_test(powers_of_blocks),
        cmocka_unit_test(derivatives_are_those_of_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
