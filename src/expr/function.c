/* expr/function.c - functions of the user's: let osc(F) = J' Lambda^-1 F.
 *
 * A call is replaced by the body in parentheses, and each parameter in it by what is given, in parentheses too, before it
 * is parsed: whatever is known of expressions then holds for calls. */
#include <string.h>

#include "expr/syntax.h"

/* Text of more tokens is refused: functions of functions grow fast. */
enum { TOKENS_MOST = 1 << 16 };

static const soa_token *token_at(const soa_parser *p, int at)
{
    return soa_array_at(&p->tokens, at < p->tokens.count ? at : p->tokens.count - 1);
}

static const soa_function *find(const soa_scope *scope, const char *name)
{
    for (int i = scope ? scope->functions.count - 1 : -1; i >= 0; i--) {
        const soa_function *function = soa_array_at(&scope->functions, i);
        if (strcmp(function->name, name) == 0) {
            return function;
        }
    }
    return NULL;
}

/* ---- calls ------------------------------------------------------------------------------------------- */

/* What is given for the parameters: tokens first[i] .. first[i + 1] - 2. */
typedef struct arguments {
    int count, first[SOA_PARAMETERS + 1];
} arguments;

static bool ends(soa_token_kind kind)
{
    return kind == SOA_TOKEN_END || kind == SOA_TOKEN_SEMICOLON || kind == SOA_TOKEN_NEWLINE;
}

/* From behind the parenthesis on; the place of the closing one, or -1 after an error. */
static int read_arguments(soa_parser *p, const soa_function *function, arguments *given)
{
    int at = p->at + 2, depth = 1;
    *given = (arguments){ .first = { at } };
    for (; !ends(token_at(p, at)->kind); at++) {
        const soa_token_kind kind = token_at(p, at)->kind;
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
        return soa_parser_fail(p, SOA_E_SYNTAX, token_at(p, p->at + 1)->begin, "this parenthesis is never closed");
    }
    if (given->count != function->parameters) {
        return soa_parser_fail(p, SOA_E_SYNTAX, token_at(p, p->at)->begin, "%s takes %d argument%s, and here are %d",
            function->name, function->parameters, function->parameters == 1 ? "" : "s", given->count);
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

static bool push(soa_parser *p, soa_array *to, soa_token token)
{
    soa_token *made = to->count < TOKENS_MOST ? soa_array_push(to, p->arena.allocator) : NULL;
    if (!made) {
        const bool full = to->count >= TOKENS_MOST;
        return soa_parser_fail(p, full ? SOA_E_LIMIT : SOA_E_MEMORY, token.begin,
                   full ? "functions make this expression too large" : "out of memory") > 0;
    }
    *made = token;
    return true;
}

/* Places in the text are those of the call, but of what is given for the parameters. */
static bool expand(soa_parser *p, const soa_function *function, const arguments *given, int close, soa_array *to)
{
    const int begin = token_at(p, p->at)->begin, end = token_at(p, close)->end;
    const soa_token open = { .kind = SOA_TOKEN_OPEN, .begin = begin, .end = end, .space_before = true, .bracket = '(' };
    soa_token shut = open;
    shut.kind = SOA_TOKEN_CLOSE;
    bool fine = true;
    for (int i = 0; fine && i < p->at; i++) {
        fine = push(p, to, *token_at(p, i));
    }
    fine = fine && push(p, to, open);
    for (int i = 0; fine && i < function->count; i++) {
        soa_token token = function->body[i];
        const int parameter = parameter_of(function, &token);
        token.begin = begin;
        token.end = end;
        soa_token before = open;
        before.space_before = token.space_before;
        fine = push(p, to, parameter < 0 ? token : before);
        for (int j = parameter < 0 ? 0 : given->first[parameter];
             fine && parameter >= 0 && j < given->first[parameter + 1] - 1; j++) {
            fine = push(p, to, *token_at(p, j));
        }
        fine = fine && (parameter < 0 || push(p, to, shut));
    }
    fine = fine && push(p, to, shut);
    for (int i = close + 1; fine && i < p->tokens.count; i++) {
        fine = push(p, to, *token_at(p, i));
    }
    return fine;
}

int soa_parser_call(soa_parser *p)
{
    const soa_token *name = soa_parser_token(p), *open = soa_parser_after(p);
    const soa_function *function = name->kind == SOA_TOKEN_NAME ? find(p->scope, name->name) : NULL;
    if (!function) {
        return 0;
    }
    if (open->kind != SOA_TOKEN_OPEN || open->bracket != '(') {
        return soa_parser_fail(
            p, SOA_E_SYNTAX, name->begin, "%s is a function; give its arguments: %s( )", name->name, name->name);
    }
    arguments given;
    const int close = read_arguments(p, function, &given);
    soa_array expanded = soa_array_of(sizeof(soa_token));
    if (close < 0 || !expand(p, function, &given, close, &expanded)) {
        soa_array_free(&expanded, p->arena.allocator);
        return -1;
    }
    soa_array_free(&p->tokens, p->arena.allocator);
    p->tokens = expanded;
    return 1;
}

/* ---- definitions ------------------------------------------------------------------------------------------ */

static bool read_parameters(soa_parser *p, soa_scope *scope, soa_function *made)
{
    do {
        const soa_token *token = soa_parser_token(p);
        if (made->parameters == SOA_PARAMETERS || !soa_parser_accept(p, SOA_TOKEN_NAME)) {
            return soa_parser_fail(p, SOA_E_SYNTAX, token->begin, "a function has 1 to %d parameters, each a name",
                       (int)SOA_PARAMETERS) > 0;
        }
        made->parameter[made->parameters] = soa_arena_text(&scope->arena, token->name);
        if (!made->parameter[made->parameters++]) {
            return soa_parser_fail(p, SOA_E_MEMORY, token->begin, "out of memory") > 0;
        }
    } while (soa_parser_accept(p, SOA_TOKEN_COMMA));
    return soa_parser_accept(p, SOA_TOKEN_CLOSE) || soa_parser_fail_token(p, "a ) was expected here") > 0;
}

static bool read_body(soa_parser *p, soa_scope *scope, soa_function *made)
{
    const int first = p->at;
    while (!ends(soa_parser_token(p)->kind)) {
        const soa_token *token = soa_parser_token(p);
        if (token->kind == SOA_TOKEN_NAME && strcmp(token->name, made->name) == 0) {
            return soa_parser_fail(p, SOA_E_SYNTAX, token->begin, "a function cannot be made of itself") > 0;
        }
        p->at++;
    }
    made->count = p->at - first;
    soa_token *body = soa_arena_take(&scope->arena, (size_t)made->count + 1, sizeof *body);
    for (int i = 0; body && i < made->count; i++) {
        body[i] = *token_at(p, first + i);
        body[i].name = body[i].name ? soa_arena_text(&scope->arena, body[i].name) : NULL;
        body = body[i].name || token_at(p, first + i)->kind != SOA_TOKEN_NAME ? body : NULL;
    }
    made->body = body;
    return body ? made->count > 0 || soa_parser_fail_token(p, "the function has no body") > 0
                : soa_parser_fail(p, SOA_E_MEMORY, 0, "out of memory") > 0;
}

bool soa_parser_function(soa_parser *p, soa_scope *scope)
{
    soa_function made = { .name = soa_arena_text(&scope->arena, soa_parser_token(p)->name) };
    if (!made.name) {
        return soa_parser_fail(p, SOA_E_MEMORY, 0, "out of memory") > 0;
    }
    p->at += 2;
    if (!read_parameters(p, scope, &made)) {
        return false;
    }
    if (!soa_parser_accept(p, SOA_TOKEN_EQUAL)) {
        return soa_parser_fail_token(p, "a function is defined by =, as in: let osc(F) = J' Lambda^-1 F") > 0;
    }
    if (!read_body(p, scope, &made)) {
        return false;
    }
    soa_function *kept = soa_array_push(&scope->functions, p->arena.allocator);
    if (!kept) {
        return soa_parser_fail(p, SOA_E_MEMORY, 0, "out of memory") > 0;
    }
    *kept = made;
    return true;
}
