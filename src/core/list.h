/* core/list.h - arrays that live in an arena: they are zero in the beginning, and go with it. */
#ifndef SOA_CORE_LIST_H
#define SOA_CORE_LIST_H

#include "core/memory.h"

/* A copy of an item of that size at the end of the array, and where the copy is; NULL when there is no memory. */
void *soa_arena_add(soa_arena *arena, soa_array *array, const void *item, size_t size);

#endif
