/* expr/notation.c - formulas of people's notation, such as "sum_j phi(k,j) P(j) phi*(k,j)", written in ASCII once and put
 * into each notation here. */
#include <ctype.h>
#include <string.h>

#include "expr/explain.h"
#include "expr/lex.h"

/* Signs that are not the same in all notations, by soa_notation. */
static const char *const sign[][3] = {
    { "sum_j ", "Σ_j ", "\\sum_{j} " }, { "^-1*", "⁻¹*", "^{-*}" }, { "^-1", "⁻¹", "^{-1}" },
    { "^(-1/2)", "^(-1/2)", "^{-1/2}" }, { "^(1/2)", "^(1/2)", "^{1/2}" }, { "^(+)", "^(+)", "^{+}" },
    { "*", "*", "^{*}" }, { "'", "*", "^{*}" }, { " . ", " . ", " \\cdot " },
    { "/dt", "/dt", "" }, /* LaTeX has the dot */
};

/* z2 as z₂; eps as ε. */
static void put_numbered(char *name, soa_notation notation, soa_page *text)
{
    size_t stem = strlen(name);
    while (notation != SOA_ASCII && stem > 1 && isdigit((unsigned char)name[stem - 1]) && !strchr(name, '_')) {
        stem--;
    }
    char digits[SOA_NAME_MOST];
    memcpy(digits, name + stem, strlen(name + stem) + 1);
    name[stem] = '\0';
    const bool eps = notation != SOA_ASCII && strcmp(name, "eps") == 0;
    soa_print_name(eps ? "epsilon" : name, notation, text);
    if (notation == SOA_LATEX && digits[0]) {
        soa_page_format(text, "_{%s}", digits);
    }
    for (const char *at = digits; notation == SOA_UNICODE && *at; at++) {
        const char subscript[] = { '\xe2', '\x82', (char)(0x80 + (*at - '0')), '\0' };
        soa_page_put(text, subscript);
    }
}

/* The name at the start, or "dot name". */
static const char *put_name(const char *at, soa_notation notation, soa_page *text)
{
    char name[SOA_NAME_MOST];
    const bool latex = notation == SOA_LATEX, rate = strncmp(at, "dot ", 4) == 0;
    at += rate ? 4 : 0;
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '~') {
        length++;
    }
    length = length < sizeof name ? length : sizeof name - 1;
    const bool tilde = latex && length > 1 && at[length - 1] == '~';
    memcpy(name, at, length);
    name[length - tilde] = '\0';
    soa_page_put(text, rate ? latex ? "\\dot{" : "d" : tilde ? "\\tilde{" : "");
    put_numbered(name, notation, text);
    soa_page_put(text, latex && (rate || tilde) ? "}" : "");
    return at + length;
}

/* Words between braces: plain text. */
static const char *put_words(const char *at, soa_notation notation, soa_page *text)
{
    const int length = (int)strcspn(at, "}");
    soa_page_format(text, notation == SOA_LATEX ? "\\text{ %.*s }" : "%.*s", length, at);
    return at + length + (at[length] == '}');
}

/* A formula while it is put. */
typedef struct typist {
    const char *from;
    soa_notation notation;
    soa_page *text;
    unsigned long long wide; /* open parentheses, the last one lowest: whether they grow in TeX, as those of d( ) do */
} typist;

static void put_parenthesis(typist *t, const char *at)
{
    const bool opens = *at == '(', latex = t->notation == SOA_LATEX;
    const bool derivative =
        opens && at > t->from && at[-1] == 'd' && (at - 1 == t->from || !isalnum((unsigned char)at[-2]));
    t->wide = opens ? t->wide << 1 | derivative : t->wide;
    const bool wide = latex && t->wide & 1;
    soa_page_put(t->text, opens ? wide ? "\\left(" : "(" : wide ? "\\right)" : ")");
    t->wide = opens ? t->wide : t->wide >> 1;
}

/* A sign of the list, a parenthesis, or another character. TeX leaves no space between factors by itself. */
static const char *put_sign(typist *t, const char *at)
{
    for (size_t i = 0; i < sizeof sign / sizeof sign[0]; i++) {
        const size_t length = strlen(sign[i][SOA_ASCII]);
        if (strncmp(at, sign[i][SOA_ASCII], length) == 0) {
            soa_page_put(t->text, sign[i][t->notation]);
            return at + length;
        }
    }
    const bool factor = *at == ' ' && at > t->from && (isalnum((unsigned char)at[-1]) || strchr(")]*'", at[-1])) &&
                        (isalpha((unsigned char)at[1]) || at[1] == '[');
    const char one[] = { *at, '\0' };
    if (*at == '(' || *at == ')') {
        put_parenthesis(t, at);
    } else {
        soa_page_put(t->text, t->notation == SOA_LATEX && factor ? " \\, " : one);
    }
    return at + 1;
}

void soa_put_formula(const char *formula, soa_notation notation, soa_page *text)
{
    typist t = { .from = formula, .notation = notation, .text = text };
    for (const char *at = formula; *at;) {
        const bool name = isalpha((unsigned char)*at) && strncmp(at, "sum_j ", 6) != 0;
        at = *at == '{' ? put_words(at + 1, notation, text) : name ? put_name(at, notation, text) : put_sign(&t, at);
    }
}
