/* eval_print.c - the values of expressions, for people and as JSON. */
#include <string.h>

#include "eval.h"

/* One value: of a statement, with its shape. */
typedef struct value {
    soa_statement_info about;
    const char *text, *type;
    int rows, cols;
    const double *number;
    char *own_text, *own_type; /* of the library */
} value;

static int value_get(const tool_evaluation *e, int i, value *v)
{
    soa_error error;
    const char *name = soa_compiled_output_info(e->compiled, i).name;
    const int numbers = soa_runner_numbers(e->runner, name);
    *v = (value){ .about = soa_program_statement(e->program, e->statement[i]), .number = e->value[i] };
    v->rows = soa_runner_rows(e->runner, name);
    v->cols = v->rows > 0 ? numbers / v->rows : 0;
    if (soa_program_print(e->program, e->statement[i], SOA_ASCII, &v->own_text, &error) != SOA_OK ||
        soa_program_type(e->program, e->statement[i], &v->own_type, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    v->text = v->own_text;
    v->type = v->own_type;
    return TOOL_OK;
}

static void value_free(const tool_evaluation *e, value *v)
{
    soa_program_text_free(e->program, v->own_text);
    soa_program_text_free(e->program, v->own_type);
}

/* ---- JSON -------------------------------------------------------------------------------------- */

/* A number, a list, or a list of rows. */
static json_t *value_json(const value *v)
{
    if (v->about.from_space != SOA_SPACE_ONE) {
        return tool_matrix_json(v->number, v->rows, v->cols);
    }
    json_t *row = tool_matrix_json(v->number, 1, v->rows);
    json_t *list =
        v->about.to_space == SOA_SPACE_ONE ? json_array_get(json_array_get(row, 0), 0) : json_array_get(row, 0);
    json_incref(list);
    json_decref(row);
    return list;
}

static json_t *result_json(const value *v)
{
    json_t *result = json_object();
    json_set(&result, "name", json_text(v->about.name));
    json_set(&result, "expression", json_text(v->text));
    json_set(&result, "type", json_text(v->type));
    json_set(&result, "rows", json_integer(v->rows));
    json_set(&result, "cols", json_integer(v->cols));
    json_set(&result, "value", value_json(v));
    return result;
}

/* The last value also stands for itself. */
static int print_json(const tool_evaluation *e)
{
    static const char *const FIELD[] = { "expression", "type", "rows", "cols", "value" };
    json_writer writer = json_begin(e->call->out);
    json_t *results = json_array();
    int status = TOOL_OK;
    for (int i = 0; i < e->statements && status == TOOL_OK; i++) {
        value v = { 0 };
        status = value_get(e, i, &v);
        if (status == TOOL_OK) {
            json_add(&results, result_json(&v));
        }
        value_free(e, &v);
    }
    json_t *last = json_array_get(results, json_array_size(results) - 1);
    for (size_t i = 0; i < sizeof FIELD / sizeof FIELD[0] && status == TOOL_OK; i++) {
        json_field(&writer, FIELD[i], json_incref(json_object_get(last, FIELD[i])));
    }
    json_field(&writer, "results", results);
    json_field(&writer, "notes", tool_notes_json(e->call));
    const bool whole = json_end(&writer);
    return status != TOOL_OK ? status : whole ? TOOL_OK : tool_fail_memory();
}

/* ---- text ------------------------------------------------------------------------------------------ */

static void put_line(const tool_call *call, const char *label, const char *text)
{
    fputs("  ", call->out);
    tool_put(call, INK_FAINT, label, 8);
    fprintf(call->out, "%s\n", text);
}

/* Six numbers a line: of a body or a point these are its angular and linear ones. */
static void put_vector(const tool_call *call, const value *v)
{
    const int lines = v->rows / 6, rest = v->rows % 6;
    if (lines > 0) {
        tool_put_matrix(call, v->number, lines, 6);
    }
    if (rest > 0) {
        tool_put_matrix(call, v->number + 6 * lines, 1, rest);
    }
}

static void put_size(const tool_call *call, const char *label, soa_space space, soa_side side, int size)
{
    char text[TOOL_CELL];
    snprintf(text, sizeof text, "%s %s, %d numbers", soa_space_text(space), soa_side_text(side), size);
    put_line(call, label, text);
}

static void put_value(const tool_call *call, const value *v)
{
    const soa_operator op = v->about.name[0] != '\0' ? SOA_OPERATORS : soa_operator_find(v->text);
    tool_put(call, INK_BOLD, v->about.text, 0);
    fprintf(call->out, "%s%s\n", op != SOA_OPERATORS ? ": " : "",
        op != SOA_OPERATORS ? soa_operator_about(op, false).meaning : "");
    if (v->about.from_space != SOA_SPACE_ONE) {
        put_size(call, "from", v->about.from_space, v->about.from_side, v->cols);
        put_size(call, "to", v->about.to_space, v->about.to_side, v->rows);
        put_line(call, "kind", soa_kind_text(v->about.causality));
        tool_put_matrix(call, v->number, v->rows, v->cols);
    } else {
        put_line(call, "type", v->type);
        put_vector(call, v);
    }
}

int tool_evaluation_print(const tool_evaluation *e)
{
    int status = TOOL_OK;
    if (tool_value(e->call, "json") != NULL) {
        return print_json(e);
    }
    for (int i = 0; i < e->statements && status == TOOL_OK; i++) {
        value v = { 0 };
        status = value_get(e, i, &v);
        if (status == TOOL_OK) {
            fputs(i > 0 ? "\n" : "", e->call->out);
            put_value(e->call, &v);
        }
        value_free(e, &v);
    }
    return status;
}
