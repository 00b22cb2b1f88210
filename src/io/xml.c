/* io/xml.c - an XML text as a tree of elements, by expat.
 *
 * Expat calls back; the open elements are a stack of at most SOA_MAX_DEPTH. An
 * element, its attributes and their texts are one block of the arena. The first
 * failure is kept and stops expat. */
#include "io/xml.h"

#include <expat.h>
#include <string.h>
#include <strings.h>

#include "core/error.h"
#include "soa/io.h"

/* A run of character data; expat gives the text of an element in several. */
typedef struct piece {
    struct piece *next;
    const char *text;
    size_t length;
} piece;

/* An element that is open. */
typedef struct level {
    soa_xml *element;
    soa_xml *last; /* child */
    piece *first_piece, *last_piece;
} level;

typedef struct reader {
    soa_arena *arena;
    XML_Parser parser;
    const char *file;
    soa_xml *root;
    bool root_only; /* stop at the first element */
    int depth;
    level open[SOA_MAX_DEPTH];
    soa_status status;
    soa_error *error;
} reader;

static int line_now(const reader *r)
{
    return (int)XML_GetCurrentLineNumber(r->parser);
}

/* Keeps the status of a failure and ends the parse. */
static void stop(reader *r, soa_status status)
{
    r->status = status;
    XML_StopParser(r->parser, XML_FALSE);
}

/* ---- elements ------------------------------------------------------------------- */

/* Copies text (with its NUL) to *at and moves *at behind it. */
static const char *put(char **at, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = memcpy(*at, text, size);
    *at += size;
    return copy;
}

/* Element, attributes, texts in one block; NULL when there is no memory. */
static soa_xml *new_element(soa_arena *arena, const char *name, const char **attributes)
{
    size_t count = 0;
    size_t bytes = strlen(name) + 1;
    for (; attributes[2 * count]; count++) {
        bytes += strlen(attributes[2 * count]) + strlen(attributes[2 * count + 1]) + 2;
    }
    soa_xml *element = soa_arena_take(arena, 1, sizeof *element + count * sizeof(soa_xml_attribute) + bytes);
    if (element) {
        soa_xml_attribute *attribute = (soa_xml_attribute *)(element + 1);
        char *at = (char *)(attribute + count);
        element->name = put(&at, name);
        for (size_t i = 0; i < count; i++) {
            attribute[i].name = put(&at, attributes[2 * i]);
            attribute[i].value = put(&at, attributes[2 * i + 1]);
        }
        element->attributes = (int)count;
        element->attribute = attribute;
        element->text = "";
    }
    return element;
}

static void hang(reader *r, soa_xml *element)
{
    if (r->depth == 0) {
        r->root = element;
        return;
    }
    level *parent = &r->open[r->depth - 1];
    element->parent = parent->element;
    if (parent->last) {
        parent->last->next = element;
    } else {
        parent->element->child = element;
    }
    parent->last = element;
}

static void on_start(void *context, const char *name, const char **attributes)
{
    reader *r = context;
    if (r->status != SOA_OK) {
        return;
    }
    if (r->depth == SOA_MAX_DEPTH) {
        stop(r, soa_fail_at(
                    r->error, SOA_E_LIMIT, r->file, line_now(r), "elements are nested deeper than %d", SOA_MAX_DEPTH));
        return;
    }
    soa_xml *element = new_element(r->arena, name, attributes);
    if (!element) {
        stop(r, soa_fail_memory(r->error));
        return;
    }
    element->file = r->file;
    element->line = line_now(r);
    hang(r, element);
    r->open[r->depth++] = (level){ .element = element };
    if (r->root_only) {
        XML_StopParser(r->parser, XML_FALSE);
    }
}

/* ---- character data --------------------------------------------------------------- */

static bool is_blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!strchr(" \t\r\n", text[i])) {
            return false;
        }
    }
    return true;
}

static void on_text(void *context, const char *text, int length)
{
    reader *r = context;
    level *here = &r->open[r->depth - 1]; /* there is text inside elements alone */
    if (!here->first_piece && is_blank(text, (size_t)length)) {
        return;
    }
    piece *p = soa_arena_take(r->arena, 1, sizeof *p);
    const char *copy = p ? soa_arena_text_n(r->arena, text, (size_t)length) : NULL;
    if (!copy) {
        stop(r, soa_fail_memory(r->error));
        return;
    }
    *p = (piece){ NULL, copy, (size_t)length };
    if (here->last_piece) {
        here->last_piece->next = p;
    } else {
        here->first_piece = p;
    }
    here->last_piece = p;
}

/* The pieces in one; NULL when there is no memory. */
static const char *join(soa_arena *arena, const piece *first)
{
    if (!first->next) {
        return first->text;
    }
    size_t length = 0;
    for (const piece *p = first; p; p = p->next) {
        length += p->length;
    }
    char *text = soa_arena_take(arena, length + 1, 1);
    char *at = text;
    for (const piece *p = first; p && text; p = p->next) {
        memcpy(at, p->text, p->length);
        at += p->length;
    }
    return text;
}

static void on_end(void *context, const char *name)
{
    (void)name;
    reader *r = context;
    if (r->status != SOA_OK) {
        return;
    }
    const level *here = &r->open[--r->depth];
    if (here->first_piece) {
        here->element->text = join(r->arena, here->first_piece);
        if (!here->element->text) {
            stop(r, soa_fail_memory(r->error));
        }
    }
}

/* ---- what is refused -------------------------------------------------------------- */

static void on_doctype(
    void *context, const char *name, const char *system_name, const char *public_name, int has_internal_subset)
{
    (void)name, (void)system_name, (void)public_name, (void)has_internal_subset;
    reader *r = context;
    stop(r, soa_fail_at(r->error, SOA_E_SYNTAX, r->file, line_now(r),
                "DOCTYPE and entity declarations are not supported; remove them"));
}

static void on_declaration(void *context, const char *version, const char *encoding, int standalone)
{
    (void)version, (void)standalone;
    static const char *const known[] = { "UTF-8", "UTF-16", "US-ASCII" };
    reader *r = context;
    for (size_t i = 0; i < sizeof known / sizeof known[0] && encoding; i++) {
        if (strcasecmp(encoding, known[i]) == 0) {
            return;
        }
    }
    if (encoding) {
        stop(r, soa_fail_at(r->error, SOA_E_SYNTAX, r->file, line_now(r),
                    "encoding \"%.40s\" is not supported; save the file as UTF-8", encoding));
    }
}

/* A NUL byte belongs to UTF-16 only, which begins with a byte order mark. */
static soa_status refuse_nul(const char *text, size_t length, const char *file, soa_error *error)
{
    const bool utf16 = length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0);
    const char *nul = utf16 || length == 0 ? NULL : memchr(text, '\0', length);
    if (!nul) {
        return SOA_OK;
    }
    int line = 1;
    for (const char *s = text; s < nul; s++) {
        line += *s == '\n';
    }
    return soa_fail_at(error, SOA_E_SYNTAX, file, line, "there is a NUL byte: this is not an XML text in UTF-8");
}

/* What expat found, in terms of the elements that are open. */
static soa_status fail_syntax(const reader *r)
{
    const enum XML_Error code = XML_GetErrorCode(r->parser);
    const soa_xml *open = r->depth > 0 ? r->open[r->depth - 1].element : NULL;
    if (code == XML_ERROR_NO_MEMORY) {
        return soa_fail_memory(r->error);
    }
    if (!r->root && code == XML_ERROR_NO_ELEMENTS) {
        return soa_fail_at(r->error, SOA_E_SYNTAX, r->file, line_now(r), "the document is empty: no root element");
    }
    if (!r->root && code == XML_ERROR_SYNTAX) {
        return soa_fail_at(r->error, SOA_E_SYNTAX, r->file, line_now(r), "this is not an XML document");
    }
    if (open && code == XML_ERROR_NO_ELEMENTS) {
        return soa_fail_at(r->error, SOA_E_SYNTAX, r->file, line_now(r),
            "XML: the document ends inside <%.60s> of line %d", open->name, open->line);
    }
    if (open && code == XML_ERROR_TAG_MISMATCH) {
        return soa_fail_at(r->error, SOA_E_SYNTAX, r->file, line_now(r),
            "XML: mismatched end tag; </%.60s> is wanted, for line %d", open->name, open->line);
    }
    return soa_fail_at(r->error, SOA_E_SYNTAX, r->file, line_now(r), "XML: %s", XML_ErrorString(code));
}

/* ---- the whole -------------------------------------------------------------------- */

static soa_status run(reader *r, const char *text, size_t length)
{
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, on_start, on_end);
    XML_SetCharacterDataHandler(r->parser, on_text);
    XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
    XML_SetXmlDeclHandler(r->parser, on_declaration);
    const enum XML_Status parsed = XML_Parse(r->parser, text, (int)length, XML_TRUE);
    if (r->status == SOA_OK && parsed != XML_STATUS_OK && !(r->root_only && r->root)) {
        r->status = fail_syntax(r);
    }
    return r->status;
}

static soa_status parse(soa_arena *arena, const char *text, size_t length, const char *file, bool root_only,
    soa_xml **root, soa_error *error)
{
    *root = NULL;
    if (length > SOA_MAX_FILE_BYTES) {
        return soa_fail_at(error, SOA_E_LIMIT, file, 0, "the text is longer than %u MiB", SOA_MAX_FILE_BYTES >> 20);
    }
    if (refuse_nul(text, length, file, error) != SOA_OK) {
        return SOA_E_SYNTAX;
    }
    reader *r = soa_arena_take(arena, 1, sizeof *r);
    const char *name = soa_arena_text(arena, file);
    XML_Parser parser = r && (name || !file) ? XML_ParserCreate(NULL) : NULL;
    if (!parser) {
        return soa_fail_memory(error);
    }
    *r = (reader){ .arena = arena, .parser = parser, .file = name, .root_only = root_only, .error = error };
    const soa_status status = run(r, text, length);
    XML_ParserFree(parser);
    if (status == SOA_OK) {
        *root = r->root;
    }
    return status;
}

soa_status soa_xml_parse(
    soa_arena *arena, const char *text, size_t length, const char *file, soa_xml **root, soa_error *error)
{
    return parse(arena, text, length, file, false, root, error);
}

soa_status soa_xml_parse_root(
    soa_arena *arena, const char *text, size_t length, const char *file, soa_xml **root, soa_error *error)
{
    return parse(arena, text, length, file, true, root, error);
}
