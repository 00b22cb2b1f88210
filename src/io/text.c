/* io/text.c - text that grows. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/number.h"
#include "io/reader.h"
#include "io/whole_file.h"

soa_text soa_text_on(const soa_allocator *allocator)
{
    return (soa_text){ .allocator = allocator };
}

/* Room for `more` bytes and a NUL. */
static bool reserve(soa_text *text, size_t more)
{
    if (text->failed || more < text->capacity - text->length) {
        return !text->failed;
    }
    size_t capacity = text->capacity ? text->capacity : 4096;
    while (capacity - text->length <= more) {
        capacity *= 2;
    }
    char *bytes = soa_allocate(text->allocator, capacity, 1);
    if (!bytes) {
        text->failed = true;
        return false;
    }
    if (text->length > 0) {
        memcpy(bytes, text->bytes, text->length);
    }
    soa_release(text->allocator, text->bytes);
    text->bytes = bytes;
    text->capacity = capacity;
    bytes[text->length] = '\0';
    return true;
}

void soa_text_add(soa_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    char small[256];
    const int length = vsnprintf(small, sizeof small, format, arguments);
    if (length < 0) {
        text->failed = true;
    } else if (reserve(text, (size_t)length)) {
        char *end = text->bytes + text->length;
        if ((size_t)length < sizeof small) {
            memcpy(end, small, (size_t)length + 1);
        } else {
            vsnprintf(end, (size_t)length + 1, format, again);
        }
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

void soa_text_number(soa_text *text, double value)
{
    char buffer[SOA_NUMBER_SIZE];
    soa_text_add(text, "%s", soa_number_write(buffer, value));
}

void soa_text_cannot(soa_text *text, const char *name)
{
    text->cannot = text->cannot ? text->cannot : name;
}

soa_status soa_text_give(soa_text *text, soa_status status, char **bytes, size_t *length, soa_error *error)
{
    status = text->failed ? soa_fail_memory(error) : status;
    if (status != SOA_OK) {
        soa_text_free(text->allocator, text->bytes);
        return status;
    }
    *bytes = text->bytes;
    *length = text->length;
    return SOA_OK;
}

soa_status soa_text_save(const char *path, soa_status status, char *bytes, size_t length, soa_error *error)
{
    const soa_allocator usual = soa_allocator_default();
    if (status == SOA_OK) {
        status = soa_file_write(path, bytes, length, &usual, error);
        soa_text_free(&usual, bytes);
    }
    return status;
}

void soa_text_free(const soa_allocator *allocator, char *text)
{
    const soa_allocator usual = soa_allocator_default();
    if (text) {
        soa_release(allocator ? allocator : &usual, text);
    }
}
