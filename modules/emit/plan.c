/* emit/plan.c - expressions of the language on a tape, as the runner makes them of numbers. */
#include "expr/runner.h" /* first: a header of the language has a name that soa/parameters.h gives a number */

#include "emit/plan.h"

/* ---- outputs --------------------------------------------------------------------------------------- */

static const double *input_named(const plan *p, const char *name)
{
    const int i = soa_runner_find(p->runner, name);
    return i < 0 ? NULL : p->bound[i];
}

/* A vector by its kernel. */
static bool run_kernel(plan *p, int output, double *y)
{
    const soa_expr_kernel kernel = soa_compiled_output_at(p->runner->compiled, output)->kernel;
    soa_call call = { .q.at = p->job->in[IN_Q], .model = p->job->model, .y.at = y };
    call.v.at = input_named(p, "beta");
    call.u.at = input_named(p, soa_kernel_reads(kernel));
    return trace_kernel(
        &p->job->t, kernel == SOA_BY_FORWARD ? SOA_KERNEL_forward_dynamics : SOA_KERNEL_inverse_dynamics, &call);
}

/* The vectors of the main graph; values of kernels are its inputs. */
static bool run_main(plan *p, double *const *value)
{
    const soa_compiled *c = p->runner->compiled;
    soa_graph_run *main = p->runner->main;
    bool any = false;
    emit_bind_inputs(p, main);
    for (int i = 0; i < main->graph->steps.count; i++) {
        if (main->bound[i] < -1) {
            main->input[i] = (soa_in){ value[-2 - main->bound[i]], 0 };
        }
    }
    for (int i = 0; i < c->outputs.count; i++) {
        const int vector = soa_compiled_output_at(c, i)->vector;
        if (vector >= 0) {
            main->output[vector] = (soa_out){ value[i], 0 };
            any = true;
        }
    }
    return !any || emit_run_graph(p, main);
}

static bool trace_outputs(plan *p)
{
    const soa_compiled *c = p->runner->compiled;
    double *value[EMIT_ARRAYS] = { NULL };
    bool good = true;
    for (int i = 0; good && i < c->outputs.count; i++) {
        const soa_compiled_output *out = soa_compiled_output_at(c, i);
        value[i] = emit_output(p->job, emit_name(p->job, "out_", out->name), soa_runner_count_of(p->runner, out->type));
        good = value[i] != NULL && (out->kernel == SOA_BY_NONE || out->matrix != NULL || run_kernel(p, i, value[i]));
    }
    good = good && run_main(p, value);
    for (int i = 0; good && i < c->outputs.count; i++) {
        soa_matrix_run *matrix = p->runner->result[i];
        if (matrix != NULL) {
            good = emit_make_matrix(p, matrix);
            memcpy(value[i], matrix->at, (size_t)matrix->rows * (size_t)matrix->cols * sizeof **value);
        }
    }
    return good;
}

/* ---- inputs ------------------------------------------------------------------------------------------ */

/* What an input is called in C: as everywhere, and a declared one so that it is no name of the function itself. */
static const char *c_name(emit_job *job, const char *name)
{
    return strcmp(name, "beta") == 0      ? "v"
           : strcmp(name, "T") == 0       ? "tau"
           : strcmp(name, "betadot") == 0 ? "vdot"
           : strcmp(name, "f_c") == 0     ? "f_c"
                                          : emit_name(job, "in_", name);
}

static bool name_inputs(emit_job *job)
{
    const soa_compiled *c = job->runner->compiled;
    if (c->inputs.count + 1 > EMIT_ARRAYS || c->outputs.count > EMIT_ARRAYS) {
        return emit_refuse(job, "more than %d inputs or outputs; emit several functions", EMIT_ARRAYS);
    }
    job->f.name = job->request->name != NULL ? job->request->name : "expression";
    job->f.inputs = 1 + c->inputs.count;
    job->f.in[0] = (emit_array){ "q", job->model->nq, NULL };
    for (int i = 0; i < c->inputs.count; i++) {
        const soa_compiled_input *in = soa_compiled_input_at(c, i);
        job->f.in[1 + i] = (emit_array){ c_name(job, in->name), soa_runner_count(job->runner, in), NULL };
    }
    return true;
}

static bool trace_expression(emit_job *job)
{
    const double *bound[EMIT_ARRAYS];
    for (int i = 1; i < job->f.inputs; i++) {
        bound[i - 1] = job->in[i];
    }
    plan p = { job, job->runner, bound };
    return trace_outputs(&p);
}

static soa_status run_expression(emit_reference *r)
{
    const soa_compiled *c = r->runner->compiled;
    soa_status status = SOA_OK;
    for (int i = 0; i < c->inputs.count && status == SOA_OK; i++) {
        status = soa_runner_bind(r->runner, soa_compiled_input_at(c, i)->name, r->in[1 + i], &r->error);
    }
    for (int i = 0; i < c->outputs.count && status == SOA_OK; i++) {
        status = soa_runner_bind_output(r->runner, soa_compiled_output_at(c, i)->name, r->out[i], &r->error);
    }
    return status == SOA_OK ? soa_runner_run(r->runner, 1, r->in[IN_Q], &r->error) : status;
}

/* ---- an expression as an algorithm --------------------------------------------------------------------- */

bool emit_plan_begin(emit_job *job, emit_algorithm *a)
{
    const module_emit_request *r = job->request;
    soa_error error;
    soa_error_clear(&error);
    const int count = soa_program_statements(r->program) - r->first;
    int *statement = malloc(((size_t)count + 1) * sizeof *statement), n = 0;
    if (statement == NULL) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const soa_statement_info s = soa_program_statement(r->program, r->first + i);
        if (s.kind != SOA_STATEMENT_DECLARATION) {
            statement[n++] = r->first + i;
        }
        if (s.points && r->points == 0) {
            free(statement);
            return emit_refuse(job, "'%s' needs points; give '--at LINK' for each", s.text);
        }
    }
    const bool good =
        soa_compile(job->model, r->program, SOA_SIMPLIFIED, n, statement, &job->compiled, &error) == SOA_OK &&
        soa_runner_new(job->compiled, r->points, r->point, NULL, &job->runner, &error) == SOA_OK;
    free(statement);
    *a = (emit_algorithm){ "expression", "expression", 1, "", "as the expression", r->what, trace_expression,
        run_expression, false, true, false, false, false };
    return good ? name_inputs(job) : emit_refuse(job, "%s", error.text);
}

void emit_plan_end(emit_job *job)
{
    soa_runner_free(job->runner);
    soa_compiled_free(job->compiled);
}
