/* expr/runner.c - running states in lanes. */
#include "expr/runner.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/finite.h"
#include "sweep/units.h"

#define DECLARED(unit) extern const soa_run_table soa_run_##unit;
#define LISTED(unit)   [SOA_UNIT_##unit] = &soa_run_##unit,
SOA_UNIT_LIST(DECLARED)
static const soa_run_table *const tables[SOA_UNITS + 1] = { SOA_UNIT_LIST(LISTED) };

const soa_run_table *soa_run_kernels(soa_cpu cpu, int lanes)
{
    return tables[soa_unit_for(cpu, lanes)];
}

const soa_run_table *soa_run_for_twice(void)
{
#ifdef SOA_TWICE
    extern const soa_run_table soa_run_twice;
    return &soa_run_twice;
#else
    return NULL;
#endif
}

/* ---- kernels of vectors --------------------------------------------------------------------------------------- */

/* Where the numbers of a vector by a kernel are while the states from `state` on run. */
static double *value_at(const soa_runner *r, int output, int state)
{
    double *y = r->output[output];
    return y ? y + (size_t)state * (size_t)r->compiled->model->nv : r->value[output];
}

static soa_in input_named(const soa_runner *r, const char *name, int state)
{
    const int in = soa_runner_find(r, name);
    return in < 0 ? (soa_in){ NULL, 0 } : soa_runner_input(r, in, state);
}

static bool is_by_kernel(const soa_runner *r, int output)
{
    return soa_compiled_output_at(r->compiled, output)->kernel != SOA_BY_NONE;
}

/* A vector by its kernel at count states. */
static soa_status run_kernel(soa_runner *r, int output, int state, int count, const double *q, soa_error *error)
{
    const soa_model *m = r->compiled->model;
    const soa_expr_kernel kernel = soa_compiled_output_at(r->compiled, output)->kernel;
    const char *reads = soa_kernel_reads(kernel);
    soa_call call = { .q = { q + (size_t)state * (size_t)m->nq, (size_t)m->nq },
        .v = input_named(r, "beta", state),
        .u = input_named(r, reads, state),
        .u_name = reads,
        .y = { value_at(r, output, state), (size_t)m->nv } };
    r->workspace->first = state;
    const soa_status status = soa_run(r->workspace, m,
        kernel == SOA_BY_FORWARD ? SOA_KERNEL_forward_dynamics : SOA_KERNEL_inverse_dynamics, count, &call, error);
    r->workspace->first = 0;
    return status;
}

/* Runs all kernels of vectors; the status and the error are those of the first that fails. */
static soa_status run_kernels(soa_runner *r, int state, int count, const double *q, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; i < r->compiled->outputs.count; i++) {
        if (is_by_kernel(r, i)) {
            const soa_status one = run_kernel(r, i, state, count, q, status == SOA_OK ? error : NULL);
            status = status == SOA_OK ? one : status;
        }
    }
    return status;
}

/* Whether kernels gave finite numbers for a state, the first of `from`. */
static bool kernels_finite(const soa_runner *r, int from, int state)
{
    const size_t n = (size_t)r->compiled->model->nv;
    bool finite = true;
    for (int i = 0; i < r->compiled->outputs.count && finite; i++) {
        finite = !is_by_kernel(r, i) || soa_all_finite(value_at(r, i, from) + (size_t)(state - from) * n, n);
    }
    return finite;
}

/* ---- graphs --------------------------------------------------------------------------------------------------- */

void soa_runner_bind_inputs(const soa_runner *r, soa_graph_run *run, int state)
{
    for (int i = 0; i < run->graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(run->graph, i);
        const int bound = run->bound[i];
        if (s->kind == SOA_STEP_INPUT) {
            run->input[i] = bound >= 0   ? soa_runner_input(r, bound, state)
                            : bound < -1 ? (soa_in){ value_at(r, -2 - bound, state), (size_t)r->compiled->model->nv }
                                         : (soa_in){ s->matrix > 0 ? run->made[s->matrix - 1]->at : NULL, 0 };
        }
    }
}

static void bind_outputs(const soa_runner *r, int state)
{
    for (int i = 0; i < r->compiled->outputs.count; i++) {
        const soa_compiled_output *out = soa_compiled_output_at(r->compiled, i);
        if (out->vector >= 0) {
            const size_t n = (size_t)soa_runner_count_of(r, out->type);
            double *at = r->output[i] ? r->output[i] + (size_t)state * n : NULL;
            r->main->output[out->vector] = (soa_out){ out->block.row && at ? r->value[i] : at, n };
        }
    }
}

void soa_runner_call(const soa_runner *runner, const soa_graph_run *run, int lanes, soa_call *call)
{
    call->model = runner->compiled->model;
    call->work = run->work;
    call->lanes = &runner->workspace->work;
    call->spacing = 1;
    call->keeps = true;
    call->whole = call->count == lanes;
    call->point = runner->point;
    call->points = runner->points;
    (lanes == 1 ? runner->one : runner->many)->run(call, run);
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

/* Makes what a run for one state leaves: the blocks that are all there is of vectors, and matrices. */
static soa_status make_results(soa_runner *r, int state, const double *q, soa_error *error)
{
    const double *at = q + (size_t)state * (size_t)r->compiled->model->nq;
    soa_status status = SOA_OK;
    for (int i = 0; status == SOA_OK && i < r->compiled->outputs.count; i++) {
        const soa_compiled_output *out = soa_compiled_output_at(r->compiled, i);
        const int n = r->output[i] ? soa_runner_output_count(r, i) : 0;
        double *y = r->output[i] + (size_t)state * (size_t)n;
        if (n > 0 && out->vector >= 0 && out->block.row) {
            const soa_slice row = soa_runner_slice(r, out->type.to.space, out->block.row);
            for (int j = 0; j < n; j++) {
                y[j] = r->value[i][soa_slice_at(r, out->type.to.space, row, j)];
            }
        } else if (n > 0 && r->result[i]) {
            status = soa_runner_make(r, r->result[i], at, state, error);
            memcpy(y, r->result[i]->at, (size_t)n * sizeof *y);
        }
    }
    return status == SOA_OK ? status : soa_at_state(status, r->workspace, state, error);
}

static soa_status check_outputs(const soa_runner *r, int state, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; i < r->compiled->outputs.count && status == SOA_OK; i++) {
        const size_t n = r->output[i] ? (size_t)soa_runner_output_count(r, i) : 0;
        status = soa_runner_check_numbers(r, state, soa_compiled_output_at(r->compiled, i)->name, n,
            r->output[i] + (size_t)state * n, "the numbers of the state are too large", error);
    }
    return status;
}

static void spoil(const soa_runner *r, int state)
{
    for (int i = 0; i < r->compiled->outputs.count; i++) {
        const int n = soa_runner_output_count(r, i);
        for (int j = 0; r->output[i] && j < n; j++) {
            r->output[i][(size_t)state * (size_t)n + (size_t)j] = NAN;
        }
    }
}

/* Checks that a state may run, and makes its matrices. */
static soa_status begin_state(soa_runner *r, int state, const double *q, soa_error *error)
{
    const double *at = q + (size_t)state * (size_t)r->compiled->model->nq;
    soa_status status = soa_runner_check_state(r, state, q, error);
    if (status == SOA_OK && r->single) {
        status = soa_runner_prepare(r, r->main, at, state, error);
        status = status == SOA_OK ? status : soa_at_state(status, r->workspace, state, error);
    }
    return status;
}

/* Ends a state that ran: makes what is left, and checks it. failed: where D is singular, or -1. */
static soa_status end_state(soa_runner *r, int state, const double *q, int failed, soa_error *error)
{
    const soa_status status = failed >= 0 ? soa_fail_singular(r->workspace, state, failed, error)
                              : r->single ? make_results(r, state, q, error)
                                          : SOA_OK;
    return status == SOA_OK ? check_outputs(r, state, error) : status;
}

/* Kernels and the main graph on count states; their failures, the first of them in *status. */
static void run_states(
    soa_runner *r, int first, int count, int lanes, const double *q, soa_status *status, soa_error *error)
{
    const size_t nq = (size_t)r->compiled->model->nq;
    soa_status begun[SOA_MAX_LANES];
    soa_error of_state, of_kernels;
    bool good = *status == SOA_OK;
    for (int i = 0; i < count; i++) {
        begun[i] = begin_state(r, first + i, q, good ? &of_state : NULL);
        good = good && begun[i] == SOA_OK;
    }
    const soa_status kernels = run_kernels(r, first, count, q, &of_kernels);
    soa_runner_bind_inputs(r, r->main, first);
    bind_outputs(r, first);
    soa_call call = { .q = { q + (size_t)first * nq, nq }, .count = count };
    call.v = r->main->beta < 0 ? (soa_in){ NULL, 0 } : soa_runner_input(r, r->main->beta, first);
    soa_runner_call(r, r->main, lanes, &call);
    for (int i = 0; i < count; i++) {
        soa_error *to = *status == SOA_OK ? error : NULL;
        const bool by_kernel = begun[i] == SOA_OK && kernels != SOA_OK && !kernels_finite(r, first, first + i);
        const soa_status one = begun[i] != SOA_OK ? begun[i]
                               : by_kernel        ? kernels
                                                  : end_state(r, first + i, q, call.failed[i], to);
        if (to && (by_kernel || begun[i] != SOA_OK)) {
            *to = by_kernel ? of_kernels : of_state; /* cppcheck-suppress uninitvar ; written where it failed first */
        }
        if (one != SOA_OK) {
            *status = *status == SOA_OK ? one : *status;
            spoil(r, first + i);
        }
    }
}

soa_status soa_runner_run(soa_runner *runner, int states, const double *q, soa_error *error)
{
    if (!runner) {
        return soa_fail_null(error, "the runner");
    }
    if (states < 0 || (states > 0 && runner->compiled->model->nq > 0 && !q)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the number of states is negative or q is missing");
    }
    soa_status status = soa_runner_check_bound(runner, error);
    if (status != SOA_OK) {
        return status;
    }
    if (runner->compiled->outputs.count == 1 && is_by_kernel(runner, 0) && runner->output[0]) {
        return run_kernel(runner, 0, 0, states, q, error); /* all that runs: it takes all states itself */
    }
    for (int state = 0, count; state < states; state += count) {
        const int left = states - state;
        const int lanes = left == 1 || runner->single ? 1 : runner->lanes;
        count = left < lanes ? left : lanes;
        run_states(runner, state, count, lanes, q, &status, error);
    }
    return status;
}
