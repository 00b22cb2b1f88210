/* io/yaml_geometry.c - what links look like, in a native YAML file. */
#include "core/kind_words.h"
#include "io/yaml_read.h"

void soa_yaml_geometry(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope)
{
    static const char *const shapes[] = { SOA_SHAPE_LIST(SOA_SECOND) NULL };
    static const char *const roles[] = { "none", "visual", "collision", "both", NULL };
    static const soa_yaml_field fields[] = { SOA_YAML_KEY("shape"), SOA_YAML_KEY("link"),
        SOA_YAML_INTO("name", TEXT, soa_geometry, name), SOA_YAML_KEY("size"),
        SOA_YAML_INTO("at", POSE, soa_geometry, at), SOA_YAML_INTO("mesh", TEXT, soa_geometry, mesh),
        SOA_YAML_INTO("material", TEXT, soa_geometry, material), SOA_YAML_INTO("color", NUMBERS, soa_geometry, color),
        SOA_YAML_KEY("role"), SOA_YAML_END };
    soa_yaml_known(node, "geometry", fields);
    soa_yaml_need_text(node, "shape");
    const soa_shape shape = (soa_shape)soa_yaml_word(node, "shape", shapes, 0);
    const int role = soa_yaml_word(node, "role", roles, 3), sizes = soa_shape_sizes(shape);
    soa_geometry g = soa_geometry_default(SOA_WORLD, shape);
    g.visual = (role & 1) != 0;
    g.collision = (role & 2) != 0;
    g.colored = soa_yaml_get(node, "color") != NULL;
    g.source = soa_yaml_source(node);
    g.link = soa_yaml_link_or_world(reader, scope, soa_yaml_get(node, "link"));
    if (!soa_yaml_get(node, "size") && shape != SOA_SHAPE_MESH) {
        soa_yaml_fail(node, SOA_E_SYNTAX, "'size' is missing; a %s has %d number%s", soa_shape_text(shape), sizes,
            sizes == 1 ? "" : "s");
    }
    soa_yaml_numbers(node, "size", sizes, g.size);
    soa_yaml_fields(node, "geometry", fields, &g);
    soa_kit_geometry(&reader->kit, &g);
}
