/* io/urdf_joint.c - a joint: type, origin, axis, limits, damping, mimic. */
#include <float.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "core/error.h"
#include "core/number.h"
#include "io/urdf.h"

/* ---- type and axis ---------------------------------------------------------------- */

static soa_status read_type(const soa_xml *element, soa_joint_kind *kind, soa_error *error)
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
    if (!type) {
        return soa_xml_fail(element, SOA_E_JOINT, error, "the type is missing; give one such as type=\"revolute\"");
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(type, known[i].text) == 0) {
            *kind = known[i].kind;
            return SOA_OK;
        }
    }
    return soa_xml_fail(element, SOA_E_JOINT, error,
        "unknown type '%.60s'; URDF has fixed, revolute, continuous, prismatic, floating and planar", type);
}

static bool has_axis(soa_joint_kind kind)
{
    return kind != SOA_FIXED && kind != SOA_FREE;
}

static soa_status read_axis(const soa_xml *element, soa_joint *joint, soa_error *error)
{
    soa_xml *axis;
    double xyz[3] = { 1.0, 0.0, 0.0 };
    soa_status status = soa_urdf_only(element, "axis", &axis, error);
    if (status == SOA_OK && axis) {
        status = soa_xml_numbers(axis, "xyz", 3, xyz, NULL, error);
    }
    if (status != SOA_OK || !has_axis(joint->kind)) {
        return status;
    }
    if (xyz[0] == 0.0 && xyz[1] == 0.0 && xyz[2] == 0.0) {
        /* Without <axis> it is x. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        return soa_fail_at(error, SOA_E_JOINT, axis->file, axis->line,
            "joint '%.60s': axis is zero; give a direction such as \"0 0 1\"", joint->name);
    }
    memcpy(joint->axis, xyz, sizeof xyz);
    return SOA_OK;
}

/* ---- limits ----------------------------------------------------------------------- */

/* The largest number stands for none, since URDF wants all four attributes. */
static double or_infinite(double limit)
{
    return fabs(limit) >= DBL_MAX ? copysign(INFINITY, limit) : limit;
}

/* A limit. "inf" and "-inf" say that there is none. */
static soa_status read_limit_number(
    const soa_xml *limit, const char *attribute, double *value, bool *found, soa_error *error)
{
    const char *text = soa_xml_get(limit, attribute), *digits = text ? text + (*text == '-' || *text == '+') : NULL;
    if (digits && (strcasecmp(digits, "inf") == 0 || strcasecmp(digits, "infinity") == 0)) {
        *value = *text == '-' ? -INFINITY : INFINITY;
        *found = true;
        return SOA_OK;
    }
    return soa_xml_number(limit, attribute, value, found, error);
}

/* velocity, effort: several exporters write -1 where there is no limit. */
static soa_status read_bound(
    soa_builder *builder, const soa_xml *limit, const char *attribute, double *bound, soa_error *error)
{
    bool found;
    double value = 0.0;
    const soa_status status = read_limit_number(limit, attribute, &value, &found, error);
    if (status == SOA_OK && value < 0.0) {
        char number[SOA_NUMBER_SIZE];
        return soa_builder_warn(builder, soa_xml_source(limit), error,
            "joint '%.60s': the limit of %s is %s; a negative one is taken as none", soa_xml_get(limit->parent, "name"),
            attribute, soa_number_write(number, value));
    }
    if (status == SOA_OK && found) {
        *bound = or_infinite(value);
    }
    return status;
}

/* lower, upper: one that is missing is zero, as the format says; both: no limits. */
static soa_status read_range(const soa_xml *limit, soa_joint *joint, bool *unlimited, soa_error *error)
{
    double lower = 0.0, upper = 0.0;
    bool has_lower, has_upper;
    soa_status status = read_limit_number(limit, "lower", &lower, &has_lower, error);
    if (status == SOA_OK) {
        status = read_limit_number(limit, "upper", &upper, &has_upper, error);
    }
    if (status != SOA_OK || joint->kind == SOA_CONTINUOUS) {
        return status;
    }
    if (!has_lower && !has_upper) {
        *unlimited = true;
        return SOA_OK;
    }
    if (lower > upper) {
        char low[SOA_NUMBER_SIZE], high[SOA_NUMBER_SIZE];
        return soa_xml_fail(limit, SOA_E_JOINT, error, "lower limit %s is above upper limit %s; exchange them",
            soa_number_write(low, lower), soa_number_write(high, upper));
    }
    joint->lower[0] = or_infinite(lower);
    joint->upper[0] = or_infinite(upper);
    return SOA_OK;
}

static soa_status read_limit(soa_builder *builder, urdf_joint *from, soa_joint *joint, soa_error *error)
{
    soa_xml *limit;
    soa_status status = soa_urdf_only(from->element, "limit", &limit, error);
    if (status != SOA_OK || joint->kind == SOA_FIXED) {
        return status;
    }
    if (!limit) {
        from->unlimited = joint->kind == SOA_REVOLUTE || joint->kind == SOA_PRISMATIC;
        return SOA_OK;
    }
    if (joint->kind == SOA_PLANAR || joint->kind == SOA_FREE) {
        return soa_builder_warn(builder, soa_xml_source(limit), error,
            "joint '%.60s': limits of a joint with several coordinates are not read", joint->name);
    }
    if ((status = read_range(limit, joint, &from->unlimited, error)) == SOA_OK &&
        (status = read_bound(builder, limit, "velocity", &joint->velocity[0], error)) == SOA_OK) {
        status = read_bound(builder, limit, "effort", &joint->effort[0], error);
    }
    return status;
}

/* ---- the rest --------------------------------------------------------------------- */

static soa_status read_dynamics(const soa_xml *element, soa_joint *joint, soa_error *error)
{
    soa_xml *dynamics;
    soa_status status = soa_urdf_only(element, "dynamics", &dynamics, error);
    if (status != SOA_OK || !dynamics) {
        return status;
    }
    double damping = 0.0, friction = 0.0;
    status = soa_xml_number(dynamics, "damping", &damping, NULL, error);
    if (status == SOA_OK) {
        status = soa_xml_number(dynamics, "friction", &friction, NULL, error);
    }
    if (status == SOA_OK && (damping < 0.0 || friction < 0.0)) {
        return soa_xml_fail(dynamics, SOA_E_JOINT, error, "%s is negative; it must brake the joint",
            damping < 0.0 ? "damping" : "friction");
    }
    if (joint->kind != SOA_FIXED) {
        joint->damping = damping;
        joint->friction = friction;
    }
    return status;
}

soa_status soa_urdf_joint(soa_builder *builder, urdf_joint *from, soa_joint *joint, soa_error *error)
{
    soa_joint_kind kind = SOA_FIXED;
    soa_status status = read_type(from->element, &kind, error);
    if (status != SOA_OK) {
        return status;
    }
    *joint = soa_joint_default(from->name, kind);
    joint->source = soa_xml_source(from->element);
    joint->rotor.ratio = soa_joint_kind_nv(kind) == 1 ? from->reduction : 0.0;
    if ((status = soa_urdf_origin(from->element, &joint->at, error)) == SOA_OK &&
        (status = read_axis(from->element, joint, error)) == SOA_OK &&
        (status = read_limit(builder, from, joint, error)) == SOA_OK) {
        status = read_dynamics(from->element, joint, error);
    }
    return status;
}

soa_status soa_urdf_mimic(const urdf *u, const urdf_joint *joint, soa_error *error)
{
    soa_xml *mimic;
    const char *name;
    double multiplier = 1.0, offset = 0.0;
    soa_status status = soa_urdf_only(joint->element, "mimic", &mimic, error);
    if (status != SOA_OK || !mimic) {
        return status;
    }
    if ((status = soa_urdf_name(mimic, "joint", &name, error)) != SOA_OK ||
        (status = soa_xml_number(mimic, "multiplier", &multiplier, NULL, error)) != SOA_OK ||
        (status = soa_xml_number(mimic, "offset", &offset, NULL, error)) != SOA_OK) {
        return status;
    }
    const int driver = soa_names_find(&u->joint_names, name);
    if (soa_builder_link(u->builder, u->link[joint->child].index)->joint.kind == SOA_FIXED) {
        return soa_builder_warn(u->builder, soa_xml_source(mimic), error,
            "joint '%.60s': is fixed and cannot mimic another; <mimic> is left out", joint->name);
    }
    if (driver < 0) {
        return soa_xml_fail(mimic, SOA_E_COUPLING, error, "there is no joint '%.60s'", name);
    }
    if (&u->joint[driver] == joint) {
        return soa_xml_fail(mimic, SOA_E_COUPLING, error, "the joint mimics itself; name another one");
    }
    soa_coupling coupling = {
        .link = u->link[joint->child].index,
        .driver = u->link[u->joint[driver].child].index,
        .coefficient = { offset, multiplier },
        .source = soa_xml_source(mimic),
    };
    if (soa_builder_link(u->builder, coupling.driver)->joint.kind == SOA_FIXED) { /* whose coordinate stays zero */
        coupling.driver = -1;
        coupling.coefficient[1] = 0.0;
        status = soa_builder_warn(u->builder, soa_xml_source(mimic), error,
            "joint '%.60s': mimics '%.60s', which is fixed; it is held where the offset says", joint->name, name);
    }
    return status == SOA_OK ? soa_builder_add_coupling(u->builder, &coupling, NULL, error) : status;
}
