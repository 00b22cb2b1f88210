/* io/yaml_geometry.c - what links look like, in a native YAML file. */
#include "io/yaml_read.h"

static bool read_size(const soa_yaml *node, soa_geometry *g)
{
    const int sizes = soa_shape_sizes(g->shape);
    if (!soa_yaml_get(node, "size") && g->shape != SOA_SHAPE_MESH) {
        return soa_yaml_fail(node, SOA_E_SYNTAX, "'size' is missing; a %s has %d number%s", soa_shape_text(g->shape),
            sizes, sizes == 1 ? "" : "s");
    }
    return soa_yaml_numbers(node, "size", sizes, g->size);
}

bool soa_yaml_geometry(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope)
{
    static const char *const shapes[] = {
#define SHAPE_TEXT(name, text, sizes, words) text,
        SOA_SHAPE_LIST(SHAPE_TEXT)
#undef SHAPE_TEXT
            NULL
    };
    static const char *const roles[] = { "none", "visual", "collision", "both", NULL };
    static const soa_yaml_field fields[] = { SOA_YAML_KEY("shape"), SOA_YAML_KEY("link"),
        SOA_YAML_INTO("name", TEXT, soa_geometry, name), SOA_YAML_KEY("size"),
        SOA_YAML_INTO("at", POSE, soa_geometry, at), SOA_YAML_INTO("mesh", TEXT, soa_geometry, mesh),
        SOA_YAML_INTO("material", TEXT, soa_geometry, material), SOA_YAML_INTO("color", NUMBERS, soa_geometry, color),
        SOA_YAML_KEY("role"), SOA_YAML_END };
    const char *text;
    int shape = 0, role = 3;
    if (!soa_yaml_known(node, "geometry", fields) || !soa_yaml_need_text(node, "shape", &text) ||
        !soa_yaml_word(node, "shape", shapes, &shape) || !soa_yaml_word(node, "role", roles, &role)) {
        return false;
    }
    soa_geometry g = soa_geometry_default(SOA_WORLD, (soa_shape)shape);
    g.visual = (role & 1) != 0;
    g.collision = (role & 2) != 0;
    g.colored = soa_yaml_get(node, "color") != NULL;
    g.source = soa_yaml_source(node);
    return soa_yaml_link_or_world(reader, scope, soa_yaml_get(node, "link"), &g.link) && read_size(node, &g) &&
           soa_yaml_fields(node, "geometry", fields, &g) &&
           soa_yaml_ok(node, soa_builder_add_geometry(reader->builder, &g, NULL, reader->error));
}
