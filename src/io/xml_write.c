/* io/xml_write.c - XML as text, from patterns. */
#include "io/xml_write.h"

#include <stdarg.h>
#include <string.h>

#include "core/error.h"

/* XML 1.0 knows no control characters but tab and line end. */
static bool is_sayable(const char *value)
{
    int length;
    for (unsigned code; *value; value += length) {
        length = soa_utf8_decode(value, &code);
        if (length == 0 || (code < 0x20 && code != '\t' && code != '\n' && code != '\r') || code == 0xfffe ||
            code == 0xffff) {
            return false;
        }
    }
    return true;
}

static void write_text(soa_text *text, const char *value)
{
    if (!is_sayable(value)) {
        soa_text_cannot(text, value);
        return;
    }
    while (*value) {
        const size_t plain = strcspn(value, "&<>\"\t\n\r");
        soa_text_add(text, "%.*s", (int)plain, value);
        value += plain;
        if (*value) {
            soa_text_add(text, "&#%d;", *value++);
        }
    }
}

static void write_numbers(soa_text *text, int count, const double *value)
{
    for (int i = 0; i < count; i++) {
        soa_text_add(text, "%s", i == 0 ? "" : " ");
        soa_text_number(text, value[i] == 0.0 ? 0.0 : value[i]);
    }
}

void soa_xml_write(soa_text *text, const char *pattern, ...)
{
    va_list arguments;
    va_start(arguments, pattern);
    for (const char *at = pattern; *at; at++) {
        const size_t plain = strcspn(at, "$");
        soa_text_add(text, "%.*s", (int)plain, at);
        at += plain;
        if (!*at) {
            break;
        }
        const char what = *++at;
        const char *quote = what == 's' || (what >= '1' && what <= '9') ? "\"" : "";
        soa_text_add(text, "%s", quote);
        if (what == 'i') {
            soa_text_add(text, "%d", va_arg(arguments, int));
        } else if (what == 'n') {
            soa_text_number(text, va_arg(arguments, double));
        } else if (what == 's' || what == 't') {
            write_text(text, va_arg(arguments, const char *));
        } else {
            write_numbers(text, what - '0', va_arg(arguments, const double *));
        }
        soa_text_add(text, "%s", quote);
    }
    va_end(arguments);
}
