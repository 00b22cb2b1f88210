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

enum { MOST = 6, SWEEPS = 30 };

/* One rotation of Jacobi: S(p,q) becomes zero; V collects the rotations. */
static void rotate(int n, double (*S)[MOST], double (*V)[MOST], int p, int q)
{
    if (S[p][q] == 0.0) {
        return;
    }
    const double theta = (S[q][q] - S[p][p]) / (2.0 * S[p][q]);
    const double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < n; k++) {
        const double a = S[k][p], b = S[k][q];
        S[k][p] = c * a - s * b;
        S[k][q] = s * a + c * b;
    }
    for (int k = 0; k < n; k++) {
        const double a = S[p][k], b = S[q][k];
        S[p][k] = c * a - s * b;
        S[q][k] = s * a + c * b;
    }
    for (int k = 0; k < n; k++) {
        const double a = V[k][p], b = V[k][q];
        V[k][p] = c * a - s * b;
        V[k][q] = s * a + c * b;
    }
}

static double off_diagonal(int n, double (*S)[MOST])
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            sum += S[i][j] * S[i][j];
        }
    }
    return sum;
}

bool soa_block_root(int n, const double *A, double *B, bool inverse)
{
    double S[MOST][MOST], V[MOST][MOST] = { { 0.0 } }, largest = 0.0;
    for (int i = 0; i < n; i++) {
        V[i][i] = 1.0;
        for (int j = 0; j < n; j++) {
            S[i][j] = 0.5 * (A[i * MOST + j] + A[j * MOST + i]);
            largest = fmax(largest, fabs(S[i][j]));
        }
    }
    for (int sweep = 0; sweep < SWEEPS && off_diagonal(n, S) > 0.0; sweep++) {
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                rotate(n, S, V, p, q);
            }
        }
    }
    double value[MOST];
    for (int i = 0; i < n; i++) {
        if (!(S[i][i] > SOA_ROUNDED * largest)) {
            return false;
        }
        value[i] = inverse ? 1.0 / sqrt(S[i][i]) : sqrt(S[i][i]);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) {
                sum += V[i][k] * value[k] * V[j][k];
            }
            B[i * MOST + j] = sum;
        }
    }
    return true;
}
