/* eval_bind.c - what the runner of an evaluation is given: the constraints A, inputs, room for outputs. */
#include <string.h>

#include "eval.h"

/* ---- A ------------------------------------------------------------------------------------------ */

/* [I -I 0 0; 0 0 I -I]: the points of each pair have one motion. */
static double *joined_rows(int points, int *rows)
{
    const size_t cols = 6 * (size_t)points;
    *rows = 6 * (points / 2);
    double *matrix = tool_take((size_t)*rows * cols + 1, sizeof *matrix);
    for (int i = 0; i < *rows; i++) {
        const size_t first = 12 * (size_t)(i / 6) + (size_t)(i % 6);
        matrix[(size_t)i * cols + first] = 1.0;
        matrix[(size_t)i * cols + first + 6] = -1.0;
    }
    return matrix;
}

static double *read_rows(const char *text, int cols, int *rows)
{
    const int n = tool_read_numbers("rows", text, 0, NULL);
    if (n % cols != 0) {
        tool_fail("--rows has %d numbers; a row has %d, six per point", n, cols);
    }
    *rows = n / cols;
    double *matrix = tool_take((size_t)n, sizeof *matrix);
    (void)tool_read_numbers("rows", text, n, matrix);
    return matrix;
}

/* A of the closures that the model describes, at this state. */
static double *closure_rows(const tool_evaluation *e, int *rows)
{
    *rows = soa_closures_rows(e->closures);
    double *matrix = tool_take((size_t)*rows * 6 * (size_t)e->points.count, sizeof *matrix);
    tool_must(soa_closure_operator(e->closures, 1, e->q, matrix, tool_error()));
    return matrix;
}

static void set_constraints(tool_evaluation *e)
{
    const char *text = tool_value(e->call, "rows");
    const bool join = tool_value(e->call, "join") != NULL;
    int rows = 0;
    if (text == NULL && !join && e->closures == NULL) {
        return;
    }
    if ((join && (e->points.count < 2 || e->points.count % 2 != 0)) || e->points.count == 0) {
        tool_fail("--%s needs points%s; give '--at LINK' for each", join ? "join" : "rows", join ? " in pairs" : "");
    }
    double *matrix = join           ? joined_rows(e->points.count, &rows)
                     : text == NULL ? closure_rows(e, &rows)
                                    : read_rows(text, 6 * e->points.count, &rows);
    tool_must(soa_runner_set_constraints(e->runner, rows, matrix, tool_error()));
    tool_return(matrix);
}

/* ---- inputs ----------------------------------------------------------------------------------------- */

/* The vector of the state with this name, or NULL. */
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
static const double *declared_numbers(const tool_evaluation *e, const char *name)
{
    const int needed = soa_runner_numbers(e->runner, name);
    for (int i = 0; i < soa_program_statements(e->program); i++) {
        const soa_statement_info s = soa_program_statement(e->program, i);
        if (s.kind != SOA_STATEMENT_DECLARATION || strcmp(s.name, name) != 0) {
            continue;
        }
        if (s.values == 0) {
            tool_fail("'%s' has no numbers; give them: --let \"%s = ...\"", name, s.text);
        }
        if (s.values != needed) {
            tool_fail("'%s' has %d numbers; it needs %d", name, s.values, needed);
        }
        return s.value;
    }
    tool_fail("'%s' has no numbers", name);
}

const double *tool_evaluation_input(const tool_evaluation *e, const char *name)
{
    const double *given = given_vector(e, name);
    return given != NULL ? given : declared_numbers(e, name);
}

static void bind_inputs(tool_evaluation *e)
{
    for (int i = 0; i < soa_compiled_inputs(e->compiled); i++) {
        const char *name = soa_compiled_input_info(e->compiled, i).name;
        tool_must(soa_runner_bind(e->runner, name, tool_evaluation_input(e, name), tool_error()));
    }
}

/* ---- outputs ------------------------------------------------------------------------------------ */

static void bind_outputs(tool_evaluation *e)
{
    const int count = soa_compiled_outputs(e->compiled);
    e->value = tool_take((size_t)count + 1, sizeof *e->value);
    for (int i = 0; i < count; i++) {
        const char *name = soa_compiled_output_info(e->compiled, i).name;
        const int numbers = soa_runner_numbers(e->runner, name);
        if (numbers < 0 || numbers > TOOL_MOST_NUMBERS) {
            tool_fail("the value of '%s' is too large to write out", name);
        }
        e->value[i] = tool_take((size_t)numbers + 1, sizeof **e->value);
        tool_must(soa_runner_bind_output(e->runner, name, e->value[i], tool_error()));
    }
}

void tool_evaluation_bind(tool_evaluation *e)
{
    set_constraints(e);
    bind_inputs(e);
    bind_outputs(e);
}
