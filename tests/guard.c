/* tests/guard.c - memory that shows its misuse, for tests.
 *
 * Test programs are linked so that calls of soa_allocator_default come here (ld --wrap). New blocks are full of junk, and
 * walls stand before and behind them: what reads beyond a block finds NaN, what writes there ends the program when the block
 * is released. A wall is made of signalling NaN that tell the address of their block, so that neither sums nor copies of
 * what lies beyond other blocks look like it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "soa/core.h"

enum { GUARD = SOA_ALIGNMENT, NEW = 0xfe, OLD = 0xfd };

soa_allocator __real_soa_allocator_default(void);
soa_allocator __wrap_soa_allocator_default(void);

static void make_wall(const unsigned char *block, unsigned char wall[GUARD])
{
    const uint64_t brick = UINT64_C(0x7ff4) << 48 | (uintptr_t)block;
    for (size_t i = 0; i < GUARD; i += sizeof brick) {
        memcpy(wall + i, &brick, sizeof brick);
    }
}

static void *guarded_allocate(void *context, size_t size)
{
    const soa_allocator below = __real_soa_allocator_default();
    (void)context;
    unsigned char *block = below.allocate(below.context, size > SIZE_MAX - 2 * GUARD ? size : size + 2 * GUARD);
    if (!block) {
        return NULL;
    }
    make_wall(block, block);
    memcpy(block, &size, sizeof size);
    memset(block + GUARD, NEW, size);
    make_wall(block, block + GUARD + size);
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
    unsigned char wall[GUARD];
    make_wall(start, wall);
    if (memcmp(start + sizeof size, wall + sizeof size, GUARD - sizeof size) != 0 ||
        memcmp(start + GUARD + size, wall, GUARD) != 0) {
        abort(); /* something was written beside the block */
    }
    memset(start, OLD, size + 2 * GUARD);
    below.release(below.context, start);
}

soa_allocator __wrap_soa_allocator_default(void)
{
    return (soa_allocator){ guarded_allocate, guarded_release, NULL };
}
