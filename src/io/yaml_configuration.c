/* io/yaml_configuration.c - named configurations in a native YAML file.
 *
 * q and v are either lists, joint by joint in the order of the links, or mappings
 * by joint, modes by LINK/flex; what a mapping leaves out is neutral and at rest. */
#include <string.h>

#include "io/yaml_read.h"

typedef struct coordinates {
    int total;
    int *first; /* by link; one more at the end */
    bool velocities;
} coordinates;

/* Of the joint alone; the modes of a flexible link come after it. */
static int count_of(const coordinates *c, const soa_link *link)
{
    return c->velocities ? soa_joint_kind_nv(link->joint.kind) : soa_joint_kind_nq(link->joint.kind);
}

static bool number(soa_yaml_reader *reader, const soa_yaml *root, bool velocities, coordinates *c)
{
    const int links = soa_builder_links(reader->builder);
    *c = (coordinates){ .velocities = velocities };
    c->first = soa_arena_take(&reader->arena, (size_t)links + 1, sizeof *c->first);
    for (int i = 0; c->first && i < links; i++) {
        const soa_link *link = soa_builder_link(reader->builder, i);
        c->first[i] = c->total;
        c->total += count_of(c, link) + (link->flexible ? link->flexible->modes : 0);
        c->first[i + 1] = c->total;
    }
    return soa_yaml_got(root, c->first);
}

/* Every joint where its link stands as placed, at rest. */
static void set_neutral(const soa_builder *builder, const coordinates *c, double *x)
{
    for (int i = 0; !c->velocities && i < soa_builder_links(builder); i++) {
        const soa_joint *joint = &soa_builder_link(builder, i)->joint;
        const int n = count_of(c, soa_builder_link(builder, i));
        memcpy(x + c->first[i], n == 1 ? &joint->reference : joint->neutral, (size_t)n * sizeof *x);
    }
}

/* The flexible link that "LINK/flex" means, or -1. */
static int find_modes(const soa_builder *builder, const char *key)
{
    for (int i = 0; i < soa_builder_links(builder); i++) {
        const soa_link *link = soa_builder_link(builder, i);
        const size_t length = strlen(link->name);
        if (link->flexible && strncmp(key, link->name, length) == 0 && strcmp(key + length, "/flex") == 0) {
            return i;
        }
    }
    return -1;
}

static bool read_by_joint(soa_yaml_reader *reader, const soa_yaml *mapping, const coordinates *c, double *x)
{
    bool ok = true;
    for (const soa_yaml *value = mapping->child; value && ok; value = value->next) {
        const int flexible = find_modes(reader->builder, value->key);
        const int link = flexible >= 0 ? flexible : soa_builder_find_joint(reader->builder, value->key);
        if (link < 0) {
            return soa_yaml_fail(value, SOA_E_NAME, "joint '%.80s' does not exist; name one that does", value->key);
        }
        const int joint = count_of(c, soa_builder_link(reader->builder, link));
        const int at = c->first[link] + (flexible >= 0 ? joint : 0);
        const int n = flexible >= 0 ? c->first[link + 1] - at : joint;
        ok = value->kind == SOA_YAML_SCALAR && n == 1 ? soa_yaml_as_number(value, x + at)
                                                      : soa_yaml_as_numbers(value, n, x + at);
    }
    return ok;
}

/* *x stays NULL if the key is not there. */
static bool read_coordinates(
    soa_yaml_reader *reader, const soa_yaml *node, const char *key, const coordinates *c, double **x)
{
    const soa_yaml *value = soa_yaml_get(node, key);
    *x = value ? soa_arena_take(&reader->arena, (size_t)c->total + 1, sizeof **x) : NULL;
    if (!value || !soa_yaml_got(node, *x)) {
        return !value;
    }
    if (value->kind != SOA_YAML_MAPPING) {
        return soa_yaml_as_numbers(value, c->total, *x);
    }
    set_neutral(reader->builder, c, *x);
    return read_by_joint(reader, value, c, *x);
}

static bool read_configuration(
    soa_yaml_reader *reader, soa_yaml *node, const coordinates *of_q, const coordinates *of_v)
{
    static const char *const keys[] = { "name", "q", "v", NULL };
    const char *name = NULL;
    double *q = NULL, *v = NULL;
    if (!soa_yaml_expect(node, "configuration", keys) || !soa_yaml_need_text(node, "name", &name) ||
        !read_coordinates(reader, node, "q", of_q, &q) || !read_coordinates(reader, node, "v", of_v, &v)) {
        return false;
    }
    if (!q) {
        return soa_yaml_fail(
            node, SOA_E_CONFIGURATION, "'q' is missing; give a list of %d numbers or a mapping by joint", of_q->total);
    }
    return soa_yaml_ok(node,
        soa_builder_add_configuration(reader->builder, name, of_q->total, q, v ? of_v->total : 0, v, reader->error));
}

bool soa_yaml_configurations(soa_yaml_reader *reader, const soa_yaml *root)
{
    soa_yaml *node;
    coordinates of_q, of_v;
    bool ok = soa_yaml_items(root, "configurations", &node) &&
              (!node || (number(reader, root, false, &of_q) && number(reader, root, true, &of_v)));
    for (; ok && node; node = node->next) {
        ok = read_configuration(reader, node, &of_q, &of_v);
    }
    return ok;
}
