/* expr/text.c - a growing text. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "expr/print.h"

soa_text soa_text_on(const soa_allocator *allocator)
{
    return (soa_text){ .allocator = allocator, .bytes = soa_array_of(1) };
}

void soa_text_clear(soa_text *text)
{
    soa_array_free(&text->bytes, text->allocator);
    text->failed = false;
}

static bool put_byte(soa_text *text, char byte)
{
    char *place = soa_array_push(&text->bytes, text->allocator);
    if (place) {
        *place = byte;
    }
    return place != NULL;
}

void soa_text_put(soa_text *text, const char *more)
{
    if (text->bytes.count > 0) {
        text->bytes.count--; /* its end */
    }
    for (; *more && !text->failed; more++) {
        text->failed = !put_byte(text, *more);
    }
    text->failed = text->failed || !put_byte(text, '\0');
}

void soa_text_format(soa_text *text, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    soa_text_put(text, line);
}

const char *soa_text_of(const soa_text *text)
{
    return text->failed || text->bytes.count == 0 ? "" : text->bytes.items;
}
