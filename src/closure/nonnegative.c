/* closure/nonnegative.c - least squares with signs. */
#include "closure/nonnegative.h"

#include <math.h>
#include <string.h>

#include "core/dense.h"

/* Least squares in the columns listed, at most six, which are independent. */
static void solve_listed(int count, const int *list, const double *A, const double b[6], double *z)
{
    double B[36], c[6], work[60]; /* soa_least_squares_work(6) */
    memcpy(c, b, sizeof c);
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < count; k++) {
            B[i * count + k] = A[6 * list[k] + i];
        }
    }
    soa_least_squares(6, (size_t)count, B, c, z, work, SOA_COMPUTED);
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

double soa_nonnegative(int n, const double *A, const double b[6], double *x)
{
    int list[6], count = 0;
    double r[6], z[6];
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
