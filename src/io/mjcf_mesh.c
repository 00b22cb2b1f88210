/* io/mjcf_mesh.c - meshes of <asset> and the solids they enclose.
 *
 * Every triangle and a centre c make a pyramid; volume, centre of mass and
 * moments are sums over the pyramids. "exact" counts those turned inside out as
 * negative, which is right for every closed surface; "legacy", the default of
 * MuJoCo, counts all as positive, which is right if c sees the whole surface
 * from inside; "shell" has the mass in the triangles themselves. */
#include <math.h>
#include <strings.h>

#include "io/mjcf.h"

enum { LEGACY, EXACT, SHELL, CONVEX };

static const char *const modes[] = { "legacy", "exact", "shell", "convex", NULL };

/* ---- sums over triangles ------------------------------------------------------------ */

/* The vector 2 * area * normal of a triangle. */
static void twice_area(const double *t, double n[3])
{
    const double *a = t, *b = t + 3, *c = t + 6;
    const double u[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] };
    const double v[3] = { c[0] - a[0], c[1] - a[1], c[2] - a[2] };
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
}

/* Mass of a triangle's pyramid with the top at c, or of the triangle itself. */
static double portion(const double *t, const double c[3], int mode)
{
    double n[3];
    twice_area(t, n);
    if (mode == SHELL) {
        return 0.5 * soa_mjcf_length(n);
    }
    const double volume = ((t[0] - c[0]) * n[0] + (t[1] - c[1]) * n[1] + (t[2] - c[2]) * n[2]) / 6.0;
    return mode == LEGACY ? fabs(volume) : volume;
}

/* Mass and first moments of all portions seen from c. */
static double first_moments(const soa_array *triangles, const double c[3], int mode, double com[3])
{
    double mass = 0.0;
    double first[3] = { 0.0, 0.0, 0.0 };
    for (int k = 0; k < triangles->count; k++) {
        const double *t = soa_array_at(triangles, k);
        const double part = portion(t, c, mode);
        mass += part;
        for (int i = 0; i < 3; i++) {
            const double centre = (t[i] + t[3 + i] + t[6 + i]) / 3.0;
            first[i] += part * (mode == SHELL ? centre : 0.75 * centre + 0.25 * c[i]);
        }
    }
    for (int i = 0; i < 3; i++) {
        com[i] = first[i] / mass;
    }
    return mass;
}

/* Mass and moments about the centre of mass, xx xy xz yy yz zz. */
static double second_moments(const soa_array *triangles, const double com[3], int mode, double moment[6])
{
    static const int row[6] = { 0, 0, 0, 1, 1, 2 }, column[6] = { 0, 1, 2, 1, 2, 2 };
    const double share = mode == SHELL ? 12.0 : 20.0;
    double mass = 0.0;
    double P[6] = { 0 }; /* integral of x_i x_j */
    for (int k = 0; k < triangles->count; k++) {
        const double *t = soa_array_at(triangles, k);
        const double part = portion(t, com, mode);
        double x[3][3], sum[3] = { 0 };
        for (int i = 0; i < 9; i++) {
            x[i / 3][i % 3] = t[i] - com[i % 3];
            sum[i % 3] += x[i / 3][i % 3];
        }
        mass += part;
        for (int e = 0; e < 6; e++) {
            const int i = row[e], j = column[e];
            P[e] += part / share * (x[0][i] * x[0][j] + x[1][i] * x[1][j] + x[2][i] * x[2][j] + sum[i] * sum[j]);
        }
    }
    moment[0] = P[3] + P[5];
    moment[3] = P[0] + P[5];
    moment[5] = P[0] + P[3];
    moment[1] = -P[1];
    moment[2] = -P[2];
    moment[4] = -P[4];
    return mass;
}

static void solid_of(mjcf_mesh *mesh, const soa_array *triangles, int mode)
{
    const double origin[3] = { 0.0, 0.0, 0.0 };
    double centre[3] = { 0.0, 0.0, 0.0 };
    soa_inertia *s = &mesh->solid;
    const double area = first_moments(triangles, origin, SHELL, centre);
    double volume = area > 0.0 ? first_moments(triangles, centre, mode, s->com) : 0.0;
    if (volume > 1e-300) {
        volume = second_moments(triangles, s->com, mode, s->moment);
    }
    if (!(volume > 1e-300)) {
        soa_xml_fail(mesh->element, SOA_E_INERTIA,
            "the mesh encloses no volume (%g); turn its faces outward, set inertia=\"shell\", or give the body an "
            "<inertial>",
            volume);
    }
    s->mass = volume;
    mesh->state = MJCF_MESH_KNOWN;
}

/* ---- files ---------------------------------------------------------------------------- */

/* refpos, refquat, scale: x becomes scale * (refquat^-1 (x - refpos)). */
static void transform(const soa_xml *x, soa_array *triangles)
{
    double refpos[3] = { 0.0, 0.0, 0.0 }, refquat[4] = { 1.0, 0.0, 0.0, 0.0 }, scale[3] = { 1.0, 1.0, 1.0 };
    soa_xml_numbers(x, "refpos", 3, refpos);
    soa_xml_numbers(x, "refquat", 4, refquat);
    soa_xml_numbers(x, "scale", 3, scale);
    if (hypot(hypot(refquat[0], refquat[1]), hypot(refquat[2], refquat[3])) < 1e-14) {
        soa_xml_fail(x, SOA_E_NUMBER, "refquat is a quaternion of zero length");
    }
    const soa_pose reference = soa_pose_from_quaternion(refpos, refquat);
    const soa_pose inverse = soa_pose_inverse(&reference);
    const bool mirrored = scale[0] * scale[1] * scale[2] < 0.0;
    for (int k = 0; k < triangles->count; k++) {
        double *t = soa_array_at(triangles, k);
        for (int c = 0; c < 3; c++) {
            soa_mjcf_turn(&inverse, t + 3 * c, t + 3 * c);
            for (int i = 0; i < 3; i++) {
                t[3 * c + i] = scale[i] * (t[3 * c + i] + inverse.position[i]);
            }
        }
        for (int i = 0; mirrored && i < 3; i++) {
            const double swap = t[3 + i];
            t[3 + i] = t[6 + i];
            t[6 + i] = swap;
        }
    }
}

static bool can_read(const char *path)
{
    const size_t n = strlen(path);
    return n > 4 && (strcasecmp(path + n - 4, ".obj") == 0 || strcasecmp(path + n - 4, ".stl") == 0);
}

/* The last part of the file's name if paths are stripped, else all of it. */
static const char *bare_name(const mjcf *m, const char *file)
{
    const char *slash = strrchr(file, '/');
    return m->compiler.strip_path && slash ? slash + 1 : file;
}

const char *soa_mjcf_mesh_name(mjcf *m, const soa_xml *mesh)
{
    const char *written = soa_xml_get(mesh, "file"), *folder = m->compiler.mesh_folder;
    if (!written || !written[0]) {
        return NULL;
    }
    const char *name = bare_name(m, written);
    char *joined = soa_arena_take(&m->arena, strlen(folder) + strlen(name) + 2, 1);
    if (!soa_got(&m->kit.outcome, joined)) {
        return NULL;
    }
    if (name[0] != '/' && folder[0]) {
        strcat(strcat(joined, folder), folder[strlen(folder) - 1] == '/' ? "" : "/");
    }
    return strcat(joined, name);
}

/* The file of a mesh as MuJoCo finds it, or else beside the file that names it; NULL: there is none. */
static const char *find_file(mjcf *m, const soa_xml *x)
{
    const char *joined = soa_mjcf_mesh_name(m, x), *path = NULL;
    if (!joined || !m->path || !can_read(joined)) {
        return NULL;
    }
    const char *name = bare_name(m, soa_xml_get(x, "file"));
    const char *const choices[3] = { soa_file_beside(&m->arena, m->path, joined),
        soa_file_beside(&m->arena, x->file, joined), soa_file_beside(&m->arena, x->file, name) };
    for (int i = 0; i < 3; i++) {
        if (soa_got(&m->kit.outcome, choices[i]) && !path && soa_file_exists(choices[i])) {
            path = choices[i];
        }
    }
    return path;
}

static void read_mesh(mjcf *m, mjcf_mesh *mesh)
{
    const int mode = soa_xml_word(mesh->element, "inertia", modes, m->compiler.exact_mesh ? EXACT : LEGACY);
    const char *path = find_file(m, mesh->element);
    mesh->state = MJCF_MESH_UNKNOWN;
    if (!path || mode == CONVEX) {
        return;
    }
    soa_array triangles = soa_array_of(9 * sizeof(double));
    soa_mjcf_mesh_file(m, mesh->element, path, &triangles);
    if (soa_mjcf_ok(m)) {
        transform(mesh->element, &triangles);
        solid_of(mesh, &triangles, mode);
    }
    soa_array_free(&triangles, m->kit.allocator);
}

mjcf_mesh *soa_mjcf_find_mesh(const mjcf *m, const char *name)
{
    const int index = soa_names_find(&m->mesh_names, name);
    return index < 0 ? NULL : soa_array_at(&m->meshes, index);
}

const mjcf_mesh *soa_mjcf_mesh(mjcf *m, const soa_xml *geom, const char *name)
{
    mjcf_mesh *mesh = soa_mjcf_find_mesh(m, name);
    if (!mesh) {
        soa_xml_fail(geom, SOA_E_NAME, "unknown mesh \"%.100s\"", name);
    } else if (mesh->state == MJCF_MESH_UNREAD) {
        read_mesh(m, mesh);
    }
    return mesh;
}

/* ---- <asset> --------------------------------------------------------------------------- */

/* A mesh without a name has that of its file, without folder and ending. */
static const char *name_of(mjcf *m, const soa_xml *x)
{
    const char *name = soa_xml_get(x, "name");
    const char *file = soa_xml_get(x, "file");
    if (name || !file) {
        return name ? name : "";
    }
    const char *slash = strrchr(file, '/');
    const char *start = slash ? slash + 1 : file;
    const char *dot = strrchr(start, '.');
    return soa_arena_text_n(&m->arena, start, dot ? (size_t)(dot - start) : strlen(start));
}

void soa_mjcf_read_asset(mjcf *m, soa_xml *section)
{
    for (const soa_xml *x = soa_xml_child(section, "material"); x; x = soa_xml_next(x, "material")) {
        const char *name = soa_xml_get(x, "name");
        const soa_xml **place = name ? soa_kit_push(&m->kit, &m->materials) : NULL;
        if (place) {
            *place = x;
            soa_kit_index(&m->kit, &m->material_names, name, m->materials.count - 1);
        }
    }
    for (soa_xml *x = soa_xml_child(section, "mesh"); x && soa_mjcf_ok(m); x = soa_xml_next(x, "mesh")) {
        soa_mjcf_dress(m, x, soa_mjcf_class(m, x, "class", 0));
        const char *name = name_of(m, x);
        mjcf_mesh *mesh = soa_got(&m->kit.outcome, name) ? soa_kit_push(&m->kit, &m->meshes) : NULL;
        if (!mesh) {
            return;
        }
        mesh->element = x;
        if (soa_mjcf_find_mesh(m, name)) {
            soa_xml_fail(x, SOA_E_NAME, "mesh \"%.100s\" is defined twice", name);
        }
        soa_kit_index(&m->kit, &m->mesh_names, name, m->meshes.count - 1);
    }
}
