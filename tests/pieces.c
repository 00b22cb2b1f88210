/* tests/pieces.c - arenas whose every piece is a block of its own, for tests.
 *
 * Test programs are linked so that calls of soa_arena_take come here (ld --wrap). So an allocator that refuses its
 * n-th block refuses any piece of an arena, and guards stand behind each (tests/guard.c). */
#include "core/memory.h"

struct soa_arena_chunk { /* begins as in src/core/memory.c */
    struct soa_arena_chunk *next;
    size_t used, size;
};

void *__real_soa_arena_take(soa_arena *arena, size_t count, size_t size);
void *__wrap_soa_arena_take(soa_arena *arena, size_t count, size_t size);

void *__wrap_soa_arena_take(soa_arena *arena, size_t count, size_t size)
{
    if (arena->chunk) {
        arena->chunk->used = arena->chunk->size = 0; /* full; the next chunk holds the piece alone */
    }
    return __real_soa_arena_take(arena, count, size);
}
