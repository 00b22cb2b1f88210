/* Every operator and adjoint, applied by sweeps, against its matrix from the definition. */
#include "random_tree.h"

#include <stdlib.h>

#include "operator/operator_matrices.h"

/* Largest number of a matrix. */
static double size_of(soa_matrix A)
{
    double big = 0.0;
    for (int i = 0; i < A.rows * A.cols; i++) {
        big = fmax(big, fabs((double)A.at[i]));
    }
    return big;
}

/* What errors are measured by: the largest number of the operator, or of what it
 * is a difference of (E_psi and psi~ vanish where all joints are free). */
static double scale_of(const soa_dense *dense, soa_operator op)
{
    const soa_operator_info about = soa_operator_about(op, false);
    const bool shift = about.domain_space == SOA_SPACE_BODY && about.codomain_space == SOA_SPACE_BODY &&
                       about.domain_side == about.codomain_side;
    const double whole = op == SOA_OP_BRANCH ? size_of(dense->op[SOA_OP_OMEGA]) : shift ? 1.0 : 0.0;
    const double scale = fmax(size_of(dense->op[op]), whole);
    return scale > 0.0 ? scale : 1.0;
}

/* soa_operators_apply on every unit vector; the largest difference from A, relative to its scale. */
static double column_error(soa_operators *ops, const soa_dense *dense, soa_operator op, bool adjoint)
{
    const soa_matrix A = dense->op[op];
    const int rows = soa_operator_rows(ops, op, adjoint), cols = soa_operator_cols(ops, op, adjoint);
    assert_int_equal(rows, adjoint ? A.cols : A.rows);
    assert_int_equal(cols, adjoint ? A.rows : A.cols);
    double *x = calloc((size_t)cols + 1, sizeof *x), *y = malloc(((size_t)rows + 1) * sizeof *y);
    double worst_here = 0.0;
    for (int j = 0; j < cols; j++) {
        x[j] = 1.0;
        y[rows] = 12345.0;
        assert_int_equal(soa_operators_apply(ops, op, adjoint, x, y, NULL), SOA_OK);
        assert_true(y[rows] == 12345.0); /* nothing is written behind */
        for (int i = 0; i < rows; i++) {
            const double expected = (double)(adjoint ? *soa_matrix_entry(A, j, i) : *soa_matrix_entry(A, i, j));
            const double error = fabs(y[i] - expected);
            worst_here = error <= worst_here ? worst_here : error; /* NaN stays */
        }
        x[j] = 0.0;
    }
    free(x);
    free(y);
    return worst_here / scale_of(dense, op);
}

/* The definitions are evaluated in long double; where that is no longer than double (some processors,
 * valgrind), their own rounding counts too. */
static double tolerance(void)
{
    const volatile long double one = 1.0L;
    return one + 0x1p-60L == one ? 1e-9 : 1e-12;
}

static double worst[SOA_OPERATORS];

static void compare_tree(int links, tree_shape shape, bool rotors, unsigned long long seed)
{
    const tree t = tree_new(links, shape, rotors, seed);
    soa_operators *ops;
    soa_dense *dense;
    soa_error error;
    assert_int_equal(soa_operators_new(t.model, t.points, NULL, &ops, &error), SOA_OK);
    assert_int_equal(soa_operators_set(ops, t.q, t.points, t.point, &error), SOA_OK);
    assert_int_equal(soa_dense_new(t.model, t.q, t.points, t.point, NULL, &dense, &error), SOA_OK);
    for (int op = SOA_OP_I + 1; op < SOA_OPERATORS; op++) {
        for (int adjoint = 0; adjoint < 2; adjoint++) {
            const double e = column_error(ops, dense, (soa_operator)op, adjoint);
            worst[op] = fmax(worst[op], e);
            if (!(e <= tolerance())) {
                fail_msg("%s%s: %d links, seed %llu: relative error %g", soa_operator_text((soa_operator)op),
                    adjoint ? "*" : "", links, seed, e);
            }
        }
    }
    soa_dense_free(dense);
    soa_operators_free(ops);
    soa_model_free(t.model);
}

static void print_worst(void)
{
    for (int op = SOA_OP_I + 1; op < SOA_OPERATORS; op++) {
        print_message("%s %.1e  ", soa_operator_text((soa_operator)op), worst[op]);
        worst[op] = 0.0;
    }
    print_message("\n");
}

static void sweeps_equal_definitions(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        compare_tree(1 + i % 40, i % 5 == 0 ? TREE_CHAIN : TREE_BUSHY, false, 1000ull + (unsigned)i);
    }
    print_worst();
}

static void sweeps_equal_definitions_with_rotors(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        compare_tree(1 + i % 40, i % 5 == 0 ? TREE_CHAIN : TREE_BUSHY, true, 2000ull + (unsigned)i);
    }
    print_worst();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_equal_definitions),
        cmocka_unit_test(sweeps_equal_definitions_with_rotors),
    };
    return cmocka_run_group_tests_name("operators", tests, NULL, NULL);
}
