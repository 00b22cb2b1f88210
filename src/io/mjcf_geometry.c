/* io/mjcf_geometry.c - geoms as what links look like, read and written.
 *
 * A geom touches others unless contype and conaffinity are zero; those of the groups 3 and up are hidden by custom.
 * Masses of geoms are another matter (mjcf_geom.c). */
#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "io/mjcf.h"
#include "io/mjcf_write.h"

enum { FIRST_HIDDEN_GROUP = 3 };

/* ---- reading ---------------------------------------------------------------------------- */

/* A mesh whose file is moved by refpos and refquat: x becomes scale * refquat^-1 (x - refpos). As a scale and then
 * a pose this can be said if nothing is turned or the scale is one number. */
static bool place_mesh(const mjcf_mesh *mesh, soa_geometry *g)
{
    double p[3] = { 0.0 }, quaternion[4] = { 1.0, 0.0, 0.0, 0.0 };
    double *s = g->size;
    s[0] = s[1] = s[2] = 1.0;
    soa_xml_numbers(mesh->element, "refpos", 3, p);
    soa_xml_numbers(mesh->element, "refquat", 4, quaternion);
    soa_xml_numbers(mesh->element, "scale", 3, s);
    const bool turned = quaternion[1] != 0.0 || quaternion[2] != 0.0 || quaternion[3] != 0.0;
    if (!turned && p[0] == 0.0 && p[1] == 0.0 && p[2] == 0.0) {
        return true;
    }
    const bool uniform = s[0] == s[1] && s[1] == s[2];
    if (turned && (!uniform || s[0] == 0.0)) {
        return false;
    }
    soa_pose reference = soa_pose_from_quaternion(p, quaternion);
    reference = soa_pose_inverse(&reference);
    for (int i = 0; i < 3; i++) {
        reference.position[i] *= s[i];
    }
    g->at = soa_pose_compose(&g->at, &reference);
    return true;
}

/* The colour of the geom, else of its material. */
static void read_color(const mjcf *m, const soa_xml *x, soa_geometry *g)
{
    g->material = soa_xml_text(x, "material");
    const int known = soa_names_find(&m->material_names, g->material);
    g->colored = soa_xml_numbers(x, "rgba", 4, g->color);
    if (!g->colored && known >= 0) {
        g->colored = soa_xml_numbers(*(const soa_xml **)soa_array_at(&m->materials, known), "rgba", 4, g->color);
    }
}

/* false, or a failure: not understood. */
static bool read_geometry(mjcf *m, const soa_xml *x, soa_geometry *g)
{
    double group = 0.0, contype = 1.0, conaffinity = 1.0;
    soa_mjcf_geom_shape(m, x, g);
    read_color(m, x, g);
    soa_xml_number(x, "group", &group);
    soa_xml_number(x, "contype", &contype);
    soa_xml_number(x, "conaffinity", &conaffinity);
    g->visual = group < FIRST_HIDDEN_GROUP;
    g->collision = contype != 0.0 || conaffinity != 0.0;
    if (g->shape == SOA_SHAPE_MESH) {
        const char *name = soa_xml_text(x, "mesh");
        const mjcf_mesh *mesh = name ? soa_mjcf_find_mesh(m, name) : NULL;
        g->mesh = mesh && place_mesh(mesh, g) ? soa_mjcf_mesh_name(m, mesh->element) : NULL;
        return g->mesh;
    }
    return g->shape != SOA_SHAPES && g->size[0] >= 0.0 && g->size[1] >= 0.0 && g->size[2] >= 0.0;
}

void soa_mjcf_read_geometry(mjcf *m, const mjcf_item *item, int link)
{
    soa_geometry g = { .link = link, .name = soa_xml_get(item->element, "name") };
    g.source = soa_xml_source(item->element);
    if (read_geometry(m, item->element, &g) && soa_mjcf_ok(m)) {
        g.at = soa_pose_compose(&item->at, &g.at);
        soa_kit_geometry(&m->kit, &g);
    } else if (m->kit.outcome.status != SOA_E_MEMORY) {
        soa_forgive(&m->kit.outcome);
        soa_xml_count(&m->met[MJCF_STRANGE_GEOMETRY], item->element);
    }
}

/* ---- writing ---------------------------------------------------------------------------- */

/* MuJoCo does not load a file that names meshes of other kinds, or by other addresses than paths: these are left out. */
static bool is_sayable(const soa_geometry *g)
{
    static const char *const endings[] = { ".stl", ".obj", ".msh" };
    const size_t n = g->mesh ? strlen(g->mesh) : 0;
    for (int i = 0; i < 3 && n > 4 && !strstr(g->mesh, "://"); i++) {
        if (strcasecmp(g->mesh + n - 4, endings[i]) == 0) {
            return true;
        }
    }
    return !g->mesh;
}

/* Remembers a name that is written once. */
static void add_name(mjcf_writer *w, soa_names *names, const char *name, int number)
{
    if (!soa_names_add(names, w->text->allocator, name, number)) {
        soa_halt_memory(&w->outcome);
    }
}

/* Meshes and materials are named in <asset>, each file with its scale and each material once. */
static void write_mesh_asset(mjcf_writer *w, int i)
{
    const soa_geometry *g = soa_model_geometry(w->model, i);
    soa_text key = soa_text_on(w->text->allocator);
    soa_xml_write(&key, "$t $3", g->mesh, g->size);
    const int known = key.failed ? -1 : soa_names_find(&w->mesh_names, key.bytes);
    const char *kept = key.failed ? NULL : soa_arena_text(&w->arena, key.bytes);
    soa_text_free(w->text->allocator, key.bytes);
    w->mesh[i] = known >= 0 ? known : i;
    if (soa_got(&w->outcome, kept) && known < 0) {
        add_name(w, &w->mesh_names, kept, i);
        soa_xml_write(w->text, "<mesh name=\"mesh$i\" file=$s scale=$3/>\n", i, g->mesh, g->size);
    }
}

static void write_material_asset(mjcf_writer *w, int i)
{
    const soa_geometry *g = soa_model_geometry(w->model, i);
    if (g->material && soa_names_find(&w->material_names, g->material) < 0) {
        soa_xml_write(
            w->text, g->colored ? "<material name=$s rgba=$4/>\n" : "<material name=$s/>\n", g->material, g->color);
        add_name(w, &w->material_names, g->material, i);
    }
}

void soa_mjcf_write_assets(mjcf_writer *w)
{
    bool open = false;
    int unsaid = 0;
    for (int i = 0; i < soa_model_geometries(w->model); i++) {
        const soa_geometry *g = soa_model_geometry(w->model, i);
        if (!is_sayable(g)) {
            unsaid++;
            continue;
        }
        if (!open && (g->mesh || g->material)) {
            soa_text_add(w->text, "<asset>\n");
            open = true;
        }
        if (g->mesh) {
            write_mesh_asset(w, i);
        }
        write_material_asset(w, i);
        if (g->name) {
            add_name(w, &w->geom_names, g->name, i);
        }
    }
    soa_text_add(w->text, "%s", open ? "</asset>\n" : "");
    if (unsaid > 0) {
        soa_text_add(
            w->text, "<!-- %d meshes are left out: MuJoCo reads paths of STL, OBJ and MSH files. -->\n", unsaid);
    }
}

/* MJCF gives half lengths. */
static void write_size(mjcf_writer *w, const soa_geometry *g)
{
    const bool round = g->shape == SOA_SHAPE_CAPSULE || g->shape == SOA_SHAPE_CYLINDER;
    const bool edges = g->shape == SOA_SHAPE_BOX || g->shape == SOA_SHAPE_PLANE;
    double size[3] = { g->size[0], g->size[1], g->size[2] };
    for (int i = round; i < 3 && (round || edges); i++) {
        size[i] /= 2.0;
    }
    if (g->shape == SOA_SHAPE_PLANE) {
        size[2] = 1.0; /* the spacing of the grid that is drawn on it */
    }
    const int sizes = edges ? 3 : soa_shape_sizes(g->shape);
    soa_xml_write(w->text, sizes == 1 ? " size=$1" : sizes == 2 ? " size=$2" : " size=$3", size);
}

static void write_geom(mjcf_writer *w, int i)
{
    const soa_geometry *g = soa_model_geometry(w->model, i);
    soa_text_add(w->text, "<geom");
    if (g->name && soa_names_find(&w->geom_names, g->name) == i) {
        soa_xml_write(w->text, " name=$s", g->name);
    }
    soa_xml_write(w->text, " type=$s", soa_shape_text(g->shape));
    if (g->mesh) {
        soa_xml_write(w->text, " mesh=\"mesh$i\"", w->mesh[i]);
    } else {
        write_size(w, g);
    }
    soa_mjcf_write_pose(w, &g->at);
    if (g->material) {
        soa_xml_write(w->text, " material=$s", g->material);
    }
    if (g->colored) {
        soa_xml_write(w->text, " rgba=$4", g->color);
    }
    soa_text_add(
        w->text, "%s%s/>\n", g->collision ? "" : " contype=\"0\" conaffinity=\"0\"", g->visual ? "" : " group=\"3\"");
}

void soa_mjcf_write_geoms(mjcf_writer *w, int place)
{
    for (int i = w->geometry.first[place]; i >= 0; i = w->geometry.next[i]) {
        if (is_sayable(soa_model_geometry(w->model, i))) {
            write_geom(w, i);
        }
    }
}
