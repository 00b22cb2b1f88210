/* expr/runner_measure.c - what is made of the matrix of an operator: trace, diagonal, log det, pseudo-inverse; and matrices
 * that are known beforehand. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/error.h"
#include "expr/runner.h"

/* The numbers of body k in a vector of bodies or joints. */
static soa_slice slice_of(const soa_model *m, soa_space space, int k)
{
    return space == SOA_SPACE_JOINT ? (soa_slice){ m->body[k].v, m->body[k].nv } : (soa_slice){ 6 * k, 6 };
}

void soa_matrix_run_fill(const soa_model *m, soa_matrix_run *run)
{
    const soa_graph_matrix *matrix = run->matrix;
    const soa_space space = matrix->term->type.to.space;
    const bool blocks = matrix->blocks;
    memset(run->at, 0, (blocks ? 36 * (size_t)m->bodies : (size_t)run->rows * (size_t)run->cols) * sizeof *run->at);
    if (matrix->kind == SOA_MATRIX_UNIT) {
        run->at[matrix->index] = 1.0;
        return;
    }
    const soa_slice of = slice_of(m, space, matrix->index);
    for (int i = 0; i < of.count && of.first + i < run->rows; i++) {
        run->at[blocks ? 36 * matrix->index + 7 * i : (of.first + i) * (run->cols + 1)] = 1.0;
    }
}

/* ---- trace, diagonal, log det -------------------------------------------------------------------------- */

/* log det of a square matrix, rows `step` apart; NaN: it is not positive. room: n (n + 1) numbers. */
static double log_determinant(int n, int step, const double *A, double *room)
{
    size_t *order = (size_t *)(void *)(room + (size_t)n * (size_t)n);
    for (int i = 0; i < n * n; i++) {
        room[i] = A[i / n * step + i % n];
    }
    if (soa_lu((size_t)n, room, order, 0.0).rank < (size_t)n) {
        return NAN;
    }
    double sum = 0.0, sign = 1.0;
    for (int i = 0; i < n; i++) {
        const double pivot = room[i * n + i];
        sum += log(fabs(pivot));
        sign = pivot < 0.0 ? -sign : sign;
        while (order[i] != (size_t)i) { /* each exchange of rows turns the sign */
            const size_t there = order[order[i]];
            order[order[i]] = order[i];
            order[i] = there;
            sign = -sign;
        }
    }
    return sign > 0.0 ? sum : NAN;
}

/* The square matrix A, rows step apart, whose diagonal is in y from `first` on. */
static double measure_square(soa_matrix_run *run, int n, int step, const double *A, double *y)
{
    double sum = run->matrix->measure == SOA_MEASURE_LOGDET ? log_determinant(n, step, A, run->room) : 0.0;
    for (int i = 0; i < n && run->matrix->measure != SOA_MEASURE_LOGDET; i++) {
        sum += A[i * (step + 1)];
        if (run->matrix->measure == SOA_MEASURE_DIAGONAL) {
            y[i] = A[i * (step + 1)];
        }
    }
    return sum;
}

soa_status soa_matrix_run_measure(const soa_runner *r, soa_matrix_run *run, soa_error *error)
{
    const soa_graph_matrix *matrix = run->matrix;
    const soa_model *m = r->compiled->model;
    const soa_space space = matrix->term->type.to.space;
    const double *A = run->part[0]->at;
    double sum = 0.0;
    if (matrix->blocks) {
        const bool one = matrix->measure == SOA_MEASURE_LOGDET && matrix->block.row;
        const int only = one ? soa_model_find_part(m, space, matrix->block.row, NULL) : -1;
        for (int k = only >= 0 ? only : 0; k < (only >= 0 ? only + 1 : m->bodies); k++) {
            const soa_slice of = slice_of(m, space, k);
            sum += measure_square(run, of.count, 6, A + 36 * (size_t)k, run->at + of.first);
        }
    } else {
        sum = measure_square(run, run->part[0]->rows, run->part[0]->cols, A, run->at);
    }
    run->at[0] = matrix->measure == SOA_MEASURE_DIAGONAL ? run->at[0] : sum;
    return isfinite(sum) ? SOA_OK
                         : soa_fail(error, SOA_E_SINGULAR, -1, "the determinant of an operator is not positive here");
}

/* ---- pseudo-inverse ------------------------------------------------------------------------------------- */

size_t soa_matrix_run_pseudo_room(int rows, int cols)
{
    const size_t n = (size_t)rows, m = (size_t)cols; /* those of the result */
    return m * n + m + n + soa_least_squares_work(n) + 64 + soa_least_squares_work(6);
}

/* Column j of A^+ is the x of least norm that makes |A x - e_j| least. A: m x n, rows `step` apart; X: rows `step_X` apart. */
static void pseudo_inverse(int m, int n, int step, const double *A, int step_X, double *X, double *room)
{
    double *copy = room, *e = copy + m * n, *x = e + m, *work = x + n;
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < m * n; i++) {
            copy[i] = A[i / n * step + i % n];
        }
        memset(e, 0, (size_t)m * sizeof *e);
        e[j] = 1.0;
        (void)soa_least_squares((size_t)m, (size_t)n, copy, e, x, work, SOA_COMPUTED);
        for (int i = 0; i < n; i++) {
            X[i * step_X + j] = x[i];
        }
    }
}

void soa_matrix_run_pseudo(const soa_model *m, soa_matrix_run *run)
{
    const double *A = run->part[0]->at;
    if (!run->matrix->blocks) {
        pseudo_inverse(run->cols, run->rows, run->rows, A, run->cols, run->at, run->room);
        return;
    }
    for (int k = 0; k < m->bodies; k++) {
        const int n = slice_of(m, run->matrix->term->type.to.space, k).count;
        pseudo_inverse(n, n, 6, A + 36 * (size_t)k, 6, run->at + 36 * (size_t)k, run->room);
    }
}
