/* io/format.c - models from and to files of any format. */
#include <string.h>
#include <strings.h>

#include "core/error.h"
#include "core/kind_words.h"
#include "io/reader.h"
#include "io/xml.h"

typedef struct document {
    soa_format format;
    const char *text;
    size_t length;
    const char *path;
    bool sidecar; /* closures in a file beside a URDF belong to it */
} document;

/* ---- which format ----------------------------------------------------------------- */

static bool ends_with(const char *path, const char *ending)
{
    const size_t n = strlen(path);
    const size_t m = strlen(ending);
    return n > m && strcasecmp(path + n - m, ending) == 0;
}

/* An .xml is what its root element says. */
static soa_status format_of_xml(soa_arena *arena, document *d, soa_error *error)
{
    soa_outcome outcome = { error, SOA_OK };
    const soa_xml *root = soa_xml_parse(arena, d->text, d->length, d->path, true, &outcome);
    const bool urdf = root && soa_xml_is(root, "robot"), mjcf = root && soa_xml_is(root, "mujoco");
    if (root && !urdf && !mjcf) {
        soa_halt(&outcome, SOA_E_SYNTAX, d->path, root->line,
            "root element <%.60s> is neither <robot> (URDF) nor <mujoco> (MJCF)", root->name);
    }
    d->format = urdf ? SOA_URDF : SOA_MJCF;
    return outcome.status;
}

/* SOA_FORMATS: none. .xml is SOA_MJCF here. */
static soa_format format_of_ending(const char *path)
{
    if (ends_with(path, ".urdf")) {
        return SOA_URDF;
    }
    if (ends_with(path, ".xml")) {
        return SOA_MJCF;
    }
    return ends_with(path, ".yaml") || ends_with(path, ".yml") ? SOA_YAML : SOA_FORMATS;
}

/* ---- reading ---------------------------------------------------------------------- */

typedef soa_status reader(soa_builder *builder, const char *text, size_t length, const char *path,
    const soa_allocator *allocator, soa_error *error);
typedef soa_status writer(const soa_model *model, soa_text *text, soa_error *error);

static const struct {
    reader *read;
    writer *write;
} FORMAT[] = { [SOA_URDF] = { soa_urdf_read, soa_urdf_write },
    [SOA_MJCF] = { soa_mjcf_read, soa_mjcf_write },
    [SOA_YAML] = { soa_yaml_read, soa_yaml_write } };

static soa_status check_format(soa_format format, soa_error *error)
{
    return (unsigned)format < SOA_FORMATS
               ? SOA_OK
               : soa_fail(error, SOA_E_ARGUMENT, -1, "format %d is none of soa_format", (int)format);
}

/* Names the file in an error that names none. */
static soa_status in_file(soa_status status, const char *path, soa_error *error)
{
    if (status != SOA_OK && error && !error->file[0] && path) {
        strncat(error->file, path, sizeof error->file - 1);
    }
    return status;
}

static soa_status build(const document *d, const soa_allocator *allocator, soa_model **model, soa_error *error)
{
    soa_builder *builder = soa_builder_new(allocator);
    if (!builder) {
        return in_file(soa_fail_memory(error), d->path, error);
    }
    soa_status status = check_format(d->format, error);
    SOA_NEXT(status, FORMAT[d->format].read(builder, d->text, d->length, d->path, allocator, error));
    if (status == SOA_OK && d->format == SOA_URDF && d->sidecar) {
        status = soa_urdf_sidecar_read(builder, d->path, allocator, error);
    }
    SOA_NEXT(status, soa_builder_finish(builder, model, error));
    soa_builder_free(builder);
    return in_file(status, d->path, error);
}

soa_status soa_load_text(soa_format format, const char *text, size_t length, const char *path,
    const soa_allocator *allocator, soa_model **model, soa_error *error)
{
    const soa_allocator usual = soa_allocator_default();
    const document d = { format, text, length, path, false };
    soa_error_clear(error);
    if (!text || !model) {
        return soa_fail_null(error, text ? "the place of the model" : "the text");
    }
    *model = NULL;
    return build(&d, allocator ? allocator : &usual, model, error);
}

static soa_status load(
    soa_arena *arena, const char *path, const soa_allocator *allocator, soa_model **model, soa_error *error)
{
    document d = { .format = format_of_ending(path), .path = path, .sidecar = true };
    if (d.format == SOA_FORMATS) {
        return soa_fail_at(
            error, SOA_E_FILE, path, 0, "the kind of file is unknown; name it .urdf, .xml (MJCF), .yaml or .yml");
    }
    char *text;
    soa_status status = soa_file_read(arena, path, &text, &d.length, error);
    if (status != SOA_OK) {
        return status;
    }
    d.text = text;
    if (d.format == SOA_MJCF) {
        status = format_of_xml(arena, &d, error);
    }
    return status == SOA_OK ? build(&d, allocator, model, error) : status;
}

soa_status soa_load(const char *path, const soa_allocator *allocator, soa_model **model, soa_error *error)
{
    const soa_allocator usual = soa_allocator_default();
    const soa_allocator *memory = allocator ? allocator : &usual;
    soa_arena arena = soa_arena_on(memory);
    soa_error_clear(error);
    if (!path || !model) {
        return soa_fail_null(error, path ? "the place of the model" : "the path");
    }
    *model = NULL;
    const soa_status status = load(&arena, path, memory, model, error);
    soa_arena_free(&arena);
    return in_file(status, path, error);
}

/* ---- writing ---------------------------------------------------------------------- */

static const char *format_name(soa_format format)
{
    static const char *const name[] = { SOA_FORMAT_LIST(SOA_SECOND) };
    return name[format];
}

/* Only the native format has flexible links. */
static soa_status refuse_modes(const soa_model *model, soa_format format, soa_error *error)
{
    for (int i = 0; format != SOA_YAML && i < soa_model_links(model); i++) {
        if (soa_model_link(model, i)->flexible) {
            return soa_fail(error, SOA_E_UNSUPPORTED, -1,
                "link '%.80s' is flexible, which %s cannot say; write native YAML", soa_model_link(model, i)->name,
                format_name(format));
        }
    }
    return SOA_OK;
}

soa_status soa_write(const soa_model *model, soa_format format, const soa_allocator *allocator, char **text,
    size_t *length, soa_error *error)
{
    const soa_allocator usual = soa_allocator_default();
    soa_text out = soa_text_on(allocator ? allocator : &usual);
    soa_error_clear(error);
    if (!model || !text || !length) {
        return soa_fail_null(error, !model ? "the model" : "the place of the text");
    }
    *text = NULL;
    *length = 0;
    soa_text_add(&out, "%s", "");
    soa_status status = check_format(format, error);
    SOA_NEXT(status, refuse_modes(model, format, error));
    SOA_NEXT(status, FORMAT[format].write(model, &out, error));
    if (status == SOA_OK && out.cannot) {
        status = soa_fail(error, SOA_E_UNSUPPORTED, -1,
            "the name '%.80s' is not UTF-8 or has control characters, which %s cannot say; rename it", out.cannot,
            format_name(format));
    }
    return soa_text_give(&out, status, text, length, error);
}

soa_status soa_save(const soa_model *model, soa_format format, const char *path, soa_error *error)
{
    const soa_allocator usual = soa_allocator_default();
    char *text = NULL;
    size_t length = 0;
    soa_error_clear(error);
    if (!path) {
        return soa_fail_null(error, "the path");
    }
    const soa_status status = soa_write(model, format, &usual, &text, &length, error);
    return in_file(soa_text_save(path, status, text, length, error), path, error);
}
