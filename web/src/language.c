/* language.c - expressions of operators: what they are, what they cost, their recursions, proofs and values. */
#include <stdlib.h>
#include <string.h>

#include "page.h"

/* A text of the program as a member of the JSON object; returns whether it could be made. */
static bool put(page_writer *w, soa_program *program, const char *key, soa_status status, char *text)
{
    page_write(w, "%s\"%s\":", w->length > 1 ? "," : "", key);
    page_write_string(w, status == SOA_OK ? text : NULL);
    soa_program_text_free(program, text);
    return status == SOA_OK;
}

/* Line, caret and column for an error in a text that was typed. */
static int fail_typed(const char *text)
{
    page *p = &the_page;
    char caret[512];
    soa_error_message(&p->error, p->message, sizeof p->message);
    soa_error_caret(&p->error, text, caret, sizeof caret);
    const size_t used = strlen(p->message);
    if (caret[0] != '\0' && used + strlen(caret) + 2 < sizeof p->message) {
        p->message[used] = '\n';
        strcpy(p->message + used + 1, caret);
    }
    return 1;
}

static soa_status read_text(const char *text, soa_reading reading, double seconds, soa_program **program)
{
    page *p = &the_page;
    soa_error_clear(&p->error);
    soa_status status = soa_program_new(NULL, program, &p->error);
    if (status == SOA_OK) {
        soa_program_limit(*program, seconds, NULL, NULL);
        status = soa_program_read(*program, text, reading, &p->error);
    }
    return status;
}

static void explain(page_writer *w, soa_program *program, int statement)
{
    char *text = NULL, *report = NULL;
    soa_status status = soa_program_type(program, statement, &text, NULL);
    put(w, program, "type", status, text);
    status = soa_program_print(program, statement, SOA_LATEX, &text, NULL);
    put(w, program, "latex", status, text);
    status = soa_program_explain(program, statement, SOA_ASCII, SOA_EXPLAIN_SWEEPS, &text, NULL);
    put(w, program, "sweeps", status, text);
    status = soa_program_explain(program, statement, SOA_LATEX, SOA_EXPLAIN_SWEEPS, &text, NULL);
    put(w, program, "recursion", status, text);
    status = soa_program_explain(program, statement, SOA_ASCII, SOA_EXPLAIN_LEVELS, &text, NULL);
    put(w, program, "levels", status, text);
    status = soa_program_simplify(program, statement, SOA_ASCII, &text, &report, NULL);
    put(w, program, "cheapest", status, text);
    put(w, program, "simpler", status, report);
}

/* JSON about an expression, or about an equation and its proof. */
int PAGE(page_explain)(const char *text, int equation, double seconds)
{
    soa_program *program = NULL;
    if (read_text(text, equation ? SOA_READ_EQUATION : SOA_READ_PROGRAM, seconds, &program) != SOA_OK) {
        soa_program_free(program);
        return fail_typed(text);
    }
    page_writer w = { 0 };
    const int last = soa_program_statements(program) - 1;
    page_write(&w, "{");
    if (equation) {
        soa_verdict verdict = SOA_OPEN;
        char *proof = NULL, *latex = NULL;
        soa_status status = soa_program_print(program, last, SOA_LATEX, &latex, NULL);
        put(&w, program, "latex", status, latex);
        status = soa_program_prove(program, last, SOA_ASCII, &verdict, &proof, NULL);
        put(&w, program, "proof", status, proof);
        status = soa_program_prove(program, last, SOA_LATEX, &verdict, &proof, NULL);
        put(&w, program, "steps", status, proof);
        page_write(&w, ",\"verdict\":\"%s\"",
            verdict == SOA_PROVED    ? "proved"
            : verdict == SOA_REFUTED ? "refuted"
                                     : "open");
    } else if (last >= 0) {
        explain(&w, program, last);
    }
    page_write(&w, "}");
    soa_program_free(program);
    return page_give(&w);
}

/* Labels and texts of all identities. */
int PAGE(page_identities)(void)
{
    page_writer w = { 0 };
    page_write(&w, "{");
    for (int i = 0; i < soa_identities(); i++) {
        page_write(&w, i > 0 ? "," : "");
        page_write_string(&w, soa_identity_label(i));
        page_write(&w, ":");
        page_write_string(&w, soa_identity_text(i));
    }
    page_write(&w, "}");
    return page_give(&w);
}

/* ---- values --------------------------------------------------------------------------------- */

/* Inputs that a state has; a name of them that is not bound here is zero. */
static soa_status bind_inputs(const soa_compiled *compiled, soa_runner *runner, const double *zeros)
{
    page *p = &the_page;
    soa_status status = SOA_OK;
    for (int i = 0; i < soa_compiled_inputs(compiled) && status == SOA_OK; i++) {
        const char *name = soa_compiled_input_info(compiled, i).name;
        const bool velocity = strcmp(name, "beta") == 0;
        status = soa_runner_bind(runner, name, velocity ? p->number[PAGE_V] : zeros, &p->error);
    }
    return status;
}

static void write_value(
    page_writer *w, const soa_compiled *compiled, const soa_runner *runner, int output, const double *y)
{
    const soa_bound_info info = soa_compiled_output_info(compiled, output);
    const int numbers = soa_runner_numbers(runner, info.name), rows = soa_runner_rows(runner, info.name);
    const bool vector = info.from_space == SOA_SPACE_ONE;
    page_write(w, "%s{\"name\":", output > 0 ? "," : "");
    page_write_string(w, info.name);
    page_write(w, ",\"space\":\"%s\",\"rows\":%d,\"cols\":%d,\"value\":", soa_space_text(info.to_space),
        vector ? numbers : rows, vector || rows == 0 ? 1 : numbers / rows);
    page_write_numbers(w, numbers, y);
    page_write(w, "}");
}

/* Runs what was compiled at the state that is shown; J and B look at `link`. */
static soa_status run_values(page_writer *w, const soa_compiled *compiled, int link)
{
    page *p = &the_page;
    soa_runner *runner = NULL;
    const soa_point point = { link, soa_pose_identity() };
    const int outputs = soa_compiled_outputs(compiled);
    double **y = calloc((size_t)outputs + 1, sizeof *y);
    double *zeros =
        calloc(6 * ((size_t)soa_model_bodies(p->model) + 8) + (size_t)soa_model_nv(p->model), sizeof *zeros);
    soa_status status = y && zeros ? soa_runner_new(compiled, 1, &point, NULL, &runner, &p->error) : SOA_E_MEMORY;
    status = status == SOA_OK ? bind_inputs(compiled, runner, zeros) : status;
    for (int i = 0; i < outputs && status == SOA_OK; i++) {
        const char *name = soa_compiled_output_info(compiled, i).name;
        y[i] = calloc((size_t)soa_runner_numbers(runner, name) + 1, sizeof(double));
        status = y[i] ? soa_runner_bind_output(runner, name, y[i], &p->error) : SOA_E_MEMORY;
    }
    status = status == SOA_OK ? soa_runner_run(runner, 1, p->number[PAGE_Q], &p->error) : status;
    page_write(w, "[");
    for (int i = 0; i < outputs && status == SOA_OK; i++) {
        write_value(w, compiled, runner, i, y[i]);
    }
    page_write(w, "]");
    for (int i = 0; y && i < outputs; i++) {
        free(y[i]);
    }
    free(y);
    free(zeros);
    soa_runner_free(runner);
    return status;
}

/* The values of all statements at the state that is shown, joint forces zero: JSON. */
int PAGE(page_values)(const char *text, int link)
{
    page *p = &the_page;
    soa_program *program = NULL;
    soa_compiled *compiled = NULL;
    page_writer w = { 0 };
    soa_status status = read_text(text, SOA_READ_PROGRAM, 2.0, &program);
    if (status == SOA_OK) {
        status = soa_compile(p->model, program, SOA_AS_WRITTEN, 0, NULL, &compiled, &p->error);
    }
    if (status == SOA_OK) {
        status = run_values(&w, compiled, link);
    }
    soa_compiled_free(compiled);
    soa_program_free(program);
    if (status != SOA_OK) {
        free(w.text);
        return fail_typed(text);
    }
    return page_give(&w);
}
