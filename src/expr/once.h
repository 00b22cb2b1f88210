/* expr/once.h - things that are made once: a table by their hashes, with open addressing, at most half full. A thing begins with
 * its hash; the table lives in an arena. */
#ifndef SOA_EXPR_ONCE_H
#define SOA_EXPR_ONCE_H

#include "core/list.h"

typedef struct soa_once {
    const void **at;
    unsigned capacity; /* a power of two */
    int count;         /* of the things; who puts one into its place counts it */
} soa_once;

typedef bool soa_once_same(const void *a, const void *b);

static inline const void **soa_once_slot(const soa_once *table, const void *like, soa_once_same *same)
{
    unsigned i = *(const unsigned *)like & (table->capacity - 1);
    while (table->at[i] && !same(table->at[i], like)) {
        i = (i + 1) & (table->capacity - 1);
    }
    return &table->at[i];
}

/* The place of the thing that is the same, or of one that is to be made; NULL when there is no memory. */
static inline const void **soa_once_find(soa_once *table, soa_arena *arena, const void *like, soa_once_same *same)
{
    if (2 * (unsigned)table->count >= table->capacity) {
        const soa_once old = *table;
        soa_once grown = { NULL, old.capacity ? 2 * old.capacity : 256, old.count };
        grown.at = (const void **)soa_arena_take(arena, grown.capacity, sizeof *grown.at);
        for (unsigned i = 0; grown.at && i < old.capacity; i++) {
            if (old.at[i]) {
                *soa_once_slot(&grown, old.at[i], same) = old.at[i];
            }
        }
        if (!grown.at) {
            return NULL;
        }
        *table = grown;
    }
    return soa_once_slot(table, like, same);
}

#endif
