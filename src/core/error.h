/* core/error.h - filling a soa_error. */
#ifndef SOA_CORE_ERROR_H
#define SOA_CORE_ERROR_H

#include <stdarg.h>

#include "soa/core.h"

/* Fills *error (if not NULL) and returns status. body -1: none. */
soa_status soa_fail(soa_error *error, soa_status status, int body, const char *format, ...) SOA_PRINTF(4, 5);

/* Fills *error with a place in a file (NULL and line 0: unknown) and returns status. */
soa_status soa_fail_at(soa_error *error, soa_status status, const char *file, int line, const char *format, ...)
    SOA_PRINTF(5, 6);
soa_status soa_vfail_at(
    soa_error *error, soa_status status, const char *file, int line, const char *format, va_list arguments);

/* SOA_E_MEMORY. */
soa_status soa_fail_memory(soa_error *error);

/* SOA_E_ARGUMENT: "a model is NULL; give one". */
soa_status soa_fail_null(soa_error *error, const char *what);

/* Takes the next of some steps that return a status, if those before it went well: the first failure stays. */
#define SOA_NEXT(status, step)    \
    do {                          \
        if ((status) == SOA_OK) { \
            (status) = (step);    \
        }                         \
    } while (0)

/* The character that the text begins with and how many bytes it has; 0: this is not UTF-8. */
int soa_utf8_decode(const char *text, unsigned *code);

/* An analyser sees one file at a time: tell it that a failure is never SOA_OK. */
#if defined(__clang_analyzer__) && !defined(SOA_ERROR_SOURCE)
#define soa_fail(error, status, ...)    (soa_fail(error, status, __VA_ARGS__), (status))
#define soa_fail_at(error, status, ...) (soa_fail_at(error, status, __VA_ARGS__), (status))
#define soa_fail_memory(error)          (soa_fail_memory(error), SOA_E_MEMORY)
#define soa_fail_null(error, what)      (soa_fail_null(error, what), SOA_E_ARGUMENT)
#endif

#endif
