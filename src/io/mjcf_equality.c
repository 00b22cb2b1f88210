/* io/mjcf_equality.c - <equality>: loop closures and couplings of joints. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "io/mjcf.h"
#include "io/mjcf_write.h"

static bool fail(mjcf *m, const soa_xml *x, soa_status status, const char *what)
{
    return soa_mjcf_ok(m, soa_xml_fail(x, status, m->error, "%s", what));
}

/* ---- what is named --------------------------------------------------------------------- */

/* The link of a body; the world if the attribute is not there. */
static bool find_body(mjcf *m, const soa_xml *x, const char *attribute, int *link)
{
    const char *name = soa_xml_get(x, attribute);
    *link = SOA_WORLD;
    if (!name || strcmp(name, "world") == 0) {
        return true;
    }
    *link = soa_builder_find_link(m->builder, name);
    const soa_link *found = *link < 0 ? NULL : soa_builder_link(m->builder, *link);
    return (found && !(found->flags & SOA_LINK_VIRTUAL)) ||
           soa_mjcf_ok(m, soa_xml_fail(x, SOA_E_NAME, m->error, "unknown body \"%.100s\" in %s", name, attribute));
}

static bool find_site(mjcf *m, const soa_xml *x, const char *attribute, int *link, soa_pose *at)
{
    const char *name = soa_xml_get(x, attribute);
    const int index = soa_names_find(&m->site_names, name);
    if (index < 0) {
        return soa_mjcf_ok(
            m, soa_xml_fail(x, SOA_E_NAME, m->error, "unknown site \"%.100s\" in %s", name ? name : "", attribute));
    }
    const mjcf_site *site = soa_array_at(&m->sites, index);
    *link = site->link;
    *at = site->at;
    return true;
}

static bool find_joint(mjcf *m, const soa_xml *x, const char *attribute, const soa_link **found, int *link)
{
    const char *name = soa_xml_get(x, attribute);
    *link = soa_builder_find_joint(m->builder, name);
    *found = soa_builder_link(m->builder, *link);
    if (*link < 0 || !*found) {
        return soa_mjcf_ok(
            m, soa_xml_fail(x, SOA_E_NAME, m->error, "unknown joint \"%.100s\" in %s", name ? name : "", attribute));
    }
    return soa_joint_kind_nq((*found)->joint.kind) == 1 ||
           soa_mjcf_ok(
               m, soa_xml_fail(x, SOA_E_COUPLING, m->error, "joint \"%.100s\" is neither hinge nor slide", name));
}

/* ---- closures -------------------------------------------------------------------------- */

/* Where a link stands in the world when every joint is at its reference. */
static soa_pose standing(const mjcf *m, int link)
{
    soa_pose pose = soa_pose_identity();
    while (link != SOA_WORLD) {
        const soa_link *l = soa_builder_link(m->builder, link);
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

static bool by_sites(mjcf *m, const soa_xml *x, soa_closure *c)
{
    if (soa_xml_get(x, "body1") || soa_xml_get(x, "body2") || soa_xml_get(x, "anchor") || soa_xml_get(x, "relpose")) {
        return fail(m, x, SOA_E_SYNTAX, "site1 and site2 stand alone: remove body1, body2, anchor and relpose");
    }
    return find_site(m, x, "site1", &c->a, &c->at_a) && find_site(m, x, "site2", &c->b, &c->at_b);
}

static bool by_bodies(mjcf *m, const soa_xml *x, soa_closure *c)
{
    if (!soa_xml_get(x, "body1")) {
        return fail(m, x, SOA_E_SYNTAX, "name the bodies (body1, body2) or the sites (site1, site2) to join");
    }
    return find_body(m, x, "body1", &c->a) && find_body(m, x, "body2", &c->b);
}

/* The anchor, a point of body 1, and the point of body 2 that is there at the reference. */
static bool read_connect(mjcf *m, const soa_xml *x, soa_closure *c)
{
    bool found;
    if (!by_bodies(m, x, c) || !soa_mjcf_ok(m, soa_xml_numbers(x, "anchor", 3, c->at_a.position, &found, m->error))) {
        return false;
    }
    if (!found) {
        return fail(m, x, SOA_E_SYNTAX, "attribute anchor is missing: the point to join, in the frame of body1");
    }
    const soa_pose to_b = relative(m, c->b, c->a);
    c->at_b = soa_pose_compose(&to_b, &c->at_a);
    return true;
}

/* relpose: place of the anchor and orientation of body 2 in body 1; anchor: a point of body 2. */
static bool read_weld(mjcf *m, const soa_xml *x, soa_closure *c)
{
    double relpose[7] = { 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0 };
    if (!by_bodies(m, x, c) || !soa_mjcf_ok(m, soa_xml_numbers(x, "anchor", 3, c->at_b.position, NULL, m->error)) ||
        !soa_mjcf_ok(m, soa_xml_numbers(x, "relpose", 7, relpose, NULL, m->error))) {
        return false;
    }
    const double *wxyz = relpose + 3;
    if (wxyz[0] == 0.0 && wxyz[1] == 0.0 && wxyz[2] == 0.0 && wxyz[3] == 0.0) {
        const soa_pose to_a = relative(m, c->a, c->b);
        c->at_a = soa_pose_compose(&to_a, &c->at_b);
    } else {
        c->at_a = soa_pose_from_quaternion(relpose, wxyz);
    }
    return true;
}

static bool add_closure(mjcf *m, const soa_xml *x, soa_closure_kind kind, bool active)
{
    soa_closure c = soa_closure_default(soa_xml_get(x, "name"), kind, SOA_WORLD, SOA_WORLD);
    const bool sites = soa_xml_get(x, "site1") || soa_xml_get(x, "site2");
    if (!(sites ? by_sites(m, x, &c) : kind == SOA_CLOSE_RIGID ? read_weld(m, x, &c) : read_connect(m, x, &c))) {
        return false;
    }
    if (c.a == c.b) {
        return fail(m, x, SOA_E_CLOSURE, "joins a body to itself; name two different bodies");
    }
    c.inactive = !active;
    c.source = soa_xml_source(x);
    return soa_mjcf_ok(m, soa_builder_add_closure(m->builder, &c, NULL, m->error));
}

/* ---- couplings ------------------------------------------------------------------------- */

static bool add_coupling(mjcf *m, const soa_xml *x, bool active)
{
    double a[SOA_COUPLING_TERMS] = { 0.0, 1.0, 0.0, 0.0, 0.0 };
    soa_coupling c = { .name = soa_xml_get(x, "name"), .driver = -1, .source = soa_xml_source(x) };
    const soa_link *follower, *driver;
    int count;
    if (!find_joint(m, x, "joint1", &follower, &c.link) ||
        !soa_mjcf_ok(m, soa_xml_numbers_up_to(x, "polycoef", SOA_COUPLING_TERMS, a, &count, m->error))) {
        return false;
    }
    if (!soa_xml_get(x, "joint2")) {
        c.coefficient[0] = follower->joint.reference + a[0];
    } else if (!find_joint(m, x, "joint2", &driver, &c.driver)) {
        return false;
    } else {
        soa_mjcf_shift(a, follower->joint.reference, driver->joint.reference, c.coefficient);
    }
    if (!active) {
        soa_mjcf_count(&m->inactive_coupling, x);
        return true;
    }
    return soa_mjcf_ok(m, soa_builder_add_coupling(m->builder, &c, NULL, m->error));
}

/* ---- section --------------------------------------------------------------------------- */

static bool read_one(mjcf *m, const soa_xml *x)
{
    static const char *const others[] = { "tendon", "flex", "flexvert", "flexstrain" };
    int class_index;
    bool active = true;
    if (!soa_mjcf_class(m, x, "class", 0, &class_index)) {
        return false;
    }
    const mjcf_layer view = soa_mjcf_view(m, x, MJCF_EQUALITY, class_index);
    if (!soa_mjcf_boolean(m, &view, "active", &active)) {
        return false;
    }
    if (strcmp(x->name, "connect") == 0) {
        return add_closure(m, x, SOA_CLOSE_SPHERICAL, active);
    }
    if (strcmp(x->name, "weld") == 0) {
        return add_closure(m, x, SOA_CLOSE_RIGID, active);
    }
    if (strcmp(x->name, "joint") == 0) {
        return add_coupling(m, x, active);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strcmp(x->name, others[i]) == 0) {
            soa_mjcf_count(&m->other_equality, x);
            return true;
        }
    }
    return fail(m, x, SOA_E_SYNTAX, "unknown element in <equality>");
}

bool soa_mjcf_read_equality(mjcf *m, const soa_xml *section)
{
    for (const soa_xml *x = section->child; x; x = x->next) {
        if (!read_one(m, x)) {
            return false;
        }
    }
    return true;
}
