/* core/names.c - a hash table from names to numbers: FNV-1a, linear probing. */
#include "core/names.h"

#include <stdint.h>
#include <string.h>

#include "core/memory.h"

struct soa_names_entry {
    const char *name;
    uint64_t hash;
    int number;
};

static uint64_t hash_of(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *name; name++) {
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    }
    return hash ^ (hash >> 32);
}

/* The entry of the name, or the free one where it belongs. */
static struct soa_names_entry *slot(const soa_names *names, const char *name, uint64_t hash)
{
    const size_t mask = (size_t)names->capacity - 1;
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        struct soa_names_entry *entry = &names->entry[i];
        if (!entry->name || (entry->hash == hash && strcmp(entry->name, name) == 0)) {
            return entry;
        }
    }
}

static bool grow(soa_names *names, const soa_allocator *allocator)
{
    soa_names bigger = { NULL, names->count, names->capacity ? 2 * names->capacity : 64 };
    bigger.entry = soa_allocate(allocator, (size_t)bigger.capacity, sizeof *bigger.entry);
    if (!bigger.entry) {
        return false;
    }
    memset(bigger.entry, 0, (size_t)bigger.capacity * sizeof *bigger.entry);
    for (int i = 0; i < names->capacity; i++) {
        if (names->entry[i].name) {
            *slot(&bigger, names->entry[i].name, names->entry[i].hash) = names->entry[i];
        }
    }
    soa_release(allocator, names->entry);
    *names = bigger;
    return true;
}

bool soa_names_add(soa_names *names, const soa_allocator *allocator, const char *name, int number)
{
    if (2 * names->count >= names->capacity && !grow(names, allocator)) {
        return false;
    }
    const uint64_t hash = hash_of(name);
    struct soa_names_entry *entry = slot(names, name, hash);
    if (!entry->name) {
        *entry = (struct soa_names_entry){ name, hash, number };
        names->count++;
    }
    return true;
}

int soa_names_find(const soa_names *names, const char *name)
{
    if (!name || names->capacity == 0) {
        return -1;
    }
    const struct soa_names_entry *entry = slot(names, name, hash_of(name));
    return entry->name ? entry->number : -1;
}

void soa_names_free(soa_names *names, const soa_allocator *allocator)
{
    soa_release(allocator, names->entry);
    *names = (soa_names){ NULL, 0, 0 };
}
