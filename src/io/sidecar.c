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
static bool find_side(const soa_builder *builder, const soa_yaml *value, int *link)
{
    const char *name = NULL;
    if (!soa_yaml_as_text(value, &name)) {
        return false;
    }
    *link = soa_builder_find_link(builder, name);
    if (*link < 0) {
        *link = soa_builder_find_joint(builder, name);
    }
    return *link >= 0 ||
           soa_yaml_fail(value, SOA_E_CLOSURE,
               "'closed_loop' names '%.80s', which is neither a link nor a joint of the URDF; correct the name", name);
}

static bool find_kind(const soa_yaml *value, soa_closure_kind *kind)
{
    const char *type = NULL;
    if (!soa_yaml_as_text(value, &type)) {
        return false;
    }
    if (strcmp(type, "6d") == 0 || strcmp(type, "6D") == 0) {
        *kind = SOA_CLOSE_RIGID;
    } else if (strcmp(type, "3d") == 0 || strcmp(type, "3D") == 0) {
        *kind = SOA_CLOSE_SPHERICAL;
    } else {
        return soa_yaml_fail(value, SOA_E_CLOSURE, "'type' of a closed loop is '%.40s'; give '6d' or '3d'", type);
    }
    return true;
}

static bool add_closure(soa_builder *builder, soa_arena *arena, const soa_yaml *pair, const soa_yaml *type)
{
    if (pair->kind != SOA_YAML_SEQUENCE || pair->count != 2) {
        return soa_yaml_fail(pair, SOA_E_CLOSURE, "each item of 'closed_loop' must be a pair of names");
    }
    soa_closure closure = soa_closure_default(NULL, SOA_CLOSE_RIGID, SOA_WORLD, SOA_WORLD);
    const soa_yaml *a = pair->child, *b = a->next;
    if (!find_side(builder, a, &closure.a) || !find_side(builder, b, &closure.b) || !find_kind(type, &closure.kind)) {
        return false;
    }
    const size_t size = strlen(a->text) + strlen(b->text) + 2;
    char *name = soa_arena_take(arena, size, 1);
    if (!soa_yaml_got(pair, name)) {
        return false;
    }
    snprintf(name, size, "%s-%s", a->text, b->text);
    closure.name = name;
    closure.source = soa_yaml_source(pair);
    return soa_yaml_ok(pair, soa_builder_add_closure(builder, &closure, NULL, pair->file->error));
}

static bool add_closures(soa_builder *builder, soa_arena *arena, const soa_yaml *root)
{
    const soa_yaml *loops = soa_yaml_get(root, "closed_loop"), *types = soa_yaml_get(root, "type");
    if (!loops || !soa_yaml_as_sequence(loops)) {
        return !loops;
    }
    if (!types || types->kind != SOA_YAML_SEQUENCE || types->count != loops->count) {
        return soa_yaml_fail(types ? types : loops, SOA_E_CLOSURE,
            "'type' must be a list with one item ('6d' or '3d') for each of the %d closed loops", loops->count);
    }
    bool ok = true;
    const soa_yaml *type = types->child;
    for (const soa_yaml *pair = loops->child; ok && pair; pair = pair->next, type = type->next) {
        ok = add_closure(builder, arena, pair, type);
    }
    return ok && (loops->count == 0 ||
                     soa_yaml_ok(loops, soa_builder_warn(builder, soa_yaml_source(loops), loops->file->error,
                                            "%d closure%s read from this file beside the URDF", loops->count,
                                            loops->count == 1 ? "" : "s")));
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
static bool change_joint(soa_builder *builder, const soa_yaml *name, const soa_yaml *type)
{
    soa_error *error = name->file->error;
    const char *joint_name = NULL, *kind = NULL;
    if (!soa_yaml_as_text(name, &joint_name) || !soa_yaml_as_text(type, &kind)) {
        return false;
    }
    const int link = soa_builder_find_joint(builder, joint_name);
    if (link < 0) {
        return soa_yaml_ok(
            name, soa_builder_warn(builder, soa_yaml_source(name), error,
                      "'joint_name' names '%.80s', which is no joint of the URDF; it is left out", joint_name));
    }
    soa_link changed = *soa_builder_link(builder, link);
    const soa_joint old = changed.joint;
    soa_joint made = soa_joint_default(old.name, SOA_UNIVERSAL);
    if (strcmp(kind, "SPHERICAL") == 0 || strcmp(kind, "FIXED") == 0) {
        made = soa_joint_default(old.name, kind[0] == 'S' ? SOA_SPHERICAL : SOA_FIXED);
    } else if (!universal_axes(kind, &made)) {
        return soa_yaml_fail(type, SOA_E_JOINT,
            "'joint_type' is '%.40s'; give SPHERICAL, FIXED or UJOINT_ and two different letters of XYZ", kind);
    }
    made.at = old.at;
    made.child = old.child;
    made.source = old.source;
    made.damping = old.damping;
    made.friction = old.friction;
    changed.joint = made;
    return soa_yaml_ok(name, soa_builder_set_link(builder, link, &changed, error));
}

static bool change_joints(soa_builder *builder, const soa_yaml *root)
{
    const soa_yaml *names = soa_yaml_get(root, "joint_name"), *types = soa_yaml_get(root, "joint_type");
    if (!names && !types) {
        return true;
    }
    if (!names || !types || names->kind != SOA_YAML_SEQUENCE || types->kind != SOA_YAML_SEQUENCE ||
        names->count != types->count) {
        return soa_yaml_fail(
            names ? names : types, SOA_E_JOINT, "'joint_name' and 'joint_type' must be lists of the same length");
    }
    bool ok = true;
    const soa_yaml *type = types->child;
    for (const soa_yaml *name = names->child; name && ok; name = name->next, type = type->next) {
        ok = change_joint(builder, name, type);
    }
    return ok &&
           (names->count == 0 ||
               soa_yaml_ok(names, soa_builder_warn(builder, soa_yaml_source(names), names->file->error,
                                      "%d joint%s made spherical, universal or fixed by this file beside the URDF",
                                      names->count, names->count == 1 ? "" : "s")));
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
    return change_joints(builder, root) && add_closures(builder, arena, root) ? SOA_OK : root->file->status;
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
