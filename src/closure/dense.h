/* closure/dense.h - least squares of small dense matrices, rank-revealing. */
#ifndef SOA_CLOSURE_DENSE_H
#define SOA_CLOSURE_DENSE_H

#include <stddef.h>

/* A m x n, row by row, becomes Q R P by Householder reflections with the largest column first: R above the diagonal,
 * reflections below it, tau[min(m, n)] their factors, column[n] the order of columns. The rank: columns whose rest
 * exceeds tolerance of the largest column. */
int soa_factor_qr(int m, int n, double *A, double *tau, int *column, double tolerance);

/* x = Q x or Q* x, m numbers, by the first `rank` reflections. */
void soa_apply_q(int m, int n, int rank, const double *A, const double *tau, int transposed, double *x);

/* The x of least norm of those that make |A x - b| least. A (m x n) and b (m) are overwritten; work: n (n + 4) numbers.
 * The rank. */
int soa_least_squares(int m, int n, double *A, double *b, double *x, double *work, double tolerance);

/* x >= 0 that makes |A x - b| least, A 6 x n column by column (Lawson and Hanson). work: 2 n numbers. What is left of
 * |b - A x|. */
double soa_nonnegative(int n, const double *A, const double b[6], double *x, double *work);

#endif
