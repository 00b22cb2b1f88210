/* core/error.c - status texts and errors. */
#define SOA_ERROR_SOURCE
#include "core/error.h"

#include <stdio.h>
#include <string.h>

#include "core/kind_words.h"

const char *soa_version(void)
{
    return SOA_VERSION;
}

const char *soa_status_text(soa_status status)
{
    static const char *const text[] = { SOA_STATUS_LIST(SOA_SECOND) };
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

/* ---- text that may be shown ------------------------------------------------------- */

int soa_utf8_decode(const char *text, unsigned *code)
{
    const unsigned char *s = (const unsigned char *)text;
    const int length = s[0] < 0x80 ? 1 : (s[0] & 0xe0) == 0xc0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : 4;
    static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    *code = length == 1 ? s[0] : s[0] & (0xffu >> (length + 1));
    if (s[0] >= 0xf8 || (s[0] & 0xc0) == 0x80) {
        return 0;
    }
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (s[i] & 0x3fu);
    }
    const bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < least[length] || *code > 0x10ffff || surrogate ? 0 : length;
}

/* Controls of one and of two bytes, marks and overrides of direction, ends of lines, what is no character. */
static bool is_harmful(unsigned code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff ||
           (code & 0xfffe) == 0xfffe;
}

char *soa_printable(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        unsigned code;
        const int length = soa_utf8_decode(from, &code);
        if (length == 0) {
            *to++ = '?';
            from++;
        } else if (is_harmful(code)) {
            *to++ = code < 0x80 ? ' ' : '?';
            from += length;
        } else {
            memmove(to, from, (size_t)length);
            to += length;
            from += length;
        }
    }
    *to = '\0';
    return text;
}

/* ---- errors ----------------------------------------------------------------------- */

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
        soa_printable(made.text);
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

soa_status soa_fail_null(soa_error *error, const char *what)
{
    return soa_fail(error, SOA_E_ARGUMENT, -1, "%s is NULL; give one", what);
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
    return soa_printable(buffer);
}
