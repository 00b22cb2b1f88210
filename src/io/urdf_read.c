/* io/urdf_read.c - URDF: the links, joints and couplings of a <robot>.
 *
 * The root link hangs on the world by a weld without a name. Nothing is added: a
 * robot that floats needs a joint of type floating. */
#include <string.h>

#include "core/error.h"
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

static soa_status refuse_xacro(const soa_xml *root, soa_error *error)
{
    for (const soa_xml *e = root; e; e = following(e)) {
        if (strncmp(e->name, "xacro:", 6) == 0) {
            return soa_fail_at(error, SOA_E_SYNTAX, e->file, e->line,
                "<%.60s>: this is xacro, not URDF; expand it first with: xacro FILE.xacro > FILE.urdf", e->name);
        }
    }
    return SOA_OK;
}

static soa_status add_link(const urdf *u, const urdf_link *from, soa_error *error)
{
    soa_link link = soa_link_default(from->name, SOA_WORLD, SOA_FIXED);
    link.joint.name = NULL;
    link.source = soa_xml_source(from->element);
    soa_status status = soa_urdf_inertial(u->builder, from->element, &link, error);
    if (status == SOA_OK && from->joint >= 0) {
        urdf_joint *joint = &u->joint[from->joint];
        link.parent = joint->parent < 0 ? SOA_WORLD : u->link[joint->parent].index;
        status = soa_urdf_joint(u->builder, joint, &link.joint, error);
    }
    return status == SOA_OK ? soa_builder_add_link(u->builder, &link, NULL, error) : status;
}

static soa_status add_links(const urdf *u, soa_error *error)
{
    soa_status status = u->base >= 0 ? add_link(u, &u->link[u->base], error) : SOA_OK;
    for (int j = 0; j < u->joints && status == SOA_OK; j++) {
        status = add_link(u, &u->link[u->joint[j].child], error);
    }
    for (int j = 0; j < u->joints && status == SOA_OK; j++) {
        status = soa_urdf_mimic(u, &u->joint[j], error);
    }
    return status;
}

static soa_status read_robot(urdf *u, soa_arena *arena, soa_error *error)
{
    const char *name = soa_xml_get(u->root, "name");
    soa_status status = refuse_xacro(u->root, error);
    if (status == SOA_OK && name && *name) {
        status = soa_urdf_name(u->root, "name", &name, error);
        status = status == SOA_OK ? soa_builder_set_name(u->builder, name, error) : status;
    }
    if (status == SOA_OK && (status = soa_urdf_tree(u, arena, error)) == SOA_OK &&
        (status = soa_urdf_transmissions(u, error)) == SOA_OK && (status = add_links(u, error)) == SOA_OK &&
        (status = soa_urdf_frames(u, error)) == SOA_OK && (status = soa_urdf_geometry(u, arena, error)) == SOA_OK) {
        status = soa_urdf_remarks(u, error);
    }
    return status;
}

soa_status soa_urdf_read(soa_builder *builder, const char *text, size_t length, const char *path,
    const soa_allocator *allocator, soa_error *error)
{
    soa_arena arena = soa_arena_on(allocator);
    urdf u = { .builder = builder, .allocator = allocator };
    soa_status status = soa_xml_parse(&arena, text, length, path, &u.root, error);
    if (status == SOA_OK && strcmp(u.root->name, "robot") != 0) {
        status = soa_fail_at(error, SOA_E_SYNTAX, path, u.root->line,
            "root element <%.60s> is not <robot>: this is no URDF", u.root->name);
    }
    if (status == SOA_OK) {
        status = read_robot(&u, &arena, error);
    }
    soa_names_free(&u.link_names, allocator);
    soa_names_free(&u.joint_names, allocator);
    soa_names_free(&u.material_names, allocator);
    soa_arena_free(&arena);
    return status;
}
