/* operator/block_products.kernel.h - products and inverses of dense blocks, row by row, up to BLOCK_MOST square. */
#ifndef SOA_OPERATOR_BLOCK_PRODUCTS_KERNEL_H
#define SOA_OPERATOR_BLOCK_PRODUCTS_KERNEL_H

#include "core/dense.h"
#include "sweep/flexible_sweeps.kernel.h"

enum { BLOCK_MOST = 6 + SOA_MAX_MODES };

/* y = y + s A x, or s A* x */
static inline void block_mul(int rows, int cols, const real *A, bool adjoint, real s, const real *x, real *y)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            const int to = adjoint ? j : i, from = adjoint ? i : j;
            y[to] = real_fma(s * A[i * cols + j], x[from], y[to]);
        }
    }
}

/* C = C + s A B, or s A B* */
static inline void block_product(
    real s, int rows, int inner, int cols, const real *A, const real *B, bool transposed, real *C)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            real sum = real_set(0.0);
            for (int k = 0; k < inner; k++) {
                sum = real_fma(A[i * inner + k], transposed ? B[j * inner + k] : B[k * cols + j], sum);
            }
            C[i * cols + j] = real_fma(s, sum, C[i * cols + j]);
        }
    }
}

/* C = C + s A S A*, A rows x inner */
static inline void block_congruence(real s, int rows, int inner, const real *A, const real *S, real *C)
{
    real AS[BLOCK_MOST * BLOCK_MOST] = { 0.0 };
    block_product(real_set(1.0), rows, inner, inner, A, S, false, AS);
    block_product(s, rows, inner, rows, AS, A, true, C);
}

/* B = A^-1; false: a pivot is lost. Numbers with slopes get theirs by a step of Newton, B := B + B (I - A B), those with two
 * slopes by two: each step squares what is left of I - A B, of which products of LANES / 2 + 1 vanish. */
static inline bool block_inverse(int n, const real *A, real *B)
{
    const size_t size = (size_t)n;
#if LANES == 1
    return soa_cholesky_inverse(size, 1, A, B, PIVOT_TOLERANCE).rank == size;
#elif defined(SOA_OWN_REAL_INVERSE)
    (void)size;
    return real_inverse(n, A, B);
#else
    double number[BLOCK_MOST * BLOCK_MOST], inverse[BLOCK_MOST * BLOCK_MOST];
    real before[BLOCK_MOST * BLOCK_MOST], rest[BLOCK_MOST * BLOCK_MOST];
    for (int i = 0; i < n * n; i++) {
        number[i] = real_get(A[i], 0);
    }
    const bool regular = soa_cholesky_inverse(size, 1, number, inverse, PIVOT_TOLERANCE).rank == size;
    for (int i = 0; i < n * n; i++) {
        B[i] = real_set(inverse[i]);
    }
    for (int step = 0; step < LANES / 2; step++) {
        for (int i = 0; i < n * n; i++) {
            before[i] = B[i];
            rest[i] = real_set(i % (n + 1) == 0 ? 1.0 : 0.0);
        }
        block_product(real_set(-1.0), n, n, n, A, before, false, rest);
        block_product(real_set(1.0), n, n, n, before, rest, false, B);
    }
    return regular;
#endif
}

#endif
