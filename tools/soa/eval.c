/* eval.c - soa eval: the matrix of an operator of a model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"

const tool_option TOOL_EVAL_OPTIONS[] = {
    { "q", 'q', "NUMBERS", "configuration, with commas; neutral if not given" },
    { "v", 'v', "NUMBERS", "velocity; no operator of this version depends on it" },
    { "tau", 0, "NUMBERS", "forces; no operator of this version depends on them" },
    { "at", 0, "LINK[:x,y,z]", "a point, for B, J and Lambda; may be repeated" },
    { "base", 'b', "BASE", "fixed: as in the file; free: on a free joint 'base'" },
    { "json", 0, NULL, "JSON on standard output" },
    { NULL, 0, NULL, NULL },
};

/* The largest matrix that is written out. */
enum { MOST_NUMBERS = 16 << 20 };

/* ---- arguments ------------------------------------------------------------------------------ */

/* Exactly `count` finite numbers with commas between them. */
static int read_numbers(const char *option, const char *text, int count, double *to)
{
    int n = 0;
    for (const char *at = text; *at != '\0' || (n == 0 && count > 0); n++) {
        char *end;
        const double x = strtod(at, &end);
        if (end == at || !isfinite(x) || (*end != ',' && *end != '\0') || (*end == ',' && end[1] == '\0')) {
            return tool_fail("--%s '%s': number %d is none; write finite numbers with commas", option, text, n);
        }
        if (n < count) {
            to[n] = x;
        }
        at = *end == ',' ? end + 1 : end;
    }
    return n == count ? TOOL_OK : tool_fail("--%s has %d numbers; the model needs %d", option, n, count);
}

/* q as given or neutral; v and tau are read to refuse what is wrong with them. */
static int read_state(const tool_call *call, const soa_model *model, double *q, double *unused)
{
    static const char *const OTHER[] = { "v", "tau" };
    const char *text = tool_value(call, "q");
    soa_neutral(model, q);
    int status = text == NULL ? TOOL_OK : read_numbers("q", text, soa_model_nq(model), q);
    for (size_t i = 0; i < 2 && status == TOOL_OK; i++) {
        text = tool_value(call, OTHER[i]);
        status = text == NULL ? TOOL_OK : read_numbers(OTHER[i], text, soa_model_nv(model), unused);
    }
    soa_error error;
    if (status == TOOL_OK && soa_check_configuration(model, q, &error) != SOA_OK) {
        return tool_fail("--q: %s", error.text);
    }
    return status;
}

static const char *operator_at(int index)
{
    return soa_operator_text((soa_operator)(index + 1)); /* without I */
}

/* What can be asked for: NAME, NAME' or NAME*. */
static int find_operator(const char *expression, soa_operator *op, bool *adjoint)
{
    char name[TOOL_CELL];
    const size_t blanks = strspn(expression, " \t");
    snprintf(name, sizeof name, "%s", expression + blanks);
    size_t length = strlen(name);
    *adjoint = false;
    while (length > 0 && strchr(" \t'*", name[length - 1]) != NULL) {
        *adjoint ^= name[length - 1] == '\'' || name[length - 1] == '*';
        name[--length] = '\0';
    }
    *op = soa_operator_find(name);
    if (*op != SOA_OPERATORS && *op != SOA_OP_I) {
        return TOOL_OK;
    }
    const bool one = *op == SOA_OPERATORS && strpbrk(name, " +-()") == NULL;
    const char *nearest = one ? tool_nearest(name, SOA_OPERATORS - 1, operator_at) : NULL;
    if (nearest != NULL) {
        return tool_fail("there is no operator '%s'; did you mean '%s'?", name, nearest);
    }
    char list[SOA_ERROR_TEXT] = "";
    for (int i = 0; i < SOA_OPERATORS - 1; i++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, " %s", operator_at(i));
    }
    return tool_fail(
        "'%s' is not evaluated by this version; write one operator, with ' for its adjoint, of:%s", expression, list);
}

static bool needs_points(soa_operator op)
{
    const soa_operator_info about = soa_operator_about(op, false);
    return about.domain_space == SOA_SPACE_POINT || about.codomain_space == SOA_SPACE_POINT;
}

/* ---- the matrix ------------------------------------------------------------------------------- */

/* Column after column: A applied to the unit vectors. */
static int fill_matrix(soa_operators *operators, soa_operator op, bool adjoint, double *matrix, int rows, int cols)
{
    double *x = calloc((size_t)cols + (size_t)rows + 1, sizeof *x);
    soa_error error;
    soa_status status = SOA_OK;
    if (x == NULL) {
        return tool_fail("out of memory");
    }
    double *y = x + cols;
    for (int j = 0; j < cols && status == SOA_OK; j++) {
        x[j] = 1.0;
        status = soa_apply(operators, op, adjoint, x, y, &error);
        x[j] = 0.0;
        for (int i = 0; i < rows; i++) {
            matrix[(size_t)i * (size_t)cols + (size_t)j] = y[i];
        }
    }
    free(x);
    return status == SOA_OK ? TOOL_OK : tool_fail_error(&error);
}

static void put_space(const tool_call *call, const char *label, soa_space space, soa_side side, int size)
{
    fputs("  ", call->out);
    tool_put(call, INK_FAINT, label, 8);
    fprintf(call->out, "%s %s, %d numbers\n", soa_space_text(space), soa_side_text(side), size);
}

static int print_matrix(const tool_call *call, soa_operator op, bool adjoint, const double *matrix, int rows, int cols)
{
    const soa_operator_info about = soa_operator_about(op, adjoint);
    char title[TOOL_CELL];
    snprintf(title, sizeof title, "%s%s", about.text, adjoint ? "'" : "");
    if (tool_value(call, "json") != NULL) {
        json_writer writer = json_begin(call->out);
        json_field(&writer, "expression", json_text(title));
        json_field(&writer, "rows", json_integer(rows));
        json_field(&writer, "cols", json_integer(cols));
        json_field(&writer, "value", tool_matrix_json(matrix, rows, cols));
        return json_end(&writer) ? TOOL_OK : tool_fail("out of memory");
    }
    tool_put(call, INK_BOLD, title, 0);
    fprintf(call->out, "%s %s\n", adjoint ? ", adjoint of:" : ":", about.meaning);
    put_space(call, "from", about.domain_space, about.domain_side, cols);
    put_space(call, "to", about.codomain_space, about.codomain_side, rows);
    fputs("  ", call->out);
    tool_put(call, INK_FAINT, "kind", 8);
    fprintf(call->out, "%s\n", soa_kind_text(about.kind));
    tool_put_matrix(call, matrix, rows, cols);
    return TOOL_OK;
}

/* SOA_E_SINGULAR passes: what needs D is refused when it is applied. */
static int eval_operator(
    const tool_call *call, const soa_model *model, const tool_points *points, soa_operator op, bool adjoint)
{
    soa_operators *operators = NULL;
    soa_error error;
    double *block = calloc((size_t)(soa_model_nq(model) + soa_model_nv(model)) + 1, sizeof *block), *matrix = NULL;
    int status =
        block == NULL ? tool_fail("out of memory") : read_state(call, model, block, block + soa_model_nq(model));
    if (status == TOOL_OK) {
        soa_status made = soa_operators_new(model, points->count, NULL, &operators, &error);
        made = made == SOA_OK ? soa_operators_set(operators, block, points->count, points->point, &error) : made;
        status = made == SOA_OK || made == SOA_E_SINGULAR ? TOOL_OK : tool_fail_error(&error);
    }
    if (status == TOOL_OK) {
        const int rows = soa_operator_rows(operators, op, adjoint), cols = soa_operator_cols(operators, op, adjoint);
        const size_t size = (size_t)rows * (size_t)cols;
        matrix = size > MOST_NUMBERS ? NULL : malloc((size + 1) * sizeof *matrix);
        status = matrix == NULL ? tool_fail("a matrix of %d x %d numbers is too large to write out", rows, cols)
                                : fill_matrix(operators, op, adjoint, matrix, rows, cols);
        status = status == TOOL_OK ? print_matrix(call, op, adjoint, matrix, rows, cols) : status;
    }
    soa_operators_free(operators);
    free(matrix);
    free(block);
    return status;
}

int tool_eval(tool_call *call)
{
    soa_model *model = NULL;
    tool_points points = { 0 };
    soa_operator op;
    bool adjoint;
    int status = find_operator(call->operand[1], &op, &adjoint);
    status = status == TOOL_OK ? tool_load_based(call, &model) : status;
    if (status == TOOL_OK) {
        tool_note_open(model, "operators");
    }
    status = status == TOOL_OK ? tool_points_get(call, model, &points) : status;
    if (status == TOOL_OK && points.count == 0 && needs_points(op)) {
        status = tool_fail("'%s' needs points; give '--at LINK' for each", soa_operator_text(op));
    }
    if (status == TOOL_OK) {
        status = eval_operator(call, model, &points, op, adjoint);
    }
    tool_points_free(&points);
    soa_model_free(model);
    return status;
}
