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

static bool fail_unknown(soa_yaml_reader *reader, const soa_yaml_scope *scope, const soa_yaml *value, bool of_joint)
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
        return soa_yaml_fail(
            value, SOA_E_NAME, "%s '%.80s' does not exist; did you mean '%.80s'?", what, value->text, near.found);
    }
    return soa_yaml_fail(value, SOA_E_NAME, "%s '%.80s' does not exist; name one that does%s", what, value->text,
        scope->system ? ", without the system's name" : "");
}

bool soa_yaml_find(
    soa_yaml_reader *reader, const soa_yaml_scope *scope, const soa_yaml *value, bool of_joint, int *link)
{
    const char *text = NULL;
    const char *name = soa_yaml_as_text(value, &text) ? soa_yaml_full_name(reader, scope, text) : NULL;
    if (!text || !soa_yaml_got(value, name)) {
        return false;
    }
    *link = of_joint ? soa_builder_find_joint(reader->builder, name) : soa_builder_find_link(reader->builder, name);
    return *link >= 0 || fail_unknown(reader, scope, value, of_joint);
}

bool soa_yaml_link_or_world(soa_yaml_reader *reader, const soa_yaml_scope *scope, const soa_yaml *value, int *link)
{
    *link = SOA_WORLD;
    if (!value) {
        return true;
    }
    if (value->kind != SOA_YAML_SCALAR || strcmp(value->text, "world") != 0) {
        return soa_yaml_find(reader, scope, value, false, link);
    }
    const char *name = soa_yaml_full_name(reader, scope, "world");
    const int found = name ? soa_builder_find_link(reader->builder, name) : -1;
    *link = found >= 0 ? found : SOA_WORLD;
    return soa_yaml_got(value, name);
}

/* ---- one link --------------------------------------------------------------------- */

static bool read_flags(const soa_yaml *node, unsigned *flags)
{
    static const char *const words[] = { "virtual", "no-inertia", "unknown-mass", NULL };
    static const unsigned bits[] = { SOA_LINK_VIRTUAL, SOA_LINK_NO_INERTIA, SOA_LINK_UNKNOWN_MASS };
    soa_yaml *item;
    bool ok = soa_yaml_items(node, "flags", &item);
    for (; ok && item; item = item->next) {
        int i = 0;
        ok = soa_yaml_as_word(item, words, &i);
        *flags |= bits[i];
    }
    return ok;
}

static bool read_joint_of(soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, soa_link *link)
{
    soa_yaml *joint = soa_yaml_get(node, "joint");
    if (!joint || !soa_yaml_joint(joint, &link->joint)) {
        return !joint;
    }
    if (link->joint.name) {
        link->joint.name = soa_yaml_full_name(reader, scope, link->joint.name);
        return soa_yaml_got(node, link->joint.name);
    }
    return true;
}

/* A link without parent hangs on the base of its system, freely if that is free. */
static bool place_root(soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, soa_link *link)
{
    link->parent = scope->base;
    if (scope->free) {
        if (soa_yaml_get(node, "joint")) {
            return soa_yaml_fail(soa_yaml_get(node, "joint"), SOA_E_JOINT,
                "has a joint although its system is free; remove 'joint' or 'free'");
        }
        link->joint = soa_joint_default(soa_yaml_full_name(reader, scope, "free"), SOA_FREE);
        link->joint.source = link->source;
        if (!soa_yaml_got(node, link->joint.name)) {
            return false;
        }
    }
    if (scope->placed) {
        link->joint.at = soa_pose_compose(&scope->at, &link->joint.at);
    }
    return true;
}

/* `names` holds the links of this list, which may name each other in any order. */
static bool find_parent(
    soa_yaml_reader *reader, const soa_yaml *parent, const soa_yaml_scope *scope, const soa_names *names, int *link)
{
    const char *text = NULL;
    if (!soa_yaml_as_text(parent, &text)) {
        return false;
    }
    *link = soa_names_find(names, text);
    if (*link >= 0) {
        return true;
    }
    return scope->system ? soa_yaml_find(reader, scope, parent, false, link)
                         : soa_yaml_link_or_world(reader, scope, parent, link);
}

/* The builder copies what a flexible link is made of. */
static bool add_link(soa_yaml_reader *reader, const soa_yaml *node, soa_link *link)
{
    soa_yaml *flexible = soa_yaml_get(node, "flexible");
    soa_flexible *data = NULL;
    bool ok = !flexible || soa_yaml_flexible(reader, flexible, &data);
    link->flexible = data;
    ok = ok && soa_yaml_ok(node, soa_builder_add_link(reader->builder, link, NULL, reader->error));
    soa_flexible_free(reader->allocator, data);
    return ok;
}

static const soa_yaml_field link_fields[] = { SOA_YAML_KEY("name"), SOA_YAML_KEY("parent"), SOA_YAML_KEY("joint"),
    SOA_YAML_INTO("mass", NUMBERS, soa_link, inertia.mass), SOA_YAML_INTO("com", NUMBERS, soa_link, inertia.com),
    SOA_YAML_INTO("inertia", NUMBERS, soa_link, inertia.moment), SOA_YAML_KEY("flags"), SOA_YAML_KEY("flexible"),
    SOA_YAML_KEY("frames"), SOA_YAML_END };

static bool read_link(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope, const soa_names *names)
{
    const soa_yaml *moments = soa_yaml_get(node, "inertia"), *parent = soa_yaml_get(node, "parent");
    const char *name = soa_yaml_full_name(reader, scope, soa_yaml_get(node, "name")->text);
    soa_link link = soa_link_default(name, SOA_WORLD, SOA_FIXED);
    link.source = link.joint.source = soa_yaml_source(node);
    link.inertia_source = moments ? soa_yaml_source(moments) : link.source;
    return soa_yaml_got(node, name) && soa_yaml_fields(node, node->what, link_fields, &link) &&
           read_flags(node, &link.flags) && read_joint_of(reader, node, scope, &link) &&
           (parent ? find_parent(reader, parent, scope, names, &link.parent)
                   : place_root(reader, node, scope, &link)) &&
           add_link(reader, node, &link);
}

/* ---- the list ----------------------------------------------------------------------- */

/* Every name of the list with the number its link will have. */
static bool index_names(soa_yaml_reader *reader, soa_yaml *first, const char *what, soa_names *names)
{
    int number = soa_builder_links(reader->builder);
    bool ok = true;
    for (soa_yaml *node = first; node && ok; node = node->next, number++) {
        const char *name = NULL;
        ok = soa_yaml_known(node, what, link_fields) && soa_yaml_need_text(node, "name", &name) &&
             (soa_names_add(names, reader->allocator, name, number) || soa_yaml_got(node, NULL));
    }
    return ok;
}

/* A system that moves freely has one body to carry it. */
static bool check_roots(const soa_yaml *mapping, const soa_yaml *first)
{
    int roots = 0;
    for (const soa_yaml *node = first; node; node = node->next) {
        roots += !soa_yaml_get(node, "parent");
    }
    return roots == 1 ||
           soa_yaml_fail(mapping, SOA_E_TREE, "is free but has %d bodies without a parent; let there be one", roots);
}

bool soa_yaml_links(soa_yaml_reader *reader, const soa_yaml *mapping, const char *key, const soa_yaml_scope *scope)
{
    soa_yaml *first;
    soa_names names = { 0 };
    bool ok = soa_yaml_items(mapping, key, &first) &&
              index_names(reader, first, scope->system ? "body" : "link", &names) &&
              (!scope->free || check_roots(mapping, first));
    for (soa_yaml *node = first; ok && node; node = node->next) {
        ok = read_link(reader, node, scope, &names);
    }
    ok = ok && soa_yaml_link_nodes(reader, first, scope);
    soa_names_free(&names, reader->allocator);
    return ok;
}
