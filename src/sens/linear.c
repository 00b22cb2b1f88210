/* sens/linear.c - linear models in steps of time: the matrix exponential. */
#include "soa/linear.h"

#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/error.h"
#include "core/memory.h"

/* ---- matrix exponential ------------------------------------------------------------------------
 *
 * exp(A) = (r(A / 2^s))^(2^s), r = (V - U)^-1 (V + U) the Pade approximant of degree 13, which is
 * exact to double precision for a norm up to THETA (Higham 2005). */

#define THETA 5.371920351148152

static const double PADE[14] = { 64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0,
    129060195264000.0, 10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0,
    182.0, 1.0 };

/* c = a b */
static void multiply(size_t n, double *a, double *b, double *c)
{
    memset(c, 0, n * n * sizeof *c);
    soa_multiply_add(n, (soa_matrix_view){ a, n }, (soa_matrix_view){ b, n }, (soa_matrix_view){ c, n });
}

/* The largest sum of a column of |A|. */
static double norm_1(size_t n, const double *A)
{
    double most = 0.0;
    for (size_t j = 0; j < n; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < n; i++) {
            sum += fabs(A[i * n + j]);
        }
        most = sum > most || isnan(sum) ? sum : most;
    }
    return most;
}

/* y = c[0] a6 + c[1] a4 + c[2] a2 + c[3] I */
static void combine(size_t n, const double c[4], const double *const power[3], double *y)
{
    for (size_t i = 0; i < n * n; i++) {
        y[i] = c[0] * power[2][i] + c[1] * power[1][i] + c[2] * power[0][i] + (i % (n + 1) == 0 ? c[3] : 0.0);
    }
}

/* A result that is not finite is NaN. */
static void spoil(size_t n, double *x)
{
    for (size_t i = 0; x && i < n; i++) {
        x[i] = NAN;
    }
}

enum { SQUARES = 7 };

struct soa_linear_workspace {
    soa_allocator allocator;
    int rows;
    double *work; /* SQUARES matrices, and one more for steps */
};

soa_status soa_linear_workspace_new(
    int rows, const soa_allocator *allocator, soa_linear_workspace **out, soa_error *error)
{
    if (!out || rows < 0) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "a workspace for exponentials needs a number of rows and a place");
    }
    const soa_allocator from = allocator ? *allocator : soa_allocator_default();
    soa_linear_workspace *w = *out = soa_allocate(&from, 1, sizeof *w);
    if (!w) {
        return soa_fail_memory(error);
    }
    const size_t n = (size_t)rows;
    *w = (soa_linear_workspace){ .allocator = from, .rows = rows };
    w->work = n < 1U << 20 ? soa_allocate(&from, (SQUARES + 1) * n * n + 1, sizeof(double)) : NULL;
    if (!w->work) {
        soa_linear_workspace_free(w);
        *out = NULL;
        return soa_fail_memory(error);
    }
    return SOA_OK;
}

void soa_linear_workspace_free(soa_linear_workspace *w)
{
    if (w) {
        const soa_allocator allocator = w->allocator;
        soa_release(&allocator, w->work);
        soa_release(&allocator, w);
    }
}

static soa_status check_room(const soa_linear_workspace *w, int rows, soa_error *error)
{
    if (!w) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the workspace is missing");
    }
    return rows <= w->rows ? SOA_OK
                           : soa_fail(error, SOA_E_LIMIT, -1,
                                 "%d rows, but the workspace has room for %d; make one with soa_linear_workspace_new",
                                 rows, w->rows);
}

/* E = r(A); work[0] is A. */
static bool pade(size_t n, double *const work[SQUARES], double *E)
{
    double *A = work[0], *a2 = work[1], *a4 = work[2], *a6 = work[3], *U = work[4], *V = work[5], *t = work[6];
    const double *const power[3] = { a2, a4, a6 };
    multiply(n, A, A, a2);
    multiply(n, a2, a2, a4);
    multiply(n, a4, a2, a6);
    combine(n, (const double[4]){ PADE[13], PADE[11], PADE[9], 0.0 }, power, V);
    multiply(n, a6, V, t);
    combine(n, (const double[4]){ PADE[7], PADE[5], PADE[3], PADE[1] }, power, V);
    for (size_t i = 0; i < n * n; i++) {
        t[i] += V[i];
    }
    multiply(n, A, t, U);
    combine(n, (const double[4]){ PADE[12], PADE[10], PADE[8], 0.0 }, power, t);
    multiply(n, a6, t, V);
    combine(n, (const double[4]){ PADE[6], PADE[4], PADE[2], PADE[0] }, power, t);
    for (size_t i = 0; i < n * n; i++) {
        const double even = V[i] + t[i];
        t[i] = even - U[i];
        V[i] = even + U[i];
    }
    size_t *order = (size_t *)(void *)a2;
    if (soa_lu(n, t, order, 0.0).rank < n) {
        return false;
    }
    soa_lu_solve(n, t, order, n, V, E);
    return true;
}

soa_status soa_linear_exponential(soa_linear_workspace *w, int n, const double *A, double *E, soa_error *error)
{
    if (n < 0 || (n > 0 && (!A || !E))) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the exponential needs a square matrix and room for it");
    }
    const soa_status room = check_room(w, n, error);
    if (room != SOA_OK) {
        return room;
    }
    const size_t size = (size_t)n * (size_t)n;
    double *part[SQUARES];
    for (size_t i = 0; i < SQUARES; i++) {
        part[i] = w->work + i * size;
    }
    int squarings = 0;
    const double norm = norm_1((size_t)n, A);
    if (!isfinite(norm)) {
        spoil(size, E);
        return soa_fail(error, SOA_E_NUMBER, -1, "the matrix whose exponential is wanted is not finite, or too large");
    }
    if (norm > THETA) {
        frexp(norm / THETA, &squarings);
    }
    for (size_t i = 0; i < size; i++) {
        part[0][i] = ldexp(A[i], -squarings);
    }
    bool good = pade((size_t)n, part, E);
    for (int s = 0; good && s < squarings; s++) {
        memcpy(part[0], E, size * sizeof *E);
        multiply((size_t)n, part[0], part[0], E);
    }
    if (good && isfinite(norm_1((size_t)n, E))) {
        return SOA_OK;
    }
    spoil(size, E);
    return soa_fail(error, SOA_E_NUMBER, -1, "the exponential of the matrix is too large a number");
}

/* exp([A B; 0 0] dt) = [Ad Bd; 0 I] */
soa_status soa_linear_discrete(soa_linear_workspace *w, int n, int m, const double *A, const double *B, double dt,
    double *Ad, double *Bd, soa_error *error)
{
    if (n < 0 || m < 0 || (n > 0 && (!A || !Ad)) || (n > 0 && m > 0 && (!B || !Bd))) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "steps in time need A, B and room for the result");
    }
    const soa_status room = check_room(w, n + m, error);
    if (room != SOA_OK) {
        return room;
    }
    if (!isfinite(dt) || dt < 0.0) {
        spoil((size_t)n * (size_t)n, Ad);
        spoil((size_t)n * (size_t)m, Bd);
        return soa_fail(error, SOA_E_NUMBER, -1, "the step %g is not a time", dt);
    }
    const size_t N = (size_t)n, M = (size_t)m, size = N + M;
    double *whole = w->work + SQUARES * size * size;
    memset(whole, 0, size * size * sizeof *whole);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < size; j++) {
            whole[i * size + j] = dt * (j < N ? A[i * N + j] : B[i * M + j - N]);
        }
    }
    const soa_status status = soa_linear_exponential(w, n + m, whole, whole, error);
    for (size_t i = 0; i < N; i++) { /* NaN if it failed */
        memcpy(Ad + i * N, whole + i * size, N * sizeof *Ad);
        if (M > 0) {
            memcpy(Bd + i * M, whole + i * size + N, M * sizeof *Bd);
        }
    }
    return status;
}
