/* core/qr.c - Q R and least squares. */
#include <math.h>

#include "core/dense.h"
#include "core/pivots.h"

static double column_square(size_t m, size_t n, const double *A, size_t from, size_t c)
{
    double sum = 0.0;
    for (size_t i = from; i < m; i++) {
        sum += A[i * n + c] * A[i * n + c];
    }
    return sum;
}

static void swap_columns(size_t m, size_t n, double *A, size_t *column, size_t a, size_t b)
{
    for (size_t i = 0; i < m && a != b; i++) {
        const double t = A[i * n + a];
        A[i * n + a] = A[i * n + b];
        A[i * n + b] = t;
    }
    const size_t t = column[a];
    column[a] = column[b];
    column[b] = t;
}

/* Reflects column k from row k on onto its first component, and so the columns after it; square: its length. */
static double reflect(size_t m, size_t n, double *A, size_t k, double square)
{
    const double norm = sqrt(square), head = A[k * n + k], beta = head > 0.0 ? -norm : norm;
    const double tau = (beta - head) / beta, scale = 1.0 / (head - beta);
    for (size_t i = k + 1; i < m; i++) {
        A[i * n + k] *= scale;
    }
    A[k * n + k] = beta;
    for (size_t c = k + 1; c < n; c++) {
        double sum = A[k * n + c];
        for (size_t i = k + 1; i < m; i++) {
            sum += A[i * n + k] * A[i * n + c];
        }
        sum *= tau;
        A[k * n + c] -= sum;
        for (size_t i = k + 1; i < m; i++) {
            A[i * n + c] -= sum * A[i * n + k];
        }
    }
    return tau;
}

soa_factored soa_qr(size_t m, size_t n, double *A, double *tau, size_t *column, double tolerance)
{
    const size_t most = m < n ? m : n;
    pivots found = no_pivots;
    double top = 0.0;
    for (size_t c = 0; c < n; c++) {
        column[c] = c;
    }
    for (size_t k = 0; k < most; k++) {
        size_t best = k;
        double square = column_square(m, n, A, k, k);
        for (size_t c = k + 1; c < n; c++) {
            const double other = column_square(m, n, A, k, c);
            best = other > square ? c : best;
            square = fmax(square, other);
        }
        top = k == 0 ? square : top;
        if (!(square > tolerance * tolerance * top)) {
            return factored(k, most, found);
        }
        note(&found, sqrt(square));
        swap_columns(m, n, A, column, k, best);
        tau[k] = reflect(m, n, A, k, square);
    }
    return factored(most, most, found);
}

/* x = (I - tau u u*) x, u = (1; column k of A below the diagonal) */
static void reflect_vector(size_t m, size_t n, size_t k, const double *A, double tau, double *x)
{
    double sum = x[k];
    for (size_t i = k + 1; i < m; i++) {
        sum += A[i * n + k] * x[i];
    }
    sum *= tau;
    x[k] -= sum;
    for (size_t i = k + 1; i < m; i++) {
        x[i] -= sum * A[i * n + k];
    }
}

void soa_qr_apply(size_t m, size_t n, size_t rank, const double *QR, const double *tau, double *x)
{
    for (size_t k = rank; k-- > 0;) {
        reflect_vector(m, n, k, QR, tau[k], x);
    }
}

void soa_qr_apply_transposed(size_t m, size_t n, size_t rank, const double *QR, const double *tau, double *x)
{
    for (size_t k = 0; k < rank; k++) {
        reflect_vector(m, n, k, QR, tau[k], x);
    }
}

/* The x of least norm with R x = c, R the upper part of A, rank x n. Of R* = Q S: S* y = c, x = Q y. */
static void least_norm(size_t rank, size_t n, const double *A, const double *c, double *x, double *work)
{
    double *B = work, *tau = B + rank * n;
    for (size_t i = 0; i < n; i++) { /* B = R*, n x rank: its columns are independent, in order */
        for (size_t k = 0; k < rank; k++) {
            B[i * rank + k] = i >= k ? A[k * n + i] : 0.0;
        }
    }
    for (size_t k = 0; k < rank; k++) {
        tau[k] = reflect(n, rank, B, k, column_square(n, rank, B, k, k));
    }
    for (size_t k = 0; k < rank; k++) {
        double sum = c[k];
        for (size_t i = 0; i < k; i++) {
            sum -= B[i * rank + k] * x[i];
        }
        x[k] = sum / B[k * rank + k];
    }
    for (size_t i = rank; i < n; i++) {
        x[i] = 0.0;
    }
    soa_qr_apply(n, rank, rank, B, tau, x);
}

size_t soa_least_squares(size_t m, size_t n, double *A, double *b, double *x, double *work, double tolerance)
{
    double *tau = work, *y = work + n;
    size_t *column = (size_t *)(void *)(work + 2 * n);
    const size_t rank = soa_qr(m, n, A, tau, column, tolerance).rank;
    soa_qr_apply_transposed(m, n, rank, A, tau, b);
    least_norm(rank, n, A, b, y, work + 3 * n);
    for (size_t c = 0; c < n; c++) {
        x[column[c]] = y[c];
    }
    return rank;
}
