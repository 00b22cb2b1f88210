/* expr/words.h - types, kinds and traits in words. */
#ifndef SOA_EXPR_WORDS_H
#define SOA_EXPR_WORDS_H

#include "expr/term.h"

enum { SOA_WORDS = 160 };

/* "joint force", "number"; `noun` instead of "motion" if not NULL. Returns words. */
char *soa_words_place(char words[SOA_WORDS], soa_place place, const char *noun);

/* "body force -> joint force"; of a vector "joint velocity". Returns words. */
char *soa_words_type(char words[SOA_WORDS], soa_type type);

/* What a motion of this term is called: "velocity", "acceleration"; "motion" if that is open. */
const char *soa_words_noun(const soa_terms *pool, const soa_term *term);

/* What a motion that this operator takes is called; NULL if that is open. */
const char *soa_words_domain(const soa_term *term);

#endif
