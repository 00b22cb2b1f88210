/* io/urdf_tree.c - which links and joints a URDF has and how they hang together. */
#include "io/urdf.h"

/* ---- names ------------------------------------------------------------------------ */

/* The name of a link or joint; refuses one that another has. */
static const char *take_name(urdf *u, soa_names *names, const soa_xml *element, int number)
{
    const char *name = soa_urdf_name(element, "name");
    const int before = soa_names_find(names, name);
    if (before >= 0) {
        const bool link = names == &u->link_names;
        soa_xml_fail(element, SOA_E_NAME, "defined twice, here and in line %d; rename one",
            (link ? u->link[before].element : u->joint[before].element)->line);
    }
    soa_kit_index(&u->kit, names, name, number);
    return name;
}

static void number_all(urdf *u)
{
    int k = 0;
    for (soa_xml *e = soa_xml_child(u->root, "link"); e; e = soa_xml_next(e, "link"), k++) {
        u->link[k] = (urdf_link){ .element = e, .joint = -1, .name = take_name(u, &u->link_names, e, k) };
    }
    k = 0;
    for (soa_xml *e = soa_xml_child(u->root, "joint"); e; e = soa_xml_next(e, "joint"), k++) {
        u->joint[k] = (urdf_joint){ .element = e, .name = take_name(u, &u->joint_names, e, k) };
    }
}

/* ---- parents and children --------------------------------------------------------- */

/* <parent link="..."/> or <child link="..."/>: the number of the link, -1 if the
 * file has no such link. */
static int find_end(const urdf *u, const urdf_joint *joint, const char *end, const char **name)
{
    const soa_xml *element = soa_urdf_only(joint->element, end);
    *name = "";
    if (!element) {
        soa_xml_fail(joint->element, SOA_E_TREE, "<%s link=\"...\"/> is missing", end);
        return -1;
    }
    *name = soa_urdf_name(element, "link");
    return soa_names_find(&u->link_names, *name);
}

static void connect(urdf *u, int number)
{
    urdf_joint *joint = &u->joint[number];
    const char *parent, *child;
    joint->parent = find_end(u, joint, "parent", &parent);
    joint->child = find_end(u, joint, "child", &child);
    if (joint->parent < 0 && strcmp(parent, "world") != 0) {
        soa_xml_fail(joint->element, SOA_E_TREE, "parent link '%.60s' does not exist", parent);
    } else if (joint->child < 0) {
        soa_xml_fail(joint->element, SOA_E_TREE, "child link '%.60s' does not exist", child);
    } else if (joint->child == joint->parent) {
        soa_xml_fail(joint->element, SOA_E_TREE, "parent and child are the same link '%.60s'", child);
    } else if (u->link[joint->child].joint >= 0) {
        const urdf_joint *other = &u->joint[u->link[joint->child].joint];
        soa_xml_fail(joint->element, SOA_E_TREE,
            "link '%.60s' already is the child of joint '%.60s' in line %d; a URDF is a tree", child, other->name,
            other->element->line);
    } else {
        u->link[joint->child].joint = number;
    }
}

/* A file may use a link `world` that it does not declare: the inertial frame. */
static bool find_world(urdf *u)
{
    for (int j = 0; j < u->joints; j++) {
        if (u->joint[j].parent == SOA_WORLD) {
            soa_kit_warn(&u->kit, soa_xml_source(u->joint[j].element),
                "joint '%.60s': parent link 'world' is not declared; it is taken as the inertial frame",
                u->joint[j].name);
            return true;
        }
    }
    return false;
}

/* One root, which may be the world. No root at all is a loop, which the builder
 * finds and names. */
static void find_base(urdf *u)
{
    const bool world = find_world(u);
    u->base = -1;
    for (int k = 0; k < u->links && soa_ok(&u->kit.outcome); k++) {
        if (u->link[k].joint >= 0) {
            continue;
        }
        if (world || u->base >= 0) {
            soa_xml_fail(u->link[k].element, SOA_E_TREE, "a second root link, beside '%.60s'; connect them by a joint",
                world ? "world" : u->link[u->base].name);
        }
        u->base = k;
    }
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

void soa_urdf_tree(urdf *u)
{
    u->links = soa_xml_children(u->root, "link");
    u->joints = soa_xml_children(u->root, "joint");
    if (u->links == 0) {
        soa_xml_fail(u->root, SOA_E_TREE, "there are no links; give at least one <link name=\"...\"/>");
    } else if (u->links > SOA_MAX_LINKS) {
        soa_xml_fail(u->root, SOA_E_LIMIT, "there are more than %d links", SOA_MAX_LINKS);
    }
    u->link = soa_arena_take(&u->arena, (size_t)u->links + 1, sizeof *u->link);
    u->joint = soa_arena_take(&u->arena, (size_t)u->joints + 1, sizeof *u->joint);
    if (!soa_got(&u->kit.outcome, u->link) || !soa_got(&u->kit.outcome, u->joint)) {
        return;
    }
    number_all(u);
    for (int j = 0; j < u->joints && soa_ok(&u->kit.outcome); j++) {
        connect(u, j);
    }
    if (soa_ok(&u->kit.outcome)) {
        find_base(u);
        order(u);
    }
}
