/* io/mjcf_default.c - default classes, and attributes looked up through them.
 *
 * A class inherits from the class around it what that one says at this point of
 * the document, so each class is a list of elements, newest first, that goes on
 * with the list of its parent. */
#include <string.h>

#include "core/error.h"
#include "io/mjcf.h"

enum { LAYERS_MOST = 1000 };

/* The elements of a default class that concern the dynamics. */
static int kind_of(const char *name)
{
    static const char *const names[MJCF_KINDS] = { "joint", "geom", "site", "mesh", "equality" };
    for (int i = 0; i < MJCF_KINDS; i++) {
        if (strcmp(name, names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static bool add_layer(mjcf *m, int class_index, mjcf_kind kind, const soa_xml *element)
{
    mjcf_layer *layer = soa_arena_take(&m->arena, 1, sizeof *layer);
    if (!layer) {
        return soa_mjcf_ok(m, soa_fail_memory(m->error));
    }
    mjcf_class *class = soa_array_at(&m->classes, class_index);
    *layer = (mjcf_layer){ element, class->layer[kind] };
    class->layer[kind] = layer;
    class->layers++;
    if (class->layers > LAYERS_MOST) {
        return soa_mjcf_ok(m, soa_xml_fail(element, SOA_E_LIMIT, m->error,
                                  "a default class is made of more than %d elements", LAYERS_MOST));
    }
    return true;
}

/* A class like its parent (-1: none), or the top one by another name. */
static bool add_class(mjcf *m, const soa_xml *section, int parent, int *index)
{
    const char *name = soa_xml_get(section, "class");
    if (parent >= 0 && (!name || !name[0])) {
        return soa_mjcf_ok(m, soa_xml_fail(section, SOA_E_NAME, m->error, "a nested default needs a class name"));
    }
    if (parent >= 0 && soa_names_find(&m->class_names, name) >= 0) {
        return soa_mjcf_ok(
            m, soa_xml_fail(section, SOA_E_NAME, m->error, "default class \"%.100s\" is defined twice", name));
    }
    *index = parent < 0 ? 0 : m->classes.count;
    if (name && !soa_names_add(&m->class_names, m->allocator, name, *index)) {
        return soa_mjcf_ok(m, soa_fail_memory(m->error));
    }
    if (parent >= 0) {
        mjcf_class *class = soa_array_push(&m->classes, m->allocator);
        if (!class) {
            return soa_mjcf_ok(m, soa_fail_memory(m->error));
        }
        *class = *(const mjcf_class *)soa_array_at(&m->classes, parent);
    }
    return true;
}

static bool read_class(mjcf *m, const soa_xml *section, int parent)
{
    int index = 0;
    if (!add_class(m, section, parent, &index)) {
        return false;
    }
    for (const soa_xml *x = section->child; x; x = x->next) {
        const int kind = kind_of(x->name);
        soa_mjcf_check_attributes(m, x);
        if (kind >= 0 && !add_layer(m, index, (mjcf_kind)kind, x)) {
            return false;
        }
    }
    for (const soa_xml *x = soa_xml_child(section, "default"); x; x = soa_xml_next(x, "default")) {
        if (!read_class(m, x, index)) {
            return false;
        }
    }
    return true;
}

bool soa_mjcf_read_default(mjcf *m, const soa_xml *section)
{
    return read_class(m, section, -1);
}

bool soa_mjcf_class(mjcf *m, const soa_xml *element, const char *attribute, int usual, int *result)
{
    const char *name = soa_xml_get(element, attribute);
    *result = name ? soa_names_find(&m->class_names, name) : usual;
    return *result >= 0 || soa_mjcf_ok(m, soa_xml_fail(element, SOA_E_NAME, m->error,
                                              "unknown default class \"%.100s\" in %s", name, attribute));
}

/* ---- attributes -------------------------------------------------------------------- */

mjcf_layer soa_mjcf_view(const mjcf *m, const soa_xml *element, mjcf_kind kind, int class_index)
{
    const mjcf_class *class = soa_array_at(&m->classes, class_index);
    return (mjcf_layer){ element, class->layer[kind] };
}

mjcf_layer soa_mjcf_plain(const soa_xml *element)
{
    return (mjcf_layer){ element, NULL };
}

const soa_xml *soa_mjcf_where(const mjcf_layer *view, const char *attribute)
{
    while (view && !soa_xml_get(view->element, attribute)) {
        view = view->older;
    }
    return view ? view->element : NULL;
}

const char *soa_mjcf_text(const mjcf_layer *view, const char *attribute)
{
    const soa_xml *x = soa_mjcf_where(view, attribute);
    return x ? soa_xml_get(x, attribute) : NULL;
}

bool soa_mjcf_numbers(mjcf *m, const mjcf_layer *view, const char *attribute, int count, double *values, bool *found)
{
    const soa_xml *x = soa_mjcf_where(view, attribute);
    if (found) {
        *found = x != NULL;
    }
    return !x || soa_mjcf_ok(m, soa_xml_numbers(x, attribute, count, values, NULL, m->error));
}

bool soa_mjcf_number(mjcf *m, const mjcf_layer *view, const char *attribute, double *value)
{
    return soa_mjcf_numbers(m, view, attribute, 1, value, NULL);
}

bool soa_mjcf_boolean(mjcf *m, const mjcf_layer *view, const char *attribute, bool *value)
{
    const soa_xml *x = soa_mjcf_where(view, attribute);
    return !x || soa_mjcf_ok(m, soa_xml_boolean(x, attribute, value, NULL, m->error));
}

bool soa_mjcf_numbers_up_to(
    mjcf *m, const mjcf_layer *view, const char *attribute, int most, double *values, int *count)
{
    enum { MOST = 8 };
    *count = 0;
    for (; view && *count < most; view = view->older) {
        double read[MOST];
        int n;
        if (!soa_mjcf_ok(m, soa_xml_numbers_up_to(view->element, attribute, most, read, &n, m->error))) {
            return false;
        }
        for (; *count < n; ++*count) {
            values[*count] = read[*count];
        }
    }
    return true;
}

bool soa_mjcf_word(
    mjcf *m, const mjcf_layer *view, const char *attribute, const char *const *words, int usual, int *index)
{
    const soa_xml *x = soa_mjcf_where(view, attribute);
    const char *text = x ? soa_xml_get(x, attribute) : NULL;
    *index = usual;
    if (!x) {
        return true;
    }
    for (*index = 0; words[*index]; ++*index) {
        if (strcmp(words[*index], text) == 0) {
            return true;
        }
    }
    return soa_mjcf_ok(m, soa_xml_fail(x, SOA_E_SYNTAX, m->error, "%s=\"%.60s\" is none of its values (such as \"%s\")",
                              attribute, text, words[0]));
}
