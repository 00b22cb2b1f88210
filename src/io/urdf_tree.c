/* io/urdf_tree.c - which links and joints a URDF has and how they hang together. */
#include <string.h>

#include "core/error.h"
#include "io/urdf.h"

/* ---- names ------------------------------------------------------------------------ */

static int count_named(const soa_xml *root, const char *name)
{
    int n = 0;
    for (const soa_xml *e = soa_xml_child(root, name); e; e = soa_xml_next(e, name)) {
        n++;
    }
    return n;
}

/* Keeps the name; refuses one that `first` already has. */
static soa_status add_name(
    urdf *u, soa_names *names, const soa_xml *element, const char *name, int number, soa_error *error)
{
    const int before = soa_names_find(names, name);
    if (before >= 0) {
        const bool link = names == &u->link_names;
        return soa_xml_fail(element, SOA_E_NAME, error, "defined twice, here and in line %d; rename one",
            (link ? u->link[before].element : u->joint[before].element)->line);
    }
    return soa_names_add(names, u->allocator, name, number) ? SOA_OK : soa_fail_memory(error);
}

static soa_status number_links(urdf *u, soa_error *error)
{
    int k = 0;
    for (soa_xml *e = soa_xml_child(u->root, "link"); e; e = soa_xml_next(e, "link"), k++) {
        urdf_link *link = &u->link[k];
        *link = (urdf_link){ .element = e, .joint = -1 };
        soa_status status = soa_urdf_name(e, "name", &link->name, error);
        if (status == SOA_OK) {
            status = add_name(u, &u->link_names, e, link->name, k, error);
        }
        if (status != SOA_OK) {
            return status;
        }
    }
    return SOA_OK;
}

static soa_status number_joints(urdf *u, soa_error *error)
{
    int k = 0;
    for (soa_xml *e = soa_xml_child(u->root, "joint"); e; e = soa_xml_next(e, "joint"), k++) {
        urdf_joint *joint = &u->joint[k];
        *joint = (urdf_joint){ .element = e };
        soa_status status = soa_urdf_name(e, "name", &joint->name, error);
        if (status == SOA_OK) {
            status = add_name(u, &u->joint_names, e, joint->name, k, error);
        }
        if (status != SOA_OK) {
            return status;
        }
    }
    return SOA_OK;
}

/* ---- parents and children --------------------------------------------------------- */

/* <parent link="..."/> or <child link="..."/>: the number of the link, -1 if the
 * file has no such link. */
static soa_status find_end(
    const urdf *u, const urdf_joint *joint, const char *end, const char **name, int *link, soa_error *error)
{
    soa_xml *element;
    soa_status status = soa_urdf_only(joint->element, end, &element, error);
    if (status == SOA_OK && !element) {
        return soa_xml_fail(joint->element, SOA_E_TREE, error, "<%s link=\"...\"/> is missing", end);
    }
    if (status == SOA_OK) {
        status = soa_urdf_name(element, "link", name, error);
    }
    *link = status == SOA_OK ? soa_names_find(&u->link_names, *name) : -1;
    return status;
}

static soa_status connect(urdf *u, int number, soa_error *error)
{
    urdf_joint *joint = &u->joint[number];
    const char *parent = "", *child = "";
    soa_status status = find_end(u, joint, "parent", &parent, &joint->parent, error);
    if (status == SOA_OK) {
        status = find_end(u, joint, "child", &child, &joint->child, error);
    }
    if (status != SOA_OK) {
        return status;
    }
    if (joint->parent < 0 && strcmp(parent, "world") != 0) {
        return soa_xml_fail(joint->element, SOA_E_TREE, error, "parent link '%.60s' does not exist", parent);
    }
    if (joint->child < 0) {
        return soa_xml_fail(joint->element, SOA_E_TREE, error, "child link '%.60s' does not exist", child);
    }
    if (joint->child == joint->parent) {
        return soa_xml_fail(joint->element, SOA_E_TREE, error, "parent and child are the same link '%.60s'", child);
    }
    urdf_link *link = &u->link[joint->child];
    if (link->joint >= 0) {
        return soa_xml_fail(joint->element, SOA_E_TREE, error,
            "link '%.60s' already is the child of joint '%.60s' in line %d; a URDF is a tree", child,
            u->joint[link->joint].name, u->joint[link->joint].element->line);
    }
    link->joint = number;
    return SOA_OK;
}

/* A file may use a link `world` that it does not declare: the inertial frame. */
static soa_status find_world(const urdf *u, bool *world, soa_error *error)
{
    *world = false;
    for (int j = 0; j < u->joints; j++) {
        if (u->joint[j].parent == SOA_WORLD) {
            *world = true;
            return soa_builder_warn(u->builder, soa_xml_source(u->joint[j].element), error,
                "joint '%.60s': parent link 'world' is not declared; it is taken as the inertial frame",
                u->joint[j].name);
        }
    }
    return SOA_OK;
}

/* One root, which may be the world. No root at all is a loop, which the builder
 * finds and names. */
static soa_status find_base(urdf *u, soa_error *error)
{
    bool world;
    const soa_status status = find_world(u, &world, error);
    u->base = -1;
    for (int k = 0; k < u->links && status == SOA_OK; k++) {
        if (u->link[k].joint >= 0) {
            continue;
        }
        if (world || u->base >= 0) {
            return soa_xml_fail(u->link[k].element, SOA_E_TREE, error,
                "a second root link, beside '%.60s'; connect them by a joint", world ? "world" : u->link[u->base].name);
        }
        u->base = k;
    }
    return status;
}

/* The order in the builder: the root, then the children of the joints. */
static void order(urdf *u)
{
    const int first = u->base >= 0;
    if (first) {
        u->link[u->base].index = 0;
    }
    for (int j = 0; j < u->joints; j++) {
        u->link[u->joint[j].child].index = first + j;
    }
}

soa_status soa_urdf_tree(urdf *u, soa_arena *arena, soa_error *error)
{
    u->links = count_named(u->root, "link");
    u->joints = count_named(u->root, "joint");
    if (u->links == 0) {
        return soa_xml_fail(u->root, SOA_E_TREE, error, "there are no links; give at least one <link name=\"...\"/>");
    }
    if (u->links > SOA_MAX_LINKS) {
        return soa_xml_fail(u->root, SOA_E_LIMIT, error, "there are more than %d links", SOA_MAX_LINKS);
    }
    u->link = soa_arena_take(arena, (size_t)u->links, sizeof *u->link);
    u->joint = soa_arena_take(arena, (size_t)u->joints, sizeof *u->joint);
    if (!u->link || !u->joint) {
        return soa_fail_memory(error);
    }
    soa_status status = number_links(u, error);
    if (status == SOA_OK) {
        status = number_joints(u, error);
    }
    for (int j = 0; j < u->joints && status == SOA_OK; j++) {
        status = connect(u, j, error);
    }
    if (status == SOA_OK) {
        status = find_base(u, error);
    }
    if (status == SOA_OK) {
        order(u);
    }
    return status;
}
