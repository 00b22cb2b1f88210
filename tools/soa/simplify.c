/* simplify.c - soa simplify: the cheapest equal expression; soa derive: all that are found. */
#include "program.h"

const tool_option TOOL_SIMPLIFY_OPTIONS[] = {
    TOOL_PROGRAM_OPTIONS,
    TOOL_SECONDS_OPTION,
    { "unicode", 'u', NULL, "Greek letters" },
    { "latex", 0, NULL, "LaTeX" },
    { NULL, 0, NULL, NULL },
};

static int simplify(const tool_call *call, soa_program *program, int statement)
{
    soa_error error;
    char *cheapest = NULL, *report = NULL;
    const bool latex = tool_notation(call) == SOA_LATEX;
    if (soa_program_simplify(program, statement, tool_notation(call), &cheapest, &report, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    fputs(latex ? "\\[ " : "", call->out);
    tool_put_text(call, program, cheapest);
    fputs(latex ? " \\]\n" : "\n", call->out);
    tool_put_text(call, program, report);
    return TOOL_OK;
}

static int derive(const tool_call *call, soa_program *program, int statement)
{
    soa_error error;
    char *table = NULL;
    if (soa_program_derive(program, statement, tool_notation(call), &table, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    tool_put_text(call, program, table);
    return TOOL_OK;
}

/* Does something to the last statement within the limits of time. */
static int on_last(const tool_call *call, const char *verb, int (*act)(const tool_call *, soa_program *, int))
{
    soa_program *program = NULL;
    int status = tool_program_read(call, call->operand[0], SOA_READ_PROGRAM, &program);
    if (status != TOOL_OK) {
        return status;
    }
    const int last = soa_program_statements(program) - 1;
    status = tool_limits_begin(call, program);
    if (status == TOOL_OK) {
        status = last < 0 || soa_program_statement(program, last).kind == SOA_STATEMENT_DECLARATION
                     ? tool_fail("there is no expression to %s", verb)
                     : act(call, program, last);
        tool_limits_end();
    }
    soa_program_free(program);
    return status;
}

int tool_simplify(tool_call *call)
{
    return on_last(call, "simplify", simplify);
}

int tool_derive(tool_call *call)
{
    return on_last(call, "derive", derive);
}
