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

static void write_certificate(const tool_call *call, soa_program *program)
{
    const char *path = tool_value(call, "certificate");
    char *text = NULL;
    if (path == NULL) {
        return;
    }
    tool_must(soa_program_certificate(program, soa_program_statements(program) - 1, &text, tool_error()));
    tool_write_text(path, text);
}

void tool_prove(tool_call *call)
{
    soa_program *program = tool_program_read(call, call->operand[0], SOA_READ_EQUATION);
    const int last = soa_program_statements(program) - 1;
    soa_verdict verdict;
    char *text = NULL;
    tool_limits_begin(call, program);
    tool_must(soa_program_prove(program, last, tool_notation(call), &verdict, &text, tool_error()));
    tool_put_text(call, program, text);
    call->keep = true;
    if (verdict != SOA_PROVED) {
        tool_end(TOOL_FAILED);
    }
    write_certificate(call, program);
    tool_limits_end();
}
