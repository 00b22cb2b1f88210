/* io/mjcf_joint.c - one <joint> or <freejoint>. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "io/mjcf.h"

static const double degree = 3.14159265358979323846 / 180.0;
static const double endless = 1e10; /* MuJoCo knows no larger number: a limit there is none */

enum { HINGE, SLIDE, BALL, FREE };

static const char *const types[] = { "hinge", "slide", "ball", "free", NULL };

static const soa_joint_kind kinds[] = { SOA_REVOLUTE, SOA_PRISMATIC, SOA_SPHERICAL, SOA_FREE };

enum { LIMITED_FALSE, LIMITED_TRUE, LIMITED_AUTO };

static const char *const limited_words[] = { "false", "true", "auto", NULL };

static bool fail(mjcf *m, const mjcf_layer *view, soa_status status, const char *what)
{
    return soa_mjcf_ok(m, soa_xml_fail(view->element, status, m->error, "%s", what));
}

/* Whether a range counts: as `limited` says, or because it is there and not zero. */
static bool is_limited(
    mjcf *m, const mjcf_layer *view, const char *limited, const char *name, double range[2], bool *result)
{
    int word;
    if (!soa_mjcf_word(m, view, limited, limited_words, LIMITED_AUTO, &word) ||
        !soa_mjcf_numbers(m, view, name, 2, range, NULL)) {
        return false;
    }
    const bool has_range = range[0] != 0.0 || range[1] != 0.0;
    if (word == LIMITED_AUTO && has_range && !m->compiler.autolimits) {
        return soa_mjcf_ok(m, soa_xml_fail(view->element, SOA_E_JOINT, m->error,
                                  "%s is given, but autolimits is false and %s is not; write %s=\"true\" or \"false\"",
                                  name, limited, limited));
    }
    *result = word == LIMITED_TRUE || (word == LIMITED_AUTO && has_range);
    return true;
}

static bool read_limits(mjcf *m, const mjcf_layer *view, soa_joint *joint)
{
    double range[2] = { 0.0, 0.0 };
    bool limited = false;
    if (!is_limited(m, view, "limited", "range", range, &limited)) {
        return false;
    }
    if (!limited || joint->kind == SOA_FREE) {
        joint->kind = joint->kind == SOA_REVOLUTE ? SOA_CONTINUOUS : joint->kind;
        return true;
    }
    const double unit = m->compiler.degree && joint->kind != SOA_PRISMATIC ? degree : 1.0;
    if (joint->kind == SOA_SPHERICAL) {
        if (range[0] != 0.0 || range[1] < 0.0) {
            return fail(m, view, SOA_E_JOINT, "range of a ball joint is \"0 ANGLE\"");
        }
        joint->upper[0] = unit * range[1];
        return true;
    }
    if (range[0] >= range[1]) {
        return fail(m, view, SOA_E_JOINT, "range must be two rising numbers; give it, or write limited=\"false\"");
    }
    joint->lower[0] = range[0] <= -endless ? -INFINITY : unit * range[0];
    joint->upper[0] = range[1] >= endless ? INFINITY : unit * range[1];
    return true;
}

/* actuatorfrcrange bounds the force of all motors of the joint together. */
static bool read_effort(mjcf *m, const mjcf_layer *view, soa_joint *joint)
{
    double range[2] = { 0.0, 0.0 };
    bool limited = false;
    if (soa_joint_kind_nv(joint->kind) != 1) {
        return true;
    }
    if (!is_limited(m, view, "actuatorfrclimited", "actuatorfrcrange", range, &limited)) {
        return false;
    }
    if (limited && range[0] >= range[1]) {
        return fail(m, view, SOA_E_JOINT, "actuatorfrcrange must be two rising numbers");
    }
    if (limited && range[0] == -range[1]) {
        joint->effort[0] = range[1];
    } else if (limited) {
        soa_mjcf_count(&m->force_range, view->element);
    }
    return true;
}

/* stiffness and damping may have terms of higher order, which are not read. */
static bool read_linear(mjcf *m, const mjcf_layer *view, const char *attribute, double *value)
{
    double terms[3] = { 0.0, 0.0, 0.0 };
    int count;
    if (!soa_mjcf_numbers_up_to(m, view, attribute, 3, terms, &count)) {
        return false;
    }
    *value = terms[0];
    if (terms[1] != 0.0 || terms[2] != 0.0) {
        soa_mjcf_count(&m->polynomial, view->element);
    }
    return true;
}

static bool read_passive(mjcf *m, const mjcf_layer *view, soa_joint *joint)
{
    double pair[2] = { 0.0, 0.0 };
    if (!read_linear(m, view, "stiffness", &joint->stiffness) || !read_linear(m, view, "damping", &joint->damping) ||
        !soa_mjcf_number(m, view, "frictionloss", &joint->friction) ||
        !soa_mjcf_number(m, view, "armature", &joint->rotor.armature) ||
        !soa_mjcf_number(m, view, "springref", &joint->spring_reference) ||
        !soa_mjcf_number(m, view, "ref", &joint->reference) ||
        !soa_mjcf_numbers(m, view, "springdamper", 2, pair, NULL)) {
        return false;
    }
    if (pair[0] != 0.0 || pair[1] != 0.0) {
        soa_mjcf_count(&m->springdamper, view->element);
    }
    if (soa_joint_kind_nq(joint->kind) != 1) {
        joint->reference = joint->spring_reference = 0.0;
    } else if (joint->kind != SOA_PRISMATIC && m->compiler.degree) {
        joint->reference *= degree;
        joint->spring_reference *= degree;
    }
    return true;
}

static bool read_axis(mjcf *m, const mjcf_layer *view, const soa_pose *at, soa_joint *joint, double anchor[3])
{
    double axis[3] = { 0.0, 0.0, 1.0 }, pos[3] = { 0.0, 0.0, 0.0 };
    if (!soa_mjcf_numbers(m, view, "axis", 3, axis, NULL) || !soa_mjcf_numbers(m, view, "pos", 3, pos, NULL)) {
        return false;
    }
    if (soa_mjcf_length(axis) < 1e-14) {
        return fail(m, view, SOA_E_JOINT, "axis is zero; give a direction such as \"0 0 1\"");
    }
    soa_mjcf_turn(at, axis, joint->axis);
    soa_mjcf_turn(at, pos, anchor);
    for (int i = 0; i < 3; i++) {
        anchor[i] += at->position[i];
    }
    return true;
}

bool soa_mjcf_joint(mjcf *m, const mjcf_layer *view, const soa_pose *at, soa_joint *joint, double anchor[3])
{
    int type = FREE;
    if (strcmp(view->element->name, "freejoint") == 0) {
        *joint = soa_joint_default(NULL, SOA_FREE);
        joint->source = soa_xml_source(view->element);
        memset(anchor, 0, 3 * sizeof *anchor);
        return true;
    }
    if (!soa_mjcf_word(m, view, "type", types, HINGE, &type)) {
        return false;
    }
    *joint = soa_joint_default(NULL, kinds[type]);
    joint->source = soa_xml_source(view->element);
    if (!read_axis(m, view, at, joint, anchor) || !read_passive(m, view, joint) || !read_limits(m, view, joint) ||
        !read_effort(m, view, joint)) {
        return false;
    }
    if (type == FREE) {
        memset(anchor, 0, 3 * sizeof *anchor);
    }
    return true;
}
