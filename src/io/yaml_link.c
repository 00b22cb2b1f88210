/* io/yaml_link.c - lists of links (bodies) in a native YAML file. */
#include <stdio.h>
#include <string.h>

#include "core/edits.h"
#include "core/error.h"
#include "core/names.h"
#include "io/yaml_flexible.h"

const char *soa_yaml_full_name(soa_yaml_reader *reader, const soa_yaml_scope *scope, const char *name)
{
    if (!scope->system) {
        return name;
    }
    const size_t size = strlen(scope->system) + strlen(name) + 2;
    char *full = soa_arena_take(&reader->arena, size, 1);
    if (full) {
        snprintf(full, size, "%s/%s", scope->system, name);
    }
    return full;
}

/* ---- names of links ------------------------------------------------------------- */

/* The name of a link (or of its joint) as written in the scope; NULL if it has none there. */
static const char *local_name(const soa_link *link, const soa_yaml_scope *scope, bool of_joint)
{
    const char *name = of_joint ? link->joint.name : link->name;
    const size_t length = scope->system ? strlen(scope->system) : 0;
    if (!name || length == 0) {
        return name;
    }
    return strncmp(name, scope->system, length) == 0 && name[length] == '/' ? name + length + 1 : NULL;
}

static soa_status fail_unknown(
    soa_yaml_reader *reader, const soa_yaml_scope *scope, const soa_yaml *value, bool of_joint)
{
    const char *what = of_joint ? "joint" : "link";
    soa_nearest near = soa_nearest_to(value->text);
    for (int i = 0; i < soa_builder_links(reader->builder); i++) {
        const char *other = local_name(soa_builder_link(reader->builder, i), scope, of_joint);
        if (other) {
            soa_nearest_offer(&near, other);
        }
    }
    if (near.found) {
        return soa_yaml_fail(value, SOA_E_NAME, reader->error, "%s '%.80s' does not exist; did you mean '%.80s'?", what,
            value->text, near.found);
    }
    return soa_yaml_fail(value, SOA_E_NAME, reader->error, "%s '%.80s' does not exist; name one that does%s", what,
        value->text, scope->system ? ", without the system's name" : "");
}

soa_status soa_yaml_find(
    soa_yaml_reader *reader, const soa_yaml_scope *scope, const soa_yaml *value, bool of_joint, int *link)
{
    const char *text = NULL;
    const soa_status status = soa_yaml_as_text(value, &text, reader->error);
    if (status != SOA_OK) {
        return status;
    }
    const char *name = soa_yaml_full_name(reader, scope, text);
    if (!name) {
        return soa_fail_memory(reader->error);
    }
    *link = of_joint ? soa_builder_find_joint(reader->builder, name) : soa_builder_find_link(reader->builder, name);
    return *link >= 0 ? SOA_OK : fail_unknown(reader, scope, value, of_joint);
}

/* ---- one link --------------------------------------------------------------------- */

static soa_status read_inertia(const soa_yaml *node, soa_inertia *inertia, soa_error *error)
{
    soa_status status = soa_yaml_number(node, "mass", &inertia->mass, error);
    status = status == SOA_OK ? soa_yaml_numbers(node, "com", 3, inertia->com, error) : status;
    return status == SOA_OK ? soa_yaml_numbers(node, "inertia", 6, inertia->moment, error) : status;
}

static soa_status read_flags(const soa_yaml *node, unsigned *flags, soa_error *error)
{
    static const char *const words[] = { "virtual", "no-inertia", "unknown-mass" };
    static const unsigned bits[] = { SOA_LINK_VIRTUAL, SOA_LINK_NO_INERTIA, SOA_LINK_UNKNOWN_MASS };
    soa_yaml *item;
    soa_status status = soa_yaml_items(node, "flags", &item, error);
    for (; status == SOA_OK && item; item = item->next) {
        const char *text = NULL;
        int i = 0;
        status = soa_yaml_as_text(item, &text, error);
        while (status == SOA_OK && i < 3 && strcmp(text, words[i]) != 0) {
            i++;
        }
        if (status == SOA_OK && i == 3) {
            return soa_yaml_fail(item, SOA_E_SYNTAX, error,
                "unknown flag '%.80s'; the flags are virtual, no-inertia, unknown-mass", text);
        }
        *flags |= status == SOA_OK ? bits[i] : 0u;
    }
    return status;
}

static soa_status read_joint_of(
    soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, soa_link *link)
{
    soa_yaml *joint = soa_yaml_get(node, "joint");
    if (!joint) {
        return SOA_OK;
    }
    const soa_status status = soa_yaml_joint(joint, &link->joint, reader->error);
    if (status == SOA_OK && link->joint.name) {
        link->joint.name = soa_yaml_full_name(reader, scope, link->joint.name);
        return link->joint.name ? SOA_OK : soa_fail_memory(reader->error);
    }
    return status;
}

/* A link without parent hangs on the base of its system, freely if that is free. */
static soa_status place_root(soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, soa_link *link)
{
    link->parent = scope->base;
    if (scope->free) {
        if (soa_yaml_get(node, "joint")) {
            return soa_yaml_fail(soa_yaml_get(node, "joint"), SOA_E_JOINT, reader->error,
                "has a joint although its system is free; remove 'joint' or 'free'");
        }
        const char *name = soa_yaml_full_name(reader, scope, "free");
        if (!name) {
            return soa_fail_memory(reader->error);
        }
        link->joint = soa_joint_default(name, SOA_FREE);
        link->joint.source = link->source;
    }
    if (scope->placed) {
        link->joint.at = soa_pose_compose(&scope->at, &link->joint.at);
    }
    return SOA_OK;
}

/* `names` holds the links of this list, which may name each other in any order. */
static soa_status find_parent(
    soa_yaml_reader *reader, const soa_yaml *parent, const soa_yaml_scope *scope, const soa_names *names, int *link)
{
    const char *text = NULL;
    const soa_status status = soa_yaml_as_text(parent, &text, reader->error);
    if (status != SOA_OK) {
        return status;
    }
    *link = soa_names_find(names, text);
    if (*link >= 0) {
        return SOA_OK;
    }
    if (!scope->system && strcmp(text, "world") == 0 && soa_builder_find_link(reader->builder, text) < 0) {
        *link = SOA_WORLD;
        return SOA_OK;
    }
    return soa_yaml_find(reader, scope, parent, false, link);
}

/* The builder copies what a flexible link is made of. */
static soa_status add_link(soa_yaml_reader *reader, soa_yaml *flexible, soa_link *link)
{
    soa_flexible *data = NULL;
    soa_status status = flexible ? soa_yaml_flexible(reader, flexible, &data) : SOA_OK;
    link->flexible = data;
    status = status == SOA_OK ? soa_builder_add_link(reader->builder, link, NULL, reader->error) : status;
    soa_flexible_free(reader->allocator, data);
    return status;
}

static soa_status read_link(
    soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, const soa_names *names)
{
    const char *name = NULL;
    soa_status status = soa_yaml_need_text(node, "name", &name, reader->error);
    if (status != SOA_OK) {
        return status;
    }
    soa_link link = soa_link_default(soa_yaml_full_name(reader, scope, name), SOA_WORLD, SOA_FIXED);
    if (!link.name) {
        return soa_fail_memory(reader->error);
    }
    link.source = soa_yaml_source(node);
    link.joint.source = link.source;
    const soa_yaml *moments = soa_yaml_get(node, "inertia");
    link.inertia_source = moments ? soa_yaml_source(moments) : link.source;
    status = read_inertia(node, &link.inertia, reader->error);
    status = status == SOA_OK ? read_flags(node, &link.flags, reader->error) : status;
    status = status == SOA_OK ? read_joint_of(reader, node, scope, &link) : status;
    const soa_yaml *parent = soa_yaml_get(node, "parent");
    if (status == SOA_OK && parent) {
        status = find_parent(reader, parent, scope, names, &link.parent);
    } else if (status == SOA_OK) {
        status = place_root(reader, node, scope, &link);
    }
    return status == SOA_OK ? add_link(reader, soa_yaml_get(node, "flexible"), &link) : status;
}

/* ---- the list ----------------------------------------------------------------------- */

/* Every name of the list with the number its link will have. */
static soa_status index_names(soa_yaml_reader *reader, soa_yaml *first, const char *what, soa_names *names)
{
    static const char *const keys[] = { "name", "parent", "joint", "mass", "com", "inertia", "flags", "flexible",
        "frames", NULL };
    int number = soa_builder_links(reader->builder);
    for (soa_yaml *node = first; node; node = node->next, number++) {
        soa_status status = soa_yaml_expect(node, what, keys, reader->error);
        const char *name = NULL;
        status = status == SOA_OK ? soa_yaml_need_text(node, "name", &name, reader->error) : status;
        if (status != SOA_OK) {
            return status;
        }
        if (!soa_names_add(names, reader->allocator, name, number)) {
            return soa_fail_memory(reader->error);
        }
    }
    return SOA_OK;
}

/* A system that moves freely has one body to carry it. */
static soa_status check_roots(soa_yaml_reader *reader, const soa_yaml *mapping, const soa_yaml *first)
{
    int roots = 0;
    for (const soa_yaml *node = first; node; node = node->next) {
        roots += !soa_yaml_get(node, "parent");
    }
    return roots == 1 ? SOA_OK
                      : soa_yaml_fail(mapping, SOA_E_TREE, reader->error,
                            "is free but has %d bodies without a parent; let there be one", roots);
}

soa_status soa_yaml_links(
    soa_yaml_reader *reader, const soa_yaml *mapping, const char *key, const soa_yaml_scope *scope)
{
    soa_yaml *first;
    soa_names names = { 0 };
    soa_status status = soa_yaml_items(mapping, key, &first, reader->error);
    status = status == SOA_OK ? index_names(reader, first, scope->system ? "body" : "link", &names) : status;
    status = status == SOA_OK && scope->free ? check_roots(reader, mapping, first) : status;
    for (const soa_yaml *node = first; status == SOA_OK && node; node = node->next) {
        status = read_link(reader, node, scope, &names);
    }
    status = status == SOA_OK ? soa_yaml_link_nodes(reader, first, scope) : status;
    soa_names_free(&names, reader->allocator);
    return status;
}
