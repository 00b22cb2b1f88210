/* expr/scope.h - what the parser of expressions and that of programs share. */
#ifndef SOA_EXPR_SCOPE_H
#define SOA_EXPR_SCOPE_H

#include "expr/parse.h"
#include "expr/syntax.h"

typedef struct soa_sides {
    const soa_term *left, *right; /* right NULL: no equation */
} soa_sides;

/* The expression or equation at the token looked at, up to the end of the statement. */
soa_status soa_parser_sides(soa_parser *p, bool equation, soa_sides *sides);

/* Removes the ends of lines after which a statement goes on; all of them, or those
 * within parentheses and beside signs that need a second operand. */
void soa_parser_join_lines(soa_parser *p, bool all);

#endif
