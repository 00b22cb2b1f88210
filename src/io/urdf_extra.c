/* io/urdf_extra.c - what a URDF says beside its links and joints: transmissions,
 * frames, and elements that are left out. */
#include <stdio.h>
#include <string.h>

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

static soa_status read_reduction(const soa_xml *element, double *reduction, soa_error *error)
{
    const char *text = element->text + strspn(element->text, " \t\r\n");
    double value;
    const char *end = soa_number_read(text, &value);
    if (!end || end[strspn(end, " \t\r\n")] != '\0') {
        return soa_xml_fail(element, SOA_E_NUMBER, error, "\"%.40s\" is not a plain decimal number", text);
    }
    if (value == 0.0) {
        return soa_xml_fail(element, SOA_E_NUMBER, error, "the reduction is zero; give 1 for a direct drive");
    }
    *reduction = value;
    return SOA_OK;
}

/* A simple transmission: one joint, one reduction. Others couple several joints
 * and are left out. */
static soa_status read_transmission(urdf *u, const soa_xml *transmission, int *skipped, soa_error *error)
{
    const soa_xml *joint = soa_xml_child(transmission, "joint");
    const soa_xml *reduction = find_reduction(transmission);
    if (!reduction) {
        return SOA_OK;
    }
    const int number = joint ? soa_names_find(&u->joint_names, soa_xml_get(joint, "name")) : -1;
    if (number < 0 || soa_xml_next(joint, "joint")) {
        ++*skipped;
        return SOA_OK;
    }
    return read_reduction(reduction, &u->joint[number].reduction, error);
}

soa_status soa_urdf_transmissions(urdf *u, soa_error *error)
{
    int skipped = 0;
    const soa_xml *first = soa_xml_child(u->root, "transmission");
    for (const soa_xml *t = first; t; t = soa_xml_next(t, "transmission")) {
        const soa_status status = read_transmission(u, t, &skipped, error);
        if (status != SOA_OK) {
            return status;
        }
    }
    return skipped == 0
               ? SOA_OK
               : soa_builder_warn(u->builder, soa_xml_source(first), error,
                     "%d transmission%s of no joint or of several joints left out", skipped, skipped == 1 ? "" : "s");
}

/* ---- frames ----------------------------------------------------------------------- */

/* <frame name="..." link="..." xyz="..." rpy="..."/>, as Drake writes them. */
static soa_status read_frame(const urdf *u, const soa_xml *element, soa_error *error)
{
    const char *name, *link;
    soa_status status;
    if ((status = soa_urdf_name(element, "name", &name, error)) != SOA_OK ||
        (status = soa_urdf_name(element, "link", &link, error)) != SOA_OK) {
        return status;
    }
    const int number = soa_names_find(&u->link_names, link);
    if (number < 0 && strcmp(link, "world") != 0) {
        return soa_xml_fail(element, SOA_E_NAME, error, "link '%.60s' does not exist", link);
    }
    soa_frame frame = soa_frame_default(name, number < 0 ? SOA_WORLD : u->link[number].index);
    frame.source = soa_xml_source(element);
    status = soa_urdf_placement(element, &frame.at, error);
    return status == SOA_OK ? soa_builder_add_frame(u->builder, &frame, NULL, error) : status;
}

soa_status soa_urdf_frames(const urdf *u, soa_error *error)
{
    soa_status status = SOA_OK;
    for (const soa_xml *e = soa_xml_child(u->root, "frame"); e && status == SOA_OK; e = soa_xml_next(e, "frame")) {
        status = read_frame(u, e, error);
    }
    return status;
}

/* ---- remarks ---------------------------------------------------------------------- */

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++) {
        if (strcmp(name, *list) == 0) {
            return true;
        }
    }
    return false;
}

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
    return strchr(element->name, ':') || is_one_of(element->name, !parent->parent                     ? in_robot
                                                                  : strcmp(parent->name, "link") == 0 ? in_link
                                                                                                      : in_joint);
}

static void look_at_children(const soa_xml *element, urdf_tally *unknown)
{
    for (const soa_xml *e = element->child; e; e = e->next) {
        if (!is_known(e)) {
            unknown->first = unknown->first ? unknown->first : e;
            unknown->count++;
        }
    }
}

/* The attributes of the elements that describe the mechanism, each between blanks. */
static const char *attributes_of(const soa_xml *element)
{
    static const char *const known[][2] = {
        { "link", " name type " },
        { "joint", " name type " },
        { "origin", " xyz rpy quat_xyzw " },
        { "axis", " xyz " },
        { "parent", " link " },
        { "child", " link " },
        { "limit", " lower upper effort velocity acceleration deceleration jerk " },
        { "dynamics", " damping friction " },
        { "mimic", " joint multiplier offset " },
        { "mass", " value " },
        { "inertia", " ixx ixy ixz iyy iyz izz " },
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(element->name, known[i][0]) == 0) {
            return known[i][1];
        }
    }
    return NULL;
}

/* An attribute with a prefix belongs to another program. */
static bool is_known_attribute(const char *known, const char *name)
{
    const char *at = strchr(name, ':') ? known : strstr(known, name);
    const size_t length = strlen(name);
    while (at && at != known && (at[-1] != ' ' || at[length] != ' ')) {
        at = strstr(at + 1, name);
    }
    return at != NULL;
}

/* Of the element and, of links, joints and <inertial>, of those in it. */
static void look_at_attributes(const soa_xml *element, urdf_tally *unknown, const char **name)
{
    const char *known = attributes_of(element);
    for (int i = 0; known && i < element->attributes; i++) {
        if (!is_known_attribute(known, element->attribute[i].name)) {
            unknown->first = unknown->first ? unknown->first : element;
            *name = unknown->count++ == 0 ? element->attribute[i].name : *name;
        }
    }
    static const char *const inside[] = { "link", "joint", "inertial", NULL };
    for (const soa_xml *e = is_one_of(element->name, inside) ? element->child : NULL; e; e = e->next) {
        look_at_attributes(e, unknown, name);
    }
}

static soa_status remark_attributes(const urdf *u, soa_error *error)
{
    urdf_tally unknown = { NULL, 0 };
    const char *name = NULL;
    for (int k = 0; k < u->links; k++) {
        look_at_attributes(u->link[k].element, &unknown, &name);
    }
    for (int j = 0; j < u->joints; j++) {
        look_at_attributes(u->joint[j].element, &unknown, &name);
    }
    if (unknown.count == 0) {
        return SOA_OK;
    }
    char others[32] = "";
    if (unknown.count > 1) {
        snprintf(others, sizeof others, " (and %d more)", unknown.count - 1);
    }
    return soa_builder_warn(u->builder, soa_xml_source(unknown.first), error,
        "the attribute %.60s of <%.60s>%s is not known here; it is left out", name, unknown.first->name, others);
}

static soa_status remark_unknown(const urdf *u, soa_error *error)
{
    urdf_tally unknown = { NULL, 0 };
    look_at_children(u->root, &unknown);
    for (int k = 0; k < u->links; k++) {
        look_at_children(u->link[k].element, &unknown);
    }
    for (int j = 0; j < u->joints; j++) {
        look_at_children(u->joint[j].element, &unknown);
    }
    if (unknown.count == 0) {
        return SOA_OK;
    }
    char others[32] = "";
    if (unknown.count > 1) {
        snprintf(others, sizeof others, " (and %d more)", unknown.count - 1);
    }
    return soa_builder_warn(u->builder, soa_xml_source(unknown.first), error,
        "<%.60s>%s is no element of URDF that is known here; it is left out", unknown.first->name, others);
}

/* Only links that a joint moves: the others often are mere frames. */
static soa_status remark_massless(const urdf *u, soa_error *error)
{
    int count = 0;
    const urdf_link *first = NULL;
    for (int k = 0; k < u->links; k++) {
        const soa_link *link = soa_builder_link(u->builder, u->link[k].index);
        if ((link->flags & SOA_LINK_NO_INERTIA) && link->joint.kind != SOA_FIXED) {
            first = first ? first : &u->link[k];
            count++;
        }
    }
    return count == 0 ? SOA_OK
                      : soa_builder_warn(u->builder, soa_xml_source(first->element), error,
                            "%d moving link%s without <inertial>, '%.60s' the first: taken as massless", count,
                            count == 1 ? "" : "s", first->name);
}

static soa_status remark_unlimited(const urdf *u, soa_error *error)
{
    int count = 0;
    const urdf_joint *first = NULL;
    for (int j = 0; j < u->joints; j++) {
        if (u->joint[j].unlimited) {
            first = first ? first : &u->joint[j];
            count++;
        }
    }
    return count == 0 ? SOA_OK
                      : soa_builder_warn(u->builder, soa_xml_source(first->element), error,
                            "%d joint%s without limits although the type has them, '%.60s' the first: unlimited", count,
                            count == 1 ? "" : "s", first->name);
}

soa_status soa_urdf_remarks(const urdf *u, soa_error *error)
{
    soa_status status = remark_unknown(u, error);
    if (status == SOA_OK) {
        status = remark_attributes(u, error);
    }
    if (status == SOA_OK) {
        status = remark_massless(u, error);
    }
    return status == SOA_OK ? remark_unlimited(u, error) : status;
}
