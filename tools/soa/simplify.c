/* simplify.c - soa simplify: the cheapest equal expression. */
#include "program.h"

const tool_option TOOL_SIMPLIFY_OPTIONS[] = {
    TOOL_PROGRAM_OPTIONS,
    TOOL_SECONDS_OPTION,
    { "unicode", 'u', NULL, "Greek letters" },
    { "latex", 0, NULL, "LaTeX" },
    { NULL, 0, NULL, NULL },
};

int tool_simplify(tool_call *call)
{
    soa_program *program = NULL;
    int status = tool_program_read(call, call->operand[0], SOA_READ_PROGRAM, &program);
    if (status != TOOL_OK) {
        return status;
    }
    soa_error error;
    char *cheapest = NULL, *report = NULL;
    const int last = soa_program_statements(program) - 1;
    status = tool_limits_begin(call, program);
    if (status != TOOL_OK) {
        soa_program_free(program);
        return status;
    }
    if (last < 0 || soa_program_statement(program, last).kind == SOA_STATEMENT_DECLARATION) {
        status = tool_fail("there is no expression to simplify");
    } else if (soa_program_simplify(program, last, tool_notation(call), &cheapest, &report, &error) != SOA_OK) {
        status = tool_fail_error(&error);
    } else {
        const bool latex = tool_notation(call) == SOA_LATEX;
        fputs(latex ? "\\[ " : "", call->out);
        tool_put_text(call, program, cheapest);
        fputs(latex ? " \\]\n" : "\n", call->out);
        tool_put_text(call, program, report);
    }
    tool_limits_end();
    soa_program_free(program);
    return status;
}
