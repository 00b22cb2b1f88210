/* core/error.c - status texts and errors. */
#define SOA_ERROR_SOURCE
#include "core/error.h"

#include <stdio.h>
#include <string.h>

const char *soa_version(void)
{
    return SOA_VERSION;
}

const char *soa_status_text(soa_status status)
{
    static const char *const text[] = {
#define STATUS_TEXT(name, words) words,
        SOA_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    };
    const size_t i = (size_t)status;
    return i < sizeof text / sizeof text[0] ? text[i] : "unknown status";
}

void soa_error_clear(soa_error *error)
{
    if (error) {
        memset(error, 0, sizeof *error);
        error->body = -1;
        error->state = -1;
    }
}

/* Messages are one line whatever names they quote. */
static void blank_controls(char *text)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == 0x7f) {
            *text = ' ';
        }
    }
}

soa_status soa_vfail_at(
    soa_error *error, soa_status status, const char *file, int line, const char *format, va_list arguments)
{
    if (error) {
        /* Built aside: file and arguments may be strings of this very error. */
        soa_error made;
        soa_error_clear(&made);
        made.status = status;
        made.line = line;
        if (file) {
            snprintf(made.file, sizeof made.file, "%s", file);
        }
        vsnprintf(made.text, sizeof made.text, format, arguments);
        blank_controls(made.text);
        *error = made;
    }
    return status;
}

soa_status soa_fail_at(soa_error *error, soa_status status, const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    soa_vfail_at(error, status, file, line, format, arguments);
    va_end(arguments);
    return status;
}

soa_status soa_fail(soa_error *error, soa_status status, int body, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    soa_vfail_at(error, status, NULL, 0, format, arguments);
    va_end(arguments);
    if (error) {
        error->body = body;
    }
    return status;
}

soa_status soa_fail_memory(soa_error *error)
{
    return soa_fail(error, SOA_E_MEMORY, -1, "out of memory; free some or load a smaller model");
}

char *soa_error_message(const soa_error *error, char *buffer, size_t size)
{
    if (size == 0) {
        return buffer;
    }
    if (error->file[0] && error->line > 0) {
        snprintf(buffer, size, "%s:%d: %s", error->file, error->line, error->text);
    } else if (error->file[0]) {
        snprintf(buffer, size, "%s: %s", error->file, error->text);
    } else {
        snprintf(buffer, size, "%s", error->text);
    }
    blank_controls(buffer);
    return buffer;
}
