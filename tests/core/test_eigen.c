/* Eigenvalues and eigenvectors against products in long double and against known spectra. */
#include "core/eigen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soa/model.h"

enum { MOST = 60 };

/* |A w - value w| and |W W* - I|, largest number. */
static void check_pairs(size_t n, const double *A, const double *W, const double *value, double scale)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t r = 0; r < n; r++) {
            long double left = -(long double)value[i] * W[i * n + r], product = i == r ? -1.0L : 0.0L;
            for (size_t c = 0; c < n; c++) {
                left += (long double)A[r * n + c] * W[i * n + c];
                product += (long double)W[i * n + c] * W[r * n + c];
            }
            assert_true(fabsl(left) < 1e-14L * (long double)(scale * (double)n));
            assert_true(fabsl(product) < 1e-14L * (long double)n);
        }
        assert_true(i == 0 || value[i - 1] <= value[i]);
    }
}

static void random_matrices(void **state)
{
    (void)state;
    static double A[MOST * MOST], W[MOST * MOST], value[MOST], work[MOST];
    unsigned long long seed = 5;
    for (size_t n = 1; n <= MOST; n += n < 8 ? 1 : 13) {
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j <= i; j++) {
                A[i * n + j] = A[j * n + i] = soa_model_random_number(&seed);
            }
        }
        memcpy(W, A, n * n * sizeof *A);
        assert_true(soa_eigen(n, W, value, work));
        check_pairs(n, A, W, value, 2.0);
    }
}

/* 2 on the diagonal, -1 beside it: 2 - 2 cos(pi k / (n + 1)). */
static void known_spectrum(void **state)
{
    (void)state;
    enum { N = 40 };
    static double A[N * N], value[N], work[N];
    for (size_t i = 0; i < N; i++) {
        A[i * N + i] = 2.0;
        if (i > 0) {
            A[i * N + i - 1] = A[(i - 1) * N + i] = -1.0;
        }
    }
    assert_true(soa_eigen(N, A, value, work));
    for (int k = 1; k <= N; k++) {
        const double expected = 2.0 - 2.0 * cos(acos(-1.0) * k / (N + 1));
        assert_true(fabs(value[k - 1] - expected) < 1e-14);
    }
}

/* Equal eigenvalues, a zero matrix, numbers of very different size. */
static void special_matrices(void **state)
{
    (void)state;
    double zero[9] = { 0.0 }, same[9] = { 2, 1, 1, 1, 2, 1, 1, 1, 2 },
           graded[9] = { 1e12, 1e6, 0, 1e6, 2, 0, 0, 0, 1e-9 };
    double A[9], value[3], work[3];
    memcpy(A, same, sizeof A);
    assert_true(soa_eigen(3, A, value, work));
    check_pairs(3, same, A, value, 4.0);
    assert_true(fabs(value[0] - 1.0) < 1e-15 && fabs(value[1] - 1.0) < 1e-15 && fabs(value[2] - 4.0) < 4e-15);
    memcpy(A, graded, sizeof A);
    assert_true(soa_eigen(3, A, value, work));
    check_pairs(3, graded, A, value, 1e12);
    assert_true(soa_eigen(3, zero, value, work));
    assert_true(value[0] == 0.0 && value[2] == 0.0);
    assert_true(soa_eigen(0, NULL, NULL, NULL));
}

/* B x = value A x and x* A x = 1, of A = R R* + I. */
static void random_pencils(void **state)
{
    (void)state;
    static double A[MOST * MOST], B[MOST * MOST], L[MOST * MOST], X[MOST * MOST], R[MOST * MOST], value[MOST],
        work[MOST];
    unsigned long long seed = 6;
    for (size_t n = 1; n <= 21; n += n < 8 ? 1 : 13) {
        for (size_t i = 0; i < n * n; i++) {
            R[i] = soa_model_random_number(&seed);
        }
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j <= i; j++) {
                double sum = i == j ? 1.0 : 0.0;
                for (size_t k = 0; k < n; k++) {
                    sum += R[i * n + k] * R[j * n + k];
                }
                A[i * n + j] = A[j * n + i] = sum;
                B[i * n + j] = B[j * n + i] = soa_model_random_number(&seed);
            }
        }
        memcpy(L, A, n * n * sizeof *A);
        memcpy(X, B, n * n * sizeof *B);
        assert_int_equal(soa_pencil(n, L, X, value, work), SOA_PENCIL_OK);
        for (size_t i = 0; i < n; i++) {
            double norm = 0.0;
            for (size_t r = 0; r < n; r++) {
                double left = 0.0, right = 0.0;
                for (size_t c = 0; c < n; c++) {
                    left += B[r * n + c] * X[i * n + c];
                    right += A[r * n + c] * X[i * n + c];
                }
                assert_true(fabs(left - value[i] * right) < 1e-12);
                norm += right * X[i * n + r];
            }
            assert_true(fabs(norm - 1.0) < 1e-12);
            assert_true(i == 0 || value[i - 1] <= value[i]);
        }
    }
    double indefinite[4] = { 1, 2, 2, 1 }, one[4] = { 1, 0, 0, 1 };
    assert_int_equal(soa_pencil(2, indefinite, one, value, work), SOA_PENCIL_INDEFINITE);
    double unit[4] = { 1, 0, 0, 1 }, odd[4] = { 1, 0, 0, NAN };
    assert_int_equal(soa_pencil(2, unit, odd, value, work), SOA_PENCIL_NOT_FINITE);
}

static void not_finite(void **state)
{
    (void)state;
    double A[4] = { 1.0, NAN, NAN, 1.0 }, value[2], work[2];
    assert_false(soa_eigen(2, A, value, work));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(known_spectrum),
        cmocka_unit_test(special_matrices),
        cmocka_unit_test(random_pencils),
        cmocka_unit_test(not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
