/* io/sidecar.c - loop closures of a URDF, in a YAML file beside it.
 *
 * Parallel robots are published as a tree robot.urdf and a robot.yaml with
 *
 *     closed_loop: [['A', 'B'], ...]    # frames that coincide: links or joints
 *     type: ['6d', ...]                 # 6d: rigid; 3d: their origins only
 *
 * A file of that name that says nothing of closed loops is somebody else's. */
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
    if (status != SOA_OK && status != SOA_E_MEMORY && !strstr(text, "closed_loop")) {
        soa_error_clear(error);
        return SOA_OK;
    }
    if (status != SOA_OK || soa_yaml_get(root, "soa") || !soa_yaml_get(root, "closed_loop")) {
        return status;
    }
    return add_closures(builder, arena, root, error);
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
