/* io/yaml_geometry.c - what links look like, in a native YAML file. */
#include <string.h>

#include "core/error.h"
#include "io/yaml_read.h"

static soa_status read_shape(const soa_yaml *node, soa_geometry *g, soa_error *error)
{
    static const char *const texts[] = {
#define SHAPE_TEXT(name, text, sizes, words) text,
        SOA_SHAPE_LIST(SHAPE_TEXT)
#undef SHAPE_TEXT
            NULL
    };
    const char *text = NULL;
    const soa_status status = soa_yaml_need_text(node, "shape", &text, error);
    if (status != SOA_OK) {
        return status;
    }
    *g = soa_geometry_default(g->link, soa_shape_find(text));
    if (g->shape != SOA_SHAPES) {
        return SOA_OK;
    }
    const char *nearest = soa_yaml_nearest(text, texts);
    return soa_yaml_fail(soa_yaml_get(node, "shape"), SOA_E_SYNTAX, error, "unknown shape '%.80s'; %s%s%s", text,
        nearest ? "did you mean '" : "the shapes are box, sphere, cylinder, capsule, ellipsoid, plane, ",
        nearest ? nearest : "mesh", nearest ? "'?" : "");
}

static soa_status read_size(const soa_yaml *node, soa_geometry *g, soa_error *error)
{
    const int sizes = soa_shape_sizes(g->shape);
    if (!soa_yaml_get(node, "size") && g->shape != SOA_SHAPE_MESH) {
        return soa_yaml_fail(node, SOA_E_SYNTAX, error, "'size' is missing; a %s has %d number%s",
            soa_shape_text(g->shape), sizes, sizes == 1 ? "" : "s");
    }
    return soa_yaml_numbers(node, "size", sizes, g->size, error);
}

static soa_status read_role(const soa_yaml *node, soa_geometry *g, soa_error *error)
{
    static const char *const words[] = { "none", "visual", "collision", "both" };
    const char *text = words[3];
    const soa_status status = soa_yaml_text(node, "role", &text, error);
    int role = 0;
    while (status == SOA_OK && role < 4 && strcmp(words[role], text) != 0) {
        role++;
    }
    if (role == 4) {
        return soa_yaml_fail(soa_yaml_get(node, "role"), SOA_E_SYNTAX, error,
            "role '%.40s' is not known; give visual, collision, both or none", text);
    }
    g->visual = (role & 1) != 0;
    g->collision = (role & 2) != 0;
    return status;
}

static soa_status read_geometry(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope)
{
    static const char *const keys[] = { "shape", "link", "name", "size", "at", "mesh", "material", "color", "role",
        NULL };
    soa_geometry g = { .link = SOA_WORLD };
    soa_error *error = reader->error;
    soa_status status = soa_yaml_expect(node, "geometry", keys, error);
    status = status == SOA_OK ? read_shape(node, &g, error) : status;
    status = status == SOA_OK ? soa_yaml_link_or_world(reader, scope, soa_yaml_get(node, "link"), &g.link) : status;
    status = status == SOA_OK ? read_size(node, &g, error) : status;
    status = status == SOA_OK ? read_role(node, &g, error) : status;
    status = status == SOA_OK ? soa_yaml_text(node, "name", &g.name, error) : status;
    status = status == SOA_OK ? soa_yaml_text(node, "mesh", &g.mesh, error) : status;
    status = status == SOA_OK ? soa_yaml_text(node, "material", &g.material, error) : status;
    status = status == SOA_OK ? soa_yaml_pose(node, "at", &g.at, error) : status;
    status = status == SOA_OK ? soa_yaml_numbers(node, "color", 4, g.color, error) : status;
    g.colored = soa_yaml_get(node, "color") != NULL;
    g.source = soa_yaml_source(node);
    return status == SOA_OK ? soa_builder_add_geometry(reader->builder, &g, NULL, error) : status;
}

soa_status soa_yaml_geometry(soa_yaml_reader *reader, const soa_yaml *mapping, const soa_yaml_scope *scope)
{
    soa_yaml *node;
    soa_status status = soa_yaml_items(mapping, "geometry", &node, reader->error);
    for (; status == SOA_OK && node; node = node->next) {
        status = read_geometry(reader, node, scope);
    }
    return status;
}
