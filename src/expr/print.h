/* expr/print.h - terms as text: ASCII, Unicode or LaTeX, that reads back to the same term. */
#ifndef SOA_EXPR_PRINT_H
#define SOA_EXPR_PRINT_H

#include "expr/term.h"
#include "soa/expr.h"

/* A growing text; ends with 0. A text that could not grow is failed, and stays so. */
typedef struct soa_text {
    const soa_allocator *allocator;
    soa_array bytes;
    bool failed;
} soa_text;

soa_text soa_text_on(const soa_allocator *allocator);
void soa_text_clear(soa_text *text); /* releases it */
void soa_text_put(soa_text *text, const char *more);
void soa_text_format(soa_text *text, const char *format, ...) SOA_PRINTF(2, 3);

/* What was put, "" if nothing was. */
const char *soa_text_of(const soa_text *text);

/* Appends the term, with no more parentheses than needed. I and 0 whose type nothing
 * else tells carry it: I[joint force]. */
void soa_print_term(const soa_terms *pool, const soa_term *term, soa_notation notation, soa_text *text);

/* Appends how an operator, a vector or another name is written. */
void soa_print_name(const char *name, soa_notation notation, soa_text *text);

/* Appends "body force -> joint force". */
void soa_print_type(soa_type type, soa_text *text);

#endif
