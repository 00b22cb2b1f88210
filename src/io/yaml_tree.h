/* io/yaml_tree.h - a YAML file as a tree of values, by libyaml.
 *
 * One document, its root a mapping; at most SOA_MAX_DEPTH deep. Anchors, aliases,
 * tags, keys that are not plain text and keys that are there twice are refused,
 * so the tree is never larger than its text.
 *
 * Whatever is asked of a value and cannot be told fails the outcome of its file. The first failure stays, and what is
 * asked after it changes nothing. */
#ifndef SOA_IO_YAML_TREE_H
#define SOA_IO_YAML_TREE_H

#include <stddef.h>

#include "core/memory.h"
#include "core/outcome.h"
#include "soa/model.h"

/* A file that is being read. */
typedef struct soa_yaml_file {
    const char *path; /* for messages; "": a text without one */
    soa_outcome *outcome;
} soa_yaml_file;

typedef enum soa_yaml_kind { SOA_YAML_SCALAR, SOA_YAML_SEQUENCE, SOA_YAML_MAPPING } soa_yaml_kind;

typedef struct soa_yaml {
    soa_yaml_kind kind;
    bool plain;          /* a scalar without quotes */
    int line, column;    /* of the key if it has one, else of the value */
    int count;           /* children */
    const char *key;     /* in a mapping; else NULL */
    const char *text;    /* of a scalar; else NULL */
    const char *what;    /* what a reader takes it for, "body"; NULL: not said. For messages */
    soa_yaml_file *file; /* lives in the arena */
    struct soa_yaml *parent, *child, *next;
} soa_yaml;

/* The root mapping of text; it lives in the arena. file names it in messages. NULL: it is refused. */
soa_yaml *soa_yaml_parse(soa_arena *arena, const char *text, size_t length, const char *file, soa_outcome *outcome);

/* ---- failures --------------------------------------------------------------------- */

/* "<file>:<line>: <what> 'name': ..." as an error, named after the nearest mapping
 * around node that has a name. */
void soa_yaml_fail(const soa_yaml *node, soa_status status, const char *format, ...) SOA_PRINTF(3, 4);

static inline bool soa_yaml_ok(const soa_yaml *node)
{
    return soa_ok(node->file->outcome);
}

/* The error to give to a step that concerns node: NULL after a failure. */
soa_error *soa_yaml_error(const soa_yaml *node);

/* Each keeps the status of such a step: with its error as it is; moved to the place of node; or with what node is before it. */
void soa_yaml_step(const soa_yaml *node, soa_status status);
void soa_yaml_place(const soa_yaml *node, soa_status status);
void soa_yaml_said(const soa_yaml *node, soa_status status);

/* Whether memory was there. */
bool soa_yaml_got(const soa_yaml *node, const void *memory);

soa_source soa_yaml_source(const soa_yaml *node);

/* ---- mappings --------------------------------------------------------------------- */

/* The value of a key of a mapping, or NULL. */
soa_yaml *soa_yaml_get(const soa_yaml *mapping, const char *key);

/* Each key of the mapping must be in keys, which NULL ends; `what` names the
 * mapping in this and later messages. */
void soa_yaml_expect(soa_yaml *mapping, const char *what, const char *const *keys);

/* A key whose value goes into a member of a structure. */
typedef enum soa_yaml_type {
    SOA_YAML_ELSEWHERE, /* the key is read by other means */
    SOA_YAML_NUMBERS,   /* `count` of them: double, or if count > 1 an array */
    SOA_YAML_COUNT,     /* int */
    SOA_YAML_YES,       /* bool */
    SOA_YAML_TEXT,      /* const char * */
    SOA_YAML_POSE       /* soa_pose */
} soa_yaml_type;

typedef struct soa_yaml_field {
    const char *key; /* NULL ends a list */
    soa_yaml_type type;
    size_t offset;
    int count;
} soa_yaml_field;

/* Rows of such a list: a key whose value becomes a member, and one that is read by other means. */
#define SOA_YAML_INTO(key, type, structure, member)                                                                 \
    {                                                                                                               \
        key, SOA_YAML_##type, offsetof(structure, member), (int)(sizeof(((structure *)0)->member) / sizeof(double)) \
    }
#define SOA_YAML_KEY(key)             \
    {                                 \
        key, SOA_YAML_ELSEWHERE, 0, 0 \
    }
#define SOA_YAML_END                   \
    {                                  \
        NULL, SOA_YAML_ELSEWHERE, 0, 0 \
    }

enum { SOA_YAML_MOST_FIELDS = 24 };

/* The mapping must have keys of the list alone; soa_yaml_fields also reads them into the structure `to`, whose members
 * stay as they are if their key is not there. */
void soa_yaml_known(soa_yaml *mapping, const char *what, const soa_yaml_field *fields);
void soa_yaml_fields(soa_yaml *mapping, const char *what, const soa_yaml_field *fields, void *to);

/* What a key of a mapping says; the result is untouched if the key is not there. */
void soa_yaml_number(const soa_yaml *mapping, const char *key, double *number);
void soa_yaml_numbers(const soa_yaml *mapping, const char *key, int count, double *numbers);
void soa_yaml_count(const soa_yaml *mapping, const char *key, int *count);
void soa_yaml_boolean(const soa_yaml *mapping, const char *key, bool *flag);
void soa_yaml_text(const soa_yaml *mapping, const char *key, const char **text);
void soa_yaml_pose(const soa_yaml *mapping, const char *key, soa_pose *pose); /* {xyz, rpy or quat or rotation} */

/* The index of the word of a key in a list that NULL ends; `usual` if the key is not there. */
int soa_yaml_word(const soa_yaml *mapping, const char *key, const char *const *words, int usual);

/* The text of a key that must be there; "" after a failure. */
const char *soa_yaml_need_text(const soa_yaml *mapping, const char *key);

/* The one of some keys (NULL ends them) that is there, or NULL; refused if there are two, `of` naming the mapping. */
const soa_yaml *soa_yaml_one_of(const soa_yaml *mapping, const char *const *keys, const char *of);

/* A sequence: its first item, or NULL if the key is not there or empty. */
soa_yaml *soa_yaml_items(const soa_yaml *mapping, const char *key);

/* ---- values ----------------------------------------------------------------------- */

/* What a value must be. */
void soa_yaml_as_number(const soa_yaml *value, double *number);
void soa_yaml_as_numbers(const soa_yaml *value, int count, double *numbers); /* a list of so many */
void soa_yaml_as_few(
    const soa_yaml *value, int count, double *numbers); /* a list of so many, or a number if count is 1 */
const char *soa_yaml_as_text(const soa_yaml *value);    /* "" after a failure */
int soa_yaml_as_word(const soa_yaml *value, const char *const *words);
bool soa_yaml_as_sequence(const soa_yaml *value);
bool soa_yaml_as_mapping(const soa_yaml *value, const char *like); /* like: "{JOINT: number}", for the message */

#endif
