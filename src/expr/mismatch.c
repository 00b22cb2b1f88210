/* expr/mismatch.c - why two parts of an expression do not fit, in words, and what may be meant. */
#include <stdio.h>
#include <string.h>

#include "expr/parse.h"
#include "expr/type.h"
#include "expr/words.h"

enum { SHOWN = 40 };

/* The text of a node, cut in the middle of nothing. */
static const char *shown(const soa_parser *p, int node, char text[SHOWN + 4])
{
    const soa_syntax *n = soa_parser_node(p, node);
    int length = n->end - n->begin;
    const bool cut = length > SHOWN;
    length = cut ? SHOWN : length;
    while (cut && length > 0 && (p->text[n->begin + length] & 0xc0) == 0x80) {
        length--;
    }
    memcpy(text, p->text + n->begin, (size_t)length);
    for (int i = 0; i < length; i++) {
        text[i] = (char)(text[i] == '\n' || text[i] == '\t' || text[i] == '\r' ? ' ' : text[i]);
    }
    memcpy(text + length, cut ? "..." : "", cut ? 4 : 1);
    return text;
}

static const char *noun_of(const soa_parser *p, int node)
{
    const soa_syntax *n = soa_parser_node(p, node);
    return n->kind == SOA_SYNTAX_ATOM && n->term ? soa_words_noun(p->pool, n->term) : NULL;
}

static bool is_vector(const soa_ends *ends)
{
    return ends->from_known && ends->type.from.space == SOA_SPACE_ONE;
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
static bool is_symbol(const soa_parser *p, int node)
{
    const soa_syntax *n = soa_parser_node(p, node);
    return n->kind == SOA_SYNTAX_ATOM || (n->kind == SOA_SYNTAX_ADJOINT && is_symbol(p, n->first));
}

/* "phi' V" for phi V: the adjoint of one of both fits. */
static bool adjoint_repair(
    const soa_parser *p, int left, const soa_ends *a, int right, const soa_ends *b, char *text, size_t size)
{
    char x[SHOWN + 4], y[SHOWN + 4];
    const soa_place given = b->type.to, wanted = a->type.from;
    if (is_symbol(p, left) && a->to_known && soa_place_equal(soa_place_dual(a->type.to), given)) {
        (void)snprintf(text, size, "%s' %s", shown(p, left, x), shown(p, right, y));
        return true;
    }
    if (is_symbol(p, right) && b->from_known && soa_place_equal(soa_place_dual(b->type.from), wanted)) {
        (void)snprintf(text, size, "%s %s'", shown(p, left, x), shown(p, right, y));
        return true;
    }
    return false;
}

static void product_repair(
    const soa_parser *p, int left, const soa_ends *a, int right, const soa_ends *b, char *text, size_t size)
{
    char op[16], y[SHOWN + 4], meant[160];
    text[0] = '\0';
    if (find_repair(b->type.to, a->type.from, false, op, sizeof op)) {
        const bool adjoint = adjoint_repair(p, left, a, right, b, meant, sizeof meant);
        (void)snprintf(text, size, " (did you mean %s%s%s %s?)", adjoint ? meant : "", adjoint ? " or " : "", op,
            shown(p, right, y));
    } else if (adjoint_repair(p, left, a, right, b, meant, sizeof meant)) {
        (void)snprintf(text, size, " (did you mean %s?)", meant);
    } else if (find_repair(b->type.to, a->type.from, true, op, sizeof op)) {
        (void)snprintf(text, size, " (did you mean %s %s?)", op, shown(p, right, y));
    }
}

/* ---- the three ways not to fit --------------------------------------------------------------------- */

static const char *article(const char *words)
{
    return strchr("aeiou", words[0]) ? "an" : "a";
}

void soa_explain_product(soa_parser *p, int left, const soa_ends *a, int right, const soa_ends *b)
{
    char x[SHOWN + 4], y[SHOWN + 4], takes[SOA_WORDS], gives[SOA_WORDS], meant[256];
    const int at = soa_parser_node(p, right)->begin;
    if (!a->from_known || !b->to_known) {
        (void)soa_parser_fail(p, SOA_E_SYNTAX, at, "%s and %s do not fit: one is of motions, the other of forces",
            shown(p, left, x), shown(p, right, y));
        return;
    }
    (void)soa_words_place(takes, a->type.from, NULL);
    (void)soa_words_place(gives, b->type.to, noun_of(p, right));
    product_repair(p, left, a, right, b, meant, sizeof meant);
    if (a->type.from.space == SOA_SPACE_ONE) {
        (void)soa_parser_fail(p, SOA_E_SYNTAX, at, "%s is a vector and cannot be applied; %s %s %s %s%s",
            shown(p, left, x), shown(p, right, y), is_vector(b) ? "is" : "gives", article(gives), gives, meant);
        return;
    }
    (void)soa_parser_fail(p, SOA_E_SYNTAX, at, "%s takes %s %s; %s %s %s %s%s", shown(p, left, x), article(takes),
        takes, shown(p, right, y), is_vector(b) ? "is" : "gives", article(gives), gives, meant);
}

/* "a joint force", "takes a body force to a joint force", "of any type". */
static void describe(const soa_parser *p, int node, const soa_ends *ends, char *text, size_t size)
{
    char name[SHOWN + 4], from[SOA_WORDS], to[SOA_WORDS];
    (void)soa_words_place(from, ends->type.from, NULL);
    (void)soa_words_place(to, ends->type.to, noun_of(p, node));
    (void)shown(p, node, name);
    if (!ends->from_known || !ends->to_known) {
        (void)snprintf(text, size, "%s gives what it takes", name);
    } else if (is_vector(ends)) {
        (void)snprintf(text, size, "%s is %s %.40s", name, article(to), to);
    } else {
        (void)snprintf(text, size, "%s takes %s %.40s to %s %.40s", name, article(from), from, article(to), to);
    }
}

/* An operator that makes one summand like the other. */
static void sum_repair(const soa_parser *p, const soa_ends *a, int right, const soa_ends *b, char *text, size_t size)
{
    char op[16], y[SHOWN + 4];
    text[0] = '\0';
    if (a->from_known && a->to_known && b->from_known && b->to_known && soa_place_equal(a->type.from, b->type.from) &&
        find_repair(b->type.to, a->type.to, false, op, sizeof op)) {
        (void)snprintf(text, size, " (did you mean %s %s?)", op, shown(p, right, y));
    }
}

static void explain_pair(
    soa_parser *p, int left, const soa_ends *a, int right, const soa_ends *b, const char *conclusion)
{
    char x[SOA_WORDS], y[SOA_WORDS], meant[128];
    describe(p, left, a, x, sizeof x);
    describe(p, right, b, y, sizeof y);
    sum_repair(p, a, right, b, meant, sizeof meant);
    (void)soa_parser_fail(p, SOA_E_SYNTAX, soa_parser_node(p, right)->begin, "%s; %s: %s%s", x, y, conclusion, meant);
}

void soa_explain_sum(soa_parser *p, int left, const soa_ends *a, int right, const soa_ends *b)
{
    explain_pair(p, left, a, right, b, "they cannot be added");
}

void soa_explain_sides(soa_parser *p, int left, const soa_ends *a, int right, const soa_ends *b)
{
    explain_pair(p, left, a, right, b, "they cannot be equal");
}
