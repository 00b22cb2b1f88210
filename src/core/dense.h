/* core/dense.h - factorizations of dense matrices: L L*, L U and Q R, with pivots.
 *
 * Matrices are stored row by row. There is one policy for what is singular: a pivot is lost if elimination leaves no more
 * than a tolerance of what was there, and then the rank is smaller. The tolerance says how far the numbers of the matrix
 * can be trusted. */
#ifndef SOA_CORE_DENSE_H
#define SOA_CORE_DENSE_H

#include <stddef.h>

#define SOA_ROUNDED  1e-14 /* for numbers that are exact but for their rounding */
#define SOA_COMPUTED 1e-10 /* for results of recursions, which have lost some digits */

typedef struct soa_factored {
    size_t rank;      /* pivots found; the number of rows if the matrix is regular, else the row that lost its pivot */
    double condition; /* an estimate from below: the largest pivot over the smallest */
} soa_factored;

/* ---- L L* of a symmetric positive definite A, n x n ------------------------------------------- */

/* The lower triangle becomes L. A pivot is compared with its own number, and with the largest of the diagonal. */
soa_factored soa_cholesky(size_t n, double *A, double tolerance);

/* x = (L L*)^-1 x */
void soa_cholesky_solve(size_t n, const double *L, double *x);

/* B = A^-1, symmetric to the bit. Numbers of both matrices are `step` apart. If a pivot is lost B is not valid. */
soa_factored soa_cholesky_inverse(size_t n, size_t step, const double *A, double *B, double tolerance);

/* ---- L U of a square A, n x n, with the largest pivot of each column ---------------------------- */

/* A becomes U above, and below its diagonal L, whose own diagonal is 1. Row i of both comes from row order[i] of A. A pivot
 * is compared with the largest number of A. */
soa_factored soa_lu(size_t n, double *A, size_t *order, double tolerance);

/* X = A^-1 B, each with so many columns; X is not B. B NULL: the identity, n x n. */
void soa_lu_solve(size_t n, const double *LU, const size_t *order, size_t columns, const double *B, double *X);

/* ---- Q R of A, m x n, with the largest column first ------------------------------------------------- */

/* A P becomes R above the diagonal and Householder reflections below it; tau[min(m, n)] holds their factors, column[n] the
 * order of columns. A column is compared with the largest. */
soa_factored soa_qr(size_t m, size_t n, double *A, double *tau, size_t *column, double tolerance);

/* x = Q x or Q* x, m numbers, by the first `rank` reflections. */
void soa_qr_apply(size_t m, size_t n, size_t rank, const double *QR, const double *tau, double *x);
void soa_qr_apply_transposed(size_t m, size_t n, size_t rank, const double *QR, const double *tau, double *x);

/* How many numbers of work soa_least_squares needs. */
static inline size_t soa_least_squares_work(size_t n)
{
    return n * (n + 4);
}

/* The x of least norm of those that make |A x - b| least. A (m x n) and b (m) are overwritten. Returns the rank. */
size_t soa_least_squares(size_t m, size_t n, double *A, double *b, double *x, double *work, double tolerance);

/* ---- products ---------------------------------------------------------------------------------------- */

/* y = A x, A m x n */
void soa_multiply(size_t m, size_t n, const double *A, const double *x, double *y);

/* y += factor A* x, A m x n */
void soa_add_transposed(size_t m, size_t n, double factor, const double *A, const double *x, double *y);

/* A matrix of so many columns, row by row. */
typedef struct soa_matrix_view {
    double *at;
    size_t columns;
} soa_matrix_view;

/* y += a b, a with `rows` rows. */
void soa_multiply_add(size_t rows, soa_matrix_view a, soa_matrix_view b, soa_matrix_view y);

#endif
