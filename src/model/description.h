/* model/description.h - the lists of a description, and how items get into them. */
#ifndef SOA_MODEL_DESCRIPTION_H
#define SOA_MODEL_DESCRIPTION_H

#include "model/model.h"

/* The lists: member, plural, items. */
#define SOA_ITEM_LIST(X)                  \
    X(link, links, soa_link)              \
    X(frame, frames, soa_frame)           \
    X(coupling, couplings, soa_coupling)  \
    X(closure, closures, soa_closure)     \
    X(geometry, geometries, soa_geometry) \
    X(warning, warnings, soa_warning)

/* Whose memory items and their texts are in; *last_file is the name of a file stored last, which most items share. */
typedef struct soa_keeper {
    const soa_allocator *allocator;
    soa_arena *arena;
    const char **last_file;
} soa_keeper;

/* Appends a copy of an item to a list (such as &to->frame), its texts in the arena, its names in the tables. false: no memory. */
bool soa_description_add(soa_description *to, soa_array *list, const void *item, soa_keeper keeper);

/* Replaces a link by such a copy. */
bool soa_description_set_link(soa_description *d, int link, const soa_link *value, soa_keeper keeper);

#endif
