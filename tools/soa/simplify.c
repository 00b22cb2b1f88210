/* simplify.c - soa simplify: the cheapest equal expression; soa derive: all that are found. */
#include "program.h"

const tool_option TOOL_SIMPLIFY_OPTIONS[] = {
    TOOL_PROGRAM_OPTIONS,
    TOOL_SECONDS_OPTION,
    { "unicode", 'u', NULL, "Greek letters" },
    { "latex", 0, NULL, "LaTeX" },
    { NULL, 0, NULL, NULL },
};

static void simplify(const tool_call *call, soa_program *program, int statement)
{
    char *cheapest = NULL, *report = NULL;
    const bool latex = tool_notation(call) == SOA_LATEX;
    tool_must(soa_program_simplify(program, statement, tool_notation(call), &cheapest, &report, tool_error()));
    fputs(latex ? "\\[ " : "", call->out);
    tool_put_text(call, program, cheapest);
    fputs(latex ? " \\]\n" : "\n", call->out);
    tool_put_text(call, program, report);
}

static void derive(const tool_call *call, soa_program *program, int statement)
{
    char *table = NULL;
    tool_must(soa_program_derive(program, statement, tool_notation(call), &table, tool_error()));
    tool_put_text(call, program, table);
}

/* Does something to the last statement within the limits of time. */
static void on_last(const tool_call *call, const char *verb, void (*act)(const tool_call *, soa_program *, int))
{
    soa_program *program = tool_program_read(call, call->operand[0], SOA_READ_PROGRAM);
    const int last = soa_program_statements(program) - 1;
    tool_limits_begin(call, program);
    if (last < 0 || soa_program_statement(program, last).kind == SOA_STATEMENT_DECLARATION) {
        tool_fail("there is no expression to %s", verb);
    }
    act(call, program, last);
    tool_limits_end();
}

void tool_simplify(tool_call *call)
{
    on_last(call, "simplify", simplify);
}

void tool_derive(tool_call *call)
{
    on_last(call, "derive", derive);
}
