/* gather.c - a stream into memory that says when memory runs out.
 *
 * open_memstream of glibc loses text then without a word (ferror stays 0), so there it is a stream with a writer of ours. */
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include <stdlib.h>
#include <string.h>

#include "tool.h"

#if defined(__GLIBC__)
static ssize_t add(void *cookie, const char *text, size_t length)
{
    tool_gathered *g = cookie;
    if (g->length + length + 1 > g->room) {
        const size_t room = 2 * (g->length + length) + 1;
        char *grown = realloc(g->text, room);
        if (grown == NULL) {
            return 0;
        }
        g->text = grown;
        g->room = room;
    }
    memcpy(g->text + g->length, text, length);
    g->length += length;
    g->text[g->length] = '\0';
    return (ssize_t)length;
}

FILE *tool_gather(tool_gathered *g)
{
    *g = (tool_gathered){ .text = calloc(1, 1), .room = 1 };
    return g->text != NULL ? fopencookie(g, "w", (cookie_io_functions_t){ .write = add }) : NULL;
}
#else
FILE *tool_gather(tool_gathered *g)
{
    *g = (tool_gathered){ NULL, 0, 0 };
    return open_memstream(&g->text, &g->length);
}
#endif

bool tool_gather_end(tool_gathered *g, FILE *out)
{
    const bool lost = out == NULL || fflush(out) != 0 || ferror(out) != 0;
    return (out == NULL || fclose(out) == 0) && !lost && g->text != NULL;
}
