/* closure/dense.c - Householder QR with pivots, least norm, and least squares with signs. */
#include "closure/dense.h"

#include <math.h>
#include <string.h>

static double column_square(int m, int n, const double *A, int from, int c)
{
    double sum = 0.0;
    for (int i = from; i < m; i++) {
        sum += A[i * n + c] * A[i * n + c];
    }
    return sum;
}

static void swap_columns(int m, int n, double *A, int *column, int a, int b)
{
    for (int i = 0; i < m && a != b; i++) {
        const double t = A[i * n + a];
        A[i * n + a] = A[i * n + b];
        A[i * n + b] = t;
    }
    const int t = column[a];
    column[a] = column[b];
    column[b] = t;
}

/* Reflects column k from row k on onto its first component; applies it to the columns after. */
static double reflect(int m, int n, double *A, int k, double square)
{
    const double norm = sqrt(square), head = A[k * n + k], beta = head > 0.0 ? -norm : norm;
    const double tau = (beta - head) / beta, scale = 1.0 / (head - beta);
    for (int i = k + 1; i < m; i++) {
        A[i * n + k] *= scale;
    }
    A[k * n + k] = beta;
    for (int c = k + 1; c < n; c++) {
        double sum = A[k * n + c];
        for (int i = k + 1; i < m; i++) {
            sum += A[i * n + k] * A[i * n + c];
        }
        sum *= tau;
        A[k * n + c] -= sum;
        for (int i = k + 1; i < m; i++) {
            A[i * n + c] -= sum * A[i * n + k];
        }
    }
    return tau;
}

int soa_factor_qr(int m, int n, double *A, double *tau, int *column, double tolerance)
{
    double top = 0.0;
    for (int c = 0; c < n; c++) {
        column[c] = c;
    }
    for (int k = 0; k < m && k < n; k++) {
        int best = k;
        double square = column_square(m, n, A, k, k);
        for (int c = k + 1; c < n; c++) {
            const double other = column_square(m, n, A, k, c);
            best = other > square ? c : best;
            square = fmax(square, other);
        }
        top = k == 0 ? square : top;
        if (!(square > tolerance * tolerance * top)) {
            return k;
        }
        swap_columns(m, n, A, column, k, best);
        tau[k] = reflect(m, n, A, k, square);
    }
    return m < n ? m : n;
}

void soa_apply_q(int m, int n, int rank, const double *A, const double *tau, int transposed, double *x)
{
    for (int s = 0; s < rank; s++) {
        const int k = transposed ? s : rank - 1 - s;
        double sum = x[k];
        for (int i = k + 1; i < m; i++) {
            sum += A[i * n + k] * x[i];
        }
        sum *= tau[k];
        x[k] -= sum;
        for (int i = k + 1; i < m; i++) {
            x[i] -= sum * A[i * n + k];
        }
    }
}

/* y with R* y = c, then x = Q y of R* = Q R2 P2: the least-norm x with R x = c, R rank x n in the upper part of A. */
static void least_norm(int rank, int n, const double *A, double *c, double *x, double *work)
{
    double *B = work, *tau = B + rank * n;
    int column[1];
    (void)column;
    for (int i = 0; i < n; i++) { /* B = R*, n x rank: its columns are independent, in order */
        for (int k = 0; k < rank; k++) {
            B[i * rank + k] = i >= k ? A[k * n + i] : 0.0;
        }
    }
    for (int k = 0; k < rank; k++) {
        tau[k] = reflect(n, rank, B, k, column_square(n, rank, B, k, k));
    }
    /* B = Q S, S upper: R = S* Q*, so S* y = c and x = Q y */
    for (int k = 0; k < rank; k++) {
        double sum = c[k];
        for (int i = 0; i < k; i++) {
            sum -= B[i * rank + k] * x[i];
        }
        x[k] = sum / B[k * rank + k];
    }
    for (int i = rank; i < n; i++) {
        x[i] = 0.0;
    }
    soa_apply_q(n, rank, rank, B, tau, 0, x);
}

int soa_least_squares(int m, int n, double *A, double *b, double *x, double *work, double tolerance)
{
    double *tau = work, *y = work + n;
    int *column = (int *)(void *)(work + 2 * n);
    const int rank = soa_factor_qr(m, n, A, tau, column, tolerance);
    soa_apply_q(m, n, rank, A, tau, 1, b);
    memset(y, 0, (size_t)n * sizeof *y);
    least_norm(rank, n, A, b, y, work + 3 * n);
    for (int c = 0; c < n; c++) {
        x[column[c]] = y[c];
    }
    return rank;
}

/* ---- signs -------------------------------------------------------------------------------------------- */

/* Least squares in the columns listed, at most six, which are independent. */
static void solve_listed(int count, const int *list, const double *A, const double b[6], double *z)
{
    double B[36], c[6], work[60];
    memcpy(c, b, sizeof c);
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < count; k++) {
            B[i * count + k] = A[6 * list[k] + i];
        }
    }
    soa_least_squares(6, count, B, c, z, work, 1e-12);
}

static void residual(int n, const double *A, const double b[6], const double *x, double r[6])
{
    memcpy(r, b, 6 * sizeof *r);
    for (int c = 0; c < n; c++) {
        for (int i = 0; i < 6 && x[c] != 0.0; i++) {
            r[i] -= A[6 * c + i] * x[c];
        }
    }
}

/* The column that would lessen the rest most, scaled; -1: none. */
static int steepest(int n, const double *A, const double r[6], const double *x)
{
    int best = -1;
    double most = 1e-12;
    for (int c = 0; c < n; c++) {
        double along = 0.0, square = 0.0;
        for (int i = 0; i < 6; i++) {
            along += A[6 * c + i] * r[i];
            square += A[6 * c + i] * A[6 * c + i];
        }
        along = square > 0.0 ? along / sqrt(square) : 0.0;
        if (x[c] == 0.0 && along > most) {
            most = along;
            best = c;
        }
    }
    return best;
}

double soa_nonnegative(int n, const double *A, const double b[6], double *x, double *work)
{
    int list[6], count = 0;
    double r[6], z[6];
    (void)work;
    memset(x, 0, (size_t)n * sizeof *x);
    residual(n, A, b, x, r);
    for (int round = 0; round < 30 * (n + 6) && count < 6; round++) {
        const int c = steepest(n, A, r, x);
        if (c < 0) {
            break;
        }
        list[count++] = c;
        for (int again = 0; again < 8; again++) {
            solve_listed(count, list, A, b, z);
            double by = 1.0;
            for (int k = 0; k < count; k++) {
                if (z[k] <= 0.0) {
                    by = fmin(by, x[list[k]] / (x[list[k]] - z[k] + 1e-300));
                }
            }
            int kept = 0;
            for (int k = 0; k < count; k++) {
                const double moved = x[list[k]] + by * (z[k] - x[list[k]]);
                x[list[k]] = moved > 1e-14 ? moved : 0.0;
                if (x[list[k]] > 0.0) {
                    list[kept++] = list[k];
                }
            }
            const int before = count;
            count = kept;
            if (by >= 1.0 || kept == before) {
                break;
            }
        }
        residual(n, A, b, x, r);
    }
    double square = 0.0;
    for (int i = 0; i < 6; i++) {
        square += r[i] * r[i];
    }
    return sqrt(square);
}
