/* tests/expr/counter.h - an allocator with so many blocks left, which counts those in use. */
#ifndef SOA_TESTS_EXPR_COUNTER_H
#define SOA_TESTS_EXPR_COUNTER_H

#include "soa/core.h"

typedef struct counter {
    int left, live;
} counter;

static void *counted_allocate(void *context, size_t size)
{
    counter *c = context;
    const soa_allocator from = soa_allocator_default();
    void *block = c->left-- > 0 ? from.allocate(from.context, size) : NULL;
    c->live += block != NULL;
    return block;
}

static void counted_release(void *context, void *block)
{
    const soa_allocator from = soa_allocator_default();
    ((counter *)context)->live -= block != NULL;
    from.release(from.context, block);
}

#endif
