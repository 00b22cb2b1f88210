/* io/mjcf_include.c - <include file>: other files put in the place of the element. */
#include "io/mjcf.h"

/* Beside the file that includes it, or else beside the main file. NULL: refused. */
static const char *find_file(mjcf *m, const soa_xml *include)
{
    const char *name = soa_xml_get(include, "file");
    if (!name || !name[0]) {
        soa_xml_fail(include, SOA_E_SYNTAX, "attribute file is missing");
        return NULL;
    }
    if (!m->path) {
        soa_xml_fail(include, SOA_E_FILE,
            "file \"%.200s\" cannot be included in a text without a path; load it from a file", name);
        return NULL;
    }
    const char *beside = soa_file_beside(&m->arena, include->file, name);
    const char *at_main = soa_file_beside(&m->arena, m->path, name);
    if (!soa_got(&m->kit.outcome, beside) || !soa_got(&m->kit.outcome, at_main)) {
        return NULL;
    }
    const char *path = soa_file_exists(beside) || !soa_file_exists(at_main) ? beside : at_main;
    if (!soa_file_exists(path)) {
        soa_xml_fail(include, SOA_E_FILE, "cannot open included file \"%.200s\"; looked for %.200s", name, path);
        return NULL;
    }
    return path;
}

static void remember(mjcf *m, const soa_xml *include, const char *path)
{
    if (soa_names_find(&m->included, path) >= 0) {
        soa_xml_fail(include, SOA_E_FILE,
            "file \"%.200s\" is already included; each file may be included once, and not in itself", path);
    } else if (m->included.count > SOA_MAX_INCLUDES) {
        soa_xml_fail(include, SOA_E_LIMIT, "more than %d included files", SOA_MAX_INCLUDES);
    }
    const bool outside = soa_file_leaves(soa_xml_get(include, "file"));
    soa_kit_index(&m->kit, &m->included, path, outside ? MJCF_OUTSIDE : 0);
}

/* What is wrong in an included file is told there, with the element that includes it. */
static void fail_inside(const soa_xml *include, const soa_outcome *inner)
{
    const soa_error *why = inner->error;
    if (inner->status == SOA_E_MEMORY) {
        soa_halt_memory(include->outcome);
    } else if (inner->status == SOA_E_FILE) {
        soa_xml_fail(include, SOA_E_FILE, "cannot read the included file \"%.150s\": %s", why->file, why->text);
    } else if (!soa_ok(inner)) {
        soa_halt(include->outcome, inner->status, why->file, why->line, "%.250s (included by %.150s, line %d)",
            why->text, include->file, include->line);
    }
}

/* The elements of a file; NULL: refused, or none. */
static soa_xml *parse(mjcf *m, const soa_xml *include, const char *path)
{
    char *text = NULL;
    size_t length;
    soa_error why;
    soa_outcome inner = { &why, SOA_OK };
    soa_keep(&inner, soa_file_read(&m->arena, path, &text, &length, &why));
    soa_xml *root = text ? soa_xml_parse(&m->arena, text, length, path, false, &inner) : NULL;
    if (root && !soa_is_word_of(root->name, "mujoco mujocoinclude ")) {
        soa_halt(&inner, SOA_E_SYNTAX, path, root->line, "the root of an included file is <mujoco> or <mujocoinclude>");
    }
    fail_inside(include, &inner);
    return root ? root->child : NULL;
}

/* Elements of an included file fail as those of the file that includes it do. */
static void adopt(soa_xml *first, soa_xml *parent, soa_outcome *outcome)
{
    for (soa_xml *x = first; x; x = x->next) {
        x->outcome = outcome;
        x->parent = parent;
        adopt(x->child, x, outcome);
    }
}

/* *place, an <include>, becomes the list of the elements in its file. */
static void replace(mjcf *m, soa_xml **place)
{
    soa_xml *include = *place, **end = place;
    const char *path = find_file(m, include);
    if (!path) {
        return;
    }
    remember(m, include, path);
    *place = soa_mjcf_ok(m) ? parse(m, include, path) : NULL;
    adopt(*place, include->parent, include->outcome);
    while (*end) {
        end = &(*end)->next;
    }
    *end = include->next;
}

static void splice(mjcf *m, soa_xml *element, int depth)
{
    if (depth > SOA_MAX_DEPTH) {
        soa_xml_fail(element, SOA_E_LIMIT, "elements are nested deeper than %d", SOA_MAX_DEPTH);
    }
    for (soa_xml **place = &element->child; *place && soa_mjcf_ok(m);) {
        if (soa_xml_is(*place, "include")) {
            replace(m, place);
        } else {
            splice(m, *place, depth + 1);
            place = &(*place)->next;
        }
    }
}

void soa_mjcf_include(mjcf *m, soa_xml *root)
{
    if (m->path) {
        soa_kit_index(&m->kit, &m->included, m->path, 0);
    }
    splice(m, root, 1);
}
