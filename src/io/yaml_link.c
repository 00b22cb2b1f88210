/* io/yaml_link.c - lists of links (bodies) in a native YAML file. */
#include <stdio.h>
#include <string.h>

#include "core/edits.h"
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

static void fail_unknown(soa_yaml_reader *reader, const soa_yaml_scope *scope, const soa_yaml *value, bool of_joint)
{
    const char *what = of_joint ? "joint" : "link", *text = soa_yaml_as_text(value);
    soa_nearest near = soa_nearest_to(text);
    for (int i = 0; i < soa_builder_links(reader->kit.builder); i++) {
        const char *other = local_name(soa_builder_link(reader->kit.builder, i), scope, of_joint);
        if (other) {
            soa_nearest_offer(&near, other);
        }
    }
    if (near.found) {
        soa_yaml_fail(value, SOA_E_NAME, "%s '%.80s' does not exist; did you mean '%.80s'?", what, text, near.found);
    } else {
        soa_yaml_fail(value, SOA_E_NAME, "%s '%.80s' does not exist; name one that does%s", what, text,
            scope->system ? ", without the system's name" : "");
    }
}

int soa_yaml_find(soa_yaml_reader *reader, const soa_yaml_scope *scope, const soa_yaml *value, bool of_joint)
{
    const char *name = soa_yaml_full_name(reader, scope, soa_yaml_as_text(value));
    soa_yaml_got(value, name);
    const int link =
        of_joint ? soa_builder_find_joint(reader->kit.builder, name) : soa_builder_find_link(reader->kit.builder, name);
    if (link < 0) {
        fail_unknown(reader, scope, value, of_joint);
    }
    return link;
}

int soa_yaml_link_or_world(soa_yaml_reader *reader, const soa_yaml_scope *scope, const soa_yaml *value)
{
    if (!value) {
        return SOA_WORLD;
    }
    if (value->kind != SOA_YAML_SCALAR || strcmp(value->text, "world") != 0) {
        return soa_yaml_find(reader, scope, value, false);
    }
    const char *name = soa_yaml_full_name(reader, scope, "world");
    const int found = soa_yaml_got(value, name) ? soa_builder_find_link(reader->kit.builder, name) : -1;
    return found >= 0 ? found : SOA_WORLD;
}

/* ---- one link --------------------------------------------------------------------- */

static void read_flags(const soa_yaml *node, unsigned *flags)
{
    static const char *const words[] = { "virtual", "no-inertia", "unknown-mass", NULL };
    static const unsigned bits[] = { SOA_LINK_VIRTUAL, SOA_LINK_NO_INERTIA, SOA_LINK_UNKNOWN_MASS };
    for (const soa_yaml *item = soa_yaml_items(node, "flags"); item; item = item->next) {
        *flags |= bits[soa_yaml_as_word(item, words)];
    }
}

static void read_joint_of(soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, soa_link *link)
{
    soa_yaml *joint = soa_yaml_get(node, "joint");
    if (joint) {
        soa_yaml_joint(joint, &link->joint);
    }
    if (link->joint.name) {
        link->joint.name = soa_yaml_full_name(reader, scope, link->joint.name);
        soa_yaml_got(node, link->joint.name);
    }
}

/* A link without parent hangs on the base of its system, freely if that is free. */
static void place_root(soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, soa_link *link)
{
    link->parent = scope->base;
    if (scope->free) {
        if (soa_yaml_get(node, "joint")) {
            soa_yaml_fail(soa_yaml_get(node, "joint"), SOA_E_JOINT,
                "has a joint although its system is free; remove 'joint' or 'free'");
        }
        link->joint = soa_joint_default(soa_yaml_full_name(reader, scope, "free"), SOA_FREE);
        link->joint.source = link->source;
        soa_yaml_got(node, link->joint.name);
    }
    if (scope->placed) {
        link->joint.at = soa_pose_compose(&scope->at, &link->joint.at);
    }
}

/* `names` holds the links of this list, which may name each other in any order. */
static int find_parent(
    soa_yaml_reader *reader, const soa_yaml *parent, const soa_yaml_scope *scope, const soa_names *names)
{
    const int link = soa_names_find(names, soa_yaml_as_text(parent));
    return link >= 0       ? link
           : scope->system ? soa_yaml_find(reader, scope, parent, false)
                           : soa_yaml_link_or_world(reader, scope, parent);
}

static const soa_yaml_field link_fields[] = { SOA_YAML_KEY("name"), SOA_YAML_KEY("parent"), SOA_YAML_KEY("joint"),
    SOA_YAML_INTO("mass", NUMBERS, soa_link, inertia.mass), SOA_YAML_INTO("com", NUMBERS, soa_link, inertia.com),
    SOA_YAML_INTO("inertia", NUMBERS, soa_link, inertia.moment), SOA_YAML_KEY("flags"), SOA_YAML_KEY("flexible"),
    SOA_YAML_KEY("frames"), SOA_YAML_END };

/* The builder copies what a flexible link is made of. */
static void read_link(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope, const soa_names *names)
{
    const soa_yaml *moments = soa_yaml_get(node, "inertia"), *parent = soa_yaml_get(node, "parent");
    soa_yaml *flexible = soa_yaml_get(node, "flexible");
    const char *name = soa_yaml_full_name(reader, scope, soa_yaml_get(node, "name")->text);
    soa_link link = soa_link_default(name, SOA_WORLD, SOA_FIXED);
    link.source = link.joint.source = soa_yaml_source(node);
    link.inertia_source = moments ? soa_yaml_source(moments) : link.source;
    soa_yaml_got(node, name);
    soa_yaml_fields(node, node->what, link_fields, &link);
    read_flags(node, &link.flags);
    read_joint_of(reader, node, scope, &link);
    if (parent) {
        link.parent = find_parent(reader, parent, scope, names);
    } else {
        place_root(reader, node, scope, &link);
    }
    soa_flexible *data = flexible && soa_yaml_ok(node) ? soa_yaml_flexible(reader, flexible) : NULL;
    link.flexible = data;
    soa_kit_link(&reader->kit, &link);
    soa_flexible_free(reader->kit.allocator, data);
}

/* ---- the list ----------------------------------------------------------------------- */

/* Every name of the list with the number its link will have. */
static void index_names(soa_yaml_reader *reader, soa_yaml *first, const char *what, soa_names *names)
{
    int number = soa_builder_links(reader->kit.builder);
    for (soa_yaml *node = first; node && soa_yaml_ok(node); node = node->next, number++) {
        soa_yaml_known(node, what, link_fields);
        soa_kit_index(&reader->kit, names, soa_yaml_need_text(node, "name"), number);
    }
}

/* A system that moves freely has one body to carry it. */
static void check_roots(const soa_yaml *mapping, const soa_yaml *first)
{
    int roots = 0;
    for (const soa_yaml *node = first; node; node = node->next) {
        roots += !soa_yaml_get(node, "parent");
    }
    if (roots != 1) {
        soa_yaml_fail(mapping, SOA_E_TREE, "is free but has %d bodies without a parent; let there be one", roots);
    }
}

void soa_yaml_links(soa_yaml_reader *reader, const soa_yaml *mapping, const char *key, const soa_yaml_scope *scope)
{
    soa_yaml *first = soa_yaml_items(mapping, key);
    soa_names names = { 0 };
    index_names(reader, first, scope->system ? "body" : "link", &names);
    if (scope->free) {
        check_roots(mapping, first);
    }
    for (soa_yaml *node = first; node && soa_yaml_ok(node); node = node->next) {
        read_link(reader, node, scope, &names);
    }
    soa_yaml_link_nodes(reader, first, scope);
    soa_names_free(&names, reader->kit.allocator);
}
