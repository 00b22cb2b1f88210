/* io/mjcf_read.c - MJCF, the format of MuJoCo: sections, <compiler>, <option>.
 *
 * Read: bodies, joints, inertias (written or from geoms), sites, equalities,
 * keyframes, gravity. Skipped with a remark: what does not belong to the
 * mechanism (actuators, tendons, contacts, sensors). */
#include "core/kind_words.h"
#include "io/mjcf.h"

/* ---- <compiler>, <option> --------------------------------------------------------------- */

static void read_compiler(mjcf *m, soa_xml *x)
{
    static const char *const angles[] = { "radian", "degree", NULL }, *const places[] = { "local", NULL };
    static const char *const from_geom[] = { "auto", "true", "false", NULL };
    mjcf_compiler *c = &m->compiler;
    c->degree = soa_xml_word(x, "angle", angles, c->degree) == 1;
    soa_xml_word(x, "coordinate", places, 0);
    c->from_geom = (mjcf_from_geom)soa_xml_word(x, "inertiafromgeom", from_geom, (int)c->from_geom);
    const char *euler = soa_xml_get(x, "eulerseq");
    if (euler && (strlen(euler) != 3 || strspn(euler, "xyzXYZ") != 3)) {
        soa_xml_fail(x, SOA_E_SYNTAX, "eulerseq is three letters of xyzXYZ, such as \"xyz\"");
    } else if (euler) {
        strcpy(c->euler, euler);
    }
    soa_xml_boolean(x, "autolimits", &c->autolimits);
    soa_xml_boolean(x, "strippath", &c->strip_path);
    soa_xml_boolean(x, "balanceinertia", &c->balance_inertia);
    soa_xml_boolean(x, "exactmeshinertia", &c->exact_mesh);
    soa_xml_numbers(x, "inertiagrouprange", 2, c->group);
    soa_xml_number(x, "boundmass", &c->bound_mass);
    soa_xml_number(x, "boundinertia", &c->bound_inertia);
    soa_xml_number(x, "settotalmass", &c->total_mass);
    const char *mesh_folder = soa_xml_get(x, "meshdir"), *asset_folder = soa_xml_get(x, "assetdir");
    c->mesh_folder = mesh_folder ? mesh_folder : asset_folder ? asset_folder : c->mesh_folder;
}

static void read_option(mjcf *m, soa_xml *x)
{
    static const char *const switches[] = { "disable", "enable", NULL };
    static const char *const forces[] = { "constraint", "equality", "frictionloss", "passive", "spring", "damper" };
    double medium[2] = { 0.0, 0.0 };
    soa_xml_numbers(x, "gravity", 3, m->gravity);
    soa_xml_number(x, "density", &medium[0]);
    soa_xml_number(x, "viscosity", &medium[1]);
    if (medium[0] != 0.0 || medium[1] != 0.0) {
        soa_kit_warn(&m->kit, soa_xml_source(x), "the forces of the surrounding medium are skipped");
    }
    const soa_xml *flag = soa_xml_child(x, "flag");
    if (flag && soa_xml_word(flag, "gravity", switches, 1) == 0) {
        memset(m->gravity, 0, sizeof m->gravity);
    }
    for (size_t i = 0; flag && i < sizeof forces / sizeof forces[0]; i++) {
        if (soa_xml_word(flag, forces[i], switches, 1) == 0) {
            soa_kit_warn(&m->kit, soa_xml_source(flag),
                "flag %s=\"disable\" is skipped: the model keeps its %s figures", forces[i], forces[i]);
        }
    }
}

/* ---- after the bodies -------------------------------------------------------------------- */

/* settotalmass: all masses and moments by one factor. */
static void scale_masses(mjcf *m, const soa_xml *root)
{
    const int links = m->compiler.total_mass > 0.0 ? soa_builder_links(m->kit.builder) : 0;
    double mass = 0.0;
    for (int i = 0; i < links; i++) {
        mass += soa_builder_link(m->kit.builder, i)->inertia.mass;
    }
    if (m->compiler.total_mass > 0.0 && (m->unknown_links.count > 0 || mass <= 0.0)) {
        soa_kit_warn(&m->kit, soa_xml_source(root), "settotalmass is skipped: %s",
            mass > 0.0 ? "part of the mass is unknown" : "nothing has mass");
        return;
    }
    for (int i = 0; i < links; i++) {
        soa_link link = *soa_builder_link(m->kit.builder, i);
        const double factor = m->compiler.total_mass / mass;
        link.inertia.mass *= factor;
        for (int j = 0; j < 6; j++) {
            link.inertia.moment[j] *= factor;
        }
        soa_kit_set_link(&m->kit, i, &link);
    }
}

static void remark_all(mjcf *m)
{
    static const char *const words[] = { MJCF_REMARK_LIST(SOA_SECOND) };
    if (m->unknown_mass.count > 0) {
        soa_kit_warn(&m->kit, soa_xml_source(m->unknown_mass.first),
            "%d mesh geoms in %d links have an unknown mass: their mesh files are absent or of another kind than "
            "OBJ and STL; add them, or an <inertial>",
            m->unknown_mass.count, m->unknown_links.count);
    }
    for (int i = 0; i < MJCF_REMARKS; i++) {
        const soa_xml_tally *t = &m->met[i];
        if (t->count > 0 && i == MJCF_STRANGER) {
            soa_kit_warn(&m->kit, soa_xml_source(t->first), "%d %s %.60s of <%s>", t->count, words[i], t->attribute,
                t->first->name);
        } else if (t->count > 0) {
            soa_kit_warn(&m->kit, soa_xml_source(t->first), "%d %s", t->count, words[i]);
        }
    }
}

/* ---- sections ---------------------------------------------------------------------------- */

/* In the order in which they are read, wherever they stand. */
static const struct {
    const char *name;
    void (*read)(mjcf *m, soa_xml *section);
} sections[] = {
    { "compiler", read_compiler },
    { "option", read_option },
    { "default", soa_mjcf_read_default },
    { "asset", soa_mjcf_read_asset },
    { "worldbody", soa_mjcf_read_world },
    { "equality", soa_mjcf_read_equality },
    { "keyframe", soa_mjcf_read_keyframe },
};

enum { SECTIONS = sizeof sections / sizeof sections[0] };

static void read_sections(mjcf *m, const soa_xml *root)
{
    for (int i = 0; i < SECTIONS; i++) {
        const char *name = sections[i].name;
        for (soa_xml *x = soa_xml_child(root, name); x && soa_mjcf_ok(m); x = soa_xml_next(x, name)) {
            sections[i].read(m, x);
        }
    }
}

/* Sections that are skipped: with how many of their elements, or (NULL) in silence. */
static const struct {
    const char *name, *what;
} skipped[] = { { "actuator", "actuators" }, { "tendon", "tendons" }, { "contact", "contact pairs" },
    { "sensor", "sensors" }, { "deformable", "deformables" }, { "extension", "extensions" },
    { "custom", "custom items" }, { "visual", NULL }, { "statistic", NULL }, { "size", NULL } };

enum { SKIPPED = sizeof skipped / sizeof skipped[0] };

static void skip_sections(mjcf *m, const soa_xml *root)
{
    for (int i = 0; i < SKIPPED; i++) {
        soa_xml_tally tally = { 0 };
        for (const soa_xml *x = soa_xml_child(root, skipped[i].name); x; x = soa_xml_next(x, skipped[i].name)) {
            for (const soa_xml *y = x->child; y; y = y->next) {
                soa_xml_count(&tally, y);
            }
        }
        if (tally.count > 0 && skipped[i].what) {
            soa_kit_warn(&m->kit, soa_xml_source(tally.first->parent), "%d %s skipped", tally.count, skipped[i].what);
        }
    }
    for (const soa_xml *x = root->child; x; x = x->next) {
        bool known = false;
        for (int i = 0; i < SECTIONS + SKIPPED; i++) {
            known = known || soa_xml_is(x, i < SECTIONS ? sections[i].name : skipped[i - SECTIONS].name);
        }
        if (!known) {
            soa_kit_warn(&m->kit, soa_xml_source(x), "unknown element <%.60s> in <mujoco> skipped", x->name);
        }
    }
}

/* ---- the file ---------------------------------------------------------------------------- */

static void read_root(mjcf *m, soa_xml *root)
{
    const char *name = soa_xml_get(root, "model");
    if (!soa_xml_is(root, "mujoco")) {
        soa_halt(
            &m->kit.outcome, SOA_E_SYNTAX, root->file, root->line, "root element <%.60s> is not <mujoco>", root->name);
        return;
    }
    if (name && name[0]) {
        soa_kit_name(&m->kit, name);
    }
    soa_mjcf_include(m, root);
    read_sections(m, root);
    if (soa_mjcf_ok(m)) {
        scale_masses(m, root);
        soa_builder_set_gravity(m->kit.builder, m->gravity);
        remark_all(m);
        skip_sections(m, root);
    }
}

static void release(mjcf *m)
{
    soa_names *const names[] = { &m->material_names, &m->included, &m->class_names, &m->mesh_names, &m->site_names,
        &m->link_names, &m->joint_names };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        soa_names_free(names[i], m->kit.allocator);
    }
    soa_array_free(&m->classes, m->kit.allocator);
    soa_array_free(&m->meshes, m->kit.allocator);
    soa_array_free(&m->materials, m->kit.allocator);
    soa_array_free(&m->sites, m->kit.allocator);
    soa_arena_free(&m->arena);
}

soa_status soa_mjcf_read(soa_builder *builder, const char *text, size_t length, const char *path,
    const soa_allocator *allocator, soa_error *error)
{
    mjcf m = { .kit = { { error, SOA_OK }, builder, allocator },
        .arena = soa_arena_on(allocator),
        .path = path,
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
    soa_kit_push(&m.kit, &m.classes); /* the class that holds for everything */
    soa_kit_index(&m.kit, &m.class_names, "main", 0);
    soa_xml *root = soa_xml_parse(&m.arena, text, length, path ? path : "text", false, &m.kit.outcome);
    if (root) {
        read_root(&m, root);
    }
    if (!soa_mjcf_ok(&m) && error && soa_names_find(&m.included, error->file) == MJCF_OUTSIDE) {
        soa_file_hide(error);
    }
    release(&m);
    return m.kit.outcome.status;
}
