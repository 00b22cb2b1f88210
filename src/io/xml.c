/* io/xml.c - an XML text as a tree of elements, by expat.
 *
 * Expat calls back; the open elements are a stack of at most SOA_MAX_DEPTH. An
 * element, its attributes and their texts are one block of the arena. A failure
 * stops expat. */
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
    soa_outcome *outcome;
} reader;

static int line_now(const reader *r)
{
    return (int)XML_GetCurrentLineNumber(r->parser);
}

/* Fails where the parser is, and ends the parse. */
#define STOP(r, status, ...) \
    (soa_halt((r)->outcome, status, (r)->file, line_now(r), __VA_ARGS__), (void)XML_StopParser((r)->parser, XML_FALSE))

/* Whether memory was there; otherwise ends the parse. */
static bool got(reader *r, const void *memory)
{
    if (!soa_got(r->outcome, memory)) {
        XML_StopParser(r->parser, XML_FALSE);
    }
    return memory != NULL;
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
    *(parent->last ? &parent->last->next : &parent->element->child) = element;
    parent->last = element;
}

static void on_start(void *context, const char *name, const char **attributes)
{
    reader *r = context;
    if (!soa_ok(r->outcome)) {
        return;
    }
    if (r->depth == SOA_MAX_DEPTH) {
        STOP(r, SOA_E_LIMIT, "elements are nested deeper than %d", SOA_MAX_DEPTH);
        return;
    }
    soa_xml *element = new_element(r->arena, name, attributes);
    if (!got(r, element)) {
        return;
    }
    element->file = r->file;
    element->line = line_now(r);
    element->outcome = r->outcome;
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
    if (!soa_ok(r->outcome)) {
        return;
    }
    level *here = &r->open[r->depth - 1]; /* there is text inside elements alone */
    if (!here->first_piece && is_blank(text, (size_t)length)) {
        return;
    }
    piece *p = soa_arena_take(r->arena, 1, sizeof *p);
    const char *copy = p ? soa_arena_text_n(r->arena, text, (size_t)length) : NULL;
    if (got(r, copy)) {
        *p = (piece){ NULL, copy, (size_t)length };
        *(here->last_piece ? &here->last_piece->next : &here->first_piece) = p;
        here->last_piece = p;
    }
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
    if (!soa_ok(r->outcome)) {
        return;
    }
    const level *here = &r->open[--r->depth];
    if (here->first_piece) {
        here->element->text = join(r->arena, here->first_piece);
        got(r, here->element->text);
    }
}

/* ---- what is refused -------------------------------------------------------------- */

static void on_doctype(
    void *context, const char *name, const char *system_name, const char *public_name, int has_internal_subset)
{
    (void)name, (void)system_name, (void)public_name, (void)has_internal_subset;
    reader *r = context;
    STOP(r, SOA_E_SYNTAX, "DOCTYPE and entity declarations are not supported; remove them");
}

static void on_declaration(void *context, const char *version, const char *encoding, int standalone)
{
    (void)version, (void)standalone;
    reader *r = context;
    if (encoding && strcasecmp(encoding, "UTF-8") != 0 && strcasecmp(encoding, "UTF-16") != 0 &&
        strcasecmp(encoding, "US-ASCII") != 0) {
        STOP(r, SOA_E_SYNTAX, "encoding \"%.40s\" is not supported; save the file as UTF-8", encoding);
    }
}

/* A NUL byte belongs to UTF-16 only, which begins with a byte order mark. */
static void refuse_nul(const char *text, size_t length, const char *file, soa_outcome *outcome)
{
    const bool utf16 = length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0);
    const char *nul = utf16 || length == 0 ? NULL : memchr(text, '\0', length);
    int line = 1;
    for (const char *s = text; nul && s < nul; s++) {
        line += *s == '\n';
    }
    if (nul) {
        soa_halt(outcome, SOA_E_SYNTAX, file, line, "there is a NUL byte: this is not an XML text in UTF-8");
    }
}

/* What expat found, in terms of the elements that are open. */
static void fail_syntax(reader *r)
{
    const enum XML_Error code = XML_GetErrorCode(r->parser);
    const soa_xml *open = r->depth > 0 ? r->open[r->depth - 1].element : NULL;
    if (code == XML_ERROR_NO_MEMORY) {
        soa_halt_memory(r->outcome);
    } else if (!r->root && code == XML_ERROR_NO_ELEMENTS) {
        STOP(r, SOA_E_SYNTAX, "the document is empty: no root element");
    } else if (!r->root && code == XML_ERROR_SYNTAX) {
        STOP(r, SOA_E_SYNTAX, "this is not an XML document");
    } else if (open && code == XML_ERROR_NO_ELEMENTS) {
        STOP(r, SOA_E_SYNTAX, "XML: the document ends inside <%.60s> of line %d", open->name, open->line);
    } else if (open && code == XML_ERROR_TAG_MISMATCH) {
        STOP(r, SOA_E_SYNTAX, "XML: mismatched end tag; </%.60s> is wanted, for line %d", open->name, open->line);
    } else {
        STOP(r, SOA_E_SYNTAX, "XML: %s", XML_ErrorString(code));
    }
}

/* ---- the whole -------------------------------------------------------------------- */

static void run(reader *r, const char *text, size_t length)
{
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, on_start, on_end);
    XML_SetCharacterDataHandler(r->parser, on_text);
    XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
    XML_SetXmlDeclHandler(r->parser, on_declaration);
    const enum XML_Status parsed = XML_Parse(r->parser, text, (int)length, XML_TRUE);
    if (parsed != XML_STATUS_OK && !(r->root_only && r->root)) {
        fail_syntax(r);
    }
}

soa_xml *soa_xml_parse(
    soa_arena *arena, const char *text, size_t length, const char *file, bool root_only, soa_outcome *outcome)
{
    if (length > SOA_MAX_FILE_BYTES) {
        soa_halt(outcome, SOA_E_LIMIT, file, 0, "the text is longer than %u MiB", SOA_MAX_FILE_BYTES >> 20);
    }
    refuse_nul(text, length, file, outcome);
    reader *r = soa_ok(outcome) ? soa_arena_take(arena, 1, sizeof *r) : NULL;
    const char *name = soa_arena_text(arena, file);
    XML_Parser parser = r && (name || !file) ? XML_ParserCreate(NULL) : NULL;
    if (!soa_got(outcome, parser)) {
        return NULL;
    }
    *r = (reader){ .arena = arena, .parser = parser, .file = name, .root_only = root_only, .outcome = outcome };
    run(r, text, length);
    XML_ParserFree(parser);
    return soa_ok(outcome) ? r->root : NULL;
}
