/* io/yaml_get.c - what the values of a YAML tree say, and messages about them. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/edits.h"
#include "core/error.h"
#include "core/number.h"
#include "io/yaml_tree.h"

/* ---- messages ----------------------------------------------------------------- */

static const char *name_of(const soa_yaml *mapping)
{
    const soa_yaml *name = mapping->kind == SOA_YAML_MAPPING ? soa_yaml_get(mapping, "name") : NULL;
    return name ? name->text : NULL;
}

/* "body 'lid': ", or "body: " if nothing around has a name, or "". */
static void describe(const soa_yaml *node, char *buffer, size_t size)
{
    const char *what = NULL;
    buffer[0] = '\0';
    for (; node; node = node->parent) {
        const char *name = node->what ? name_of(node) : NULL;
        if (name) {
            snprintf(buffer, size, "%s '%.80s': ", node->what, name);
            return;
        }
        what = what ? what : node->what;
    }
    if (what) {
        snprintf(buffer, size, "%s: ", what);
    }
}

soa_status soa_yaml_fail(const soa_yaml *node, soa_status status, soa_error *error, const char *format, ...)
{
    char what[128];
    char text[SOA_ERROR_TEXT];
    describe(node, what, sizeof what);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    soa_fail_at(error, status, node->file, node->line, "%s%s", what, text);
    if (error) {
        error->column = node->column;
    }
    return status;
}

soa_source soa_yaml_source(const soa_yaml *node)
{
    return (soa_source){ node->file, node->line };
}

const char *soa_yaml_nearest(const char *word, const char *const *list)
{
    soa_nearest near = soa_nearest_to(word);
    for (; *list; list++) {
        soa_nearest_offer(&near, *list);
    }
    return near.found;
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

static soa_status fail_unknown_key(const soa_yaml *node, const char *const *keys, soa_error *error)
{
    const char *nearest = soa_yaml_nearest(node->key, keys);
    if (nearest) {
        return soa_yaml_fail(node, SOA_E_SYNTAX, error, "unknown key '%.80s'; did you mean '%s'?", node->key, nearest);
    }
    char list[SOA_ERROR_TEXT / 2] = "";
    size_t length = 0;
    for (; *keys && length < sizeof list; keys++) {
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", length ? ", " : "", *keys);
    }
    return soa_yaml_fail(node, SOA_E_SYNTAX, error, "unknown key '%.80s'; the keys here are %s", node->key, list);
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

soa_status soa_yaml_expect(soa_yaml *mapping, const char *what, const char *const *keys, soa_error *error)
{
    mapping->what = what;
    if (mapping->kind != SOA_YAML_MAPPING) {
        return soa_yaml_fail(mapping, SOA_E_SYNTAX, error, "'%s' must be a mapping such as {%s: ...}, not %s",
            key_of(mapping), keys[0], mapping->kind == SOA_YAML_SCALAR ? "a word" : "a list");
    }
    for (const soa_yaml *n = mapping->child; n; n = n->next) {
        if (!is_in(n->key, keys)) {
            return fail_unknown_key(n, keys, error);
        }
    }
    return SOA_OK;
}

/* ---- values ------------------------------------------------------------------- */

soa_status soa_yaml_as_number(const soa_yaml *value, double *number, soa_error *error)
{
    double x = 0.0;
    const bool plain = value->kind == SOA_YAML_SCALAR && value->plain;
    const char *end = plain ? soa_number_read(value->text, &x) : NULL;
    if (!end || *end != '\0') {
        return soa_yaml_fail(value, SOA_E_NUMBER, error, "'%s' is '%.80s'; give a finite decimal number such as 0.5",
            key_of(value), shown(value));
    }
    *number = x;
    return SOA_OK;
}

soa_status soa_yaml_as_text(const soa_yaml *value, const char **text, soa_error *error)
{
    if (value->kind != SOA_YAML_SCALAR || (value->plain && value->text[0] == '\0')) {
        return soa_yaml_fail(value, SOA_E_SYNTAX, error, "'%s' is %s; give a word", key_of(value),
            value->kind == SOA_YAML_SCALAR ? "empty" : shown(value));
    }
    *text = value->text;
    return SOA_OK;
}

soa_status soa_yaml_as_sequence(const soa_yaml *value, soa_error *error)
{
    if (value->kind != SOA_YAML_SEQUENCE) {
        return soa_yaml_fail(value, SOA_E_SYNTAX, error, "'%s' must be a list", key_of(value));
    }
    return SOA_OK;
}

soa_status soa_yaml_number(const soa_yaml *mapping, const char *key, double *number, soa_error *error)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    return value ? soa_yaml_as_number(value, number, error) : SOA_OK;
}

soa_status soa_yaml_as_numbers(const soa_yaml *value, int count, double *numbers, soa_error *error)
{
    if (value->kind != SOA_YAML_SEQUENCE || value->count != count) {
        return soa_yaml_fail(value, SOA_E_SYNTAX, error, "'%s' must be a list of %d numbers", key_of(value), count);
    }
    soa_status status = SOA_OK;
    for (const soa_yaml *n = value->child; n && status == SOA_OK; n = n->next) {
        status = soa_yaml_as_number(n, numbers++, error);
    }
    return status;
}

soa_status soa_yaml_numbers(const soa_yaml *mapping, const char *key, int count, double *numbers, soa_error *error)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    return value ? soa_yaml_as_numbers(value, count, numbers, error) : SOA_OK;
}

soa_status soa_yaml_boolean(const soa_yaml *mapping, const char *key, bool *flag, soa_error *error)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    if (!value) {
        return SOA_OK;
    }
    const char *text = value->kind == SOA_YAML_SCALAR && value->plain ? value->text : "";
    if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0) {
        return soa_yaml_fail(value, SOA_E_SYNTAX, error, "'%s' is '%.80s'; give true or false", key, shown(value));
    }
    *flag = text[0] == 't';
    return SOA_OK;
}

soa_status soa_yaml_text(const soa_yaml *mapping, const char *key, const char **text, soa_error *error)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    return value ? soa_yaml_as_text(value, text, error) : SOA_OK;
}

soa_status soa_yaml_need_text(const soa_yaml *mapping, const char *key, const char **text, soa_error *error)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    if (!value) {
        return soa_yaml_fail(mapping, SOA_E_SYNTAX, error, "'%s' is missing; give one", key);
    }
    return soa_yaml_as_text(value, text, error);
}

soa_status soa_yaml_items(const soa_yaml *mapping, const char *key, soa_yaml **first, soa_error *error)
{
    const soa_yaml *list = soa_yaml_get(mapping, key);
    *first = NULL;
    if (!list) {
        return SOA_OK;
    }
    const soa_status status = soa_yaml_as_sequence(list, error);
    if (status == SOA_OK) {
        *first = list->child;
    }
    return status;
}

/* ---- poses -------------------------------------------------------------------- */

/* The one of rpy, quat and rotation that is there, or NULL. */
static soa_status find_rotation(const soa_yaml *pose, const soa_yaml **rotation, soa_error *error)
{
    static const char *const keys[] = { "rpy", "quat", "rotation" };
    *rotation = NULL;
    for (int i = 0; i < 3; i++) {
        const soa_yaml *value = soa_yaml_get(pose, keys[i]);
        if (value && *rotation) {
            return soa_yaml_fail(value, SOA_E_SYNTAX, error, "'%s' has both '%s' and '%s'; give one of them", pose->key,
                (*rotation)->key, value->key);
        }
        *rotation = value ? value : *rotation;
    }
    return SOA_OK;
}

static soa_status read_rotation(const soa_yaml *at, const soa_yaml *value, soa_pose *pose, soa_error *error)
{
    double x[9] = { 0.0 };
    const int count = value->key[0] == 'q' ? 4 : strcmp(value->key, "rpy") == 0 ? 3 : 9;
    const soa_status status = soa_yaml_numbers(at, value->key, count, x, error);
    if (status != SOA_OK) {
        return status;
    }
    if (count == 3) {
        *pose = soa_pose_from_rpy(pose->position, x);
    } else if (count == 9) {
        memcpy(pose->rotation, x, sizeof pose->rotation);
    } else if (x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0 && x[3] == 0.0) {
        return soa_yaml_fail(value, SOA_E_NUMBER, error, "'quat' is zero; give w, x, y, z such as [1, 0, 0, 0]");
    } else {
        *pose = soa_pose_from_quaternion(pose->position, x);
    }
    return SOA_OK;
}

soa_status soa_yaml_pose(const soa_yaml *mapping, const char *key, soa_pose *pose, soa_error *error)
{
    static const char *const keys[] = { "xyz", "rpy", "quat", "rotation", NULL };
    soa_yaml *at = soa_yaml_get(mapping, key);
    if (!at) {
        return SOA_OK;
    }
    *pose = soa_pose_identity();
    const soa_yaml *rotation = NULL;
    soa_status status = soa_yaml_expect(at, NULL, keys, error);
    if (status == SOA_OK) {
        status = soa_yaml_numbers(at, "xyz", 3, pose->position, error);
    }
    if (status == SOA_OK) {
        status = find_rotation(at, &rotation, error);
    }
    if (status == SOA_OK && rotation) {
        status = read_rotation(at, rotation, pose, error);
    }
    return status;
}
