/* io/urdf_joint.c - a joint: type, origin, axis, limits, damping, mimic. */
#include <float.h>
#include <math.h>
#include <strings.h>

#include "core/number.h"
#include "io/urdf.h"

/* ---- type and axis ---------------------------------------------------------------- */

static soa_joint_kind read_type(const soa_xml *element)
{
    static const struct {
        const char *text;
        soa_joint_kind kind;
    } known[] = {
        { "fixed", SOA_FIXED },
        { "revolute", SOA_REVOLUTE },
        { "continuous", SOA_CONTINUOUS },
        { "prismatic", SOA_PRISMATIC },
        { "floating", SOA_FREE },
        { "planar", SOA_PLANAR },
    };
    const char *type = soa_xml_get(element, "type");
    for (size_t i = 0; type && i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(type, known[i].text) == 0) {
            return known[i].kind;
        }
    }
    if (type) {
        soa_xml_fail(element, SOA_E_JOINT,
            "unknown type '%.60s'; URDF has fixed, revolute, continuous, prismatic, floating and planar", type);
    } else {
        soa_xml_fail(element, SOA_E_JOINT, "the type is missing; give one such as type=\"revolute\"");
    }
    return SOA_FIXED;
}

static void read_axis(const soa_xml *element, soa_joint *joint)
{
    const soa_xml *axis = soa_urdf_only(element, "axis");
    double xyz[3] = { 1.0, 0.0, 0.0 };
    if (axis) {
        soa_xml_numbers(axis, "xyz", 3, xyz);
    }
    if (joint->kind == SOA_FIXED || joint->kind == SOA_FREE) {
        return;
    }
    if (axis && xyz[0] == 0.0 && xyz[1] == 0.0 && xyz[2] == 0.0) {
        soa_halt(element->outcome, SOA_E_JOINT, axis->file, axis->line,
            "joint '%.60s': axis is zero; give a direction such as \"0 0 1\"", joint->name);
    }
    memcpy(joint->axis, xyz, sizeof xyz);
}

/* ---- limits ----------------------------------------------------------------------- */

/* The largest number stands for none, since URDF wants all four attributes. */
static double or_infinite(double limit)
{
    return fabs(limit) >= DBL_MAX ? copysign(INFINITY, limit) : limit;
}

/* A limit. "inf" and "-inf" say that there is none. Whether it is there. */
static bool read_limit_number(const soa_xml *limit, const char *attribute, double *value)
{
    const char *text = soa_xml_get(limit, attribute), *digits = text ? text + (*text == '-' || *text == '+') : NULL;
    if (digits && (strcasecmp(digits, "inf") == 0 || strcasecmp(digits, "infinity") == 0)) {
        *value = *text == '-' ? -INFINITY : INFINITY;
        return true;
    }
    return soa_xml_number(limit, attribute, value);
}

/* velocity, effort: several exporters write -1 where there is no limit. */
static void read_bound(urdf *u, const soa_xml *limit, const char *attribute, double *bound)
{
    double value = 0.0;
    const bool found = read_limit_number(limit, attribute, &value);
    if (value < 0.0) {
        char number[SOA_NUMBER_SIZE];
        soa_kit_warn(&u->kit, soa_xml_source(limit),
            "joint '%.60s': the limit of %s is %s; a negative one is taken as none", soa_xml_get(limit->parent, "name"),
            attribute, soa_number_write(number, value));
    } else if (found) {
        *bound = or_infinite(value);
    }
}

/* lower, upper: one that is missing is zero, as the format says; both: no limits. */
static void read_range(const soa_xml *limit, soa_joint *joint, bool *unlimited)
{
    double lower = 0.0, upper = 0.0;
    const bool has_lower = read_limit_number(limit, "lower", &lower);
    const bool has_upper = read_limit_number(limit, "upper", &upper);
    if (joint->kind == SOA_CONTINUOUS) {
        return;
    }
    if (!has_lower && !has_upper) {
        *unlimited = true;
        return;
    }
    if (lower > upper) {
        char low[SOA_NUMBER_SIZE], high[SOA_NUMBER_SIZE];
        soa_xml_fail(limit, SOA_E_JOINT, "lower limit %s is above upper limit %s; exchange them",
            soa_number_write(low, lower), soa_number_write(high, upper));
    }
    joint->lower[0] = or_infinite(lower);
    joint->upper[0] = or_infinite(upper);
}

static void read_limit(urdf *u, urdf_joint *from, soa_joint *joint)
{
    const soa_xml *limit = soa_urdf_only(from->element, "limit");
    if (joint->kind == SOA_FIXED) {
        return;
    }
    if (!limit) {
        from->unlimited = joint->kind == SOA_REVOLUTE || joint->kind == SOA_PRISMATIC;
    } else if (joint->kind == SOA_PLANAR || joint->kind == SOA_FREE) {
        soa_kit_warn(&u->kit, soa_xml_source(limit),
            "joint '%.60s': limits of a joint with several coordinates are not read", joint->name);
    } else {
        read_range(limit, joint, &from->unlimited);
        read_bound(u, limit, "velocity", &joint->velocity[0]);
        read_bound(u, limit, "effort", &joint->effort[0]);
    }
}

/* ---- the rest --------------------------------------------------------------------- */

static void read_dynamics(const soa_xml *element, soa_joint *joint)
{
    const soa_xml *dynamics = soa_urdf_only(element, "dynamics");
    double damping = 0.0, friction = 0.0;
    if (!dynamics) {
        return;
    }
    soa_xml_number(dynamics, "damping", &damping);
    soa_xml_number(dynamics, "friction", &friction);
    if (damping < 0.0 || friction < 0.0) {
        soa_xml_fail(
            dynamics, SOA_E_JOINT, "%s is negative; it must brake the joint", damping < 0.0 ? "damping" : "friction");
    }
    if (joint->kind != SOA_FIXED) {
        joint->damping = damping;
        joint->friction = friction;
    }
}

soa_joint soa_urdf_joint(urdf *u, urdf_joint *from)
{
    const soa_joint_kind kind = read_type(from->element);
    soa_joint joint = soa_joint_default(from->name, kind);
    joint.source = soa_xml_source(from->element);
    joint.rotor.ratio = soa_joint_kind_nv(kind) == 1 ? from->reduction : 0.0;
    joint.at = soa_urdf_origin(from->element);
    read_axis(from->element, &joint);
    read_limit(u, from, &joint);
    read_dynamics(from->element, &joint);
    return joint;
}

void soa_urdf_mimic(urdf *u, const urdf_joint *joint)
{
    const soa_xml *mimic = soa_urdf_only(joint->element, "mimic");
    double multiplier = 1.0, offset = 0.0;
    if (!mimic) {
        return;
    }
    const char *name = soa_urdf_name(mimic, "joint");
    soa_xml_number(mimic, "multiplier", &multiplier);
    soa_xml_number(mimic, "offset", &offset);
    const int driver = soa_names_find(&u->joint_names, name);
    if (soa_builder_link(u->kit.builder, u->link[joint->child].index)->joint.kind == SOA_FIXED) {
        soa_kit_warn(&u->kit, soa_xml_source(mimic),
            "joint '%.60s': is fixed and cannot mimic another; <mimic> is left out", joint->name);
        return;
    }
    if (driver < 0 || &u->joint[driver] == joint) {
        if (driver < 0) {
            soa_xml_fail(mimic, SOA_E_COUPLING, "there is no joint '%.60s'", name);
        } else {
            soa_xml_fail(mimic, SOA_E_COUPLING, "the joint mimics itself; name another one");
        }
        return;
    }
    soa_coupling coupling = {
        .link = u->link[joint->child].index,
        .driver = u->link[u->joint[driver].child].index,
        .coefficient = { offset, multiplier },
        .source = soa_xml_source(mimic),
    };
    if (soa_builder_link(u->kit.builder, coupling.driver)->joint.kind == SOA_FIXED) { /* whose coordinate stays zero */
        coupling.driver = -1;
        coupling.coefficient[1] = 0.0;
        soa_kit_warn(&u->kit, soa_xml_source(mimic),
            "joint '%.60s': mimics '%.60s', which is fixed; it is held where the offset says", joint->name, name);
    }
    soa_kit_coupling(&u->kit, &coupling);
}
