/* io/yaml_pose.c - poses in YAML files: {xyz: [...], rpy: [...]}, with quat or rotation in place of rpy. */
#include <string.h>

#include "io/yaml_tree.h"

/* The one of rpy, quat and rotation that is there, or NULL. */
static bool find_rotation(const soa_yaml *pose, const soa_yaml **rotation)
{
    static const char *const keys[] = { "rpy", "quat", "rotation" };
    *rotation = NULL;
    for (int i = 0; i < 3; i++) {
        const soa_yaml *value = soa_yaml_get(pose, keys[i]);
        if (value && *rotation) {
            return soa_yaml_fail(value, SOA_E_SYNTAX, "'%s' has both '%s' and '%s'; give one of them", pose->key,
                (*rotation)->key, value->key);
        }
        *rotation = value ? value : *rotation;
    }
    return true;
}

static bool read_rotation(const soa_yaml *value, soa_pose *pose)
{
    double x[9] = { 0.0 };
    const int count = value->key[0] == 'q' ? 4 : strcmp(value->key, "rpy") == 0 ? 3 : 9;
    if (!soa_yaml_as_numbers(value, count, x)) {
        return false;
    }
    if (count == 3) {
        *pose = soa_pose_from_rpy(pose->position, x);
    } else if (count == 9) {
        memcpy(pose->rotation, x, sizeof pose->rotation);
    } else if (x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0 && x[3] == 0.0) {
        return soa_yaml_fail(value, SOA_E_NUMBER, "'quat' is zero; give w, x, y, z such as [1, 0, 0, 0]");
    } else {
        *pose = soa_pose_from_quaternion(pose->position, x);
    }
    return true;
}

bool soa_yaml_pose(const soa_yaml *mapping, const char *key, soa_pose *pose)
{
    static const char *const keys[] = { "xyz", "rpy", "quat", "rotation", NULL };
    soa_yaml *at = soa_yaml_get(mapping, key);
    if (!at) {
        return true;
    }
    *pose = soa_pose_identity();
    const soa_yaml *rotation = NULL;
    return soa_yaml_expect(at, NULL, keys) && soa_yaml_numbers(at, "xyz", 3, pose->position) &&
           find_rotation(at, &rotation) && (!rotation || read_rotation(rotation, pose));
}
