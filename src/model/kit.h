/* model/kit.h - a builder that remembers its first failure.
 *
 * The steps after it do nothing, so built-in models are written down, and files read, as plain lists of steps. */
#ifndef SOA_MODEL_KIT_H
#define SOA_MODEL_KIT_H

#include "core/memory.h"
#include "core/names.h"
#include "core/outcome.h"
#include "soa/model.h"

typedef struct soa_kit {
    soa_outcome outcome;
    soa_builder *builder;
    const soa_allocator *allocator;
} soa_kit;

/* The index of the new link; SOA_WORLD after a failure. */
int soa_kit_link(soa_kit *kit, const soa_link *link);
void soa_kit_set_link(soa_kit *kit, int index, const soa_link *link);
void soa_kit_frame(soa_kit *kit, const soa_frame *frame);
void soa_kit_coupling(soa_kit *kit, const soa_coupling *coupling);
void soa_kit_closure(soa_kit *kit, const soa_closure *closure);
void soa_kit_geometry(soa_kit *kit, const soa_geometry *geometry);
void soa_kit_configuration(soa_kit *kit, const char *name, int nq, const double *q, int nv, const double *v);
void soa_kit_name(soa_kit *kit, const char *name);
void soa_kit_warn(soa_kit *kit, soa_source source, const char *format, ...) SOA_PRINTF(3, 4);

/* One more item of an array, and a name in a table; NULL, or nothing, after a failure. */
void *soa_kit_push(soa_kit *kit, soa_array *array);
void soa_kit_index(soa_kit *kit, soa_names *names, const char *name, int number);

#endif
