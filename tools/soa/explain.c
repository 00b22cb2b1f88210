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

static void write_picture(const tool_call *call, soa_program *program, int statement, const char *option)
{
    const char *path = tool_value(call, option);
    char *text = NULL;
    if (path == NULL) {
        return;
    }
    const soa_explanation what = option[0] == 's' ? SOA_EXPLAIN_SVG : SOA_EXPLAIN_DOT;
    tool_must(soa_program_explain(program, statement, SOA_UNICODE, what, &text, tool_error()));
    tool_write_text(path, text);
}

/* ---- text ------------------------------------------------------------------------------------------ */

static void explain_one(const tool_call *call, soa_program *program, int statement, bool heading)
{
    char *type = NULL, *text = NULL;
    const soa_explanation what = tool_value(call, "levels") != NULL ? SOA_EXPLAIN_LEVELS : SOA_EXPLAIN_SWEEPS;
    if (heading) {
        fputs(tool_notation(call) == SOA_LATEX ? "% " : "", call->out);
        tool_put(call, INK_BOLD, soa_program_statement(program, statement).text, 0);
        fputc('\n', call->out);
    }
    tool_must(soa_program_type(program, statement, &type, tool_error()));
    tool_must(soa_program_explain(program, statement, tool_notation(call), what, &text, tool_error()));
    fprintf(call->out, "%stype    %s\n", tool_notation(call) == SOA_LATEX ? "% " : "", type);
    tool_put_text(call, program, text);
}

/* Every definition and expression of the text, those of --file and --let aside. */
static void explain_all(const tool_call *call, soa_program *program, int first)
{
    const int count = soa_program_statements(program);
    int explained = 0, last = -1;
    for (int i = first; i < count; i++) {
        if (soa_program_statement(program, i).kind != SOA_STATEMENT_DECLARATION) {
            fputs(explained > 0 ? "\n" : "", call->out);
            explain_one(call, program, i, count - first > 1);
            explained++;
            last = i;
        }
    }
    if (explained == 0) {
        tool_fail("there is no expression to explain");
    }
    write_picture(call, program, last, "dot");
    write_picture(call, program, last, "svg");
}

void tool_explain(tool_call *call)
{
    soa_program *program = tool_program_read(call, NULL, SOA_READ_PROGRAM);
    const int first = soa_program_statements(program);
    tool_program_read_more(call->operand[0], SOA_READ_PROGRAM, program);
    explain_all(call, program, first);
}
