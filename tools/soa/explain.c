/* explain.c - soa explain: type, kind, cost and sweeps of expressions. */
#include "compute.h"
#include "program.h"

const tool_option TOOL_EXPLAIN_OPTIONS[] = {
    TOOL_PROGRAM_OPTIONS,
    { "levels", 0, NULL, "all levels, from the expression down to one joint" },
    { "unicode", 'u', NULL, "Greek letters" },
    { "latex", 0, NULL, "LaTeX" },
    { "dot", 0, "FILE", "a picture of the plan for Graphviz" },
    { "svg", 0, "FILE", "a picture of the plan" },
    { NULL, 0, NULL, NULL },
};

/* ---- pictures ----------------------------------------------------------------------------------- */

static int write_picture(const tool_call *call, soa_program *program, int statement, const char *option)
{
    const char *path = tool_value(call, option);
    char *text = NULL;
    soa_error error;
    if (path == NULL) {
        return TOOL_OK;
    }
    const soa_explanation what = option[0] == 's' ? SOA_EXPLAIN_SVG : SOA_EXPLAIN_DOT;
    if (soa_program_explain(program, statement, SOA_UNICODE, what, &text, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    const int status = tool_write_text(path, text);
    soa_program_text_free(program, text);
    return status;
}

/* ---- text ------------------------------------------------------------------------------------------ */

static int explain_one(const tool_call *call, soa_program *program, int statement, bool heading)
{
    char *type = NULL, *text = NULL;
    soa_error error;
    const soa_explanation what = tool_value(call, "levels") != NULL ? SOA_EXPLAIN_LEVELS : SOA_EXPLAIN_SWEEPS;
    if (heading) {
        fputs(tool_notation(call) == SOA_LATEX ? "% " : "", call->out);
        tool_put(call, INK_BOLD, soa_program_statement(program, statement).text, 0);
        fputc('\n', call->out);
    }
    if (soa_program_type(program, statement, &type, &error) != SOA_OK ||
        soa_program_explain(program, statement, tool_notation(call), what, &text, &error) != SOA_OK) {
        soa_program_text_free(program, type);
        return tool_fail_error(&error);
    }
    fprintf(call->out, "%stype    %s\n", tool_notation(call) == SOA_LATEX ? "% " : "", type);
    soa_program_text_free(program, type);
    tool_put_text(call, program, text);
    return TOOL_OK;
}

/* Every definition and expression of the text, those of --file and --let aside. */
static int explain_all(const tool_call *call, soa_program *program, int first)
{
    const int count = soa_program_statements(program);
    int explained = 0, last = -1, status = TOOL_OK;
    for (int i = first; i < count && status == TOOL_OK; i++) {
        if (soa_program_statement(program, i).kind != SOA_STATEMENT_DECLARATION) {
            fputs(explained > 0 ? "\n" : "", call->out);
            status = explain_one(call, program, i, count - first > 1);
            explained++;
            last = i;
        }
    }
    if (status == TOOL_OK && explained == 0) {
        return tool_fail("there is no expression to explain");
    }
    status = status == TOOL_OK ? write_picture(call, program, last, "dot") : status;
    return status == TOOL_OK ? write_picture(call, program, last, "svg") : status;
}

int tool_explain(tool_call *call)
{
    soa_program *program = NULL;
    int status = tool_program_read(call, NULL, SOA_READ_PROGRAM, &program);
    if (status == TOOL_OK) {
        const int first = soa_program_statements(program);
        status = tool_program_read_more(call->operand[0], SOA_READ_PROGRAM, program);
        status = status == TOOL_OK ? explain_all(call, program, first) : status;
    }
    soa_program_free(program);
    return status;
}
