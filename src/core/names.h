/* core/names.h - a hash table from names to numbers.
 *
 * Names come from files that somebody else wrote. Each table hashes with a key of its own that nobody outside
 * can know, so no choice of names makes it slow. What it answers does not depend on the key. */
#ifndef SOA_CORE_NAMES_H
#define SOA_CORE_NAMES_H

#include <stdint.h>

#include "soa/core.h"

/* Names are not copied: they must outlive the table. Zero-initialise. */
typedef struct soa_names {
    struct soa_names_entry *entry;
    int count;
    int capacity;    /* a power of two, or 0 */
    uint64_t key[2]; /* of the hash */
} soa_names;

/* false when there is no memory. A name that is there keeps its first number. */
bool soa_names_add(soa_names *names, const soa_allocator *allocator, const char *name, int number);

/* The number of a name; -1 if it is not there or NULL. */
int soa_names_find(const soa_names *names, const char *name);
void soa_names_free(soa_names *names, const soa_allocator *allocator);

/* SipHash-2-4 of Aumasson and Bernstein. */
uint64_t soa_siphash(const uint64_t key[2], const void *bytes, size_t length);

#endif
