/* tests/refusals.c - refusals that show a place that is none, for tests.
 *
 * Test programs are linked so that calls of soa_fail come here (ld --wrap). A refusal names a body or none, which is -1
 * alone: anything else ends the program, also where the caller takes no soa_error. */
#include <stdlib.h>

#include "core/error.h"

soa_status __wrap_soa_fail(soa_error *error, soa_status status, int body, const char *format, ...) SOA_PRINTF(4, 5);

soa_status __wrap_soa_fail(soa_error *error, soa_status status, int body, const char *format, ...)
{
    soa_error made;
    va_list arguments;
    va_start(arguments, format);
    soa_vfail_at(&made, status, NULL, 0, format, arguments);
    va_end(arguments);
    if (status == SOA_OK || body < -1) {
        abort();
    }
    made.body = body;
    if (error) {
        *error = made;
    }
    return status;
}
