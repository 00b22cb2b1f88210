/* tests/fuzz/bounded.h - bounded memory for fuzzers, and how they stop. */
#ifndef SOA_FUZZ_BOUNDED_H
#define SOA_FUZZ_BOUNDED_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soa/core.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY_LIMIT = 64 << 20 };

static void *bounded_allocate(void *context, size_t size)
{
    size_t *left = context;
    if (size > *left) {
        return NULL;
    }
    char *block =
        aligned_alloc(SOA_ALIGNMENT, SOA_ALIGNMENT + (size + SOA_ALIGNMENT - 1) / SOA_ALIGNMENT * SOA_ALIGNMENT);
    if (!block) {
        return NULL;
    }
    *left -= size;
    memcpy(block, &size, sizeof size);
    return block + SOA_ALIGNMENT;
}

static void bounded_release(void *context, void *block)
{
    if (block) {
        size_t *left = context, size;
        memcpy(&size, (char *)block - SOA_ALIGNMENT, sizeof size);
        *left += size;
        free((char *)block - SOA_ALIGNMENT);
    }
}

static void stop(const char *what, const char *why, const char *text)
{
    fprintf(stderr, "%s: %s\n%s\n", what, why, text ? text : "");
    abort();
}

#endif
