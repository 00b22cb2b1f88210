/* prove.c - soa prove: whether an equation of operators holds. */
#include "program.h"

const tool_option TOOL_PROVE_OPTIONS[] = {
    TOOL_PROGRAM_OPTIONS,
    TOOL_SECONDS_OPTION,
    { "certificate", 0, "FILE", "the defining relations that add up to the equation, for check_certificate.py" },
    { "unicode", 'u', NULL, "Greek letters in the steps" },
    { "latex", 0, NULL, "the steps in LaTeX" },
    { NULL, 0, NULL, NULL },
};

static int write_certificate(const tool_call *call, soa_program *program)
{
    const char *path = tool_value(call, "certificate");
    char *text = NULL;
    soa_error error;
    if (path == NULL) {
        return TOOL_OK;
    }
    if (soa_program_certificate(program, soa_program_statements(program) - 1, &text, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    const int status = tool_write_text(path, text);
    soa_program_text_free(program, text);
    return status;
}

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
        status = verdict == SOA_PROVED ? write_certificate(call, program) : TOOL_FAILED;
    }
    tool_limits_end();
    soa_program_free(program);
    return status;
}
