/* expr/block_power.c - small dense matrices: inverses, and powers of blocks. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "expr/runner.h"

bool soa_block_inverse(int n, const double *A, double *B, double *room)
{
    const size_t N = (size_t)n;
    double *LU = room;
    size_t *order = (size_t *)(void *)(room + N * N);
    memcpy(LU, A, N * N * sizeof *LU);
    if (soa_lu(N, LU, order, SOA_ROUNDED).rank < N) {
        return false;
    }
    soa_lu_solve(N, LU, order, N, NULL, B);
    return true;
}

/* ---- powers ------------------------------------------------------------------------------------------ */

enum { SWEEPS = 30 };

/* One rotation of Jacobi: S(p,q) becomes zero; V collects the rotations. */
static void rotate(int n, double *S, double *V, int p, int q)
{
    if (S[p * n + q] == 0.0) {
        return;
    }
    const double theta = (S[q * n + q] - S[p * n + p]) / (2.0 * S[p * n + q]);
    const double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < n; k++) {
        const double a = S[k * n + p], b = S[k * n + q];
        S[k * n + p] = c * a - s * b;
        S[k * n + q] = s * a + c * b;
    }
    for (int k = 0; k < n; k++) {
        const double a = S[p * n + k], b = S[q * n + k];
        S[p * n + k] = c * a - s * b;
        S[q * n + k] = s * a + c * b;
    }
    for (int k = 0; k < n; k++) {
        const double a = V[k * n + p], b = V[k * n + q];
        V[k * n + p] = c * a - s * b;
        V[k * n + q] = s * a + c * b;
    }
}

static double off_diagonal(int n, double *S)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            sum += S[i * n + j] * S[i * n + j];
        }
    }
    return sum;
}

bool soa_block_root(int n, int stride, const double *A, double *B, bool inverse, double *room)
{
    double *S = room, *V = S + n * n, *value = V + n * n, largest = 0.0;
    memset(V, 0, (size_t)(n * n) * sizeof *V);
    for (int i = 0; i < n; i++) {
        V[i * n + i] = 1.0;
        for (int j = 0; j < n; j++) {
            S[i * n + j] = 0.5 * (A[i * stride + j] + A[j * stride + i]);
            largest = fmax(largest, fabs(S[i * n + j]));
        }
    }
    for (int sweep = 0; sweep < SWEEPS && off_diagonal(n, S) > 0.0; sweep++) {
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                rotate(n, S, V, p, q);
            }
        }
    }
    for (int i = 0; i < n; i++) {
        if (!(S[i * n + i] > SOA_ROUNDED * largest)) {
            return false;
        }
        value[i] = inverse ? 1.0 / sqrt(S[i * n + i]) : sqrt(S[i * n + i]);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) {
                sum += V[i * n + k] * value[k] * V[j * n + k];
            }
            B[i * stride + j] = sum;
        }
    }
    return true;
}
