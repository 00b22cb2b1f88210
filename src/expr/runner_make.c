/* expr/runner_make.c - the matrices of one state. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "expr/runner.h"
#include "soa/christoffel.h"

/* ---- column by column -------------------------------------------------------------------------- */

static soa_status fail_singular(const soa_runner *r, int body, soa_error *error)
{
    const soa_model *m = r->compiled->model;
    return soa_fail(error, SOA_E_SINGULAR, body,
        "some motion of the joint of link '%s' moves nothing that has inertia; give the link mass or armature",
        soa_description_link(&m->description, m->body[body].rest->link)->name);
}

/* The graph on all its columns: lanes of them at a time, all at the same state. */
static soa_status run_columns(
    soa_runner *r, soa_matrix_run *run, int columns, const double *q, int state, soa_error *error)
{
    soa_graph_run *columns_run = run->graph;
    const soa_graph *graph = columns_run->graph;
    const soa_type type = run->matrix->term->type;
    const int from = soa_runner_size(r, type.from.space), to = soa_runner_size(r, type.to.space);
    const soa_status status = soa_runner_prepare(r, columns_run, q, state, error);
    for (int c = 0, count; status == SOA_OK && c < columns; c += count) {
        count = columns - c < r->lanes ? columns - c : r->lanes;
        const int lanes = count == 1 ? 1 : r->lanes;
        for (int i = 0; i < graph->steps.count; i++) {
            columns_run->input[i] = columns_run->bound[i] < 0 ? (soa_in){ soa_runner_measured(columns_run, i), 0 }
                                                              : soa_runner_input(r, columns_run->bound[i], state);
            columns_run->input[i].stride = 0;
        }
        if (columns_run->argument >= 0) {
            columns_run->input[columns_run->argument] =
                (soa_in){ run->columns + (size_t)c * (size_t)from, (size_t)from };
        }
        columns_run->output[0] = (soa_out){ run->results + (size_t)c * (size_t)to, (size_t)to };
        soa_call call = { .q = { q, 0 }, .count = count };
        if (columns_run->beta >= 0) {
            call.v = (soa_in){ soa_runner_input(r, columns_run->beta, state).at, 0 };
        }
        soa_runner_call(r, columns_run, lanes, &call);
        for (int lane = 0; lane < count; lane++) {
            if (call.failed[lane] >= 0) {
                return fail_singular(r, call.failed[lane], error);
            }
        }
    }
    return status;
}

static void pick_blocks(const soa_model *m, soa_matrix_run *run)
{
    const soa_space space = run->matrix->term->type.from.space;
    const int rows = soa_block_stride(m);
    for (int k = 0; k < m->bodies; k++) {
        const int n = soa_block_numbers(m, space, k);
        for (int row = 0; row < n; row++) {
            for (int c = 0; c < n; c++) {
                run->at[rows * (rows * k + row) + c] = run->results[c * run->rows + soa_block_index(m, space, k, row)];
            }
        }
    }
}

/* The rows that are shown, of the columns that were asked for. */
static void pick_slices(const soa_runner *r, soa_matrix_run *run)
{
    const soa_space space = run->matrix->term->type.to.space;
    const int to = soa_runner_size(r, space);
    for (int row = 0; row < run->rows; row++) {
        for (int c = 0; c < run->cols; c++) {
            run->at[row * run->cols + c] = run->results[c * to + soa_slice_at(r, space, run->row, row)];
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

/* From the right: the last factor is as wide as the product. */
static void multiply_parts(soa_matrix_run *run)
{
    const int count = run->matrix->count, cols = run->cols;
    const double *from = run->part[count - 1]->at;
    size_t most = 0;
    for (int i = 0; i < count; i++) {
        const size_t size = (size_t)run->part[i]->rows * (size_t)cols;
        most = size > most ? size : most;
    }
    for (int i = count - 2; i >= 0; i--) {
        double *to = i == 0 ? run->at : run->room + (size_t)(i % 2) * most;
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

/* ---- inverses and roots -------------------------------------------------------------------------------- */

static bool invert_blocks(const soa_model *m, const soa_matrix_run *run)
{
    const soa_space space = run->matrix->term->type.from.space;
    const int rows = soa_block_stride(m);
    double *packed = run->room, *inverse = packed + rows * rows, *left = inverse + rows * rows;
    for (int k = 0; k < m->bodies; k++) {
        const int n = soa_block_numbers(m, space, k);
        const double *from = run->part[0]->at + rows * rows * k;
        double *to = run->at + rows * rows * k;
        if (run->matrix->kind != SOA_MATRIX_INVERSE) {
            if (!soa_block_root(n, rows, from, to, run->matrix->kind == SOA_MATRIX_INVERSE_ROOT, run->room)) {
                return false;
            }
            continue;
        }
        for (int i = 0; i < n * n; i++) {
            packed[i] = from[rows * (i / n) + i % n];
        }
        if (!soa_block_inverse(n, packed, inverse, left)) {
            return false;
        }
        for (int i = 0; i < n * n; i++) {
            to[rows * (i / n) + i % n] = inverse[i];
        }
    }
    return true;
}

static soa_status invert(const soa_runner *r, soa_matrix_run *run, soa_error *error)
{
    const bool done = run->matrix->blocks ? invert_blocks(r->compiled->model, run)
                                          : run->rows == run->cols &&
                                                soa_block_inverse(run->rows, run->part[0]->at, run->at, run->room);
    return done ? SOA_OK
                : soa_fail(error, SOA_E_SINGULAR, -1,
                      run->matrix->kind == SOA_MATRIX_INVERSE
                          ? "the inverse of an operator does not exist here: it is singular"
                          : "the root of an operator does not exist here: it is not positive definite");
}

/* ---- matrices that are there ------------------------------------------------------------------------- */

/* A matrix as it is, or its transpose. */
static void copy_matrix(soa_matrix_run *run, const double *from, bool transpose)
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
    if (!run->matrix->blocks) {
        memset(run->at, 0, (size_t)run->rows * (size_t)run->cols * sizeof *run->at);
    }
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
    const soa_term *term = run->matrix->term;
    const soa_term *variable = term->kind == SOA_TERM_ADJOINT ? term->child[0] : term;
    const char *name = soa_terms_about(r->compiled->terms, variable->variable)->name;
    for (int i = 0; i < r->compiled->inputs.count; i++) {
        const double *from = soa_runner_input(r, i, 0).at;
        if (from && strcmp(soa_compiled_input_at(r->compiled, i)->name, name) == 0) {
            if (soa_compiled_input_at(r->compiled, i)->blocks) {
                copy_blocks(r->compiled->model, run, from);
            } else {
                copy_matrix(run, from, run->matrix->adjoint);
            }
            return SOA_OK;
        }
    }
    return soa_fail(error, SOA_E_ARGUMENT, -1, "operator '%s' has no matrix; bind it", name);
}

/* phi M phi*, Omega */
static soa_status make_bodies(const soa_runner *r, soa_matrix_run *run, const double *q, soa_error *error)
{
    soa_call call = { .model = r->compiled->model, .work = run->work, .count = 1, .step = 1, .q = { q, 0 } };
    call.lanes = &r->workspace->work;
    call.y.at = run->at;
    call.option = run->matrix->kernel == SOA_BY_OMEGA;
    r->one->matrix(&call);
    return call.failed[0] < 0 ? SOA_OK : fail_singular(r, call.failed[0], error);
}

static soa_status make_by_kernel(soa_runner *r, soa_matrix_run *run, const double *q, soa_error *error)
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
        copy_matrix(run, run->results, true);
        return status;
    case SOA_BY_LAMBDA:
        return soa_operational_inertia(m, w, r->points, r->point, 1, q, run->at, NULL, error);
    default:
        return make_bodies(r, run, q, error);
    }
}

soa_status soa_runner_make(soa_runner *r, soa_matrix_run *run, const double *q, int state, soa_error *error)
{
    soa_status status;
    switch (run->matrix->kind) {
    case SOA_MATRIX_KERNEL:
        return make_by_kernel(r, run, q, error);
    case SOA_MATRIX_CONSTRAINTS:
        if (r->constraints > 0) {
            copy_matrix(run, r->constraint, run->matrix->adjoint);
        }
        return SOA_OK;
    case SOA_MATRIX_GIVEN:
        return copy_given(r, run, error);
    case SOA_MATRIX_SELECT:
    case SOA_MATRIX_UNIT:
        if (run->matrix->kind == SOA_MATRIX_SELECT && run->matrix->term->type.to.space == SOA_SPACE_POINT &&
            run->matrix->index >= r->points) {
            return soa_fail(error, SOA_E_NAME, -1, "there is no point %d; points count from 1 to %d",
                run->matrix->index + 1, r->points);
        }
        soa_matrix_run_fill(r->compiled->model, run);
        return SOA_OK;
    case SOA_MATRIX_COLUMNS:
        status = run_columns(
            r, run, run->matrix->blocks ? soa_block_stride(r->compiled->model) : run->cols, q, state, error);
        if (run->matrix->blocks) {
            pick_blocks(r->compiled->model, run);
        } else if (run->matrix->block.row || run->matrix->block.col) {
            pick_slices(r, run);
        } else {
            copy_matrix(run, run->results, true);
        }
        return status;
    default:
        break;
    }
    status = SOA_OK;
    for (int i = 0; i < run->matrix->count && status == SOA_OK; i++) {
        status = soa_runner_make(r, run->part[i], q, state, error);
    }
    if (status != SOA_OK) {
        return status;
    }
    if (run->matrix->kind == SOA_MATRIX_SUM) {
        add_parts(run);
    } else if (run->matrix->kind == SOA_MATRIX_PRODUCT) {
        multiply_parts(run);
    } else if (run->matrix->kind == SOA_MATRIX_PSEUDO) {
        soa_matrix_run_pseudo(r->compiled->model, run);
    } else if (run->matrix->kind == SOA_MATRIX_MEASURE) {
        return soa_matrix_run_measure(r, run, error);
    } else {
        return invert(r, run, error);
    }
    return SOA_OK;
}

soa_status soa_runner_prepare(soa_runner *r, soa_graph_run *run, const double *q, int state, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; i < run->graph->matrices.count && status == SOA_OK; i++) {
        status = soa_runner_make(r, run->made[i], q, state, error);
    }
    return status;
}
