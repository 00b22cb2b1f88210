/* expr/runner_blocks.c - what is made of a matrix block by block: inverse, roots, pseudo-inverse, trace, diagonal, log det.
 *
 * A dense matrix is one block. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/eigen.h"
#include "core/error.h"
#include "expr/runner.h"

int soa_matrix_run_blocks(const soa_runner *r, const soa_matrix_run *run)
{
    return run->matrix->blocks ? r->compiled->model->bodies : 1;
}

soa_square soa_matrix_run_block(const soa_runner *r, const soa_matrix_run *run, int k)
{
    const soa_model *m = r->compiled->model;
    if (!run->matrix->blocks) {
        return (soa_square){ run->rows, run->cols, run->cols, run->at };
    }
    const int stride = soa_block_stride(m), n = soa_block_numbers(m, run->matrix->term->type.from.space, k);
    return (soa_square){ n, n, stride, run->at + (size_t)(stride * stride) * (size_t)k };
}

/* Copies the numbers of a matrix row by row, without what may lie between the rows; unpack copies them back. */
static void pack(soa_square A, double *to)
{
    for (int i = 0; i < A.rows * A.cols; i++) {
        to[i] = A.at[i / A.cols * A.stride + i % A.cols];
    }
}

static void unpack(const double *from, soa_square A)
{
    for (int i = 0; i < A.rows * A.cols; i++) {
        A.at[i / A.cols * A.stride + i % A.cols] = from[i];
    }
}

/* ---- inverses ---------------------------------------------------------------------------------------- */

/* B = A^-1; false: it is singular. */
static bool invert(soa_square A, soa_square B, double *room)
{
    const size_t n = (size_t)A.rows;
    double *LU = room, *inverse = LU + n * n;
    size_t *order = (size_t *)(void *)(inverse + n * n);
    if (A.rows != A.cols) {
        return false;
    }
    pack(A, LU);
    if (soa_lu(n, LU, order, SOA_ROUNDED).rank < n) {
        return false;
    }
    soa_lu_solve(n, LU, order, n, NULL, inverse);
    unpack(inverse, B);
    return true;
}

/* B = A^+: its column j is the x of least norm that makes |A x - e_j| least. */
static bool invert_least(soa_square A, soa_square B, double *room)
{
    const size_t m = (size_t)A.rows, n = (size_t)A.cols;
    double *copy = room, *e = copy + m * n, *x = e + m, *work = x + n;
    for (int j = 0; j < A.rows; j++) {
        pack(A, copy);
        memset(e, 0, m * sizeof *e);
        e[j] = 1.0;
        (void)soa_least_squares(m, n, copy, e, x, work, SOA_COMPUTED);
        for (int i = 0; i < A.cols; i++) {
            B.at[i * B.stride + j] = x[i];
        }
    }
    return true;
}

/* ---- roots -------------------------------------------------------------------------------------------- */

/* S = (A + A*) / 2 */
static void pack_symmetric(soa_square A, double *S)
{
    for (int e = 0; e < A.rows * A.rows; e++) {
        const int i = e / A.rows, j = e % A.rows;
        S[e] = 0.5 * (A.at[i * A.stride + j] + A.at[j * A.stride + i]);
    }
}

/* to = (W from)*, or (W* from)* with back: twice it is W from W*, or W* from W. */
static void times(int n, const double *W, bool back, const double *from, double *to)
{
    for (int e = 0; e < n * n; e++) {
        const int i = e / n, j = e % n;
        double sum = 0.0;
        for (int k = 0; k < n; k++) {
            sum += (back ? W[k * n + i] : W[i * n + k]) * from[k * n + j];
        }
        to[j * n + i] = sum;
    }
}

/* B = A^(1/2), or A^(-1/2), of a symmetric A = W* diag(value) W; false: it is not positive definite. With dA the derivative
 * of the root: X with S X + X S = dA for S S = A; where S is diagonal, X(i,j) = dA(i,j) / (S(i) + S(j)). */
static bool root(soa_square A, const soa_square *dA, soa_square B, bool inverse, double *room)
{
    const int n = A.rows;
    double *W = room, *S = W + n * n, *other = S + n * n, *value = other + n * n;
    pack_symmetric(A, W);
    if (n > 0 && (!soa_eigen((size_t)n, W, value, other) || !(value[0] > SOA_ROUNDED * value[n - 1]))) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        value[i] = inverse ? 1.0 / sqrt(value[i]) : sqrt(value[i]);
    }
    if (dA) {
        pack_symmetric(*dA, S);
        times(n, W, false, S, other);
        times(n, W, false, other, S);
    }
    for (int e = 0; e < n * n; e++) {
        const int i = e / n, j = e % n;
        S[e] = dA ? S[e] / (value[i] + value[j]) : i == j ? value[i] : 0.0;
    }
    times(n, W, true, S, other);
    times(n, W, true, other, S);
    unpack(S, B);
    return true;
}

/* ---- trace, diagonal, log det -------------------------------------------------------------------------- */

/* log det of a square matrix; NaN: it is not positive. */
static double log_determinant(soa_square A, double *room)
{
    const size_t n = (size_t)A.rows;
    size_t *order = (size_t *)(void *)(room + n * n);
    pack(A, room);
    if (soa_lu(n, room, order, 0.0).rank < n) {
        return NAN;
    }
    double sum = 0.0, sign = 1.0;
    for (size_t i = 0; i < n; i++) {
        const double pivot = room[i * n + i];
        sum += log(fabs(pivot));
        sign = pivot < 0.0 ? -sign : sign;
        while (order[i] != i) { /* each exchange of rows turns the sign */
            const size_t there = order[order[i]];
            order[order[i]] = order[i];
            order[i] = there;
            sign = -sign;
        }
    }
    return sign > 0.0 ? sum : NAN;
}

/* Adds what block k gives to the trace or log det; a diagonal goes to where its rows are. */
static bool measure(const soa_runner *r, const soa_matrix_run *run, soa_square A, int k)
{
    const soa_graph_matrix *matrix = run->matrix;
    const soa_model *m = r->compiled->model;
    const soa_space space = matrix->term->type.to.space;
    const bool logdet = matrix->measure == SOA_MEASURE_LOGDET;
    const char *one = logdet && matrix->blocks ? matrix->block.row : NULL; /* the block that is all there is */
    if (one && soa_model_find_part(m, space, one, NULL) != k) {
        return true;
    }
    double sum = logdet ? log_determinant(A, run->room) : 0.0;
    for (int i = 0; i < A.rows && !logdet; i++) {
        const double x = A.at[i * (A.stride + 1)];
        sum += x;
        if (matrix->measure == SOA_MEASURE_DIAGONAL) {
            run->at[matrix->blocks ? soa_block_index(m, space, k, i) : i] = x;
        }
    }
    if (matrix->measure != SOA_MEASURE_DIAGONAL) {
        run->at[0] += sum;
    }
    return isfinite(sum);
}

/* ---- all ------------------------------------------------------------------------------------------------- */

soa_status soa_matrix_run_power(const soa_runner *r, soa_matrix_run *run, soa_error *error)
{
    const soa_matrix_kind kind = run->matrix->kind;
    bool done = true;
    if (kind == SOA_MATRIX_MEASURE) {
        run->at[0] = 0.0;
    }
    for (int k = 0; k < soa_matrix_run_blocks(r, run->part[0]) && done; k++) {
        const soa_square A = soa_matrix_run_block(r, run->part[0], k), B = soa_matrix_run_block(r, run, k);
        const soa_square dA = soa_matrix_run_block(r, run->part[run->matrix->count - 1], k);
        done = kind == SOA_MATRIX_INVERSE  ? invert(A, B, run->room)
               : kind == SOA_MATRIX_PSEUDO ? invert_least(A, B, run->room)
               : kind == SOA_MATRIX_MEASURE
                   ? measure(r, run, A, k)
                   : root(A, run->matrix->rate ? &dA : NULL, B, kind == SOA_MATRIX_INVERSE_ROOT, run->room);
    }
    return done ? SOA_OK
                : soa_fail(error, SOA_E_SINGULAR, -1,
                      kind == SOA_MATRIX_INVERSE   ? "the inverse of an operator does not exist here: it is singular"
                      : kind == SOA_MATRIX_MEASURE ? "the determinant of an operator is not positive here"
                                                   : "the root of an operator does not exist here: it is not positive "
                                                     "definite");
}
