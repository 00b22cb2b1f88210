/* core/memory.c - aligned blocks, growing arrays and arenas on a soa_allocator. */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise */
#include <sys/mman.h>
#endif

#include "core/list.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The variables of a large model fill many pages, and sweeps pass through all of
 * them: large pages spare address translations. */
static void prefer_large_pages(char *block, size_t size)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    enum { LARGE = 4 << 20, PAGE = 4096 };
    if (size >= LARGE) {
        char *start = block + (PAGE - (uintptr_t)block % PAGE) % PAGE;
        (void)madvise(start, size - PAGE, MADV_HUGEPAGE); /* advice: it may not be taken */
    }
#else
    (void)block, (void)size;
#endif
}

/* malloc aligned to SOA_ALIGNMENT: the pointer malloc gave stands before the block. */
static void *default_allocate(void *context, size_t size)
{
    (void)context;
    if (size > SIZE_MAX - SOA_ALIGNMENT - sizeof(void *)) {
        return NULL;
    }
    char *raw = malloc(size + SOA_ALIGNMENT + sizeof(void *));
    if (!raw) {
        return NULL;
    }
    const uintptr_t start = (uintptr_t)(raw + sizeof(void *));
    const uintptr_t skip = (SOA_ALIGNMENT - start % SOA_ALIGNMENT) % SOA_ALIGNMENT;
    char *block = raw + sizeof(void *) + skip;
    memcpy(block - sizeof(void *), &raw, sizeof(void *));
    prefer_large_pages(block, size);
    return block;
}

static void default_release(void *context, void *block)
{
    (void)context;
    if (block) {
        void *raw;
        memcpy(&raw, (char *)block - sizeof(void *), sizeof(void *));
        free(raw);
    }
}

soa_allocator soa_allocator_default(void)
{
    return (soa_allocator){ default_allocate, default_release, NULL };
}

void *soa_allocate(const soa_allocator *allocator, size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : allocator->allocate(allocator->context, bytes);
}

void soa_release(const soa_allocator *allocator, void *block)
{
    allocator->release(allocator->context, block);
}

/* ---- growing array ------------------------------------------------------------ */

soa_array soa_array_of(size_t item_size)
{
    return (soa_array){ NULL, item_size, 0, 0 };
}

static bool array_grow(soa_array *array, const soa_allocator *allocator)
{
    if (array->capacity > INT_MAX / 2) {
        return false;
    }
    const int capacity = array->capacity ? 2 * array->capacity : 8;
    void *items = soa_allocate(allocator, (size_t)capacity, array->item_size);
    if (!items) {
        return false;
    }
    if (array->count > 0) {
        memcpy(items, array->items, (size_t)array->count * array->item_size);
    }
    soa_release(allocator, array->items);
    array->items = items;
    array->capacity = capacity;
    return true;
}

void *soa_array_push(soa_array *array, const soa_allocator *allocator)
{
    if (array->count == array->capacity && !array_grow(array, allocator)) {
        return NULL;
    }
    void *item = (char *)array->items + (size_t)array->count * array->item_size;
    memset(item, 0, array->item_size);
    array->count++;
    return item;
}

void *soa_array_at(const soa_array *array, int index)
{
    return (char *)array->items + (size_t)index * array->item_size;
}

void *soa_array_add(soa_array *array, const soa_allocator *allocator, const void *item)
{
    void *made = soa_array_push(array, allocator);
    return made ? memcpy(made, item, array->item_size) : NULL;
}

void *soa_array_named(const soa_array *array, const char *name)
{
    char *item = array->count > 0 ? soa_array_at(array, array->count - 1) : NULL;
    for (int i = array->count; i > 0 && strcmp(*(const char *const *)(void *)item, name) != 0; i--) {
        item = i > 1 ? item - array->item_size : NULL;
    }
    return item;
}

void soa_array_free(soa_array *array, const soa_allocator *allocator)
{
    soa_release(allocator, array->items);
    *array = soa_array_of(array->item_size);
}

/* ---- arena -------------------------------------------------------------------- */

enum { ARENA_ALIGNMENT = 16, ARENA_CHUNK = 4096, ARENA_CHUNK_MAX = 1 << 20 };

struct soa_arena_chunk {
    struct soa_arena_chunk *next;
    size_t used;
    size_t size;
    size_t unused_padding_to_16;
    char bytes[];
};

soa_arena soa_arena_on(const soa_allocator *allocator)
{
    return (soa_arena){ .allocator = allocator };
}

void soa_arena_free(soa_arena *arena)
{
    while (arena->chunk) {
        struct soa_arena_chunk *next = arena->chunk->next;
        soa_release(arena->allocator, arena->chunk);
        arena->chunk = next;
    }
}

/* A chunk with room for `bytes`; chunks double up to ARENA_CHUNK_MAX. */
static struct soa_arena_chunk *arena_chunk(soa_arena *arena, size_t bytes)
{
    size_t size = arena->chunk ? 2 * arena->chunk->size : ARENA_CHUNK;
    size = size > ARENA_CHUNK_MAX ? ARENA_CHUNK_MAX : size;
    size = size < bytes ? bytes : size;
    if (size > SIZE_MAX - sizeof(struct soa_arena_chunk)) {
        return NULL;
    }
    struct soa_arena_chunk *chunk = soa_allocate(arena->allocator, 1, sizeof *chunk + size);
    if (chunk) {
        *chunk = (struct soa_arena_chunk){ .next = arena->chunk, .used = 0, .size = size };
        arena->chunk = chunk;
    }
    return chunk;
}

void *soa_arena_take(soa_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    const bool good = !__builtin_mul_overflow(count, size, &bytes) && bytes <= SIZE_MAX - ARENA_ALIGNMENT;
    bytes = good ? (bytes + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT : 0;
    struct soa_arena_chunk *chunk = arena->chunk;
    if (!chunk || chunk->size - chunk->used < bytes) {
        chunk = good ? arena_chunk(arena, bytes) : NULL;
    }
    if (!good || !chunk) {
        arena->failed = true;
        return NULL;
    }
    void *block = chunk->bytes + chunk->used;
    chunk->used += bytes;
    return memset(block, 0, bytes);
}

void *soa_arena_add(soa_arena *arena, soa_array *array, const void *item, size_t size)
{
    if (array->count == array->capacity) {
        const int capacity = array->capacity > INT_MAX / 2 ? 0 : array->capacity > 0 ? 2 * array->capacity : 8;
        void *items = capacity > 0 ? soa_arena_take(arena, (size_t)capacity, size) : NULL;
        if (!items) {
            return NULL;
        }
        if (array->count > 0) {
            memcpy(items, array->items, (size_t)array->count * size);
        }
        *array = (soa_array){ items, size, array->count, capacity };
    }
    return memcpy(soa_array_at(array, array->count++), item, size);
}

char *soa_arena_text_n(soa_arena *arena, const char *text, size_t length)
{
    if (!text || length == SIZE_MAX) {
        return NULL;
    }
    char *copy = soa_arena_take(arena, length + 1, 1);
    if (copy) {
        memcpy(copy, text, length);
    }
    return copy;
}

char *soa_arena_text(soa_arena *arena, const char *text)
{
    return text ? soa_arena_text_n(arena, text, strlen(text)) : NULL;
}
