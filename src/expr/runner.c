/* expr/runner.c - running states in lanes. */
#include "expr/runner.h"

#include <math.h>
#include <string.h>

#include "core/error.h"

#define SOA_TABLE(unit) extern const soa_run_table soa_run_##unit;
SOA_TABLE(x1)
#if defined(__x86_64__)
SOA_TABLE(x1_fma)
SOA_TABLE(x4_fma)
SOA_TABLE(x8_fma)
#elif defined(__wasm_simd128__)
SOA_TABLE(x2_simd128)
#endif
#undef SOA_TABLE

const soa_run_table *soa_run_kernels(soa_cpu cpu, int lanes)
{
#if defined(__x86_64__)
    if (lanes == 8 && cpu.avx512) {
        return &soa_run_x8_fma;
    }
    if (lanes == 4 && cpu.avx2) {
        return &soa_run_x4_fma;
    }
    return lanes != 1 ? NULL : cpu.fma && cpu.avx2 ? &soa_run_x1_fma : &soa_run_x1;
#elif defined(__wasm_simd128__)
    (void)cpu;
    return lanes == 2 ? &soa_run_x2_simd128 : lanes == 1 ? &soa_run_x1 : NULL;
#else
    (void)cpu;
    return lanes == 1 ? &soa_run_x1 : NULL;
#endif
}

/* ---- outputs --------------------------------------------------------------------------------------------- */

/* A result that is not finite is an error that names it. */
static soa_status check_outputs(const soa_runner *r, int state, soa_error *error)
{
    for (int i = 0; i < r->compiled->outputs.count; i++) {
        const soa_compiled_output *out = soa_compiled_output_at(r->compiled, i);
        const int n = r->output[i] ? soa_runner_output_count(r, i) : 0;
        const double *y = n > 0 ? r->output[i] + (size_t)state * (size_t)n : NULL;
        if (!y || soa_runner_finite(y, n)) {
            continue;
        }
        int j = 0;
        while (isfinite(y[j])) {
            j++;
        }
        return soa_at_state(soa_fail(error, SOA_E_NUMBER, -1,
                                "state %d: %s[%d] = %g is not finite; the numbers of the state are too large", state,
                                out->name, j, y[j]),
            r->workspace, state, error);
    }
    return SOA_OK;
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

/* ---- running ------------------------------------------------------------------------------------------------ */

void soa_runner_call(const soa_runner *runner, const soa_graph_run *run, int lanes, soa_call *call)
{
    call->model = runner->compiled->model;
    call->work = run->work;
    call->lanes = &runner->workspace->work;
    call->step = 1;
    call->keeps = true;
    call->plain = call->count == lanes;
    call->point = runner->point;
    call->points = runner->points;
    (lanes == 1 ? runner->one : runner->many)->run(call, &run->frame);
}

static soa_status fail_singular(const soa_runner *r, int state, int body, soa_error *error)
{
    const soa_model *m = r->compiled->model;
    const soa_link *link = soa_description_link(&m->description, m->body[body].rest->link);
    return soa_at_state(soa_fail(error, SOA_E_SINGULAR, body,
                            "state %d: some motion of the joint of link '%s' moves nothing that has inertia; give the "
                            "link mass or armature",
                            state, link->name),
        r->workspace, state, error);
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

/* All of them; a failure of an earlier state stays in *status. */
static void run_kernels(soa_runner *r, int state, int count, const double *q, soa_status *status, soa_error *error)
{
    for (int i = 0; i < r->compiled->outputs.count; i++) {
        if (soa_compiled_output_at(r->compiled, i)->kernel != SOA_BY_NONE) {
            const soa_status one = run_kernel(r, i, state, count, q, *status == SOA_OK ? error : NULL);
            *status = *status == SOA_OK ? one : *status;
        }
    }
}

/* Whether kernels gave finite numbers for a state, the first of `from`. */
static bool kernels_finite(const soa_runner *r, int from, int state)
{
    const int n = r->compiled->model->nv;
    bool finite = true;
    for (int i = 0; i < r->compiled->outputs.count && finite; i++) {
        finite = soa_compiled_output_at(r->compiled, i)->kernel == SOA_BY_NONE ||
                 soa_runner_finite(value_at(r, i, from) + (size_t)(state - from) * (size_t)n, n);
    }
    return finite;
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

/* Binds the vectors of the main graph to those of the states from `state` on. */
static void bind_states(const soa_runner *r, soa_graph_run *run, int state)
{
    const soa_compiled *c = r->compiled;
    for (int i = 0; i < run->graph->steps.count; i++) {
        const int bound = run->bound[i];
        run->input[i] = bound == -1  ? (soa_in){ soa_runner_measured(run, i), 0 }
                        : bound < -1 ? (soa_in){ value_at(r, -2 - bound, state), (size_t)c->model->nv }
                                     : soa_runner_input(r, bound, state);
    }
    for (int i = 0; i < c->outputs.count; i++) {
        const soa_compiled_output *out = soa_compiled_output_at(c, i);
        if (out->vector >= 0) {
            const size_t n = (size_t)soa_runner_count_of(r, out->type);
            double *at = r->output[i];
            run->output[out->vector] =
                out->block.row && at ? (soa_out){ r->value[i], n } : (soa_out){ at ? at + (size_t)state * n : NULL, n };
        }
    }
}

/* What a state that ran comes to. */
static soa_status state_status(
    const soa_runner *r, int from, int state, soa_status checked, int failed, soa_error *error)
{
    if (checked != SOA_OK) {
        return checked;
    }
    if (failed >= 0) {
        return fail_singular(r, state, failed, error);
    }
    const soa_status status = r->single ? SOA_OK : check_outputs(r, state, error); /* else behind the matrices */
    return status == SOA_OK && !kernels_finite(r, from, state) ? SOA_E_NUMBER : status;
}

/* Kernels and the main graph on count states; their failures, the first of them in *status. */
static void run_part(
    soa_runner *r, int state, int count, int lanes, const double *q, soa_status *status, soa_error *error)
{
    const soa_compiled *c = r->compiled;
    const size_t nq = (size_t)c->model->nq;
    soa_status checked[SOA_MAX_LANES], kernels = SOA_OK;
    soa_error found, of_kernels;
    bool bad = *status != SOA_OK;
    for (int i = 0; i < count; i++) {
        checked[i] = soa_runner_check_state(r, state + i, q, bad ? NULL : &found);
        bad = bad || checked[i] != SOA_OK;
    }
    run_kernels(r, state, count, q, &kernels, &of_kernels);
    bind_states(r, r->main, state);
    soa_call call = { .q = { q + (size_t)state * nq, nq }, .count = count };
    call.v = r->main->beta < 0 ? (soa_in){ NULL, 0 } : soa_runner_input(r, r->main->beta, state);
    soa_runner_call(r, r->main, lanes, &call);
    for (int i = 0; i < count; i++) {
        /* cppcheck-suppress uninitvar ; written above */
        soa_error here = checked[i] == SOA_OK ? (soa_error){ 0 } : found;
        const soa_status one = state_status(r, state, state + i, checked[i], call.failed[i], &here);
        if (one == SOA_OK) {
            continue;
        }
        if (*status == SOA_OK) {
            const bool by_kernel = kernels != SOA_OK && checked[i] == SOA_OK && of_kernels.state == state + i;
            *status = by_kernel ? kernels : one;
            if (error) {
                *error = by_kernel ? of_kernels : here;
            }
        }
        spoil(r, state + i);
    }
}

/* One state with its matrices. */
static soa_status run_single(soa_runner *r, int state, const double *q, soa_error *error)
{
    const soa_compiled *c = r->compiled;
    const double *at = q + (size_t)state * (size_t)c->model->nq;
    soa_status status = soa_runner_check_state(r, state, q, error);
    status = status == SOA_OK ? soa_runner_prepare(r, r->main, at, state, error) : status;
    if (status == SOA_OK) {
        run_part(r, state, 1, 1, q, &status, error);
    }
    for (int i = 0; status == SOA_OK && i < c->outputs.count; i++) {
        soa_matrix_run *matrix = r->result[i];
        const soa_compiled_output *out = soa_compiled_output_at(c, i);
        if (out->vector >= 0 && out->block.row && r->output[i]) {
            const soa_slice row = soa_runner_slice(r, out->type.to.space, out->block.row);
            for (int n = 0; n < row.count; n++) {
                r->output[i][state * row.count + n] = r->value[i][soa_slice_at(r, out->type.to.space, row, n)];
            }
        }
        if (matrix && r->output[i]) {
            const size_t n = (size_t)matrix->rows * (size_t)matrix->cols;
            status = soa_runner_make(r, matrix, at, state, error);
            memcpy(r->output[i] + (size_t)state * n, matrix->at, n * sizeof(double));
        }
    }
    status = status == SOA_OK ? check_outputs(r, state, error) : status;
    if (status != SOA_OK) {
        soa_at_state(status, r->workspace, state, error);
        spoil(r, state);
    }
    return status;
}

/* Whether one kernel is all that runs: then it takes all states itself. */
static bool is_one_kernel(const soa_runner *r)
{
    return r->compiled->outputs.count == 1 && soa_compiled_output_at(r->compiled, 0)->kernel != SOA_BY_NONE &&
           r->output[0];
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
    if (is_one_kernel(runner)) {
        return run_kernel(runner, 0, 0, states, q, error);
    }
    for (int state = 0, count; state < states; state += count) {
        const int left = states - state;
        const int lanes = left == 1 || runner->single ? 1 : runner->lanes;
        count = left < lanes ? left : lanes;
        if (runner->single) {
            const soa_status one = run_single(runner, state, q, status == SOA_OK ? error : NULL);
            status = status == SOA_OK ? one : status;
        } else {
            run_part(runner, state, count, lanes, q, &status, error);
        }
    }
    return status;
}
