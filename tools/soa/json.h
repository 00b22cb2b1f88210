/* json.h - JSON output, one item of a list at a time.
 *
 * The items are made with jansson and written at once: the text of a model of a
 * million bodies never stands in memory as a tree. Values handed over are released. */
#ifndef SOA_TOOL_JSON_H
#define SOA_TOOL_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "soa/spatial.h"

typedef struct json_writer {
    FILE *out;
    bool item; /* something stands before this in the list or object */
} json_writer;

/* jansson uses the memory of the command (memory.c): values need not be released, and the command ends if there is none. */
void json_use_memory(void);

/* Between these two a lack of memory only makes values NULL; whether there was one. */
void json_watch_memory(void);
bool json_out_of_memory(void);

json_writer json_begin(FILE *out);
void json_field(json_writer *writer, const char *name, json_t *value);
void json_list(json_writer *writer, const char *name);
void json_item(json_writer *writer, json_t *value);
void json_list_end(json_writer *writer);

void json_end(json_writer *writer);

/* A member more of an object, an item more of a list. */
void json_set(json_t *object, const char *name, json_t *value);
void json_add(json_t *list, json_t *value);

/* null for NULL; bytes that are not UTF-8 become '?'. */
json_t *json_text(const char *text);

/* null for what is not finite. */
json_t *json_number(double value);
json_t *json_numbers(const double *value, int count);
json_t *json_pair(int first, int count);
json_t *json_pose(const soa_pose *pose);

#endif
