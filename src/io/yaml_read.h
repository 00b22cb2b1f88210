/* io/yaml_read.h - what the files that read native YAML offer each other. */
#ifndef SOA_IO_YAML_READ_H
#define SOA_IO_YAML_READ_H

#include "io/yaml_tree.h"

typedef struct soa_yaml_reader {
    soa_builder *builder;
    const soa_allocator *allocator;
    soa_arena arena; /* the tree, and names put together */
    soa_error *error;
} soa_yaml_reader;

/* Where a list of parts stands: in a system or, system NULL, in none. */
typedef struct soa_yaml_scope {
    const char *system; /* its parts are named "system/part" */
    int base;           /* the link that those without parent hang on, or SOA_WORLD */
    soa_pose at;        /* the system in the base */
    bool placed;        /* at was given */
    bool free;          /* the link without parent moves freely */
} soa_yaml_scope;

/* "system/name", or the name itself outside of systems. NULL: no memory. */
const char *soa_yaml_full_name(soa_yaml_reader *reader, const soa_yaml_scope *scope, const char *name);

/* The lists links (or bodies), frames, geometry, couplings, closures of a mapping, each added
 * to the builder. */
soa_status soa_yaml_links(
    soa_yaml_reader *reader, const soa_yaml *mapping, const char *key, const soa_yaml_scope *scope);
soa_status soa_yaml_frames(soa_yaml_reader *reader, const soa_yaml *mapping, const soa_yaml_scope *scope);
soa_status soa_yaml_geometry(soa_yaml_reader *reader, const soa_yaml *mapping, const soa_yaml_scope *scope);
soa_status soa_yaml_couplings(soa_yaml_reader *reader, const soa_yaml *mapping, const soa_yaml_scope *scope);
soa_status soa_yaml_closures(soa_yaml_reader *reader, const soa_yaml *mapping, const soa_yaml_scope *scope);

/* The configurations of the whole model, once all its links are in the builder. */
soa_status soa_yaml_configurations(soa_yaml_reader *reader, const soa_yaml *root);

/* The mapping of a joint; its name is as written. */
soa_status soa_yaml_joint(soa_yaml *mapping, soa_joint *joint, soa_error *error);

/* A link, or the inertial frame: by the word world unless a link is called that, or by saying nothing (NULL). */
soa_status soa_yaml_link_or_world(
    soa_yaml_reader *reader, const soa_yaml_scope *scope, const soa_yaml *value, int *link);

/* The link that a value names, by its own name or (of_joint) by that of its joint.
 * Refused: a name that is none. */
soa_status soa_yaml_find(
    soa_yaml_reader *reader, const soa_yaml_scope *scope, const soa_yaml *value, bool of_joint, int *link);

#endif
