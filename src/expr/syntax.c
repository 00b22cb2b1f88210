/* expr/syntax.c - the grammar: tokens to a tree. It is written in syntax.h. */
#include "expr/syntax.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "expr/names.h"
#include "expr/parse.h"

enum { STARS_MOST = 8, POWER_MOST = 16 };

/* ---- atoms -------------------------------------------------------------------------------------- */

/* "(" sum ")", at the "(". */
static int parse_parentheses(soa_parser *p)
{
    const soa_token open = *soa_parser_token(p);
    p->at++;
    if (p->depth == SOA_PARSE_DEPTH) {
        return soa_parser_fail(p, SOA_E_LIMIT, open.begin, "more than %d parentheses are nested; name the inner parts",
            (int)SOA_PARSE_DEPTH);
    }
    p->depth++;
    const int node = soa_parser_sum(p);
    p->depth--;
    return node;
}

static bool parse_close(soa_parser *p, const soa_token *open)
{
    const soa_token *close = soa_parser_token(p);
    if (close->kind == SOA_TOKEN_CLOSE && close->bracket == open->bracket) {
        p->at++;
        return true;
    }
    if (close->kind == SOA_TOKEN_CLOSE) {
        (void)soa_parser_fail(
            p, SOA_E_SYNTAX, close->begin, "this closes what was opened by another kind of parenthesis");
    } else if (close->kind == SOA_TOKEN_END || close->kind == SOA_TOKEN_SEMICOLON || close->kind == SOA_TOKEN_NEWLINE ||
               close->kind == SOA_TOKEN_EQUAL) {
        (void)soa_parser_fail(p, SOA_E_SYNTAX, open->begin, "this parenthesis is never closed");
    } else {
        (void)soa_parser_fail_token(p, "a ) was expected here");
    }
    return false;
}

/* inv( ) sqrt( ) d( , ) */
static int parse_function(soa_parser *p, soa_syntax_kind kind)
{
    const soa_token name = *soa_parser_token(p);
    p->at++;
    const soa_token open = *soa_parser_token(p);
    const int child = parse_parentheses(p);
    if (child < 0) {
        return -1;
    }
    soa_syntax node = { .kind = kind, .begin = name.begin, .first = child, .next = -1 };
    if (kind == SOA_SYNTAX_DERIVATIVE) {
        if (!soa_parser_accept(p, SOA_TOKEN_COMMA)) {
            return soa_parser_fail_token(p, "a derivative needs a coordinate: d(Mass, q_1)");
        }
        const soa_token *coordinate = soa_parser_token(p);
        if (!soa_parser_accept(p, SOA_TOKEN_NAME) || strncmp(coordinate->name, "q_", 2) != 0) {
            return soa_parser_fail(p, SOA_E_SYNTAX, coordinate->begin,
                "a coordinate is q_ and the number or the name of its joint: q_1, q_elbow; there are no derivatives by "
                "beta or T");
        }
        node.term = soa_names_coordinate(p->pool, coordinate->name);
        if (!node.term) {
            return soa_parser_fail(p, soa_terms_status(p->pool), name.begin, "out of memory");
        }
    }
    if (!parse_close(p, &open)) {
        return -1;
    }
    node.end = ((const soa_token *)soa_array_at(&p->tokens, p->at - 1))->end;
    return soa_parser_new(p, node);
}

/* P(4), P[4]: a name, and right behind it a number in parentheses. */
static bool is_block(const soa_parser *p)
{
    if (p->at + 3 >= p->tokens.count) {
        return false;
    }
    const soa_token *at = soa_array_at(&p->tokens, p->at);
    return at[1].kind == SOA_TOKEN_OPEN && !at[1].space_before && at[2].kind == SOA_TOKEN_NUMBER &&
           at[3].kind == SOA_TOKEN_CLOSE;
}

static int parse_name(soa_parser *p)
{
    const soa_token *token = soa_parser_token(p);
    if (soa_parser_after(p)->kind == SOA_TOKEN_OPEN) {
        static const struct {
            const char *name;
            soa_syntax_kind kind;
        } function[] = { { "inv", SOA_SYNTAX_INVERSE }, { "sqrt", SOA_SYNTAX_ROOT }, { "d", SOA_SYNTAX_DERIVATIVE } };
        for (size_t i = 0; i < sizeof function / sizeof function[0]; i++) {
            if (strcmp(token->name, function[i].name) == 0) {
                return parse_function(p, function[i].kind);
            }
        }
    }
    if (is_block(p)) {
        return soa_parser_fail(p, SOA_E_SYNTAX, token->begin,
            "%s(...) is the block of one body, which soa eval shows alone; a product has the number first: 4 P",
            token->name);
    }
    soa_syntax node = { .kind = SOA_SYNTAX_ATOM, .begin = token->begin, .end = token->end, .first = -1, .next = -1 };
    const bool identity = strcmp(token->name, "I") == 0;
    node.kind = identity ? SOA_SYNTAX_IDENTITY : SOA_SYNTAX_ATOM;
    node.term = identity ? NULL : soa_names_term(p, token);
    if (!identity && !node.term) {
        return -1;
    }
    p->at++;
    return identity && !soa_parser_bracket_type(p, &node) ? -1 : soa_parser_new(p, node);
}

static int parse_number(soa_parser *p)
{
    const soa_token *token = soa_parser_token(p);
    soa_syntax node = { .kind = SOA_SYNTAX_NUMBER,
        .begin = token->begin,
        .end = token->end,
        .first = -1,
        .next = -1,
        .value = token->ratio };
    p->at++;
    return soa_ratio_is_zero(node.value) && !soa_parser_bracket_type(p, &node) ? -1 : soa_parser_new(p, node);
}

static int fail_operand(soa_parser *p)
{
    switch (soa_parser_token(p)->kind) {
    case SOA_TOKEN_END:
    case SOA_TOKEN_SEMICOLON:
    case SOA_TOKEN_NEWLINE:
        return soa_parser_fail_token(p, "the expression ends where an operand should follow");
    case SOA_TOKEN_CLOSE:
        return soa_parser_fail_token(
            p, p->depth ? "an operand is missing before this" : "this parenthesis was never opened");
    default:
        return soa_parser_fail_token(p, "an operand was expected here");
    }
}

static int parse_atom(soa_parser *p)
{
    if (soa_parser_call(p) < 0) {
        return -1;
    }
    const soa_token token = *soa_parser_token(p);
    if (token.kind == SOA_TOKEN_NUMBER) {
        return parse_number(p);
    }
    if (token.kind == SOA_TOKEN_NAME) {
        return parse_name(p);
    }
    if (token.kind != SOA_TOKEN_OPEN) {
        return fail_operand(p);
    }
    const int node = parse_parentheses(p);
    if (node < 0 || !parse_close(p, &token)) {
        return -1;
    }
    soa_parser_node(p, node)->begin = token.begin;
    soa_parser_node(p, node)->end = ((const soa_token *)soa_array_at(&p->tokens, p->at - 1))->end;
    return node;
}

/* ---- factors --------------------------------------------------------------------------------------- */

static int wrap_number(soa_parser *p, soa_syntax_kind kind, int child, soa_ratio value)
{
    if (child < 0) {
        return -1;
    }
    const int begin = soa_parser_node(p, child)->begin;
    const int end = ((const soa_token *)soa_array_at(&p->tokens, p->at > 0 ? p->at - 1 : 0))->end;
    return soa_parser_new(
        p, (soa_syntax){ .kind = kind, .begin = begin, .end = end, .first = child, .next = -1, .value = value });
}

static int wrap(soa_parser *p, soa_syntax_kind kind, int child)
{
    return wrap_number(p, kind, child, soa_ratio_of(0));
}

static bool begins_operand(const soa_token *token)
{
    return token->kind == SOA_TOKEN_NAME || token->kind == SOA_TOKEN_NUMBER || token->kind == SOA_TOKEN_OPEN;
}

/* Whether the * looked at is an adjoint: a b* or b* c are, b * c and b *c are products, b*c may be either. */
static bool star_is_adjoint(soa_parser *p, int operand)
{
    const soa_token *star = soa_parser_token(p), *next = soa_parser_after(p);
    const bool sign = next->kind == SOA_TOKEN_PLUS || next->kind == SOA_TOKEN_MINUS;
    if (sign && star->space_before) {
        return soa_parser_fail(p, SOA_E_SYNTAX, star->begin,
                   "* before a sign can be an adjoint or a product; write ' for the adjoint, parentheses for the "
                   "product") > 0;
    }
    if (!begins_operand(next)) {
        return true;
    }
    if (star->space_before || soa_parser_node(p, operand)->kind == SOA_SYNTAX_NUMBER) {
        return false;
    }
    if (next->space_before) {
        return true;
    }
    if (p->star_count == 0) {
        p->star_at = star->begin;
    }
    if (p->star_count == STARS_MOST) {
        (void)soa_parser_fail_token(p, "too many * that can be adjoints or products; write ' for the adjoint");
        return false;
    }
    return p->stars >> p->star_count++ & 1U;
}

static int raise(soa_parser *p, int node, soa_ratio value, int at)
{
    const soa_ratio size = value.num < 0 ? soa_ratio_negative(value) : value;
    if (soa_ratio_equal(size, soa_ratio_divide(soa_ratio_of(1), soa_ratio_of(2)))) {
        node = value.num < 0 ? wrap(p, SOA_SYNTAX_INVERSE, node) : node;
        return wrap(p, SOA_SYNTAX_ROOT, node);
    }
    const double number = soa_ratio_double(size);
    if (!(number >= 1 && number <= POWER_MOST) || number != (double)(int)number) {
        return soa_parser_fail(p, SOA_E_SYNTAX, at,
            "a power is -1, 1/2, -1/2 or a whole number up to %d; the adjoint is ^T", (int)POWER_MOST);
    }
    node = number > 1 ? wrap_number(p, SOA_SYNTAX_POWER, node, size) : node;
    return value.num < 0 ? wrap(p, SOA_SYNTAX_INVERSE, node) : node;
}

/* [ "/" number ] of an exponent: with parentheses anywhere, without them only joined, as in D^-1/2. */
static soa_ratio parse_denominator(soa_parser *p, bool inside)
{
    const soa_token *slash = soa_parser_token(p), *number = soa_parser_after(p);
    const bool joined = !slash->space_before && !number->space_before;
    if (slash->kind == SOA_TOKEN_SLASH && number->kind == SOA_TOKEN_NUMBER && !soa_ratio_is_zero(number->ratio) &&
        (inside || joined)) {
        p->at += 2;
        return number->ratio;
    }
    return soa_ratio_of(1);
}

static int parse_exponent(soa_parser *p, int node)
{
    const soa_token open = *soa_parser_token(p);
    const bool inside = soa_parser_accept(p, SOA_TOKEN_OPEN);
    const int at = soa_parser_token(p)->begin;
    const bool minus = soa_parser_accept(p, SOA_TOKEN_MINUS);
    const soa_token *token = soa_parser_token(p);
    if (token->kind == SOA_TOKEN_STAR || token->kind == SOA_TOKEN_PRIME ||
        (token->kind == SOA_TOKEN_NAME && strcmp(token->name, "T") == 0)) {
        p->at++;
        node = minus ? wrap(p, SOA_SYNTAX_INVERSE, node) : node;
        node = wrap(p, SOA_SYNTAX_ADJOINT, node);
    } else if (soa_parser_accept(p, SOA_TOKEN_NUMBER)) {
        const soa_ratio value = soa_ratio_divide(token->ratio, parse_denominator(p, inside));
        node = raise(p, node, minus ? soa_ratio_negative(value) : value, at);
    } else {
        return soa_parser_fail(p, SOA_E_SYNTAX, at, "after ^ stands T, -1, (1/2), (-1/2) or a whole number");
    }
    if (inside && node >= 0 && !parse_close(p, &open)) {
        return -1;
    }
    return node;
}

static int parse_factor(soa_parser *p)
{
    int node = parse_atom(p);
    while (node >= 0) {
        if (soa_parser_accept(p, SOA_TOKEN_PRIME)) {
            node = wrap(p, SOA_SYNTAX_ADJOINT, node);
        } else if (soa_parser_accept(p, SOA_TOKEN_CARET)) {
            node = parse_exponent(p, node);
        } else if (soa_parser_looks_at(p, SOA_TOKEN_STAR) && star_is_adjoint(p, node)) {
            p->at++;
            node = wrap(p, SOA_SYNTAX_ADJOINT, node);
        } else {
            break;
        }
    }
    return p->status == SOA_OK ? node : -1;
}

/* ---- products and sums ---------------------------------------------------------------------------------- */

/* Children in the order in which they were written. */
typedef struct list {
    int first, last, count;
} list;

static void append(soa_parser *p, list *children, int node)
{
    if (children->count++) {
        soa_parser_node(p, children->last)->next = node;
    } else {
        children->first = node;
    }
    children->last = node;
}

static int finish(soa_parser *p, soa_syntax_kind kind, const list *children)
{
    return soa_parser_new(p, (soa_syntax){ .kind = kind,
                                 .begin = soa_parser_node(p, children->first)->begin,
                                 .end = soa_parser_node(p, children->last)->end,
                                 .first = children->first,
                                 .next = -1 });
}

/* "/" number, as the factor 1 / number. */
static int parse_divisor(soa_parser *p)
{
    const soa_token *token = soa_parser_token(p);
    if (!soa_parser_accept(p, SOA_TOKEN_NUMBER)) {
        return soa_parser_fail_token(p, "only numbers divide; write inv( ) or ^-1");
    }
    if (soa_ratio_is_zero(token->ratio)) {
        return soa_parser_fail(p, SOA_E_NUMBER, token->begin, "this divides by zero");
    }
    return soa_parser_new(p, (soa_syntax){ .kind = SOA_SYNTAX_NUMBER,
                                 .begin = token->begin,
                                 .end = token->end,
                                 .first = -1,
                                 .next = -1,
                                 .value = soa_ratio_divide(soa_ratio_of(1), token->ratio) });
}

/* Whether the operand looked at is joined to the one before it, and one of them is a number in digits: 2T, 2(T + C). */
static bool joins_number(const soa_parser *p, int before)
{
    const soa_token *next = soa_parser_token(p);
    const soa_syntax *last = soa_parser_node(p, before);
    const char first = p->text[last->kind == SOA_SYNTAX_NUMBER ? last->begin : next->begin];
    return !next->space_before && (last->kind == SOA_SYNTAX_NUMBER || next->kind == SOA_TOKEN_NUMBER) &&
           (first == '.' || (first >= '0' && first <= '9')) && next->end > next->begin;
}

static int parse_product(soa_parser *p)
{
    list children = { 0 };
    int node = parse_factor(p);
    while (node >= 0) {
        append(p, &children, node);
        if (soa_parser_accept(p, SOA_TOKEN_SLASH)) {
            node = parse_divisor(p);
        } else if (begins_operand(soa_parser_token(p)) && joins_number(p, node)) {
            return soa_parser_fail_token(p, "a number and what it multiplies need a space or a sign between them: 2 T");
        } else if (soa_parser_accept(p, SOA_TOKEN_STAR) || soa_parser_accept(p, SOA_TOKEN_DOT) ||
                   begins_operand(soa_parser_token(p))) {
            node = parse_factor(p);
        } else {
            return children.count == 1 ? node : finish(p, SOA_SYNTAX_PRODUCT, &children);
        }
    }
    return -1;
}

int soa_parser_sum(soa_parser *p)
{
    list children = { 0 };
    bool more = true, signed_ = false;
    while (more) {
        int sign = 1;
        while (soa_parser_looks_at(p, SOA_TOKEN_PLUS) || soa_parser_looks_at(p, SOA_TOKEN_MINUS)) {
            sign = soa_parser_accept(p, SOA_TOKEN_MINUS) ? -sign : (p->at++, sign);
        }
        const int node = parse_product(p);
        if (node < 0) {
            return -1;
        }
        soa_parser_node(p, node)->sign = sign;
        signed_ = signed_ || sign < 0;
        append(p, &children, node);
        more = soa_parser_looks_at(p, SOA_TOKEN_PLUS) || soa_parser_looks_at(p, SOA_TOKEN_MINUS);
    }
    return children.count == 1 && !signed_ ? children.first : finish(p, SOA_SYNTAX_SUM, &children);
}
