/* core/names.c - a hash table from names to numbers: SipHash with a key, linear probing. */
#include "core/names.h"

#include <stdint.h>
#include <string.h>

#include "core/clock.h"
#include "core/memory.h"

struct soa_names_entry {
    const char *name;
    uint64_t hash;
    int number;
};

/* ---- hash ----------------------------------------------------------------------- */

static uint64_t turn(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void mix(uint64_t v[4], int rounds)
{
    for (int i = 0; i < rounds; i++) {
        v[0] += v[1], v[1] = turn(v[1], 13) ^ v[0], v[0] = turn(v[0], 32);
        v[2] += v[3], v[3] = turn(v[3], 16) ^ v[2];
        v[0] += v[3], v[3] = turn(v[3], 21) ^ v[0];
        v[2] += v[1], v[1] = turn(v[1], 17) ^ v[2], v[2] = turn(v[2], 32);
    }
}

static void absorb(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v, 2);
    v[0] ^= word;
}

uint64_t soa_siphash(const uint64_t key[2], const void *bytes, size_t length)
{
    const unsigned char *s = bytes;
    uint64_t v[4] = { key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du, key[0] ^ 0x6c7967656e657261u,
        key[1] ^ 0x7465646279746573u };
    uint64_t word = 0;
    for (size_t i = 0; i < length; i++) {
        word |= (uint64_t)s[i] << 8 * (i % 8);
        if (i % 8 == 7) {
            absorb(v, word);
            word = 0;
        }
    }
    absorb(v, word | (uint64_t)length << 56);
    v[2] ^= 0xff;
    mix(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static uint64_t hash_of(const soa_names *names, const char *name)
{
    return soa_siphash(names->key, name, strlen(name));
}

/* A key that differs from table to table and from run to run: where things lie in memory, and when. */
static void choose_key(soa_names *names, const void *block)
{
    const struct timespec now = soa_clock();
    names->key[0] = (uint64_t)(uintptr_t)block ^ (uint64_t)now.tv_nsec << 32;
    names->key[1] = (uint64_t)(uintptr_t)names ^ (uint64_t)now.tv_sec << 32;
}

/* ---- table ---------------------------------------------------------------------- */

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
    soa_names bigger = *names;
    bigger.capacity = names->capacity ? 2 * names->capacity : 64;
    bigger.entry = soa_allocate(allocator, (size_t)bigger.capacity, sizeof *bigger.entry);
    if (!bigger.entry) {
        return false;
    }
    memset(bigger.entry, 0, (size_t)bigger.capacity * sizeof *bigger.entry);
    if (names->capacity == 0) {
        choose_key(&bigger, bigger.entry);
    }
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
    const uint64_t hash = hash_of(names, name);
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
    const struct soa_names_entry *entry = slot(names, name, hash_of(names, name));
    return entry->name ? entry->number : -1;
}

void soa_names_free(soa_names *names, const soa_allocator *allocator)
{
    soa_release(allocator, names->entry);
    *names = (soa_names){ 0 };
}
