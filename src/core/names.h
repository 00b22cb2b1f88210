/* core/names.h - a hash table from names to numbers. */
#ifndef SOA_CORE_NAMES_H
#define SOA_CORE_NAMES_H

#include "soa/core.h"

/* Names are not copied: they must outlive the table. Zero-initialise. */
typedef struct soa_names {
    struct soa_names_entry *entry;
    int count;
    int capacity; /* a power of two, or 0 */
} soa_names;

/* false when there is no memory. A name that is there keeps its first number. */
bool soa_names_add(soa_names *names, const soa_allocator *allocator, const char *name, int number);

/* The number of a name; -1 if it is not there or NULL. */
int soa_names_find(const soa_names *names, const char *name);
void soa_names_free(soa_names *names, const soa_allocator *allocator);

#endif
