/* expr/lex.c - a text as tokens. Names are in name.c. */
#include "expr/lex.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/number.h"
#include "soa/expr.h"

/* The character ½. */
enum { HALF = 0xbd };

typedef struct lexer {
    const char *text;
    int at;
    bool space;
    soa_arena *arena;
    soa_array *tokens;
    soa_error *error;
} lexer;

/* ---- places ------------------------------------------------------------------------------- */

soa_status soa_fail_text(soa_error *error, soa_status status, const char *text, int at, const char *format, ...)
{
    int line = 1, column = 1, bytes;
    for (int i = 0; i < at && text[i]; i += bytes) {
        const bool ends = text[i] == '\n';
        (void)soa_character(text + i, &bytes);
        line += ends;
        column = ends ? 1 : column + 1;
    }
    va_list arguments;
    va_start(arguments, format);
    (void)soa_vfail_at(error, status, NULL, 0, format, arguments);
    va_end(arguments);
    if (error) {
        error->line = line;
        error->column = column;
    }
    return status;
}

/* ---- the caret -------------------------------------------------------------------------------------- */

char *soa_error_caret(const soa_error *error, const char *text, char *buffer, size_t size)
{
    if (size > 0) {
        buffer[0] = '\0';
    }
    if (!error || error->line < 1 || error->column < 1) {
        return buffer;
    }
    for (int line = 1; line < error->line && *text; text++) {
        line += *text == '\n';
    }
    const int length = (int)strcspn(text, "\n");
    int width = 0, bytes, column = 1;
    for (int i = 0; i < length && column < error->column; i += bytes, column++) {
        const bool mark = text[i] != '\\' && soa_spelling_at(SOA_SPELL_MARK, text + i, &bytes);
        (void)soa_character(text + i, &bytes);
        width += !mark;
    }
    if (size > (size_t)length + (size_t)width + 4) {
        (void)snprintf(buffer, size, "%.*s\n%*s^", length, text, width, "");
        for (int i = 0; i < length; i++) {
            buffer[i] = (char)((unsigned char)buffer[i] < 0x20 || buffer[i] == 0x7f ? ' ' : buffer[i]);
        }
    }
    return buffer;
}

/* ---- tokens ------------------------------------------------------------------------------- */

static soa_status fail(const lexer *l, soa_status status, const char *what)
{
    return soa_fail_text(l->error, status, l->text, l->at, "%s", what);
}

/* A token of the next bytes. */
static soa_status push(lexer *l, soa_token token, int bytes)
{
    token.begin = l->at;
    token.end = l->at += bytes;
    token.space_before = l->space || token.begin == 0;
    l->space = false;
    return soa_array_add(l->tokens, l->arena->allocator, &token) ? SOA_OK : soa_fail_memory(l->error);
}

static soa_status push_number(lexer *l, soa_ratio ratio, int bytes)
{
    const double number = soa_ratio_double(ratio);
    if (!soa_ratio_is_number(ratio)) {
        return fail(l, SOA_E_NUMBER, "numbers are exact here: at most 18 digits");
    }
    if (!isfinite(number) || (number == 0.0 && !soa_ratio_is_zero(ratio))) {
        return fail(l, SOA_E_NUMBER, number == 0.0 ? "this number is too small" : "this number is too large");
    }
    return push(l, (soa_token){ .kind = SOA_TOKEN_NUMBER, .number = number, .ratio = ratio }, bytes);
}

static soa_status push_name(lexer *l, const char *name, int bytes)
{
    const char *copy = soa_arena_text(l->arena, name);
    return copy ? push(l, (soa_token){ .kind = SOA_TOKEN_NAME, .name = copy }, bytes) : soa_fail_memory(l->error);
}

static soa_status lex_number(lexer *l)
{
    double number;
    const char *end = soa_number_read(l->text + l->at, &number);
    if (!end || !isfinite(number)) {
        return fail(l, SOA_E_NUMBER, "this number is too large");
    }
    if (*end == '.') {
        return fail(l, SOA_E_NUMBER, "this is no number: it has two points");
    }
    return push_number(l, soa_ratio_read(l->text + l->at), (int)(end - l->text) - l->at);
}

/* ---- superscripts ------------------------------------------------------------------------------ */

/* One superscript, or what may follow one: ½ and a slash. NONE: it is neither. */
static soa_status lex_superscript(lexer *l, bool *none)
{
    int bytes;
    const soa_spelling *found = soa_spelling_at(SOA_SPELL_SUPERSCRIPT, l->text + l->at, &bytes);
    const unsigned character = soa_character(l->text + l->at, &bytes);
    const char sign = (char)(found ? found->name[0] : character == 0x2044 ? '/' : '\0');
    *none = !sign && character != HALF;
    return *none         ? SOA_OK
           : sign == 'T' ? push_name(l, "T", bytes)
           : sign == '-' ? push(l, (soa_token){ .kind = SOA_TOKEN_MINUS }, bytes)
           : sign == '/' ? push(l, (soa_token){ .kind = SOA_TOKEN_SLASH }, bytes)
                         : push_number(l, sign ? soa_ratio_of(sign - '0') : soa_ratio_read("0.5"), bytes);
}

/* ⁻¹ as ^(-1): all superscripts that follow each other. */
static soa_status lex_superscripts(lexer *l)
{
    soa_status status = push(l, (soa_token){ .kind = SOA_TOKEN_CARET }, 0);
    status = status == SOA_OK ? push(l, (soa_token){ .kind = SOA_TOKEN_OPEN, .bracket = '(' }, 0) : status;
    for (bool none = false; status == SOA_OK && !none;) {
        status = lex_superscript(l, &none);
    }
    return status == SOA_OK ? push(l, (soa_token){ .kind = SOA_TOKEN_CLOSE, .bracket = '(' }, 0) : status;
}

/* ---- all --------------------------------------------------------------------------------------------------- */

/* {1}{2} of \frac; its bytes, 0 if it is none. */
static int fraction(const char *text, soa_ratio *value)
{
    soa_ratio part[2];
    double unused;
    const char *at = text;
    for (int i = 0; i < 2; i++) {
        const char *end = *at == '{' ? soa_number_read(at + 1, &unused) : NULL;
        if (!end || *end != '}') {
            return 0;
        }
        part[i] = soa_ratio_read(at + 1);
        at = end + 1;
    }
    *value = soa_ratio_divide(part[0], part[1]);
    return soa_ratio_is_number(*value) ? (int)(at - text) : 0;
}

static soa_status fail_unknown(const lexer *l, const char *at, int bytes)
{
    const bool takes = soa_spelling_at(SOA_SPELL_FRACTION, at, &bytes) || soa_spelling_at(SOA_SPELL_MARK, at, &bytes) ||
                       soa_spelling_at(SOA_SPELL_FONT, at, &bytes);
    const char *under = strchr(at, '_');
    const bool underscore =
        isalpha((unsigned char)*at) && under && !(under[1] & 0x80) && !isalnum((unsigned char)under[1]);
    return *at == '\\'  ? soa_fail_text(l->error, SOA_E_SYNTAX, l->text, l->at, "\\%.*s %s", bytes - 1, at + 1,
                             takes ? "lacks what it takes: \\frac{1}{2}, \\dot{\\beta}, \\mathcal{M}"
                                    : "is no command of this language")
           : underscore ? fail(l, SOA_E_SYNTAX, "behind _ in a name stand letters or digits")
           : *at == '~' ? fail(l, SOA_E_SYNTAX, "~ stands only after phi and psi: phi~")
           : soa_character(at, &bytes) == 0xfffd ? fail(l, SOA_E_SYNTAX, "this byte is not UTF-8")
                                                 : fail(l, SOA_E_SYNTAX, "this character means nothing here");
}

/* Signs, words and fractions that are commands. */
static soa_status lex_sign(lexer *l)
{
    int bytes;
    const char *at = l->text + l->at;
    const soa_spelling *sign = soa_spelling_at(SOA_SPELL_SIGN, at, &bytes);
    const soa_spelling *word = soa_spelling_at(SOA_SPELL_WORD, at, &bytes);
    soa_ratio value;
    const int more = soa_spelling_at(SOA_SPELL_FRACTION, at, &bytes) ? fraction(at + bytes, &value) : 0;
    return at[0] == '-' && at[1] == '>' ? push(l, (soa_token){ .kind = SOA_TOKEN_ARROW }, 2)
           : sign                       ? push(l, (soa_token){ .kind = sign->token, .bracket = sign->name[0] }, bytes)
           : word                       ? push_name(l, word->name, bytes)
           : more                       ? push_number(l, value, bytes + more)
                                        : fail_unknown(l, at, bytes);
}

/* The bytes of white space, a comment, or a space of TeX. */
static int blank(const char *at)
{
    int bytes;
    return *at == '#' || *at == '%'                           ? (int)strcspn(at, "\n")
           : *at == '\\' && at[1] && strchr(",;:! \\", at[1]) ? 2
           : soa_spelling_at(SOA_SPELL_BLANK, at, &bytes)     ? bytes
                                                              : 0;
}

static soa_status lex_next(lexer *l)
{
    const char *at = l->text + l->at;
    const int nothing = blank(at);
    if (nothing > 0) {
        l->space = true;
        l->at += nothing;
        return SOA_OK;
    }
    if (isdigit((unsigned char)at[0]) || (at[0] == '.' && isdigit((unsigned char)at[1]))) {
        return lex_number(l);
    }
    int bytes;
    if (soa_spelling_at(SOA_SPELL_SUPERSCRIPT, at, &bytes)) {
        return lex_superscripts(l);
    }
    if (soa_character(at, &bytes) == HALF) {
        return push_number(l, soa_ratio_read("0.5"), bytes);
    }
    char name[SOA_NAME_MOST];
    bytes = soa_name_read(at, name);
    return bytes > 0 ? push_name(l, name, bytes)
           : bytes < 0
               ? soa_fail_text(l->error, SOA_E_LIMIT, l->text, l->at, "this name is longer than %d", SOA_NAME_MOST - 1)
               : lex_sign(l);
}

soa_status soa_lex(const char *text, soa_arena *arena, soa_array *tokens, soa_error *error)
{
    lexer l = { text, 0, true, arena, tokens, error };
    if (strlen(text) > SOA_TEXT_MOST) {
        return soa_fail(error, SOA_E_LIMIT, -1, "the text is longer than %d bytes", (int)SOA_TEXT_MOST);
    }
    soa_status status = SOA_OK;
    while (status == SOA_OK && text[l.at]) {
        status = lex_next(&l);
    }
    l.space = true;
    return status == SOA_OK ? push(&l, (soa_token){ .kind = SOA_TOKEN_END }, 0) : status;
}
