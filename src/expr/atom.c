/* expr/atom.c - the grammar: names, numbers, functions, parentheses, and blocks behind them. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "expr/lex.h"
#include "expr/parse.h"
#include "expr/syntax.h"

/* ---- parentheses ------------------------------------------------------------------------------------ */

/* "(" sum ")", at the "(". */
static soa_syntax *parse_parentheses(soa_parser *p)
{
    const soa_token open = *soa_parser_token(p);
    p->at++;
    if (p->depth == SOA_PARSE_DEPTH) {
        return soa_parser_fail(p, SOA_E_LIMIT, open.begin, "more than %d parentheses are nested; name the inner parts",
            (int)SOA_PARSE_DEPTH);
    }
    p->depth++;
    soa_syntax *node = soa_parser_sum(p);
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
        return soa_parser_fail_token(p, "this closes what was opened by another kind of parenthesis");
    }
    return soa_token_ends(close) || close->kind == SOA_TOKEN_EQUAL
               ? soa_parser_fail(p, SOA_E_SYNTAX, open->begin, "this parenthesis is never closed")
               : soa_parser_fail_token(p, "a ) was expected here");
}

/* ---- functions ------------------------------------------------------------------------------------- */

/* What a derivative is along: q_1, q_elbow, beta_1, T_elbow; t is the time. */
static const soa_term *parse_coordinate(soa_parser *p)
{
    const soa_token *token = soa_parser_token(p);
    const bool named = soa_parser_accept(p, SOA_TOKEN_NAME);
    if (named && p->q_i && strcmp(token->name, "q_i") == 0) {
        return p->q_i;
    }
    const char *name = named && strcmp(token->name, "t") == 0 ? SOA_TIME : named ? token->name : "";
    if (soa_derivative_by(name) == SOA_BY_NOTHING) {
        return soa_parser_fail(p, SOA_E_SYNTAX, token->begin,
            "a derivative is by q_, beta_ or T_ and the number or the name of a joint: q_1, beta_elbow; or by t, the "
            "time");
    }
    const soa_term *term = soa_names_coordinate(p->pool, name);
    return !term ? soa_parser_given(p, NULL)
           : term->type.to.space != SOA_SPACE_ONE
               ? soa_parser_fail(p, SOA_E_NAME, token->begin, "this is a vector of yours, and no coordinate")
               : term;
}

/* name "(" sum ")", d( , ), sum( , ), at the name. */
static soa_syntax *parse_function(soa_parser *p, soa_syntax node)
{
    node.begin = soa_parser_token(p)->begin;
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
    if (node.first && node.kind == SOA_SYNTAX_DERIVATIVE && !node.term) {
        node.term = soa_parser_accept(p, SOA_TOKEN_COMMA)
                        ? parse_coordinate(p)
                        : soa_parser_fail_token(p, "a derivative needs a coordinate: d(Mass, q_1)");
    }
    return soa_parser_close(p, &open) ? soa_parser_new(p, node) : NULL;
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
    const soa_token *token = soa_parser_token_at(p, at);
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
        const soa_token *token = soa_parser_token_at(p, at);
        const bool sign = token->kind == SOA_TOKEN_SLASH || token->kind == SOA_TOKEN_MINUS;
        const bool part = token->kind == SOA_TOKEN_NUMBER || (!digits && (token->kind == SOA_TOKEN_NAME || sign));
        const bool tilde = token->kind == SOA_TOKEN_NAME && strchr(token->name, '~') != NULL;
        if (!part || (at > first && token->space_before) || (word && !sign) || tilde) {
            return at;
        }
        word = !sign;
    }
}

bool soa_parser_at_block(const soa_parser *p)
{
    const soa_token *open = soa_parser_token(p);
    if (open->kind != SOA_TOKEN_OPEN || open->space_before || open->bracket == '{') {
        return false;
    }
    const bool digits = open->bracket == '(';
    int end = body_end(p, p->at + 1, digits);
    if (end > p->at + 1 && soa_parser_token_at(p, end)->kind == SOA_TOKEN_COMMA) {
        const int second = end + 1;
        end = body_end(p, second, digits);
        end = end > second ? end : p->at + 1;
    }
    return end > p->at + 1 && soa_parser_token_at(p, end)->kind == SOA_TOKEN_CLOSE;
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
            return soa_parser_fail_token(p, "the name of this body is too long");
        }
        used += (size_t)snprintf(name + used, sizeof name - used, "%s", part);
    }
    return soa_parser_given(p, soa_arena_text(&p->arena, name));
}

soa_syntax *soa_parser_block(soa_parser *p, soa_syntax *of)
{
    p->at++;
    const char *row = parse_body(p), *col = row;
    if (row && soa_parser_accept(p, SOA_TOKEN_COMMA)) {
        col = parse_body(p);
    }
    p->at++; /* the parenthesis that closes it */
    const soa_syntax block = { .kind = SOA_SYNTAX_BLOCK, .begin = of->begin, .first = of, .row = row, .col = col };
    return soa_parser_new(p, block);
}

/* ---- atoms -------------------------------------------------------------------------------------------- */

static soa_syntax *parse_name(soa_parser *p)
{
    const soa_token *token = soa_parser_token(p);
    soa_syntax node = soa_parser_after(p)->kind == SOA_TOKEN_OPEN ? function_of(p, token->name)
                                                                  : (soa_syntax){ .kind = SOA_SYNTAX_ATOM };
    if (node.kind != SOA_SYNTAX_ATOM) {
        return parse_function(p, node);
    }
    const bool identity = strcmp(token->name, "I") == 0;
    node.begin = token->begin;
    node.kind = identity ? SOA_SYNTAX_IDENTITY : SOA_SYNTAX_ATOM;
    node.term = identity ? NULL : soa_names_term(p, token);
    p->at++;
    if (identity) {
        (void)soa_parser_bracket_type(p, &node);
    }
    soa_syntax *made = soa_parser_new(p, node);
    return made && soa_parser_at_block(p) ? soa_parser_block(p, made) : made;
}

static soa_syntax *parse_number(soa_parser *p)
{
    const soa_token *token = soa_parser_token(p);
    soa_syntax node = { .kind = SOA_SYNTAX_NUMBER, .begin = token->begin, .value = token->ratio };
    p->at++;
    return soa_ratio_is_zero(node.value) && !soa_parser_bracket_type(p, &node) ? NULL : soa_parser_new(p, node);
}

static soa_syntax *fail_operand(soa_parser *p)
{
    const soa_token *token = soa_parser_token(p);
    return soa_parser_fail_token(p, soa_token_ends(token) ? "the expression ends where an operand should follow"
                                    : token->kind != SOA_TOKEN_CLOSE ? "an operand was expected here"
                                    : p->depth                       ? "an operand is missing before this"
                                                                     : "this parenthesis was never opened");
}

soa_syntax *soa_parser_atom(soa_parser *p)
{
    if (!soa_parser_call(p)) {
        return NULL;
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
    soa_syntax *node = parse_parentheses(p);
    if (!node || !soa_parser_close(p, &token)) {
        return NULL;
    }
    node->begin = token.begin;
    node->end = soa_parser_token_at(p, p->at - 1)->end;
    return node;
}
