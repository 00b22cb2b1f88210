/* expr/mismatch.c - why two parts of an expression do not fit, in words, and what may be meant. */
#include <stdio.h>
#include <string.h>

#include "expr/print.h"
#include "expr/syntax.h"

enum { SHOWN = 40 };

/* The text of a node, cut in the middle of nothing. */
static const char *shown(const soa_parser *p, soa_typed is, char text[SHOWN + 4])
{
    const char *from = p->text + is.node->begin;
    int length = is.node->end - is.node->begin;
    const bool cut = length > SHOWN;
    length = cut ? SHOWN : length;
    while (cut && length > 0 && (from[length] & 0xc0) == 0x80) {
        length--;
    }
    for (int i = 0; i < length; i++) {
        text[i] = (char)(from[i] == '\n' || from[i] == '\t' || from[i] == '\r' ? ' ' : from[i]);
    }
    memcpy(text + length, cut ? "..." : "", cut ? 4 : 1);
    return text;
}

static bool is_vector(soa_typed is)
{
    return is.from_known && is.type.from.space == SOA_SPACE_ONE;
}

/* "a joint force", "an acceleration of bodies": what is given, or `of` NULL, what is taken. */
static const char *words_of(const soa_parser *p, const soa_syntax *of, soa_place place, char words[SOA_WORDS])
{
    char bare[SOA_WORDS];
    const char *noun = of && of->kind == SOA_SYNTAX_ATOM ? soa_words_noun(p->pool, of->term) : NULL;
    (void)soa_words_place(bare, place, noun);
    (void)snprintf(words, SOA_WORDS, "%s %.40s", strchr("aeiou", bare[0]) ? "an" : "a", bare);
    return words;
}

/* ---- repairs ------------------------------------------------------------------------------------ */

/* Operators that engineers forget, the most likely first. */
static const soa_operator repair[] = { SOA_OP_H, SOA_OP_B, SOA_OP_M, SOA_OP_D_INV, SOA_OP_MASS_INV, SOA_OP_PHI,
    SOA_OP_J, SOA_OP_D };

/* An operator or adjoint that takes `from` to `to`; any side of the result if `loose`. */
static bool find_repair(soa_place from, soa_place to, bool loose, char *text, size_t size)
{
    for (size_t i = 0; i < 2 * sizeof repair / sizeof repair[0]; i++) {
        const soa_operator_info info = soa_operator_about(repair[i / 2], i % 2);
        if (info.domain_space == from.space && info.domain_side == from.side && info.codomain_space == to.space &&
            (loose || info.codomain_side == to.side) && !(i % 2 && info.symmetric)) {
            (void)snprintf(text, size, "%s%s", info.text, i % 2 ? "'" : "");
            return true;
        }
    }
    return false;
}

/* A symbol, perhaps with its adjoint: the repair by an adjoint is written without parentheses. */
static bool is_symbol(const soa_syntax *node)
{
    return node->kind == SOA_SYNTAX_ATOM || (node->kind == SOA_SYNTAX_ADJOINT && is_symbol(node->first));
}

/* "phi' V" for phi V: the adjoint of one of both fits. */
static bool adjoint_repair(const soa_parser *p, soa_typed a, soa_typed b, char *text, size_t size)
{
    char x[SHOWN + 4], y[SHOWN + 4];
    const bool left = is_symbol(a.node) && a.to_known && soa_place_equal(soa_place_dual(a.type.to), b.type.to);
    const bool right = is_symbol(b.node) && b.from_known && soa_place_equal(soa_place_dual(b.type.from), a.type.from);
    const soa_typed turned = left ? a : b;
    if (!left && !right) {
        return false;
    }
    const bool adjoint = turned.node->kind == SOA_SYNTAX_ADJOINT; /* the adjoint of that is written without a sign */
    const soa_typed bare = { .node = adjoint ? turned.node->first : turned.node };
    const char *sign = adjoint ? "" : "'";
    (void)snprintf(text, size, "%s%s %s%s", shown(p, left ? bare : a, x), left ? sign : "",
        shown(p, left ? b : bare, y), left ? "" : sign);
    return true;
}

static void product_repair(const soa_parser *p, soa_typed a, soa_typed b, char *text, size_t size)
{
    char op[16] = "", y[SHOWN + 4], meant[160] = "";
    const bool adjoint = adjoint_repair(p, a, b, meant, sizeof meant);
    const bool found = find_repair(b.type.to, a.type.from, false, op, sizeof op) ||
                       (!adjoint && find_repair(b.type.to, a.type.from, true, op, sizeof op));
    text[0] = '\0';
    if (found || adjoint) {
        (void)snprintf(text, size, " (did you mean %s%s%s%s%s?)", meant, adjoint && found ? " or " : "", op,
            found ? " " : "", found ? shown(p, b, y) : "");
    }
}

/* An operator that makes one summand like the other. */
static void sum_repair(const soa_parser *p, soa_typed a, soa_typed b, char *text, size_t size)
{
    char op[16], y[SHOWN + 4];
    text[0] = '\0';
    if (a.from_known && a.to_known && b.from_known && b.to_known && soa_place_equal(a.type.from, b.type.from) &&
        find_repair(b.type.to, a.type.to, false, op, sizeof op)) {
        (void)snprintf(text, size, " (did you mean %s %s?)", op, shown(p, b, y));
    }
}

/* ---- the ways not to fit ------------------------------------------------------------------------------ */

void *soa_explain_product(soa_parser *p, soa_typed a, soa_typed b)
{
    char x[SHOWN + 4], y[SHOWN + 4], takes[SOA_WORDS], gives[SOA_WORDS], meant[256];
    const int at = b.node->begin;
    (void)shown(p, a, x);
    (void)shown(p, b, y);
    if (!a.from_known || !b.to_known) {
        return soa_parser_fail(
            p, SOA_E_SYNTAX, at, "%s and %s do not fit: one is of motions, the other of forces", x, y);
    }
    (void)words_of(p, NULL, a.type.from, takes);
    (void)words_of(p, b.node, b.type.to, gives);
    product_repair(p, a, b, meant, sizeof meant);
    const bool vector = a.type.from.space == SOA_SPACE_ONE;
    return soa_parser_fail(p, SOA_E_SYNTAX, at, "%s %s%s; %s %s %s%s", x,
        vector ? "is a vector and cannot be applied" : "takes ", vector ? "" : takes, y, is_vector(b) ? "is" : "gives",
        gives, meant);
}

/* "T is a joint force", "H takes a body force to a joint force", "I gives what it takes". */
static void describe(const soa_parser *p, soa_typed is, char *text, size_t size)
{
    char name[SHOWN + 4], from[SOA_WORDS], to[SOA_WORDS];
    (void)words_of(p, NULL, is.type.from, from);
    (void)words_of(p, is.node, is.type.to, to);
    (void)shown(p, is, name);
    if (!is.from_known || !is.to_known) {
        (void)snprintf(text, size, "%s gives what it takes", name);
    } else if (is_vector(is)) {
        (void)snprintf(text, size, "%s is %.44s", name, to);
    } else {
        (void)snprintf(text, size, "%s takes %.44s to %.44s", name, from, to);
    }
}

void *soa_explain_pair(soa_parser *p, soa_typed a, soa_typed b, const char *conclusion)
{
    char x[SOA_WORDS], y[SOA_WORDS], meant[128];
    describe(p, a, x, sizeof x);
    describe(p, b, y, sizeof y);
    sum_repair(p, a, b, meant, sizeof meant);
    return soa_parser_fail(p, SOA_E_SYNTAX, b.node->begin, "%s; %s: %s%s", x, y, conclusion, meant);
}
