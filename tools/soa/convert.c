/* convert.c - soa convert: a model in another format. */
#include <string.h>
#include <strings.h>

#include "soa/io.h"
#include "tool.h"

const tool_option TOOL_CONVERT_OPTIONS[] = {
    { "out", 'o', "FILE", "where to write, whole or not at all" },
    { "to", 't', "FORMAT", "urdf, mjcf or yaml; without -o to standard output" },
    { NULL, 0, NULL, NULL },
};

typedef struct format_name {
    soa_format format;
    const char *name;
    const char *ending;
} format_name;

static const format_name FORMAT[] = {
    { SOA_URDF, "urdf", ".urdf" },
    { SOA_MJCF, "mjcf", ".xml" },
    { SOA_YAML, "yaml", ".yaml" },
    { SOA_YAML, "yml", ".yml" },
};

#define FORMATS (sizeof FORMAT / sizeof FORMAT[0])

static const format_name *by_name(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (strcasecmp(FORMAT[i].name, name) == 0) {
            return &FORMAT[i];
        }
    }
    return NULL;
}

static const format_name *by_ending(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < FORMATS; i++) {
        if (strcasecmp(FORMAT[i].ending, dot) == 0) {
            return &FORMAT[i];
        }
    }
    return NULL;
}

static void write_model(const tool_call *call, const soa_model *model, soa_format format, const char *path)
{
    char *text = NULL;
    size_t length = 0;
    if (path != NULL) {
        tool_must(soa_save(model, format, path, tool_error()));
        return;
    }
    tool_must(soa_write(model, format, &TOOL_MEMORY, &text, &length, tool_error()));
    fwrite(text, 1, length, call->out);
}

void tool_convert(tool_call *call)
{
    const char *path = tool_value(call, "out"), *to = tool_value(call, "to");
    if (path == NULL && to == NULL) {
        tool_wrong_usage(call->command, "nowhere to write; give '-o FILE' or '--to FORMAT'");
    }
    const format_name *format = to != NULL ? by_name(to) : by_ending(path);
    if (format == NULL && to != NULL) {
        tool_wrong_usage(call->command, "'%s' is not a format; choose urdf, mjcf or yaml", to);
    }
    if (format == NULL) {
        tool_wrong_usage(call->command, "'%s' does not end in .urdf, .xml or .yaml; rename it or give --to", path);
    }
    write_model(call, tool_load(call->operand[0]), format->format, path);
}
