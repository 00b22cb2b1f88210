/* io/mjcf_include.c - <include file>: other files put in the place of the element. */
#include <string.h>

#include "core/error.h"
#include "io/mjcf.h"

/* Beside the file that includes it, or else beside the main file. */
static bool find_file(mjcf *m, const soa_xml *include, const char **path)
{
    const char *name = soa_xml_get(include, "file");
    if (!name || !name[0]) {
        return soa_mjcf_ok(m, soa_xml_fail(include, SOA_E_SYNTAX, m->error, "attribute file is missing"));
    }
    if (!m->path) {
        return soa_mjcf_ok(
            m, soa_xml_fail(include, SOA_E_FILE, m->error,
                   "file \"%.200s\" cannot be included in a text without a path; load it from a file", name));
    }
    const char *beside = soa_file_beside(&m->arena, include->file, name);
    const char *at_main = soa_file_beside(&m->arena, m->path, name);
    if (!beside || !at_main) {
        return soa_mjcf_ok(m, soa_fail_memory(m->error));
    }
    *path = soa_file_exists(beside) || !soa_file_exists(at_main) ? beside : at_main;
    if (!soa_file_exists(*path)) {
        return soa_mjcf_ok(m, soa_xml_fail(include, SOA_E_FILE, m->error,
                                  "cannot open included file \"%.200s\"; looked for %.200s", name, *path));
    }
    return true;
}

static bool remember(mjcf *m, const soa_xml *include, const char *path)
{
    if (soa_names_find(&m->included, path) >= 0) {
        return soa_mjcf_ok(
            m, soa_xml_fail(include, SOA_E_FILE, m->error,
                   "file \"%.200s\" is already included; each file may be included once, and not in itself", path));
    }
    if (m->included.count > SOA_MAX_INCLUDES) {
        return soa_mjcf_ok(
            m, soa_xml_fail(include, SOA_E_LIMIT, m->error, "more than %d included files", SOA_MAX_INCLUDES));
    }
    const bool outside = soa_file_leaves(soa_xml_get(include, "file"));
    return soa_names_add(&m->included, m->allocator, path, outside ? MJCF_OUTSIDE : 0) ||
           soa_mjcf_ok(m, soa_fail_memory(m->error));
}

/* What is wrong in an included file is told there, with the element that includes it. */
static bool fail_inside(mjcf *m, const soa_xml *include, const soa_error *why)
{
    if (why->status == SOA_E_MEMORY) {
        return soa_mjcf_ok(m, soa_fail_memory(m->error));
    }
    if (why->status == SOA_E_FILE) {
        return soa_mjcf_ok(m, soa_xml_fail(include, SOA_E_FILE, m->error,
                                  "cannot read the included file \"%.150s\": %s", why->file, why->text));
    }
    return soa_mjcf_ok(m, soa_fail_at(m->error, why->status, why->file, why->line,
                              "%.250s (included by %.150s, line %d)", why->text, include->file, include->line));
}

static bool parse(mjcf *m, const soa_xml *include, const char *path, soa_xml **root)
{
    char *text;
    size_t length;
    soa_error why;
    if (soa_file_read(&m->arena, path, &text, &length, &why) != SOA_OK ||
        soa_xml_parse(&m->arena, text, length, path, root, &why) != SOA_OK) {
        return fail_inside(m, include, &why);
    }
    if (strcmp((*root)->name, "mujoco") != 0 && strcmp((*root)->name, "mujocoinclude") != 0) {
        soa_fail_at(
            &why, SOA_E_SYNTAX, path, (*root)->line, "the root of an included file is <mujoco> or <mujocoinclude>");
        return fail_inside(m, include, &why);
    }
    return true;
}

/* *place, an <include>, becomes the list of the elements in its file. */
static bool replace(mjcf *m, soa_xml **place)
{
    soa_xml *include = *place;
    const char *path = NULL;
    soa_xml *root = NULL;
    if (!find_file(m, include, &path) || !remember(m, include, path) || !parse(m, include, path, &root) || !root) {
        return false;
    }
    soa_xml **end = place;
    *place = root->child;
    for (; *end; end = &(*end)->next) {
        (*end)->parent = include->parent;
    }
    *end = include->next;
    return true;
}

static bool splice(mjcf *m, soa_xml *element, int depth)
{
    if (depth > SOA_MAX_DEPTH) {
        return soa_mjcf_ok(
            m, soa_xml_fail(element, SOA_E_LIMIT, m->error, "elements are nested deeper than %d", SOA_MAX_DEPTH));
    }
    for (soa_xml **place = &element->child; *place;) {
        if (strcmp((*place)->name, "include") == 0) {
            if (!replace(m, place)) {
                return false;
            }
        } else {
            if (!splice(m, *place, depth + 1)) {
                return false;
            }
            place = &(*place)->next;
        }
    }
    return true;
}

bool soa_mjcf_include(mjcf *m, soa_xml *root)
{
    if (m->path && !soa_names_add(&m->included, m->allocator, m->path, 0)) {
        return soa_mjcf_ok(m, soa_fail_memory(m->error));
    }
    return splice(m, root, 1);
}
