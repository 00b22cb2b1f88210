/* io/yaml_read.h - what the files that read native YAML offer each other. */
#ifndef SOA_IO_YAML_READ_H
#define SOA_IO_YAML_READ_H

#include "io/yaml_tree.h"
#include "model/kit.h"

typedef struct soa_yaml_reader {
    soa_kit kit;
    soa_arena arena; /* the tree, and names put together */
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

/* The list of links (or bodies) under a key of a mapping; then its lists frames, geometry, couplings and closures. */
void soa_yaml_links(soa_yaml_reader *reader, const soa_yaml *mapping, const char *key, const soa_yaml_scope *scope);
void soa_yaml_parts(soa_yaml_reader *reader, const soa_yaml *mapping, const soa_yaml_scope *scope);
void soa_yaml_geometry(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope);

/* The configurations of the whole model, once all its links are in the builder. */
void soa_yaml_configurations(soa_yaml_reader *reader, const soa_yaml *root);

/* The mapping of a joint; its name is as written. */
void soa_yaml_joint(soa_yaml *mapping, soa_joint *joint);

/* A link, or the inertial frame: by the word world unless a link is called that, or by saying nothing (NULL). */
int soa_yaml_link_or_world(soa_yaml_reader *reader, const soa_yaml_scope *scope, const soa_yaml *value);

/* The link that a value names, by its own name or (of_joint) by that of its joint.
 * Refused, -1: a name that is none. */
int soa_yaml_find(soa_yaml_reader *reader, const soa_yaml_scope *scope, const soa_yaml *value, bool of_joint);

/* The path of the file that a value names; names are relative to the file that gives them. NULL: refused. */
const char *soa_yaml_path(soa_yaml_reader *reader, const soa_yaml *value);
bool soa_yaml_is_native(const char *path);

/* After a file was read that a value names: what a file outside of the folder says is not shown. */
void soa_yaml_took(const soa_yaml *value);

#endif
