/* expr/parse.c - texts of the operator language as typed terms. */
#include "expr/parse.h"

#include <string.h>

#include "core/error.h"
#include "expr/scope.h"
#include "expr/traits.h"

bool soa_parser_invertible(soa_parser *p, int node, const soa_term *term)
{
    const char *why = soa_term_no_inverse(p->pool, term);
    const soa_syntax *child = soa_parser_node(p, soa_parser_node(p, node)->first);
    if (why) {
        const int length = child->end - child->begin;
        (void)soa_parser_fail(p, SOA_E_SYNTAX, child->begin, "%.*s cannot be inverted: %s", length < 40 ? length : 40,
            p->text + child->begin, why);
    }
    return why == NULL;
}

/* ---- one reading ------------------------------------------------------------------------------ */

/* The terms of the expression, or of both sides of the equation, from token `begin` on. */
static bool read_sides(soa_parser *p, int begin, bool equation, soa_sides *sides)
{
    p->at = begin;
    p->nodes.count = 0;
    p->depth = p->star_count = 0;
    const int left = soa_parser_sum(p);
    int right = -1;
    if (left < 0) {
        return false;
    }
    const soa_token *token = soa_parser_token(p);
    if (equation && token->kind != SOA_TOKEN_EQUAL) {
        return soa_parser_fail(p, SOA_E_SYNTAX, token->begin, "an equation needs a = here") > 0;
    }
    if (equation) {
        p->at++;
        right = soa_parser_sum(p);
        if (right < 0) {
            return false;
        }
    }
    const soa_token_kind end = soa_parser_token(p)->kind;
    if (end != SOA_TOKEN_END && end != SOA_TOKEN_SEMICOLON && end != SOA_TOKEN_NEWLINE) {
        return soa_parser_fail(p, SOA_E_SYNTAX, soa_parser_token(p)->begin,
                   end == SOA_TOKEN_CLOSE   ? "this parenthesis was never opened"
                   : end == SOA_TOKEN_EQUAL ? "only a name can be defined: name = expression"
                                            : "the expression should end here") > 0;
    }
    if (!soa_parser_check(p, left, right)) {
        return false;
    }
    sides->left = soa_parser_build(p, left);
    sides->right = sides->left && right >= 0 ? soa_parser_build(p, right) : NULL;
    return sides->left && (right < 0 || sides->right);
}

/* ---- all readings ------------------------------------------------------------------------------- */

/* The readings in which every * that can be either is an adjoint or a product. The first
 * is tried with the error of the parser; of the others only those count that fit. */
soa_status soa_parser_sides(soa_parser *p, bool equation, soa_sides *sides)
{
    const int begin = p->at;
    soa_sides other;
    bool found = read_sides(p, begin, equation, sides);
    const int stars = p->star_count, end = p->at;
    const soa_status first = p->status;
    if (stars == 0 || first == SOA_E_MEMORY || first == SOA_E_LIMIT) {
        return first;
    }
    soa_error *error = p->error;
    for (unsigned reading = 1; reading < 1U << stars; reading++) {
        p->error = NULL;
        p->status = SOA_OK;
        p->stars = reading;
        const bool fits = read_sides(p, begin, equation, &other);
        p->error = error;
        if (fits && found && (other.left != sides->left || other.right != sides->right)) {
            p->status = SOA_OK;
            (void)soa_parser_fail(p, SOA_E_SYNTAX, p->star_at,
                "this * can be an adjoint or a product; write ' for the adjoint, a blank on both sides for the "
                "product");
            p->stars = 0;
            return p->status;
        }
        if (fits && !found) {
            *sides = other;
            found = true;
        }
    }
    p->stars = 0;
    p->at = end;
    p->status = found ? SOA_OK : first;
    if (found && error) {
        soa_error_clear(error);
    }
    return p->status;
}

/* ---- entry points --------------------------------------------------------------------------------- */

static soa_status parse_sides(
    soa_terms *pool, const soa_scope *scope, const char *text, bool equation, soa_sides *sides, soa_error *error)
{
    soa_parser p;
    soa_status status = soa_parser_begin(&p, pool, scope, text, error);
    if (status == SOA_OK) {
        soa_parser_join_lines(&p, true);
        status = soa_parser_sides(&p, equation, sides);
    }
    if (status == SOA_OK && soa_parser_token(&p)->kind == SOA_TOKEN_SEMICOLON) {
        const int at = soa_parser_token(&p)->begin;
        p.at++;
        if (soa_parser_token(&p)->kind != SOA_TOKEN_END) {
            (void)soa_parser_fail(&p, SOA_E_SYNTAX, at, "one expression was expected, and here a second begins");
            status = p.status;
        }
    }
    soa_parser_end(&p);
    return status;
}

soa_status soa_parse_term_in(
    soa_terms *pool, const soa_scope *scope, const char *text, const soa_term **term, soa_error *error)
{
    soa_sides sides = { 0 };
    const soa_status status = parse_sides(pool, scope, text, false, &sides, error);
    *term = status == SOA_OK ? sides.left : NULL;
    return status;
}

soa_status soa_parse_equation_in(soa_terms *pool, const soa_scope *scope, const char *text, const soa_term **left,
    const soa_term **right, soa_error *error)
{
    soa_sides sides = { 0 };
    const soa_status status = parse_sides(pool, scope, text, true, &sides, error);
    *left = status == SOA_OK ? sides.left : NULL;
    *right = status == SOA_OK ? sides.right : NULL;
    return status;
}

soa_status soa_parse_term(soa_terms *pool, const char *text, const soa_term **term, soa_error *error)
{
    return soa_parse_term_in(pool, NULL, text, term, error);
}

soa_status soa_parse_equation(
    soa_terms *pool, const char *text, const soa_term **left, const soa_term **right, soa_error *error)
{
    return soa_parse_equation_in(pool, NULL, text, left, right, error);
}
