/* tests/counting.h - an allocator that counts its blocks, fills them with junk and fails when told. */
#ifndef SOA_TESTS_COUNTING_H
#define SOA_TESTS_COUNTING_H

#include <string.h>

#include "soa/core.h"

enum { COUNTING_PLENTY = 1 << 30 };

typedef struct counting {
    soa_allocator below;
    int left;  /* blocks that may be taken before one is refused */
    bool once; /* and one alone: then there is plenty again */
    int taken; /* so far */
    int open;  /* of those, not yet released */
    int refused;
} counting;

static inline void *counting_allocate(void *context, size_t size)
{
    counting *c = context;
    if (c->left == 0) {
        c->left = c->once ? COUNTING_PLENTY : 0;
        c->refused++;
        return NULL;
    }
    void *block = c->below.allocate(c->below.context, size);
    if (block) {
        memset(block, 0xa5, size);
        c->left--;
        c->taken++;
        c->open++;
    }
    return block;
}

static inline void counting_release(void *context, void *block)
{
    counting *c = context;
    c->open -= block != NULL;
    c->below.release(c->below.context, block);
}

static inline soa_allocator counting_on(counting *c, int left)
{
    *c = (counting){ .below = soa_allocator_default(), .left = left };
    return (soa_allocator){ counting_allocate, counting_release, c };
}

/* Refuses block n / 2: if n is odd that one alone, and else all after it too. What succeeds must not have been refused any. */
static inline soa_allocator counting_lack(counting *c, int n)
{
    const soa_allocator allocator = counting_on(c, n / 2);
    c->once = n % 2 == 1;
    return allocator;
}

#endif
