/* io/mjcf_geom.c - mass, centre and moments of one geom.
 *
 * size: sphere r; capsule and cylinder r, half length (along z); ellipsoid and
 * box three half axes. With fromto only the first of them is needed. */
#include <math.h>

#include "io/mjcf.h"

enum { PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF };

static const char *const types[] = { "plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh",
    "sdf", NULL };

static const double pi = 3.14159265358979323846;
static const double no_mass = 1e-14; /* MuJoCo leaves lighter geoms out */

/* A shape of density 1, or of surface density 1: mass and principal moments. */
typedef struct shape {
    double mass;
    double moment[3];
} shape;

static shape axial(double mass, double across, double along)
{
    return (shape){ mass, { across, across, along } };
}

/* ---- solids ------------------------------------------------------------------------- */

static shape ball(double r)
{
    const double mass = 4.0 / 3.0 * pi * r * r * r;
    const double i = 0.4 * mass * r * r;
    return axial(mass, i, i);
}

static shape cylinder(double r, double half)
{
    const double mass = 2.0 * pi * r * r * half;
    return axial(mass, mass * (r * r / 4.0 + half * half / 3.0), 0.5 * mass * r * r);
}

/* A cylinder and two half balls, whose centres of mass are 3r/8 off their plane. */
static shape capsule(double r, double half)
{
    const shape c = cylinder(r, half);
    const shape b = ball(r);
    const double across = b.moment[0] + b.mass * half * (half + 0.75 * r);
    return axial(c.mass + b.mass, c.moment[0] + across, c.moment[2] + b.moment[2]);
}

/* Moments of a body whose mean squares of x, y, z are those. */
static shape from_squares(double mass, double xx, double yy, double zz)
{
    return (shape){ mass, { mass * (yy + zz), mass * (xx + zz), mass * (xx + yy) } };
}

static shape ellipsoid(const double s[3])
{
    const double mass = 4.0 / 3.0 * pi * s[0] * s[1] * s[2];
    return from_squares(mass, s[0] * s[0] / 5.0, s[1] * s[1] / 5.0, s[2] * s[2] / 5.0);
}

static shape box(const double s[3])
{
    const double mass = 8.0 * s[0] * s[1] * s[2];
    return from_squares(mass, s[0] * s[0] / 3.0, s[1] * s[1] / 3.0, s[2] * s[2] / 3.0);
}

/* ---- shells ------------------------------------------------------------------------- */

static shape sphere_shell(double r)
{
    const double mass = 4.0 * pi * r * r;
    const double i = 2.0 / 3.0 * mass * r * r;
    return axial(mass, i, i);
}

static shape tube(double r, double half)
{
    const double mass = 4.0 * pi * r * half;
    return axial(mass, mass * (r * r / 2.0 + half * half / 3.0), mass * r * r);
}

static shape cylinder_shell(double r, double half)
{
    const shape t = tube(r, half);
    const double lids = 2.0 * pi * r * r;
    return axial(t.mass + lids, t.moment[0] + lids * (r * r / 4.0 + half * half), t.moment[2] + 0.5 * lids * r * r);
}

/* The centre of mass of a half sphere is r/2 off its plane. */
static shape capsule_shell(double r, double half)
{
    const shape t = tube(r, half);
    const shape b = sphere_shell(r);
    const double across = b.moment[0] + b.mass * half * (half + r);
    return axial(t.mass + b.mass, t.moment[0] + across, t.moment[2] + b.moment[2]);
}

/* Pairs of faces across x, y, z. */
static shape box_shell(const double s[3])
{
    const double x = 8.0 * s[1] * s[2], y = 8.0 * s[0] * s[2], z = 8.0 * s[0] * s[1];
    const double mass = x + y + z;
    const double xx = s[0] * s[0] * (x + y / 3.0 + z / 3.0) / mass;
    const double yy = s[1] * s[1] * (x / 3.0 + y + z / 3.0) / mass;
    const double zz = s[2] * s[2] * (x / 3.0 + y / 3.0 + z) / mass;
    return from_squares(mass, xx, yy, zz);
}

static shape shape_of(int type, const double s[3], bool shell)
{
    switch (type) {
    case SPHERE:
        return shell ? sphere_shell(s[0]) : ball(s[0]);
    case CAPSULE:
        return shell ? capsule_shell(s[0], s[1]) : capsule(s[0], s[1]);
    case CYLINDER:
        return shell ? cylinder_shell(s[0], s[1]) : cylinder(s[0], s[1]);
    case ELLIPSOID:
        return ellipsoid(s);
    default:
        return shell ? box_shell(s) : box(s);
    }
}

/* ---- one geom ----------------------------------------------------------------------- */

/* What a geom says, read once. */
typedef struct geom {
    const soa_xml *element;
    int type;
    soa_pose at;
    double half; /* of fromto, or 0 */
    double mass; /* negative: not given */
    double density;
    bool shell;
} geom;

static void read_size(const geom *g, double size[3])
{
    static const int needed[] = { [SPHERE] = 1, [CAPSULE] = 2, [ELLIPSOID] = 3, [CYLINDER] = 2, [BOX] = 3 };
    const int count = soa_xml_numbers_up_to(g->element, "size", 3, size);
    int wanted = needed[g->type];
    if (g->half > 0.0) {
        const bool round = g->type == CAPSULE || g->type == CYLINDER;
        size[1] = round ? g->half : size[0];
        size[2] = g->half;
        wanted = 1;
    }
    for (int i = 0; i < wanted; i++) {
        if (i >= count || size[i] <= 0.0) {
            soa_xml_fail(g->element, SOA_E_NUMBER,
                "size of %s %s: %d positive number%s wanted; size or fromto is missing, zero or negative",
                strchr("aeiou", types[g->type][0]) ? "an" : "a", types[g->type], wanted, wanted == 1 ? "" : "s");
        }
    }
}

/* The body of density 1 in the geom's own frame. */
static soa_inertia primitive(const geom *g)
{
    double size[3] = { 0.0, 0.0, 0.0 };
    if (g->half > 0.0 && g->type == SPHERE) {
        soa_xml_fail(g->element, SOA_E_SYNTAX, "fromto is for capsule, cylinder, box or ellipsoid");
    } else if (g->shell && g->type == ELLIPSOID) {
        soa_xml_fail(
            g->element, SOA_E_UNSUPPORTED, "shellinertia of an ellipsoid is not supported; give an <inertial>");
    }
    read_size(g, size);
    const shape s = shape_of(g->type, size, g->shell);
    return (soa_inertia){ s.mass, { 0.0, 0.0, 0.0 }, { s.moment[0], 0.0, 0.0, s.moment[1], 0.0, s.moment[2] } };
}

/* Mass that is known goes to the middle of the geom; nobody knows its moment. */
static void add_unknown(mjcf *m, const geom *g, mjcf_sum *sum)
{
    if (g->mass > 0.0) {
        soa_inertia point = { .mass = g->mass };
        memcpy(point.com, g->at.position, sizeof point.com);
        sum->inertia = soa_inertia_add(&sum->inertia, &point);
        sum->no_moment++;
        soa_xml_count(&m->met[MJCF_UNKNOWN_MOMENT], g->element);
    } else {
        sum->no_mass++;
        soa_xml_count(&m->unknown_mass, g->element);
    }
}

/* The body of density 1 scaled to the mass wanted, at its place. */
static void add_known(const geom *g, const soa_inertia *body, mjcf_sum *sum)
{
    const double factor = g->mass >= 0.0 ? g->mass / body->mass : g->density;
    soa_inertia scaled = *body;
    scaled.mass *= factor;
    for (int i = 0; i < 6; i++) {
        scaled.moment[i] *= factor;
    }
    if (scaled.mass > no_mass) {
        scaled = soa_inertia_transform(&g->at, &scaled);
        sum->inertia = soa_inertia_add(&sum->inertia, &scaled);
    }
}

void soa_mjcf_add_geom(mjcf *m, const soa_xml *x, const soa_pose *at, mjcf_sum *sum)
{
    geom g = { .element = x, .mass = -1.0, .density = 1000.0 };
    double group = 0.0;
    g.type = soa_xml_word(x, "type", types, SPHERE);
    soa_xml_number(x, "group", &group);
    const bool has_mass = soa_xml_number(x, "mass", &g.mass);
    soa_xml_number(x, "density", &g.density);
    soa_xml_boolean(x, "shellinertia", &g.shell);
    if ((has_mass && g.mass < 0.0) || g.density < 0.0) {
        soa_xml_fail(x, SOA_E_NUMBER, "mass or density is negative");
    }
    const bool counts = group >= m->compiler.group[0] && group <= m->compiler.group[1];
    if (!soa_mjcf_ok(m) || !counts || g.type == PLANE || (has_mass ? g.mass == 0.0 : g.density == 0.0)) {
        return;
    }
    const soa_pose own = soa_mjcf_pose_fromto(m, x, &g.half);
    const char *mesh_name = soa_xml_text(x, "mesh");
    const mjcf_mesh *mesh = NULL;
    g.at = soa_pose_compose(at, &own);
    if (g.type == MESH && !mesh_name) {
        soa_xml_fail(x, SOA_E_NAME, "a geom of type mesh needs the attribute mesh");
    } else if (g.type == MESH) {
        mesh = soa_mjcf_mesh(m, x, mesh_name);
    }
    if (mesh && mesh->state == MJCF_MESH_KNOWN) {
        add_known(&g, &mesh->solid, sum);
    } else if (mesh_name || g.type == MESH || g.type == SDF || g.type == HFIELD) {
        add_unknown(m, &g, sum);
    } else {
        const soa_inertia body = primitive(&g);
        add_known(&g, &body, sum);
    }
}

void soa_mjcf_geom_shape(mjcf *m, const soa_xml *x, soa_geometry *geometry)
{
    static const soa_shape shape_of_type[] = { [PLANE] = SOA_SHAPE_PLANE,
        [HFIELD] = SOA_SHAPES,
        [SPHERE] = SOA_SHAPE_SPHERE,
        [CAPSULE] = SOA_SHAPE_CAPSULE,
        [ELLIPSOID] = SOA_SHAPE_ELLIPSOID,
        [CYLINDER] = SOA_SHAPE_CYLINDER,
        [BOX] = SOA_SHAPE_BOX,
        [MESH] = SOA_SHAPE_MESH,
        [SDF] = SOA_SHAPES };
    geom g = { .element = x, .type = soa_xml_word(x, "type", types, SPHERE) };
    double *size = geometry->size;
    geometry->at = soa_mjcf_pose_fromto(m, x, &g.half);
    geometry->shape = g.type != MESH && soa_xml_text(x, "mesh") ? SOA_SHAPES : shape_of_type[g.type];
    if (g.type == MESH || geometry->shape == SOA_SHAPES) {
        return;
    }
    if (g.type == PLANE) {
        soa_xml_numbers_up_to(x, "size", 3, size);
    } else {
        read_size(&g, size);
    }
    const bool round = g.type == CAPSULE || g.type == CYLINDER;
    for (int i = round; i < (g.type == BOX ? 3 : 2) && (round || g.type == BOX || g.type == PLANE); i++) {
        size[i] *= 2.0; /* MJCF gives half lengths */
    }
    for (int i = soa_shape_sizes(geometry->shape); i < 3; i++) {
        size[i] = 0.0;
    }
}
