/* io/yaml_pose.c - poses in YAML files: {xyz: [...], rpy: [...]}, with quat or rotation in place of rpy. */
#include <string.h>

#include "io/yaml_tree.h"

/* The one of some keys of a mapping that is there, or NULL; refused if there are two. */
const soa_yaml *soa_yaml_one_of(const soa_yaml *mapping, const char *const *keys, const char *of)
{
    const soa_yaml *one = NULL;
    for (; *keys; keys++) {
        const soa_yaml *value = soa_yaml_get(mapping, *keys);
        if (value && one) {
            soa_yaml_fail(value, SOA_E_SYNTAX, "%s%s%shas both '%s' and '%s'; give one of them", of ? "'" : "",
                of ? of : "", of ? "' " : "", one->key, value->key);
        }
        one = value ? value : one;
    }
    return one;
}

static void read_rotation(const soa_yaml *value, soa_pose *pose)
{
    double x[9] = { 0.0 };
    const int count = value->key[0] == 'q' ? 4 : strcmp(value->key, "rpy") == 0 ? 3 : 9;
    soa_yaml_as_numbers(value, count, x);
    if (count == 3) {
        *pose = soa_pose_from_rpy(pose->position, x);
    } else if (count == 9) {
        memcpy(pose->rotation, x, sizeof pose->rotation);
    } else if (x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0 && x[3] == 0.0) {
        soa_yaml_fail(value, SOA_E_NUMBER, "'quat' is zero; give w, x, y, z such as [1, 0, 0, 0]");
    } else {
        *pose = soa_pose_from_quaternion(pose->position, x);
    }
}

void soa_yaml_pose(const soa_yaml *mapping, const char *key, soa_pose *pose)
{
    static const char *const keys[] = { "xyz", "rpy", "quat", "rotation", NULL };
    soa_yaml *at = soa_yaml_get(mapping, key);
    if (!at) {
        return;
    }
    *pose = soa_pose_identity();
    soa_yaml_expect(at, NULL, keys);
    soa_yaml_numbers(at, "xyz", 3, pose->position);
    const soa_yaml *rotation = soa_yaml_one_of(at, keys + 1, at->key);
    if (rotation) {
        read_rotation(rotation, pose);
    }
}
