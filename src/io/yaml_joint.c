/* io/yaml_joint.c - a joint in a native YAML file. */
#include <stdio.h>
#include <string.h>

#include "io/yaml_read.h"

/* ---- kinds -------------------------------------------------------------------- */

static soa_status read_kind(const soa_yaml *mapping, soa_joint_kind *kind, soa_error *error)
{
    static const char *const texts[] = {
#define KIND_TEXT(name, text, nq, nv, coordinates) text,
        SOA_JOINT_LIST(KIND_TEXT)
#undef KIND_TEXT
            NULL
    };
    const char *text = "fixed";
    const soa_status status = soa_yaml_text(mapping, "type", &text, error);
    if (status != SOA_OK) {
        return status;
    }
    *kind = soa_joint_kind_find(text);
    if (*kind != SOA_JOINT_KINDS) {
        return SOA_OK;
    }
    const char *nearest = soa_yaml_nearest(text, texts);
    return soa_yaml_fail(soa_yaml_get(mapping, "type"), SOA_E_JOINT, error, "unknown joint type '%.80s'; %s%s%s", text,
        nearest ? "did you mean '" : "the types are fixed, revolute, continuous, prismatic, helical, universal, ",
        nearest ? nearest : "cylindrical, planar, spherical, free", nearest ? "'?" : "");
}

/* ---- limits ------------------------------------------------------------------- */

/* A number, or the word none: no limit, as it is by default. */
static soa_status read_limit(const soa_yaml *value, double *limit, soa_error *error)
{
    if (value->kind == SOA_YAML_SCALAR && value->plain && strcmp(value->text, "none") == 0) {
        return SOA_OK;
    }
    return soa_yaml_as_number(value, limit, error);
}

/* One limit for a joint of one velocity, else a list of one per velocity. */
static soa_status read_limits(const soa_yaml *mapping, const char *key, int nv, double *limits, soa_error *error)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    if (!value) {
        return SOA_OK;
    }
    if (nv == 0) {
        return soa_yaml_fail(value, SOA_E_JOINT, error, "a fixed joint has no '%s'; remove it", key);
    }
    if (value->kind == SOA_YAML_SCALAR && nv == 1) {
        return read_limit(value, limits, error);
    }
    if (value->kind != SOA_YAML_SEQUENCE || value->count != nv) {
        return soa_yaml_fail(value, SOA_E_JOINT, error, "'%s' must be %s%d number%s here, or the word none for each",
            key, nv == 1 ? "" : "a list of ", nv, nv == 1 ? "" : "s");
    }
    soa_status status = SOA_OK;
    for (const soa_yaml *n = value->child; n && status == SOA_OK; n = n->next) {
        status = read_limit(n, limits++, error);
    }
    return status;
}

static soa_status read_all_limits(const soa_yaml *mapping, soa_joint *joint, soa_error *error)
{
    const struct {
        const char *key;
        double *limits;
    } list[] = { { "lower", joint->lower }, { "upper", joint->upper }, { "velocity", joint->velocity },
        { "effort", joint->effort } };
    soa_status status = SOA_OK;
    for (size_t i = 0; i < sizeof list / sizeof list[0] && status == SOA_OK; i++) {
        status = read_limits(mapping, list[i].key, soa_joint_kind_nv(joint->kind), list[i].limits, error);
    }
    return status;
}

/* ---- numbers ------------------------------------------------------------------ */

typedef struct field {
    const char *key;
    int count; /* 1: a number, else a list */
    double *value;
} field;

static soa_status read_fields(const soa_yaml *mapping, const field *fields, size_t count, soa_error *error)
{
    soa_status status = SOA_OK;
    for (const field *f = fields; f < fields + count && status == SOA_OK; f++) {
        status = f->count == 1 ? soa_yaml_number(mapping, f->key, f->value, error)
                               : soa_yaml_numbers(mapping, f->key, f->count, f->value, error);
    }
    return status;
}

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static soa_status read_rotor(const soa_yaml *mapping, soa_rotor *rotor, soa_error *error)
{
    static const char *const keys[] = { "armature", "ratio", "axis", "spin", "transverse", "mass", "com", NULL };
    const field fields[] = { { "armature", 1, &rotor->armature }, { "ratio", 1, &rotor->ratio },
        { "axis", 3, rotor->axis }, { "spin", 1, &rotor->spin }, { "transverse", 1, &rotor->transverse },
        { "mass", 1, &rotor->mass }, { "com", 3, rotor->com } };
    soa_yaml *node = soa_yaml_get(mapping, "rotor");
    if (!node) {
        return SOA_OK;
    }
    const soa_status status = soa_yaml_expect(node, NULL, keys, error);
    return status == SOA_OK ? read_fields(node, fields, COUNT(fields), error) : status;
}

/* Only the kinds of several coordinates have a neutral other than the reference. */
static soa_status read_neutral(const soa_yaml *mapping, soa_joint *joint, soa_error *error)
{
    const soa_yaml *value = soa_yaml_get(mapping, "neutral");
    const int nq = soa_joint_kind_nq(joint->kind);
    if (value && nq <= 1) {
        return soa_yaml_fail(value, SOA_E_JOINT, error, "a %s joint has no 'neutral'; give 'reference' or nothing",
            soa_joint_kind_text(joint->kind));
    }
    return soa_yaml_numbers(mapping, "neutral", nq, joint->neutral, error);
}

soa_status soa_yaml_joint(soa_yaml *mapping, soa_joint *joint, soa_error *error)
{
    static const char *const keys[] = { "name", "type", "axis", "axis2", "pitch", "at", "child", "reference", "neutral",
        "reversed", "lower", "upper", "velocity", "effort", "damping", "friction", "stiffness", "spring_reference",
        "rotor", "node", NULL };
    soa_joint_kind kind = SOA_FIXED;
    soa_status status = soa_yaml_expect(mapping, "joint", keys, error);
    status = status == SOA_OK ? read_kind(mapping, &kind, error) : status;
    if (status != SOA_OK) {
        return status;
    }
    *joint = soa_joint_default(NULL, kind);
    joint->source = soa_yaml_source(mapping);
    const field fields[] = { { "axis", 3, joint->axis }, { "axis2", 3, joint->axis2 }, { "pitch", 1, &joint->pitch },
        { "reference", 1, &joint->reference }, { "damping", 1, &joint->damping }, { "friction", 1, &joint->friction },
        { "stiffness", 1, &joint->stiffness }, { "spring_reference", 1, &joint->spring_reference } };
    status = read_fields(mapping, fields, COUNT(fields), error);
    status = status == SOA_OK ? soa_yaml_text(mapping, "name", &joint->name, error) : status;
    status = status == SOA_OK ? soa_yaml_pose(mapping, "at", &joint->at, error) : status;
    status = status == SOA_OK ? soa_yaml_pose(mapping, "child", &joint->child, error) : status;
    status = status == SOA_OK ? soa_yaml_boolean(mapping, "reversed", &joint->reversed, error) : status;
    status = status == SOA_OK ? read_neutral(mapping, joint, error) : status;
    status = status == SOA_OK ? read_all_limits(mapping, joint, error) : status;
    return status == SOA_OK ? read_rotor(mapping, &joint->rotor, error) : status;
}
