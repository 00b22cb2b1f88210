/* expr/runner_make.c - the matrices of one state. */
#include <string.h>

#include "core/error.h"
#include "expr/runner.h"
#include "soa/christoffel.h"

/* ---- column by column -------------------------------------------------------------------------- */

/* The graph on all its columns: lanes of them at a time, all at the same state. */
static soa_status run_columns(soa_runner *r, soa_matrix_run *run, const double *q, int state, soa_error *error)
{
    const int columns = run->matrix->blocks ? soa_block_stride(r->compiled->model) : run->cols;
    soa_graph_run *graph = run->graph;
    const soa_type type = run->matrix->term->type;
    const size_t from = (size_t)soa_runner_size(r, type.from.space), to = (size_t)soa_runner_size(r, type.to.space);
    soa_status status = soa_runner_prepare(r, graph, q, state, error);
    soa_runner_bind_inputs(r, graph, state);
    for (int i = 0; i < graph->graph->steps.count; i++) {
        graph->input[i].stride = 0;
    }
    for (int c = 0, count; status == SOA_OK && c < columns; c += count) {
        count = columns - c < r->lanes ? columns - c : r->lanes;
        if (graph->argument >= 0) {
            graph->input[graph->argument] = (soa_in){ run->columns + (size_t)c * from, from };
        }
        graph->output[0] = (soa_out){ run->results + (size_t)c * to, to };
        soa_call call = { .q = { q, 0 }, .count = count };
        if (graph->beta >= 0) {
            call.v = (soa_in){ soa_runner_input(r, graph->beta, state).at, 0 };
        }
        const int lanes = count == 1 ? 1 : r->lanes;
        graph->again = c > 0 && (lanes > 1 || r->lanes == 1);
        soa_runner_call(r, graph, lanes, &call);
        graph->again = false;
        for (int lane = 0; lane < count && status == SOA_OK; lane++) {
            const int failed = call.failed[lane];
            status = failed >= 0 ? soa_fail_singular(r->workspace, state, failed, error) : status;
        }
    }
    return status;
}

void soa_matrix_run_pick(const soa_runner *r, soa_matrix_run *run)
{
    const soa_space space = run->matrix->term->type.to.space;
    const int to = soa_runner_size(r, space);
    for (int k = 0; k < soa_matrix_run_blocks(r, run); k++) {
        const soa_square A = soa_matrix_run_block(r, run, k);
        const soa_slice row = run->matrix->blocks ? (soa_slice){ k, A.rows } : run->row;
        for (int i = 0; i < A.rows; i++) {
            const double *from = run->results + soa_slice_at(r, space, row, i);
            for (int c = 0; c < A.cols; c++) {
                A.at[i * A.stride + c] = from[c * to];
            }
        }
    }
}

/* ---- products and sums ---------------------------------------------------------------------------- */

static void multiply(const soa_matrix_run *A, const double *B, int cols, double *C)
{
    for (int r = 0; r < A->rows; r++) {
        for (int c = 0; c < cols; c++) {
            double sum = 0.0;
            for (int k = 0; k < A->cols; k++) {
                sum += A->at[r * A->cols + k] * B[k * cols + c];
            }
            C[r * cols + c] = sum;
        }
    }
}

/* Multiplies the parts from the right: the last factor is as wide as the product. */
static void multiply_parts(soa_matrix_run *run)
{
    const int count = run->matrix->count, cols = run->cols;
    const double *from = run->part[count - 1]->at;
    int most = 0;
    for (int i = 0; i < count; i++) {
        most = run->part[i]->rows > most ? run->part[i]->rows : most;
    }
    for (int i = count - 2; i >= 0; i--) {
        double *to = i == 0 ? run->at : run->room + i % 2 * most * cols;
        multiply(run->part[i], from, cols, to);
        from = to;
    }
    if (count == 1) {
        memcpy(run->at, from, (size_t)run->rows * (size_t)cols * sizeof *from);
    }
}

static void add_parts(soa_matrix_run *run)
{
    const size_t n = (size_t)run->rows * (size_t)run->cols;
    for (size_t j = 0; j < n; j++) {
        double sum = 0.0;
        for (int i = 0; i < run->matrix->count; i++) {
            sum += run->matrix->factor[i] * run->part[i]->at[j];
        }
        run->at[j] = sum;
    }
}

/* ---- matrices that are there ------------------------------------------------------------------------- */

void soa_matrix_run_copy(soa_matrix_run *run, const double *from, bool transpose)
{
    const size_t rows = (size_t)run->rows, cols = (size_t)run->cols;
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < cols; c++) {
            run->at[r * cols + c] = transpose ? from[c * rows + r] : from[r * cols + c];
        }
    }
}

/* The blocks that are given, with rows as far apart as in all blocks, or where they belong in the whole matrix. */
static void copy_blocks(const soa_model *m, soa_matrix_run *run, const double *from)
{
    const soa_space space = run->matrix->term->type.from.space;
    const bool transpose = run->matrix->adjoint;
    const int rows = soa_block_stride(m);
    for (int k = 0; k < m->bodies; k++) {
        const int n = soa_block_numbers(m, space, k);
        for (int i = 0; i < n * n; i++, from++) {
            const int row = transpose ? i % n : i / n, col = transpose ? i / n : i % n;
            run->at[run->matrix->blocks
                        ? rows * (rows * k + row) + col
                        : soa_block_index(m, space, k, row) * run->cols + soa_block_index(m, space, k, col)] = *from;
        }
    }
}

static soa_status copy_given(const soa_runner *r, soa_matrix_run *run, soa_error *error)
{
    const soa_term *variable = soa_term_upright(run->matrix->term);
    const char *name = soa_terms_about(r->compiled->terms, variable->variable)->name;
    const int input = soa_runner_find(r, name);
    const double *from = input < 0 ? NULL : soa_runner_input(r, input, 0).at;
    if (!from) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "operator '%s' has no matrix; bind it", name);
    }
    if (soa_compiled_input_at(r->compiled, input)->blocks) {
        copy_blocks(r->compiled->model, run, from);
    } else {
        soa_matrix_run_copy(run, from, run->matrix->adjoint);
    }
    return SOA_OK;
}

/* 1 on the diagonal at a body or point; a matrix is zero otherwise when it is made, and stays. */
static soa_status select_part(const soa_runner *r, soa_matrix_run *run, soa_error *error)
{
    const int index = run->matrix->index;
    if (run->matrix->term->type.to.space == SOA_SPACE_POINT && index >= r->points) {
        return soa_fail(error, SOA_E_NAME, -1, "there is no point %d; points count from 1 to %d", index + 1, r->points);
    }
    const soa_square A = soa_matrix_run_block(r, run, run->matrix->blocks ? index : 0);
    const int first = run->matrix->blocks ? 0 : 6 * index, count = run->matrix->blocks ? A.rows : 6;
    for (int i = first; i < first + count; i++) {
        A.at[i * (A.stride + 1)] = 1.0;
    }
    return SOA_OK;
}

/* ---- by kernels ---------------------------------------------------------------------------------------- */

static soa_status make_by_kernel(const soa_runner *r, soa_matrix_run *run, const double *q, soa_error *error)
{
    const soa_model *m = r->compiled->model;
    soa_workspace *w = r->workspace;
    soa_status status;
    switch (run->matrix->kernel) {
    case SOA_BY_MASS:
        return soa_mass_matrix(m, w, 1, q, run->at, error);
    case SOA_BY_MASS_RATE:
        return soa_mass_derivative(m, w, run->matrix->index, 1, q, run->at, error);
    case SOA_BY_MASS_INV:
        return soa_mass_inverse(m, w, 1, q, run->at, error);
    case SOA_BY_JACOBIAN:
        return soa_jacobian(m, w, r->points, r->point, SOA_AXES_MIXED, 1, q, run->at, error);
    case SOA_BY_JACOBIAN_T:
        status = soa_jacobian(m, w, r->points, r->point, SOA_AXES_MIXED, 1, q, run->results, error);
        soa_matrix_run_copy(run, run->results, true);
        return status;
    default: /* Lambda */
        return soa_operational_inertia(m, w, r->points, r->point, 1, q, run->at, NULL, error);
    }
}

/* ---- all -------------------------------------------------------------------------------------------------- */

soa_status soa_runner_make(soa_runner *r, soa_matrix_run *run, const double *q, int state, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; i < run->matrix->count && status == SOA_OK; i++) {
        status = soa_runner_make(r, run->part[i], q, state, error);
    }
    if (status != SOA_OK) {
        return status;
    }
    switch (run->matrix->kind) {
    case SOA_MATRIX_KERNEL:
        return make_by_kernel(r, run, q, error);
    case SOA_MATRIX_CONSTRAINTS:
        soa_matrix_run_copy(run, r->tree.constraint, run->matrix->adjoint);
        return SOA_OK;
    case SOA_MATRIX_GIVEN:
        return copy_given(r, run, error);
    case SOA_MATRIX_SELECT:
        return select_part(r, run, error);
    case SOA_MATRIX_UNIT:
        run->at[run->matrix->index] = 1.0;
        return SOA_OK;
    case SOA_MATRIX_COLUMNS:
        status = run->matrix->slope[0].by != SOA_BY_NOTHING ? soa_runner_slopes(r, run, q, state, error)
                                                            : run_columns(r, run, q, state, error);
        soa_matrix_run_pick(r, run);
        return status;
    case SOA_MATRIX_SUM:
        add_parts(run);
        return SOA_OK;
    case SOA_MATRIX_PRODUCT:
        multiply_parts(run);
        return SOA_OK;
    case SOA_MATRIX_INVERSE:
    case SOA_MATRIX_ROOT:
    case SOA_MATRIX_INVERSE_ROOT:
    case SOA_MATRIX_PSEUDO:
    case SOA_MATRIX_MEASURE:
        break;
    }
    return soa_matrix_run_power(r, run, error);
}

soa_status soa_runner_prepare(soa_runner *r, soa_graph_run *run, const double *q, int state, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; i < run->graph->matrices.count && status == SOA_OK; i++) {
        status = soa_runner_make(r, run->made[i], q, state, error);
    }
    return status;
}
