/* tests/flex/modal_mass.h - the mass matrix and the frequencies of a flexible link that moves freely or on joints. */
#ifndef SOA_TESTS_MODAL_MASS_H
#define SOA_TESTS_MODAL_MASS_H

#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/eigen.h"
#include "soa/flexible.h"

enum { FULL_MOST = SOA_MAX_MODES + 6 };

/* [ ee er ; er* Mrr ] of the link that is not deformed, (m + 6) x (m + 6); the rigid motion (w; v) is last. */
static inline void modal_mass(const soa_flexible *f, double *A)
{
    const int m = f->modes, n = m + 6;
    const double *J = f->second, *c = f->first;
    const double rigid[6][6] = { { J[0], J[1], J[2], 0, -c[2], c[1] }, { J[1], J[3], J[4], c[2], 0, -c[0] },
        { J[2], J[4], J[5], -c[1], c[0], 0 }, { 0, c[2], -c[1], f->mass, 0, 0 }, { -c[2], 0, c[0], 0, f->mass, 0 },
        { c[1], -c[0], 0, 0, 0, f->mass } };
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const int e = i < m ? i : j, r = (i < m ? j : i) - m;
            A[i * n + j] = i < m && j < m     ? f->ee[i * m + j]
                           : i >= m && j >= m ? rigid[i - m][j - m]
                           : r < 3            ? f->en[3 * e + r]
                                              : f->ef[3 * e + r - 3];
        }
    }
}

/* omega^2 of the link whose rigid motions (w; v) are free where freed says so, ascending; returns how many. Rigid motions
 * have 0: what is solved is (K + shift M) x = (omega^2 + shift) M x. */
static inline int free_values(const soa_flexible *f, const bool freed[6], double shift, double *value)
{
    static double A[FULL_MOST * FULL_MOST], M[FULL_MOST * FULL_MOST], K[FULL_MOST * FULL_MOST], work[FULL_MOST];
    const int m = f->modes;
    int keep[FULL_MOST], n = 0;
    modal_mass(f, A);
    for (int i = 0; i < m + 6; i++) {
        if (i < m || freed[i - m]) {
            keep[n++] = i;
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            M[i * n + j] = A[keep[i] * (m + 6) + keep[j]];
            K[i * n + j] = shift * M[i * n + j] + (i < m && j < m ? f->stiffness[i * m + j] : 0.0);
        }
    }
    if (soa_pencil((size_t)n, K, M, value, work) != SOA_PENCIL_OK) {
        return -1;
    }
    for (int i = 0; i < n / 2; i++) { /* 1 / (omega^2 + shift) ascends */
        const double x = value[i];
        value[i] = value[n - 1 - i];
        value[n - 1 - i] = x;
    }
    for (int i = 0; i < n; i++) {
        value[i] = 1.0 / value[i] - shift;
    }
    return n;
}

#endif
