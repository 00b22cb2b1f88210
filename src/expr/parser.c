/* expr/parser.c - what a parser does at a token: look, accept, fail; and all readings of a text. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "expr/syntax.h"

/* ---- tokens --------------------------------------------------------------------------------- */

const soa_token *soa_parser_token_at(const soa_parser *p, int at)
{
    return soa_array_at(&p->tokens, at < p->tokens.count ? at : p->tokens.count - 1);
}

const soa_token *soa_parser_token(const soa_parser *p)
{
    return soa_parser_token_at(p, p->at);
}

const soa_token *soa_parser_after(const soa_parser *p)
{
    return soa_parser_token_at(p, p->at + 1);
}

bool soa_parser_looks_at(const soa_parser *p, soa_token_kind kind)
{
    return soa_parser_token(p)->kind == kind;
}

bool soa_parser_accept(soa_parser *p, soa_token_kind kind)
{
    const bool found = soa_parser_looks_at(p, kind);
    p->at += found && kind != SOA_TOKEN_END;
    return found;
}

bool soa_token_ends(const soa_token *token)
{
    return token->kind == SOA_TOKEN_END || token->kind == SOA_TOKEN_SEMICOLON || token->kind == SOA_TOKEN_NEWLINE;
}

/* ---- failures, memory, nodes -------------------------------------------------------------------- */

void *soa_parser_fail(soa_parser *p, soa_status status, int at, const char *format, ...)
{
    if (p->status == SOA_OK) {
        char text[SOA_ERROR_TEXT];
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        p->status = soa_fail_text(p->error, status, p->text, at, "%s", text);
    }
    return NULL;
}

void *soa_parser_fail_token(soa_parser *p, const char *what)
{
    return soa_parser_fail(p, SOA_E_SYNTAX, soa_parser_token(p)->begin, "%s", what);
}

void *soa_parser_given(soa_parser *p, void *block)
{
    return block ? block : soa_parser_fail(p, SOA_E_MEMORY, soa_parser_token(p)->begin, "out of memory");
}

soa_syntax *soa_parser_new(soa_parser *p, soa_syntax node)
{
    if (p->status != SOA_OK) {
        return NULL;
    }
    if (p->nodes == SOA_PARSE_SIZE) {
        return soa_parser_fail(p, SOA_E_LIMIT, node.begin, "the expression is too large; name its parts");
    }
    for (const soa_syntax *i = node.first; i; i = i->next) {
        node.height = i->height + 1 > node.height ? i->height + 1 : node.height;
    }
    if (node.height > SOA_PARSE_HEIGHT) {
        return soa_parser_fail(p, SOA_E_LIMIT, node.begin,
            "more than %d operations act on each other here; name the inner parts", (int)SOA_PARSE_HEIGHT);
    }
    soa_syntax *made = soa_parser_given(p, soa_arena_take(&p->tree, 1, sizeof *made));
    if (made) {
        node.sign = 1;
        node.end = soa_parser_token_at(p, p->at - 1)->end;
        p->nodes++;
        *made = node;
    }
    return made;
}

/* ---- lines --------------------------------------------------------------------------------------- */

/* Whether a statement goes on after this token; before it. */
static bool goes_on_after(soa_token_kind kind)
{
    return kind == SOA_TOKEN_PLUS || kind == SOA_TOKEN_MINUS || kind == SOA_TOKEN_DOT || kind == SOA_TOKEN_SLASH ||
           kind == SOA_TOKEN_EQUAL || kind == SOA_TOKEN_COMMA || kind == SOA_TOKEN_COLON || kind == SOA_TOKEN_ARROW;
}

static bool goes_on_before(soa_token_kind kind)
{
    return (goes_on_after(kind) && kind != SOA_TOKEN_COLON) || kind == SOA_TOKEN_CLOSE;
}

static soa_token_kind next_kind(const soa_parser *p, int i)
{
    while (soa_parser_token_at(p, i)->kind == SOA_TOKEN_NEWLINE) {
        i++;
    }
    return soa_parser_token_at(p, i)->kind;
}

static void join_lines(soa_parser *p, bool all)
{
    int kept = 0, depth = 0;
    soa_token_kind before = SOA_TOKEN_SEMICOLON;
    bool space = false;
    for (int i = 0; i < p->tokens.count; i++) {
        soa_token token = *soa_parser_token_at(p, i);
        if (token.kind == SOA_TOKEN_NEWLINE &&
            (all || depth > 0 || goes_on_after(before) || goes_on_before(next_kind(p, i)))) {
            space = true;
            continue;
        }
        depth += (token.kind == SOA_TOKEN_OPEN) - (token.kind == SOA_TOKEN_CLOSE && depth > 0);
        depth = token.kind == SOA_TOKEN_SEMICOLON ? 0 : depth;
        token.space_before = token.space_before || space;
        space = false;
        before = token.kind;
        *(soa_token *)soa_array_at(&p->tokens, kept++) = token;
    }
    p->tokens.count = kept;
}

soa_status soa_parser_begin(
    soa_parser *p, soa_terms *pool, const soa_scope *scope, const char *text, bool joined, soa_error *error)
{
    *p = (soa_parser){ .pool = pool, .scope = scope, .text = text, .error = error };
    p->arena = p->tree = soa_arena_on(&pool->allocator);
    p->tokens = soa_array_of(sizeof(soa_token));
    p->status = soa_lex(text, &p->arena, &p->tokens, error);
    if (p->status == SOA_OK) {
        join_lines(p, joined);
    }
    return p->status;
}

void soa_parser_end(soa_parser *p)
{
    soa_array_free(&p->tokens, p->arena.allocator);
    soa_arena_free(&p->tree);
    soa_arena_free(&p->arena);
}

/* ---- readings ------------------------------------------------------------------------------------ */

/* The terms of the expression, or of both sides of the equation, from token `begin` on. */
static bool read_sides(soa_parser *p, int begin, bool equation, soa_sides *sides)
{
    soa_arena_free(&p->tree);
    p->at = begin;
    p->nodes = p->depth = p->star_count = 0;
    soa_syntax *left = soa_parser_sum(p), *right = NULL;
    if (left && equation) {
        right = soa_parser_accept(p, SOA_TOKEN_EQUAL) ? soa_parser_sum(p)
                                                      : soa_parser_fail_token(p, "an equation needs a = here");
    }
    if (!left || (equation && !right)) {
        return false;
    }
    const soa_token *end = soa_parser_token(p);
    if (!soa_token_ends(end)) {
        return soa_parser_fail_token(p, end->kind == SOA_TOKEN_CLOSE   ? "this parenthesis was never opened"
                                        : end->kind == SOA_TOKEN_EQUAL ? "only a name can be defined: name = expression"
                                                                       : "the expression should end here");
    }
    if (!soa_parser_check(p, left, right)) {
        return false;
    }
    sides->left = soa_parser_build(p, left);
    sides->right = sides->left && right ? soa_parser_build(p, right) : NULL;
    return sides->left && (!right || sides->right);
}

/* The readings in which every * that can be either is an adjoint or a product. The first
 * is tried with the error of the parser; of the others only those count that fit. */
soa_status soa_parser_sides(soa_parser *p, bool equation, soa_sides *sides)
{
    const int begin = p->at;
    soa_sides other = { 0 };
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

static soa_status parse_sides(soa_terms *pool, const soa_scope *scope, const char *text, bool equation,
    const soa_term *q_i, soa_sides *sides, soa_error *error)
{
    soa_parser p;
    const soa_status status = soa_parser_begin(&p, pool, scope, text, true, error);
    p.q_i = q_i;
    if (status == SOA_OK && soa_parser_sides(&p, equation, sides) == SOA_OK) {
        const int at = soa_parser_token(&p)->begin;
        if (soa_parser_accept(&p, SOA_TOKEN_SEMICOLON) && !soa_parser_looks_at(&p, SOA_TOKEN_END)) {
            (void)soa_parser_fail(&p, SOA_E_SYNTAX, at, "one expression was expected, and here a second begins");
        }
    }
    soa_parser_end(&p);
    if (p.status != SOA_OK) {
        *sides = (soa_sides){ 0 };
    }
    return p.status;
}

soa_status soa_parse_term_in(
    soa_terms *pool, const soa_scope *scope, const char *text, const soa_term **term, soa_error *error)
{
    soa_sides sides = { 0 };
    const soa_status status = parse_sides(pool, scope, text, false, NULL, &sides, error);
    *term = sides.left;
    return status;
}

soa_status soa_parse_term(soa_terms *pool, const char *text, const soa_term **term, soa_error *error)
{
    return soa_parse_term_in(pool, NULL, text, term, error);
}

soa_status soa_parse_equation(
    soa_terms *pool, const char *text, const soa_term **left, const soa_term **right, soa_error *error)
{
    soa_sides sides = { 0 };
    const soa_status status = parse_sides(pool, NULL, text, true, NULL, &sides, error);
    *left = sides.left;
    *right = sides.right;
    return status;
}

soa_status soa_derivative_parse(
    soa_terms *pool, const char *from_list, const soa_term *coordinate, const soa_term **term)
{
    soa_sides sides = { 0 };
    const soa_status status = parse_sides(pool, NULL, from_list, false, coordinate, &sides, NULL);
    *term = sides.left;
    return status;
}
