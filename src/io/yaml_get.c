/* io/yaml_get.c - what the values of a YAML tree say. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/edits.h"
#include "core/number.h"
#include "io/yaml_tree.h"

/* What to write instead of a word that is not in the list: "did you mean 'x'?", or "GIVE a, b LAST c". */
static void suggest(
    const char *word, const char *const *list, const char *give, const char *last, char *buffer, size_t size)
{
    soa_nearest near = soa_nearest_to(word);
    int length = snprintf(buffer, size, "%s ", give);
    for (int i = 0; list[i]; i++) {
        soa_nearest_offer(&near, list[i]);
        length += snprintf(buffer + length, size - (size_t)length, "%s%s",
            i == 0        ? ""
            : list[i + 1] ? ", "
                          : last,
            list[i]);
        length = length < (int)size ? length : (int)size - 1;
    }
    if (near.found) {
        snprintf(buffer, size, "did you mean '%s'?", near.found);
    }
}

/* ---- mappings ----------------------------------------------------------------- */

soa_yaml *soa_yaml_get(const soa_yaml *mapping, const char *key)
{
    for (soa_yaml *n = mapping->child; n; n = n->next) {
        if (n->key && strcmp(n->key, key) == 0) {
            return n;
        }
    }
    return NULL;
}

static bool is_in(const char *word, const char *const *list)
{
    for (; *list; list++) {
        if (strcmp(*list, word) == 0) {
            return true;
        }
    }
    return false;
}

static void fail_unknown_key(const soa_yaml *node, const char *const *keys)
{
    char instead[SOA_ERROR_TEXT / 2];
    suggest(node->key, keys, "the keys here are", " and ", instead, sizeof instead);
    soa_yaml_fail(node, SOA_E_SYNTAX, "unknown key '%.80s'; %s", node->key, instead);
}

/* The key a value belongs to, also from inside a list. */
static const char *key_of(const soa_yaml *value)
{
    while (value && !value->key) {
        value = value->parent;
    }
    return value ? value->key : "the file";
}

static const char *shown(const soa_yaml *value)
{
    return value->kind == SOA_YAML_SCALAR ? value->text : value->kind == SOA_YAML_SEQUENCE ? "a list" : "a mapping";
}

void soa_yaml_expect(soa_yaml *mapping, const char *what, const char *const *keys)
{
    mapping->what = what;
    if (mapping->kind != SOA_YAML_MAPPING) {
        soa_yaml_fail(mapping, SOA_E_SYNTAX, "'%s' must be a mapping such as {%s: ...}, not %s", key_of(mapping),
            keys[0], mapping->kind == SOA_YAML_SCALAR ? "a word" : "a list");
        return;
    }
    for (const soa_yaml *n = mapping->child; n && soa_yaml_ok(n); n = n->next) {
        if (!is_in(n->key, keys)) {
            fail_unknown_key(n, keys);
        }
    }
}

static void read_field(const soa_yaml *mapping, const soa_yaml_field *f, void *member)
{
    switch (f->type) {
    case SOA_YAML_NUMBERS:
        if (f->count == 1) {
            soa_yaml_number(mapping, f->key, member);
        } else {
            soa_yaml_numbers(mapping, f->key, f->count, member);
        }
        break;
    case SOA_YAML_COUNT:
        soa_yaml_count(mapping, f->key, member);
        break;
    case SOA_YAML_YES:
        soa_yaml_boolean(mapping, f->key, member);
        break;
    case SOA_YAML_TEXT:
        soa_yaml_text(mapping, f->key, member);
        break;
    case SOA_YAML_POSE:
        soa_yaml_pose(mapping, f->key, member);
        break;
    default:
        break;
    }
}

void soa_yaml_known(soa_yaml *mapping, const char *what, const soa_yaml_field *fields)
{
    const char *keys[SOA_YAML_MOST_FIELDS + 1] = { NULL };
    for (int i = 0; fields[i].key; i++) {
        keys[i] = fields[i].key;
    }
    soa_yaml_expect(mapping, what, keys);
}

void soa_yaml_fields(soa_yaml *mapping, const char *what, const soa_yaml_field *fields, void *to)
{
    soa_yaml_known(mapping, what, fields);
    for (const soa_yaml_field *f = fields; f->key; f++) {
        read_field(mapping, f, (char *)to + f->offset);
    }
}

/* ---- values ------------------------------------------------------------------- */

void soa_yaml_as_number(const soa_yaml *value, double *number)
{
    double x = 0.0;
    const bool plain = value->kind == SOA_YAML_SCALAR && value->plain;
    const char *end = plain ? soa_number_read(value->text, &x) : NULL;
    if (end && *end == '\0') {
        *number = x;
    } else {
        soa_yaml_fail(value, SOA_E_NUMBER, "'%s' is '%.80s'; give a finite decimal number such as 0.5", key_of(value),
            shown(value));
    }
}

void soa_yaml_as_numbers(const soa_yaml *value, int count, double *numbers)
{
    if (value->kind != SOA_YAML_SEQUENCE || value->count != count) {
        soa_yaml_fail(value, SOA_E_SYNTAX, "'%s' must be a list of %d numbers", key_of(value), count);
        return;
    }
    for (const soa_yaml *n = value->child; n; n = n->next) {
        soa_yaml_as_number(n, numbers++);
    }
}

void soa_yaml_as_few(const soa_yaml *value, int count, double *numbers)
{
    if (value->kind == SOA_YAML_SCALAR && count == 1) {
        soa_yaml_as_number(value, numbers);
    } else {
        soa_yaml_as_numbers(value, count, numbers);
    }
}

const char *soa_yaml_as_text(const soa_yaml *value)
{
    const bool text = value->kind == SOA_YAML_SCALAR && (!value->plain || value->text[0]);
    if (!text) {
        soa_yaml_fail(value, SOA_E_SYNTAX, "'%s' is %s; give a word", key_of(value),
            value->kind == SOA_YAML_SCALAR ? "empty" : shown(value));
    }
    return text ? value->text : "";
}

int soa_yaml_as_word(const soa_yaml *value, const char *const *words)
{
    const char *text = soa_yaml_as_text(value);
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], text) == 0) {
            return i;
        }
    }
    char instead[SOA_ERROR_TEXT / 2];
    suggest(text, words, "give", " or ", instead, sizeof instead);
    soa_yaml_fail(value, SOA_E_NAME, "'%s' is '%.80s'; %s", key_of(value), text, instead);
    return 0;
}

bool soa_yaml_as_sequence(const soa_yaml *value)
{
    if (value->kind != SOA_YAML_SEQUENCE) {
        soa_yaml_fail(value, SOA_E_SYNTAX, "'%s' must be a list", key_of(value));
    }
    return value->kind == SOA_YAML_SEQUENCE;
}

bool soa_yaml_as_mapping(const soa_yaml *value, const char *like)
{
    if (value->kind != SOA_YAML_MAPPING) {
        soa_yaml_fail(value, SOA_E_SYNTAX, "'%s' must be a mapping %s", key_of(value), like);
    }
    return value->kind == SOA_YAML_MAPPING;
}

/* ---- values of keys ----------------------------------------------------------- */

void soa_yaml_number(const soa_yaml *mapping, const char *key, double *number)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    if (value) {
        soa_yaml_as_number(value, number);
    }
}

void soa_yaml_numbers(const soa_yaml *mapping, const char *key, int count, double *numbers)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    if (value) {
        soa_yaml_as_numbers(value, count, numbers);
    }
}

void soa_yaml_count(const soa_yaml *mapping, const char *key, int *count)
{
    double value = *count;
    soa_yaml_number(mapping, key, &value);
    if (value != floor(value) || fabs(value) > 1e6) {
        soa_yaml_fail(soa_yaml_get(mapping, key), SOA_E_NUMBER, "'%s' is %g; give a whole number", key, value);
    } else {
        *count = (int)value;
    }
}

void soa_yaml_boolean(const soa_yaml *mapping, const char *key, bool *flag)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    const char *text = value && value->kind == SOA_YAML_SCALAR && value->plain ? value->text : "";
    if (value && strcmp(text, "true") != 0 && strcmp(text, "false") != 0) {
        soa_yaml_fail(value, SOA_E_SYNTAX, "'%s' is '%.80s'; give true or false", key, shown(value));
    } else if (value) {
        *flag = text[0] == 't';
    }
}

void soa_yaml_text(const soa_yaml *mapping, const char *key, const char **text)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    if (value) {
        *text = soa_yaml_as_text(value);
    }
}

int soa_yaml_word(const soa_yaml *mapping, const char *key, const char *const *words, int usual)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    return value ? soa_yaml_as_word(value, words) : usual;
}

const char *soa_yaml_need_text(const soa_yaml *mapping, const char *key)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    if (!value) {
        soa_yaml_fail(mapping, SOA_E_SYNTAX, "'%s' is missing; give one", key);
    }
    return value ? soa_yaml_as_text(value) : "";
}

soa_yaml *soa_yaml_items(const soa_yaml *mapping, const char *key)
{
    const soa_yaml *list = soa_yaml_get(mapping, key);
    return list && soa_yaml_as_sequence(list) ? list->child : NULL;
}
