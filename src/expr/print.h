/* expr/print.h - terms as text: ASCII, Unicode or LaTeX, that reads back to the same term. */
#ifndef SOA_EXPR_PRINT_H
#define SOA_EXPR_PRINT_H

#include "expr/term.h"
#include "soa/expr.h"

/* A growing text; ends with 0. A text that could not grow is failed, and stays so. */
typedef struct soa_page {
    const soa_allocator *allocator;
    soa_array bytes;
    bool failed;
} soa_page;

soa_page soa_page_on(const soa_allocator *allocator);
void soa_page_clear(soa_page *text); /* releases it */
void soa_page_put(soa_page *text, const char *more);
void soa_page_format(soa_page *text, const char *format, ...) SOA_PRINTF(2, 3);

/* What was put, "" if nothing was. */
const char *soa_page_text(const soa_page *text);

/* The variable whose name is the text of the page, which is cleared; NULL: no room. (measure.c) */
const soa_term *soa_term_called(soa_terms *pool, soa_page *name, soa_variable about);

/* Hands the text over (to be released with the allocator) and clears it; SOA_E_MEMORY if it failed. */
soa_status soa_page_give(soa_page *page, char **text, soa_error *error);

/* Appends the term, with no more parentheses than needed. I and 0 whose type nothing
 * else tells carry it: I[joint force]. */
void soa_print_term(const soa_terms *pool, const soa_term *term, soa_notation notation, soa_page *text);

/* Appends the term in ASCII with blocks as products with projections, as certificates have them: P I[body force][4]', not P[4]. */
void soa_print_plain(const soa_terms *pool, const soa_term *term, soa_page *text);

/* Appends how an operator, a vector or another name is written. */
void soa_print_name(const char *name, soa_notation notation, soa_page *text);

/* ---- types, kinds and traits in words (words.c) ----------------------------------------------------- */

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
