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

#include "io/reader.h"
#include "io/yaml_read.h"

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
static int find_side(const soa_builder *builder, const soa_yaml *value)
{
    const char *name = soa_yaml_as_text(value);
    int link = soa_builder_find_link(builder, name);
    link = link < 0 ? soa_builder_find_joint(builder, name) : link;
    if (link < 0) {
        soa_yaml_fail(value, SOA_E_CLOSURE,
            "'closed_loop' names '%.80s', which is neither a link nor a joint of the URDF; correct the name", name);
    }
    return link;
}

static soa_closure_kind find_kind(const soa_yaml *value)
{
    const char *type = soa_yaml_as_text(value);
    const bool rigid = strcmp(type, "6d") == 0 || strcmp(type, "6D") == 0;
    if (!rigid && strcmp(type, "3d") != 0 && strcmp(type, "3D") != 0) {
        soa_yaml_fail(value, SOA_E_CLOSURE, "'type' of a closed loop is '%.40s'; give '6d' or '3d'", type);
    }
    return rigid ? SOA_CLOSE_RIGID : SOA_CLOSE_SPHERICAL;
}

static void add_closure(soa_yaml_reader *reader, const soa_yaml *pair, const soa_yaml *type)
{
    if (pair->kind != SOA_YAML_SEQUENCE || pair->count != 2) {
        soa_yaml_fail(pair, SOA_E_CLOSURE, "each item of 'closed_loop' must be a pair of names");
        return;
    }
    soa_closure closure = soa_closure_default(NULL, SOA_CLOSE_RIGID, SOA_WORLD, SOA_WORLD);
    const soa_yaml *a = pair->child, *b = a->next;
    closure.a = find_side(reader->kit.builder, a);
    closure.b = find_side(reader->kit.builder, b);
    closure.kind = find_kind(type);
    if (!soa_yaml_ok(pair)) {
        return;
    }
    const size_t size = strlen(a->text) + strlen(b->text) + 2;
    char *name = soa_arena_take(&reader->arena, size, 1);
    if (soa_yaml_got(pair, name)) {
        snprintf(name, size, "%s-%s", a->text, b->text);
    }
    closure.name = name;
    closure.source = soa_yaml_source(pair);
    soa_kit_closure(&reader->kit, &closure);
}

static void add_closures(soa_yaml_reader *reader, const soa_yaml *root)
{
    const soa_yaml *loops = soa_yaml_get(root, "closed_loop"), *types = soa_yaml_get(root, "type");
    if (!loops || !soa_yaml_as_sequence(loops)) {
        return;
    }
    if (!types || types->kind != SOA_YAML_SEQUENCE || types->count != loops->count) {
        soa_yaml_fail(types ? types : loops, SOA_E_CLOSURE,
            "'type' must be a list with one item ('6d' or '3d') for each of the %d closed loops", loops->count);
        return;
    }
    const soa_yaml *type = types->child;
    for (const soa_yaml *pair = loops->child; pair; pair = pair->next, type = type->next) {
        add_closure(reader, pair, type);
    }
    if (loops->count > 0) {
        soa_kit_warn(&reader->kit, soa_yaml_source(loops), "%d closure%s read from this file beside the URDF",
            loops->count, loops->count == 1 ? "" : "s");
    }
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
static void change_joint(soa_yaml_reader *reader, const soa_yaml *name, const soa_yaml *type)
{
    const char *joint_name = soa_yaml_as_text(name), *kind = soa_yaml_as_text(type);
    const int link = soa_builder_find_joint(reader->kit.builder, joint_name);
    if (link < 0) {
        soa_kit_warn(&reader->kit, soa_yaml_source(name),
            "'joint_name' names '%.80s', which is no joint of the URDF; it is left out", joint_name);
        return;
    }
    soa_link changed = *soa_builder_link(reader->kit.builder, link);
    const soa_joint old = changed.joint;
    soa_joint made = soa_joint_default(old.name, SOA_UNIVERSAL);
    if (strcmp(kind, "SPHERICAL") == 0 || strcmp(kind, "FIXED") == 0) {
        made = soa_joint_default(old.name, kind[0] == 'S' ? SOA_SPHERICAL : SOA_FIXED);
    } else if (!universal_axes(kind, &made)) {
        soa_yaml_fail(type, SOA_E_JOINT,
            "'joint_type' is '%.40s'; give SPHERICAL, FIXED or UJOINT_ and two different letters of XYZ", kind);
    }
    made.at = old.at;
    made.child = old.child;
    made.source = old.source;
    made.damping = old.damping;
    made.friction = old.friction;
    changed.joint = made;
    soa_kit_set_link(&reader->kit, link, &changed);
}

static void change_joints(soa_yaml_reader *reader, const soa_yaml *root)
{
    const soa_yaml *names = soa_yaml_get(root, "joint_name"), *types = soa_yaml_get(root, "joint_type");
    if (!names && !types) {
        return;
    }
    if (!names || !types || names->kind != SOA_YAML_SEQUENCE || types->kind != SOA_YAML_SEQUENCE ||
        names->count != types->count) {
        soa_yaml_fail(
            names ? names : types, SOA_E_JOINT, "'joint_name' and 'joint_type' must be lists of the same length");
        return;
    }
    const soa_yaml *type = types->child;
    for (const soa_yaml *name = names->child; name; name = name->next, type = type->next) {
        change_joint(reader, name, type);
    }
    if (names->count > 0) {
        soa_kit_warn(&reader->kit, soa_yaml_source(names),
            "%d joint%s made spherical, universal or fixed by this file beside the URDF", names->count,
            names->count == 1 ? "" : "s");
    }
}

/* ---- the file --------------------------------------------------------------------- */

/* A file that is no YAML is refused only if it seems to be meant. */
static void read_sidecar(soa_yaml_reader *reader, const char *path)
{
    soa_outcome *outcome = &reader->kit.outcome;
    char *text;
    size_t length;
    if (!soa_keep(outcome, soa_file_read(&reader->arena, path, &text, &length, outcome->error))) {
        return;
    }
    const soa_yaml *root = soa_yaml_parse(&reader->arena, text, length, path, outcome);
    if (root && !soa_yaml_get(root, "soa")) {
        change_joints(reader, root);
        add_closures(reader, root);
    } else if (!root && outcome->status != SOA_E_MEMORY && !strstr(text, "closed_loop") &&
               !strstr(text, "joint_type")) {
        soa_forgive(outcome);
    }
}

soa_status soa_urdf_sidecar_read(
    soa_builder *builder, const char *urdf_path, const soa_allocator *allocator, soa_error *error)
{
    soa_yaml_reader reader = { .kit = { { error, SOA_OK }, builder, allocator }, .arena = soa_arena_on(allocator) };
    const char *path = sidecar_path(&reader.arena, urdf_path);
    if (soa_got(&reader.kit.outcome, path) && soa_file_exists(path)) {
        read_sidecar(&reader, path);
    }
    soa_arena_free(&reader.arena);
    return reader.kit.outcome.status;
}
