/* expr/words.c - types in words: written, and read. */
#include "expr/print.h"

#include <stdio.h>
#include <string.h>

#include "expr/syntax.h"
#include "soa/expr.h"

char *soa_words_place(char words[SOA_WORDS], soa_place place, const char *noun)
{
    if (place.space == SOA_SPACE_ONE || place.space == SOA_SPACE_ANY) {
        (void)snprintf(words, SOA_WORDS, "%s", place.space == SOA_SPACE_ONE ? "number" : "any");
    } else {
        (void)snprintf(words, SOA_WORDS, "%s %s", soa_space_text(place.space),
            noun && place.side == SOA_SIDE_MOTION ? noun : soa_side_text(place.side));
    }
    return words;
}

char *soa_words_type(char words[SOA_WORDS], soa_type type)
{
    char from[SOA_WORDS], to[SOA_WORDS];
    if (type.from.space == SOA_SPACE_ONE) {
        return soa_words_place(words, type.to, NULL);
    }
    (void)snprintf(
        words, SOA_WORDS, "%.60s -> %.60s", soa_words_place(from, type.from, NULL), soa_words_place(to, type.to, NULL));
    return words;
}

/* ---- velocities and accelerations ------------------------------------------------------------- */

/* An operator whose motions are accelerations: it goes between them and forces. */
static bool is_inertia(const soa_term *term)
{
    const soa_type t = term->type;
    return t.from.side != t.to.side && t.from.side != SOA_SIDE_ANY && t.to.side != SOA_SIDE_ANY;
}

const char *soa_words_noun(const soa_terms *pool, const soa_term *term)
{
    while (term->type.to.side == SOA_SIDE_MOTION) {
        if (term->kind == SOA_TERM_VARIABLE && soa_term_is_vector(term)) {
            const soa_vector_id vector = soa_vector_find(soa_terms_about(pool, term->variable)->name);
            return vector != SOA_VECTORS ? soa_vector_about(vector).noun : "motion";
        }
        if (term->kind == SOA_TERM_SUM) {
            term = term->child[0];
        } else if (term->kind == SOA_TERM_PRODUCT) {
            int i = 0;
            while (i < term->count - 1 && !is_inertia(term->child[i])) {
                i++;
            }
            term = term->child[i];
        } else {
            return is_inertia(term) ? "acceleration" : "motion";
        }
    }
    return soa_side_text(term->type.to.side);
}

const char *soa_words_domain(const soa_term *term)
{
    while (term->kind == SOA_TERM_SUM || term->kind == SOA_TERM_PRODUCT) {
        int i = term->kind == SOA_TERM_PRODUCT ? term->count - 1 : 0;
        while (term->kind == SOA_TERM_PRODUCT && i > 0 && !is_inertia(term->child[i])) {
            i--;
        }
        term = term->child[i];
    }
    return is_inertia(term) ? "acceleration" : NULL;
}

/* ---- read ------------------------------------------------------------------------------------- */

static bool find_space(const char *word, soa_space *space)
{
    for (int i = SOA_SPACE_ANY; i <= SOA_SPACE_ONE; i++) {
        if (strcmp(word, soa_space_text((soa_space)i)) == 0) {
            *space = (soa_space)i;
            return true;
        }
    }
    return false;
}

static bool find_side(const char *word, soa_side *side)
{
    static const struct {
        const char *word;
        soa_side side;
    } list[] = { { "force", SOA_SIDE_FORCE }, { "momentum", SOA_SIDE_FORCE }, { "motion", SOA_SIDE_MOTION },
        { "velocity", SOA_SIDE_MOTION }, { "acceleration", SOA_SIDE_MOTION }, { "vector", SOA_SIDE_ANY } };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (strcmp(word, list[i].word) == 0) {
            *side = list[i].side;
            return true;
        }
    }
    return false;
}

static bool parse_place(soa_parser *p, soa_place *place)
{
    const soa_token *space = soa_parser_token(p), *side = soa_parser_after(p);
    if (!soa_parser_accept(p, SOA_TOKEN_NAME) || !find_space(space->name, &place->space)) {
        return soa_parser_fail(p, SOA_E_SYNTAX, space->begin,
            "a type begins with joint, body, point, constraint or number, as in: joint force");
    }
    place->side = SOA_SIDE_ANY;
    const bool sided = place->space != SOA_SPACE_ONE && place->space != SOA_SPACE_ANY;
    if (sided && (!soa_parser_accept(p, SOA_TOKEN_NAME) || !find_side(side->name, &place->side))) {
        return soa_parser_fail(p, SOA_E_SYNTAX, side->begin, "say which side: force, motion, velocity or acceleration");
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
    const soa_token *open = soa_parser_token(p), *inside = soa_parser_after(p);
    if (open->kind != SOA_TOKEN_OPEN || open->bracket != '[' || open->space_before || inside->kind != SOA_TOKEN_NAME ||
        !find_space(inside->name, &space)) {
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
        return soa_parser_fail(p, SOA_E_SYNTAX, inside->begin, "I gives what it takes: I[body force]");
    }
    node->typed = true;
    return soa_parser_accept(p, SOA_TOKEN_CLOSE) || soa_parser_fail_token(p, "a ] is missing after the type");
}
