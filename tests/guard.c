/* tests/guard.c - memory that shows its misuse, for tests.
 *
 * Test programs are linked so that calls of soa_allocator_default come here (ld --wrap). New blocks are full of junk, and
 * guards stand before and behind them: what reads beyond a block finds NaN, what writes there ends the program when the block
 * is released. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "soa/core.h"

enum { GUARD = SOA_ALIGNMENT, WALL = 0xff, NEW = 0xfe, OLD = 0xfd };

soa_allocator __real_soa_allocator_default(void);
soa_allocator __wrap_soa_allocator_default(void);

static void *guarded_allocate(void *context, size_t size)
{
    const soa_allocator below = __real_soa_allocator_default();
    (void)context;
    unsigned char *block = below.allocate(below.context, size > SIZE_MAX - 2 * GUARD ? size : size + 2 * GUARD);
    if (!block) {
        return NULL;
    }
    memset(block, WALL, GUARD);
    memcpy(block, &size, sizeof size);
    memset(block + GUARD, NEW, size);
    memset(block + GUARD + size, WALL, GUARD);
    return block + GUARD;
}

static void guarded_release(void *context, void *block)
{
    const soa_allocator below = __real_soa_allocator_default();
    (void)context;
    if (!block) {
        return;
    }
    unsigned char *start = (unsigned char *)block - GUARD;
    size_t size;
    memcpy(&size, start, sizeof size);
    for (size_t i = sizeof size; i < GUARD; i++) {
        if (start[i] != WALL || start[GUARD + size + i] != WALL || start[GUARD + size + i - sizeof size] != WALL) {
            abort(); /* something was written beside the block */
        }
    }
    memset(start, OLD, size + 2 * GUARD);
    below.release(below.context, start);
}

soa_allocator __wrap_soa_allocator_default(void)
{
    return (soa_allocator){ guarded_allocate, guarded_release, NULL };
}
