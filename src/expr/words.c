/* expr/words.c - types, kinds and traits in words. */
#include "expr/print.h"

#include <stdio.h>
#include <string.h>

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
