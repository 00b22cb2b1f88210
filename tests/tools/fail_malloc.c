/* tests/tools/fail_malloc.c - a library to preload: the allocation whose number is in FAIL_AT fails, and with a '+' behind it
 * all later ones too. With FAIL_CHILD set, they are counted and fail in processes that the program has forked, and only
 * there. Without FAIL_AT their number goes to the file FAIL_COUNT when the program ends. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soa/core.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

static atomic_long count;
static bool forked;

static void begin_child(void)
{
    forked = true;
    count = 0;
}

__attribute__((constructor)) static void begin(void)
{
    pthread_atfork(NULL, NULL, begin_child);
}

static int fails(void)
{
    const char *at = getenv("FAIL_AT");
    const long number = atomic_fetch_add(&count, 1) + 1, first = at ? strtol(at, NULL, 10) : 0;
    const bool here = forked || getenv("FAIL_CHILD") == NULL;
    const int failed = here && first > 0 && (number == first || (number > first && strchr(at, '+')));
    errno = failed ? ENOMEM : errno;
    return failed;
}

SOA_API void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

SOA_API void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

SOA_API void *realloc(void *block, size_t size)
{
    return fails() ? NULL : __libc_realloc(block, size);
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("FAIL_COUNT");
    FILE *out = path && !getenv("FAIL_AT") ? fopen(path, "w") : NULL;
    if (out) {
        fprintf(out, "%ld\n", count);
        fclose(out);
    }
}
