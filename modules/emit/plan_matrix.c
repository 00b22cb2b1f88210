/* emit/plan_matrix.c - graphs and matrices of expressions on a tape, as the runner makes them of numbers. */
#include "expr/runner.h" /* first: a header of the language has a name that soa/parameters.h gives a number */

#include "emit/plan.h"
#include "emit/trace_graph.h"

static double add_product(tape *t, double a, double b, double sum)
{
    return tape_apply(t, TAPE_ADD, sum, tape_apply(t, TAPE_MUL, a, b, 0.0), 0.0);
}

/* ---- graphs ------------------------------------------------------------------------------------- */

/* One run of a graph, its inputs and outputs bound. */
bool emit_run_graph(plan *p, soa_graph_run *run)
{
    soa_call call = { .q.at = p->job->in[IN_Q], .model = p->job->model };
    call.v.at = run->beta >= 0 ? p->bound[run->beta] : NULL;
    call.point = p->runner->point;
    call.points = p->runner->points;
    for (int i = 0; i < run->graph->matrices.count; i++) {
        if (!emit_make_matrix(p, run->made[i])) {
            return false;
        }
    }
    return trace_graph(&p->job->t, &call, run);
}

void emit_bind_inputs(const plan *p, soa_graph_run *run)
{
    for (int i = 0; i < run->graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(run->graph, i);
        const double *made = s->kind == SOA_STEP_INPUT && s->matrix > 0 ? run->made[s->matrix - 1]->at : NULL;
        run->input[i] = (soa_in){ run->bound[i] >= 0 ? p->bound[run->bound[i]] : made, 0 };
    }
}

/* ---- matrices ------------------------------------------------------------------------------------- */

/* n values become their slopes in a direction. */
static bool make_slope(plan *p, soa_direction along, int n, double *value)
{
    const char *by = along.by == SOA_BY_FORCE ? "T" : "beta";
    const int input = soa_runner_find(p->runner, by);
    switch (along.by) {
    case SOA_BY_NOTHING:
        return true;
    case SOA_BY_POSITION:
        return emit_derive(p->job, n, value, along.velocity, value, 1);
    case SOA_BY_TIME:
        return emit_derive_in_time(p->job, n, value, p->bound[input], value);
    default: /* by beta or T; what does not read it does not depend on it */
        return emit_derive_input(p->job, n, value, input < 0 ? EMIT_ARRAYS : 1 + input, along.velocity, value, 1);
    }
}

/* n values become their derivatives: of a model with flexible links, whose derivatives are no steps of the graph. */
static bool make_slopes(plan *p, const soa_graph_matrix *matrix, int n, double *value)
{
    bool made = true;
    for (int i = 0; i < SOA_ALONG && made; i++) {
        made = make_slope(p, matrix->slope[i], n, value);
    }
    return made;
}

static bool make_columns(plan *p, soa_matrix_run *run)
{
    soa_graph_run *graph = run->graph;
    const soa_type type = run->matrix->term->type;
    const int from = soa_runner_size(p->runner, type.from.space), to = soa_runner_size(p->runner, type.to.space);
    const int columns = run->matrix->blocks ? soa_block_stride(p->job->model) : run->cols;
    bool good = true;
    for (int c = 0; good && c < columns; c++) {
        emit_bind_inputs(p, graph);
        if (graph->argument >= 0) {
            graph->input[graph->argument] = (soa_in){ run->columns + c * from, 0 };
        }
        graph->output[0] = (soa_out){ run->results + c * to, 0 };
        good = emit_run_graph(p, graph);
    }
    good = good && make_slopes(p, run->matrix, columns * to, run->results);
    soa_matrix_run_pick(p->runner, run);
    return good;
}

static bool make_by_kernel(plan *p, soa_matrix_run *run)
{
    emit_job *j = p->job;
    switch (run->matrix->kernel) {
    case SOA_BY_MASS:
        return emit_mass(j, run->at);
    case SOA_BY_MASS_INV:
        return emit_mass_inverse(j, run->at);
    case SOA_BY_JACOBIAN:
        return emit_jacobian(j, run->at);
    case SOA_BY_JACOBIAN_T: {
        const bool good = emit_jacobian(j, run->results);
        soa_matrix_run_copy(run, run->results, true);
        return good;
    }
    case SOA_BY_MASS_RATE:
        return emit_mass(j, run->at) && emit_derive(j, run->rows * run->cols, run->at, run->matrix->index, run->at, 1);
    default: /* Lambda */
        return emit_lambda(j, run->at);
    }
}

static bool multiply_parts(plan *p, soa_matrix_run *run)
{
    const int count = run->matrix->count, cols = run->cols;
    int most = 0;
    for (int i = 0; i < count; i++) {
        most = run->part[i]->rows > most ? run->part[i]->rows : most;
    }
    double *x = calloc(2 * (size_t)most * (size_t)cols + 1, sizeof *x), *y = x + most * cols;
    if (x == NULL) {
        return false;
    }
    memcpy(x, run->part[count - 1]->at, (size_t)run->part[count - 1]->rows * (size_t)cols * sizeof *x);
    for (int i = count - 2; i >= 0; i--) {
        const soa_matrix_run *A = run->part[i];
        for (int e = 0; e < A->rows * cols; e++) {
            y[e] = 0.0;
            for (int k = 0; k < A->cols; k++) {
                y[e] = add_product(&p->job->t, A->at[e / cols * A->cols + k], x[k * cols + e % cols], y[e]);
            }
        }
        memcpy(x, y, (size_t)(A->rows * cols) * sizeof *x);
    }
    memcpy(run->at, x, (size_t)(run->rows * cols) * sizeof *x);
    free(x);
    return true;
}

static bool add_parts(plan *p, soa_matrix_run *run)
{
    for (int e = 0; e < run->rows * run->cols; e++) {
        double sum = 0.0;
        for (int i = 0; i < run->matrix->count; i++) {
            sum = add_product(&p->job->t, run->matrix->factor[i], run->part[i]->at[e], sum);
        }
        run->at[e] = sum;
    }
    return true;
}

/* A^-1 of a symmetric matrix, n x n with rows `pitch` apart, without pivots: those here are inertias, or semidefinite;
 * where one is singular the result is not finite. */
static bool invert(plan *p, int n, int pitch, const double *A, double *B)
{
    double *work = calloc(2 * (size_t)(n * n) + 1, sizeof *work), *x = work + n * n;
    for (int i = 0; work != NULL && i < n * n; i++) {
        work[i] = A[i / n * pitch + i % n];
        x[i] = i / n == i % n ? 1.0 : 0.0;
    }
    if (work != NULL) {
        tape_solve(&p->job->t, n, work, n, x);
    }
    for (int i = 0; work != NULL && i < n * n; i++) {
        B[i / n * pitch + i % n] = x[i];
    }
    free(work);
    return work != NULL;
}

static bool make_inverse(plan *p, soa_matrix_run *run)
{
    if (!soa_term_traits(p->runner->compiled->terms, run->matrix->term).symmetric) {
        return emit_refuse(p->job, "the inverse of an operator that is not known to be symmetric is not emitted");
    }
    if (run->matrix->rate) {
        return emit_refuse(p->job, "the derivative of a root is not emitted");
    }
    if (!run->matrix->blocks) {
        return run->matrix->kind == SOA_MATRIX_INVERSE
                   ? invert(p, run->rows, run->cols, run->part[0]->at, run->at)
                   : emit_refuse(p->job, "the root of a full matrix is not emitted");
    }
    bool good = true;
    for (int k = 0; good && k < p->job->model->bodies; k++) {
        const soa_square A = soa_matrix_run_block(p->runner, run->part[0], k);
        const soa_square B = soa_matrix_run_block(p->runner, run, k);
        if (run->matrix->kind == SOA_MATRIX_INVERSE) {
            good = invert(p, A.rows, A.stride, A.at, B.at);
        } else if (A.rows == 1) {
            const double root = tape_apply(&p->job->t, TAPE_SQRT, A.at[0], 0.0, 0.0);
            const bool inverse = run->matrix->kind == SOA_MATRIX_INVERSE_ROOT;
            B.at[0] = inverse ? tape_apply(&p->job->t, TAPE_DIV, 1.0, root, 0.0) : root;
        } else if (A.rows > 1) {
            good = emit_refuse(p->job, "the root of a block of several rows is not emitted");
        }
    }
    return good;
}

static bool copy_given(plan *p, soa_matrix_run *run)
{
    const soa_term *variable = soa_term_upright(run->matrix->term);
    const int i = soa_runner_find(p->runner, soa_terms_about(p->runner->compiled->terms, variable->variable)->name);
    if (i < 0 || soa_compiled_input_at(p->runner->compiled, i)->blocks) {
        return emit_refuse(p->job, "a memoryless operator that is an input is not emitted; declare it as a full one");
    }
    soa_matrix_run_copy(run, p->bound[i], run->matrix->adjoint);
    return true;
}

bool emit_make_matrix(plan *p, soa_matrix_run *run)
{
    bool good = true;
    for (int i = 0; good && i < run->matrix->count; i++) {
        good = emit_make_matrix(p, run->part[i]);
    }
    if (!good) {
        return false;
    }
    switch (run->matrix->kind) {
    case SOA_MATRIX_KERNEL:
        return make_by_kernel(p, run);
    case SOA_MATRIX_CONSTRAINTS:
        return emit_refuse(p->job, "A is not emitted; write its rows as an operator that is an input");
    case SOA_MATRIX_GIVEN:
        return copy_given(p, run);
    case SOA_MATRIX_COLUMNS:
        return make_columns(p, run);
    case SOA_MATRIX_UNIT:
        run->at[run->matrix->index] = 1.0;
        return true;
    case SOA_MATRIX_SELECT:
    case SOA_MATRIX_PSEUDO:
    case SOA_MATRIX_MEASURE:
        return emit_refuse(p->job, "blocks, traces, determinants and pseudo-inverses are not emitted");
    case SOA_MATRIX_SUM:
    case SOA_MATRIX_PRODUCT:
        if (run->matrix->blocks) {
            return emit_refuse(p->job, "products and sums of blocks are not emitted; apply them to a vector");
        }
        return run->matrix->kind == SOA_MATRIX_SUM ? add_parts(p, run) : multiply_parts(p, run);
    default:
        return make_inverse(p, run);
    }
}
