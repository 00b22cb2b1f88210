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

static int read_forces(const tool_evaluation *e, double *to)
{
    const char *text = tool_value(e->call, "force");
    const int count = 6 * e->points.count;
    const int n = text == NULL ? count : tool_read_numbers("force", text, count, to);
    return n == count ? TOOL_OK
           : n < 0    ? TOOL_FAILED
                      : tool_fail("--force has %d numbers; the points need %d", n, count);
}

static int read_state(tool_evaluation *e, tool_states *states, int state)
{
    const int nq = soa_model_nq(e->model), nv = soa_model_nv(e->model), points = 6 * e->points.count;
    e->block = calloc((size_t)(nq + 3 * nv + points) + 1, sizeof *e->block);
    if (e->block == NULL) {
        return tool_fail_memory();
    }
    e->q = e->block;
    e->given[TOOL_GIVEN_BETA] = e->q + nq;
    e->given[TOOL_GIVEN_T] = e->given[TOOL_GIVEN_BETA] + nv;
    e->given[TOOL_GIVEN_BETADOT] = e->given[TOOL_GIVEN_T] + nv;
    e->given[TOOL_GIVEN_F_C] = e->given[TOOL_GIVEN_BETADOT] + nv;
    double *const to[TOOL_ARRAYS] = { e->q, e->given[TOOL_GIVEN_BETA], e->given[TOOL_GIVEN_T],
        e->given[TOOL_GIVEN_BETADOT] };
    const int status = tool_states_next(states, state, to);
    return status == TOOL_OK ? read_forces(e, e->given[TOOL_GIVEN_F_C]) : status;
}

/* ---- A ------------------------------------------------------------------------------------------ */

/* [I -I 0 0; 0 0 I -I]: the points of each pair have one motion. */
static double *joined_rows(int points, int *rows)
{
    const size_t cols = 6 * (size_t)points;
    *rows = 6 * (points / 2);
    double *matrix = calloc((size_t)*rows * cols + 1, sizeof *matrix);
    for (int i = 0; matrix != NULL && i < *rows; i++) {
        const size_t first = 12 * (size_t)(i / 6) + (size_t)(i % 6);
        matrix[(size_t)i * cols + first] = 1.0;
        matrix[(size_t)i * cols + first + 6] = -1.0;
    }
    return matrix;
}

static int read_rows(const char *text, int cols, int *rows, double **matrix)
{
    const int n = tool_read_numbers("rows", text, 0, NULL);
    if (n < 0 || n % cols != 0) {
        return n < 0 ? TOOL_FAILED : tool_fail("--rows has %d numbers; a row has %d, six per point", n, cols);
    }
    *rows = n / cols;
    *matrix = calloc((size_t)n + 1, sizeof **matrix);
    if (*matrix == NULL) {
        return tool_fail_memory();
    }
    (void)tool_read_numbers("rows", text, n, *matrix);
    return TOOL_OK;
}

/* A of the closures that the model describes, at this state. */
static int closure_rows(const tool_evaluation *e, int *rows, double **matrix)
{
    soa_error error;
    *rows = soa_closures_rows(e->closures);
    *matrix = calloc((size_t)*rows * 6 * (size_t)e->points.count + 1, sizeof **matrix);
    if (*matrix == NULL) {
        return tool_fail_memory();
    }
    return soa_closure_operator(e->closures, 1, e->q, *matrix, &error) == SOA_OK ? TOOL_OK : tool_fail_error(&error);
}

static int set_constraints(tool_evaluation *e)
{
    const char *text = tool_value(e->call, "rows");
    const bool join = tool_value(e->call, "join") != NULL;
    double *matrix = NULL;
    int rows = 0, status = TOOL_OK;
    soa_error error;
    if (text == NULL && !join && e->closures == NULL) {
        return TOOL_OK;
    }
    if ((join && (e->points.count < 2 || e->points.count % 2 != 0)) || e->points.count == 0) {
        return tool_fail(
            "--%s needs points%s; give '--at LINK' for each", join ? "join" : "rows", join ? " in pairs" : "");
    }
    if (join) {
        matrix = joined_rows(e->points.count, &rows);
        status = matrix == NULL ? tool_fail_memory() : TOOL_OK;
    } else if (text == NULL) {
        status = closure_rows(e, &rows, &matrix);
    } else {
        status = read_rows(text, 6 * e->points.count, &rows, &matrix);
    }
    if (status == TOOL_OK && soa_runner_set_constraints(e->runner, rows, matrix, &error) != SOA_OK) {
        status = tool_fail_error(&error);
    }
    free(matrix);
    return status;
}

/* ---- inputs ----------------------------------------------------------------------------------------- */

static const double *given_vector(const tool_evaluation *e, const char *name)
{
    static const char *const NAME[TOOL_GIVEN] = { "beta", "T", "betadot", "f_c" };
    for (int i = 0; i < TOOL_GIVEN; i++) {
        if (strcmp(NAME[i], name) == 0) {
            return e->given[i];
        }
    }
    return NULL;
}

/* The numbers of a declared name. */
static int bind_declared(tool_evaluation *e, const char *name)
{
    const int needed = soa_runner_numbers(e->runner, name);
    soa_error error;
    for (int i = 0; i < soa_program_statements(e->program); i++) {
        const soa_statement_info s = soa_program_statement(e->program, i);
        if (s.kind != SOA_STATEMENT_DECLARATION || strcmp(s.name, name) != 0) {
            continue;
        }
        if (s.values == 0) {
            return tool_fail("'%s' has no numbers; give them: --let \"%s = ...\"", name, s.text);
        }
        if (s.values != needed) {
            return tool_fail("'%s' has %d numbers; it needs %d", name, s.values, needed);
        }
        return soa_runner_bind(e->runner, name, s.value, &error) == SOA_OK ? TOOL_OK : tool_fail_error(&error);
    }
    return tool_fail("'%s' has no numbers", name);
}

static int bind_inputs(tool_evaluation *e)
{
    int status = TOOL_OK;
    soa_error error;
    for (int i = 0; i < soa_compiled_inputs(e->compiled) && status == TOOL_OK; i++) {
        const char *name = soa_compiled_input_info(e->compiled, i).name;
        const double *given = given_vector(e, name);
        if (given == NULL) {
            status = bind_declared(e, name);
        } else if (soa_runner_bind(e->runner, name, given, &error) != SOA_OK) {
            status = tool_fail_error(&error);
        }
    }
    return status;
}

/* ---- run ----------------------------------------------------------------------------------------------- */

static int bind_outputs(tool_evaluation *e)
{
    const int count = soa_compiled_outputs(e->compiled);
    soa_error error;
    e->value = calloc((size_t)count + 1, sizeof *e->value);
    if (e->value == NULL) {
        return tool_fail_memory();
    }
    for (int i = 0; i < count; i++) {
        const char *name = soa_compiled_output_info(e->compiled, i).name;
        const int numbers = soa_runner_numbers(e->runner, name);
        if (numbers < 0 || numbers > TOOL_MOST_NUMBERS) {
            return tool_fail("the value of '%s' is too large to write out", name);
        }
        e->value[i] = malloc(((size_t)numbers + 1) * sizeof **e->value);
        if (e->value[i] == NULL) {
            return tool_fail_memory();
        }
        if (soa_runner_bind_output(e->runner, name, e->value[i], &error) != SOA_OK) {
            return tool_fail_error(&error);
        }
    }
    return TOOL_OK;
}

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
static int check_statement(const tool_evaluation *e, const soa_statement_info *s)
{
    if (s->points && e->points.count == 0) {
        return tool_fail("'%s' needs points; give '--at LINK' for each", s->text);
    }
    if (s->constraints && tool_value(e->call, "rows") == NULL && tool_value(e->call, "join") == NULL &&
        e->closures == NULL) {
        return tool_fail("'%s' needs the constraints A; give '--join' or '--rows NUMBERS'%s", s->text,
            soa_model_closures(e->model) > 0 ? ", or leave '--at' out: then A is that of the model's closures" : "");
    }
    if (s->to_space == SOA_SPACE_ANY || s->from_space == SOA_SPACE_ANY) {
        return tool_fail("'%s' could have any type; say which, as in I[joint force]", s->text);
    }
    const double rows = size_of(e, s->to_space), cols = size_of(e, s->from_space);
    return rows * cols > TOOL_MOST_NUMBERS && !s->block
               ? tool_fail("a matrix of %.0f x %.0f numbers is too large to write out", rows, cols)
               : TOOL_OK;
}

/* What is evaluated: definitions and expressions of the text itself, or the last one. */
static int compile(tool_evaluation *e)
{
    soa_error error;
    const int count = soa_program_statements(e->program);
    e->statement = malloc(((size_t)count + 1) * sizeof *e->statement);
    if (e->statement == NULL) {
        return tool_fail_memory();
    }
    for (int i = e->first; i < count; i++) {
        const soa_statement_info s = soa_program_statement(e->program, i);
        if (s.kind == SOA_STATEMENT_DECLARATION) {
            continue;
        }
        if (check_statement(e, &s) != TOOL_OK) {
            return TOOL_FAILED;
        }
        e->statement[e->statements++] = i;
    }
    if (e->statements == 0) {
        return tool_fail("there is no expression to evaluate");
    }
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): tool_evaluation_free releases it */
    const soa_status status =
        soa_compile(e->model, e->program, SOA_SIMPLIFIED, e->statements, e->statement, &e->compiled, &error);
    return status == SOA_OK ? TOOL_OK : tool_fail_error(&error);
}

/* ---- compiled -------------------------------------------------------------------------------------- */

static const double *declared_numbers(const tool_evaluation *e, const char *name)
{
    for (int i = 0; i < soa_program_statements(e->program); i++) {
        const soa_statement_info s = soa_program_statement(e->program, i);
        if (s.kind == SOA_STATEMENT_DECLARATION && strcmp(s.name, name) == 0) {
            return s.value;
        }
    }
    return NULL;
}

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
        const char *name = soa_compiled_input_info(e->compiled, i).name;
        const double *given = given_vector(e, name);
        in[1 + i] = given != NULL ? given : declared_numbers(e, name);
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

static int run(tool_evaluation *e)
{
    soa_error error;
    int status = compile(e);
    if (status == TOOL_OK &&
        soa_runner_new(e->compiled, e->points.count, e->points.point, NULL, &e->runner, &error) != SOA_OK) {
        status = tool_fail_error(&error);
    }
    status = status == TOOL_OK ? set_constraints(e) : status;
    status = status == TOOL_OK ? bind_inputs(e) : status;
    status = status == TOOL_OK ? bind_outputs(e) : status;
    if (status == TOOL_OK && tool_value(e->call, "jit") != NULL && run_compiled(e)) {
        return TOOL_OK;
    }
    if (status == TOOL_OK && soa_runner_run(e->runner, 1, e->q, &error) != SOA_OK) {
        status = tool_fail_error(&error);
    }
    return status;
}

void tool_evaluation_free(tool_evaluation *e)
{
    for (int i = 0; e->value != NULL && i < soa_compiled_outputs(e->compiled); i++) {
        free(e->value[i]);
    }
    free(e->value);
    free(e->statement);
    free(e->block);
    soa_runner_free(e->runner);
    soa_compiled_free(e->compiled);
    soa_closures_free(e->closures);
    tool_points_free(&e->points);
}

/* Where no points are given, they are the frames that the model's closures join. */
static int take_closures(tool_evaluation *e)
{
    soa_error error;
    bool spoken = false;
    for (int i = e->first; i < soa_program_statements(e->program); i++) {
        const soa_statement_info s = soa_program_statement(e->program, i);
        spoken = spoken || s.points || s.constraints;
    }
    if (!spoken || e->points.count > 0 || soa_model_closures(e->model) == 0) {
        return TOOL_OK;
    }
    if (soa_closures_new(1, &e->model, NULL, NULL, &e->closures, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    tool_points_free(&e->points);
    e->points.count = soa_closure_points(e->closures, NULL);
    e->points.point = calloc((size_t)e->points.count + 1, sizeof *e->points.point);
    if (e->points.point == NULL) {
        return tool_fail_memory();
    }
    (void)soa_closure_points(e->closures, e->points.point);
    return TOOL_OK;
}

int tool_evaluate(tool_call *call, tool_states *states, int state, tool_evaluation *e)
{
    e->call = call;
    e->model = states->model;
    int status = tool_points_get(call, states->model, &e->points);
    status = status == TOOL_OK ? take_closures(e) : status;
    status = status == TOOL_OK ? read_state(e, states, state) : status;
    return status == TOOL_OK ? run(e) : status;
}

/* All states, one after another. */
static int evaluate_states(tool_call *call, tool_states *states, soa_program *program, int first)
{
    const bool json = tool_value(call, "json") != NULL, several = states->count > 1;
    int status = TOOL_OK;
    fputs(json && several ? "{\"states\": [\n" : "", call->out);
    for (int s = 0; s < states->count && status == TOOL_OK; s++) {
        tool_evaluation e = { .program = program, .first = first };
        status = tool_evaluate(call, states, s, &e);
        fputs(s == 0 ? "" : json ? ",\n" : "\n", call->out);
        if (several && !json) {
            fprintf(call->out, "state %d\n", s);
        }
        status = status == TOOL_OK ? tool_evaluation_print(&e) : status;
        tool_evaluation_free(&e);
    }
    fputs(json && several ? "]}\n" : "", call->out);
    return status;
}

int tool_eval(tool_call *call)
{
    soa_model *model = NULL;
    soa_program *program = NULL;
    tool_states states = { 0 };
    int status = tool_program_read(call, NULL, SOA_READ_PROGRAM, &program);
    const int first = status == TOOL_OK ? soa_program_statements(program) : 0;
    status = status == TOOL_OK ? tool_program_read_more(call->operand[1], SOA_READ_PROGRAM, program) : status;
    status = status == TOOL_OK ? tool_load_based(call, call->operand[0], &model) : status;
    status = status == TOOL_OK ? tool_states_open(call, model, true, &states) : status;
    if (status == TOOL_OK) {
        tool_note_open(call, model, "operators other than A");
        tool_note_forces(call, model);
        status = evaluate_states(call, &states, program, first);
    }
    tool_states_close(&states);
    soa_program_free(program);
    soa_model_free(model);
    return status;
}
