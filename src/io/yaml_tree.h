/* io/yaml_tree.h - a YAML file as a tree of values, by libyaml.
 *
 * One document, its root a mapping; at most SOA_MAX_DEPTH deep. Anchors, aliases,
 * tags, keys that are not plain text and keys that are there twice are refused,
 * so the tree is never larger than its text. */
#ifndef SOA_IO_YAML_TREE_H
#define SOA_IO_YAML_TREE_H

#include "core/memory.h"
#include "soa/model.h"

typedef enum soa_yaml_kind { SOA_YAML_SCALAR, SOA_YAML_SEQUENCE, SOA_YAML_MAPPING } soa_yaml_kind;

typedef struct soa_yaml {
    soa_yaml_kind kind;
    bool plain;       /* a scalar without quotes */
    int line, column; /* of the key if it has one, else of the value */
    int count;        /* children */
    const char *key;  /* in a mapping; else NULL */
    const char *text; /* of a scalar; else NULL */
    const char *file; /* for messages; lives in the arena */
    const char *what; /* what a reader takes it for, "body"; NULL: not said. For messages */
    struct soa_yaml *parent, *child, *next;
} soa_yaml;

/* The root mapping of text; it lives in the arena. file names it in messages. */
soa_status soa_yaml_parse(
    soa_arena *arena, const char *text, size_t length, const char *file, soa_yaml **root, soa_error *error);

/* The value of a key of a mapping, or NULL. */
soa_yaml *soa_yaml_get(const soa_yaml *mapping, const char *key);

/* Each key of the mapping must be in keys, which NULL ends; `what` names the
 * mapping in this and later messages. */
soa_status soa_yaml_expect(soa_yaml *mapping, const char *what, const char *const *keys, soa_error *error);

/* What a value says. */
soa_status soa_yaml_as_number(const soa_yaml *value, double *number, soa_error *error);
soa_status soa_yaml_as_numbers(const soa_yaml *value, int count, double *numbers, soa_error *error);
soa_status soa_yaml_as_text(const soa_yaml *value, const char **text, soa_error *error);
soa_status soa_yaml_as_sequence(const soa_yaml *value, soa_error *error);

/* What a key of a mapping says; the result is untouched if the key is not there. */
soa_status soa_yaml_number(const soa_yaml *mapping, const char *key, double *number, soa_error *error);
soa_status soa_yaml_numbers(const soa_yaml *mapping, const char *key, int count, double *numbers, soa_error *error);
soa_status soa_yaml_boolean(const soa_yaml *mapping, const char *key, bool *flag, soa_error *error);
soa_status soa_yaml_text(const soa_yaml *mapping, const char *key, const char **text, soa_error *error);

/* The text of a key that must be there. */
soa_status soa_yaml_need_text(const soa_yaml *mapping, const char *key, const char **text, soa_error *error);

/* A sequence of mappings: its first item, or NULL if the key is not there or empty. */
soa_status soa_yaml_items(const soa_yaml *mapping, const char *key, soa_yaml **first, soa_error *error);

/* A pose {xyz, rpy or quat or rotation}; untouched if the key is not there. */
soa_status soa_yaml_pose(const soa_yaml *mapping, const char *key, soa_pose *pose, soa_error *error);

/* "<file>:<line>: <what> 'name': ..." as an error, named after the nearest mapping
 * around node that has a name; returns status. */
soa_status soa_yaml_fail(const soa_yaml *node, soa_status status, soa_error *error, const char *format, ...)
    SOA_PRINTF(4, 5);

soa_source soa_yaml_source(const soa_yaml *node);

/* For "did you mean": the word of a list that NULL ends which is nearest to a
 * mistyped one; NULL if none is within reach. */
const char *soa_yaml_nearest(const char *word, const char *const *list);

#endif
