/* io/urdf_extra.c - what a URDF says beside its links and joints: transmissions,
 * frames, and elements that are left out. */
#include <stdio.h>

#include "core/number.h"
#include "io/urdf.h"

/* ---- transmissions ---------------------------------------------------------------- */

/* <mechanicalReduction> stands in the actuator, the transmission or, rarely, the
 * joint of the transmission. */
static const soa_xml *find_reduction(const soa_xml *transmission)
{
    const soa_xml *actuator = soa_xml_child(transmission, "actuator");
    const soa_xml *joint = soa_xml_child(transmission, "joint");
    const soa_xml *found = soa_xml_child(transmission, "mechanicalReduction");
    if (!found && actuator) {
        found = soa_xml_child(actuator, "mechanicalReduction");
    }
    return !found && joint ? soa_xml_child(joint, "mechanicalReduction") : found;
}

/* A ratio acts with a rotor, which URDF does not describe: one that is no number, or zero, does no harm and is left out. */
static void read_reduction(urdf *u, const soa_xml *element, double *reduction)
{
    const char *text = element->text + strspn(element->text, " \t\r\n");
    double ratio = 0.0;
    const char *end = soa_number_read(text, &ratio);
    if (!end || end[strspn(end, " \t\r\n")] != '\0' || ratio == 0.0) {
        soa_kit_warn(&u->kit, soa_xml_source(element),
            "<mechanicalReduction>: \"%.40s\" is no ratio; it is left out (write 1 for a direct drive)", text);
    } else {
        *reduction = ratio;
    }
}

/* A simple transmission: one joint, one reduction. Others couple several joints and are left out: false. */
static bool read_transmission(urdf *u, const soa_xml *transmission)
{
    const soa_xml *joint = soa_xml_child(transmission, "joint");
    const soa_xml *reduction = find_reduction(transmission);
    if (!reduction) {
        return true;
    }
    const int number = joint ? soa_names_find(&u->joint_names, soa_xml_get(joint, "name")) : -1;
    if (number < 0 || soa_xml_next(joint, "joint")) {
        return false;
    }
    read_reduction(u, reduction, &u->joint[number].reduction);
    return true;
}

void soa_urdf_transmissions(urdf *u)
{
    int skipped = 0;
    const soa_xml *first = soa_xml_child(u->root, "transmission");
    for (const soa_xml *t = first; t; t = soa_xml_next(t, "transmission")) {
        skipped += !read_transmission(u, t);
    }
    if (skipped > 0) {
        soa_kit_warn(&u->kit, soa_xml_source(first), "%d transmission%s of no joint or of several joints left out",
            skipped, skipped == 1 ? "" : "s");
    }
}

/* ---- frames ----------------------------------------------------------------------- */

/* <frame name="..." link="..." xyz="..." rpy="..."/>, as Drake writes them. */
void soa_urdf_frames(urdf *u)
{
    for (const soa_xml *e = soa_xml_child(u->root, "frame"); e; e = soa_xml_next(e, "frame")) {
        const char *name = soa_urdf_name(e, "name"), *link = soa_urdf_name(e, "link");
        const int number = soa_names_find(&u->link_names, link);
        if (number < 0 && strcmp(link, "world") != 0) {
            soa_xml_fail(e, SOA_E_NAME, "link '%.60s' does not exist", link);
        }
        soa_frame frame = soa_frame_default(name, number < 0 ? SOA_WORLD : u->link[number].index);
        frame.source = soa_xml_source(e);
        frame.at = soa_urdf_placement(e);
        soa_kit_frame(&u->kit, &frame);
    }
}

/* ---- remarks ---------------------------------------------------------------------- */

/* Elements that say something about dynamics to us, or nothing by their nature.
 * Those with a prefix belong to another program. */
static bool is_known(const soa_xml *element)
{
    static const char *const in_robot[] = { "link", "joint", "transmission", "frame", "material", "gazebo", "mujoco",
        "sensor", "group", NULL };
    static const char *const in_link[] = { "inertial", "visual", "collision", "contact", "sensor", "material", "gazebo",
        "self_collision_checking", "self_filter", "collision_checking", NULL };
    static const char *const in_joint[] = { "origin", "axis", "parent", "child", "limit", "dynamics", "mimic",
        "calibration", "safety_controller", "gazebo", NULL };
    const soa_xml *parent = element->parent;
    return strchr(element->name, ':') || soa_is_one_of(element->name, !parent->parent              ? in_robot
                                                                      : soa_xml_is(parent, "link") ? in_link
                                                                                                   : in_joint);
}

static void look_at_children(const soa_xml *element, soa_xml_tally *unknown)
{
    for (const soa_xml *e = element->child; e; e = e->next) {
        if (!is_known(e)) {
            soa_xml_count(unknown, e);
        }
    }
}

/* Attributes of the element and, of links, joints and <inertial>, of those in it. */
static void look_at_attributes(const soa_xml *element, soa_xml_tally *unknown)
{
    static const soa_xml_known known[] = {
        { "link", "name type " },
        { "joint", "name type " },
        { "origin", "xyz rpy quat_xyzw " },
        { "axis", "xyz " },
        { "parent", "link " },
        { "child", "link " },
        { "limit", "lower upper effort velocity acceleration deceleration jerk " },
        { "dynamics", "damping friction " },
        { "mimic", "joint multiplier offset " },
        { "mass", "value " },
        { "inertia", "ixx ixy ixz iyy iyz izz " },
        { NULL, NULL },
    };
    const bool deep = soa_is_word_of(element->name, "link joint inertial ");
    soa_xml_strangers(element, known, true, unknown);
    for (const soa_xml *e = deep ? element->child : NULL; e; e = e->next) {
        look_at_attributes(e, unknown);
    }
}

/* " (and 3 more)" than one, or nothing. */
static const char *and_more(const soa_xml_tally *tally, char buffer[32])
{
    snprintf(buffer, 32, " (and %d more)", tally->count - 1);
    return tally->count > 1 ? buffer : "";
}

/* Only links that a joint moves can be massless: the others often are mere frames. */
void soa_urdf_remarks(urdf *u)
{
    soa_xml_tally element = { 0 }, attribute = { 0 }, massless = { 0 }, unlimited = { 0 };
    char more[32];
    look_at_children(u->root, &element);
    for (int k = 0; k < u->links; k++) {
        const soa_link *link = soa_builder_link(u->kit.builder, u->link[k].index);
        look_at_children(u->link[k].element, &element);
        look_at_attributes(u->link[k].element, &attribute);
        if ((link->flags & SOA_LINK_NO_INERTIA) && link->joint.kind != SOA_FIXED) {
            soa_xml_count(&massless, u->link[k].element);
        }
    }
    for (int j = 0; j < u->joints; j++) {
        look_at_children(u->joint[j].element, &element);
        look_at_attributes(u->joint[j].element, &attribute);
        if (u->joint[j].unlimited) {
            soa_xml_count(&unlimited, u->joint[j].element);
        }
    }
    if (element.count > 0) {
        soa_kit_warn(&u->kit, soa_xml_source(element.first),
            "<%.60s>%s is no element of URDF that is known here; it is left out", element.first->name,
            and_more(&element, more));
    }
    if (attribute.count > 0) {
        soa_kit_warn(&u->kit, soa_xml_source(attribute.first),
            "the attribute %.60s of <%.60s>%s is not known here; it is left out", attribute.attribute,
            attribute.first->name, and_more(&attribute, more));
    }
    if (massless.count > 0) {
        soa_kit_warn(&u->kit, soa_xml_source(massless.first),
            "%d moving link%s without <inertial>, '%.60s' the first: taken as massless", massless.count,
            massless.count == 1 ? "" : "s", soa_xml_get(massless.first, "name"));
    }
    if (unlimited.count > 0) {
        soa_kit_warn(&u->kit, soa_xml_source(unlimited.first),
            "%d joint%s without limits although the type has them, '%.60s' the first: unlimited", unlimited.count,
            unlimited.count == 1 ? "" : "s", soa_xml_get(unlimited.first, "name"));
    }
}
