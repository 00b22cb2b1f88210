/* expr/parser.c - what a parser does at a token: look, accept, fail, read a type. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "expr/names.h"
#include "expr/parse.h"
#include "expr/syntax.h"

/* ---- the parser -------------------------------------------------------------------------- */

soa_status soa_parser_begin(soa_parser *p, soa_terms *pool, const soa_scope *scope, const char *text, soa_error *error)
{
    *p = (soa_parser){ .pool = pool, .scope = scope, .text = text, .error = error };
    p->arena = soa_arena_on(soa_terms_allocator(pool));
    p->tokens = soa_array_of(sizeof(soa_token));
    p->nodes = soa_array_of(sizeof(soa_syntax));
    p->status = soa_lex(text, &p->arena, &p->tokens, error);
    return p->status;
}

void soa_parser_end(soa_parser *p)
{
    soa_array_free(&p->tokens, p->arena.allocator);
    soa_array_free(&p->nodes, p->arena.allocator);
    soa_arena_free(&p->arena);
}

soa_syntax *soa_parser_node(const soa_parser *p, int node)
{
    return soa_array_at(&p->nodes, node);
}

const soa_token *soa_parser_token(const soa_parser *p)
{
    return soa_array_at(&p->tokens, p->at);
}

const soa_token *soa_parser_after(const soa_parser *p)
{
    return soa_array_at(&p->tokens, p->at + (p->at + 1 < p->tokens.count));
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

int soa_parser_fail(soa_parser *p, soa_status status, int at, const char *format, ...)
{
    if (p->status == SOA_OK) {
        char text[SOA_ERROR_TEXT];
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        p->status = soa_fail_text(p->error, status, p->text, at, "%s", text);
    }
    return -1;
}

int soa_parser_fail_token(soa_parser *p, const char *what)
{
    return soa_parser_fail(p, SOA_E_SYNTAX, soa_parser_token(p)->begin, "%s", what);
}

int soa_parser_new(soa_parser *p, soa_syntax node)
{
    soa_syntax *made = p->nodes.count < SOA_PARSE_SIZE ? soa_array_push(&p->nodes, p->arena.allocator) : NULL;
    if (!made) {
        const bool full = p->nodes.count >= SOA_PARSE_SIZE;
        return soa_parser_fail(p, full ? SOA_E_LIMIT : SOA_E_MEMORY, node.begin,
            full ? "the expression is too large; name its parts" : "out of memory");
    }
    node.sign = 1;
    for (int i = node.first; i >= 0; i = soa_parser_node(p, i)->next) {
        const int height = soa_parser_node(p, i)->height + 1;
        node.height = height > node.height ? height : node.height;
    }
    if (node.height > SOA_PARSE_HEIGHT) {
        return soa_parser_fail(p, SOA_E_LIMIT, node.begin,
            "more than %d operations act on each other here; name the inner parts", (int)SOA_PARSE_HEIGHT);
    }
    *made = node;
    return p->nodes.count - 1;
}

/* ---- types ------------------------------------------------------------------------------------- */

static bool parse_place(soa_parser *p, soa_place *place)
{
    const soa_token *space = soa_parser_token(p);
    if (!soa_parser_accept(p, SOA_TOKEN_NAME) || !soa_names_space(space->name, &place->space)) {
        (void)soa_parser_fail(p, SOA_E_SYNTAX, space->begin,
            "a type begins with joint, body, point, constraint or number, as in: joint force");
        return false;
    }
    place->side = SOA_SIDE_ANY;
    const soa_token *side = soa_parser_token(p);
    const bool sided = place->space != SOA_SPACE_ONE && place->space != SOA_SPACE_ANY;
    if (sided && (!soa_parser_accept(p, SOA_TOKEN_NAME) || !soa_names_side(side->name, &place->side))) {
        (void)soa_parser_fail(p, SOA_E_SYNTAX, side->begin, "say which side: force, motion, velocity or acceleration");
        return false;
    }
    return true;
}

bool soa_parser_type(soa_parser *p, soa_type *type)
{
    if (!parse_place(p, &type->to)) {
        return false;
    }
    type->from = (soa_place){ SOA_SPACE_ONE, SOA_SIDE_ANY };
    if (soa_parser_accept(p, SOA_TOKEN_ARROW)) {
        type->from = type->to;
        return parse_place(p, &type->to);
    }
    return true;
}

/* [ type ] after I or 0; a product with [ ... ] otherwise. */
bool soa_parser_bracket_type(soa_parser *p, soa_syntax *node)
{
    soa_space space;
    const soa_token *inside = soa_parser_after(p);
    if (!soa_parser_looks_at(p, SOA_TOKEN_OPEN) || soa_parser_token(p)->bracket != '[' ||
        soa_parser_token(p)->space_before || inside->kind != SOA_TOKEN_NAME || !soa_names_space(inside->name, &space)) {
        return true;
    }
    p->at++;
    if (!soa_parser_type(p, &node->type)) {
        return false;
    }
    if (node->kind == SOA_SYNTAX_IDENTITY && node->type.from.space == SOA_SPACE_ONE) {
        node->type.from = node->type.to;
    }
    if (node->kind == SOA_SYNTAX_IDENTITY && !soa_place_equal(node->type.from, node->type.to)) {
        (void)soa_parser_fail(p, SOA_E_SYNTAX, inside->begin, "I gives what it takes: I[body force]");
        return false;
    }
    node->typed = true;
    node->end = soa_parser_token(p)->end;
    if (!soa_parser_accept(p, SOA_TOKEN_CLOSE)) {
        (void)soa_parser_fail_token(p, "a ] is missing after the type");
        return false;
    }
    return true;
}
