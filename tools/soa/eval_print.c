/* eval_print.c - the values of expressions, for people and as JSON. */
#include <string.h>

#include "eval.h"

/* One value: of a statement, with its shape. */
typedef struct value {
    soa_statement_info about;
    char *text, *type; /* of the library */
    int rows, cols;
    const double *number;
} value;

static value value_get(const tool_evaluation *e, int i)
{
    const char *name = soa_compiled_output_info(e->compiled, i).name;
    value v = { .about = soa_program_statement(e->program, e->statement[i]), .number = e->value[i] };
    v.rows = soa_runner_rows(e->runner, name);
    v.cols = v.rows > 0 ? soa_runner_numbers(e->runner, name) / v.rows : 0;
    tool_must(soa_program_print(e->program, e->statement[i], SOA_ASCII, &v.text, tool_error()));
    tool_must(soa_program_type(e->program, e->statement[i], &v.type, tool_error()));
    return v;
}

static void value_free(const tool_evaluation *e, value *v)
{
    soa_program_text_free(e->program, v->text);
    soa_program_text_free(e->program, v->type);
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
    json_set(result, "name", json_text(v->about.name));
    json_set(result, "expression", json_text(v->text));
    json_set(result, "type", json_text(v->type));
    json_set(result, "rows", json_integer(v->rows));
    json_set(result, "cols", json_integer(v->cols));
    json_set(result, "value", value_json(v));
    return result;
}

/* The last value also stands for itself. */
static void print_json(const tool_evaluation *e)
{
    static const char *const FIELD[] = { "expression", "type", "rows", "cols", "value" };
    json_writer writer = json_begin(e->call->out);
    json_t *results = json_array();
    for (int i = 0; i < e->statements; i++) {
        value v = value_get(e, i);
        json_add(results, result_json(&v));
        value_free(e, &v);
    }
    json_t *last = json_array_get(results, json_array_size(results) - 1);
    for (size_t i = 0; i < sizeof FIELD / sizeof FIELD[0]; i++) {
        json_field(&writer, FIELD[i], json_incref(json_object_get(last, FIELD[i])));
    }
    json_field(&writer, "results", results);
    json_field(&writer, "notes", tool_notes_json(e->call));
    json_end(&writer);
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
    put_line(call, label, tool_text("%s %s, %d numbers", soa_space_text(space), soa_side_text(side), size));
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

void tool_evaluation_print(const tool_evaluation *e)
{
    if (tool_value(e->call, "json") != NULL) {
        print_json(e);
        return;
    }
    for (int i = 0; i < e->statements; i++) {
        value v = value_get(e, i);
        fputs(i > 0 ? "\n" : "", e->call->out);
        put_value(e->call, &v);
        value_free(e, &v);
    }
}
