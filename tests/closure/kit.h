/* tests/closure/kit.h - closed systems at random states, and their dense equations.
 *
 *     [ Mass  -J* ] [ vdot   ]   [ T - C ]
 *     [ J      0  ] [ lambda ] = [ -bias ]
 *
 * solved in long double by elimination with full pivots; where rows depend on others, lambda is the smallest. */
#ifndef SOA_TESTS_CLOSURE_KIT_H
#define SOA_TESTS_CLOSURE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soa/closure.h"

#define MOST_SYSTEMS 8

typedef struct closed_kit {
    soa_error error;
    int systems, nq, nv, rows;
    soa_model *model[MOST_SYSTEMS];
    soa_closures *set;
    unsigned long long seed;
    double *q, *v, *T, *vdot;
} closed_kit;

static inline void kit_ok(const char *file, int line, soa_status status, const soa_error *error)
{
    if (status != SOA_OK) {
        print_error("%s: %s\n", soa_status_text(status), error->text);
        _fail(file, line);
    }
}
#define OK(kit, call) kit_ok(__FILE__, __LINE__, (call), &(kit)->error)

static inline double largest(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fabs(x[i]) > most || isnan(x[i]) ? fabs(x[i]) : most;
    }
    return most;
}

/* x and expected agree to tolerance of the largest expected, or of `least`. */
static inline void near_at(const char *file, int line, const char *what, int n, const double *x, const double *expected,
    double tolerance, double least)
{
    const double scale = fmax(least, largest(n, expected));
    for (int i = 0; i < n; i++) {
        if (!(fabs(x[i] - expected[i]) <= tolerance * scale)) {
            print_error("%s[%d] = %.17g, expected %.17g: %.2e of %.2e\n", what, i, x[i], expected[i],
                fabs(x[i] - expected[i]), tolerance * scale);
            _fail(file, line);
        }
    }
}
#define NEAR(n, x, expected, tolerance) near_at(__FILE__, __LINE__, #x, n, x, expected, tolerance, 1.0)

/* Random numbers in [-1, 1), and whole ones below n. */
static inline double some(closed_kit *kit)
{
    return soa_model_random_number(&kit->seed);
}

static inline int some_of(closed_kit *kit, int n)
{
    const int i = (int)((some(kit) + 1.0) * 0.5 * n);
    return i < n ? i : n - 1;
}

static inline soa_pose some_pose(closed_kit *kit, double far)
{
    const double p[3] = { far * some(kit), far * some(kit), far * some(kit) };
    const double wxyz[4] = { some(kit), some(kit), some(kit), some(kit) + 1.5 };
    return soa_pose_from_quaternion(p, wxyz);
}

/* The set, with models already in the kit; a random state. */
static inline void kit_begin(closed_kit *kit, const soa_closures_room *room)
{
    const soa_model *model[MOST_SYSTEMS];
    for (int s = 0; s < kit->systems; s++) {
        model[s] = kit->model[s];
    }
    OK(kit, soa_closures_new(kit->systems, model, room, NULL, &kit->set, &kit->error));
    kit->nq = soa_closures_nq(kit->set);
    kit->nv = soa_closures_nv(kit->set);
    kit->q = calloc((size_t)(kit->nq + 3 * kit->nv) + 1, sizeof *kit->q);
    kit->v = kit->q + kit->nq;
    kit->T = kit->v + kit->nv;
    kit->vdot = kit->T + kit->nv;
}

static inline void kit_state(closed_kit *kit)
{
    double *q = kit->q;
    for (int s = 0; s < kit->systems; s++) {
        soa_random_configuration(kit->model[s], &kit->seed, q);
        q += soa_model_nq(kit->model[s]);
    }
    for (int i = 0; i < kit->nv; i++) {
        kit->v[i] = some(kit);
        kit->T[i] = 3.0 * some(kit);
    }
}

static inline void kit_end(closed_kit *kit)
{
    soa_closures_free(kit->set);
    for (int s = 0; s < kit->systems; s++) {
        soa_model_free(kit->model[s]);
    }
    free(kit->q);
}

/* ---- dense ------------------------------------------------------------------------------------------ */

typedef long double wide;

/* x = A^-1 x, n x n, full pivots; the rank. What cannot be determined is zero. */
static inline int wide_solve(int n, wide *A, wide *x, wide tolerance)
{
    int *column = calloc((size_t)n, sizeof *column), rank = 0;
    for (int i = 0; i < n; i++) {
        column[i] = i;
    }
    wide top = 0.0L;
    for (int c = 0; c < n; c++) {
        int p = c, s = c;
        for (int i = c; i < n; i++) {
            for (int j = c; j < n; j++) {
                if (fabsl(A[i * n + j]) > fabsl(A[p * n + s])) {
                    p = i, s = j;
                }
            }
        }
        top = c == 0 ? fabsl(A[p * n + s]) : top;
        if (!(fabsl(A[p * n + s]) > tolerance * top)) {
            break;
        }
        rank++;
        for (int j = 0; j < n; j++) {
            const wide t = A[c * n + j];
            A[c * n + j] = A[p * n + j], A[p * n + j] = t;
        }
        const wide t = x[c];
        x[c] = x[p], x[p] = t;
        for (int i = 0; i < n; i++) {
            const wide u = A[i * n + c];
            A[i * n + c] = A[i * n + s], A[i * n + s] = u;
        }
        const int k = column[c];
        column[c] = column[s], column[s] = k;
        for (int i = c + 1; i < n; i++) {
            const wide l = A[i * n + c] / A[c * n + c];
            for (int j = c; j < n; j++) {
                A[i * n + j] -= l * A[c * n + j];
            }
            x[i] -= l * x[c];
        }
    }
    wide *y = calloc((size_t)n, sizeof *y);
    for (int i = rank - 1; i >= 0; i--) {
        wide sum = x[i];
        for (int j = i + 1; j < rank; j++) {
            sum -= A[i * n + j] * y[column[j]];
        }
        y[column[i]] = sum / A[i * n + i];
    }
    memcpy(x, y, (size_t)n * sizeof *x);
    free(y);
    free(column);
    return rank;
}

/* Mass and C of all systems. */
static inline void dense_dynamics(closed_kit *kit, double *mass, double *C)
{
    int q = 0, v = 0;
    memset(mass, 0, (size_t)kit->nv * (size_t)kit->nv * sizeof *mass);
    for (int s = 0; s < kit->systems; s++) {
        const soa_model *m = kit->model[s];
        const int nv = soa_model_nv(m);
        soa_workspace *w = NULL;
        double *own = calloc((size_t)nv * (size_t)nv + 1, sizeof *own);
        OK(kit, soa_workspace_new(m, NULL, &w, &kit->error));
        OK(kit, soa_mass_matrix(m, w, 1, kit->q + q, own, &kit->error));
        OK(kit, soa_bias_force(m, w, 1, kit->q + q, kit->v + v, C + v, &kit->error));
        for (int i = 0; i < nv; i++) {
            memcpy(mass + (v + i) * kit->nv + v, own + i * nv, (size_t)nv * sizeof *own);
        }
        soa_workspace_free(w);
        free(own);
        q += soa_model_nq(m);
        v += nv;
    }
}

/* The smallest lambda with the same J* lambda: its part in the span of the columns of J, of which `rank` are independent.
 * They are made orthogonal, largest first, each against the others twice. */
static inline void smallest(int rows, int nv, int rank, const double *J, wide *lambda)
{
    wide *A = calloc((size_t)rows * (size_t)nv, sizeof *A), *x = calloc((size_t)rows, sizeof *x);
    for (int i = 0; i < rows * nv; i++) {
        A[i % nv * rows + i / nv] = J[i]; /* by columns */
    }
    for (int k = 0; k < rank; k++) {
        wide most = -1.0L;
        int best = k;
        for (int c = k; c < nv; c++) {
            wide square = 0.0L;
            for (int r = 0; r < rows; r++) {
                square += A[c * rows + r] * A[c * rows + r];
            }
            best = square > most ? c : best;
            most = square > most ? square : most;
        }
        wide along = 0.0L;
        for (int r = 0; r < rows; r++) {
            const wide t = A[best * rows + r];
            A[best * rows + r] = A[k * rows + r];
            A[k * rows + r] = t / sqrtl(most);
            along += A[k * rows + r] * lambda[r];
        }
        for (int r = 0; r < rows; r++) {
            x[r] += along * A[k * rows + r];
        }
        for (int c = k + 1, again = 0; c < nv; c += again, again = !again) {
            wide dot = 0.0L;
            for (int r = 0; r < rows; r++) {
                dot += A[k * rows + r] * A[c * rows + r];
            }
            for (int r = 0; r < rows; r++) {
                A[c * rows + r] -= dot * A[k * rows + r];
            }
        }
    }
    memcpy(lambda, x, (size_t)rows * sizeof *x);
    free(A);
    free(x);
}

/* vdot and lambda of the dense equations; the rank of the rows. */
static inline int dense_solve(closed_kit *kit, double *vdot, double *lambda)
{
    const int nv = kit->nv, rows = soa_closures_rows(kit->set), n = nv + rows;
    double *mass = calloc((size_t)(nv * nv + nv + rows * nv + rows) + 1, sizeof *mass);
    double *C = mass + nv * nv, *J = C + nv, *bias = J + rows * nv;
    wide *A = calloc((size_t)n * (size_t)n, sizeof *A), *x = calloc((size_t)n, sizeof *x);
    dense_dynamics(kit, mass, C);
    OK(kit, soa_closure_jacobian(kit->set, 1, kit->q, J, &kit->error));
    OK(kit, soa_closure_bias(kit->set, 1, kit->q, kit->v, bias, &kit->error));
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++) {
            A[i * n + j] = mass[i * nv + j];
        }
        for (int r = 0; r < rows; r++) {
            A[i * n + nv + r] = -(wide)J[r * nv + i];
            A[(nv + r) * n + i] = J[r * nv + i];
        }
        x[i] = (wide)kit->T[i] - C[i];
    }
    for (int r = 0; r < rows; r++) {
        x[nv + r] = -(wide)bias[r];
    }
    const int rank = wide_solve(n, A, x, 1e-14L) - nv;
    if (rank < rows) {
        smallest(rows, nv, rank, J, x + nv);
    }
    for (int i = 0; i < nv; i++) {
        vdot[i] = (double)x[i];
    }
    for (int r = 0; r < rows; r++) {
        lambda[r] = (double)x[nv + r];
    }
    free(mass);
    free(A);
    free(x);
    return rank;
}

#endif
