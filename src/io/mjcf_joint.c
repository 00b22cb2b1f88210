/* io/mjcf_joint.c - one <joint> or <freejoint>. */
#include <math.h>

#include "io/mjcf.h"

static const double degree = 3.14159265358979323846 / 180.0;
static const double endless = 1e10; /* MuJoCo knows no larger number: a limit there is none */

/* Whether a range counts: as `limited` says, or because it is there and not zero. */
static bool is_limited(const mjcf *m, const soa_xml *x, const char *limited, const char *name, double range[2])
{
    enum { FALSE_WORD, TRUE_WORD, AUTO_WORD };
    static const char *const words[] = { "false", "true", "auto", NULL };
    const int word = soa_xml_word(x, limited, words, AUTO_WORD);
    soa_xml_numbers(x, name, 2, range);
    const bool has_range = range[0] != 0.0 || range[1] != 0.0;
    if (word == AUTO_WORD && has_range && !m->compiler.autolimits) {
        soa_xml_fail(x, SOA_E_JOINT,
            "%s is given, but autolimits is false and %s is not; write %s=\"true\" or \"false\"", name, limited,
            limited);
    }
    return word == TRUE_WORD || (word == AUTO_WORD && has_range);
}

static void read_limits(const mjcf *m, const soa_xml *x, soa_joint *joint)
{
    double range[2] = { 0.0, 0.0 };
    if (!is_limited(m, x, "limited", "range", range) || joint->kind == SOA_FREE) {
        joint->kind = joint->kind == SOA_REVOLUTE ? SOA_CONTINUOUS : joint->kind;
        return;
    }
    const double unit = m->compiler.degree && joint->kind != SOA_PRISMATIC ? degree : 1.0;
    if (joint->kind == SOA_SPHERICAL) {
        if (range[0] != 0.0 || range[1] < 0.0) {
            soa_xml_fail(x, SOA_E_JOINT, "range of a ball joint is \"0 ANGLE\"");
        }
        joint->upper[0] = unit * range[1];
        return;
    }
    if (range[0] >= range[1]) {
        soa_xml_fail(x, SOA_E_JOINT, "range must be two rising numbers; give it, or write limited=\"false\"");
    }
    joint->lower[0] = range[0] <= -endless ? -INFINITY : unit * range[0];
    joint->upper[0] = range[1] >= endless ? INFINITY : unit * range[1];
}

/* actuatorfrcrange bounds the force of all motors of the joint together. */
static void read_effort(mjcf *m, const soa_xml *x, soa_joint *joint)
{
    double range[2] = { 0.0, 0.0 };
    if (soa_joint_kind_nv(joint->kind) != 1 || !is_limited(m, x, "actuatorfrclimited", "actuatorfrcrange", range)) {
        return;
    }
    if (range[0] >= range[1]) {
        soa_xml_fail(x, SOA_E_JOINT, "actuatorfrcrange must be two rising numbers");
    } else if (range[0] == -range[1]) {
        joint->effort[0] = range[1];
    } else {
        soa_xml_count(&m->met[MJCF_FORCE_RANGE], x);
    }
}

/* stiffness and damping may have terms of higher order, which are not read. */
static double read_linear(mjcf *m, const soa_xml *x, const char *attribute)
{
    double terms[3] = { 0.0, 0.0, 0.0 };
    soa_xml_numbers_up_to(x, attribute, 3, terms);
    if (terms[1] != 0.0 || terms[2] != 0.0) {
        soa_xml_count(&m->met[MJCF_POLYNOMIAL], x);
    }
    return terms[0];
}

static void read_passive(mjcf *m, const soa_xml *x, soa_joint *joint)
{
    double pair[2] = { 0.0, 0.0 };
    joint->stiffness = read_linear(m, x, "stiffness");
    joint->damping = read_linear(m, x, "damping");
    soa_xml_number(x, "frictionloss", &joint->friction);
    soa_xml_number(x, "armature", &joint->rotor.armature);
    soa_xml_number(x, "springref", &joint->spring_reference);
    soa_xml_number(x, "ref", &joint->reference);
    soa_xml_numbers(x, "springdamper", 2, pair);
    if (pair[0] != 0.0 || pair[1] != 0.0) {
        soa_xml_count(&m->met[MJCF_SPRINGDAMPER], x);
    }
    if (soa_joint_kind_nq(joint->kind) != 1) {
        joint->reference = joint->spring_reference = 0.0;
    } else if (joint->kind != SOA_PRISMATIC && m->compiler.degree) {
        joint->reference *= degree;
        joint->spring_reference *= degree;
    }
}

static void read_axis(const soa_xml *x, const soa_pose *at, soa_joint *joint, double anchor[3])
{
    double axis[3] = { 0.0, 0.0, 1.0 }, pos[3] = { 0.0, 0.0, 0.0 };
    soa_xml_numbers(x, "axis", 3, axis);
    soa_xml_numbers(x, "pos", 3, pos);
    soa_mjcf_turn(at, axis, joint->axis);
    soa_mjcf_turn(at, pos, anchor);
    for (int i = 0; i < 3; i++) {
        anchor[i] += at->position[i];
    }
}

soa_joint soa_mjcf_joint(mjcf *m, const soa_xml *x, const soa_pose *at, double anchor[3])
{
    static const char *const types[] = { "hinge", "slide", "ball", "free", NULL };
    static const soa_joint_kind kinds[] = { SOA_REVOLUTE, SOA_PRISMATIC, SOA_SPHERICAL, SOA_FREE };
    const bool free = soa_xml_is(x, "freejoint");
    const soa_joint_kind kind = free ? SOA_FREE : kinds[soa_xml_word(x, "type", types, 0)];
    soa_joint joint = soa_joint_default(NULL, kind);
    joint.source = soa_xml_source(x);
    if (!free) {
        read_axis(x, at, &joint, anchor);
        read_passive(m, x, &joint);
        read_limits(m, x, &joint);
        read_effort(m, x, &joint);
    }
    if (kind == SOA_FREE) {
        memset(anchor, 0, 3 * sizeof *anchor);
    }
    return joint;
}
