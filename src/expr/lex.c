/* expr/lex.c - a text as tokens. Names are in name.c. */
#include "expr/lex.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/number.h"
#include "expr/name.h"
#include "expr/spell.h"

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

/* ---- tokens ------------------------------------------------------------------------------- */

static soa_status push(lexer *l, soa_token token)
{
    soa_token *made = soa_array_push(l->tokens, l->arena->allocator);
    if (!made) {
        return soa_fail_memory(l->error);
    }
    token.space_before = l->space || token.begin == 0;
    l->space = false;
    *made = token;
    return SOA_OK;
}

static soa_status push_sign(lexer *l, soa_token_kind kind, int bytes)
{
    const int begin = l->at;
    l->at += bytes;
    return push(l, (soa_token){ .kind = kind, .begin = begin, .end = l->at });
}

static soa_status push_bracket(lexer *l, bool open, char bracket)
{
    const int begin = l->at++;
    return push(
        l, (soa_token){
               .kind = open ? SOA_TOKEN_OPEN : SOA_TOKEN_CLOSE, .begin = begin, .end = l->at, .bracket = bracket });
}

static soa_status push_number(lexer *l, soa_ratio ratio, int bytes)
{
    const int begin = l->at;
    const double number = soa_ratio_double(ratio);
    if (!soa_ratio_is_number(ratio)) {
        return soa_fail_text(l->error, SOA_E_NUMBER, l->text, l->at, "numbers are exact here: at most 18 digits");
    }
    if (!isfinite(number) || (number == 0.0 && !soa_ratio_is_zero(ratio))) {
        return soa_fail_text(
            l->error, SOA_E_NUMBER, l->text, l->at, "this number is too %s", number == 0.0 ? "small" : "large");
    }
    l->at += bytes;
    return push(
        l, (soa_token){ .kind = SOA_TOKEN_NUMBER, .begin = begin, .end = l->at, .number = number, .ratio = ratio });
}

static soa_status push_name(lexer *l, const char *name, int bytes)
{
    const int begin = l->at;
    const char *copy = soa_arena_text(l->arena, name);
    l->at += bytes;
    return copy ? push(l, (soa_token){ .kind = SOA_TOKEN_NAME, .begin = begin, .end = l->at, .name = copy })
                : soa_fail_memory(l->error);
}

static soa_status lex_number(lexer *l)
{
    double number;
    const char *end = soa_number_read(l->text + l->at, &number);
    if (!end || !isfinite(number)) {
        return soa_fail_text(l->error, SOA_E_NUMBER, l->text, l->at, "this number is too large");
    }
    if (*end == '.') {
        return soa_fail_text(l->error, SOA_E_NUMBER, l->text, l->at, "this is no number: it has two points");
    }
    return push_number(l, soa_ratio_read(l->text + l->at), (int)(end - l->text) - l->at);
}

/* ---- superscripts ------------------------------------------------------------------------------ */

/* ⁻¹ as ^(-1): all superscripts that follow each other. */
static soa_status lex_superscripts(lexer *l)
{
    soa_status status = push(l, (soa_token){ .kind = SOA_TOKEN_CARET, .begin = l->at, .end = l->at });
    status =
        status ? status : push(l, (soa_token){ .kind = SOA_TOKEN_OPEN, .begin = l->at, .end = l->at, .bracket = '(' });
    while (status == SOA_OK) {
        int bytes;
        const unsigned character = soa_character(l->text + l->at, &bytes);
        const char sign = soa_spell_superscript(character);
        if (sign == '-' || sign == '/') {
            status = push_sign(l, sign == '-' ? SOA_TOKEN_MINUS : SOA_TOKEN_SLASH, bytes);
        } else if (sign == 'T') {
            status = push_name(l, "T", bytes);
        } else if (sign || character == 0xbd) {
            status = push_number(l, sign ? soa_ratio_of(sign - '0') : soa_ratio_read("0.5"), bytes);
        } else if (character == 0x2044) {
            status = push_sign(l, SOA_TOKEN_SLASH, bytes);
        } else {
            break;
        }
    }
    return status ? status
                  : push(l, (soa_token){ .kind = SOA_TOKEN_CLOSE, .begin = l->at, .end = l->at, .bracket = '(' });
}

/* ---- signs --------------------------------------------------------------------------------------- */

static soa_token_kind sign_of(unsigned character)
{
    switch (character) {
    case '+':
        return SOA_TOKEN_PLUS;
    case '-':
    case 0x2212:
        return SOA_TOKEN_MINUS;
    case '*':
    case 0x2217:
        return SOA_TOKEN_STAR;
    case 0xb7:
    case 0xd7:
    case 0x22c5:
        return SOA_TOKEN_DOT;
    case '/':
        return SOA_TOKEN_SLASH;
    case '\'':
    case 0x2032:
    case 0x2019:
        return SOA_TOKEN_PRIME;
    case '^':
        return SOA_TOKEN_CARET;
    case '=':
        return SOA_TOKEN_EQUAL;
    case ',':
        return SOA_TOKEN_COMMA;
    case ':':
        return SOA_TOKEN_COLON;
    case 0x2192:
        return SOA_TOKEN_ARROW;
    case ';':
        return SOA_TOKEN_SEMICOLON;
    case '\n':
        return SOA_TOKEN_NEWLINE;
    default:
        return SOA_TOKEN_END;
    }
}

static bool is_space(unsigned character)
{
    return character == ' ' || character == '\t' || character == '\r' || character == '$' || character == 0xa0 ||
           character == 0x2009 || character == 0x202f || character == 0x2062;
}

static soa_status lex_bracket_or_fail(lexer *l, unsigned character)
{
    switch (character) {
    case '(':
        return push_bracket(l, true, '(');
    case '[':
        return push_bracket(l, true, '[');
    case '{':
        return push_bracket(l, true, '{');
    case ')':
        return push_bracket(l, false, '(');
    case ']':
        return push_bracket(l, false, '[');
    case '}':
        return push_bracket(l, false, '{');
    default:
        break;
    }
    if (character == '~') {
        return soa_fail_text(l->error, SOA_E_SYNTAX, l->text, l->at, "~ stands only after phi and psi: phi~");
    }
    if (character == 0xfffd) {
        return soa_fail_text(l->error, SOA_E_SYNTAX, l->text, l->at, "this byte is not UTF-8");
    }
    return soa_fail_text(l->error, SOA_E_SYNTAX, l->text, l->at, "this character means nothing here");
}

/* ---- commands of TeX that are no names --------------------------------------------------------------- */

/* \frac{1}{2}; 0 if it is none. */
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

static bool is_command(const char *name, int length, const char *const *list)
{
    while (*list && (strlen(*list) != (size_t)length || strncmp(*list, name, (size_t)length) != 0)) {
        list++;
    }
    return *list != NULL;
}

static soa_status lex_command(lexer *l)
{
    static const char *const blank[] = { "left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "quad", "qquad",
        "displaystyle", NULL };
    static const char *const times[] = { "cdot", "times", NULL }, *const ast[] = { "ast", NULL };
    static const char *const top[] = { "top", "intercal", NULL }, *const arrow[] = { "to", "rightarrow", NULL };
    static const char *const frac[] = { "frac", "tfrac", "dfrac", NULL }, *const root[] = { "sqrt", NULL };
    const char *name = l->text + l->at + 1;
    int length = 0;
    while (isalpha((unsigned char)name[length])) {
        length++;
    }
    soa_ratio value;
    const int fraction_bytes = is_command(name, length, frac) ? fraction(name + length, &value) : 0;
    if (length == 0 && *name && strchr(",;:! \\", *name)) {
        l->space = true;
        l->at += 2;
        return SOA_OK;
    }
    if (is_command(name, length, blank)) {
        l->space = true;
        l->at += 1 + length;
        return SOA_OK;
    }
    if (fraction_bytes) {
        return push_number(l, value, 1 + length + fraction_bytes);
    }
    if (is_command(name, length, top) || is_command(name, length, root)) {
        return push_name(l, is_command(name, length, top) ? "T" : "sqrt", 1 + length);
    }
    const soa_token_kind kind = is_command(name, length, times)   ? SOA_TOKEN_DOT
                                : is_command(name, length, ast)   ? SOA_TOKEN_STAR
                                : is_command(name, length, arrow) ? SOA_TOKEN_ARROW
                                                                  : SOA_TOKEN_END;
    return kind != SOA_TOKEN_END ? push_sign(l, kind, 1 + length)
                                 : soa_fail_text(l->error, SOA_E_SYNTAX, l->text, l->at,
                                       "\\%.*s is no command of this language", length, name);
}

/* ---- all --------------------------------------------------------------------------------------------------- */

static soa_status lex_name(lexer *l, bool *none)
{
    char name[SOA_NAME_MOST];
    const int bytes = soa_name_read(l->text + l->at, name);
    *none = bytes == 0;
    return bytes > 0 ? push_name(l, name, bytes)
           : bytes < 0
               ? soa_fail_text(l->error, SOA_E_LIMIT, l->text, l->at, "this name is longer than %d", SOA_NAME_MOST - 1)
               : SOA_OK;
}

static soa_status lex_next(lexer *l)
{
    int bytes;
    const char *at = l->text + l->at;
    const unsigned character = soa_character(at, &bytes);
    bool none;
    if (is_space(character)) {
        l->space = true;
        l->at += bytes;
        return SOA_OK;
    }
    if (character == '#' || character == '%') {
        l->space = true;
        l->at += (int)strcspn(at, "\n");
        return SOA_OK;
    }
    if (character < 0x80 && (isdigit((int)character) || (character == '.' && isdigit((unsigned char)at[1])))) {
        return lex_number(l);
    }
    if (soa_spell_superscript(character)) {
        return lex_superscripts(l);
    }
    const soa_status status = lex_name(l, &none);
    if (status != SOA_OK || !none) {
        return status;
    }
    if (character == 0xbd) {
        return push_number(l, soa_ratio_read("0.5"), bytes);
    }
    if (character == '-' && at[1] == '>') {
        return push_sign(l, SOA_TOKEN_ARROW, 2);
    }
    if (character == '\\') {
        return lex_command(l);
    }
    const soa_token_kind kind = sign_of(character);
    return kind != SOA_TOKEN_END ? push_sign(l, kind, bytes) : lex_bracket_or_fail(l, character);
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
    return status == SOA_OK ? push(&l, (soa_token){ .kind = SOA_TOKEN_END, .begin = l.at, .end = l.at }) : status;
}
