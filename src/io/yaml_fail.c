/* io/yaml_fail.c - messages about the values of a YAML tree: where they stand, and what they belong to. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "io/yaml_tree.h"

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

/* Fails at the place of node. */
static void fail_at(const soa_yaml *node, soa_status status, const char *what, const char *text)
{
    soa_outcome *outcome = node->file->outcome;
    if (soa_ok(outcome)) {
        soa_halt(outcome, status, node->file->path, node->line, "%s%s", what, text);
        if (outcome->error) {
            outcome->error->column = node->column;
        }
    }
}

void soa_yaml_fail(const soa_yaml *node, soa_status status, const char *format, ...)
{
    char what[128];
    char text[SOA_ERROR_TEXT];
    describe(node, what, sizeof what);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fail_at(node, status, what, text);
}

soa_error *soa_yaml_error(const soa_yaml *node)
{
    return soa_yaml_ok(node) ? node->file->outcome->error : NULL;
}

void soa_yaml_step(const soa_yaml *node, soa_status status)
{
    soa_keep(node->file->outcome, status);
}

void soa_yaml_place(const soa_yaml *node, soa_status status)
{
    soa_error *error = soa_yaml_error(node);
    if (status != SOA_OK && status != SOA_E_MEMORY && error) {
        char text[SOA_ERROR_TEXT];
        memcpy(text, error->text, sizeof text);
        soa_fail_at(error, status, node->file->path, node->line, "%s", text);
    }
    soa_yaml_step(node, status);
}

void soa_yaml_said(const soa_yaml *node, soa_status status)
{
    const soa_error *error = soa_yaml_error(node);
    char text[SOA_ERROR_TEXT] = "";
    if (error) {
        memcpy(text, error->text, sizeof text);
    }
    if (status != SOA_OK && status != SOA_E_MEMORY) {
        soa_yaml_fail(node, status, "%.400s", text);
    }
    soa_yaml_step(node, status);
}

bool soa_yaml_got(const soa_yaml *node, const void *memory)
{
    return soa_got(node->file->outcome, memory);
}

soa_source soa_yaml_source(const soa_yaml *node)
{
    return (soa_source){ node->file->path, node->line };
}
