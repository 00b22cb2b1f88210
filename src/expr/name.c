/* expr/name.c - names of every alphabet, in ASCII.
 *
 *     name = base { digit | mark } [ "~" ] { "_" ( base { digit } | "{" name "}" ) }
 *     base = letters | greek | "\" command | "\" accent argument | "\" font argument
 * A greek letter ends a name: Hφ is H φ. */
#include "expr/lex.h"

#include <ctype.h>
#include <string.h>

enum { DEPTH_MOST = 4 };

typedef struct reader {
    const char *at;
    char *name;
    size_t length;
    bool failed, full;
} reader;

static bool is_well(const reader *r)
{
    return !r->failed && !r->full;
}

/* Adds to the name, and goes on in the text. */
static void put(reader *r, const char *word, size_t length, int bytes)
{
    r->at += bytes;
    r->full = r->full || r->length + length >= SOA_NAME_MOST;
    if (!r->full) {
        memcpy(r->name + r->length, word, length);
        r->length += length;
        r->name[r->length] = '\0';
    }
}

static void put_word(reader *r, const char *word, int bytes)
{
    put(r, word, strlen(word), bytes);
}

/* Letters and digits of ASCII, as many as there are. */
static void put_run(reader *r)
{
    int length = 0;
    while (isalnum((unsigned char)r->at[length])) {
        length++;
    }
    put(r, r->at, (size_t)length, length);
}

static void read_name(reader *r, int depth);

/* What stands in braces, if they are closed. */
static void close_brace(reader *r)
{
    r->failed = r->failed || *r->at != '}';
    r->at += *r->at == '}';
}

/* \tilde, \mathcal, ... and what it is over, or is written in: { name } or the next letter. */
static void read_dressed(reader *r, int depth)
{
    int bytes;
    const soa_spelling *accent = soa_spelling_at(SOA_SPELL_MARK, r->at, &bytes);
    const soa_spelling *font = soa_spelling_at(SOA_SPELL_FONT, r->at, &bytes);
    const size_t before = r->length;
    if ((!accent && !font) || depth == DEPTH_MOST) {
        return;
    }
    r->at += bytes;
    r->at += strspn(r->at, " ");
    if (isalpha((unsigned char)*r->at)) {
        put(r, r->at, 1, 1);
    } else {
        const bool braces = *r->at == '{';
        r->at += braces;
        read_name(r, depth + 1);
        if (braces) {
            close_brace(r);
        }
    }
    r->failed = r->failed || r->length == before;
    put_word(r, accent ? accent->name : "", 0);
    if (font && font->name[0] && strcmp(r->name + before, "M") == 0) {
        put_word(r, "ass", 0);
    }
}

static void read_base(reader *r, int depth)
{
    int bytes;
    const soa_spelling *letter = soa_spelling_at(SOA_SPELL_LETTER, r->at, &bytes);
    if (isalpha((unsigned char)*r->at)) {
        put_run(r);
    } else if (letter) {
        put_word(r, letter->name, bytes);
    } else if (*r->at == '\\') {
        read_dressed(r, depth);
    }
}

static void read_marks(reader *r)
{
    if (isdigit((unsigned char)*r->at)) {
        put_run(r);
    }
    int bytes;
    const soa_spelling *mark;
    while (*r->at != '\\' && (mark = soa_spelling_at(SOA_SPELL_MARK, r->at, &bytes)) != NULL) {
        put_word(r, mark->name, bytes);
    }
}

/* Reads subscripts as long as they follow one another: A_b_{c}. */
static void read_subscripts(reader *r, int depth)
{
    while (*r->at == '_' && is_well(r)) {
        put(r, "_", 1, 1);
        const size_t before = r->length;
        const bool braces = *r->at == '{' && depth < DEPTH_MOST;
        r->at += braces;
        if (isalnum((unsigned char)*r->at)) {
            put_run(r);
        } else if (braces) {
            read_name(r, depth + 1);
        } else {
            read_base(r, depth);
            read_marks(r);
        }
        if (braces) {
            read_subscripts(r, depth + 1);
            close_brace(r);
        }
        r->failed = r->failed || r->length == before;
    }
}

static void read_name(reader *r, int depth)
{
    const size_t before = r->length;
    read_base(r, depth);
    if (r->length > before && is_well(r)) {
        read_marks(r);
        read_subscripts(r, depth);
        if (*r->at == '~' && (strcmp(r->name, "phi") == 0 || strcmp(r->name, "psi") == 0)) {
            put(r, "~", 1, 1);
        }
    }
}

int soa_name_read(const char *text, char name[SOA_NAME_MOST])
{
    reader r = { .at = text, .name = name };
    name[0] = '\0';
    read_name(&r, 0);
    const bool tilde = strchr(name, '~') != NULL; /* in no name but these would it be read back from every notation */
    r.failed = r.failed || (tilde && strcmp(name, "phi~") != 0 && strcmp(name, "psi~") != 0);
    return r.full ? -1 : r.failed ? 0 : (int)(r.at - text);
}
