/* io/yaml_tree.c - a YAML file as a tree of values: libyaml's events, kept. */
#include "io/yaml_tree.h"

#include <stdio.h>
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

static void fail(reading *r, soa_status status, yaml_mark_t mark, const char *text)
{
    soa_outcome *outcome = r->file->outcome;
    soa_halt(outcome, status, r->file->path, (int)mark.line + 1, "%s", text);
    if (outcome->error) {
        outcome->error->column = (int)mark.column + 1;
    }
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

static void fail_parser(reading *r, const char *text, size_t length)
{
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem ? p->problem : "not YAML";
    char said[SOA_ERROR_TEXT];
    if (p->error == YAML_MEMORY_ERROR) {
        soa_halt_memory(r->file->outcome);
    } else if (p->error == YAML_READER_ERROR) {
        soa_halt(r->file->outcome, SOA_E_SYNTAX, r->file->path, line_of_offset(text, length, p->problem_offset),
            "not YAML: %s; save the file as UTF-8 text", problem);
    } else {
        snprintf(said, sizeof said, "not YAML: %s%s%s", problem, p->context ? " " : "", p->context ? p->context : "");
        fail(r, SOA_E_SYNTAX, p->problem_mark, said);
    }
}

/* ---- nodes -------------------------------------------------------------------- */

/* NULL: no memory. */
static soa_yaml *add_node(reading *r, soa_yaml_kind kind, yaml_mark_t mark)
{
    soa_yaml *n = soa_arena_take(r->arena, 1, sizeof *n);
    if (!soa_got(r->file->outcome, n)) {
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

static void open_node(reading *r, soa_yaml_kind kind, const yaml_event_t *event)
{
    if (waits_for_key(r)) {
        fail(r, SOA_E_SYNTAX, event->start_mark, "a key must be a word, not a list or a mapping");
    } else if (!r->open && kind != SOA_YAML_MAPPING) {
        fail(r, SOA_E_SYNTAX, event->start_mark, "the file is not a mapping; begin it with \"soa: 1\"");
    } else if (++r->depth > SOA_MAX_DEPTH) {
        fail(r, SOA_E_LIMIT, event->start_mark, "lists and mappings are nested too deeply");
    } else {
        r->open = add_node(r, kind, event->start_mark);
        r->last = NULL;
    }
}

static void fail_duplicate(const soa_yaml *node)
{
    soa_yaml_fail(node, SOA_E_SYNTAX, "key '%s' is there twice; remove one", node->key);
}

static void check_many_keys(reading *r, const soa_yaml *mapping)
{
    soa_names names = { 0 };
    for (const soa_yaml *n = mapping->child; n && soa_yaml_ok(n); n = n->next) {
        if (soa_names_find(&names, n->key) >= 0) {
            fail_duplicate(n);
        } else if (!soa_names_add(&names, r->arena->allocator, n->key, 0)) {
            soa_halt_memory(r->file->outcome);
        }
    }
    soa_names_free(&names, r->arena->allocator);
}

static void check_keys(reading *r, const soa_yaml *mapping)
{
    if (mapping->count > FEW_KEYS) {
        check_many_keys(r, mapping);
        return;
    }
    for (const soa_yaml *n = mapping->child; n; n = n->next) {
        for (const soa_yaml *before = mapping->child; before != n; before = before->next) {
            if (strcmp(before->key, n->key) == 0) {
                fail_duplicate(n);
            }
        }
    }
}

static void close_node(reading *r)
{
    soa_yaml *node = r->open;
    if (node->kind == SOA_YAML_MAPPING) {
        check_keys(r, node);
    }
    r->depth--;
    r->open = node->parent;
    r->last = node;
}

static void scalar(reading *r, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    if (memchr(value, '\0', length)) {
        fail(r, SOA_E_SYNTAX, event->start_mark, "a text contains a NUL character; remove it");
        return;
    }
    if (!r->open) {
        fail(r, SOA_E_SYNTAX, event->start_mark, "the file is not a mapping; begin it with \"soa: 1\"");
        return;
    }
    char *copy = soa_arena_text_n(r->arena, value, length);
    if (!soa_got(r->file->outcome, copy)) {
        return;
    }
    if (waits_for_key(r)) {
        r->key = copy;
        r->key_line = (int)event->start_mark.line + 1;
        r->key_column = (int)event->start_mark.column + 1;
        return;
    }
    soa_yaml *node = add_node(r, SOA_YAML_SCALAR, event->start_mark);
    if (node) {
        node->text = copy;
        node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    }
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

static void take_event(reading *r, const yaml_event_t *event)
{
    if (anchor_or_tag(event)) {
        fail(r, SOA_E_UNSUPPORTED, event->start_mark, "anchors and tags are not read; write the value itself");
        return;
    }
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++r->documents > 1) {
            fail(r, SOA_E_UNSUPPORTED, event->start_mark, "a second document begins; keep one to a file");
        }
        break;
    case YAML_ALIAS_EVENT:
        fail(r, SOA_E_UNSUPPORTED, event->start_mark, "aliases are not read; write the value itself");
        break;
    case YAML_SCALAR_EVENT:
        scalar(r, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
        open_node(r, SOA_YAML_SEQUENCE, event);
        break;
    case YAML_MAPPING_START_EVENT:
        open_node(r, SOA_YAML_MAPPING, event);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        close_node(r);
        break;
    default:
        break;
    }
}

static void read_events(reading *r, const char *text, size_t length)
{
    for (bool more = true; more && soa_ok(r->file->outcome);) {
        yaml_event_t event;
        if (!yaml_parser_parse(&r->parser, &event)) {
            fail_parser(r, text, length);
            return;
        }
        take_event(r, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
}

soa_yaml *soa_yaml_parse(soa_arena *arena, const char *text, size_t length, const char *file, soa_outcome *outcome)
{
    reading r = { .arena = arena, .file = soa_arena_take(arena, 1, sizeof *r.file) };
    const char *path = soa_arena_text(arena, file ? file : "");
    if (!soa_got(outcome, r.file) || !soa_got(outcome, path) || !soa_ok(outcome)) {
        return NULL;
    }
    *r.file = (soa_yaml_file){ path, outcome };
    if (!yaml_parser_initialize(&r.parser)) {
        soa_halt_memory(outcome);
        return NULL;
    }
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, length);
    read_events(&r, text, length);
    yaml_parser_delete(&r.parser);
    if (!r.root) {
        soa_halt(outcome, SOA_E_SYNTAX, path, 1, "the file is empty; begin it with \"soa: 1\"");
    }
    return soa_ok(outcome) ? r.root : NULL;
}
