/* expr/runner_measure.c - what is made of the matrix of an operator: trace, diagonal, log det, pseudo-inverse; and matrices
 * that are known beforehand. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/error.h"
#include "expr/runner.h"

void soa_matrix_run_fill(const soa_model *m, soa_matrix_run *run)
{
    const soa_graph_matrix *matrix = run->matrix;
    const soa_space space = matrix->term->type.to.space;
    const bool blocks = matrix->blocks;
    const int stride = soa_block_stride(m), block = stride * stride;
    memset(run->at, 0, (size_t)(blocks ? block * m->bodies : run->rows * run->cols) * sizeof *run->at);
    if (matrix->kind == SOA_MATRIX_UNIT) {
        run->at[matrix->index] = 1.0;
        return;
    }
    const int count = space == SOA_SPACE_POINT ? 6 : soa_block_numbers(m, space, matrix->index);
    for (int i = 0; i < count; i++) {
        const int at = 6 * matrix->index + i; /* of a point that there may not be */
        if (blocks) {
            run->at[block * matrix->index + i * (stride + 1)] = 1.0;
        } else if (at < run->rows) {
            run->at[at * (run->cols + 1)] = 1.0;
        }
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

/* The trace of a square matrix A, rows step apart, or its log det. */
static double measure_square(soa_matrix_run *run, int n, int step, const double *A)
{
    double sum = run->matrix->measure == SOA_MEASURE_LOGDET ? log_determinant(n, step, A, run->room) : 0.0;
    for (int i = 0; i < n && run->matrix->measure != SOA_MEASURE_LOGDET; i++) {
        sum += A[i * (step + 1)];
    }
    return sum;
}

soa_status soa_matrix_run_measure(const soa_runner *r, soa_matrix_run *run, soa_error *error)
{
    const soa_graph_matrix *matrix = run->matrix;
    const soa_model *m = r->compiled->model;
    const soa_space space = matrix->term->type.to.space;
    const double *A = run->part[0]->at;
    const bool diagonal = matrix->measure == SOA_MEASURE_DIAGONAL;
    const int stride = soa_block_stride(m), n = run->part[0]->rows;
    double sum = matrix->blocks ? 0.0 : measure_square(run, n, n, A);
    for (int i = 0; diagonal && !matrix->blocks && i < n; i++) {
        run->at[i] = A[i * (n + 1)];
    }
    const bool one = matrix->measure == SOA_MEASURE_LOGDET && matrix->block.row; /* of a block that is all there is */
    const int only = one && matrix->blocks ? soa_model_find_part(m, space, matrix->block.row, NULL) : -1;
    for (int k = only >= 0 ? only : 0; matrix->blocks && k < (only >= 0 ? only + 1 : m->bodies); k++) {
        const int count = soa_block_numbers(m, space, k);
        const double *block = A + (size_t)(stride * stride) * (size_t)k;
        sum += measure_square(run, count, stride, block);
        for (int i = 0; diagonal && i < count; i++) {
            run->at[soa_block_index(m, space, k, i)] = block[i * (stride + 1)];
        }
    }
    run->at[0] = diagonal ? run->at[0] : sum;
    return isfinite(sum) ? SOA_OK
                         : soa_fail(error, SOA_E_SINGULAR, -1, "the determinant of an operator is not positive here");
}

/* ---- pseudo-inverse ------------------------------------------------------------------------------------- */

size_t soa_matrix_run_pseudo_room(int rows, int cols)
{
    const size_t n = (size_t)rows, m = (size_t)cols; /* those of the result */
    return m * n + m + n + soa_least_squares_work(n);
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
    const int stride = soa_block_stride(m);
    for (int k = 0; k < m->bodies; k++) {
        const int n = soa_block_numbers(m, run->matrix->term->type.to.space, k);
        const size_t at = (size_t)(stride * stride) * (size_t)k;
        pseudo_inverse(n, n, stride, A + at, stride, run->at + at, run->room);
    }
}
