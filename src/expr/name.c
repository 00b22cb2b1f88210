/* expr/name.c - names of every alphabet, in ASCII.
 *
 *     name = base { digit | mark } [ "~" ] { "_" ( base { digit } | "{" name "}" ) }
 *     base = letters | greek | "\" command | "\" accent argument | "\" font argument
 * A greek letter ends a name: Hφ is H φ. */
#include "expr/name.h"

#include <ctype.h>
#include <string.h>

#include "expr/spell.h"

typedef struct reader {
    const char *text;
    int at;
    char *name;
    int length;
    bool failed, full;
} reader;

static void put(reader *r, const char *text, int length)
{
    if (r->length + length >= SOA_NAME_MOST) {
        r->full = true;
        return;
    }
    memcpy(r->name + r->length, text, (size_t)length);
    r->length += length;
    r->name[r->length] = '\0';
}

static void put_word(reader *r, const char *word)
{
    put(r, word, (int)strlen(word));
}

/* Letters and digits of ASCII. */
static int run(const char *text)
{
    int length = 0;
    while (isalnum((unsigned char)text[length])) {
        length++;
    }
    return length;
}

static void close_brace(reader *r)
{
    if (r->text[r->at] == '}') {
        r->at++;
    } else {
        r->failed = true;
    }
}

static void read_name(reader *r, int depth);

/* { name } or the next letter. */
static void read_argument(reader *r, int depth)
{
    while (r->text[r->at] == ' ') {
        r->at++;
    }
    const bool braces = r->text[r->at] == '{';
    r->at += braces;
    const int before = r->length;
    if (braces) {
        read_name(r, depth + 1);
        close_brace(r);
    } else if (isalpha((unsigned char)r->text[r->at])) {
        put(r, r->text + r->at++, 1);
    } else {
        read_name(r, depth + 1);
    }
    r->failed = r->failed || r->length == before;
}

/* \tilde, \mathcal, ... and what it is over, or is written in. */
static void read_dressed(reader *r, int depth)
{
    int bytes;
    const char *at = r->text + r->at;
    const soa_spelling *accent = soa_spelling_at(SOA_SPELL_MARK, at, &bytes);
    const soa_spelling *font = soa_spelling_at(SOA_SPELL_FONT, at, &bytes);
    const int before = r->length;
    if ((accent || font) && depth < 4) {
        r->at += bytes;
        read_argument(r, depth);
        put_word(r, accent ? accent->name : "");
        if (font && font->name[0] && strcmp(r->name + before, "M") == 0) {
            put_word(r, "ass");
        }
    }
}

static void read_base(reader *r, int depth)
{
    const char *at = r->text + r->at;
    int bytes;
    const soa_spelling *letter = soa_spelling_at(SOA_SPELL_LETTER, at, &bytes);
    if (isalpha((unsigned char)*at)) {
        put(r, at, run(at));
        r->at += run(at);
    } else if (letter) {
        put_word(r, letter->name);
        r->at += bytes;
    } else if (*at == '\\') {
        read_dressed(r, depth);
    }
}

static void read_marks(reader *r)
{
    int bytes;
    const int digits = run(r->text + r->at);
    if (digits > 0 && isdigit((unsigned char)r->text[r->at])) {
        put(r, r->text + r->at, digits);
        r->at += digits;
    }
    const soa_spelling *mark;
    while (r->text[r->at] != '\\' && (mark = soa_spelling_at(SOA_SPELL_MARK, r->text + r->at, &bytes)) != NULL) {
        put_word(r, mark->name);
        r->at += bytes;
    }
}

static bool takes_tilde(const reader *r)
{
    return r->length >= 3 &&
           (strcmp(r->name + r->length - 3, "phi") == 0 || strcmp(r->name + r->length - 3, "psi") == 0);
}

static void read_subscript(reader *r, int depth)
{
    const char *at = r->text + ++r->at;
    put(r, "_", 1);
    const int before = r->length;
    if (*at == '{' && depth < 4) {
        r->at++;
        const int letters = run(r->text + r->at);
        if (letters > 0) {
            put(r, r->text + r->at, letters);
            r->at += letters;
        } else {
            read_name(r, depth + 1);
        }
        while (r->text[r->at] == '_' && !r->failed && !r->full) {
            read_subscript(r, depth + 1);
        }
        close_brace(r);
    } else if (isalnum((unsigned char)*at)) {
        put(r, at, run(at));
        r->at += run(at);
    } else {
        read_base(r, depth);
        read_marks(r);
    }
    r->failed = r->failed || r->length == before;
}

static void read_name(reader *r, int depth)
{
    const int before = r->length;
    read_base(r, depth);
    if (r->length == before || r->failed || r->full) {
        return;
    }
    read_marks(r);
    while (r->text[r->at] == '_' && !r->failed && !r->full) {
        read_subscript(r, depth);
    }
    if (!r->failed && r->text[r->at] == '~' && takes_tilde(r)) {
        put(r, "~", 1);
        r->at++;
    }
}

int soa_name_read(const char *text, char name[SOA_NAME_MOST])
{
    reader r = { .text = text, .name = name };
    name[0] = '\0';
    read_name(&r, 0);
    const bool tilde = strchr(name, '~') != NULL; /* in no name but these would it be read back from every notation */
    r.failed = r.failed || (tilde && strcmp(name, "phi~") != 0 && strcmp(name, "psi~") != 0);
    return r.full ? -1 : r.failed ? 0 : r.at;
}
