/* io/sidecar.c - loop closures and kinds of joints of a URDF, in a YAML file beside it.
 *
 * Parallel robots are published as a tree robot.urdf and a robot.yaml with
 *
 *     closed_loop: [['A', 'B'], ...]    # frames that coincide: links or joints
 *     type: ['6d', ...]                 # 6d: rigid; 3d: their origins only
 *     joint_name: ['ankle', ...]        # joints that URDF has no type for
 *     joint_type: ['SPHERICAL', ...]    # SPHERICAL, FIXED, or UJOINT_XY: about x, then about y
 *
 * A file of that name that says nothing of closed loops or joints is somebody else's. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "io/reader.h"
#include "io/yaml_tree.h"

/* STEM.yaml for STEM.urdf. NULL: no memory. */
static char *sidecar_path(soa_arena *arena, const char *urdf_path)
{
    const char *slash = strrchr(urdf_path, '/');
    const char *dot = strrchr(slash ? slash : urdf_path, '.');
    const size_t stem = dot ? (size_t)(dot - urdf_path) : strlen(urdf_path);
    char *path = soa_arena_take(arena, stem + sizeof ".yaml", 1);
    if (path) {
        memcpy(path, urdf_path, stem);
        memcpy(path + stem, ".yaml", sizeof ".yaml");
    }
    return path;
}

/* A link, or a joint: then the frame of the link that it carries. */
static soa_status find_side(const soa_builder *builder, const soa_yaml *value, int *link, soa_error *error)
{
    const char *name = NULL;
    const soa_status status = soa_yaml_as_text(value, &name, error);
    if (status != SOA_OK) {
        return status;
    }
    *link = soa_builder_find_link(builder, name);
    if (*link < 0) {
        *link = soa_builder_find_joint(builder, name);
    }
    if (*link < 0) {
        return soa_yaml_fail(value, SOA_E_CLOSURE, error,
            "'closed_loop' names '%.80s', which is neither a link nor a joint of the URDF; correct the name", name);
    }
    return SOA_OK;
}

static soa_status find_kind(const soa_yaml *value, soa_closure_kind *kind, soa_error *error)
{
    const char *type = NULL;
    const soa_status status = soa_yaml_as_text(value, &type, error);
    if (status != SOA_OK) {
        return status;
    }
    if (strcmp(type, "6d") == 0 || strcmp(type, "6D") == 0) {
        *kind = SOA_CLOSE_RIGID;
    } else if (strcmp(type, "3d") == 0 || strcmp(type, "3D") == 0) {
        *kind = SOA_CLOSE_SPHERICAL;
    } else {
        return soa_yaml_fail(
            value, SOA_E_CLOSURE, error, "'type' of a closed loop is '%.40s'; give '6d' or '3d'", type);
    }
    return SOA_OK;
}

static soa_status add_closure(
    soa_builder *builder, soa_arena *arena, const soa_yaml *pair, const soa_yaml *type, soa_error *error)
{
    if (pair->kind != SOA_YAML_SEQUENCE || pair->count != 2) {
        return soa_yaml_fail(pair, SOA_E_CLOSURE, error, "each item of 'closed_loop' must be a pair of names");
    }
    soa_closure closure = soa_closure_default(NULL, SOA_CLOSE_RIGID, SOA_WORLD, SOA_WORLD);
    const soa_yaml *a = pair->child, *b = a->next;
    soa_status status = find_side(builder, a, &closure.a, error);
    status = status == SOA_OK ? find_side(builder, b, &closure.b, error) : status;
    status = status == SOA_OK ? find_kind(type, &closure.kind, error) : status;
    if (status != SOA_OK) {
        return status;
    }
    const size_t size = strlen(a->text) + strlen(b->text) + 2;
    char *name = soa_arena_take(arena, size, 1);
    if (!name) {
        return soa_fail_memory(error);
    }
    snprintf(name, size, "%s-%s", a->text, b->text);
    closure.name = name;
    closure.source = soa_yaml_source(pair);
    return soa_builder_add_closure(builder, &closure, NULL, error);
}

static soa_status add_closures(soa_builder *builder, soa_arena *arena, const soa_yaml *root, soa_error *error)
{
    const soa_yaml *loops = soa_yaml_get(root, "closed_loop"), *types = soa_yaml_get(root, "type");
    soa_status status = soa_yaml_as_sequence(loops, error);
    if (status != SOA_OK) {
        return status;
    }
    if (!types || types->kind != SOA_YAML_SEQUENCE || types->count != loops->count) {
        return soa_yaml_fail(types ? types : loops, SOA_E_CLOSURE, error,
            "'type' must be a list with one item ('6d' or '3d') for each of the %d closed loops", loops->count);
    }
    const soa_yaml *type = types->child;
    for (const soa_yaml *pair = loops->child; status == SOA_OK && pair; pair = pair->next, type = type->next) {
        status = add_closure(builder, arena, pair, type, error);
    }
    if (status == SOA_OK && loops->count > 0) {
        status = soa_builder_warn(builder, soa_yaml_source(loops), error,
            "%d closure%s read from this file beside the URDF", loops->count, loops->count == 1 ? "" : "s");
    }
    return status;
}

/* ---- kinds of joints -------------------------------------------------------------- */

/* "UJOINT_XY": the axes of a universal joint; false: it is none. */
static bool universal_axes(const char *type, soa_joint *joint)
{
    if (strncmp(type, "UJOINT_", 7) != 0 || strlen(type) != 9 || strspn(type + 7, "XYZ") != 2 || type[7] == type[8]) {
        return false;
    }
    memset(joint->axis, 0, sizeof joint->axis);
    memset(joint->axis2, 0, sizeof joint->axis2);
    joint->axis[type[7] - 'X'] = 1.0;
    joint->axis2[type[8] - 'X'] = 1.0;
    return true;
}

/* The joint where it was, of another kind; limits of the old coordinate mean nothing then. */
static soa_status change_joint(soa_builder *builder, const soa_yaml *name, const soa_yaml *type, soa_error *error)
{
    const char *joint_name = NULL, *kind = NULL;
    soa_status status = soa_yaml_as_text(name, &joint_name, error);
    status = status == SOA_OK ? soa_yaml_as_text(type, &kind, error) : status;
    if (status != SOA_OK) {
        return status;
    }
    const int link = soa_builder_find_joint(builder, joint_name);
    if (link < 0) {
        return soa_builder_warn(builder, soa_yaml_source(name), error,
            "'joint_name' names '%.80s', which is no joint of the URDF; it is left out", joint_name);
    }
    soa_link changed = *soa_builder_link(builder, link);
    const soa_joint old = changed.joint;
    soa_joint made = soa_joint_default(old.name, SOA_UNIVERSAL);
    if (strcmp(kind, "SPHERICAL") == 0 || strcmp(kind, "FIXED") == 0) {
        made = soa_joint_default(old.name, kind[0] == 'S' ? SOA_SPHERICAL : SOA_FIXED);
    } else if (!universal_axes(kind, &made)) {
        return soa_yaml_fail(type, SOA_E_JOINT, error,
            "'joint_type' is '%.40s'; give SPHERICAL, FIXED or UJOINT_ and two different letters of XYZ", kind);
    }
    made.at = old.at;
    made.child = old.child;
    made.source = old.source;
    made.damping = old.damping;
    made.friction = old.friction;
    changed.joint = made;
    return soa_builder_set_link(builder, link, &changed, error);
}

static soa_status change_joints(soa_builder *builder, const soa_yaml *root, soa_error *error)
{
    const soa_yaml *names = soa_yaml_get(root, "joint_name"), *types = soa_yaml_get(root, "joint_type");
    if (!names && !types) {
        return SOA_OK;
    }
    if (!names || !types || names->kind != SOA_YAML_SEQUENCE || types->kind != SOA_YAML_SEQUENCE ||
        names->count != types->count) {
        return soa_yaml_fail(names ? names : types, SOA_E_JOINT, error,
            "'joint_name' and 'joint_type' must be lists of the same length");
    }
    soa_status status = SOA_OK;
    const soa_yaml *type = types->child;
    for (const soa_yaml *name = names->child; name && status == SOA_OK; name = name->next, type = type->next) {
        status = change_joint(builder, name, type, error);
    }
    return status != SOA_OK || names->count == 0
               ? status
               : soa_builder_warn(builder, soa_yaml_source(names), error,
                     "%d joint%s made spherical, universal or fixed by this file beside the URDF", names->count,
                     names->count == 1 ? "" : "s");
}

/* ---- the file --------------------------------------------------------------------- */

/* A file that is no YAML is refused only if it seems to be meant. */
static soa_status read_sidecar(soa_builder *builder, soa_arena *arena, const char *path, soa_error *error)
{
    char *text;
    size_t length;
    soa_yaml *root;
    soa_status status = soa_file_read(arena, path, &text, &length, error);
    if (status != SOA_OK) {
        return status;
    }
    status = soa_yaml_parse(arena, text, length, path, &root, error);
    if (status != SOA_OK && status != SOA_E_MEMORY && !strstr(text, "closed_loop") && !strstr(text, "joint_type")) {
        soa_error_clear(error);
        return SOA_OK;
    }
    if (status != SOA_OK || soa_yaml_get(root, "soa")) {
        return status;
    }
    status = change_joints(builder, root, error);
    return status == SOA_OK && soa_yaml_get(root, "closed_loop") ? add_closures(builder, arena, root, error) : status;
}

soa_status soa_urdf_sidecar_read(
    soa_builder *builder, const char *urdf_path, const soa_allocator *allocator, soa_error *error)
{
    soa_arena arena = soa_arena_on(allocator);
    const char *path = sidecar_path(&arena, urdf_path);
    soa_status status = path ? SOA_OK : soa_fail_memory(error);
    if (status == SOA_OK && soa_file_exists(path)) {
        status = read_sidecar(builder, &arena, path, error);
    }
    soa_arena_free(&arena);
    return status;
}
