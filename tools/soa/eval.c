/* eval.c - soa eval: the values of expressions on a model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval.h"
#include "module.h"
#include "program.h"

const tool_option TOOL_EVAL_OPTIONS[] = {
    TOOL_STATE_OPTIONS,
    { "force", 0, "NUMBERS", "f_c, the forces that the system exerts at the points; zero if not given" },
    { "at", 0, "LINK[:x,y,z]", "a point, for B, J, Lambda, f_c; may be repeated" },
    { "join", 0, NULL, "A: the points 1 and 2, 3 and 4, ... move together" },
    { "rows", 0, "NUMBERS", "A: its rows, one after another; without points A is that of the model's closures" },
    TOOL_PROGRAM_OPTIONS,
    { "base", 'b', "BASE", "fixed: as in the file; free: on a free joint 'base'" },
    { "jit", 0, NULL, "compile the expressions with cc, and keep what was compiled in the cache folder" },
    { "json", 0, NULL, "JSON on standard output" },
    { "all", 'a', NULL, "print matrices of any size" },
    { NULL, 0, NULL, NULL },
};

/* ---- the state -------------------------------------------------------------------------------- */

static void read_forces(const tool_evaluation *e, double *to)
{
    const char *text = tool_value(e->call, "force");
    const int count = 6 * e->points.count;
    const int n = text == NULL ? count : tool_read_numbers("force", text, count, to);
    if (n != count) {
        tool_fail("--force has %d numbers; the points need %d", n, count);
    }
}

static void read_state(tool_evaluation *e, tool_states *states, int state)
{
    const int nq = soa_model_nq(e->model), nv = soa_model_nv(e->model), points = 6 * e->points.count;
    e->block = tool_take((size_t)(nq + 3 * nv + points) + 1, sizeof *e->block);
    e->q = e->block;
    e->given[TOOL_GIVEN_BETA] = e->q + nq;
    e->given[TOOL_GIVEN_T] = e->given[TOOL_GIVEN_BETA] + nv;
    e->given[TOOL_GIVEN_BETADOT] = e->given[TOOL_GIVEN_T] + nv;
    e->given[TOOL_GIVEN_F_C] = e->given[TOOL_GIVEN_BETADOT] + nv;
    double *const to[TOOL_ARRAYS] = { e->q, e->given[TOOL_GIVEN_BETA], e->given[TOOL_GIVEN_T],
        e->given[TOOL_GIVEN_BETADOT] };
    tool_states_next(states, state, to);
    read_forces(e, e->given[TOOL_GIVEN_F_C]);
}

/* ---- run ---------------------------------------------------------------------------------------- */

static double size_of(const tool_evaluation *e, soa_space space)
{
    switch (space) {
    case SOA_SPACE_JOINT:
        return soa_model_nv(e->model);
    case SOA_SPACE_BODY:
        return 6.0 * soa_model_bodies(e->model);
    case SOA_SPACE_POINT:
        return 6.0 * e->points.count;
    default:
        return 1.0;
    }
}

/* What a statement needs, and whether its value can be written out. */
static void check_statement(const tool_evaluation *e, const soa_statement_info *s)
{
    if (s->points && e->points.count == 0) {
        tool_fail("'%s' needs points; give '--at LINK' for each", s->text);
    }
    if (s->constraints && tool_value(e->call, "rows") == NULL && tool_value(e->call, "join") == NULL &&
        e->closures == NULL) {
        tool_fail("'%s' needs the constraints A; give '--join' or '--rows NUMBERS'%s", s->text,
            soa_model_closures(e->model) > 0 ? ", or leave '--at' out: then A is that of the model's closures" : "");
    }
    if (s->to_space == SOA_SPACE_ANY || s->from_space == SOA_SPACE_ANY) {
        tool_fail("'%s' could have any type; say which, as in I[joint force]", s->text);
    }
    const double rows = size_of(e, s->to_space), cols = size_of(e, s->from_space);
    if (rows * cols > TOOL_MOST_NUMBERS && !s->block) {
        tool_fail("a matrix of %.0f x %.0f numbers is too large to write out", rows, cols);
    }
}

/* What is evaluated: definitions and expressions of the text itself, or the last one. */
static void compile(tool_evaluation *e)
{
    const int count = soa_program_statements(e->program);
    e->statement = tool_take((size_t)count + 1, sizeof *e->statement);
    for (int i = e->first; i < count; i++) {
        const soa_statement_info s = soa_program_statement(e->program, i);
        if (s.kind != SOA_STATEMENT_DECLARATION) {
            check_statement(e, &s);
            e->statement[e->statements++] = i;
        }
    }
    if (e->statements == 0) {
        tool_fail("there is no expression to evaluate");
    }
    tool_must(
        soa_compile(e->model, e->program, SOA_SIMPLIFIED, e->statements, e->statement, &e->compiled, tool_error()));
}

/* ---- compiled -------------------------------------------------------------------------------------- */

/* The expressions as a function; NULL: why they are not. */
static module_jit_function *compiled_function(const tool_evaluation *e, char *why, size_t size)
{
    const module_emit_table *emit = module_look("emit");
    const module_jit_table *jit = module_look("jit");
    const module_emit_request request = { .model = e->model,
        .source = "eval",
        .what = "expressions of soa eval",
        .program = e->program,
        .first = e->first,
        .name = "soa_expression",
        .lanes = 1,
        .points = e->points.count,
        .point = e->points.point,
        .table = true };
    if (emit == NULL || jit == NULL) {
        snprintf(why, size, "the modules soa_emit.so and soa_jit.so are not there");
        return NULL;
    }
    char *text = emit->emit(&request, why, size);
    void *symbol = text != NULL ? jit->load(text, "soa_expression_table", why, size) : NULL;
    module_jit_function *function = NULL;
    memcpy(&function, &symbol, sizeof symbol);
    free(text);
    return function;
}

/* Whether the values were computed by compiled code. A note says why not. */
static bool run_compiled(tool_evaluation *e)
{
    enum { MOST = 16 };
    char why[SOA_ERROR_TEXT] = "";
    const double *in[MOST + 1] = { e->q };
    const int inputs = soa_compiled_inputs(e->compiled);
    module_jit_function *function = inputs < MOST ? compiled_function(e, why, sizeof why) : NULL;
    if (function == NULL) {
        tool_note(e->call, "not compiled: %s", why);
        return false;
    }
    bool finite = true;
    for (int i = 0; i < inputs; i++) {
        in[1 + i] = tool_evaluation_input(e, soa_compiled_input_info(e->compiled, i).name);
    }
    function(in, e->value);
    for (int i = 0; i < soa_compiled_outputs(e->compiled); i++) {
        const int n = soa_runner_numbers(e->runner, soa_compiled_output_info(e->compiled, i).name);
        for (int k = 0; k < n; k++) {
            finite = finite && isfinite(e->value[i][k]);
        }
    }
    return finite; /* else the interpreter says what is wrong */
}

static void run(tool_evaluation *e)
{
    compile(e);
    tool_must(soa_runner_new(e->compiled, e->points.count, e->points.point, &TOOL_MEMORY, &e->runner, tool_error()));
    tool_evaluation_bind(e);
    if (tool_value(e->call, "jit") != NULL && run_compiled(e)) {
        return;
    }
    tool_must(soa_runner_run(e->runner, 1, e->q, tool_error()));
}

void tool_evaluation_free(tool_evaluation *e)
{
    for (int i = 0; i < soa_compiled_outputs(e->compiled); i++) {
        tool_return(e->value[i]);
    }
    tool_return(e->value);
    tool_return(e->statement);
    tool_return(e->block);
    tool_return(e->points.point);
    tool_return(e->points.text);
    soa_runner_free(e->runner);
    soa_compiled_free(e->compiled);
    soa_closures_free(e->closures);
}

/* Where no points are given, they are the frames that the model's closures join. */
static void take_closures(tool_evaluation *e)
{
    bool spoken = false;
    for (int i = e->first; i < soa_program_statements(e->program); i++) {
        const soa_statement_info s = soa_program_statement(e->program, i);
        spoken = spoken || s.points || s.constraints;
    }
    if (!spoken || e->points.count > 0 || soa_model_closures(e->model) == 0) {
        return;
    }
    tool_must(soa_closures_new(1, &e->model, NULL, &TOOL_MEMORY, &e->closures, tool_error()));
    e->points.count = soa_closure_points(e->closures, NULL);
    e->points.point = tool_take((size_t)e->points.count + 1, sizeof *e->points.point);
    (void)soa_closure_points(e->closures, e->points.point);
}

void tool_evaluate(tool_call *call, tool_states *states, int state, tool_evaluation *e)
{
    e->call = call;
    e->model = states->model;
    tool_points_get(call, states->model, &e->points);
    take_closures(e);
    read_state(e, states, state);
    run(e);
}

/* All states, one after another. */
static void evaluate_states(tool_call *call, tool_states *states, soa_program *program, int first)
{
    const bool json = tool_value(call, "json") != NULL, several = states->count > 1;
    fputs(json && several ? "{\"states\": [\n" : "", call->out);
    for (int s = 0; s < states->count; s++) {
        tool_evaluation e = { .program = program, .first = first };
        tool_evaluate(call, states, s, &e);
        fputs(s == 0 ? "" : json ? ",\n" : "\n", call->out);
        if (several && !json) {
            fprintf(call->out, "state %d\n", s);
        }
        tool_evaluation_print(&e);
        tool_evaluation_free(&e);
    }
    fputs(json && several ? "]}\n" : "", call->out);
}

void tool_eval(tool_call *call)
{
    tool_states states;
    soa_program *program = tool_program_read(call, NULL, SOA_READ_PROGRAM);
    const int first = soa_program_statements(program);
    tool_program_read_more(call->operand[1], SOA_READ_PROGRAM, program);
    const soa_model *model = tool_load_based(call, call->operand[0]);
    tool_states_open(call, model, true, &states);
    tool_note_open(call, model, "operators other than A");
    tool_note_forces(call, model);
    evaluate_states(call, &states, program, first);
}
