/* io/urdf_read.c - URDF: the links, joints and couplings of a <robot>.
 *
 * The root link hangs on the world by a weld without a name. Nothing is added: a
 * robot that floats needs a joint of type floating. */
#include "io/urdf.h"

/* The element after this one, depth first; NULL after the last. */
static const soa_xml *following(const soa_xml *element)
{
    if (element->child) {
        return element->child;
    }
    while (element && !element->next) {
        element = element->parent;
    }
    return element ? element->next : NULL;
}

static void refuse_xacro(const soa_xml *root)
{
    for (const soa_xml *e = root; e; e = following(e)) {
        if (strncmp(e->name, "xacro:", 6) == 0) {
            soa_halt(e->outcome, SOA_E_SYNTAX, e->file, e->line,
                "<%.60s>: this is xacro, not URDF; expand it first with: xacro FILE.xacro > FILE.urdf", e->name);
        }
    }
}

static void add_link(urdf *u, const urdf_link *from)
{
    soa_link link = soa_link_default(from->name, SOA_WORLD, SOA_FIXED);
    link.source = soa_xml_source(from->element);
    soa_urdf_inertial(u, from->element, &link);
    if (from->joint >= 0) {
        urdf_joint *joint = &u->joint[from->joint];
        link.parent = joint->parent < 0 ? SOA_WORLD : u->link[joint->parent].index;
        link.joint = soa_urdf_joint(u, joint);
    }
    soa_kit_link(&u->kit, &link);
}

static void add_links(urdf *u)
{
    if (u->base >= 0) {
        add_link(u, &u->link[u->base]);
    }
    for (int j = 0; j < u->joints && soa_ok(&u->kit.outcome); j++) {
        add_link(u, &u->link[u->joint[j].child]);
    }
    for (int j = 0; j < u->joints && soa_ok(&u->kit.outcome); j++) {
        soa_urdf_mimic(u, &u->joint[j]);
    }
}

static void read_robot(urdf *u)
{
    const char *name = soa_xml_get(u->root, "name");
    refuse_xacro(u->root);
    if (name && *name) {
        soa_kit_name(&u->kit, soa_urdf_name(u->root, "name"));
    }
    void (*const part[])(urdf *) = { soa_urdf_tree, soa_urdf_transmissions, add_links, soa_urdf_frames,
        soa_urdf_geometry, soa_urdf_remarks };
    for (size_t i = 0; i < sizeof part / sizeof *part && soa_ok(&u->kit.outcome); i++) {
        part[i](u);
    }
}

soa_status soa_urdf_read(soa_builder *builder, const char *text, size_t length, const char *path,
    const soa_allocator *allocator, soa_error *error)
{
    urdf u = { .kit = { { error, SOA_OK }, builder, allocator }, .arena = soa_arena_on(allocator) };
    u.root = soa_xml_parse(&u.arena, text, length, path, false, &u.kit.outcome);
    if (u.root && !soa_xml_is(u.root, "robot")) {
        soa_halt(&u.kit.outcome, SOA_E_SYNTAX, path, u.root->line,
            "root element <%.60s> is not <robot>: this is no URDF", u.root->name);
    } else if (u.root) {
        read_robot(&u);
    }
    soa_names_free(&u.link_names, allocator);
    soa_names_free(&u.joint_names, allocator);
    soa_names_free(&u.material_names, allocator);
    soa_arena_free(&u.arena);
    return u.kit.outcome.status;
}
