/* io/mjcf_read.c - MJCF, the format of MuJoCo: sections, <compiler>, <option>.
 *
 * Read: bodies, joints, inertias (written or from geoms), sites, equalities,
 * keyframes, gravity. Skipped with a remark: what does not belong to the
 * mechanism (actuators, tendons, contacts, sensors). */
#include <string.h>

#include "core/error.h"
#include "io/mjcf.h"

bool soa_mjcf_ok(mjcf *m, soa_status status)
{
    m->status = status;
    return status == SOA_OK;
}

void soa_mjcf_count(mjcf_tally *tally, const soa_xml *element)
{
    tally->first = tally->count == 0 ? element : tally->first;
    tally->count++;
}

/* ---- <compiler>, <option> --------------------------------------------------------------- */

static bool read_euler_sequence(mjcf *m, const soa_xml *x)
{
    const char *text = soa_xml_get(x, "eulerseq");
    if (!text) {
        return true;
    }
    if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3) {
        return soa_mjcf_ok(
            m, soa_xml_fail(x, SOA_E_SYNTAX, m->error, "eulerseq is three letters of xyzXYZ, such as \"xyz\""));
    }
    strcpy(m->compiler.euler, text);
    return true;
}

static bool read_compiler(mjcf *m, const soa_xml *x)
{
    static const char *const angles[] = { "radian", "degree", NULL }, *const places[] = { "local", NULL };
    static const char *const from_geom[] = { "auto", "true", "false", NULL };
    const mjcf_layer view = soa_mjcf_plain(x);
    mjcf_compiler *c = &m->compiler;
    int degree, from, local;
    if (!soa_mjcf_word(m, &view, "angle", angles, c->degree, &degree) ||
        !soa_mjcf_word(m, &view, "coordinate", places, 0, &local) ||
        !soa_mjcf_word(m, &view, "inertiafromgeom", from_geom, (int)c->from_geom, &from) ||
        !read_euler_sequence(m, x) || !soa_mjcf_boolean(m, &view, "autolimits", &c->autolimits) ||
        !soa_mjcf_boolean(m, &view, "strippath", &c->strip_path) ||
        !soa_mjcf_boolean(m, &view, "balanceinertia", &c->balance_inertia) ||
        !soa_mjcf_boolean(m, &view, "exactmeshinertia", &c->exact_mesh) ||
        !soa_mjcf_numbers(m, &view, "inertiagrouprange", 2, c->group, NULL) ||
        !soa_mjcf_number(m, &view, "boundmass", &c->bound_mass) ||
        !soa_mjcf_number(m, &view, "boundinertia", &c->bound_inertia) ||
        !soa_mjcf_number(m, &view, "settotalmass", &c->total_mass)) {
        return false;
    }
    const char *mesh_folder = soa_xml_get(x, "meshdir");
    const char *asset_folder = soa_xml_get(x, "assetdir");
    c->mesh_folder = mesh_folder ? mesh_folder : asset_folder ? asset_folder : c->mesh_folder;
    c->degree = degree == 1;
    c->from_geom = (mjcf_from_geom)from;
    return true;
}

static bool read_option(mjcf *m, const soa_xml *x)
{
    static const char *const switches[] = { "disable", "enable", NULL };
    static const char *const forces[] = { "constraint", "equality", "frictionloss", "passive", "spring", "damper" };
    const mjcf_layer view = soa_mjcf_plain(x);
    double medium[2] = { 0.0, 0.0 };
    if (!soa_mjcf_numbers(m, &view, "gravity", 3, m->gravity, NULL) ||
        !soa_mjcf_number(m, &view, "density", &medium[0]) || !soa_mjcf_number(m, &view, "viscosity", &medium[1])) {
        return false;
    }
    if ((medium[0] != 0.0 || medium[1] != 0.0) &&
        !soa_mjcf_ok(m, soa_builder_warn(m->builder, soa_xml_source(x), m->error,
                            "the forces of the surrounding medium are skipped"))) {
        return false;
    }
    const soa_xml *flag = soa_xml_child(x, "flag");
    if (!flag) {
        return true;
    }
    const mjcf_layer flags = soa_mjcf_plain(flag);
    int on;
    if (!soa_mjcf_word(m, &flags, "gravity", switches, 1, &on)) {
        return false;
    }
    if (!on) {
        memset(m->gravity, 0, sizeof m->gravity);
    }
    for (size_t i = 0; i < sizeof forces / sizeof forces[0]; i++) {
        if (!soa_mjcf_word(m, &flags, forces[i], switches, 1, &on) ||
            (!on && !soa_mjcf_ok(m,
                        soa_builder_warn(m->builder, soa_xml_source(flag), m->error,
                            "flag %s=\"disable\" is skipped: the model keeps its %s figures", forces[i], forces[i])))) {
            return false;
        }
    }
    return true;
}

/* ---- after the bodies -------------------------------------------------------------------- */

/* settotalmass: all masses and moments by one factor. */
static bool scale_masses(mjcf *m, const soa_xml *root)
{
    double mass = 0.0;
    if (m->compiler.total_mass <= 0.0) {
        return true;
    }
    for (int i = 0; i < soa_builder_links(m->builder); i++) {
        mass += soa_builder_link(m->builder, i)->inertia.mass;
    }
    if (m->unknown_links.count > 0 || mass <= 0.0) {
        return soa_mjcf_ok(
            m, soa_builder_warn(m->builder, soa_xml_source(root), m->error, "settotalmass is skipped: %s",
                   mass > 0.0 ? "part of the mass is unknown" : "nothing has mass"));
    }
    for (int i = 0; i < soa_builder_links(m->builder); i++) {
        soa_link link = *soa_builder_link(m->builder, i);
        const double factor = m->compiler.total_mass / mass;
        link.inertia.mass *= factor;
        for (int j = 0; j < 6; j++) {
            link.inertia.moment[j] *= factor;
        }
        if (!soa_mjcf_ok(m, soa_builder_set_link(m->builder, i, &link, m->error))) {
            return false;
        }
    }
    return true;
}

static bool remark(mjcf *m, const mjcf_tally *tally, const char *what)
{
    return tally->count == 0 || soa_mjcf_ok(m, soa_builder_warn(m->builder, soa_xml_source(tally->first), m->error,
                                                   "%d %s", tally->count, what));
}

static bool remark_unknown(mjcf *m)
{
    const mjcf_tally *geoms = &m->unknown_mass, *moments = &m->unknown_moment;
    if (geoms->count > 0 &&
        !soa_mjcf_ok(m,
            soa_builder_warn(m->builder, soa_xml_source(geoms->first), m->error,
                "%d mesh geoms in %d links have an unknown mass: their mesh files are absent or of another kind than "
                "OBJ and STL; add them, or an <inertial>",
                geoms->count, m->unknown_links.count))) {
        return false;
    }
    return moments->count == 0 ||
           soa_mjcf_ok(m,
               soa_builder_warn(m->builder, soa_xml_source(moments->first), m->error,
                   "%d mesh geoms have a known mass but unknown moments: they are read as point masses; add their mesh "
                   "files, or an <inertial>",
                   moments->count));
}

static bool remark_attributes(mjcf *m)
{
    const mjcf_tally *t = &m->strangers;
    return t->count == 0 || soa_mjcf_ok(m, soa_builder_warn(m->builder, soa_xml_source(t->first), m->error,
                                               "%d unknown attributes skipped; the first is %.60s of <%s>", t->count,
                                               m->stranger, t->first->name));
}

static bool remark_all(mjcf *m)
{
    return remark_unknown(m) && remark_attributes(m) &&
           remark(m, &m->springdamper, "springdamper of joints skipped; write stiffness and damping") &&
           remark(m, &m->polynomial, "stiffness or damping of joints read to first order only") &&
           remark(m, &m->force_range, "force ranges of joints skipped: they are not symmetric") &&
           remark(m, &m->gravity_compensation, "gravcomp of bodies skipped: gravity acts on them in full") &&
           remark(
               m, &m->strange_geometry, "geoms cannot be kept as shapes: height fields, fitted or incomplete ones") &&
           remark(m, &m->plugin, "plugins skipped") &&
           remark(m, &m->inactive_coupling, "inactive joint equalities skipped") &&
           remark(m, &m->other_equality, "tendon or flex equalities skipped");
}

/* ---- sections ---------------------------------------------------------------------------- */

typedef struct section {
    const char *name;
    bool (*read)(mjcf *m, const soa_xml *section);
} section;

/* In the order in which they are read, wherever they stand. */
static const section sections[] = {
    { "compiler", read_compiler },
    { "option", read_option },
    { "default", soa_mjcf_read_default },
    { "asset", soa_mjcf_read_asset },
    { "worldbody", soa_mjcf_read_world },
    { "equality", soa_mjcf_read_equality },
    { "keyframe", soa_mjcf_read_keyframe },
};

enum { SECTIONS = sizeof sections / sizeof sections[0] };

static bool read_sections(mjcf *m, const soa_xml *root)
{
    for (int i = 0; i < SECTIONS; i++) {
        for (const soa_xml *x = soa_xml_child(root, sections[i].name); x; x = soa_xml_next(x, sections[i].name)) {
            if (!sections[i].read(m, x)) {
                return false;
            }
        }
    }
    return true;
}

/* Sections that are skipped: with how many of their elements, or in silence. */
static bool skip_sections(mjcf *m, const soa_xml *root)
{
    static const struct {
        const char *name, *what;
    } told[] = { { "actuator", "actuators" }, { "tendon", "tendons" }, { "contact", "contact pairs" },
        { "sensor", "sensors" }, { "deformable", "deformables" }, { "extension", "extensions" },
        { "custom", "custom items" } };
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        mjcf_tally tally = { 0 };
        for (const soa_xml *x = soa_xml_child(root, told[i].name); x; x = soa_xml_next(x, told[i].name)) {
            for (const soa_xml *y = x->child; y; y = y->next) {
                soa_mjcf_count(&tally, y);
            }
        }
        if (tally.count > 0 && !soa_mjcf_ok(m, soa_builder_warn(m->builder, soa_xml_source(tally.first->parent),
                                                   m->error, "%d %s skipped", tally.count, told[i].what))) {
            return false;
        }
    }
    return true;
}

static bool remark_strangers(mjcf *m, const soa_xml *root)
{
    static const char *const silent[] = { "actuator", "tendon", "contact", "sensor", "deformable", "extension",
        "custom", "visual", "statistic", "size", NULL };
    for (const soa_xml *x = root->child; x; x = x->next) {
        bool known = false;
        for (int i = 0; i < SECTIONS; i++) {
            known = known || strcmp(x->name, sections[i].name) == 0;
        }
        for (int i = 0; silent[i]; i++) {
            known = known || strcmp(x->name, silent[i]) == 0;
        }
        if (!known && !soa_mjcf_ok(m, soa_builder_warn(m->builder, soa_xml_source(x), m->error,
                                          "unknown element <%.60s> in <mujoco> skipped", x->name))) {
            return false;
        }
    }
    return true;
}

/* ---- the file ---------------------------------------------------------------------------- */

static bool read_root(mjcf *m, soa_xml *root)
{
    if (strcmp(root->name, "mujoco") != 0) {
        return soa_mjcf_ok(m, soa_fail_at(m->error, SOA_E_SYNTAX, root->file, root->line,
                                  "root element <%.60s> is not <mujoco>", root->name));
    }
    const char *name = soa_xml_get(root, "model");
    if (name && name[0] && !soa_mjcf_ok(m, soa_builder_set_name(m->builder, name, m->error))) {
        return false;
    }
    if (!soa_mjcf_include(m, root) || !read_sections(m, root) || !scale_masses(m, root)) {
        return false;
    }
    soa_builder_set_gravity(m->builder, m->gravity);
    return remark_all(m) && skip_sections(m, root) && remark_strangers(m, root);
}

/* The class that holds for everything. */
static bool start(mjcf *m)
{
    return (soa_array_push(&m->classes, m->allocator) && soa_names_add(&m->class_names, m->allocator, "main", 0)) ||
           soa_mjcf_ok(m, soa_fail_memory(m->error));
}

static void release(mjcf *m)
{
    soa_names *const names[] = { &m->material_names, &m->included, &m->class_names, &m->mesh_names, &m->site_names,
        &m->link_names, &m->joint_names };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        soa_names_free(names[i], m->allocator);
    }
    soa_array_free(&m->classes, m->allocator);
    soa_array_free(&m->meshes, m->allocator);
    soa_array_free(&m->materials, m->allocator);
    soa_array_free(&m->sites, m->allocator);
    soa_arena_free(&m->arena);
}

soa_status soa_mjcf_read(soa_builder *builder, const char *text, size_t length, const char *path,
    const soa_allocator *allocator, soa_error *error)
{
    mjcf m = { .builder = builder,
        .allocator = allocator,
        .arena = soa_arena_on(allocator),
        .path = path,
        .error = error,
        .compiler = { .degree = true,
            .autolimits = true,
            .group = { 0.0, 5.0 },
            .total_mass = -1.0,
            .mesh_folder = "",
            .euler = "xyz" },
        .gravity = { 0.0, 0.0, -9.81 },
        .classes = soa_array_of(sizeof(mjcf_class)),
        .meshes = soa_array_of(sizeof(mjcf_mesh)),
        .materials = soa_array_of(sizeof(const soa_xml *)),
        .sites = soa_array_of(sizeof(mjcf_site)) };
    soa_xml *root;
    if (start(&m) && soa_mjcf_ok(&m, soa_xml_parse(&m.arena, text, length, path ? path : "text", &root, error))) {
        read_root(&m, root);
    }
    if (m.status != SOA_OK && error && soa_names_find(&m.included, error->file) == MJCF_OUTSIDE) {
        soa_file_hide(error);
    }
    release(&m);
    return m.status;
}
