/* expr/lines.c - where a statement goes on in the next line. */
#include "expr/scope.h"

static bool goes_on_after(soa_token_kind kind)
{
    return kind == SOA_TOKEN_PLUS || kind == SOA_TOKEN_MINUS || kind == SOA_TOKEN_DOT || kind == SOA_TOKEN_SLASH ||
           kind == SOA_TOKEN_EQUAL || kind == SOA_TOKEN_COMMA || kind == SOA_TOKEN_COLON || kind == SOA_TOKEN_ARROW;
}

static bool goes_on_before(soa_token_kind kind)
{
    return kind == SOA_TOKEN_PLUS || kind == SOA_TOKEN_MINUS || kind == SOA_TOKEN_DOT || kind == SOA_TOKEN_SLASH ||
           kind == SOA_TOKEN_EQUAL || kind == SOA_TOKEN_COMMA || kind == SOA_TOKEN_ARROW || kind == SOA_TOKEN_CLOSE;
}

static soa_token_kind next_kind(const soa_parser *p, int i)
{
    const soa_token *token = soa_array_at(&p->tokens, i);
    while (token->kind == SOA_TOKEN_NEWLINE) {
        token = soa_array_at(&p->tokens, ++i);
    }
    return token->kind;
}

void soa_parser_join_lines(soa_parser *p, bool all)
{
    int kept = 0, depth = 0;
    soa_token_kind before = SOA_TOKEN_SEMICOLON;
    bool space = false;
    for (int i = 0; i < p->tokens.count; i++) {
        soa_token token = *(const soa_token *)soa_array_at(&p->tokens, i);
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
