/* emit/text.h - a text that grows. */
#ifndef SOA_EMIT_TEXT_H
#define SOA_EMIT_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "soa/core.h"

typedef struct text {
    char *at;
    size_t length, room;
    bool failed; /* out of memory */
} text;

SOA_PRINTF(2, 3)
static inline void put(text *t, const char *format, ...)
{
    for (int again = 0; again < 2 && !t->failed; again++) {
        va_list arguments;
        va_start(arguments, format);
        const int n = vsnprintf(t->at ? t->at + t->length : NULL, t->room - t->length, format, arguments);
        va_end(arguments);
        if (n < 0 || t->length + (size_t)n < t->room) {
            t->failed = n < 0;
            t->length += n < 0 ? 0 : (size_t)n;
            return;
        }
        const size_t room = 2 * (t->room + (size_t)n + 1);
        char *at = realloc(t->at, room);
        t->failed = at == NULL;
        t->at = at != NULL ? at : t->at;
        t->room = at != NULL ? room : t->room;
    }
}

#endif
