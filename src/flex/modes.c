/* flex/modes.c - modes of a clamped model: its lowest eigenvectors, and static deflections made orthogonal to them. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/eigen.h"
#include "core/error.h"
#include "flex/fe.h"

/* ---- parts that do not depend on each other --------------------------------------------------------
 * The axial motion of a beam, its torsion and its bending in either plane are problems of their own. Solved one by one
 * they stay apart also where frequencies are equal, and take less time. */

/* The first dof of the part of i. */
static int root_of(int *up, int i)
{
    while (up[i] != i) {
        up[i] = up[up[i]];
        i = up[i];
    }
    return i;
}

static void join(int *up, int n, const soa_fe_rows *A)
{
    for (int r = 0; r < n; r++) {
        for (int i = A->start[r]; i < A->start[r + 1]; i++) {
            const int a = root_of(up, r), b = root_of(up, A->column[i]);
            if (A->value[i] != 0.0 && a != b) {
                up[a > b ? a : b] = a > b ? b : a;
            }
        }
    }
}

typedef struct part {
    int n;
    int *dof;      /* n of the whole problem */
    double *K;     /* n x n, then its Cholesky factor */
    double *M;     /* n x n, then vectors row by row */
    double *value; /* n values 1 / omega^2, ascending */
} part;

/* index: where each dof of the whole problem stands in its part. */
static void copy_rows(const part *p, const soa_fe_rows *A, const int *index, double *to)
{
    memset(to, 0, (size_t)p->n * (size_t)p->n * sizeof *to);
    for (int r = 0; r < p->n; r++) {
        for (int i = A->start[p->dof[r]]; i < A->start[p->dof[r] + 1]; i++) {
            if (A->value[i] != 0.0) {
                to[(size_t)r * (size_t)p->n + (size_t)index[A->column[i]]] = A->value[i];
            }
        }
    }
}

static soa_status solve_part(
    soa_arena *arena, const soa_fe_problem *problem, part *p, const int *index, soa_error *error)
{
    if (p->n > SOA_MAX_DENSE_DOFS) {
        return soa_fail(error, SOA_E_LIMIT, -1,
            "%d clamped degrees of freedom depend on each other, more than %d; reduce the model with 'soa flex' and "
            "its module fe (LAPACK, ARPACK), or make it coarser",
            p->n, SOA_MAX_DENSE_DOFS);
    }
    const size_t n = (size_t)p->n;
    double *work = soa_arena_take(arena, n, sizeof *work);
    p->K = soa_arena_take(arena, n * n, sizeof *p->K);
    p->M = soa_arena_take(arena, n * n, sizeof *p->M);
    p->value = soa_arena_take(arena, n, sizeof *p->value);
    if (arena->failed) {
        return soa_fail_memory(error);
    }
    copy_rows(p, &problem->K, index, p->K);
    copy_rows(p, &problem->M, index, p->M);
    switch (soa_pencil(n, p->K, p->M, p->value, work)) {
    case SOA_PENCIL_INDEFINITE:
        return soa_fail(error, SOA_E_ARGUMENT, -1,
            "the stiffness of the clamped model is not positive definite: it can move without deforming; name what "
            "to clamp, or look for parts that are not joined and elements with hourglass modes");
    case SOA_PENCIL_NOT_FINITE:
        return soa_fail(error, SOA_E_NUMBER, -1, "the modes of the clamped model are not finite numbers");
    default:
        return SOA_OK;
    }
}

/* Parts from the joined dofs: how many there are, their dofs and the index of each. */
static int find_parts(int n, int *up, part *parts, int *index, int *dofs)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (root_of(up, i) == i) {
            parts[count].n = 0;
            index[i] = count++;
        }
    }
    for (int i = 0; i < n; i++) {
        parts[index[root_of(up, i)]].n++;
    }
    for (int p = 0; p < count; p++) {
        parts[p].dof = dofs;
        dofs += parts[p].n;
        parts[p].n = 0;
    }
    for (int i = n; i-- > 0;) {
        const int p = index[root_of(up, i)];
        parts[p].dof[parts[p].n++] = i; /* descending; turned around below */
    }
    for (int p = 0; p < count; p++) {
        for (int i = 0; i < parts[p].n / 2; i++) {
            const int d = parts[p].dof[i];
            parts[p].dof[i] = parts[p].dof[parts[p].n - 1 - i];
            parts[p].dof[parts[p].n - 1 - i] = d;
        }
    }
    for (int p = 0; p < count; p++) {
        for (int i = 0; i < parts[p].n; i++) {
            index[parts[p].dof[i]] = i;
        }
    }
    return count;
}

/* The sign that makes the largest number of a vector positive. Of nearly equal ones the first counts. */
static double sign_of(int n, const double *x)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(x[i]));
    }
    for (int i = 0; i < n; i++) {
        if (fabs(x[i]) > 0.99 * largest) {
            return x[i] < 0.0 ? -1.0 : 1.0;
        }
    }
    return 1.0;
}

/* Takes the largest 1 / omega^2 of all parts, one after another. Each part gives its last that is left. */
static soa_status pick(const soa_fe_problem *problem, part *parts, int count, int *left, soa_error *error)
{
    for (int p = 0; p < count; p++) {
        left[p] = parts[p].n;
    }
    for (int mode = 0; mode < problem->modes; mode++) {
        int best = -1;
        for (int p = 0; p < count; p++) {
            if (left[p] > 0 && (best < 0 || parts[p].value[left[p] - 1] > parts[best].value[left[best] - 1])) {
                best = p;
            }
        }
        const part *from = best >= 0 ? &parts[best] : NULL;
        const double mu = from ? from->value[left[best] - 1] : 0.0;
        if (!from || !(mu > 1e-14 * problem->value[0] * (mode > 0)) || !(mu > 0.0)) {
            return soa_fail(error, SOA_E_ARGUMENT, -1,
                "the clamped model has only %d modes with mass; ask for fewer than %d", mode, problem->modes);
        }
        const double *x = from->M + (size_t)--left[best] * (size_t)from->n;
        const double scale = sign_of(from->n, x) / sqrt(mu);
        double *to = problem->vector + (size_t)mode * (size_t)problem->n;
        memset(to, 0, (size_t)problem->n * sizeof *to);
        for (int i = 0; i < from->n; i++) {
            to[from->dof[i]] = scale * x[i];
        }
        problem->value[mode] = mu;
    }
    return SOA_OK;
}

static void deflect(const soa_fe_problem *problem, const part *p, double *x)
{
    for (int load = 0; load < problem->loads; load++) {
        double *f = problem->load + (size_t)load * (size_t)problem->n;
        for (int i = 0; i < p->n; i++) {
            x[i] = f[p->dof[i]];
        }
        soa_cholesky_solve((size_t)p->n, p->K, x);
        for (int i = 0; i < p->n; i++) {
            f[p->dof[i]] = x[i];
        }
    }
}

/* Modes and static deflections of a clamped model, as soa_fe_problem says, with dense matrices. */
static soa_status dense_modes(soa_arena *arena, const soa_fe_problem *problem, soa_error *error)
{
    const size_t n = (size_t)problem->n;
    int *up = soa_arena_take(arena, n, sizeof *up), *index = soa_arena_take(arena, n, sizeof *index);
    int *dofs = soa_arena_take(arena, n, sizeof *dofs), *left = soa_arena_take(arena, n, sizeof *left);
    double *x = soa_arena_take(arena, n, sizeof *x);
    part *parts = soa_arena_take(arena, n, sizeof *parts);
    if (arena->failed) {
        return soa_fail_memory(error);
    }
    for (int i = 0; i < problem->n; i++) {
        up[i] = i;
    }
    join(up, problem->n, &problem->K);
    join(up, problem->n, &problem->M);
    const int count = find_parts(problem->n, up, parts, index, dofs);
    soa_status status = SOA_OK;
    for (int p = 0; p < count && status == SOA_OK; p++) {
        status = solve_part(arena, problem, &parts[p], index, error);
        if (status == SOA_OK) {
            deflect(problem, &parts[p], x);
        }
    }
    SOA_NEXT(status, pick(problem, parts, count, left, error));
    for (int i = 0; i < problem->modes && status == SOA_OK; i++) {
        problem->value[i] = 1.0 / problem->value[i];
    }
    return status;
}

/* ---- static deflections as modes ---------------------------------------------------------------------- */

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* What is left of a deflection beside modes that say nearly the same is dropped below this share of its length. */
#define NEW_SHAPE 1e-6

/* x of unit length x* M x, made orthogonal to the vectors so far (y = M x at the end); false: nothing new is left of it. */
static bool orthogonal(const soa_sparse *M, int count, const double *Pi, const double *MPi, double *x, double *y)
{
    const int n = M->n;
    soa_sparse_apply(M, x, y);
    const double length = sqrt(dot(n, x, y));
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < count; k++) {
            const double a = dot(n, x, MPi + (size_t)k * (size_t)n);
            for (int i = 0; i < n; i++) {
                x[i] -= a * Pi[(size_t)k * (size_t)n + (size_t)i];
            }
        }
    }
    soa_sparse_apply(M, x, y);
    const double rest = sqrt(fmax(0.0, dot(n, x, y)));
    if (!(rest > NEW_SHAPE * length)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        x[i] /= rest;
        y[i] /= rest;
    }
    return true;
}

/* Rows a..b of X, which are orthonormal, turned so that their stiffness is diagonal. */
static soa_status turn_to_modes(
    soa_arena *arena, const soa_sparse *K, int count, double *X, double *value, soa_error *error)
{
    const size_t m = (size_t)count, n = (size_t)K->n;
    double *k = soa_arena_take(arena, m * m, sizeof *k), *work = soa_arena_take(arena, m, sizeof *work);
    double *y = soa_arena_take(arena, n, sizeof *y), *old = soa_arena_take(arena, m * n, sizeof *old);
    if (arena->failed) {
        return soa_fail_memory(error);
    }
    for (size_t i = 0; i < m; i++) {
        soa_sparse_apply(K, X + i * n, y);
        for (size_t j = 0; j <= i; j++) {
            k[i * m + j] = k[j * m + i] = dot(K->n, X + j * n, y);
        }
    }
    memcpy(old, X, m * n * sizeof *old);
    if (!soa_eigen(m, k, value, work)) {
        return soa_fail(error, SOA_E_NUMBER, -1, "the static deflections at the interfaces are not finite numbers");
    }
    memset(X, 0, m * n * sizeof *X);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < m; j++) {
            for (size_t c = 0; c < n; c++) {
                X[i * n + c] += k[i * m + j] * old[j * n + c];
            }
        }
        const double sign = sign_of(K->n, X + i * n);
        for (size_t c = 0; c < n; c++) {
            X[i * n + c] *= sign;
        }
    }
    return SOA_OK;
}

soa_status soa_clamped_modes(
    soa_arena *arena, const soa_clamped *clamped, int *count, double **value, double **Pi, soa_error *error)
{
    const soa_sparse *K = &clamped->K, *M = &clamped->M;
    const size_t n = (size_t)K->n, most = (size_t)clamped->modes + (size_t)clamped->loads;
    if (most > SOA_MAX_MODES) {
        return soa_fail(error, SOA_E_LIMIT, -1, "%d modes and %d constraint modes are more than %d; keep fewer modes",
            clamped->modes, clamped->loads, SOA_MAX_MODES);
    }
    double *X = soa_arena_take(arena, most * n, sizeof *X), *MX = soa_arena_take(arena, most * n, sizeof *MX);
    *value = soa_arena_take(arena, most, sizeof **value);
    *Pi = X;
    if (arena->failed) {
        return soa_fail_memory(error);
    }
    const soa_fe_problem problem = { K->n, clamped->modes, clamped->loads, { K->start, K->column, K->value },
        { M->start, M->column, M->value }, *value, X, clamped->load };
    const soa_fe_solver *solver = K->n > SOA_MAX_DENSE_DOFS ? clamped->solver : NULL;
    const soa_status status =
        solver ? solver->solve(solver->context, &problem, error) : dense_modes(arena, &problem, error);
    if (status != SOA_OK) {
        return status;
    }
    int m = clamped->modes;
    for (int i = 0; i < m; i++) {
        soa_sparse_apply(M, X + (size_t)i * n, MX + (size_t)i * n);
    }
    for (int i = 0; i < clamped->loads; i++) {
        double *x = X + (size_t)m * n;
        memcpy(x, clamped->load + (size_t)i * n, n * sizeof *x);
        m += orthogonal(M, m, X, MX, x, MX + (size_t)m * n);
    }
    *count = m;
    const int extra = m - clamped->modes;
    return extra == 0 ? SOA_OK
                      : turn_to_modes(arena, K, extra, X + (size_t)clamped->modes * n, *value + clamped->modes, error);
}
