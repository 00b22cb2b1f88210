/* io/mjcf_body.c - <worldbody>: bodies become links, sites become frames.
 *
 * A body with several joints is a chain of links: one without mass per joint but
 * the last, named BODY/JOINT, then the body itself. They all have the frame of
 * the body, as MuJoCo applies the joints one after another to the same body. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "io/mjcf.h"

enum { DOFS_MOST = 6 };

/* A joint of a body, read. */
typedef struct mover {
    soa_joint joint;
    double anchor[3];
} mover;

typedef struct body {
    const soa_xml *element; /* NULL: the world */
    const char *name;
    int parent; /* link */
    soa_pose at;
    int class_index;
    soa_array items;  /* item, in the order of the document */
    soa_array movers; /* mover, one per joint */
    int link;
} body;

static const mover *mover_at(const body *b, int i)
{
    return soa_array_at(&b->movers, i);
}

static bool fail(mjcf *m, const soa_xml *x, soa_status status, const char *what)
{
    return soa_mjcf_ok(m, soa_xml_fail(x, status, m->error, "%s", what));
}

static bool is(const soa_xml *x, const char *name)
{
    return strcmp(x->name, name) == 0;
}

/* ---- names ---------------------------------------------------------------------------- */

/* first + second, or with a number behind if that is taken; it is taken then. */
static bool new_name(mjcf *m, soa_names *taken, const char *first, const char *second, const char **name)
{
    enum { NUMBER = 16 };
    const size_t size = strlen(first) + strlen(second) + NUMBER;
    char *text = soa_arena_take(&m->arena, size, 1);
    if (!text) {
        return soa_mjcf_ok(m, soa_fail_memory(m->error));
    }
    snprintf(text, size, "%s%s", first, second);
    for (int i = 2; soa_names_find(taken, text) >= 0; i++) {
        snprintf(text, size, "%s%s_%d", first, second, i);
    }
    *name = text;
    return soa_names_add(taken, m->allocator, text, 0) || soa_mjcf_ok(m, soa_fail_memory(m->error));
}

static bool name_body(mjcf *m, body *b)
{
    char number[16];
    m->bodies++;
    b->name = soa_xml_get(b->element, "name");
    if (b->name && b->name[0]) {
        return strcmp(b->name, "world") != 0 ||
               fail(m, b->element, SOA_E_NAME, "the name \"world\" is that of the world; rename the body");
    }
    snprintf(number, sizeof number, "%d", m->bodies);
    return new_name(m, &m->link_names, "body", number, &b->name);
}

static bool name_joint(mjcf *m, const body *b, const soa_xml *x, const char **name)
{
    *name = soa_xml_get(x, "name");
    return (*name && (*name)[0]) || new_name(m, &m->joint_names, b->name, "/joint", name);
}

/* ---- joints --------------------------------------------------------------------------- */

static bool check_joint(mjcf *m, const body *b, const soa_xml *x, soa_joint_kind kind)
{
    int dofs = soa_joint_kind_nv(kind);
    bool ball = false;
    for (int i = 0; i < b->movers.count; i++) {
        const soa_joint_kind before = mover_at(b, i)->joint.kind;
        dofs += soa_joint_kind_nv(before);
        ball = ball || before == SOA_SPHERICAL;
    }
    if (dofs > DOFS_MOST) {
        return fail(m, x, SOA_E_JOINT, "the joints of this body have more than 6 degrees of freedom");
    }
    if (ball && kind != SOA_PRISMATIC) {
        return fail(m, x, SOA_E_JOINT, "a ball joint cannot be followed by another rotation in the same body");
    }
    if (kind == SOA_FREE && b->parent != SOA_WORLD) {
        return fail(m, x, SOA_E_JOINT, "a free joint is allowed only in a body that is a child of the world");
    }
    return true;
}

static bool read_joints(mjcf *m, body *b)
{
    for (int i = 0; i < b->items.count; i++) {
        const mjcf_item *it = soa_array_at(&b->items, i);
        if (!is(it->element, "joint") && !is(it->element, "freejoint")) {
            continue;
        }
        const mjcf_layer view = soa_mjcf_view(m, it->element, MJCF_JOINT, it->class_index);
        mover mv;
        if (!soa_mjcf_joint(m, &view, &it->at, &mv.joint, mv.anchor) ||
            !check_joint(m, b, it->element, mv.joint.kind) || !name_joint(m, b, it->element, &mv.joint.name)) {
            return false;
        }
        mover *place = soa_array_push(&b->movers, m->allocator);
        if (!place) {
            return soa_mjcf_ok(m, soa_fail_memory(m->error));
        }
        *place = mv;
    }
    return true;
}

/* The joint moved to its anchor in a body that stands at `stand` in the parent. */
static soa_joint placed(const mover *mv, const soa_pose *stand)
{
    soa_joint joint = mv->joint;
    if (joint.kind == SOA_FREE) {
        soa_pose_quaternion(stand, joint.neutral);
        memcpy(joint.neutral + 4, stand->position, sizeof stand->position);
        return joint;
    }
    soa_pose anchor = soa_pose_identity();
    memcpy(anchor.position, mv->anchor, sizeof anchor.position);
    joint.at = soa_pose_compose(stand, &anchor);
    joint.child = soa_pose_inverse(&anchor);
    return joint;
}

/* ---- inertia --------------------------------------------------------------------------- */

static bool inertia_from_geoms(mjcf *m, const body *b, soa_link *link)
{
    mjcf_sum sum = { 0 };
    for (int i = 0; i < b->items.count; i++) {
        const mjcf_item *it = soa_array_at(&b->items, i);
        const mjcf_layer view = soa_mjcf_view(m, it->element, MJCF_GEOM, it->class_index);
        if (is(it->element, "geom") && !soa_mjcf_add_geom(m, &view, &it->at, &sum)) {
            return false;
        }
    }
    link->inertia = sum.inertia;
    if (sum.no_mass > 0) {
        soa_mjcf_count(&m->unknown_links, b->element);
    }
    if (sum.no_mass + sum.no_moment > 0) {
        link->flags |= SOA_LINK_UNKNOWN_MASS;
    } else if (sum.inertia.mass == 0.0) {
        link->flags |= SOA_LINK_NO_INERTIA;
    }
    return true;
}

static bool read_inertia(mjcf *m, const body *b, soa_link *link)
{
    const soa_xml *inertial = NULL;
    for (int i = 0; i < b->items.count; i++) {
        const soa_xml *x = ((const mjcf_item *)soa_array_at(&b->items, i))->element;
        if (is(x, "inertial") && inertial) {
            return fail(m, x, SOA_E_INERTIA, "a body has one <inertial>; this is the second");
        }
        inertial = is(x, "inertial") ? x : inertial;
    }
    const mjcf_from_geom from = m->compiler.from_geom;
    if (from == MJCF_INERTIA_FROM_GEOMS || (!inertial && from == MJCF_INERTIA_AUTO)) {
        if (!inertia_from_geoms(m, b, link)) {
            return false;
        }
    } else if (!inertial) {
        link->flags |= SOA_LINK_NO_INERTIA;
    } else {
        link->inertia_source = soa_xml_source(inertial);
        if (!soa_mjcf_inertial(m, inertial, &link->inertia)) {
            return false;
        }
    }
    soa_mjcf_bound_inertia(&m->compiler, &link->inertia);
    return true;
}

/* ---- links ----------------------------------------------------------------------------- */

static bool add_link(mjcf *m, const body *b, soa_link *link, int parent, int *index)
{
    link->parent = parent;
    link->source = soa_xml_source(b->element);
    return soa_mjcf_ok(m, soa_builder_add_link(m->builder, link, index, m->error));
}

/* The links that carry all joints but the last. */
static bool add_carriers(mjcf *m, const body *b, int *parent, soa_pose *stand)
{
    for (int i = 0; i + 1 < b->movers.count; i++) {
        soa_link link = soa_link_default(NULL, *parent, SOA_FIXED);
        const char *joint = mover_at(b, i)->joint.name;
        const size_t n = strlen(b->name);
        const bool generated = strncmp(joint, b->name, n) == 0 && joint[n] == '/';
        char *first = soa_arena_take(&m->arena, n + 2, 1);
        if (!first) {
            return soa_mjcf_ok(m, soa_fail_memory(m->error));
        }
        strcat(strcpy(first, b->name), "/");
        if (!new_name(m, &m->link_names, first, generated ? joint + n + 1 : joint, &link.name)) {
            return false;
        }
        link.flags = SOA_LINK_VIRTUAL;
        link.joint = placed(mover_at(b, i), stand);
        if (!add_link(m, b, &link, *parent, parent)) {
            return false;
        }
        *stand = soa_pose_identity();
    }
    return true;
}

static bool add_links(mjcf *m, body *b)
{
    soa_link link = soa_link_default(b->name, b->parent, SOA_FIXED);
    soa_pose stand = b->at;
    int parent = b->parent;
    if (!read_inertia(m, b, &link) || !add_carriers(m, b, &parent, &stand)) {
        return false;
    }
    if (b->movers.count > 0) {
        link.joint = placed(mover_at(b, b->movers.count - 1), &stand);
    } else {
        link.joint.at = stand;
    }
    return add_link(m, b, &link, parent, &b->link);
}

static bool add_site(mjcf *m, const body *b, const mjcf_item *it)
{
    const mjcf_layer view = soa_mjcf_view(m, it->element, MJCF_SITE, it->class_index);
    const char *name = soa_xml_get(it->element, "name");
    soa_frame frame = soa_frame_default(name, b->link);
    double half;
    if (!name) {
        return true;
    }
    if (!soa_mjcf_pose_fromto(m, &view, &frame.at, &half)) {
        return false;
    }
    frame.at = soa_pose_compose(&it->at, &frame.at);
    frame.source = soa_xml_source(it->element);
    mjcf_site *site = soa_array_push(&m->sites, m->allocator);
    if (!site || !soa_names_add(&m->site_names, m->allocator, name, m->sites.count - 1)) {
        return soa_mjcf_ok(m, soa_fail_memory(m->error));
    }
    *site = (mjcf_site){ b->link, frame.at };
    return soa_mjcf_ok(m, soa_builder_add_frame(m->builder, &frame, NULL, m->error));
}

/* ---- bodies ---------------------------------------------------------------------------- */

static bool read_body(mjcf *m, const body *parent, const mjcf_item *it);

static bool read_children(mjcf *m, const body *b)
{
    for (int i = 0; i < b->items.count; i++) {
        const mjcf_item *it = soa_array_at(&b->items, i);
        if ((is(it->element, "geom") && !soa_mjcf_read_geometry(m, it, b->link)) ||
            (is(it->element, "site") && !add_site(m, b, it)) || (is(it->element, "body") && !read_body(m, b, it))) {
            return false;
        }
    }
    return true;
}

static bool check_mocap(mjcf *m, const body *b)
{
    const mjcf_layer view = soa_mjcf_plain(b->element);
    bool mocap = false;
    double gravcomp = 0.0;
    if (!soa_mjcf_boolean(m, &view, "mocap", &mocap) || !soa_mjcf_number(m, &view, "gravcomp", &gravcomp)) {
        return false;
    }
    if (gravcomp != 0.0) {
        soa_mjcf_count(&m->gravity_compensation, b->element);
    }
    return !mocap || (b->movers.count == 0 && b->parent == SOA_WORLD) ||
           fail(m, b->element, SOA_E_JOINT, "a mocap body is a child of the world without joints");
}

static bool read_body(mjcf *m, const body *parent, const mjcf_item *it)
{
    const mjcf_layer view = soa_mjcf_plain(it->element);
    body b = { .element = it->element,
        .parent = parent->link,
        .items = soa_array_of(sizeof(mjcf_item)),
        .movers = soa_array_of(sizeof(mover)) };
    bool ok = soa_mjcf_pose(m, &view, &b.at) &&
              soa_mjcf_class(m, it->element, "childclass", it->class_index, &b.class_index) && name_body(m, &b);
    if (ok) {
        b.at = soa_pose_compose(&it->at, &b.at);
        ok = soa_mjcf_collect(m, it->element, false, b.class_index, &b.items) && read_joints(m, &b) &&
             check_mocap(m, &b) && add_links(m, &b);
    }
    soa_array_free(&b.movers, m->allocator);
    ok = ok && read_children(m, &b);
    soa_array_free(&b.items, m->allocator);
    return ok;
}

/* Names that are written, so that those made up differ. */
static bool collect_names(mjcf *m, const soa_xml *around)
{
    for (const soa_xml *x = around->child; x; x = x->next) {
        const char *name = soa_xml_get(x, "name");
        soa_names *names = is(x, "body")                          ? &m->link_names
                           : is(x, "joint") || is(x, "freejoint") ? &m->joint_names
                                                                  : NULL;
        if (name && names && !soa_names_add(names, m->allocator, name, 0)) {
            return soa_mjcf_ok(m, soa_fail_memory(m->error));
        }
        if (x->child && !collect_names(m, x)) {
            return false;
        }
    }
    return true;
}

bool soa_mjcf_read_world(mjcf *m, const soa_xml *section)
{
    body world = { .name = "world", .parent = SOA_WORLD, .items = soa_array_of(sizeof(mjcf_item)), .link = SOA_WORLD };
    const bool ok =
        collect_names(m, section) && soa_mjcf_collect(m, section, true, 0, &world.items) && read_children(m, &world);
    soa_array_free(&world.items, m->allocator);
    return ok;
}
