/* prove.c - soa prove: whether an equation of operators holds. */
#include "program.h"

const tool_option TOOL_PROVE_OPTIONS[] = {
    TOOL_PROGRAM_OPTIONS,
    TOOL_SECONDS_OPTION,
    { "unicode", 'u', NULL, "Greek letters in the steps" },
    { "latex", 0, NULL, "the steps in LaTeX" },
    { NULL, 0, NULL, NULL },
};

int tool_prove(tool_call *call)
{
    soa_program *program = NULL;
    int status = tool_program_read(call, call->operand[0], SOA_READ_EQUATION, &program);
    if (status != TOOL_OK) {
        return status;
    }
    soa_verdict verdict;
    soa_error error;
    char *text = NULL;
    status = tool_limits_begin(call, program);
    if (status != TOOL_OK) {
        soa_program_free(program);
        return status;
    }
    if (soa_program_prove(program, soa_program_statements(program) - 1, tool_notation(call), &verdict, &text, &error) !=
        SOA_OK) {
        status = tool_fail_error(&error);
    } else {
        tool_put_text(call, program, text);
        call->keep = true;
        status = verdict == SOA_PROVED ? TOOL_OK : TOOL_FAILED;
    }
    tool_limits_end();
    soa_program_free(program);
    return status;
}
