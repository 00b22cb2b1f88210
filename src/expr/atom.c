/* expr/atom.c - the grammar: names, numbers, functions, parentheses, and blocks behind them. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "expr/derivative.h"
#include "expr/name.h"
#include "expr/names.h"
#include "expr/parse.h"
#include "expr/syntax.h"

/* ---- parentheses ------------------------------------------------------------------------------------ */

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

bool soa_parser_close(soa_parser *p, const soa_token *open)
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

/* ---- functions ------------------------------------------------------------------------------------- */

/* What a derivative is along: q_1, q_elbow, beta_1, T_elbow; t is the time. */
static const soa_term *parse_coordinate(soa_parser *p)
{
    const soa_token *token = soa_parser_token(p);
    const bool named = soa_parser_accept(p, SOA_TOKEN_NAME);
    const char *name = named && strcmp(token->name, "t") == 0 ? SOA_TIME : named ? token->name : "";
    if (soa_derivative_by(name) == SOA_BY_NOTHING) {
        (void)soa_parser_fail(p, SOA_E_SYNTAX, token->begin,
            "a derivative is by q_, beta_ or T_ and the number or the name of a joint: q_1, beta_elbow; or by t, the "
            "time");
        return NULL;
    }
    const soa_term *term = soa_names_coordinate(p->pool, name);
    if (!term || term->type.to.space != SOA_SPACE_ONE) {
        (void)soa_parser_fail(p, term ? SOA_E_NAME : soa_terms_status(p->pool), token->begin,
            term ? "this is a vector of yours, and no coordinate" : "out of memory");
        return NULL;
    }
    return term;
}

/* name "(" sum ")", d( , ), sum( , ), at the name. */
static int parse_function(soa_parser *p, soa_syntax node)
{
    node.begin = soa_parser_token(p)->begin;
    node.next = -1;
    p->at++;
    const soa_token open = *soa_parser_token(p);
    if (node.kind == SOA_SYNTAX_OVER_BODIES) {
        p->at++;
        node.row = soa_parser_token(p)->name;
        if (!soa_parser_accept(p, SOA_TOKEN_NAME) || !soa_parser_looks_at(p, SOA_TOKEN_COMMA)) {
            return soa_parser_fail_token(p, "a sum over bodies names them first: sum(k, V[k]' M[k] V[k])");
        }
    }
    node.first = parse_parentheses(p);
    if (node.first < 0) {
        return -1;
    }
    if (node.kind == SOA_SYNTAX_DERIVATIVE && !node.term) {
        if (!soa_parser_accept(p, SOA_TOKEN_COMMA)) {
            return soa_parser_fail_token(p, "a derivative needs a coordinate: d(Mass, q_1)");
        }
        node.term = parse_coordinate(p);
        if (!node.term) {
            return -1;
        }
    }
    if (!soa_parser_close(p, &open)) {
        return -1;
    }
    node.end = ((const soa_token *)soa_array_at(&p->tokens, p->at - 1))->end;
    return soa_parser_new(p, node);
}

/* The function of that name; of the kind ATOM: it is none. */
static soa_syntax function_of(soa_parser *p, const char *name)
{
    static const struct {
        const char *name;
        soa_syntax node;
    } list[] = {
#define MEASURE(id, text) { text, { .kind = SOA_SYNTAX_MEASURE, .measure = SOA_MEASURE_##id } },
        SOA_MEASURE_LIST(MEASURE)
#undef MEASURE
            { "inv", { .kind = SOA_SYNTAX_INVERSE } },
        { "sqrt", { .kind = SOA_SYNTAX_ROOT } },
        { "d", { .kind = SOA_SYNTAX_DERIVATIVE } },
        { "dot", { .kind = SOA_SYNTAX_DERIVATIVE } },
        { "sum", { .kind = SOA_SYNTAX_OVER_BODIES } },
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (strcmp(name, list[i].name) == 0) {
            soa_syntax node = list[i].node;
            node.term = strcmp(name, "dot") == 0 ? soa_names_coordinate(p->pool, SOA_TIME) : NULL;
            return node;
        }
    }
    return (soa_syntax){ .kind = SOA_SYNTAX_ATOM };
}

/* ---- blocks ----------------------------------------------------------------------------------------- */

/* Whether what was given for a parameter of a function stands here: one token in parentheses. */
static bool is_parameter(const soa_parser *p, int at)
{
    const soa_token *token = soa_array_at(&p->tokens, at);
    return at + 2 < p->tokens.count && token[0].kind == SOA_TOKEN_OPEN && token[0].bracket == '(' &&
           (token[1].kind == SOA_TOKEN_NUMBER || token[1].kind == SOA_TOKEN_NAME) && token[2].kind == SOA_TOKEN_CLOSE;
}

/* Where the name of a body that begins at token `at` ends: 4, elbow, left/tool-0. */
static int body_end(const soa_parser *p, int at, bool digits)
{
    const int first = at;
    if (is_parameter(p, at)) {
        return at + 3;
    }
    for (bool word = false;; at++) {
        const soa_token *token = soa_array_at(&p->tokens, at);
        const bool sign = token->kind == SOA_TOKEN_SLASH || token->kind == SOA_TOKEN_MINUS;
        const bool part = token->kind == SOA_TOKEN_NUMBER || (!digits && (token->kind == SOA_TOKEN_NAME || sign));
        const bool tilde = token->kind == SOA_TOKEN_NAME && strchr(token->name, '~') != NULL;
        if (!part || (at > first && token->space_before) || (word && !sign) || tilde) {
            return at;
        }
        word = !sign;
    }
}

static bool is_token(const soa_parser *p, int at, soa_token_kind kind)
{
    return ((const soa_token *)soa_array_at(&p->tokens, at))->kind == kind;
}

bool soa_parser_at_block(const soa_parser *p)
{
    const soa_token *open = soa_parser_token(p);
    if (open->kind != SOA_TOKEN_OPEN || open->space_before || open->bracket == '{') {
        return false;
    }
    const bool digits = open->bracket == '(';
    int end = body_end(p, p->at + 1, digits);
    if (end > p->at + 1 && is_token(p, end, SOA_TOKEN_COMMA)) {
        const int second = end + 1;
        end = body_end(p, second, digits);
        end = end > second ? end : p->at + 1;
    }
    return end > p->at + 1 && is_token(p, end, SOA_TOKEN_CLOSE);
}

/* The name of a body, as it is written. */
static const char *parse_body(soa_parser *p)
{
    char name[SOA_NAME_MOST] = "";
    const int end = body_end(p, p->at, false);
    for (size_t used = 0; p->at < end; p->at++) {
        const soa_token *token = soa_parser_token(p);
        char number[SOA_RATIO_SIZE];
        const char *part = token->kind == SOA_TOKEN_NAME     ? token->name
                           : token->kind == SOA_TOKEN_NUMBER ? soa_ratio_write(number, token->ratio)
                           : token->kind == SOA_TOKEN_SLASH  ? "/"
                           : token->kind == SOA_TOKEN_MINUS  ? "-"
                                                             : ""; /* parentheses of a parameter */
        if (used + strlen(part) >= sizeof name) {
            (void)soa_parser_fail_token(p, "the name of this body is too long");
            return NULL;
        }
        used += (size_t)snprintf(name + used, sizeof name - used, "%s", part);
    }
    const char *kept = soa_arena_text(&p->arena, name);
    if (!kept) {
        (void)soa_parser_fail(p, SOA_E_MEMORY, 0, "out of memory");
    }
    return kept;
}

int soa_parser_block(soa_parser *p, int node)
{
    const int begin = soa_parser_node(p, node)->begin;
    p->at++;
    const char *row = parse_body(p), *col = row;
    if (row && soa_parser_accept(p, SOA_TOKEN_COMMA)) {
        col = parse_body(p);
    }
    if (!row || !col) {
        return -1;
    }
    const int end = soa_parser_token(p)->end;
    p->at++;
    return soa_parser_new(p,
        (soa_syntax){
            .kind = SOA_SYNTAX_BLOCK, .begin = begin, .end = end, .first = node, .next = -1, .row = row, .col = col });
}

/* ---- atoms -------------------------------------------------------------------------------------------- */

static int parse_name(soa_parser *p)
{
    const soa_token *token = soa_parser_token(p);
    const soa_syntax function = soa_parser_after(p)->kind == SOA_TOKEN_OPEN ? function_of(p, token->name)
                                                                            : (soa_syntax){ .kind = SOA_SYNTAX_ATOM };
    if (function.kind != SOA_SYNTAX_ATOM) {
        return parse_function(p, function);
    }
    soa_syntax node = { .kind = SOA_SYNTAX_ATOM, .begin = token->begin, .end = token->end, .first = -1, .next = -1 };
    const bool identity = strcmp(token->name, "I") == 0;
    node.kind = identity ? SOA_SYNTAX_IDENTITY : SOA_SYNTAX_ATOM;
    node.term = identity ? NULL : soa_names_term(p, token);
    if (!identity && !node.term) {
        return -1;
    }
    p->at++;
    if (identity && !soa_parser_bracket_type(p, &node)) {
        return -1;
    }
    const int made = soa_parser_new(p, node);
    return made >= 0 && soa_parser_at_block(p) ? soa_parser_block(p, made) : made;
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

int soa_parser_atom(soa_parser *p)
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
    if (node < 0 || !soa_parser_close(p, &token)) {
        return -1;
    }
    soa_parser_node(p, node)->begin = token.begin;
    soa_parser_node(p, node)->end = ((const soa_token *)soa_array_at(&p->tokens, p->at - 1))->end;
    return node;
}
