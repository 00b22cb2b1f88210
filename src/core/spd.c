/* core/spd.c - A = L L* and A^-1 x. */
#include "core/spd.h"

#include <math.h>
#include <stddef.h>

int soa_factor_spd(int n, double *A)
{
    const size_t N = (size_t)n;
    for (size_t j = 0; j < N; j++) {
        double *row = A + j * N, d = row[j];
        for (size_t c = 0; c < j; c++) {
            double s = row[c];
            for (size_t k = 0; k < c; k++) {
                s -= row[k] * A[c * N + k];
            }
            row[c] = s / A[c * N + c];
            d -= row[c] * row[c];
        }
        if (!(d > 1e-14 * row[j])) {
            return (int)j;
        }
        row[j] = sqrt(d);
    }
    return -1;
}

void soa_solve_spd(int n, const double *L, double *x)
{
    const size_t N = (size_t)n;
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < i; k++) {
            x[i] -= L[i * N + k] * x[k];
        }
        x[i] /= L[i * N + i];
    }
    for (size_t i = N; i-- > 0;) {
        for (size_t k = i + 1; k < N; k++) {
            x[i] -= L[k * N + i] * x[k];
        }
        x[i] /= L[i * N + i];
    }
}
