/* io/yaml_flow.h - pieces of a YAML text: words, numbers and flow mappings {key: value, ...}. */
#ifndef SOA_IO_YAML_FLOW_H
#define SOA_IO_YAML_FLOW_H

#include "io/reader.h"

typedef struct soa_yaml_flow {
    soa_text *text;
    bool first; /* in the mapping that is open nothing is written yet */
} soa_yaml_flow;

bool soa_same_bits(const double *a, const double *b, int n);

/* Appends a word that reads back equal: plain if it can be, else in double quotes
 * with escapes. YAML cannot say one that is not UTF-8. */
void soa_flow_word(soa_yaml_flow *f, const char *word);

/* [1, 2, 3] */
void soa_flow_numbers(soa_yaml_flow *f, const double *x, int n);

/* {, }, and a key with the comma before it. */
void soa_flow_begin(soa_yaml_flow *f);
void soa_flow_end(soa_yaml_flow *f);
void soa_flow_key(soa_yaml_flow *f, const char *name);

/* A key with its value. A word that is NULL, a flag that is false, numbers that are the usual ones or not finite, a pose
 * that is the identity and a node that is the link itself are left out. */
void soa_flow_key_word(soa_yaml_flow *f, const char *name, const char *value);
void soa_flow_key_true(soa_yaml_flow *f, const char *name, bool flag);
void soa_flow_key_numbers(soa_yaml_flow *f, const char *name, const double *x, const double *usual, int n);
void soa_flow_key_list(soa_yaml_flow *f, const char *name, const double *x, int n); /* always */
void soa_flow_key_pose(soa_yaml_flow *f, const char *name, const soa_pose *pose);
void soa_flow_key_node(soa_yaml_flow *f, const char *name, int node);

/* The mapping of a joint that stands on a node of its parent (yaml_write_joint.c). */
void soa_flow_joint(soa_yaml_flow *f, const soa_joint *joint, int node);

/* Begins item i of a list; the first writes the key of the list. */
void soa_flow_item(soa_yaml_flow *f, const char *list, int i);

#endif
