/* expr/function.c - functions of the user's: let osc(F) = J' Lambda^-1 F.
 *
 * A call is replaced by the body in parentheses, and each parameter in it by what is given, in parentheses too, before it
 * is parsed: whatever is known of expressions then holds for calls. */
#include <string.h>

#include "expr/syntax.h"

/* Text of more tokens is refused: functions of functions grow fast. */
enum { TOKENS_MOST = 1 << 16 };

/* ---- calls ------------------------------------------------------------------------------------------- */

/* What is given for the parameters: tokens first[i] .. first[i + 1] - 2. */
typedef struct arguments {
    int count, first[SOA_PARAMETERS + 1];
} arguments;

/* Reads what is given from behind the opening parenthesis on. Gives the place of the closing one, or 0 after an error. */
static int read_arguments(soa_parser *p, const soa_function *function, arguments *given)
{
    int at = p->at + 2, depth = 1;
    *given = (arguments){ .first = { at } };
    for (; !soa_token_ends(soa_parser_token_at(p, at)); at++) {
        const soa_token_kind kind = soa_parser_token_at(p, at)->kind;
        depth += (kind == SOA_TOKEN_OPEN) - (kind == SOA_TOKEN_CLOSE);
        if ((kind == SOA_TOKEN_COMMA && depth == 1) || depth == 0) {
            given->count++;
            if (given->count <= SOA_PARAMETERS) {
                given->first[given->count] = at + 1;
            }
        }
        if (depth == 0) {
            break;
        }
    }
    if (depth > 0) {
        (void)soa_parser_fail(p, SOA_E_SYNTAX, soa_parser_after(p)->begin, "this parenthesis is never closed");
        return 0;
    }
    if (given->count != function->parameters) {
        (void)soa_parser_fail(p, SOA_E_SYNTAX, soa_parser_token(p)->begin, "%s takes %d argument%s, and here are %d",
            function->name, function->parameters, function->parameters == 1 ? "" : "s", given->count);
        return 0;
    }
    return at;
}

static int parameter_of(const soa_function *function, const soa_token *token)
{
    int i = token->kind == SOA_TOKEN_NAME ? 0 : function->parameters;
    while (i < function->parameters && strcmp(function->parameter[i], token->name) != 0) {
        i++;
    }
    return i < function->parameters ? i : -1;
}

static void push(soa_parser *p, soa_array *to, soa_token token)
{
    if (to->count >= TOKENS_MOST) {
        (void)soa_parser_fail(p, SOA_E_LIMIT, token.begin, "functions make this expression too large");
    } else if (p->status == SOA_OK) {
        (void)soa_parser_given(p, soa_array_add(to, p->arena.allocator, &token));
    }
}

/* The tokens of the text from first to last. */
static void push_text(soa_parser *p, soa_array *to, int first, int last)
{
    for (int i = first; i <= last; i++) {
        push(p, to, *soa_parser_token_at(p, i));
    }
}

/* The body with what is given. Places in the text are those of the call, but of what is given for the parameters. */
static void push_body(soa_parser *p, soa_array *to, const soa_function *function, const arguments *given, int close)
{
    const int begin = soa_parser_token(p)->begin, end = soa_parser_token_at(p, close)->end;
    soa_token open = { .kind = SOA_TOKEN_OPEN, .begin = begin, .end = end, .space_before = true, .bracket = '(' };
    soa_token shut = open;
    shut.kind = SOA_TOKEN_CLOSE;
    push(p, to, open);
    for (int i = 0; i < function->count && p->status == SOA_OK; i++) {
        soa_token token = function->body[i];
        const int parameter = parameter_of(function, &token);
        token.begin = begin;
        token.end = end;
        open.space_before = token.space_before;
        push(p, to, parameter < 0 ? token : open);
        if (parameter >= 0) {
            push_text(p, to, given->first[parameter], given->first[parameter + 1] - 2);
            push(p, to, shut);
        }
    }
    push(p, to, shut);
}

bool soa_parser_call(soa_parser *p)
{
    const soa_token *name = soa_parser_token(p), *open = soa_parser_after(p);
    const soa_function *function =
        name->kind == SOA_TOKEN_NAME && p->scope ? soa_array_named(&p->scope->functions, name->name) : NULL;
    if (!function) {
        return true;
    }
    if (open->kind != SOA_TOKEN_OPEN || open->bracket != '(') {
        return soa_parser_fail(
            p, SOA_E_SYNTAX, name->begin, "%s is a function; give its arguments: %s( )", name->name, name->name);
    }
    arguments given;
    const int close = read_arguments(p, function, &given);
    soa_array expanded = soa_array_of(sizeof(soa_token));
    if (close > 0) {
        push_text(p, &expanded, 0, p->at - 1);
        push_body(p, &expanded, function, &given, close);
        push_text(p, &expanded, close + 1, p->tokens.count - 1);
    }
    soa_array *old = p->status == SOA_OK ? &p->tokens : &expanded;
    soa_array_free(old, p->arena.allocator);
    p->tokens = p->status == SOA_OK ? expanded : p->tokens;
    return p->status == SOA_OK;
}

/* ---- definitions ------------------------------------------------------------------------------------------ */

static bool read_parameters(soa_parser *p, soa_function *made)
{
    do {
        const soa_token *token = soa_parser_token(p);
        if (made->parameters == SOA_PARAMETERS || !soa_parser_accept(p, SOA_TOKEN_NAME)) {
            return soa_parser_fail(
                p, SOA_E_SYNTAX, token->begin, "a function has 1 to %d parameters, each a name", (int)SOA_PARAMETERS);
        }
        for (int i = 0; i < made->parameters; i++) {
            if (strcmp(made->parameter[i], token->name) == 0) {
                return soa_parser_fail(p, SOA_E_NAME, token->begin, "the parameter '%s' is there twice", token->name);
            }
        }
        made->parameter[made->parameters] = soa_parser_given(p, soa_arena_text(&p->pool->arena, token->name));
        if (!made->parameter[made->parameters++]) {
            return false;
        }
    } while (soa_parser_accept(p, SOA_TOKEN_COMMA));
    return soa_parser_accept(p, SOA_TOKEN_CLOSE) || soa_parser_fail_token(p, "a ) was expected here");
}

static bool read_body(soa_parser *p, soa_function *made)
{
    const int first = p->at;
    for (; !soa_token_ends(soa_parser_token(p)); p->at++) {
        const soa_token *token = soa_parser_token(p);
        if (token->kind == SOA_TOKEN_NAME && strcmp(token->name, made->name) == 0) {
            return soa_parser_fail_token(p, "a function cannot be made of itself");
        }
    }
    made->count = p->at - first;
    soa_token *body = soa_parser_given(p, soa_arena_take(&p->pool->arena, (size_t)made->count + 1, sizeof *body));
    for (int i = 0; p->status == SOA_OK && i < made->count; i++) {
        body[i] = *soa_parser_token_at(p, first + i);
        body[i].name = body[i].name ? soa_parser_given(p, soa_arena_text(&p->pool->arena, body[i].name)) : NULL;
    }
    made->body = body;
    return p->status == SOA_OK && (made->count > 0 || soa_parser_fail_token(p, "the function has no body"));
}

bool soa_parser_function(soa_parser *p, soa_scope *scope)
{
    soa_function made = { .name = soa_parser_given(p, soa_arena_text(&p->pool->arena, soa_parser_token(p)->name)) };
    p->at += 2;
    if (!made.name || !read_parameters(p, &made)) {
        return false;
    }
    if (!soa_parser_accept(p, SOA_TOKEN_EQUAL)) {
        return soa_parser_fail_token(p, "a function is defined by =, as in: let osc(F) = J' Lambda^-1 F");
    }
    return read_body(p, &made) &&
           soa_parser_given(p, soa_arena_add(&p->pool->arena, &scope->functions, &made, sizeof made));
}
