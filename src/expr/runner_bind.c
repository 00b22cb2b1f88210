/* expr/runner_bind.c - names and the numbers bound to them, and whether a run may begin. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/finite.h"
#include "expr/runner.h"

/* ---- names ---------------------------------------------------------------------------------------- */

int soa_runner_find(const soa_runner *r, const char *name)
{
    const soa_compiled_input *found = name ? soa_array_named(&r->compiled->inputs, name) : NULL;
    return found ? (int)(found - soa_compiled_input_at(r->compiled, 0)) : -1;
}

int soa_runner_size(const soa_runner *runner, soa_space space)
{
    return soa_space_numbers(runner->compiled->model, runner->points, runner->tree.constraints, space);
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

int soa_runner_count_of(const soa_runner *r, soa_type type)
{
    return soa_runner_size(r, type.to.space) * soa_runner_size(r, type.from.space);
}

soa_slice soa_runner_slice(const soa_runner *r, soa_space space, const char *name)
{
    const soa_model *m = r->compiled->model;
    const int part = name ? soa_model_find_part(m, space, name, NULL) : -1;
    return part < 0                   ? (soa_slice){ -1, soa_runner_size(r, space) }
           : space == SOA_SPACE_POINT ? (soa_slice){ part, 6 }
                                      : (soa_slice){ part, soa_block_numbers(m, space, part) };
}

static int output_rows(const soa_runner *r, int output)
{
    const soa_compiled_output *out = soa_compiled_output_at(r->compiled, output);
    return soa_runner_slice(r, out->type.to.space, out->block.row).count;
}

int soa_runner_output_count(const soa_runner *r, int output)
{
    const soa_compiled_output *out = soa_compiled_output_at(r->compiled, output);
    return output_rows(r, output) * soa_runner_slice(r, out->type.from.space, out->block.col).count;
}

int soa_runner_count(const soa_runner *r, const soa_compiled_input *input)
{
    const soa_model *m = r->compiled->model;
    int numbers = 0;
    for (int k = 0; input->blocks && k < m->bodies; k++) {
        const int n = soa_block_numbers(m, input->type.to.space, k);
        numbers += n * n;
    }
    return input->blocks ? numbers : soa_runner_count_of(r, input->type);
}

int soa_runner_numbers(const soa_runner *runner, const char *name)
{
    const int out = find_out(runner, name), in = soa_runner_find(runner, name);
    return out >= 0  ? soa_runner_output_count(runner, out)
           : in >= 0 ? soa_runner_count(runner, soa_compiled_input_at(runner->compiled, in))
                     : -1;
}

int soa_runner_rows(const soa_runner *runner, const char *name)
{
    const int out = find_out(runner, name), in = soa_runner_find(runner, name);
    const soa_compiled_input *input = in >= 0 ? soa_compiled_input_at(runner->compiled, in) : NULL;
    return out >= 0        ? output_rows(runner, out)
           : !input        ? -1
           : input->blocks ? soa_runner_count(runner, input)
                           : soa_runner_size(runner, input->type.to.space);
}

soa_status soa_runner_bind(soa_runner *runner, const char *name, const double *x, soa_error *error)
{
    if (!runner) {
        return soa_fail_null(error, "the runner");
    }
    const int in = soa_runner_find(runner, name);
    if (in < 0) {
        return soa_fail(error, SOA_E_NAME, -1, "the expressions have no input '%s'", name ? name : "");
    }
    runner->input[in] = x;
    return SOA_OK;
}

soa_status soa_runner_bind_output(soa_runner *runner, const char *name, double *y, soa_error *error)
{
    if (!runner) {
        return soa_fail_null(error, "the runner");
    }
    const int out = find_out(runner, name);
    if (out < 0) {
        return soa_fail(error, SOA_E_NAME, -1, "the expressions have no result '%s'", name ? name : "");
    }
    runner->output[out] = y;
    return SOA_OK;
}

soa_status soa_runner_set_lanes(soa_runner *runner, int lanes, soa_error *error)
{
    if (!runner) {
        return soa_fail_null(error, "the runner");
    }
    const soa_status status = soa_workspace_set_lanes(runner->workspace, lanes, error);
    if (status == SOA_OK) {
        runner->lanes = runner->compiled->model->flexible ? 1 : lanes;
        runner->many = soa_run_kernels(soa_cpu_features(), runner->lanes);
    }
    return status;
}

soa_status soa_runner_set_constraints(soa_runner *runner, int rows, const double *matrix, soa_error *error)
{
    if (!runner) {
        return soa_fail_null(error, "the runner");
    }
    const soa_status status =
        soa_run_tree_constrain(&runner->tree, &runner->allocator, rows, runner->points, matrix, error);
    return status == SOA_OK ? soa_runner_build(runner, error) : status;
}

/* ---- inputs ------------------------------------------------------------------------------------------ */

soa_in soa_runner_input(const soa_runner *runner, int input, int state)
{
    const soa_compiled_input *in = soa_compiled_input_at(runner->compiled, input);
    const int n = soa_runner_count(runner, in);
    if (!runner->input[input]) {
        return (soa_in){ in->value && in->values == n ? in->value : NULL, 0 };
    }
    const bool matrix = in->type.from.space != SOA_SPACE_ONE;
    return (soa_in){ runner->input[input] + (matrix ? 0 : (size_t)state * (size_t)n), matrix ? 0 : (size_t)n };
}

soa_status soa_runner_check_bound(const soa_runner *r, soa_error *error)
{
    for (int i = 0; i < r->compiled->inputs.count; i++) {
        const soa_compiled_input *in = soa_compiled_input_at(r->compiled, i);
        const int n = soa_runner_count(r, in);
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

soa_status soa_runner_check_numbers(const soa_runner *r, int state, const char *name, size_t count, const double *x,
    const char *advice, soa_error *error)
{
    size_t i = 0;
    if (count == 0 || soa_all_finite(x, count)) {
        return SOA_OK;
    }
    while (isfinite(x[i])) {
        i++;
    }
    return soa_at_state(
        soa_fail(error, SOA_E_NUMBER, -1, "state %d: %s[%zu] = %g is not finite; %s", state, name, i, x[i], advice),
        r->workspace, state, error);
}

soa_status soa_runner_check_state(const soa_runner *r, int state, const double *q, soa_error *error)
{
    const soa_call call = { .spacing = 1, .q = { q, (size_t)r->compiled->model->nq } };
    soa_status status = soa_check_state(r->workspace, &call, state, error);
    for (int i = 0; i < r->compiled->inputs.count && status == SOA_OK; i++) {
        const soa_compiled_input *in = soa_compiled_input_at(r->compiled, i);
        const double *x = soa_runner_input(r, i, state).at;
        status = soa_runner_check_numbers(r, state, in->name, x ? (size_t)soa_runner_count(r, in) : 0, x,
            "give finite numbers (both count from 0)", error);
    }
    return status;
}
