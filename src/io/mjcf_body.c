/* io/mjcf_body.c - <worldbody>: bodies become links, sites become frames.
 *
 * A body with several joints is a chain of links: one without mass per joint but
 * the last, named BODY/JOINT, then the body itself. They all have the frame of
 * the body, as MuJoCo applies the joints one after another to the same body. */
#include <stdio.h>

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

/* ---- names ---------------------------------------------------------------------------- */

/* The three joined, with a number behind if that is taken; it is taken then. */
static const char *new_name(mjcf *m, soa_names *taken, const char *first, const char *middle, const char *last)
{
    enum { NUMBER = 16 };
    const size_t size = strlen(first) + strlen(middle) + strlen(last) + NUMBER;
    char *text = soa_arena_take(&m->arena, size, 1);
    if (!soa_got(&m->kit.outcome, text)) {
        return "";
    }
    snprintf(text, size, "%s%s%s", first, middle, last);
    for (int i = 2; soa_names_find(taken, text) >= 0; i++) {
        snprintf(text, size, "%s%s%s_%d", first, middle, last, i);
    }
    soa_kit_index(&m->kit, taken, text, 0);
    return text;
}

static const char *name_body(mjcf *m, const soa_xml *x)
{
    char number[16];
    const char *name = soa_xml_get(x, "name");
    snprintf(number, sizeof number, "%d", ++m->bodies);
    if (!name || !name[0]) {
        return new_name(m, &m->link_names, "body", number, "");
    }
    if (strcmp(name, "world") == 0) {
        soa_xml_fail(x, SOA_E_NAME, "the name \"world\" is that of the world; rename the body");
    }
    return name;
}

/* ---- joints --------------------------------------------------------------------------- */

static void check_joint(const body *b, const soa_xml *x, soa_joint_kind kind)
{
    int dofs = soa_joint_kind_nv(kind);
    bool ball = false;
    for (int i = 0; i < b->movers.count; i++) {
        const soa_joint_kind before = mover_at(b, i)->joint.kind;
        dofs += soa_joint_kind_nv(before);
        ball = ball || before == SOA_SPHERICAL;
    }
    if (dofs > DOFS_MOST) {
        soa_xml_fail(x, SOA_E_JOINT, "the joints of this body have more than 6 degrees of freedom");
    } else if (ball && kind != SOA_PRISMATIC) {
        soa_xml_fail(x, SOA_E_JOINT, "a ball joint cannot be followed by another rotation in the same body");
    } else if (kind == SOA_FREE && b->parent != SOA_WORLD) {
        soa_xml_fail(x, SOA_E_JOINT, "a free joint is allowed only in a body that is a child of the world");
    }
}

static void read_joints(mjcf *m, body *b)
{
    for (int i = 0; i < b->items.count && soa_mjcf_ok(m); i++) {
        const mjcf_item *it = soa_array_at(&b->items, i);
        const soa_xml *x = it->element;
        if (!soa_xml_is(x, "joint") && !soa_xml_is(x, "freejoint")) {
            continue;
        }
        mover mv;
        mv.joint = soa_mjcf_joint(m, x, &it->at, mv.anchor);
        check_joint(b, x, mv.joint.kind);
        mv.joint.name = soa_xml_get(x, "name");
        if (!mv.joint.name || !mv.joint.name[0]) {
            mv.joint.name = new_name(m, &m->joint_names, b->name, "/joint", "");
        }
        mover *place = soa_kit_push(&m->kit, &b->movers);
        if (place) {
            *place = mv;
        }
    }
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

static void inertia_from_geoms(mjcf *m, const body *b, soa_link *link)
{
    mjcf_sum sum = { 0 };
    for (int i = 0; i < b->items.count; i++) {
        const mjcf_item *it = soa_array_at(&b->items, i);
        if (soa_xml_is(it->element, "geom")) {
            soa_mjcf_add_geom(m, it->element, &it->at, &sum);
        }
    }
    link->inertia = sum.inertia;
    if (sum.no_mass > 0) {
        soa_xml_count(&m->unknown_links, b->element);
    }
    if (sum.no_mass + sum.no_moment > 0) {
        link->flags |= SOA_LINK_UNKNOWN_MASS;
    } else if (sum.inertia.mass == 0.0) {
        link->flags |= SOA_LINK_NO_INERTIA;
    }
}

static void read_inertia(mjcf *m, const body *b, soa_link *link)
{
    const soa_xml *inertial = NULL;
    for (int i = 0; i < b->items.count; i++) {
        const soa_xml *x = ((const mjcf_item *)soa_array_at(&b->items, i))->element;
        if (soa_xml_is(x, "inertial") && inertial) {
            soa_xml_fail(x, SOA_E_INERTIA, "a body has one <inertial>; this is the second");
        }
        inertial = soa_xml_is(x, "inertial") ? x : inertial;
    }
    const mjcf_from_geom from = m->compiler.from_geom;
    if (from == MJCF_INERTIA_FROM_GEOMS || (!inertial && from == MJCF_INERTIA_AUTO)) {
        inertia_from_geoms(m, b, link);
    } else if (!inertial) {
        link->flags |= SOA_LINK_NO_INERTIA;
    } else {
        link->inertia_source = soa_xml_source(inertial);
        link->inertia = soa_mjcf_inertial(m, inertial);
    }
    soa_mjcf_bound_inertia(&m->compiler, &link->inertia);
}

/* ---- links ----------------------------------------------------------------------------- */

/* The links that carry all joints but the last, and the body itself. */
static void add_links(mjcf *m, body *b)
{
    soa_link own = soa_link_default(b->name, b->parent, SOA_FIXED);
    soa_pose stand = b->at;
    const int movers = b->movers.count;
    read_inertia(m, b, &own);
    own.source = soa_xml_source(b->element);
    for (int i = 0; i + 1 < movers; i++) {
        soa_link link = soa_link_default(NULL, own.parent, SOA_FIXED);
        const char *joint = mover_at(b, i)->joint.name;
        const size_t n = strlen(b->name);
        const bool generated = strncmp(joint, b->name, n) == 0 && joint[n] == '/';
        link.name = new_name(m, &m->link_names, b->name, "/", generated ? joint + n + 1 : joint);
        link.flags = SOA_LINK_VIRTUAL;
        link.joint = placed(mover_at(b, i), &stand);
        link.source = own.source;
        own.parent = soa_kit_link(&m->kit, &link);
        stand = soa_pose_identity();
    }
    if (movers > 0) {
        own.joint = placed(mover_at(b, movers - 1), &stand);
    } else {
        own.joint.at = stand;
    }
    b->link = soa_kit_link(&m->kit, &own);
}

static void add_site(mjcf *m, const body *b, const mjcf_item *it)
{
    const char *name = soa_xml_get(it->element, "name");
    soa_frame frame = soa_frame_default(name, b->link);
    double half;
    if (!name) {
        return;
    }
    const soa_pose at = soa_mjcf_pose_fromto(m, it->element, &half);
    frame.at = soa_pose_compose(&it->at, &at);
    frame.source = soa_xml_source(it->element);
    mjcf_site *site = soa_kit_push(&m->kit, &m->sites);
    if (site) {
        *site = (mjcf_site){ b->link, frame.at };
        soa_kit_index(&m->kit, &m->site_names, name, m->sites.count - 1);
    }
    soa_kit_frame(&m->kit, &frame);
}

/* ---- bodies ---------------------------------------------------------------------------- */

static void read_body(mjcf *m, const body *parent, const mjcf_item *it);

static void read_children(mjcf *m, const body *b)
{
    for (int i = 0; i < b->items.count && soa_mjcf_ok(m); i++) {
        const mjcf_item *it = soa_array_at(&b->items, i);
        if (soa_xml_is(it->element, "geom")) {
            soa_mjcf_read_geometry(m, it, b->link);
        } else if (soa_xml_is(it->element, "site")) {
            add_site(m, b, it);
        } else if (soa_xml_is(it->element, "body")) {
            read_body(m, b, it);
        }
    }
}

static void check_mocap(mjcf *m, const body *b)
{
    bool mocap = false;
    double gravcomp = 0.0;
    soa_xml_boolean(b->element, "mocap", &mocap);
    soa_xml_number(b->element, "gravcomp", &gravcomp);
    if (gravcomp != 0.0) {
        soa_xml_count(&m->met[MJCF_GRAVITY_COMPENSATION], b->element);
    }
    if (mocap && (b->movers.count > 0 || b->parent != SOA_WORLD)) {
        soa_xml_fail(b->element, SOA_E_JOINT, "a mocap body is a child of the world without joints");
    }
}

static void read_body(mjcf *m, const body *parent, const mjcf_item *it)
{
    const soa_pose own = soa_mjcf_pose(m, it->element);
    body b = { .element = it->element,
        .parent = parent->link,
        .at = soa_pose_compose(&it->at, &own),
        .items = soa_array_of(sizeof(mjcf_item)),
        .movers = soa_array_of(sizeof(mover)) };
    b.class_index = soa_mjcf_class(m, it->element, "childclass", it->class_index);
    b.name = name_body(m, it->element);
    soa_mjcf_collect(m, it->element, false, b.class_index, &b.items);
    read_joints(m, &b);
    check_mocap(m, &b);
    if (soa_mjcf_ok(m)) {
        add_links(m, &b);
    }
    soa_array_free(&b.movers, m->kit.allocator);
    read_children(m, &b);
    soa_array_free(&b.items, m->kit.allocator);
}

/* Names that are written, so that those made up differ. */
static void collect_names(mjcf *m, const soa_xml *around)
{
    for (const soa_xml *x = around->child; x; x = x->next) {
        const char *name = soa_xml_get(x, "name");
        const bool joint = soa_is_word_of(x->name, "joint freejoint ");
        if (name && (joint || soa_xml_is(x, "body"))) {
            soa_kit_index(&m->kit, joint ? &m->joint_names : &m->link_names, name, 0);
        }
        collect_names(m, x);
    }
}

void soa_mjcf_read_world(mjcf *m, soa_xml *section)
{
    body world = { .name = "world", .parent = SOA_WORLD, .items = soa_array_of(sizeof(mjcf_item)), .link = SOA_WORLD };
    collect_names(m, section);
    soa_mjcf_collect(m, section, true, 0, &world.items);
    read_children(m, &world);
    soa_array_free(&world.items, m->kit.allocator);
}
