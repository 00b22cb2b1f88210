/* tests/io/counting.h - an allocator that counts its blocks and fails on request. */
#ifndef SOA_TESTS_IO_COUNTING_H
#define SOA_TESTS_IO_COUNTING_H

#include "soa/core.h"

typedef struct counting {
    soa_allocator below;
    int asked; /* so far */
    int fails; /* the request of this number fails, and all after it; -1: none */
    int open;  /* blocks not yet released */
} counting;

static void *counting_allocate(void *context, size_t size)
{
    counting *c = context;
    if (c->fails >= 0 && c->asked++ >= c->fails) {
        return NULL;
    }
    void *block = c->below.allocate(c->below.context, size);
    c->open += block != NULL;
    return block;
}

static void counting_release(void *context, void *block)
{
    counting *c = context;
    c->open -= block != NULL;
    c->below.release(c->below.context, block);
}

static inline soa_allocator counting_on(counting *c, int fails)
{
    *c = (counting){ soa_allocator_default(), 0, fails, 0 };
    return (soa_allocator){ counting_allocate, counting_release, c };
}

#endif
