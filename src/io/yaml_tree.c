/* io/yaml_tree.c - a YAML file as a tree of values: libyaml's events, kept. */
#include "io/yaml_tree.h"

#include <string.h>

#include <yaml.h>

#include "core/error.h"
#include "core/names.h"
#include "soa/io.h"

/* Mappings of up to this many keys are searched for double keys without a table. */
enum { FEW_KEYS = 16 };

typedef struct reading {
    soa_arena *arena;
    soa_yaml_file *file;
    yaml_parser_t parser;
    soa_yaml *root;
    soa_yaml *open;  /* the collection that is being read; NULL outside of the root */
    soa_yaml *last;  /* its last child so far */
    const char *key; /* read, its value not yet */
    int key_line, key_column;
    int depth;
    int documents;
} reading;

static soa_status fail(reading *r, soa_status status, yaml_mark_t mark, const char *text)
{
    soa_fail_at(r->file->error, status, r->file->path, (int)mark.line + 1, "%s", text);
    if (r->file->error) {
        r->file->error->column = (int)mark.column + 1;
    }
    return status;
}

/* libyaml gives an offset, not a line, for bytes it cannot decode. */
static int line_of_offset(const char *text, size_t length, size_t offset)
{
    int line = 1;
    for (size_t i = 0; i < offset && i < length; i++) {
        line += text[i] == '\n';
    }
    return line;
}

static soa_status fail_parser(reading *r, const char *text, size_t length)
{
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem ? p->problem : "not YAML";
    if (p->error == YAML_MEMORY_ERROR) {
        return soa_fail_memory(r->file->error);
    }
    if (p->error == YAML_READER_ERROR) {
        return soa_fail_at(r->file->error, SOA_E_SYNTAX, r->file->path, line_of_offset(text, length, p->problem_offset),
            "not YAML: %s; save the file as UTF-8 text", problem);
    }
    soa_fail_at(r->file->error, SOA_E_SYNTAX, r->file->path, (int)p->problem_mark.line + 1, "not YAML: %s%s%s", problem,
        p->context ? " " : "", p->context ? p->context : "");
    if (r->file->error) {
        r->file->error->column = (int)p->problem_mark.column + 1;
    }
    return SOA_E_SYNTAX;
}

/* ---- nodes -------------------------------------------------------------------- */

/* NULL: no memory. */
static soa_yaml *add_node(reading *r, soa_yaml_kind kind, yaml_mark_t mark)
{
    soa_yaml *n = soa_arena_take(r->arena, 1, sizeof *n);
    if (!n) {
        return NULL;
    }
    *n = (soa_yaml){ .kind = kind, .line = (int)mark.line + 1, .column = (int)mark.column + 1, .file = r->file };
    n->parent = r->open;
    if (r->key) {
        n->key = r->key;
        n->line = r->key_line;
        n->column = r->key_column;
        r->key = NULL;
    }
    if (!r->open) {
        r->root = n;
    } else {
        *(r->last ? &r->last->next : &r->open->child) = n;
        r->open->count++;
    }
    r->last = n;
    return n;
}

static bool waits_for_key(const reading *r)
{
    return r->open && r->open->kind == SOA_YAML_MAPPING && !r->key;
}

static soa_status open_node(reading *r, soa_yaml_kind kind, const yaml_event_t *event)
{
    if (waits_for_key(r)) {
        return fail(r, SOA_E_SYNTAX, event->start_mark, "a key must be a word, not a list or a mapping");
    }
    if (!r->open && kind != SOA_YAML_MAPPING) {
        return fail(r, SOA_E_SYNTAX, event->start_mark, "the file is not a mapping; begin it with \"soa: 1\"");
    }
    if (++r->depth > SOA_MAX_DEPTH) {
        return fail(r, SOA_E_LIMIT, event->start_mark, "lists and mappings are nested too deeply");
    }
    soa_yaml *node = add_node(r, kind, event->start_mark);
    if (!node) {
        return soa_fail_memory(r->file->error);
    }
    r->open = node;
    r->last = NULL;
    return SOA_OK;
}

static soa_status fail_duplicate(const soa_yaml *node)
{
    soa_yaml_fail(node, SOA_E_SYNTAX, "key '%s' is there twice; remove one", node->key);
    return SOA_E_SYNTAX;
}

static soa_status check_many_keys(reading *r, const soa_yaml *mapping)
{
    soa_names names = { 0 };
    soa_status status = SOA_OK;
    for (const soa_yaml *n = mapping->child; n && status == SOA_OK; n = n->next) {
        if (soa_names_find(&names, n->key) >= 0) {
            status = fail_duplicate(n);
        } else if (!soa_names_add(&names, r->arena->allocator, n->key, 0)) {
            status = soa_fail_memory(r->file->error);
        }
    }
    soa_names_free(&names, r->arena->allocator);
    return status;
}

static soa_status check_keys(reading *r, const soa_yaml *mapping)
{
    if (mapping->count > FEW_KEYS) {
        return check_many_keys(r, mapping);
    }
    for (const soa_yaml *n = mapping->child; n; n = n->next) {
        for (const soa_yaml *before = mapping->child; before != n; before = before->next) {
            if (strcmp(before->key, n->key) == 0) {
                return fail_duplicate(n);
            }
        }
    }
    return SOA_OK;
}

static soa_status close_node(reading *r)
{
    soa_yaml *node = r->open;
    const soa_status status = node->kind == SOA_YAML_MAPPING ? check_keys(r, node) : SOA_OK;
    r->depth--;
    r->open = node->parent;
    r->last = node;
    return status;
}

static soa_status scalar(reading *r, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    if (memchr(value, '\0', length)) {
        return fail(r, SOA_E_SYNTAX, event->start_mark, "a text contains a NUL character; remove it");
    }
    if (!r->open) {
        return fail(r, SOA_E_SYNTAX, event->start_mark, "the file is not a mapping; begin it with \"soa: 1\"");
    }
    char *copy = soa_arena_text_n(r->arena, value, length);
    if (!copy) {
        return soa_fail_memory(r->file->error);
    }
    if (waits_for_key(r)) {
        r->key = copy;
        r->key_line = (int)event->start_mark.line + 1;
        r->key_column = (int)event->start_mark.column + 1;
        return SOA_OK;
    }
    soa_yaml *node = add_node(r, SOA_YAML_SCALAR, event->start_mark);
    if (!node) {
        return soa_fail_memory(r->file->error);
    }
    node->text = copy;
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return SOA_OK;
}

/* ---- events ------------------------------------------------------------------- */

static const char *anchor_or_tag(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return (const char *)(event->data.scalar.anchor ? event->data.scalar.anchor : event->data.scalar.tag);
    case YAML_SEQUENCE_START_EVENT:
        return (const char *)(event->data.sequence_start.anchor ? event->data.sequence_start.anchor
                                                                : event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return (const char *)(event->data.mapping_start.anchor ? event->data.mapping_start.anchor
                                                               : event->data.mapping_start.tag);
    default:
        return NULL;
    }
}

static soa_status take_event(reading *r, const yaml_event_t *event)
{
    if (anchor_or_tag(event)) {
        return fail(r, SOA_E_UNSUPPORTED, event->start_mark, "anchors and tags are not read; write the value itself");
    }
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++r->documents > 1) {
            return fail(r, SOA_E_UNSUPPORTED, event->start_mark, "a second document begins; keep one to a file");
        }
        return SOA_OK;
    case YAML_ALIAS_EVENT:
        return fail(r, SOA_E_UNSUPPORTED, event->start_mark, "aliases are not read; write the value itself");
    case YAML_SCALAR_EVENT:
        return scalar(r, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_node(r, SOA_YAML_SEQUENCE, event);
    case YAML_MAPPING_START_EVENT:
        return open_node(r, SOA_YAML_MAPPING, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_node(r);
    default:
        return SOA_OK;
    }
}

static soa_status read_events(reading *r, const char *text, size_t length)
{
    soa_status status = SOA_OK;
    for (bool more = true; more && status == SOA_OK;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&r->parser, &event)) {
            return fail_parser(r, text, length);
        }
        status = take_event(r, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    return status;
}

soa_status soa_yaml_parse(
    soa_arena *arena, const char *text, size_t length, const char *file, soa_yaml **root, soa_error *error)
{
    reading r = { .arena = arena, .file = soa_arena_take(arena, 1, sizeof *r.file) };
    *root = NULL;
    if (!r.file) {
        return soa_fail_memory(error);
    }
    *r.file = (soa_yaml_file){ soa_arena_text(arena, file ? file : ""), SOA_OK, error };
    if (!r.file->path || !yaml_parser_initialize(&r.parser)) {
        return soa_fail_memory(error);
    }
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, length);
    soa_status status = read_events(&r, text, length);
    yaml_parser_delete(&r.parser);
    if (status == SOA_OK && !r.root) {
        status = soa_fail_at(error, SOA_E_SYNTAX, r.file->path, 1, "the file is empty; begin it with \"soa: 1\"");
    }
    if (status == SOA_OK) {
        *root = r.root;
    }
    return status;
}
