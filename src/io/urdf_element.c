/* io/urdf_element.c - names, single children and placements of URDF elements. */
#include "io/urdf.h"

const char *soa_urdf_name(const soa_xml *element, const char *attribute)
{
    const char *name = soa_xml_get(element, attribute);
    if (!name || !*name) {
        soa_xml_fail(element, SOA_E_NAME, "the attribute %s is %s; give it", attribute, name ? "empty" : "missing");
    } else if (strlen(name) > SOA_MAX_NAME) {
        soa_xml_fail(element, SOA_E_NAME, "the attribute %s is longer than %d bytes", attribute, SOA_MAX_NAME);
    } else if (strstr(name, "${") || strstr(name, "$(")) {
        soa_xml_fail(element, SOA_E_SYNTAX,
            "%s=\"%.60s\" looks like xacro; expand it first with: "
            "xacro FILE.xacro > FILE.urdf",
            attribute, name);
    }
    return soa_ok(element->outcome) ? name : "";
}

soa_xml *soa_urdf_only(const soa_xml *element, const char *name)
{
    soa_xml *child = soa_xml_child(element, name);
    const soa_xml *second = child ? soa_xml_next(child, name) : NULL;
    if (second) {
        soa_halt(element->outcome, SOA_E_SYNTAX, second->file, second->line,
            "<%s> of this <%s> was already given in line %d; remove one", name, element->name, child->line);
    }
    return child;
}

/* The quaternion is x y z w, as newer URDF has it. */
soa_pose soa_urdf_placement(const soa_xml *element)
{
    double xyz[3] = { 0.0 }, rpy[3] = { 0.0 }, xyzw[4] = { 0.0 };
    soa_xml_numbers(element, "xyz", 3, xyz);
    soa_xml_numbers(element, "rpy", 3, rpy);
    if (!soa_xml_numbers(element, "quat_xyzw", 4, xyzw)) {
        return soa_pose_from_rpy(xyz, rpy);
    }
    const double wxyz[4] = { xyzw[3], xyzw[0], xyzw[1], xyzw[2] };
    if (soa_xml_get(element, "rpy")) {
        soa_xml_fail(element, SOA_E_SYNTAX, "both rpy and quat_xyzw are given; remove one");
    } else if (wxyz[0] == 0.0 && wxyz[1] == 0.0 && wxyz[2] == 0.0 && wxyz[3] == 0.0) {
        soa_xml_fail(element, SOA_E_NUMBER, "quat_xyzw is zero; give \"0 0 0 1\" for no rotation");
    }
    return soa_pose_from_quaternion(xyz, wxyz);
}

soa_pose soa_urdf_origin(const soa_xml *element)
{
    const soa_xml *origin = soa_urdf_only(element, "origin");
    return origin ? soa_urdf_placement(origin) : soa_pose_identity();
}
