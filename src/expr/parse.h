/* expr/parse.h - texts of the operator language as typed terms.
 *
 * A name is an operator of soa/operator.h, a vector of soa/expr.h (it becomes a
 * variable of the pool under its name), a variable that is in the pool already, or a
 * definition of the scope. Errors: SOA_E_SYNTAX, SOA_E_NAME (unknown), SOA_E_NUMBER,
 * SOA_E_LIMIT (too deep, too large), SOA_E_MEMORY; with line and column in characters. */
#ifndef SOA_EXPR_PARSE_H
#define SOA_EXPR_PARSE_H

#include "expr/term.h"
#include "soa/expr.h"

/* How deeply parentheses may be nested, how many operations may act on each other, and how large a term may be,
 * counted as a tree. */
enum { SOA_PARSE_DEPTH = 100, SOA_PARSE_HEIGHT = 1000, SOA_PARSE_SIZE = 20000 };

/* Definitions by name. */
typedef struct soa_scope soa_scope;

soa_status soa_parse_term(soa_terms *pool, const char *text, const soa_term **term, soa_error *error);

/* "A = B": both sides have one type. */
soa_status soa_parse_equation(
    soa_terms *pool, const char *text, const soa_term **left, const soa_term **right, soa_error *error);

/* Parses a term, with the definitions of a scope. */
soa_status soa_parse_term_in(
    soa_terms *pool, const soa_scope *scope, const char *text, const soa_term **term, soa_error *error);
#endif
