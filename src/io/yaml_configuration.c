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

/* How many numbers the joint of a link has; the modes of a flexible link come after them. */
static int count_of(const coordinates *c, const soa_link *link)
{
    return c->velocities ? soa_joint_kind_nv(link->joint.kind) : soa_joint_kind_nq(link->joint.kind);
}

static coordinates number(soa_yaml_reader *reader, const soa_yaml *root, bool velocities)
{
    const int links = soa_builder_links(reader->kit.builder);
    coordinates c = { .velocities = velocities };
    c.first = soa_arena_take(&reader->arena, (size_t)links + 1, sizeof *c.first);
    for (int i = 0; soa_yaml_got(root, c.first) && i < links; i++) {
        const soa_link *link = soa_builder_link(reader->kit.builder, i);
        c.first[i] = c.total;
        c.total += count_of(&c, link) + (link->flexible ? link->flexible->modes : 0);
        c.first[i + 1] = c.total;
    }
    return c;
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

static void read_by_joint(const soa_builder *builder, const soa_yaml *mapping, const coordinates *c, double *x)
{
    for (const soa_yaml *value = mapping->child; value; value = value->next) {
        const int flexible = find_modes(builder, value->key);
        const int link = flexible >= 0 ? flexible : soa_builder_find_joint(builder, value->key);
        if (link < 0) {
            soa_yaml_fail(value, SOA_E_NAME, "joint '%.80s' does not exist; name one that does", value->key);
            return;
        }
        const int joint = count_of(c, soa_builder_link(builder, link));
        const int at = c->first[link] + (flexible >= 0 ? joint : 0);
        soa_yaml_as_few(value, flexible >= 0 ? c->first[link + 1] - at : joint, x + at);
    }
}

/* NULL if the key is not there. */
static double *read_coordinates(soa_yaml_reader *reader, const soa_yaml *node, const char *key, const coordinates *c)
{
    const soa_yaml *value = soa_yaml_get(node, key);
    double *x = value ? soa_arena_take(&reader->arena, (size_t)c->total + 1, sizeof *x) : NULL;
    if (!value || !soa_yaml_got(node, x)) {
        return NULL;
    }
    if (value->kind == SOA_YAML_MAPPING) {
        set_neutral(reader->kit.builder, c, x);
        read_by_joint(reader->kit.builder, value, c, x);
    } else {
        soa_yaml_as_numbers(value, c->total, x);
    }
    return x;
}

void soa_yaml_configurations(soa_yaml_reader *reader, const soa_yaml *root)
{
    static const char *const keys[] = { "name", "q", "v", NULL };
    soa_yaml *first = soa_yaml_items(root, "configurations");
    if (!first || !soa_yaml_ok(root)) {
        return;
    }
    const coordinates of_q = number(reader, root, false), of_v = number(reader, root, true);
    for (soa_yaml *node = first; node && soa_yaml_ok(node); node = node->next) {
        soa_yaml_expect(node, "configuration", keys);
        const char *name = soa_yaml_need_text(node, "name");
        const double *q = read_coordinates(reader, node, "q", &of_q);
        const double *v = read_coordinates(reader, node, "v", &of_v);
        if (!q) {
            soa_yaml_fail(node, SOA_E_CONFIGURATION, "'q' is missing; give a list of %d numbers or a mapping by joint",
                of_q.total);
        }
        soa_kit_configuration(&reader->kit, name, of_q.total, q, v ? of_v.total : 0, v);
    }
}
