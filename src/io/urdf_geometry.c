/* io/urdf_geometry.c - <visual> and <collision>: what links look like, read and written.
 *
 * None of it moves the robot: what is not understood is left out and counted. */
#include <string.h>

#include "core/error.h"
#include "io/urdf.h"
#include "io/urdf_write.h"

/* ---- reading ---------------------------------------------------------------------- */

/* The shapes URDF has, and the attributes of their sizes. */
static const struct {
    const char *element;
    soa_shape shape;
    const char *size, *second;
} shapes[] = {
    { "box", SOA_SHAPE_BOX, "size", NULL },
    { "sphere", SOA_SHAPE_SPHERE, "radius", NULL },
    { "cylinder", SOA_SHAPE_CYLINDER, "radius", "length" },
    { "capsule", SOA_SHAPE_CAPSULE, "radius", "length" },
    { "mesh", SOA_SHAPE_MESH, "scale", NULL },
};

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static bool read_shape(const soa_xml *x, soa_geometry *g)
{
    int i = 0;
    while (x && i < SHAPES && strcmp(x->name, shapes[i].element) != 0) {
        i++;
    }
    if (!x || i == SHAPES) {
        return false;
    }
    const int sizes = soa_shape_sizes(shapes[i].shape), first = shapes[i].second ? 1 : sizes;
    bool found = true, second = true;
    *g = soa_geometry_default(g->link, shapes[i].shape);
    g->mesh = soa_xml_get(x, "filename");
    if (soa_xml_numbers(x, shapes[i].size, first, g->size, &found, NULL) != SOA_OK ||
        (shapes[i].second && soa_xml_number(x, shapes[i].second, &g->size[1], &second, NULL) != SOA_OK)) {
        return false;
    }
    if (g->shape == SOA_SHAPE_MESH) {
        return g->mesh && g->mesh[0];
    }
    g->mesh = NULL;
    return found && second && g->size[0] >= 0.0 && g->size[1] >= 0.0 && g->size[2] >= 0.0;
}

/* The colour stands in the material, or in that of the same name in <robot>. */
static void read_material(const urdf *u, const soa_xml *material, soa_geometry *g)
{
    const char *name = soa_xml_get(material, "name");
    const soa_xml *color = soa_xml_child(material, "color");
    g->material = name && name[0] ? name : NULL;
    if (!color && g->material) {
        const int known = soa_names_find(&u->material_names, name);
        color = known >= 0 ? soa_xml_child(u->material[known], "color") : NULL;
    }
    double rgba[4];
    g->colored = color && soa_xml_numbers(color, "rgba", 4, rgba, &g->colored, NULL) == SOA_OK && g->colored;
    if (g->colored) {
        memcpy(g->color, rgba, sizeof rgba);
    }
}

/* false: not understood. */
static bool read_geometry(const urdf *u, const soa_xml *x, bool visual, soa_geometry *g)
{
    const soa_xml *geometry = soa_xml_child(x, "geometry"), *material = soa_xml_child(x, "material");
    if (!geometry || !read_shape(geometry->child, g) || soa_urdf_origin(x, &g->at, NULL) != SOA_OK) {
        return false;
    }
    g->name = soa_xml_get(x, "name");
    g->visual = visual;
    g->collision = !visual;
    g->source = soa_xml_source(x);
    if (visual && material) {
        read_material(u, material, g);
    }
    return true;
}

static soa_status read_link(const urdf *u, const urdf_link *link, urdf_tally *skipped, soa_error *error)
{
    soa_status status = SOA_OK;
    for (const soa_xml *x = link->element->child; x && status == SOA_OK; x = x->next) {
        const bool visual = strcmp(x->name, "visual") == 0;
        soa_geometry g = { .link = link->index };
        if (!visual && strcmp(x->name, "collision") != 0) {
            continue;
        }
        if (read_geometry(u, x, visual, &g)) {
            status = soa_builder_add_geometry(u->builder, &g, NULL, error);
        } else if (x->child) {
            skipped->first = skipped->first ? skipped->first : x;
            skipped->count++;
        }
    }
    return status;
}

/* The materials of <robot>; false: no memory. */
static bool collect_materials(urdf *u, soa_arena *arena)
{
    int n = 0;
    for (soa_xml *x = soa_xml_child(u->root, "material"); x; x = soa_xml_next(x, "material")) {
        n++;
    }
    u->material = soa_arena_take(arena, (size_t)n + 1, sizeof *u->material);
    n = 0;
    for (soa_xml *x = soa_xml_child(u->root, "material"); x && u->material; x = soa_xml_next(x, "material")) {
        const char *name = soa_xml_get(x, "name");
        if (name && !soa_names_add(&u->material_names, u->allocator, name, n)) {
            return false;
        }
        u->material[n++] = x;
    }
    return u->material != NULL;
}

soa_status soa_urdf_geometry(urdf *u, soa_arena *arena, soa_error *error)
{
    urdf_tally skipped = { NULL, 0 };
    soa_status status = collect_materials(u, arena) ? SOA_OK : soa_fail_memory(error);
    for (int k = 0; k < u->links && status == SOA_OK; k++) {
        status = read_link(u, &u->link[k], &skipped, error);
    }
    return status != SOA_OK || skipped.count == 0
               ? status
               : soa_builder_warn(u->builder, soa_xml_source(skipped.first), error,
                     "%d <visual> or <collision> left out: the shape or its figures are not understood", skipped.count);
}

/* ---- writing ---------------------------------------------------------------------- */

bool soa_urdf_has_shape(soa_shape shape)
{
    for (int i = 0; i < SHAPES; i++) {
        if (shapes[i].shape == shape) {
            return true;
        }
    }
    return false;
}

static void write_shape(soa_text *text, const soa_geometry *g)
{
    int i = 0;
    while (shapes[i].shape != g->shape) {
        i++;
    }
    const bool mesh = g->shape == SOA_SHAPE_MESH;
    soa_text_add(text, "      <geometry>\n        <%s", shapes[i].element);
    if (mesh) {
        soa_xml_write_attribute(text, "filename", g->mesh);
    }
    if (!mesh || g->size[0] != 1.0 || g->size[1] != 1.0 || g->size[2] != 1.0) {
        soa_xml_write_numbers(text, shapes[i].size, shapes[i].second ? 1 : soa_shape_sizes(g->shape), g->size);
    }
    if (shapes[i].second) {
        soa_xml_write_numbers(text, shapes[i].second, 1, &g->size[1]);
    }
    soa_text_add(text, "/>\n      </geometry>\n");
}

static void write_material(soa_text *text, const soa_geometry *g)
{
    soa_text_add(text, "      <material");
    soa_xml_write_attribute(text, "name", g->material ? g->material : "");
    if (g->colored) {
        soa_text_add(text, ">\n        <color");
        soa_xml_write_numbers(text, "rgba", 4, g->color);
        soa_text_add(text, "/>\n      </material>\n");
    } else {
        soa_text_add(text, "/>\n");
    }
}

void soa_urdf_write_geometry(soa_text *text, const soa_geometry *g, const soa_pose *inside)
{
    const soa_pose at = soa_compose_exactly(inside, &g->at);
    for (int visual = 1; visual >= 0; visual--) {
        const char *element = visual ? "visual" : "collision";
        if (!(visual ? g->visual : g->collision)) {
            continue;
        }
        soa_text_add(text, "    <%s", element);
        if (g->name) {
            soa_xml_write_attribute(text, "name", g->name);
        }
        soa_text_add(text, ">\n");
        soa_urdf_write_origin(text, "      ", &at);
        write_shape(text, g);
        if (visual && (g->material || g->colored)) {
            write_material(text, g);
        }
        soa_text_add(text, "    </%s>\n", element);
    }
}
