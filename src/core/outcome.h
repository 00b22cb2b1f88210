/* core/outcome.h - what came of many steps.
 *
 * The first failure is kept, and the steps after it do nothing: whoever takes the steps need not ask after each. */
#ifndef SOA_CORE_OUTCOME_H
#define SOA_CORE_OUTCOME_H

#include "soa/core.h"

typedef struct soa_outcome {
    soa_error *error;
    soa_status status;
} soa_outcome;

static inline bool soa_ok(const soa_outcome *outcome)
{
    return outcome->status == SOA_OK;
}

/* Keeps the status of a step that was taken with the error of the outcome, since all was well. Whether it still is. */
bool soa_keep(soa_outcome *outcome, soa_status status);

/* Fails at a place in a file; for lack of memory; or, the second, if memory is NULL. */
void soa_halt(soa_outcome *outcome, soa_status status, const char *file, int line, const char *format, ...)
    SOA_PRINTF(5, 6);
void soa_halt_memory(soa_outcome *outcome);
bool soa_got(soa_outcome *outcome, const void *memory);

/* Forgets a failure. */
void soa_forgive(soa_outcome *outcome);

#endif
