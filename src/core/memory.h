/* core/memory.h - aligned blocks, growing arrays and arenas on a soa_allocator. */
#ifndef SOA_CORE_MEMORY_H
#define SOA_CORE_MEMORY_H

#include "soa/core.h"

/* count * size bytes; NULL when there is no memory or the product overflows. */
void *soa_allocate(const soa_allocator *allocator, size_t count, size_t size);
void soa_release(const soa_allocator *allocator, void *block);

/* ---- growing array ------------------------------------------------------------
 * Items of one size, contiguous; doubled when full. Zero-initialise with
 * soa_array_of(sizeof (item)). */
typedef struct soa_array {
    void *items;
    size_t item_size;
    int count;
    int capacity;
} soa_array;

soa_array soa_array_of(size_t item_size);

/* Room for one more item (zeroed), counted; NULL when there is no memory. */
void *soa_array_push(soa_array *array, const soa_allocator *allocator);
void *soa_array_at(const soa_array *array, int index);

/* A copy of an item at the end, and where it is; NULL when there is no memory. */
void *soa_array_add(soa_array *array, const soa_allocator *allocator, const void *item);

/* The last of the items, all of which begin with a pointer to their name, that has this name; NULL: none. */
void *soa_array_named(const soa_array *array, const char *name);
void soa_array_free(soa_array *array, const soa_allocator *allocator);

/* ---- arena --------------------------------------------------------------------
 * Many small blocks that are released together. Who takes several need ask only once, at the end, whether one failed. */
typedef struct soa_arena {
    const soa_allocator *allocator;
    struct soa_arena_chunk *chunk;
    bool failed; /* some block could not be had */
} soa_arena;

soa_arena soa_arena_on(const soa_allocator *allocator);
void soa_arena_free(soa_arena *arena);

/* count * size bytes, zeroed, aligned to 16; NULL when there is no memory. */
void *soa_arena_take(soa_arena *arena, size_t count, size_t size);

/* A copy of a text; the second ends it after length bytes. NULL when there is no
 * memory (a NULL text also gives NULL: ask first). */
char *soa_arena_text(soa_arena *arena, const char *text);
char *soa_arena_text_n(soa_arena *arena, const char *text, size_t length);

#endif
