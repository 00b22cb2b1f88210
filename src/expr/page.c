/* expr/page.c - a growing text. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "expr/print.h"

soa_page soa_page_on(const soa_allocator *allocator)
{
    return (soa_page){ .allocator = allocator, .bytes = soa_array_of(1) };
}

void soa_page_clear(soa_page *text)
{
    soa_array_free(&text->bytes, text->allocator);
    text->failed = false;
}

void soa_page_put(soa_page *text, const char *more)
{
    if (text->bytes.count > 0) {
        text->bytes.count--; /* its end */
    }
    do {
        text->failed = text->failed || !soa_array_add(&text->bytes, text->allocator, more);
    } while (*more++ && !text->failed);
}

void soa_page_format(soa_page *text, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    soa_page_put(text, line);
}

const char *soa_page_text(const soa_page *text)
{
    return text->failed || text->bytes.count == 0 ? "" : text->bytes.items;
}

soa_status soa_page_give(soa_page *page, char **text, soa_error *error)
{
    const char *made = soa_page_text(page);
    char *copy = page->failed ? NULL : soa_allocate(page->allocator, strlen(made) + 1, 1);
    *text = copy;
    if (copy) {
        memcpy(copy, made, strlen(made) + 1);
    }
    soa_page_clear(page);
    return copy ? SOA_OK : soa_fail_memory(error);
}
