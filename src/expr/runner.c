/* expr/runner.c - binding names, and running states in lanes. */
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
#else
    (void)cpu;
    return lanes == 1 ? &soa_run_x1 : NULL;
#endif
}

/* ---- names ---------------------------------------------------------------------------------------- */

static int find_in(const soa_runner *r, const char *name)
{
    for (int i = 0; name && i < r->compiled->inputs.count; i++) {
        if (strcmp(soa_compiled_input_at(r->compiled, i)->name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static int find_out(const soa_runner *r, const char *name)
{
    for (int i = 0; name && i < r->compiled->outputs.count; i++) {
        if (strcmp(soa_compiled_output_at(r->compiled, i)->name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool type_of(const soa_runner *r, const char *name, soa_type *type)
{
    const int out = find_out(r, name), in = find_in(r, name);
    if (out < 0 && in < 0) {
        return false;
    }
    *type = out >= 0 ? soa_compiled_output_at(r->compiled, out)->type : soa_compiled_input_at(r->compiled, in)->type;
    return true;
}

static int numbers(const soa_runner *r, soa_type type)
{
    return soa_runner_size(r, type.to.space) * soa_runner_size(r, type.from.space);
}

int soa_runner_numbers(const soa_runner *runner, const char *name)
{
    soa_type type;
    return type_of(runner, name, &type) ? numbers(runner, type) : -1;
}

int soa_runner_rows(const soa_runner *runner, const char *name)
{
    soa_type type;
    return type_of(runner, name, &type) ? soa_runner_size(runner, type.to.space) : -1;
}

soa_status soa_runner_bind(soa_runner *runner, const char *name, const double *x, soa_error *error)
{
    const int in = find_in(runner, name);
    if (in < 0) {
        return soa_fail(error, SOA_E_NAME, -1, "the expressions have no input '%s'", name ? name : "");
    }
    runner->input[in] = x;
    return SOA_OK;
}

soa_status soa_runner_bind_output(soa_runner *runner, const char *name, double *y, soa_error *error)
{
    const int out = find_out(runner, name);
    if (out < 0) {
        return soa_fail(error, SOA_E_NAME, -1, "the expressions have no result '%s'", name ? name : "");
    }
    runner->output[out] = y;
    return SOA_OK;
}

soa_status soa_runner_set_lanes(soa_runner *runner, int lanes, soa_error *error)
{
    const soa_status status = soa_workspace_set_lanes(runner->workspace, lanes, error);
    if (status == SOA_OK) {
        runner->lanes = lanes;
        runner->many = soa_run_kernels(soa_cpu_features(), lanes);
    }
    return status;
}

soa_status soa_runner_set_constraints(soa_runner *runner, int rows, const double *matrix, soa_error *error)
{
    const size_t n = (size_t)(rows > 0 ? rows : 0) * 6 * (size_t)runner->points;
    if (rows < 0 || (n > 0 && !matrix)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "A has %d rows, or its matrix is missing", rows);
    }
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(matrix[i])) {
            return soa_fail(error, SOA_E_NUMBER, -1, "A has the number %g; give finite numbers", matrix[i]);
        }
    }
    double *copy = soa_allocate(&runner->allocator, n + 1, sizeof *copy);
    if (!copy) {
        return soa_fail_memory(error);
    }
    if (n > 0) {
        memcpy(copy, matrix, n * sizeof *copy);
    }
    soa_release(&runner->allocator, runner->constraint);
    runner->constraint = copy;
    runner->constraints = rows;
    return soa_runner_build(runner, error);
}

/* ---- inputs ------------------------------------------------------------------------------------------ */

soa_in soa_runner_input(const soa_runner *runner, int input, int state)
{
    const soa_compiled_input *in = soa_compiled_input_at(runner->compiled, input);
    const int n = numbers(runner, in->type);
    if (!runner->input[input]) {
        return (soa_in){ in->value && in->values == n ? in->value : NULL, 0 };
    }
    const bool matrix = in->type.from.space != SOA_SPACE_ONE;
    return (soa_in){ runner->input[input] + (matrix ? 0 : (size_t)state * (size_t)n), matrix ? 0 : (size_t)n };
}

static soa_status check_bound(const soa_runner *r, soa_error *error)
{
    for (int i = 0; i < r->compiled->inputs.count; i++) {
        const soa_compiled_input *in = soa_compiled_input_at(r->compiled, i);
        const int n = numbers(r, in->type);
        if (in->value && !r->input[i] && in->values != n) {
            return soa_fail(
                error, SOA_E_ARGUMENT, -1, "'%s' has %d numbers; it needs %d here", in->name, in->values, n);
        }
        if (n > 0 && !soa_runner_input(r, i, 0).at && strcmp(in->name, "f_c") != 0) {
            return soa_fail(error, SOA_E_ARGUMENT, -1, "'%s' has no numbers; bind %d per state", in->name, n);
        }
    }
    return SOA_OK;
}

/* x - x is zero for a finite x and NaN for any other, and NaN stays; four sums at a time. */
static bool all_finite(const double *x, int n)
{
    double sum[4] = { 0.0, 0.0, 0.0, 0.0 };
    int i = 0;
    for (; i + 3 < n; i += 4) {
        for (int j = 0; j < 4; j++) {
            sum[j] += x[i + j] - x[i + j];
        }
    }
    for (; i < n; i++) {
        sum[0] += x[i] - x[i];
    }
    return sum[0] + sum[1] + sum[2] + sum[3] == 0.0;
}

static soa_status check_inputs(const soa_runner *r, int state, soa_error *error)
{
    for (int i = 0; i < r->compiled->inputs.count; i++) {
        const soa_compiled_input *in = soa_compiled_input_at(r->compiled, i);
        const double *x = soa_runner_input(r, i, state).at;
        const int n = x ? numbers(r, in->type) : 0;
        const bool finite = n == 0 || all_finite(x, n);
        for (int j = 0; !finite && j < n; j++) {
            if (!isfinite(x[j])) {
                return soa_at_state(
                    soa_fail(error, SOA_E_NUMBER, -1, "state %d: %s[%d] = %g is not finite; give finite numbers", state,
                        in->name, j, x[j]),
                    r->workspace, state, error);
            }
        }
    }
    return SOA_OK;
}

static soa_status check_state(const soa_runner *r, int state, const double *q, soa_error *error)
{
    const soa_call call = { .step = 1, .q = { q, (size_t)r->compiled->model->nq } };
    const soa_status status = soa_check_state(r->workspace, &call, state, error);
    return status == SOA_OK ? check_inputs(r, state, error) : status;
}

/* ---- outputs --------------------------------------------------------------------------------------------- */

static void spoil(const soa_runner *r, int state)
{
    for (int i = 0; i < r->compiled->outputs.count; i++) {
        const int n = numbers(r, soa_compiled_output_at(r->compiled, i)->type);
        for (int j = 0; r->output[i] && j < n; j++) {
            r->output[i][(size_t)state * (size_t)n + (size_t)j] = NAN;
        }
    }
}

/* ---- running ------------------------------------------------------------------------------------------------ */

void soa_unit_call(const soa_runner *runner, const soa_unit_run *run, int lanes, soa_call *call)
{
    const soa_plan *plan = &run->unit->plan;
    call->model = runner->compiled->model;
    call->work = run->work;
    call->lanes = &runner->workspace->work;
    call->step = 1;
    call->keeps = true;
    call->plain = call->count == lanes;
    call->point = runner->point;
    call->points = runner->points;
    if (plan->forward_T >= 0) {
        call->u = run->input[plan->forward_T];
        call->y = run->output[plan->forward_y];
        if (!call->y.at) {
            call->y = (soa_out){ run->spare, (size_t)call->model->nv };
        }
    }
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

/* Binds the vectors of the main unit to those of the states from `state` on. */
static void bind_states(const soa_runner *r, soa_unit_run *run, int state)
{
    const soa_compiled *c = r->compiled;
    for (int i = 0; i < run->unit->plan.flow.steps.count; i++) {
        run->input[i] = run->bound[i] < 0 ? (soa_in){ NULL, 0 } : soa_runner_input(r, run->bound[i], state);
    }
    for (int i = 0; i < c->outputs.count; i++) {
        const soa_compiled_output *out = soa_compiled_output_at(c, i);
        if (out->vector >= 0) {
            const size_t n = (size_t)numbers(r, out->type);
            double *at = r->output[i];
            run->output[out->vector] = (soa_out){ at ? at + (size_t)state * n : NULL, n };
        }
    }
}

/* The main unit on count states; their failures, the first of them in *status. */
static void run_part(
    soa_runner *r, int state, int count, int lanes, const double *q, soa_status *status, soa_error *error)
{
    const soa_compiled *c = r->compiled;
    const size_t nq = (size_t)c->model->nq;
    soa_status checked[SOA_MAX_LANES];
    soa_error found;
    bool bad = *status != SOA_OK;
    for (int i = 0; i < count; i++) {
        checked[i] = check_state(r, state + i, q, bad ? NULL : &found);
        bad = bad || checked[i] != SOA_OK;
    }
    bind_states(r, r->main, state);
    const int beta = r->main->beta;
    soa_call call = { .q = { q + (size_t)state * nq, nq }, .count = count };
    call.v = beta < 0 ? (soa_in){ NULL, 0 } : soa_runner_input(r, beta, state);
    soa_unit_call(r, r->main, lanes, &call);
    for (int i = 0; i < count; i++) {
        /* cppcheck-suppress uninitvar ; written above */
        const bool singular = checked[i] == SOA_OK && call.failed[i] >= 0;
        if (checked[i] == SOA_OK && !singular) {
            continue;
        }
        if (*status == SOA_OK && singular) {
            *status = fail_singular(r, state + i, call.failed[i], error);
        } else if (*status == SOA_OK) {
            *status = checked[i];
            if (error) {
                *error = found;
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
    soa_status status = check_state(r, state, q, error);
    status = status == SOA_OK ? soa_unit_prepare(r, r->main, at, state, error) : status;
    if (status == SOA_OK) {
        run_part(r, state, 1, 1, q, &status, error);
    }
    for (int i = 0; status == SOA_OK && i < c->outputs.count; i++) {
        soa_maker_run *maker = r->result[i];
        if (maker && r->output[i]) {
            const size_t n = (size_t)maker->rows * (size_t)maker->cols;
            status = soa_maker_make(r, maker, at, state, error);
            memcpy(r->output[i] + (size_t)state * n, maker->at, n * sizeof(double));
        }
    }
    if (status != SOA_OK) {
        soa_at_state(status, r->workspace, state, error);
        spoil(r, state);
    }
    return status;
}

soa_status soa_runner_run(soa_runner *runner, int states, const double *q, soa_error *error)
{
    if (states < 0 || (states > 0 && runner->compiled->model->nq > 0 && !q)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the number of states is negative or q is missing");
    }
    soa_status status = check_bound(runner, error);
    if (status != SOA_OK) {
        return status;
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
