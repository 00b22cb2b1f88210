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

/* ---- names (meaning.c) -------------------------------------------------------------------- */

/* What a vector is made of on a system with rotors or without; "": it is given, or SOA_VECTORS. */
const char *soa_vector_definition(soa_vector_id vector, bool rotors);

/* The variable of a coordinate "q_1", a number. */
const soa_term *soa_names_coordinate(soa_terms *pool, const char *name);

/* The variable of a vector of the list. */
const soa_term *soa_names_vector(soa_terms *pool, soa_vector_id vector);

/* What a derivative is by, from the name of the coordinate. */
typedef enum soa_by {
    SOA_BY_NOTHING,  /* it is no coordinate */
    SOA_BY_POSITION, /* q_1, q_elbow */
    SOA_BY_VELOCITY, /* beta_1: a vector of the state is at hand, all operators are constant */
    SOA_BY_FORCE,    /* T_1 */
    SOA_BY_TIME,     /* t */
} soa_by;

/* The name of the time, which nobody can declare; it is written dot(A), or d(A, t). */
#define SOA_TIME "d/dt"

soa_by soa_derivative_by(const char *name);

/* Whether positions move along the coordinate: what is constant has no derivative by it. */
bool soa_derivative_moves(const char *name);

/* The term of a text of the list, in which q_i is the coordinate (NULL: there is no q_i in it). */
soa_status soa_derivative_parse(
    soa_terms *terms, const char *from_list, const soa_term *coordinate, const soa_term **term);

#endif
