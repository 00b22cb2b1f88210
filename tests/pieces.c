/* tests/pieces.c - arenas whose every piece is a block of its own, for tests.
 *
 * Test programs are linked so that calls of soa_arena_take and soa_arena_free come here (ld --wrap). So an allocator that refuses its
 * n-th block refuses any piece of an arena, and guards stand behind each (tests/guard.c). What is left of the block behind a piece
 * is a fence: what writes there ends the program when the arena is released. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

enum { FENCE = 0xfb };

struct soa_arena_chunk { /* as in src/core/memory.c */
    struct soa_arena_chunk *next;
    size_t used, size;
    size_t
        fence; /* in the place of padding: where the fence begins, and in the upper half where it ends; 0: there is none */
    unsigned char bytes[];
};

void *__real_soa_arena_take(soa_arena *arena, size_t count, size_t size);
void __real_soa_arena_free(soa_arena *arena);
void *__wrap_soa_arena_take(soa_arena *arena, size_t count, size_t size);
void __wrap_soa_arena_free(soa_arena *arena);

void *__wrap_soa_arena_take(soa_arena *arena, size_t count, size_t size)
{
    if (arena->chunk) {
        arena->chunk->used = arena->chunk->size = 0; /* full; the next chunk holds the piece alone */
    }
    void *piece = __real_soa_arena_take(arena, count, size);
    struct soa_arena_chunk *chunk = arena->chunk;
    if (piece && count * size > 0 && chunk->size <= UINT32_MAX) {
        memset(chunk->bytes + count * size, FENCE, chunk->size - count * size);
        chunk->fence = (uint64_t)chunk->size << 32 | count * size;
        chunk->used = chunk->size;
    }
    return piece;
}

void __wrap_soa_arena_free(soa_arena *arena)
{
    for (const struct soa_arena_chunk *chunk = arena->chunk; chunk; chunk = chunk->next) {
        for (size_t i = (uint32_t)chunk->fence; i < (uint64_t)chunk->fence >> 32; i++) {
            if (chunk->bytes[i] != FENCE) {
                abort(); /* something was written behind a piece */
            }
        }
    }
    __real_soa_arena_free(arena);
}
