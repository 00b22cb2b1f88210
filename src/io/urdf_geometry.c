/* io/urdf_geometry.c - <visual> and <collision>: what links look like, read and written.
 *
 * None of it moves the robot: what is not understood is left out and counted. */
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
    while (x && i < SHAPES && !soa_xml_is(x, shapes[i].element)) {
        i++;
    }
    if (!x || i == SHAPES) {
        return false;
    }
    const int sizes = soa_shape_sizes(shapes[i].shape), first = shapes[i].second ? 1 : sizes;
    *g = soa_geometry_default(g->link, shapes[i].shape);
    const bool found = soa_xml_numbers(x, shapes[i].size, first, g->size);
    const bool second = !shapes[i].second || soa_xml_number(x, shapes[i].second, &g->size[1]);
    if (g->shape == SOA_SHAPE_MESH) {
        g->mesh = soa_xml_get(x, "filename");
        return g->mesh && g->mesh[0];
    }
    return found && second && g->size[0] >= 0.0 && g->size[1] >= 0.0 && g->size[2] >= 0.0;
}

/* The colour stands in the material, or in that of the same name in <robot>; one that is no colour is none. */
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
    g->colored = color && soa_xml_numbers(color, "rgba", 4, rgba) && soa_ok(color->outcome);
    if (g->colored) {
        memcpy(g->color, rgba, sizeof rgba);
    }
}

/* false: not understood, which is forgiven. */
static bool read_geometry(urdf *u, const soa_xml *x, bool visual, soa_geometry *g)
{
    const soa_xml *geometry = soa_xml_child(x, "geometry"), *material = soa_xml_child(x, "material");
    bool understood = geometry && read_shape(geometry->child, g);
    g->at = soa_urdf_origin(x);
    understood = understood && soa_ok(&u->kit.outcome);
    g->name = soa_xml_get(x, "name");
    g->visual = visual;
    g->collision = !visual;
    g->source = soa_xml_source(x);
    if (understood && visual && material) {
        read_material(u, material, g);
    }
    soa_forgive(&u->kit.outcome);
    return understood;
}

static void read_link(urdf *u, const urdf_link *link, soa_xml_tally *skipped)
{
    for (const soa_xml *x = link->element->child; x && soa_ok(&u->kit.outcome); x = x->next) {
        const bool visual = soa_xml_is(x, "visual");
        soa_geometry g = { .link = link->index };
        if (!visual && !soa_xml_is(x, "collision")) {
            continue;
        }
        if (read_geometry(u, x, visual, &g)) {
            soa_kit_geometry(&u->kit, &g);
        } else if (x->child) {
            soa_xml_count(skipped, x);
        }
    }
}

/* The materials of <robot>. */
static void collect_materials(urdf *u)
{
    const int most = soa_xml_children(u->root, "material");
    int n = 0;
    u->material = soa_arena_take(&u->arena, (size_t)most + 1, sizeof *u->material);
    if (!soa_got(&u->kit.outcome, u->material)) {
        return;
    }
    for (soa_xml *x = soa_xml_child(u->root, "material"); x; x = soa_xml_next(x, "material")) {
        if (soa_xml_get(x, "name")) {
            soa_kit_index(&u->kit, &u->material_names, soa_xml_get(x, "name"), n);
        }
        u->material[n++] = x;
    }
}

void soa_urdf_geometry(urdf *u)
{
    soa_xml_tally skipped = { 0 };
    collect_materials(u);
    for (int k = 0; k < u->links && soa_ok(&u->kit.outcome); k++) {
        read_link(u, &u->link[k], &skipped);
    }
    if (skipped.count > 0) {
        soa_kit_warn(&u->kit, soa_xml_source(skipped.first),
            "%d <visual> or <collision> left out: the shape or its figures are not understood", skipped.count);
    }
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
    soa_xml_write(text, "      <geometry>\n        <$t", shapes[i].element);
    if (mesh) {
        soa_xml_write(text, " filename=$s", g->mesh);
    }
    if (!mesh || g->size[0] != 1.0 || g->size[1] != 1.0 || g->size[2] != 1.0) {
        const bool three = !shapes[i].second && soa_shape_sizes(g->shape) == 3;
        soa_xml_write(text, three ? " $t=$3" : " $t=$1", shapes[i].size, g->size);
    }
    if (shapes[i].second) {
        soa_xml_write(text, " $t=$1", shapes[i].second, &g->size[1]);
    }
    soa_text_add(text, "/>\n      </geometry>\n");
}

void soa_urdf_write_geometry(soa_text *text, const soa_geometry *g, const soa_pose *inside)
{
    const soa_pose at = soa_compose_exactly(inside, &g->at);
    for (int visual = 1; visual >= 0; visual--) {
        const char *element = visual ? "visual" : "collision", *material = g->material ? g->material : "";
        if (!(visual ? g->visual : g->collision)) {
            continue;
        }
        soa_xml_write(text, g->name ? "    <$t name=$s>\n" : "    <$t>\n", element, g->name);
        soa_urdf_write_origin(text, "      ", &at);
        write_shape(text, g);
        if (visual && g->colored) {
            soa_xml_write(
                text, "      <material name=$s>\n        <color rgba=$4/>\n      </material>\n", material, g->color);
        } else if (visual && g->material) {
            soa_xml_write(text, "      <material name=$s/>\n", material);
        }
        soa_xml_write(text, "    </$t>\n", element);
    }
}
