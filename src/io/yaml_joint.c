/* io/yaml_joint.c - a joint in a native YAML file. */
#include <string.h>

#include "core/kind_words.h"
#include "io/yaml_read.h"

/* ---- limits ------------------------------------------------------------------- */

/* A number, or the word none: no limit, as it is by default. */
static void read_limit(const soa_yaml *value, double *limit)
{
    if (value->kind != SOA_YAML_SCALAR || !value->plain || strcmp(value->text, "none") != 0) {
        soa_yaml_as_number(value, limit);
    }
}

/* One limit for a joint of one velocity, else a list of one per velocity. */
static void read_limits(const soa_yaml *mapping, const char *key, int nv, double *limits)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    if (!value) {
        return;
    }
    if (nv == 0) {
        soa_yaml_fail(value, SOA_E_JOINT, "a fixed joint has no '%s'; remove it", key);
    } else if (value->kind == SOA_YAML_SCALAR && nv == 1) {
        read_limit(value, limits);
    } else if (value->kind != SOA_YAML_SEQUENCE || value->count != nv) {
        soa_yaml_fail(value, SOA_E_JOINT, "'%s' must be %s%d number%s here, or the word none for each", key,
            nv == 1 ? "" : "a list of ", nv, nv == 1 ? "" : "s");
    } else {
        for (const soa_yaml *n = value->child; n; n = n->next) {
            read_limit(n, limits++);
        }
    }
}

/* ---- the joint ---------------------------------------------------------------- */

static void read_rotor(const soa_yaml *mapping, soa_rotor *rotor)
{
    static const soa_yaml_field fields[] = { SOA_YAML_INTO("armature", NUMBERS, soa_rotor, armature),
        SOA_YAML_INTO("ratio", NUMBERS, soa_rotor, ratio), SOA_YAML_INTO("axis", NUMBERS, soa_rotor, axis),
        SOA_YAML_INTO("spin", NUMBERS, soa_rotor, spin), SOA_YAML_INTO("transverse", NUMBERS, soa_rotor, transverse),
        SOA_YAML_INTO("mass", NUMBERS, soa_rotor, mass), SOA_YAML_INTO("com", NUMBERS, soa_rotor, com), SOA_YAML_END };
    soa_yaml *node = soa_yaml_get(mapping, "rotor");
    if (node) {
        soa_yaml_fields(node, NULL, fields, rotor);
    }
}

/* Only the kinds of several coordinates have a neutral other than the reference. */
static void read_neutral(const soa_yaml *mapping, soa_joint *joint)
{
    const soa_yaml *value = soa_yaml_get(mapping, "neutral");
    const int nq = soa_joint_kind_nq(joint->kind);
    if (value && nq <= 1) {
        soa_yaml_fail(value, SOA_E_JOINT, "a %s joint has no 'neutral'; give 'reference' or nothing",
            soa_joint_kind_text(joint->kind));
    }
    soa_yaml_numbers(mapping, "neutral", nq, joint->neutral);
}

void soa_yaml_joint(soa_yaml *mapping, soa_joint *joint)
{
    static const char *const kinds[] = { SOA_JOINT_LIST(SOA_SECOND) NULL };
    static const soa_yaml_field fields[] = { SOA_YAML_INTO("name", TEXT, soa_joint, name), SOA_YAML_KEY("type"),
        SOA_YAML_INTO("axis", NUMBERS, soa_joint, axis), SOA_YAML_INTO("axis2", NUMBERS, soa_joint, axis2),
        SOA_YAML_INTO("pitch", NUMBERS, soa_joint, pitch), SOA_YAML_INTO("at", POSE, soa_joint, at),
        SOA_YAML_INTO("child", POSE, soa_joint, child), SOA_YAML_INTO("reference", NUMBERS, soa_joint, reference),
        SOA_YAML_KEY("neutral"), SOA_YAML_INTO("reversed", YES, soa_joint, reversed), SOA_YAML_KEY("lower"),
        SOA_YAML_KEY("upper"), SOA_YAML_KEY("velocity"), SOA_YAML_KEY("effort"),
        SOA_YAML_INTO("damping", NUMBERS, soa_joint, damping), SOA_YAML_INTO("friction", NUMBERS, soa_joint, friction),
        SOA_YAML_INTO("stiffness", NUMBERS, soa_joint, stiffness),
        SOA_YAML_INTO("spring_reference", NUMBERS, soa_joint, spring_reference), SOA_YAML_KEY("rotor"),
        SOA_YAML_KEY("node"), SOA_YAML_END };
    soa_yaml_known(mapping, "joint", fields);
    *joint = soa_joint_default(NULL, (soa_joint_kind)soa_yaml_word(mapping, "type", kinds, SOA_FIXED));
    joint->source = soa_yaml_source(mapping);
    const int nv = soa_joint_kind_nv(joint->kind);
    soa_yaml_fields(mapping, "joint", fields, joint);
    read_neutral(mapping, joint);
    read_limits(mapping, "lower", nv, joint->lower);
    read_limits(mapping, "upper", nv, joint->upper);
    read_limits(mapping, "velocity", nv, joint->velocity);
    read_limits(mapping, "effort", nv, joint->effort);
    read_rotor(mapping, &joint->rotor);
}
