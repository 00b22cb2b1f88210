/* modules/fe.c - modes and static deflections of large finite-element models: the stiffness in a band (reverse Cuthill and
 * McKee), factored by LAPACK; the lowest modes by ARPACK on K^-1 M. */
#include <arpack/arpack.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"

enum { MOST_BAND_MB = 4000, MOST_ITERATIONS = 1000 };

typedef struct solver {
    const soa_fe_problem *p;
    int *order; /* the dof that stands at each place of the band */
    int *place; /* of each dof */
    int band;   /* diagonals beside the main one */
    double *L;  /* n x (band + 1), column by column: the lower triangle */
    double *x;  /* n numbers in the order of the band */
} solver;

static soa_status fail(soa_error *error, soa_status status, const char *text)
{
    if (error) {
        error->status = status;
        snprintf(error->text, sizeof error->text, "%s", text);
    }
    return status;
}

/* ---- order --------------------------------------------------------------------------------------------- */

static int degree(const soa_fe_rows *K, int i)
{
    return K->start[i + 1] - K->start[i];
}

/* Breadth first from `root`: dofs to order from count on, neighbours by degree. Returns the new count. */
static int sweep(const solver *s, int root, int count, bool *seen)
{
    const soa_fe_rows *K = &s->p->K;
    s->order[count] = root;
    seen[root] = true;
    int end = count + 1;
    for (int at = count; at < end; at++) {
        const int row = s->order[at], first = end;
        for (int i = K->start[row]; i < K->start[row + 1]; i++) {
            const int c = K->column[i];
            if (!seen[c]) {
                int to = end++;
                seen[c] = true;
                for (; to > first && degree(K, s->order[to - 1]) > degree(K, c); to--) {
                    s->order[to] = s->order[to - 1];
                }
                s->order[to] = c;
            }
        }
    }
    return end;
}

static bool make_order(solver *s)
{
    const int n = s->p->n;
    bool *seen = calloc((size_t)n, sizeof *seen), *tried = calloc((size_t)n, sizeof *tried);
    for (int root = 0, count = 0; seen && tried && root < n; root++) {
        if (seen[root]) {
            continue;
        }
        memcpy(tried, seen, (size_t)n * sizeof *seen);
        const int last =
            s->order[sweep(s, root, count, tried) - 1]; /* far away from where we began: a good beginning */
        count = sweep(s, last, count, seen);
    }
    const bool good = seen && tried;
    free(seen);
    free(tried);
    for (int i = 0; i < n / 2; i++) {
        const int other = s->order[i];
        s->order[i] = s->order[n - 1 - i];
        s->order[n - 1 - i] = other;
    }
    for (int i = 0; i < n; i++) {
        s->place[s->order[i]] = i;
    }
    return good;
}

/* ---- K = L L* -------------------------------------------------------------------------------------------- */

static soa_status factor(solver *s, soa_error *error)
{
    const soa_fe_problem *p = s->p;
    for (int r = 0; r < p->n; r++) {
        for (int i = p->K.start[r]; i < p->K.start[r + 1]; i++) {
            const int distance = abs(s->place[r] - s->place[p->K.column[i]]);
            s->band = distance > s->band ? distance : s->band;
        }
    }
    const size_t size = (size_t)p->n * ((size_t)s->band + 1);
    if (size * sizeof *s->L > (size_t)MOST_BAND_MB << 20) {
        return fail(error, SOA_E_LIMIT, "the model needs a band of more than 4 GB; make it coarser");
    }
    s->L = calloc(size, sizeof *s->L);
    if (!s->L) {
        return fail(error, SOA_E_MEMORY, "out of memory");
    }
    for (int r = 0; r < p->n; r++) {
        for (int i = p->K.start[r]; i < p->K.start[r + 1]; i++) {
            const int a = s->place[r], b = s->place[p->K.column[i]];
            if (a >= b) {
                s->L[(size_t)b * ((size_t)s->band + 1) + (size_t)(a - b)] = p->K.value[i];
            }
        }
    }
    return LAPACKE_dpbtrf(LAPACK_COL_MAJOR, 'L', p->n, s->band, s->L, s->band + 1) == 0
               ? SOA_OK
               : fail(error, SOA_E_ARGUMENT,
                     "the stiffness of the clamped model is not positive definite: it can move without deforming; "
                     "name what to clamp, or look for parts that are not joined and elements with hourglass modes");
}

/* y = K^-1 x; x may be y. */
static void apply_inverse(solver *s, const double *x, double *y)
{
    for (int i = 0; i < s->p->n; i++) {
        s->x[i] = x[s->order[i]];
    }
    LAPACKE_dpbtrs(LAPACK_COL_MAJOR, 'L', s->p->n, s->band, 1, s->L, s->band + 1, s->x, s->p->n);
    for (int i = 0; i < s->p->n; i++) {
        y[s->order[i]] = s->x[i];
    }
}

static void apply_mass(const soa_fe_problem *p, const double *x, double *y)
{
    for (int r = 0; r < p->n; r++) {
        double sum = 0.0;
        for (int i = p->M.start[r]; i < p->M.start[r + 1]; i++) {
            sum += p->M.value[i] * x[p->M.column[i]];
        }
        y[r] = sum;
    }
}

/* ---- modes ----------------------------------------------------------------------------------------------- */

typedef struct lanczos {
    int ncv, lworkl, info;
    int iparam[11], ipntr[14], *select;
    double *resid, *v, *workd, *workl;
} lanczos;

static bool take_lanczos(lanczos *a, int n, int modes)
{
    a->ncv = 2 * modes + 20 < n ? 2 * modes + 20 : n;
    a->lworkl = a->ncv * (a->ncv + 8);
    a->resid = calloc((size_t)n, sizeof(double));
    a->v = calloc((size_t)n * (size_t)a->ncv, sizeof(double));
    a->workd = calloc(3 * (size_t)n, sizeof(double));
    a->workl = calloc((size_t)a->lworkl, sizeof(double));
    a->select = calloc((size_t)a->ncv, sizeof(int));
    return a->resid && a->v && a->workd && a->workl && a->select;
}

/* K^-1 M in the product of M, largest 1 / omega^2 first: ARPACK's mode 3 with shift 0. */
static bool iterate(solver *s, lanczos *a)
{
    const soa_fe_problem *p = s->p;
    int ido = 0;
    a->info = 1; /* begin with resid: the same numbers every time */
    for (int i = 0; i < p->n; i++) {
        a->resid[i] = 1.0 + 0.3 * sin(12.9898 * i);
    }
    a->iparam[0] = 1;
    a->iparam[2] = MOST_ITERATIONS;
    a->iparam[6] = 3;
    for (;;) {
        dsaupd_c(&ido, "G", p->n, "LM", p->modes, 0.0, a->resid, a->ncv, a->v, p->n, a->iparam, a->ipntr, a->workd,
            a->workl, a->lworkl, &a->info);
        double *x = a->workd + a->ipntr[0] - 1, *y = a->workd + a->ipntr[1] - 1;
        if (ido == -1) {
            apply_mass(p, x, y);
            apply_inverse(s, y, y);
        } else if (ido == 1) {
            apply_inverse(s, a->workd + a->ipntr[2] - 1, y);
        } else if (ido == 2) {
            apply_mass(p, x, y);
        } else {
            break;
        }
    }
    if (a->info != 0) {
        return false;
    }
    dseupd_c(true, "A", a->select, p->value, p->vector, p->n, 0.0, "G", p->n, "LM", p->modes, 0.0, a->resid, a->ncv,
        a->v, p->n, a->iparam, a->ipntr, a->workd, a->workl, a->lworkl, &a->info);
    return a->info == 0;
}

/* The largest number of a vector positive, so that signs do not depend on the iteration. */
static void fix_signs(const soa_fe_problem *p)
{
    for (int k = 0; k < p->modes; k++) {
        double *x = p->vector + (size_t)k * (size_t)p->n, largest = 0.0;
        for (int i = 0; i < p->n; i++) {
            largest = fabs(x[i]) > 1.01 * fabs(largest) ? x[i] : largest;
        }
        for (int i = 0; i < p->n && largest < 0.0; i++) {
            x[i] = -x[i];
        }
    }
}

static soa_status find_modes(solver *s, soa_error *error)
{
    lanczos a = { 0 };
    soa_status status = SOA_OK;
    if (s->p->modes >= s->p->n) {
        return fail(error, SOA_E_ARGUMENT, "as many modes as degrees of freedom; ask for fewer");
    }
    if (!take_lanczos(&a, s->p->n, s->p->modes)) {
        status = fail(error, SOA_E_MEMORY, "out of memory");
    } else if (!iterate(s, &a)) {
        status = fail(error, SOA_E_NUMBER, "the modes of the clamped model do not converge; ask for fewer");
    } else {
        fix_signs(s->p);
    }
    free(a.resid);
    free(a.v);
    free(a.workd);
    free(a.workl);
    free(a.select);
    return status;
}

static soa_status solve(void *context, const soa_fe_problem *problem, soa_error *error)
{
    (void)context;
    const size_t n = (size_t)problem->n;
    solver s = {
        .p = problem, .order = calloc(n, sizeof(int)), .place = calloc(n, sizeof(int)), .x = calloc(n, sizeof(double))
    };
    soa_status status =
        s.order && s.place && s.x && make_order(&s) ? SOA_OK : fail(error, SOA_E_MEMORY, "out of memory");
    status = status == SOA_OK ? factor(&s, error) : status;
    status = status == SOA_OK ? find_modes(&s, error) : status;
    for (int i = 0; i < problem->loads && status == SOA_OK; i++) {
        apply_inverse(&s, problem->load + (size_t)i * n, problem->load + (size_t)i * n);
    }
    free(s.order);
    free(s.place);
    free(s.x);
    free(s.L);
    return status;
}

__attribute__((visibility("default"))) extern const module_fe_table soa_module;
const module_fe_table soa_module = { { solve, NULL } };
