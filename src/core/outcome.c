/* core/outcome.c - what came of many steps. */
#include "core/outcome.h"

#include "core/error.h"

bool soa_keep(soa_outcome *outcome, soa_status status)
{
    if (soa_ok(outcome)) {
        outcome->status = status;
    }
    return soa_ok(outcome);
}

void soa_halt(soa_outcome *outcome, soa_status status, const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (soa_ok(outcome)) {
        outcome->status = soa_vfail_at(outcome->error, status, file, line, format, arguments);
    }
    va_end(arguments);
}

void soa_halt_memory(soa_outcome *outcome)
{
    if (soa_ok(outcome)) {
        outcome->status = soa_fail_memory(outcome->error);
    }
}

bool soa_got(soa_outcome *outcome, const void *memory)
{
    if (!memory) {
        soa_halt_memory(outcome);
    }
    return memory != NULL;
}

void soa_forgive(soa_outcome *outcome)
{
    soa_error_clear(outcome->error);
    outcome->status = SOA_OK;
}
