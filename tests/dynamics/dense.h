/* tests/dynamics/dense.h - factoring and solving dense systems, in long double. */
#ifndef SOA_TESTS_DYNAMICS_DENSE_H
#define SOA_TESTS_DYNAMICS_DENSE_H

#include "dynamics/jets.h"

/* A = L L* in place (lower triangle); false if A is not positive definite. */
static inline bool dense_factor(int n, num *A)
{
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            num s = A[i * n + j];
            for (int k = 0; k < j; k++) {
                s -= A[i * n + k] * A[j * n + k];
            }
            if (i == j && !(s > 0)) {
                return false;
            }
            A[i * n + j] = i == j ? sqrtl(s) : s / A[j * n + j];
        }
    }
    return true;
}

static inline void dense_solve(int n, const num *L, num *x)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= L[i * n + k] * x[k];
        }
        x[i] /= L[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            x[i] -= L[k * n + i] * x[k];
        }
        x[i] /= L[i * n + i];
    }
}

/* Gauss with pivots, for systems that are not definite; A is destroyed. */
static inline bool dense_gauss(int n, num *A, num *x)
{
    for (int j = 0; j < n; j++) {
        int best = j;
        for (int i = j + 1; i < n; i++) {
            best = fabsl(A[i * n + j]) > fabsl(A[best * n + j]) ? i : best;
        }
        for (int k = 0; k < n; k++) {
            const num t = A[j * n + k];
            A[j * n + k] = A[best * n + k];
            A[best * n + k] = t;
        }
        const num t = x[j];
        x[j] = x[best];
        x[best] = t;
        if (A[j * n + j] == 0) {
            return false;
        }
        for (int i = j + 1; i < n; i++) {
            const num r = A[i * n + j] / A[j * n + j];
            for (int k = j; k < n; k++) {
                A[i * n + k] -= r * A[j * n + k];
            }
            x[i] -= r * x[j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            x[i] -= A[i * n + k] * x[k];
        }
        x[i] /= A[i * n + i];
    }
    return true;
}

#endif
