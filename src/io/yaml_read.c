/* io/yaml_read.c - native YAML files: the whole file, its systems and the files they name. */
#include "io/yaml_read.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "core/error.h"
#include "core/names.h"
#include "io/reader.h"

/* The native files that are being read, each named by the next one up. */
typedef struct chain {
    const struct chain *up;
    const char *path; /* NULL: a text that may name no files */
    int *files;       /* how many native files were named so far, all in all */
} chain;

static soa_status read_text(soa_yaml_reader *reader, const char *text, size_t length, const chain *files);

/* ---- files ---------------------------------------------------------------------- */

static bool is_native(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcasecmp(dot, ".yaml") == 0 || strcasecmp(dot, ".yml") == 0);
}

static bool same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return strcmp(a, b) == 0 ||
           (stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino);
}

static soa_status check_chain(soa_yaml_reader *reader, const soa_yaml *value, const char *path, const chain *files)
{
    for (const chain *c = files; c; c = c->up) {
        if (same_file(c->path, path)) {
            return soa_yaml_fail(
                value, SOA_E_FILE, reader->error, "file '%.200s' contains itself; remove the loop", value->text);
        }
    }
    /* The chain has at least the file being read. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    if (++*files->files > SOA_MAX_INCLUDES) {
        return soa_yaml_fail(
            value, SOA_E_LIMIT, reader->error, "more than %d native files are named; join some", SOA_MAX_INCLUDES);
    }
    return SOA_OK;
}

/* A native file as a model, in a reader of its own. */
static soa_status load_native(soa_yaml_reader *outer, const char *path, const chain *files, soa_model **model)
{
    soa_yaml_reader reader = { .allocator = outer->allocator, .error = outer->error };
    reader.arena = soa_arena_on(reader.allocator);
    reader.builder = soa_builder_new(reader.allocator);
    char *text;
    size_t length;
    soa_status status = reader.builder ? SOA_OK : soa_fail_memory(reader.error);
    status = status == SOA_OK ? soa_file_read(&reader.arena, path, &text, &length, reader.error) : status;
    status = status == SOA_OK ? read_text(&reader, text, length, files) : status;
    status = status == SOA_OK ? soa_builder_finish(reader.builder, model, reader.error) : status;
    soa_builder_free(reader.builder);
    soa_arena_free(&reader.arena);
    return status;
}

static soa_status load_file(soa_yaml_reader *reader, const soa_yaml *value, const chain *files, soa_model **model)
{
    const char *name = NULL;
    soa_status status = soa_yaml_as_text(value, &name, reader->error);
    if (status != SOA_OK) {
        return status;
    }
    if (!files->path) {
        return soa_yaml_fail(value, SOA_E_FILE, reader->error,
            "names the file '%.200s', but a text without a path may not; save it as a file", name);
    }
    const char *path = soa_file_beside(&reader->arena, files->path, name);
    if (!path) {
        return soa_fail_memory(reader->error);
    }
    if (!soa_file_exists(path)) {
        return soa_yaml_fail(
            value, SOA_E_FILE, reader->error, "file '%.200s' does not exist; names are relative to this file", name);
    }
    if (is_native(path)) {
        status = check_chain(reader, value, path, files);
        if (status != SOA_OK) {
            return status;
        }
    }
    const chain inner = { files, path, files->files };
    status = is_native(path) ? load_native(reader, path, &inner, model)
                             : soa_load(path, reader->allocator, model, reader->error);
    if (status != SOA_OK && status != SOA_E_MEMORY && reader->error && soa_file_leaves(name)) {
        soa_file_hide(reader->error);
    }
    return status;
}

static soa_status load_builtin(soa_yaml_reader *reader, const soa_yaml *value, soa_model **model)
{
    const char *name = NULL;
    soa_error why;
    soa_status status = soa_yaml_as_text(value, &name, reader->error);
    if (status != SOA_OK) {
        return status;
    }
    status = soa_model_builtin(name, reader->allocator, model, &why);
    if (status != SOA_OK && status != SOA_E_MEMORY) {
        return soa_yaml_fail(value, status, reader->error, "%.300s", why.text);
    }
    return status == SOA_OK ? status : soa_fail_memory(reader->error);
}

/* ---- systems -------------------------------------------------------------------- */

/* The one link of a part that was welded to the base now moves freely. */
static soa_status set_free(soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, int first)
{
    int root = -1, roots = 0;
    for (int i = first; i < soa_builder_links(reader->builder); i++) {
        if (soa_builder_link(reader->builder, i)->parent == scope->base) {
            root = i;
            roots++;
        }
    }
    if (roots != 1 || soa_builder_link(reader->builder, root)->joint.kind != SOA_FIXED) {
        return soa_yaml_fail(soa_yaml_get(node, "free"), SOA_E_TREE, reader->error,
            "'free' needs one root link without a joint of its own; remove 'free'");
    }
    soa_link link = *soa_builder_link(reader->builder, root);
    const soa_pose at = link.joint.at, child = link.joint.child;
    link.joint = soa_joint_default(soa_yaml_full_name(reader, scope, "free"), SOA_FREE);
    if (!link.joint.name) {
        return soa_fail_memory(reader->error);
    }
    link.joint.at = at;
    link.joint.child = child;
    link.joint.source = soa_yaml_source(node);
    return soa_builder_set_link(reader->builder, root, &link, reader->error);
}

static soa_status attach(
    soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, const soa_model *part)
{
    const int first = soa_builder_links(reader->builder);
    const soa_pose *at = scope->placed ? &scope->at : NULL;
    soa_status status = soa_builder_attach(reader->builder, part, scope->system, scope->base, at, reader->error);
    const int dropped = soa_model_configurations(part);
    if (status == SOA_OK && dropped > 0) {
        status = soa_builder_warn(reader->builder, soa_yaml_source(node), reader->error,
            "system '%.80s': its %d named configuration%s %s not taken over", scope->system, dropped,
            dropped == 1 ? "" : "s", dropped == 1 ? "is" : "are");
    }
    return status == SOA_OK && scope->free ? set_free(reader, node, scope, first) : status;
}

/* What a system consists of: the one of file, builtin and bodies that is there. */
static soa_status find_content(soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml **content)
{
    static const char *const keys[] = { "file", "builtin", "bodies" };
    *content = NULL;
    for (int i = 0; i < 3; i++) {
        const soa_yaml *value = soa_yaml_get(node, keys[i]);
        if (value && *content) {
            return soa_yaml_fail(value, SOA_E_SYNTAX, reader->error, "has both '%s' and '%s'; give one of them",
                (*content)->key, value->key);
        }
        *content = value ? value : *content;
    }
    return *content
               ? SOA_OK
               : soa_yaml_fail(node, SOA_E_SYNTAX, reader->error, "is empty; give a 'file', 'builtin' or 'bodies'");
}

static soa_status read_content(
    soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, const chain *files)
{
    const soa_yaml *content;
    soa_status status = find_content(reader, node, &content);
    /* Found or failed. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    if (status != SOA_OK || content->key[1] == 'o') {
        return status == SOA_OK ? soa_yaml_links(reader, node, "bodies", scope) : status;
    }
    soa_model *part = NULL;
    status = content->key[0] == 'f' ? load_file(reader, content, files, &part) : load_builtin(reader, content, &part);
    status = status == SOA_OK ? attach(reader, node, scope, part) : status;
    soa_model_free(part);
    return status;
}

static soa_status read_scope(soa_yaml_reader *reader, const soa_yaml *node, soa_yaml_scope *scope)
{
    static const soa_yaml_scope whole = { .base = SOA_WORLD };
    soa_error *error = reader->error;
    *scope = (soa_yaml_scope){ .base = SOA_WORLD, .at = soa_pose_identity() };
    scope->placed = soa_yaml_get(node, "at") != NULL;
    soa_status status = soa_yaml_need_text(node, "name", &scope->system, error);
    status = status == SOA_OK ? soa_yaml_boolean(node, "free", &scope->free, error) : status;
    status = status == SOA_OK ? soa_yaml_pose(node, "at", &scope->at, error) : status;
    const soa_yaml *on = soa_yaml_get(node, "on");
    return status == SOA_OK && on ? soa_yaml_find(reader, &whole, on, false, &scope->base) : status;
}

static soa_status read_system(soa_yaml_reader *reader, soa_yaml *node, const chain *files)
{
    static const char *const keys[] = { "name", "file", "bodies", "builtin", "at", "on", "free", "frames", "geometry",
        "couplings", "closures", NULL };
    soa_yaml_scope scope;
    soa_status status = soa_yaml_expect(node, "system", keys, reader->error);
    status = status == SOA_OK ? read_scope(reader, node, &scope) : status;
    status = status == SOA_OK ? read_content(reader, node, &scope, files) : status;
    status = status == SOA_OK ? soa_yaml_frames(reader, node, &scope) : status;
    status = status == SOA_OK ? soa_yaml_geometry(reader, node, &scope) : status;
    status = status == SOA_OK ? soa_yaml_couplings(reader, node, &scope) : status;
    return status == SOA_OK ? soa_yaml_closures(reader, node, &scope) : status;
}

/* ---- the file ------------------------------------------------------------------- */

static soa_status check_version(const soa_yaml *root, soa_error *error)
{
    const soa_yaml *version = soa_yaml_get(root, "soa");
    if (!version) {
        return soa_yaml_fail(
            root, SOA_E_SYNTAX, error, "the format version is missing; begin the file with \"soa: 1\"");
    }
    if (version->kind != SOA_YAML_SCALAR || strcmp(version->text, "1") != 0) {
        return soa_yaml_fail(version, SOA_E_UNSUPPORTED, error, "format version '%.40s' is not known; write \"soa: 1\"",
            version->kind == SOA_YAML_SCALAR ? version->text : "");
    }
    return SOA_OK;
}

static soa_status read_head(soa_yaml_reader *reader, soa_yaml *root)
{
    static const char *const keys[] = { "soa", "name", "gravity", "systems", "links", "frames", "geometry", "couplings",
        "closures", "configurations", NULL };
    const char *name = NULL;
    double gravity[3];
    soa_status status = check_version(root, reader->error);
    status = status == SOA_OK ? soa_yaml_expect(root, NULL, keys, reader->error) : status;
    status = status == SOA_OK ? soa_yaml_text(root, "name", &name, reader->error) : status;
    status = status == SOA_OK && name ? soa_builder_set_name(reader->builder, name, reader->error) : status;
    status = status == SOA_OK ? soa_yaml_numbers(root, "gravity", 3, gravity, reader->error) : status;
    if (status == SOA_OK && soa_yaml_get(root, "gravity")) {
        soa_builder_set_gravity(reader->builder, gravity);
    }
    return status;
}

/* Each name once: parts of two systems must not mix. */
static soa_status check_new(soa_yaml_reader *reader, const soa_yaml *node, soa_names *names)
{
    const soa_yaml *name = soa_yaml_get(node, "name");
    if (soa_names_find(names, name->text) >= 0) {
        return soa_yaml_fail(node, SOA_E_NAME, reader->error, "another system has this name; rename one");
    }
    return soa_names_add(names, reader->allocator, name->text, 0) ? SOA_OK : soa_fail_memory(reader->error);
}

static soa_status read_systems(soa_yaml_reader *reader, const soa_yaml *root, const chain *files)
{
    soa_yaml *node;
    soa_names names = { 0 };
    soa_status status = soa_yaml_items(root, "systems", &node, reader->error);
    for (; status == SOA_OK && node; node = node->next) {
        status = read_system(reader, node, files);
        status = status == SOA_OK ? check_new(reader, node, &names) : status;
    }
    soa_names_free(&names, reader->allocator);
    return status;
}

static soa_status read_text(soa_yaml_reader *reader, const char *text, size_t length, const chain *files)
{
    static const soa_yaml_scope whole = { .base = SOA_WORLD };
    soa_yaml *root;
    soa_status status = soa_yaml_parse(&reader->arena, text, length, files->path, &root, reader->error);
    status = status == SOA_OK ? read_head(reader, root) : status;
    status = status == SOA_OK ? read_systems(reader, root, files) : status;
    status = status == SOA_OK ? soa_yaml_links(reader, root, "links", &whole) : status;
    status = status == SOA_OK ? soa_yaml_frames(reader, root, &whole) : status;
    status = status == SOA_OK ? soa_yaml_geometry(reader, root, &whole) : status;
    status = status == SOA_OK ? soa_yaml_couplings(reader, root, &whole) : status;
    status = status == SOA_OK ? soa_yaml_closures(reader, root, &whole) : status;
    return status == SOA_OK ? soa_yaml_configurations(reader, root) : status;
}

soa_status soa_yaml_read(soa_builder *builder, const char *text, size_t length, const char *path,
    const soa_allocator *allocator, soa_error *error)
{
    int native_files = 1;
    const chain files = { NULL, path, &native_files };
    soa_yaml_reader reader = { .builder = builder, .allocator = allocator, .error = error };
    reader.arena = soa_arena_on(allocator);
    const soa_status status = read_text(&reader, text, length, &files);
    soa_arena_free(&reader.arena);
    return status;
}
