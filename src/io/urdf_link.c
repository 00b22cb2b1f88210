/* io/urdf_link.c - the mass properties of a link. */
#include "io/urdf.h"

static soa_status read_mass(const soa_xml *inertial, double *mass, soa_error *error)
{
    soa_xml *element;
    bool found = false;
    soa_status status = soa_urdf_only(inertial, "mass", &element, error);
    if (status == SOA_OK && element) {
        status = soa_xml_number(element, "value", mass, &found, error);
    }
    if (status == SOA_OK && !found) {
        return soa_xml_fail(element ? element : inertial, SOA_E_SYNTAX, error,
            "the mass is missing; give <mass value=\"...\"/>, or leave <inertial> out");
    }
    return status;
}

/* A moment on the diagonal must be there; a product that is missing is zero, which
 * is worth a remark. */
static soa_status read_moment(
    const soa_xml *element, const char *attribute, bool required, double *value, bool *missing, soa_error *error)
{
    bool found;
    *value = 0.0;
    const soa_status status = soa_xml_number(element, attribute, value, &found, error);
    if (status == SOA_OK && !found && required) {
        return soa_xml_fail(element, SOA_E_SYNTAX, error, "%s is missing; give all six moments", attribute);
    }
    *missing |= !found;
    return status;
}

static soa_status read_moments(soa_builder *builder, const soa_xml *element, double moment[6], soa_error *error)
{
    static const char *const name[6] = { "ixx", "ixy", "ixz", "iyy", "iyz", "izz" };
    bool missing = false;
    for (int i = 0; i < 6; i++) {
        const bool diagonal = i == 0 || i == 3 || i == 5;
        const soa_status status = read_moment(element, name[i], diagonal, &moment[i], &missing, error);
        if (status != SOA_OK) {
            return status;
        }
    }
    return missing ? soa_builder_warn(builder, soa_xml_source(element), error,
                         "products of inertia that are not given are taken as zero")
                   : SOA_OK;
}

soa_status soa_urdf_inertial(soa_builder *builder, const soa_xml *element, soa_link *link, soa_error *error)
{
    soa_xml *inertial, *moments;
    soa_pose at;
    soa_inertia own = { .mass = 0.0 };
    soa_status status = soa_urdf_only(element, "inertial", &inertial, error);
    if (status != SOA_OK || !inertial) {
        link->flags |= SOA_LINK_NO_INERTIA;
        return status;
    }
    link->inertia_source = soa_xml_source(inertial);
    if ((status = soa_urdf_origin(inertial, &at, error)) != SOA_OK ||
        (status = read_mass(inertial, &own.mass, error)) != SOA_OK ||
        (status = soa_urdf_only(inertial, "inertia", &moments, error)) != SOA_OK) {
        return status;
    }
    if (!moments) {
        return soa_xml_fail(inertial, SOA_E_SYNTAX, error, "<inertia> is missing; give ixx, ixy, ixz, iyy, iyz, izz");
    }
    status = read_moments(builder, moments, own.moment, error);
    link->inertia = soa_inertia_transform(&at, &own);
    return status;
}
