/* expr/syntax.c - the grammar: factors, products and sums. It is written in syntax.h; atoms are in atom.c. */
#include "expr/syntax.h"

#include <string.h>

enum { STARS_MOST = 8, POWER_MOST = 16 };

/* ---- factors --------------------------------------------------------------------------------------- */

static soa_syntax *wrap(soa_parser *p, soa_syntax_kind kind, soa_syntax *of)
{
    return of ? soa_parser_new(p, (soa_syntax){ .kind = kind, .begin = of->begin, .first = of }) : NULL;
}

static bool begins_operand(const soa_token *token)
{
    return token->kind == SOA_TOKEN_NAME || token->kind == SOA_TOKEN_NUMBER || token->kind == SOA_TOKEN_OPEN;
}

/* Whether the * looked at is an adjoint: a b* or b* c are, b * c and b *c are products, b*c may be either. */
static bool star_is_adjoint(soa_parser *p, const soa_syntax *operand)
{
    const soa_token *star = soa_parser_token(p), *next = soa_parser_after(p);
    const bool sign = next->kind == SOA_TOKEN_PLUS || next->kind == SOA_TOKEN_MINUS;
    if (sign && star->space_before) {
        return soa_parser_fail_token(
            p, "* before a sign can be an adjoint or a product; write ' for the adjoint, parentheses for the product");
    }
    if (!begins_operand(next)) {
        return true;
    }
    if (star->space_before || operand->kind == SOA_SYNTAX_NUMBER) {
        return false;
    }
    if (next->space_before) {
        return true;
    }
    if (p->star_count == 0) {
        p->star_at = star->begin;
    }
    if (p->star_count == STARS_MOST) {
        return soa_parser_fail_token(p, "too many * that can be adjoints or products; write ' for the adjoint");
    }
    return p->stars >> p->star_count++ & 1U;
}

static soa_syntax *raise(soa_parser *p, soa_syntax *of, soa_ratio value, int at)
{
    const soa_ratio size = value.num < 0 ? soa_ratio_negative(value) : value;
    const double number = soa_ratio_double(size);
    const bool root = soa_ratio_equal(size, soa_ratio_divide(soa_ratio_of(1), soa_ratio_of(2)));
    if (!root && (!(number >= 1 && number <= POWER_MOST) || number != (double)(int)number)) {
        return soa_parser_fail(p, SOA_E_SYNTAX, at,
            "a power is -1, 1/2, -1/2 or a whole number up to %d; the adjoint is ^T", (int)POWER_MOST);
    }
    if (number > 1) {
        of = wrap(p, SOA_SYNTAX_POWER, of);
        if (of) {
            of->value = size;
        }
    }
    of = value.num < 0 ? wrap(p, SOA_SYNTAX_INVERSE, of) : of;
    return root ? wrap(p, SOA_SYNTAX_ROOT, of) : of;
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

static soa_syntax *parse_exponent(soa_parser *p, soa_syntax *node)
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
    return node && (!inside || soa_parser_close(p, &open)) ? node : NULL;
}

static soa_syntax *parse_factor(soa_parser *p)
{
    soa_syntax *node = soa_parser_atom(p);
    while (node) {
        if (soa_parser_accept(p, SOA_TOKEN_PRIME)) {
            node = wrap(p, SOA_SYNTAX_ADJOINT, node);
        } else if (soa_parser_accept(p, SOA_TOKEN_CARET)) {
            node = parse_exponent(p, node);
        } else if (soa_parser_looks_at(p, SOA_TOKEN_STAR) && star_is_adjoint(p, node)) {
            p->at++;
            node = wrap(p, SOA_SYNTAX_ADJOINT, node);
        } else if (soa_parser_at_block(p) && soa_parser_token(p)->bracket == '[' && node->kind != SOA_SYNTAX_NUMBER) {
            node = soa_parser_block(p, node);
        } else {
            break;
        }
    }
    return p->status == SOA_OK ? node : NULL;
}

/* ---- products and sums ---------------------------------------------------------------------------------- */

/* Children in the order in which they were written. */
typedef struct list {
    soa_syntax *first, *last;
} list;

static void append(list *children, soa_syntax *node)
{
    *(children->first ? &children->last->next : &children->first) = node;
    children->last = node;
}

/* "/" number, as the factor 1 / number. */
static soa_syntax *parse_divisor(soa_parser *p)
{
    const soa_token *token = soa_parser_token(p);
    if (!soa_parser_accept(p, SOA_TOKEN_NUMBER)) {
        return soa_parser_fail_token(p, "only numbers divide; write inv( ) or ^-1");
    }
    if (soa_ratio_is_zero(token->ratio)) {
        return soa_parser_fail(p, SOA_E_NUMBER, token->begin, "this divides by zero");
    }
    const soa_ratio value = soa_ratio_divide(soa_ratio_of(1), token->ratio);
    return soa_parser_new(p, (soa_syntax){ .kind = SOA_SYNTAX_NUMBER, .begin = token->begin, .value = value });
}

/* Whether the operand looked at is joined to the one before it, and one of them is a number in digits: 2T, 2(T + C). */
static bool joins_number(const soa_parser *p, const soa_syntax *last)
{
    const soa_token *next = soa_parser_token(p);
    const char first = p->text[last->kind == SOA_SYNTAX_NUMBER ? last->begin : next->begin];
    return !next->space_before && (last->kind == SOA_SYNTAX_NUMBER || next->kind == SOA_TOKEN_NUMBER) &&
           (first == '.' || (first >= '0' && first <= '9')) && next->end > next->begin;
}

static soa_syntax *parse_product(soa_parser *p)
{
    list children = { 0 };
    soa_syntax *node = parse_factor(p);
    while (node) {
        append(&children, node);
        if (soa_parser_accept(p, SOA_TOKEN_SLASH)) {
            node = parse_divisor(p);
        } else if (begins_operand(soa_parser_token(p)) && joins_number(p, node)) {
            return soa_parser_fail_token(p, "a number and what it multiplies need a space or a sign between them: 2 T");
        } else if (soa_parser_accept(p, SOA_TOKEN_STAR) || soa_parser_accept(p, SOA_TOKEN_DOT) ||
                   begins_operand(soa_parser_token(p))) {
            node = parse_factor(p);
        } else {
            return children.first == node ? node : wrap(p, SOA_SYNTAX_PRODUCT, children.first);
        }
    }
    return NULL;
}

/* Skips signs; how many minus signs there were. */
static int skip_signs(soa_parser *p)
{
    int minus = 0;
    while (soa_parser_looks_at(p, SOA_TOKEN_PLUS) || soa_parser_looks_at(p, SOA_TOKEN_MINUS)) {
        minus += soa_parser_token(p)->kind == SOA_TOKEN_MINUS;
        p->at++;
    }
    return minus;
}

soa_syntax *soa_parser_sum(soa_parser *p)
{
    list children = { 0 };
    bool signed_ = false;
    do {
        const bool minus = skip_signs(p) % 2;
        soa_syntax *node = parse_product(p);
        if (!node) {
            return NULL;
        }
        node->sign = minus ? -1 : 1;
        signed_ = signed_ || minus;
        append(&children, node);
    } while (soa_parser_looks_at(p, SOA_TOKEN_PLUS) || soa_parser_looks_at(p, SOA_TOKEN_MINUS));
    return children.first->next || signed_ ? wrap(p, SOA_SYNTAX_SUM, children.first) : children.first;
}
