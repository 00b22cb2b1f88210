/* closure/nullspace.c - closed forward dynamics by the motions that the rows leave free.
 *
 * With R J S = U Sigma V* and only what is kept of it, y = S^-1 vdot, Q = [V_k's span, Z] orthogonal:
 *     V_k* y = -Sigma_k^-1 U_k* R bias,      Z* S (Mass vdot + C - T) = 0
 *     lambda = R U_k Sigma_k^-1 V_k* S (Mass vdot + C - T)
 * Mass is not inverted: links without mass do no harm where the rows hold them. All is dense, for rows that
 * depend on each other nearly; solve.kernel.h is for all others. */
#include <math.h>
#include <string.h>

#include "closure/spectrum.h"
#include "core/dense.h"
#include "core/error.h"

typedef struct dense_solution {
    soa_spectrum s;
    double *bias;    /* by row */
    double *y;       /* by direction */
    double *M;       /* Mass; nv x nv */
    double *T;       /* T - C, and what slides */
    double *A, *tau; /* V_k, nv x kept, and its reflections */
    double *P;       /* Q* S Mass S Q */
    double *B;       /* kept x rows */
    double *x, *left;
    size_t *column;
} dense_solution;

size_t soa_dense_bytes(size_t rows, size_t nv, size_t nq)
{
    return 8 * (3 * rows * nv + rows * rows + 2 * nv * nv + 16 * (rows + nv + 8) + nq) + 32 * SOA_ALIGNMENT;
}

static bool take_solution(soa_closures *set, dense_solution *d)
{
    const size_t rows = (size_t)set->rows, nv = (size_t)set->nv, least = rows < nv ? rows : nv;
    soa_stack *stack = &set->stack;
    if (!soa_spectrum_take(set, &d->s)) {
        return false;
    }
    d->bias = soa_stack_take(stack, rows, sizeof(double));
    d->y = soa_stack_take(stack, rows, sizeof(double));
    d->M = soa_stack_take(stack, nv * nv, sizeof(double));
    d->P = soa_stack_take(stack, nv * nv, sizeof(double));
    d->T = soa_stack_take(stack, nv, sizeof(double));
    d->A = soa_stack_take(stack, nv * least, sizeof(double));
    d->tau = soa_stack_take(stack, nv, sizeof(double));
    d->x = soa_stack_take(stack, nv, sizeof(double));
    d->left = soa_stack_take(stack, nv, sizeof(double));
    d->B = soa_stack_take(stack, rows * least, sizeof(double));
    d->column = soa_stack_take(stack, rows, sizeof(size_t));
    return !stack->overflow;
}

/* ---- the equations ------------------------------------------------------------------------------- */

/* Mass of all systems, and T - C. */
static soa_status make_equations(
    soa_closures *set, const soa_closed_input *in, const dense_solution *d, soa_error *error)
{
    const size_t nv = (size_t)set->nv;
    soa_status status = SOA_OK;
    memset(d->M, 0, nv * nv * sizeof(double));
    memset(d->x, 0, nv * sizeof(double));
    for (size_t i = 0; in->identity && i < nv; i++) {
        d->M[i * nv + i] = 1.0;
        d->left[i] = 0.0;
    }
    for (int s = in->identity ? set->systems : 0; status == SOA_OK && s < set->systems; s++) {
        const soa_part *part = &set->part[s];
        const size_t n = (size_t)part->model->nv, at = (size_t)part->v;
        const double *q = in->q + part->q, *f = in->f ? in->f + 6 * part->node : NULL;
        const double *v = in->mode == SOA_SOLVE_MOTION && in->v ? in->v + at : NULL;
        double *C = d->left + at, *still = d->x + at; /* zeros */
        status = soa_mass_matrix(part->model, part->workspace, 1, q, d->P, error);
        for (size_t i = 0; status == SOA_OK && i < n; i++) {
            memcpy(d->M + (at + i) * nv + at, d->P + i * n, n * sizeof(double));
        }
        SOA_NEXT(status, soa_inverse_dynamics(part->model, part->workspace, 1, q, v, still, f, C, error));
        if (status == SOA_OK && in->mode == SOA_SOLVE_STEP) { /* gravity does not count */
            status = soa_inverse_dynamics(part->model, part->workspace, 1, q, NULL, still, NULL, d->P, error);
            for (size_t i = 0; i < n; i++) {
                C[i] -= d->P[i];
            }
        }
    }
    for (size_t i = 0; i < nv; i++) {
        d->T[i] = (in->T ? in->T[i] : 0.0) - d->left[i];
    }
    return status;
}

/* Rows, their spectrum and bias. */
static void make_rows_of(soa_closures *set, const soa_closed_input *in, dense_solution *d)
{
    soa_closed_input at = *in;
    at.v = in->mode == SOA_SOLVE_MOTION ? in->v : NULL;
    set->table->locate(set, &at);
    soa_spectrum_make(set, in->positions, &d->s);
    soa_spectrum_keep(set, in->positions, &d->s);
    if (in->mode == SOA_SOLVE_MOTION) {
        set->table->accelerate(set, &at, NULL, d->bias);
        for (int i = 0; i < set->ties; i++) {
            if (set->tie[i].enabled && !set->tie[i].coupling && set->tie[i].closure.kind == SOA_CLOSE_SLIDING) {
                set->table->pull(set, i, set->place[i].wrench, d->T);
            }
        }
        return;
    }
    for (int i = 0; i < set->rows; i++) {
        d->bias[i] = in->target && !(in->positions && set->row[i].rolls) ? in->target[i] : 0.0;
    }
}

/* ---- solving ---------------------------------------------------------------------------------------- */

/* x of the last components of P x, P positive definite there; false: it is not. The block moves to the front of P. */
static bool solve_free(size_t n, size_t first, double *P, double *x)
{
    const size_t m = n - first;
    for (size_t i = 0; i < m; i++) {
        memmove(P + i * m, P + (first + i) * n + first, m * sizeof *P);
    }
    if (m > 0 && soa_cholesky(m, P, SOA_ROUNDED).rank < m) {
        return false;
    }
    soa_cholesky_solve(m, P, x + first);
    return true;
}

/* A = V_k and its reflections; how many. */
static size_t span_rows(const soa_closures *set, const dense_solution *d)
{
    const int kept = d->s.count, nv = set->nv;
    for (int j = 0, at = 0; j < set->rows; j++) {
        for (int c = 0; d->s.kept[j] && c < nv; c++) {
            d->A[c * kept + at] = d->s.G[(size_t)j * (size_t)nv + (size_t)c] / d->s.size[j];
        }
        at += d->s.kept[j];
    }
    return soa_qr((size_t)nv, (size_t)kept, d->A, d->tau, d->column, 0.0).rank;
}

static void turn(const soa_closures *set, const dense_solution *d, size_t rank, double *x)
{
    soa_qr_apply_transposed((size_t)set->nv, (size_t)d->s.count, rank, d->A, d->tau, x);
}

/* P = Q* S Mass S Q: rows first, then columns. */
static void turn_mass(const soa_closures *set, const dense_solution *d, size_t rank)
{
    const size_t n = (size_t)set->nv;
    for (size_t i = 0; i < n; i++) {
        double *row = d->P + i * n;
        for (size_t c = 0; c < n; c++) {
            row[c] = d->s.S[i] * d->M[i * n + c] * d->s.S[c];
        }
        turn(set, d, rank, row);
    }
    for (size_t c = 0; c < n; c++) {
        for (size_t i = 0; i < n; i++) {
            d->x[i] = d->P[i * n + c];
        }
        turn(set, d, rank, d->x);
        for (size_t i = 0; i < n; i++) {
            d->P[i * n + c] = d->x[i];
        }
    }
}

/* vdot; false: what the rows leave free has no inertia. */
static bool solve_motion(const soa_closures *set, const dense_solution *d, double *vdot)
{
    const size_t n = (size_t)set->nv, rank = span_rows(set, d);
    turn_mass(set, d, rank);
    soa_spectrum_divide(set, &d->s, d->bias, d->y);
    soa_spectrum_motion(set, &d->s, d->y, vdot);
    for (size_t i = 0; i < n; i++) {
        vdot[i] = -vdot[i] / d->s.S[i];
        d->x[i] = d->s.S[i] * d->T[i];
    }
    turn(set, d, rank, vdot);
    turn(set, d, rank, d->x);
    for (size_t i = rank; i < n; i++) {
        for (size_t c = 0; c < rank; c++) {
            d->x[i] -= d->P[i * n + c] * vdot[c];
        }
    }
    if (!solve_free(n, rank, d->P, d->x)) {
        return false;
    }
    memcpy(vdot + rank, d->x + rank, (n - rank) * sizeof *vdot);
    soa_qr_apply(n, (size_t)d->s.count, rank, d->A, d->tau, vdot);
    for (size_t i = 0; i < n; i++) {
        vdot[i] *= d->s.S[i];
    }
    return true;
}

/* Takes the part of lambda along R u of the directions dropped off, of which none does anything; the rows of Q
 * dropped become those vectors, orthogonal. */
static void shorten(const soa_closures *set, const dense_solution *d, double *lambda)
{
    const int rows = set->rows;
    for (int j = 0; j < rows; j++) {
        double *n = d->s.Q + (size_t)j * (size_t)rows, square = 0.0, along = 0.0;
        if (d->s.kept[j]) {
            continue;
        }
        for (int i = 0; i < rows; i++) {
            n[i] *= d->s.R[i];
        }
        for (int other = 0; other < j; other++) {
            const double *m = d->s.Q + (size_t)other * (size_t)rows;
            double common = 0.0;
            for (int i = 0; !d->s.kept[other] && i < rows; i++) {
                common += m[i] * n[i];
            }
            for (int i = 0; !d->s.kept[other] && i < rows; i++) {
                n[i] -= common * m[i];
            }
        }
        for (int i = 0; i < rows; i++) {
            square += n[i] * n[i];
        }
        for (int i = 0; square > 0.0 && i < rows; i++) {
            n[i] /= sqrt(square);
            along += n[i] * lambda[i];
        }
        for (int i = 0; i < rows; i++) {
            lambda[i] -= along * n[i];
        }
    }
}

/* lambda from what the joints lack. */
static void solve_multipliers(const soa_closures *set, const dense_solution *d, const double *vdot)
{
    const size_t n = (size_t)set->nv, rows = (size_t)set->rows;
    for (size_t i = 0; i < n; i++) {
        double sum = -d->T[i];
        for (size_t c = 0; c < n; c++) {
            sum += d->M[i * n + c] * vdot[c];
        }
        d->left[i] = d->s.S[i] * sum;
    }
    memset(set->last.lambda, 0, rows * sizeof *set->last.lambda);
    for (size_t j = 0; j < rows; j++) {
        double along = 0.0;
        for (size_t c = 0; d->s.kept[j] && c < n; c++) {
            along += d->s.G[j * n + c] * d->left[c];
        }
        for (size_t i = 0; d->s.kept[j] && i < rows; i++) {
            set->last.lambda[i] += d->s.R[i] * d->s.Q[j * rows + i] * (along / (d->s.size[j] * d->s.size[j]));
        }
    }
    shorten(set, d, set->last.lambda);
}

/* ---- what it came to ------------------------------------------------------------------------------------ */

/* Finds by how much rows are missed. It is a contradiction if it is more than what is dropped can be worth. */
static void judge(soa_closures *set, const soa_closed_input *in, const dense_solution *d)
{
    double *missed = d->y, scale = 0.0, most = 0.0;
    set->table->multiply(set, false, in->vdot, d->x, missed);
    set->last.inconsistency = 0.0;
    for (int i = 0; i < set->rows; i++) {
        missed[i] = in->positions && set->row[i].rolls ? 0.0 : missed[i] + d->bias[i];
        scale = fmax(scale, d->s.R[i] * fabs(d->bias[i]));
        most = fmax(most, d->s.R[i] * fabs(missed[i]));
        set->last.inconsistency = fmax(set->last.inconsistency, fabs(missed[i]));
    }
    for (int i = 0; i < set->nv; i++) {
        scale = fmax(scale, fabs(in->vdot[i]) / d->s.S[i]);
    }
    for (int i = 0; i < set->rows; i++) {
        set->last.contrary[i] = d->s.R[i] * fabs(missed[i]) > 0.1 * most;
    }
    set->last.contradiction = most > (SOA_CONTRADICTION + 100.0 * d->s.most) * scale;
}

/* Rows that span what is kept; the others depend on them. */
static void choose_rows(const soa_closures *set, const dense_solution *d)
{
    const int rows = set->rows, kept = d->s.count;
    for (int j = 0, at = 0; j < rows; j++) {
        for (int i = 0; d->s.kept[j] && i < rows; i++) {
            d->B[at * rows + i] = d->s.Q[(size_t)j * (size_t)rows + (size_t)i];
        }
        at += d->s.kept[j];
    }
    const size_t rank = soa_qr((size_t)kept, (size_t)rows, d->B, d->tau, d->column, 0.0).rank;
    for (size_t i = 0; i < (size_t)rows; i++) {
        set->last.depends[d->column[i]] = i >= rank;
    }
}

static void note(soa_closures *set, const dense_solution *d)
{
    set->last.dense = true;
    set->last.eliminated = set->fronts.blocks = 0;
    set->last.dependent = set->rows - d->s.count;
    set->last.kept = d->s.least;
    set->last.dropped = d->s.most;
    for (int k = 0; k < set->nodes; k++) {
        set->node[k].block = -1;
    }
}

soa_dense_result soa_solve_dense(soa_closures *set, const soa_closed_input *in, soa_error *error)
{
    dense_solution d;
    if (!take_solution(set, &d)) {
        return SOA_DENSE_NO_ROOM;
    }
    if (make_equations(set, in, &d, error) != SOA_OK) {
        return SOA_DENSE_SINGULAR;
    }
    make_rows_of(set, in, &d);
    if (!solve_motion(set, &d, in->vdot)) {
        return SOA_DENSE_SINGULAR;
    }
    solve_multipliers(set, &d, in->vdot);
    choose_rows(set, &d);
    judge(set, in, &d);
    note(set, &d);
    return SOA_DENSE_SOLVED;
}
