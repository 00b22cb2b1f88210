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

static void read_text(soa_yaml_reader *reader, const char *text, size_t length, const chain *files);

/* ---- files ---------------------------------------------------------------------- */

bool soa_yaml_is_native(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcasecmp(dot, ".yaml") == 0 || strcasecmp(dot, ".yml") == 0);
}

const char *soa_yaml_path(soa_yaml_reader *reader, const soa_yaml *value)
{
    const char *name = soa_yaml_as_text(value);
    if (!value->file->path[0]) {
        soa_yaml_fail(
            value, SOA_E_FILE, "names the file '%.200s', but a text without a path may not; save it as a file", name);
    }
    const char *path = soa_file_beside(&reader->arena, value->file->path, name);
    if (soa_yaml_got(value, path) && !soa_file_exists(path)) {
        soa_yaml_fail(value, SOA_E_FILE, "file '%.200s' does not exist; names are relative to this file", name);
    }
    return soa_yaml_ok(value) ? path : NULL;
}

void soa_yaml_took(const soa_yaml *value)
{
    const soa_outcome *outcome = value->file->outcome;
    if (!soa_ok(outcome) && outcome->status != SOA_E_MEMORY && outcome->error && soa_file_leaves(value->text)) {
        soa_file_hide(outcome->error);
    }
}

static bool same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return strcmp(a, b) == 0 ||
           (stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino);
}

static void check_chain(const soa_yaml *value, const char *path, const chain *files)
{
    for (const chain *c = files; c; c = c->up) {
        if (same_file(c->path, path)) {
            soa_yaml_fail(value, SOA_E_FILE, "file '%.200s' contains itself; remove the loop", value->text);
        }
    }
    /* The chain has at least the file being read. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    if (++*files->files > SOA_MAX_INCLUDES) {
        soa_yaml_fail(value, SOA_E_LIMIT, "more than %d native files are named; join some", SOA_MAX_INCLUDES);
    }
}

/* A native file as a model, in a reader of its own. */
static soa_status load_native(const soa_yaml_reader *outer, const char *path, const chain *files, soa_model **model)
{
    const soa_allocator *allocator = outer->kit.allocator;
    soa_error *error = outer->kit.outcome.error;
    soa_yaml_reader reader = { .kit = { { error, SOA_OK }, soa_builder_new(allocator), allocator },
        .arena = soa_arena_on(allocator) };
    soa_outcome *outcome = &reader.kit.outcome;
    char *text;
    size_t length;
    if (soa_got(outcome, reader.kit.builder) &&
        soa_keep(outcome, soa_file_read(&reader.arena, path, &text, &length, error))) {
        read_text(&reader, text, length, files);
    }
    if (soa_ok(outcome)) {
        soa_keep(outcome, soa_builder_finish(reader.kit.builder, model, error));
    }
    soa_builder_free(reader.kit.builder);
    soa_arena_free(&reader.arena);
    return outcome->status;
}

static void load_file(soa_yaml_reader *reader, const soa_yaml *value, const chain *files, soa_model **model)
{
    const char *path = soa_yaml_path(reader, value);
    const bool native = path && soa_yaml_is_native(path);
    if (native) {
        check_chain(value, path, files);
    }
    if (!soa_yaml_ok(value) || !path) {
        return;
    }
    const chain inner = { files, path, files->files };
    soa_yaml_step(value, native ? load_native(reader, path, &inner, model)
                                : soa_load(path, reader->kit.allocator, model, soa_yaml_error(value)));
    soa_yaml_took(value);
}

/* ---- systems -------------------------------------------------------------------- */

/* The one link of a part that was welded to the base now moves freely. */
static void set_free(soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, int first)
{
    const soa_builder *builder = reader->kit.builder;
    int root = -1, roots = 0;
    for (int i = first; i < soa_builder_links(builder); i++) {
        if (soa_builder_link(builder, i)->parent == scope->base) {
            root = i;
            roots++;
        }
    }
    if (roots != 1 || soa_builder_link(builder, root)->joint.kind != SOA_FIXED) {
        soa_yaml_fail(soa_yaml_get(node, "free"), SOA_E_TREE,
            "'free' needs one root link without a joint of its own; remove 'free'");
        return;
    }
    soa_link link = *soa_builder_link(builder, root);
    const soa_pose at = link.joint.at, child = link.joint.child;
    link.joint = soa_joint_default(soa_yaml_full_name(reader, scope, "free"), SOA_FREE);
    link.joint.at = at;
    link.joint.child = child;
    link.joint.source = soa_yaml_source(node);
    soa_yaml_got(node, link.joint.name);
    soa_kit_set_link(&reader->kit, root, &link);
}

static void attach(soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, const soa_model *part)
{
    const int first = soa_builder_links(reader->kit.builder), dropped = soa_model_configurations(part);
    const soa_pose *at = scope->placed ? &scope->at : NULL;
    soa_yaml_step(
        node, soa_builder_attach(reader->kit.builder, part, scope->system, scope->base, at, soa_yaml_error(node)));
    if (dropped > 0) {
        soa_kit_warn(&reader->kit, soa_yaml_source(node),
            "system '%.80s': its %d named configuration%s %s not taken over", scope->system, dropped,
            dropped == 1 ? "" : "s", dropped == 1 ? "is" : "are");
    }
    if (scope->free && soa_yaml_ok(node)) {
        set_free(reader, node, scope, first);
    }
}

/* What a system consists of: the one of file, builtin and bodies that is there. */
static void read_content(soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, const chain *files)
{
    static const char *const keys[] = { "file", "builtin", "bodies", NULL };
    const soa_yaml *content = soa_yaml_one_of(node, keys, NULL);
    soa_model *part = NULL;
    if (!content) {
        soa_yaml_fail(node, SOA_E_SYNTAX, "is empty; give a 'file', 'builtin' or 'bodies'");
    }
    if (!content || !soa_yaml_ok(node)) {
        return;
    }
    if (strcmp(content->key, "bodies") == 0) {
        soa_yaml_links(reader, node, "bodies", scope);
        return;
    }
    if (content->key[0] == 'f') {
        load_file(reader, content, files, &part);
    } else {
        const char *name = soa_yaml_as_text(content);
        soa_yaml_said(content, soa_model_builtin(name, reader->kit.allocator, &part, soa_yaml_error(content)));
    }
    if (soa_yaml_ok(node)) {
        attach(reader, node, scope, part);
    }
    soa_model_free(part);
}

static void read_system(soa_yaml_reader *reader, soa_yaml *node, const chain *files)
{
    static const soa_yaml_scope whole = { .base = SOA_WORLD };
    static const soa_yaml_field fields[] = { SOA_YAML_INTO("name", TEXT, soa_yaml_scope, system), SOA_YAML_KEY("file"),
        SOA_YAML_KEY("bodies"), SOA_YAML_KEY("builtin"), SOA_YAML_INTO("at", POSE, soa_yaml_scope, at),
        SOA_YAML_KEY("on"), SOA_YAML_INTO("free", YES, soa_yaml_scope, free), SOA_YAML_KEY("frames"),
        SOA_YAML_KEY("geometry"), SOA_YAML_KEY("couplings"), SOA_YAML_KEY("closures"), SOA_YAML_END };
    soa_yaml_scope scope = { .base = SOA_WORLD, .at = soa_pose_identity(), .placed = soa_yaml_get(node, "at") != NULL };
    const soa_yaml *on = soa_yaml_get(node, "on");
    soa_yaml_fields(node, "system", fields, &scope);
    scope.system = soa_yaml_need_text(node, "name");
    if (on) {
        scope.base = soa_yaml_find(reader, &whole, on, false);
    }
    if (soa_yaml_ok(node)) {
        read_content(reader, node, &scope, files);
        soa_yaml_parts(reader, node, &scope);
    }
}

/* ---- the file ------------------------------------------------------------------- */

static void check_version(const soa_yaml *root)
{
    const soa_yaml *version = soa_yaml_get(root, "soa");
    const char *text = version && version->kind == SOA_YAML_SCALAR ? version->text : "";
    if (!version) {
        soa_yaml_fail(root, SOA_E_SYNTAX, "the format version is missing; begin the file with \"soa: 1\"");
    } else if (strcmp(text, "1") != 0) {
        soa_yaml_fail(version, SOA_E_UNSUPPORTED, "format version '%.40s' is not known; write \"soa: 1\"", text);
    }
}

static void read_head(soa_yaml_reader *reader, soa_yaml *root)
{
    static const char *const keys[] = { "soa", "name", "gravity", "systems", "links", "frames", "geometry", "couplings",
        "closures", "configurations", NULL };
    const char *name = NULL;
    double gravity[3] = { 0.0 };
    check_version(root);
    soa_yaml_expect(root, NULL, keys);
    soa_yaml_text(root, "name", &name);
    if (name) {
        soa_kit_name(&reader->kit, name);
    }
    soa_yaml_numbers(root, "gravity", 3, gravity);
    if (soa_yaml_get(root, "gravity")) {
        soa_builder_set_gravity(reader->kit.builder, gravity);
    }
}

/* Each name once: parts of two systems must not mix. */
static void read_systems(soa_yaml_reader *reader, const soa_yaml *root, const chain *files)
{
    soa_names names = { 0 };
    for (soa_yaml *node = soa_yaml_items(root, "systems"); node && soa_yaml_ok(node); node = node->next) {
        read_system(reader, node, files);
        if (soa_yaml_ok(node)) {
            const char *name = soa_yaml_get(node, "name")->text;
            if (soa_names_find(&names, name) >= 0) {
                soa_yaml_fail(node, SOA_E_NAME, "another system has this name; rename one");
            }
            soa_kit_index(&reader->kit, &names, name, 0);
        }
    }
    soa_names_free(&names, reader->kit.allocator);
}

static void read_text(soa_yaml_reader *reader, const char *text, size_t length, const chain *files)
{
    static const soa_yaml_scope whole = { .base = SOA_WORLD };
    soa_yaml *root = soa_yaml_parse(&reader->arena, text, length, files->path, &reader->kit.outcome);
    if (root) {
        read_head(reader, root);
        read_systems(reader, root, files);
        soa_yaml_links(reader, root, "links", &whole);
        soa_yaml_parts(reader, root, &whole);
        soa_yaml_configurations(reader, root);
    }
}

soa_status soa_yaml_read(soa_builder *builder, const char *text, size_t length, const char *path,
    const soa_allocator *allocator, soa_error *error)
{
    int native_files = 1;
    const chain files = { NULL, path, &native_files };
    soa_yaml_reader reader = { .kit = { { error, SOA_OK }, builder, allocator }, .arena = soa_arena_on(allocator) };
    read_text(&reader, text, length, &files);
    soa_arena_free(&reader.arena);
    return reader.kit.outcome.status;
}
