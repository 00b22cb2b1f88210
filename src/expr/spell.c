/* expr/spell.c - alphabets: one list to read and to write by. */
#include "expr/lex.h"

#include <ctype.h>
#include <string.h>

#include "core/error.h"
#include "expr/print.h"

unsigned soa_character(const char *text, int *bytes)
{
    unsigned character;
    const int length = soa_utf8_decode(text, &character);
    *bytes = length > 0 ? length : 1;
    return length > 0 ? character : 0xfffd;
}

/* ---- the list --------------------------------------------------------------------------------- */

static const soa_spelling list[] = {
#define SPELL(kind, name, characters, commands, token) \
    { SOA_SPELL_##kind, name, characters, commands, SOA_TOKEN_##token },
#include "expr/spell.def"
#undef SPELL
};

/* ---- reading ------------------------------------------------------------------------------------ */

/* The bytes of the command that the text begins with, its backslash included. */
static int command_at(const char *text)
{
    int length = 1;
    while (isalpha((unsigned char)text[length])) {
        length++;
    }
    return length;
}

/* Whether the words, with blanks between them, have this one. */
static bool has_word(const char *words, const char *word, size_t length)
{
    for (; *words; words += strcspn(words, " "), words += *words == ' ') {
        if (strcspn(words, " ") == length && strncmp(words, word, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_character(const char *characters, const char *text, int length)
{
    if (length == 1) { /* of ASCII: it is no part of another character; other bytes are none */
        return *text != '\0' && !(*text & 0x80) && strchr(characters, *text) != NULL;
    }
    for (int bytes; *characters; characters += bytes) {
        (void)soa_character(characters, &bytes);
        if (bytes == length && strncmp(characters, text, (size_t)length) == 0) {
            return true;
        }
    }
    return false;
}

const soa_spelling *soa_spelling_at(soa_spelling_kind kind, const char *text, int *bytes)
{
    const bool command = *text == '\\', ordinary = isalnum((unsigned char)*text);
    (void)soa_character(text, bytes);
    *bytes = command ? command_at(text) : *bytes;
    for (size_t i = 0; !ordinary && i < sizeof list / sizeof list[0]; i++) {
        if (list[i].kind == kind && (command ? has_word(list[i].commands, text + 1, (size_t)*bytes - 1)
                                             : has_character(list[i].characters, text, *bytes))) {
            return &list[i];
        }
    }
    return NULL;
}

/* ---- writing -------------------------------------------------------------------------------------- */

/* Names that are no letter, and are written with several of them. */
static bool put_special(const char *name, size_t length, bool latex, soa_page *text)
{
    static const char *const special[][3] = {
        { "Mass", "𝓜", "\\mathcal{M}" },
        { "E_phi", "E_φ", "\\mathcal{E}_{\\phi}" },
        { "E_psi", "E_ψ", "\\mathcal{E}_{\\psi}" },
        { "phi~", "φ\xcc\x83", "\\tilde{\\phi}" },
        { "psi~", "ψ\xcc\x83", "\\tilde{\\psi}" },
        { "taubar", "τ\xcc\x84", "\\bar{\\tau}" },
        { "betadot", "β\xcc\x87", "\\dot{\\beta}" },
    };
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        if (has_word(special[i][0], name, length)) {
            soa_page_put(text, special[i][latex ? 2 : 1]);
            return true;
        }
    }
    return false;
}

/* A part of a name between its underscores. */
static void put_part(const char *name, size_t length, bool latex, soa_page *text)
{
    size_t i = 0;
    const size_t count = sizeof list / sizeof list[0];
    while (i < count && !(list[i].kind == SOA_SPELL_LETTER && has_word(list[i].name, name, length))) {
        i++;
    }
    const bool letter = i < count && list[i].commands[0] != '\0';
    if (letter && latex) {
        soa_page_format(text, "\\%.*s", (int)strcspn(list[i].commands, " "), list[i].commands);
    } else if (letter) {
        int bytes;
        (void)soa_character(list[i].characters, &bytes);
        soa_page_format(text, "%.*s", bytes, list[i].characters);
    } else if (!put_special(name, length, latex, text)) {
        const bool word = latex && length > 1 && !isdigit((unsigned char)name[0]);
        soa_page_format(text, word ? "\\mathrm{%.*s}" : "%.*s", (int)length, name);
    }
}

void soa_print_name(const char *name, soa_notation notation, soa_page *text)
{
    const bool latex = notation == SOA_LATEX;
    if (notation == SOA_ASCII) {
        soa_page_put(text, name);
        return;
    }
    if (put_special(name, strlen(name), latex, text)) {
        return;
    }
    int braces = 0;
    for (size_t length; *name; name += length) {
        length = strcspn(name, "_");
        put_part(name, length, latex, text);
        if (name[length] == '_') {
            soa_page_put(text, latex ? "_{" : "_");
            braces += latex;
            length++;
        }
    }
    for (; braces > 0; braces--) {
        soa_page_put(text, "}");
    }
}
