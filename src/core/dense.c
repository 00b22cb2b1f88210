/* core/dense.c - L L* and L U, and products. */
#include "core/dense.h"

#include <math.h>
#include <string.h>

#include "core/pivots.h"

/* ---- L L* --------------------------------------------------------------------------------------- */

/* A pivot may lose what the tolerance says of its own number; beside the largest it may be this much smaller still. */
#define BESIDE_LARGEST 1e-5

/* L(i,c) = (A(i,c) - sum L(i,k) L(c,k)) / L(c,c), L(i,i)^2 = A(i,i) - sum L(i,k)^2 */
static inline soa_factored factor_by(size_t n, size_t step, double *A, double tolerance)
{
    const size_t row = n * step;
    pivots found = no_pivots;
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, A[i * row + i * step]);
    }
    for (size_t i = 0; i < n; i++) {
        double *own = A + i * row, d = own[i * step];
        for (size_t c = 0; c < i; c++) {
            double s = own[c * step];
            for (size_t k = 0; k < c; k++) {
                s -= own[k * step] * A[c * row + k * step];
            }
            own[c * step] = s / A[c * row + c * step];
            d -= own[c * step] * own[c * step];
        }
        if (!(d > tolerance * own[i * step] && d > BESIDE_LARGEST * tolerance * largest)) {
            return factored(i, n, found);
        }
        note(&found, d);
        own[i * step] = sqrt(d);
    }
    return factored(n, n, found);
}

soa_factored soa_cholesky(size_t n, double *A, double tolerance)
{
    return factor_by(n, 1, A, tolerance);
}

void soa_cholesky_solve(size_t n, const double *L, double *x)
{
    for (size_t i = 0; i < n; i++) { /* L^-1 */
        for (size_t k = 0; k < i; k++) {
            x[i] -= L[i * n + k] * x[k];
        }
        x[i] /= L[i * n + i];
    }
    for (size_t i = n; i-- > 0;) { /* L^-* */
        for (size_t k = i + 1; k < n; k++) {
            x[i] -= L[k * n + i] * x[k];
        }
        x[i] /= L[i * n + i];
    }
}

/* The lower triangle L becomes that of (L L*)^-1 = L^-* L^-1, and the upper one its mirror. */
static inline void invert_by(size_t n, size_t step, double *B)
{
    const size_t row = n * step;
    for (size_t j = 0; j < n; j++) { /* L^-1, column by column */
        B[j * row + j * step] = 1.0 / B[j * row + j * step];
        for (size_t i = j + 1; i < n; i++) {
            double s = 0.0;
            for (size_t c = j; c < i; c++) {
                s -= B[i * row + c * step] * B[c * row + j * step];
            }
            B[i * row + j * step] = s / B[i * row + i * step];
        }
    }
    for (size_t i = 0; i < n; i++) { /* row i of the product needs rows from i on only */
        for (size_t j = 0; j <= i; j++) {
            double s = 0.0;
            for (size_t c = i; c < n; c++) {
                s += B[c * row + i * step] * B[c * row + j * step];
            }
            B[i * row + j * step] = B[j * row + i * step] = s;
        }
    }
}

static inline soa_factored inverse_by(size_t n, size_t step, const double *A, double *B, double tolerance)
{
    for (size_t i = 0; i < n * n; i++) {
        B[i * step] = A[i * step];
    }
    const soa_factored found = factor_by(n, step, B, tolerance);
    if (found.rank == n) {
        invert_by(n, step, B);
    }
    return found;
}

/* The usual case for itself: without strides it is faster. */
soa_factored soa_cholesky_inverse(size_t n, size_t step, const double *A, double *B, double tolerance)
{
    return step == 1 ? inverse_by(n, 1, A, B, tolerance) : inverse_by(n, step, A, B, tolerance);
}

/* ---- L U ------------------------------------------------------------------------------------------ */

static void swap_rows(size_t n, double *a, double *b)
{
    for (size_t j = 0; a != b && j < n; j++) {
        const double x = a[j];
        a[j] = b[j];
        b[j] = x;
    }
}

soa_factored soa_lu(size_t n, double *A, size_t *order, double tolerance)
{
    pivots found = no_pivots;
    double largest = 0.0;
    for (size_t i = 0; i < n * n; i++) {
        largest = fmax(largest, fabs(A[i]));
    }
    for (size_t i = 0; i < n; i++) {
        order[i] = i;
    }
    for (size_t c = 0; c < n; c++) {
        size_t best = c;
        for (size_t i = c + 1; i < n; i++) {
            best = fabs(A[i * n + c]) > fabs(A[best * n + c]) ? i : best;
        }
        const double size = fabs(A[best * n + c]);
        if (!(size > tolerance * largest)) {
            return factored(c, n, found);
        }
        note(&found, size);
        swap_rows(n, A + c * n, A + best * n);
        const size_t from = order[c];
        order[c] = order[best];
        order[best] = from;
        for (size_t i = c + 1; i < n; i++) {
            const double factor = A[i * n + c] /= A[c * n + c];
            for (size_t j = c + 1; factor != 0.0 && j < n; j++) {
                A[i * n + j] -= factor * A[c * n + j];
            }
        }
    }
    return factored(n, n, found);
}

/* row -= factor other, so many columns */
static void subtract(size_t columns, double factor, const double *other, double *row)
{
    for (size_t j = 0; factor != 0.0 && j < columns; j++) {
        row[j] -= factor * other[j];
    }
}

void soa_lu_solve(size_t n, const double *LU, const size_t *order, size_t columns, const double *B, double *X)
{
    for (size_t i = 0; i < n; i++) { /* L^-1 */
        double *x = X + i * columns;
        if (B) {
            memcpy(x, B + order[i] * columns, columns * sizeof *x);
        } else {
            memset(x, 0, columns * sizeof *x);
            x[order[i]] = 1.0;
        }
        for (size_t k = 0; k < i; k++) {
            subtract(columns, LU[i * n + k], X + k * columns, x);
        }
    }
    for (size_t i = n; i-- > 0;) { /* U^-1 */
        double *x = X + i * columns;
        for (size_t k = i + 1; k < n; k++) {
            subtract(columns, LU[i * n + k], X + k * columns, x);
        }
        for (size_t j = 0; j < columns; j++) {
            x[j] /= LU[i * n + i];
        }
    }
}

/* ---- products --------------------------------------------------------------------------------------- */

void soa_multiply(size_t m, size_t n, const double *A, const double *x, double *y)
{
    for (size_t i = 0; i < m; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < n; j++) {
            sum += A[i * n + j] * x[j];
        }
        y[i] = sum;
    }
}

void soa_add_transposed(size_t m, size_t n, double factor, const double *A, const double *x, double *y)
{
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            y[j] += A[i * n + j] * (factor * x[i]);
        }
    }
}

void soa_multiply_add(size_t rows, soa_matrix_view a, soa_matrix_view b, soa_matrix_view y)
{
    for (size_t i = 0; i < rows; i++) {
        double *to = y.at + i * y.columns;
        for (size_t c = 0; c < a.columns; c++) {
            const double x = a.at[i * a.columns + c], *from = b.at + c * b.columns;
            for (size_t j = 0; x != 0.0 && j < b.columns; j++) {
                to[j] += x * from[j];
            }
        }
    }
}
