/* io/mjcf_equality.c - <equality>: loop closures and couplings of joints. */
#include <math.h>

#include "io/mjcf.h"
#include "io/mjcf_write.h"

/* ---- what is named --------------------------------------------------------------------- */

/* The link of a body; the world if the attribute is not there. */
static int find_body(mjcf *m, const soa_xml *x, const char *attribute)
{
    const char *name = soa_xml_get(x, attribute);
    if (!name || strcmp(name, "world") == 0) {
        return SOA_WORLD;
    }
    const int link = soa_builder_find_link(m->kit.builder, name);
    const soa_link *found = link < 0 ? NULL : soa_builder_link(m->kit.builder, link);
    if (!found || (found->flags & SOA_LINK_VIRTUAL)) {
        soa_xml_fail(x, SOA_E_NAME, "unknown body \"%.100s\" in %s", name, attribute);
    }
    return link;
}

static void find_site(mjcf *m, const soa_xml *x, const char *attribute, int *link, soa_pose *at)
{
    const char *name = soa_xml_get(x, attribute);
    const int index = soa_names_find(&m->site_names, name);
    if (index < 0) {
        soa_xml_fail(x, SOA_E_NAME, "unknown site \"%.100s\" in %s", name ? name : "", attribute);
        return;
    }
    const mjcf_site *site = soa_array_at(&m->sites, index);
    *link = site->link;
    *at = site->at;
}

/* The link of a hinge or slide, and its reference. */
static int find_joint(mjcf *m, const soa_xml *x, const char *attribute, double *reference)
{
    const char *name = soa_xml_get(x, attribute);
    const int link = soa_builder_find_joint(m->kit.builder, name);
    const soa_link *found = soa_builder_link(m->kit.builder, link);
    if (link < 0 || !found) {
        soa_xml_fail(x, SOA_E_NAME, "unknown joint \"%.100s\" in %s", name ? name : "", attribute);
        return -1;
    }
    if (soa_joint_kind_nq(found->joint.kind) != 1) {
        soa_xml_fail(x, SOA_E_COUPLING, "joint \"%.100s\" is neither hinge nor slide", name);
    }
    *reference = found->joint.reference;
    return link;
}

/* ---- closures -------------------------------------------------------------------------- */

/* Where a link stands in the world when every joint is at its reference. */
static soa_pose standing(const mjcf *m, int link)
{
    soa_pose pose = soa_pose_identity();
    while (link != SOA_WORLD) {
        const soa_link *l = soa_builder_link(m->kit.builder, link);
        pose = soa_pose_compose(&l->joint.child, &pose);
        if (l->joint.kind == SOA_FREE) {
            const soa_pose moved = soa_pose_from_quaternion(l->joint.neutral + 4, l->joint.neutral);
            pose = soa_pose_compose(&moved, &pose);
        }
        pose = soa_pose_compose(&l->joint.at, &pose);
        link = l->parent;
    }
    return pose;
}

/* Link b in the frame of link a at the reference. */
static soa_pose relative(const mjcf *m, int a, int b)
{
    const soa_pose A = standing(m, a), B = standing(m, b);
    const soa_pose A_inv = soa_pose_inverse(&A);
    return soa_pose_compose(&A_inv, &B);
}

static void by_bodies(mjcf *m, const soa_xml *x, soa_closure *c)
{
    if (!soa_xml_get(x, "body1")) {
        soa_xml_fail(x, SOA_E_SYNTAX, "name the bodies (body1, body2) or the sites (site1, site2) to join");
    }
    c->a = find_body(m, x, "body1");
    c->b = find_body(m, x, "body2");
}

static void by_sites(mjcf *m, const soa_xml *x, soa_closure *c)
{
    if (soa_xml_get(x, "body1") || soa_xml_get(x, "body2") || soa_xml_get(x, "anchor") || soa_xml_get(x, "relpose")) {
        soa_xml_fail(x, SOA_E_SYNTAX, "site1 and site2 stand alone: remove body1, body2, anchor and relpose");
    }
    find_site(m, x, "site1", &c->a, &c->at_a);
    find_site(m, x, "site2", &c->b, &c->at_b);
}

/* The anchor, a point of body 1, and the point of body 2 that is there at the reference. */
static void read_connect(mjcf *m, const soa_xml *x, soa_closure *c)
{
    by_bodies(m, x, c);
    if (!soa_xml_numbers(x, "anchor", 3, c->at_a.position)) {
        soa_xml_fail(x, SOA_E_SYNTAX, "attribute anchor is missing: the point to join, in the frame of body1");
    }
    if (soa_mjcf_ok(m)) {
        const soa_pose to_b = relative(m, c->b, c->a);
        c->at_b = soa_pose_compose(&to_b, &c->at_a);
    }
}

/* relpose: place of the anchor and orientation of body 2 in body 1; anchor: a point of body 2. */
static void read_weld(mjcf *m, const soa_xml *x, soa_closure *c)
{
    double relpose[7] = { 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0 };
    by_bodies(m, x, c);
    soa_xml_numbers(x, "anchor", 3, c->at_b.position);
    soa_xml_numbers(x, "relpose", 7, relpose);
    const double *wxyz = relpose + 3;
    if (wxyz[0] != 0.0 || wxyz[1] != 0.0 || wxyz[2] != 0.0 || wxyz[3] != 0.0) {
        c->at_a = soa_pose_from_quaternion(relpose, wxyz);
    } else if (soa_mjcf_ok(m)) {
        const soa_pose to_a = relative(m, c->a, c->b);
        c->at_a = soa_pose_compose(&to_a, &c->at_b);
    }
}

static void add_closure(mjcf *m, const soa_xml *x, bool active)
{
    const bool weld = soa_xml_is(x, "weld");
    soa_closure c =
        soa_closure_default(soa_xml_get(x, "name"), weld ? SOA_CLOSE_RIGID : SOA_CLOSE_SPHERICAL, SOA_WORLD, SOA_WORLD);
    const bool sites = soa_xml_get(x, "site1") || soa_xml_get(x, "site2");
    (sites ? by_sites : weld ? read_weld : read_connect)(m, x, &c);
    if (c.a == c.b) {
        soa_xml_fail(x, SOA_E_CLOSURE, "joins a body to itself; name two different bodies");
    }
    c.inactive = !active;
    c.source = soa_xml_source(x);
    soa_kit_closure(&m->kit, &c);
}

/* ---- couplings ------------------------------------------------------------------------- */

static void add_coupling(mjcf *m, const soa_xml *x, bool active)
{
    double a[SOA_COUPLING_TERMS] = { 0.0, 1.0, 0.0, 0.0, 0.0 }, y0 = 0.0, x0 = 0.0;
    soa_coupling c = { .name = soa_xml_get(x, "name"), .driver = -1, .source = soa_xml_source(x) };
    c.link = find_joint(m, x, "joint1", &y0);
    soa_xml_numbers_up_to(x, "polycoef", SOA_COUPLING_TERMS, a);
    if (!soa_xml_get(x, "joint2")) {
        c.coefficient[0] = y0 + a[0];
    } else {
        c.driver = find_joint(m, x, "joint2", &x0);
        soa_mjcf_shift(a, y0, x0, c.coefficient);
    }
    if (active) {
        soa_kit_coupling(&m->kit, &c);
    } else {
        soa_xml_count(&m->met[MJCF_INACTIVE_COUPLING], x);
    }
}

/* ---- section --------------------------------------------------------------------------- */

void soa_mjcf_read_equality(mjcf *m, soa_xml *section)
{
    for (soa_xml *x = section->child; x && soa_mjcf_ok(m); x = x->next) {
        bool active = true;
        soa_mjcf_dress(m, x, soa_mjcf_class(m, x, "class", 0));
        soa_xml_boolean(x, "active", &active);
        if (soa_is_word_of(x->name, "connect weld ")) {
            add_closure(m, x, active);
        } else if (soa_xml_is(x, "joint")) {
            add_coupling(m, x, active);
        } else if (soa_is_word_of(x->name, "tendon flex flexvert flexstrain ")) {
            soa_xml_count(&m->met[MJCF_OTHER_EQUALITY], x);
        } else {
            soa_xml_fail(x, SOA_E_SYNTAX, "unknown element in <equality>");
        }
    }
}
