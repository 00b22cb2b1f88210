/* Factorizations of dense matrices against products in long double, and what they say of singular ones. */
#include "core/dense.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "soa/model.h"

enum { MOST = 12, SQUARE = MOST * MOST };

static void random_matrix(unsigned long long *seed, size_t n, double *A)
{
    for (size_t i = 0; i < n; i++) {
        A[i] = soa_model_random_number(seed);
    }
}

/* C = A B, A m x k, B k x n; transposed: A*, which is k x m. */
static void product(size_t m, size_t k, size_t n, const double *A, int transposed, const double *B, double *C)
{
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            long double sum = 0.0L;
            for (size_t l = 0; l < k; l++) {
                sum += (long double)(transposed ? A[l * m + i] : A[i * k + l]) * B[l * n + j];
            }
            C[i * n + j] = (double)sum;
        }
    }
}

static void check_near(size_t n, const double *x, const double *y, double near)
{
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(x[i] - y[i]) <= near)) {
            fail_msg("number %zu: %.17g, expected %.17g", i, x[i], y[i]);
        }
    }
}

/* A = B* B + I / 10: B 2n x n. */
static void random_definite(unsigned long long *seed, size_t n, double *A)
{
    double B[2 * SQUARE];
    random_matrix(seed, 2 * n * n, B);
    product(n, 2 * n, n, B, 1, B, A);
    for (size_t i = 0; i < n; i++) {
        A[i * n + i] += 0.1;
    }
}

static void cholesky_solves_and_inverts(void **state)
{
    (void)state;
    unsigned long long seed = 3;
    for (size_t n = 0; n <= MOST; n++) {
        double A[SQUARE], L[SQUARE], x[MOST], b[MOST], inverse[SQUARE], one[SQUARE], wide[3 * SQUARE],
            of_wide[3 * SQUARE];
        random_definite(&seed, n, A);
        random_matrix(&seed, n, x);
        product(n, n, 1, A, 0, x, b);
        memcpy(L, A, sizeof L);
        const soa_factored found = soa_cholesky(n, L, SOA_ROUNDED);
        assert_int_equal(found.rank, n);
        assert_true(found.condition >= 1.0 && found.condition < 1e6);
        soa_cholesky_solve(n, L, b);
        check_near(n, b, x, 1e-11);
        assert_int_equal(soa_cholesky_inverse(n, 1, A, inverse, SOA_ROUNDED).rank, n);
        product(n, n, n, A, 0, inverse, one);
        for (size_t i = 0; i < n * n; i++) {
            assert_true(fabs(one[i] - (i / n == i % n)) < 1e-11);
            assert_true(inverse[i] == inverse[i % n * n + i / n]);
            wide[3 * i] = A[i];
        }
        assert_int_equal(soa_cholesky_inverse(n, 3, wide, of_wide, SOA_ROUNDED).rank, n);
        for (size_t i = 0; i < n * n; i++) {
            assert_true(of_wide[3 * i] == inverse[i]);
        }
    }
}

static void lu_solves_and_inverts(void **state)
{
    (void)state;
    unsigned long long seed = 5;
    for (size_t n = 0; n <= MOST; n++) {
        double A[SQUARE], LU[SQUARE], X[3 * MOST], B[3 * MOST], got[3 * MOST], inverse[SQUARE], one[SQUARE];
        size_t order[MOST];
        random_matrix(&seed, n * n, A);
        for (size_t i = 0; i < n; i++) {
            A[i * n + i] = i % 3 == 0 ? 0.0 : A[i * n + i]; /* pivots are looked for elsewhere */
            A[i * n + (i + 1) % n] += n > 1 ? 2.0 : 1.0;
        }
        random_matrix(&seed, 3 * n, X);
        product(n, n, 3, A, 0, X, B);
        memcpy(LU, A, sizeof LU);
        assert_int_equal(soa_lu(n, LU, order, SOA_ROUNDED).rank, n);
        soa_lu_solve(n, LU, order, 3, B, got);
        check_near(3 * n, got, X, 1e-11);
        soa_lu_solve(n, LU, order, n, NULL, inverse);
        product(n, n, n, A, 0, inverse, one);
        for (size_t i = 0; i < n * n; i++) {
            assert_true(fabs(one[i] - (i / n == i % n)) < 1e-11);
        }
    }
}

/* A of rank r: of all x that fit, soa_least_squares finds that of least norm, which is in the span of the rows. */
static void least_squares_have_least_norm(void **state)
{
    (void)state;
    unsigned long long seed = 7;
    for (int round = 0; round < 60; round++) {
        const size_t m = 1 + (size_t)round % 9, n = 1 + (size_t)(round / 3) % 8, most = m < n ? m : n;
        const size_t r = 1 + (size_t)round % most;
        double left[SQUARE], right[SQUARE], A[SQUARE], F[SQUARE], y[MOST], x[MOST], b[MOST], c[MOST], got[MOST];
        double work[MOST * (MOST + 4)], rest[MOST], normal[MOST];
        random_matrix(&seed, m * r, left);
        random_matrix(&seed, r * n, right);
        product(m, r, n, left, 0, right, A);
        random_matrix(&seed, r, y);
        product(n, r, 1, right, 1, y, x); /* in the span of the rows */
        product(m, n, 1, A, 0, x, b);
        memcpy(F, A, sizeof F);
        memcpy(c, b, sizeof c);
        assert_true(soa_least_squares_work(n) <= sizeof work / sizeof *work);
        assert_int_equal(soa_least_squares(m, n, F, c, got, work, SOA_COMPUTED), r);
        check_near(n, got, x, 1e-7);
        random_matrix(&seed, m, b); /* not in the span of the columns: what is left is normal to them */
        memcpy(F, A, sizeof F);
        memcpy(c, b, sizeof c);
        soa_least_squares(m, n, F, c, got, work, SOA_COMPUTED);
        product(m, n, 1, A, 0, got, rest);
        for (size_t i = 0; i < m; i++) {
            rest[i] -= b[i];
        }
        product(n, m, 1, A, 1, rest, normal);
        for (size_t i = 0; i < n; i++) {
            assert_true(fabs(normal[i]) < 1e-8);
        }
    }
}

static void q_is_orthogonal(void **state)
{
    (void)state;
    unsigned long long seed = 11;
    double A[7 * 4], tau[4], x[7], y[7];
    size_t column[4];
    random_matrix(&seed, 28, A);
    random_matrix(&seed, 7, x);
    memcpy(y, x, sizeof y);
    const soa_factored found = soa_qr(7, 4, A, tau, column, SOA_ROUNDED);
    assert_int_equal(found.rank, 4);
    soa_qr_apply(7, 4, 4, A, tau, y);
    double squares[2] = { 0.0, 0.0 };
    for (int i = 0; i < 7; i++) {
        squares[0] += x[i] * x[i];
        squares[1] += y[i] * y[i];
    }
    assert_true(fabs(squares[0] - squares[1]) < 1e-14 * squares[0]);
    assert_true(fabs(x[0] - y[0]) > 1e-3);
    soa_qr_apply_transposed(7, 4, 4, A, tau, y);
    check_near(7, y, x, 1e-15);
}

/* The rank, the row that lost its pivot, and a condition that is not finite. */
/* Products of all sizes; what lies behind their numbers stays as it was. */
static void products_are_sums(void **state)
{
    (void)state;
    unsigned long long seed = 23;
    for (size_t m = 1; m <= 4; m++) {
        for (size_t n = 1; n <= 4; n++) {
            double A[SQUARE], B[SQUARE], x[MOST], y[MOST], sum[SQUARE], Y[SQUARE], was[SQUARE];
            random_matrix(&seed, SQUARE, A);
            random_matrix(&seed, SQUARE, B);
            random_matrix(&seed, SQUARE, was);
            random_matrix(&seed, MOST, x);
            memcpy(y, was, sizeof y);
            product(m, n, 1, A, 0, x, sum);
            soa_multiply(m, n, A, x, y);
            check_near(m, y, sum, 1e-15);
            assert_memory_equal(y + m, was + m, (MOST - m) * sizeof *y);
            memcpy(y, was, sizeof y);
            soa_add_transposed(m, n, -2.0, A, x, y);
            product(n, m, 1, A, 1, x, sum);
            for (size_t i = 0; i < n; i++) {
                sum[i] = was[i] - 2.0 * sum[i];
            }
            check_near(n, y, sum, 1e-14);
            assert_memory_equal(y + n, was + n, (MOST - n) * sizeof *y);
            memcpy(Y, was, sizeof Y);
            soa_multiply_add(m, (soa_matrix_view){ A, n }, (soa_matrix_view){ B, 3 }, (soa_matrix_view){ Y, 3 });
            product(m, n, 3, A, 0, B, sum);
            for (size_t i = 0; i < 3 * m; i++) {
                sum[i] += was[i];
            }
            check_near(3 * m, Y, sum, 1e-14);
            assert_memory_equal(Y + 3 * m, was + 3 * m, (SQUARE - 3 * m) * sizeof *Y);
        }
    }
}

static void singular_matrices(void **state)
{
    (void)state;
    const double A[9] = { 4.0, 2.0, 6.0, 2.0, 5.0, 7.0, 6.0, 7.0, 13.0 }; /* row 2 = row 0 + row 1 */
    double F[9], B[9], tau[3];
    size_t order[3];
    memcpy(F, A, sizeof F);
    assert_int_equal(soa_cholesky(3, F, SOA_ROUNDED).rank, 2);
    assert_int_equal(soa_cholesky_inverse(3, 1, A, B, SOA_ROUNDED).rank, 2);
    memcpy(F, A, sizeof F);
    const soa_factored lu = soa_lu(3, F, order, SOA_ROUNDED);
    assert_int_equal(lu.rank, 2);
    assert_true(isinf(lu.condition));
    memcpy(F, A, sizeof F);
    assert_int_equal(soa_qr(3, 3, F, tau, order, SOA_ROUNDED).rank, 2);
    const double indefinite[4] = { 1.0, 2.0, 2.0, 1.0 }, scales[4] = { 1e-8, 0.0, 0.0, 1e8 };
    memcpy(F, indefinite, sizeof indefinite);
    assert_int_equal(soa_cholesky(2, F, SOA_ROUNDED).rank, 1);
    memcpy(F, scales, sizeof scales); /* units may differ much */
    const soa_factored found = soa_cholesky(2, F, SOA_ROUNDED);
    assert_int_equal(found.rank, 2);
    assert_true(fabs(found.condition - 1e16) < 1e4);
    double not_finite[4] = { NAN, 0.0, 0.0, 1.0 };
    assert_int_equal(soa_cholesky(2, not_finite, SOA_ROUNDED).rank, 0);
    assert_int_equal(soa_lu(2, not_finite, order, SOA_ROUNDED).rank, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cholesky_solves_and_inverts),
        cmocka_unit_test(lu_solves_and_inverts),
        cmocka_unit_test(least_squares_have_least_norm),
        cmocka_unit_test(q_is_orthogonal),
        cmocka_unit_test(products_are_sums),
        cmocka_unit_test(singular_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
