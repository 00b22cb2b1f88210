/* io/urdf_link.c - the mass properties of a link. */
#include "io/urdf.h"

/* A moment on the diagonal must be there; a product that is missing is zero, which is worth a remark. */
static void read_moments(urdf *u, const soa_xml *element, double moment[6])
{
    static const char *const name[6] = { "ixx", "ixy", "ixz", "iyy", "iyz", "izz" };
    bool missing = false;
    for (int i = 0; i < 6; i++) {
        const bool found = soa_xml_number(element, name[i], &moment[i]);
        if (!found && (i == 0 || i == 3 || i == 5)) {
            soa_xml_fail(element, SOA_E_SYNTAX, "%s is missing; give all six moments", name[i]);
        }
        missing |= !found;
    }
    if (missing) {
        soa_kit_warn(&u->kit, soa_xml_source(element), "products of inertia that are not given are taken as zero");
    }
}

void soa_urdf_inertial(urdf *u, const soa_xml *element, soa_link *link)
{
    soa_inertia own = { .mass = 0.0 };
    const soa_xml *inertial = soa_urdf_only(element, "inertial");
    if (!inertial) {
        link->flags |= SOA_LINK_NO_INERTIA;
        return;
    }
    link->inertia_source = soa_xml_source(inertial);
    const soa_pose at = soa_urdf_origin(inertial);
    const soa_xml *mass = soa_urdf_only(inertial, "mass");
    if (!mass || !soa_xml_number(mass, "value", &own.mass)) {
        soa_xml_fail(mass ? mass : inertial, SOA_E_SYNTAX,
            "the mass is missing; give <mass value=\"...\"/>, or leave <inertial> out");
    }
    const soa_xml *moments = soa_urdf_only(inertial, "inertia");
    if (!moments) {
        soa_xml_fail(inertial, SOA_E_SYNTAX, "<inertia> is missing; give ixx, ixy, ixz, iyy, iyz, izz");
        return;
    }
    read_moments(u, moments, own.moment);
    link->inertia = soa_inertia_transform(&at, &own);
}
