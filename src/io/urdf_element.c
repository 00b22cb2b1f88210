/* io/urdf_element.c - names, single children and placements of URDF elements. */
#include <string.h>

#include "core/error.h"
#include "io/urdf.h"

soa_status soa_urdf_name(const soa_xml *element, const char *attribute, const char **name, soa_error *error)
{
    *name = soa_xml_get(element, attribute);
    if (!*name || !**name) {
        return soa_xml_fail(
            element, SOA_E_NAME, error, "the attribute %s is %s; give it", attribute, *name ? "empty" : "missing");
    }
    if (strlen(*name) > SOA_MAX_NAME) {
        return soa_xml_fail(
            element, SOA_E_NAME, error, "the attribute %s is longer than %d bytes", attribute, SOA_MAX_NAME);
    }
    if (strstr(*name, "${") || strstr(*name, "$(")) {
        return soa_xml_fail(element, SOA_E_SYNTAX, error,
            "%s=\"%.60s\" looks like xacro; expand it first with: "
            "xacro FILE.xacro > FILE.urdf",
            attribute, *name);
    }
    return SOA_OK;
}

soa_status soa_urdf_only(const soa_xml *element, const char *name, soa_xml **child, soa_error *error)
{
    *child = soa_xml_child(element, name);
    const soa_xml *second = *child ? soa_xml_next(*child, name) : NULL;
    if (second) {
        return soa_fail_at(error, SOA_E_SYNTAX, second->file, second->line,
            "<%s> of this <%s> was already given in line %d; remove one", name, element->name, (*child)->line);
    }
    return SOA_OK;
}

/* x y z w, as newer URDF has it. */
static soa_status read_quaternion(
    const soa_xml *element, const double position[3], const double xyzw[4], soa_pose *pose, soa_error *error)
{
    const double wxyz[4] = { xyzw[3], xyzw[0], xyzw[1], xyzw[2] };
    if (soa_xml_get(element, "rpy")) {
        return soa_xml_fail(element, SOA_E_SYNTAX, error, "both rpy and quat_xyzw are given; remove one");
    }
    if (wxyz[0] == 0.0 && wxyz[1] == 0.0 && wxyz[2] == 0.0 && wxyz[3] == 0.0) {
        return soa_xml_fail(element, SOA_E_NUMBER, error, "quat_xyzw is zero; give \"0 0 0 1\" for no rotation");
    }
    *pose = soa_pose_from_quaternion(position, wxyz);
    return SOA_OK;
}

soa_status soa_urdf_placement(const soa_xml *element, soa_pose *pose, soa_error *error)
{
    double xyz[3] = { 0.0 }, rpy[3] = { 0.0 }, xyzw[4];
    bool quaternion = false;
    soa_status status = soa_xml_numbers(element, "xyz", 3, xyz, NULL, error);
    if (status == SOA_OK) {
        status = soa_xml_numbers(element, "rpy", 3, rpy, NULL, error);
    }
    if (status == SOA_OK) {
        status = soa_xml_numbers(element, "quat_xyzw", 4, xyzw, &quaternion, error);
    }
    if (status == SOA_OK && quaternion) {
        return read_quaternion(element, xyz, xyzw, pose, error);
    }
    if (status == SOA_OK) {
        *pose = soa_pose_from_rpy(xyz, rpy);
    }
    return status;
}

soa_status soa_urdf_origin(const soa_xml *element, soa_pose *pose, soa_error *error)
{
    soa_xml *origin;
    *pose = soa_pose_identity();
    const soa_status status = soa_urdf_only(element, "origin", &origin, error);
    return status == SOA_OK && origin ? soa_urdf_placement(origin, pose, error) : status;
}
