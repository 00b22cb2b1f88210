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

bool soa_yaml_is_native(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcasecmp(dot, ".yaml") == 0 || strcasecmp(dot, ".yml") == 0);
}

bool soa_yaml_path(soa_yaml_reader *reader, const soa_yaml *value, const char **path)
{
    const char *name = NULL;
    if (!soa_yaml_as_text(value, &name)) {
        return false;
    }
    if (!value->file->path[0]) {
        return soa_yaml_fail(
            value, SOA_E_FILE, "names the file '%.200s', but a text without a path may not; save it as a file", name);
    }
    *path = soa_file_beside(&reader->arena, value->file->path, name);
    return soa_yaml_got(value, *path) &&
           (soa_file_exists(*path) ||
               soa_yaml_fail(value, SOA_E_FILE, "file '%.200s' does not exist; names are relative to this file", name));
}

bool soa_yaml_took(const soa_yaml *value, soa_status status)
{
    if (status != SOA_OK && status != SOA_E_MEMORY && value->file->error && soa_file_leaves(value->text)) {
        soa_file_hide(value->file->error);
    }
    return soa_yaml_ok(value, status);
}

static bool same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return strcmp(a, b) == 0 ||
           (stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino);
}

static bool check_chain(const soa_yaml *value, const char *path, const chain *files)
{
    for (const chain *c = files; c; c = c->up) {
        if (same_file(c->path, path)) {
            return soa_yaml_fail(value, SOA_E_FILE, "file '%.200s' contains itself; remove the loop", value->text);
        }
    }
    /* The chain has at least the file being read. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    return ++*files->files <= SOA_MAX_INCLUDES ||
           soa_yaml_fail(value, SOA_E_LIMIT, "more than %d native files are named; join some", SOA_MAX_INCLUDES);
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

static bool load_file(soa_yaml_reader *reader, const soa_yaml *value, const chain *files, soa_model **model)
{
    const char *path = NULL;
    if (!soa_yaml_path(reader, value, &path)) {
        return false;
    }
    if (!soa_yaml_is_native(path)) {
        return soa_yaml_took(value, soa_load(path, reader->allocator, model, reader->error));
    }
    const chain inner = { files, path, files->files };
    return check_chain(value, path, files) && soa_yaml_took(value, load_native(reader, path, &inner, model));
}

static bool load_builtin(soa_yaml_reader *reader, const soa_yaml *value, soa_model **model)
{
    const char *name = NULL;
    return soa_yaml_as_text(value, &name) &&
           soa_yaml_said(value, soa_model_builtin(name, reader->allocator, model, reader->error));
}

/* ---- systems -------------------------------------------------------------------- */

/* The one link of a part that was welded to the base now moves freely. */
static bool set_free(soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, int first)
{
    int root = -1, roots = 0;
    for (int i = first; i < soa_builder_links(reader->builder); i++) {
        if (soa_builder_link(reader->builder, i)->parent == scope->base) {
            root = i;
            roots++;
        }
    }
    if (roots != 1 || soa_builder_link(reader->builder, root)->joint.kind != SOA_FIXED) {
        return soa_yaml_fail(soa_yaml_get(node, "free"), SOA_E_TREE,
            "'free' needs one root link without a joint of its own; remove 'free'");
    }
    soa_link link = *soa_builder_link(reader->builder, root);
    const soa_pose at = link.joint.at, child = link.joint.child;
    link.joint = soa_joint_default(soa_yaml_full_name(reader, scope, "free"), SOA_FREE);
    link.joint.at = at;
    link.joint.child = child;
    link.joint.source = soa_yaml_source(node);
    return soa_yaml_got(node, link.joint.name) &&
           soa_yaml_ok(node, soa_builder_set_link(reader->builder, root, &link, reader->error));
}

static bool attach(soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, const soa_model *part)
{
    const int first = soa_builder_links(reader->builder), dropped = soa_model_configurations(part);
    const soa_pose *at = scope->placed ? &scope->at : NULL;
    soa_status status = soa_builder_attach(reader->builder, part, scope->system, scope->base, at, reader->error);
    if (status == SOA_OK && dropped > 0) {
        status = soa_builder_warn(reader->builder, soa_yaml_source(node), reader->error,
            "system '%.80s': its %d named configuration%s %s not taken over", scope->system, dropped,
            dropped == 1 ? "" : "s", dropped == 1 ? "is" : "are");
    }
    return soa_yaml_ok(node, status) && (!scope->free || set_free(reader, node, scope, first));
}

/* What a system consists of: the one of file, builtin and bodies that is there. NULL: it is not one. */
static const soa_yaml *find_content(const soa_yaml *node)
{
    static const char *const keys[] = { "file", "builtin", "bodies" };
    const soa_yaml *content = NULL;
    for (int i = 0; i < 3; i++) {
        const soa_yaml *value = soa_yaml_get(node, keys[i]);
        if (value && content) {
            soa_yaml_fail(value, SOA_E_SYNTAX, "has both '%s' and '%s'; give one of them", content->key, value->key);
            return NULL;
        }
        content = value ? value : content;
    }
    if (!content) {
        soa_yaml_fail(node, SOA_E_SYNTAX, "is empty; give a 'file', 'builtin' or 'bodies'");
    }
    return content;
}

static bool read_content(soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, const chain *files)
{
    const soa_yaml *content = find_content(node);
    if (!content) {
        return false;
    }
    if (strcmp(content->key, "bodies") == 0) {
        return soa_yaml_links(reader, node, "bodies", scope);
    }
    soa_model *part = NULL;
    const bool ok =
        (content->key[0] == 'f' ? load_file(reader, content, files, &part) : load_builtin(reader, content, &part)) &&
        attach(reader, node, scope, part);
    soa_model_free(part);
    return ok;
}

static bool read_system(soa_yaml_reader *reader, soa_yaml *node, const chain *files)
{
    static const soa_yaml_scope whole = { .base = SOA_WORLD };
    static const soa_yaml_field fields[] = { SOA_YAML_INTO("name", TEXT, soa_yaml_scope, system), SOA_YAML_KEY("file"),
        SOA_YAML_KEY("bodies"), SOA_YAML_KEY("builtin"), SOA_YAML_INTO("at", POSE, soa_yaml_scope, at),
        SOA_YAML_KEY("on"), SOA_YAML_INTO("free", YES, soa_yaml_scope, free), SOA_YAML_KEY("frames"),
        SOA_YAML_KEY("geometry"), SOA_YAML_KEY("couplings"), SOA_YAML_KEY("closures"), SOA_YAML_END };
    soa_yaml_scope scope = { .base = SOA_WORLD, .at = soa_pose_identity(), .placed = soa_yaml_get(node, "at") != NULL };
    const soa_yaml *on = soa_yaml_get(node, "on");
    return soa_yaml_fields(node, "system", fields, &scope) && soa_yaml_need_text(node, "name", &scope.system) &&
           (!on || soa_yaml_find(reader, &whole, on, false, &scope.base)) &&
           read_content(reader, node, &scope, files) && soa_yaml_parts(reader, node, &scope);
}

/* ---- the file ------------------------------------------------------------------- */

static bool check_version(const soa_yaml *root)
{
    const soa_yaml *version = soa_yaml_get(root, "soa");
    if (!version) {
        return soa_yaml_fail(root, SOA_E_SYNTAX, "the format version is missing; begin the file with \"soa: 1\"");
    }
    const char *text = version->kind == SOA_YAML_SCALAR ? version->text : "";
    return strcmp(text, "1") == 0 ||
           soa_yaml_fail(version, SOA_E_UNSUPPORTED, "format version '%.40s' is not known; write \"soa: 1\"", text);
}

static bool read_head(soa_yaml_reader *reader, soa_yaml *root)
{
    static const char *const keys[] = { "soa", "name", "gravity", "systems", "links", "frames", "geometry", "couplings",
        "closures", "configurations", NULL };
    const char *name = NULL;
    double gravity[3];
    if (!check_version(root) || !soa_yaml_expect(root, NULL, keys) || !soa_yaml_text(root, "name", &name) ||
        (name && !soa_yaml_ok(root, soa_builder_set_name(reader->builder, name, reader->error))) ||
        !soa_yaml_numbers(root, "gravity", 3, gravity)) {
        return false;
    }
    if (soa_yaml_get(root, "gravity")) {
        soa_builder_set_gravity(reader->builder, gravity);
    }
    return true;
}

/* Each name once: parts of two systems must not mix. */
static bool check_new(soa_yaml_reader *reader, const soa_yaml *node, soa_names *names)
{
    const soa_yaml *name = soa_yaml_get(node, "name");
    if (soa_names_find(names, name->text) >= 0) {
        return soa_yaml_fail(node, SOA_E_NAME, "another system has this name; rename one");
    }
    return soa_names_add(names, reader->allocator, name->text, 0) || soa_yaml_got(node, NULL);
}

static bool read_systems(soa_yaml_reader *reader, const soa_yaml *root, const chain *files)
{
    soa_yaml *node;
    soa_names names = { 0 };
    bool ok = soa_yaml_items(root, "systems", &node);
    for (; ok && node; node = node->next) {
        ok = read_system(reader, node, files) && check_new(reader, node, &names);
    }
    soa_names_free(&names, reader->allocator);
    return ok;
}

static soa_status read_text(soa_yaml_reader *reader, const char *text, size_t length, const chain *files)
{
    static const soa_yaml_scope whole = { .base = SOA_WORLD };
    soa_yaml *root;
    const soa_status status = soa_yaml_parse(&reader->arena, text, length, files->path, &root, reader->error);
    if (status != SOA_OK) {
        return status;
    }
    return read_head(reader, root) && read_systems(reader, root, files) &&
                   soa_yaml_links(reader, root, "links", &whole) && soa_yaml_parts(reader, root, &whole) &&
                   soa_yaml_configurations(reader, root)
               ? SOA_OK
               : root->file->status;
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
