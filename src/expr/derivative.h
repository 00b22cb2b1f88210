/* expr/derivative.h - what the derivatives of single operators and vectors are: the list derivatives.def. */
#ifndef SOA_EXPR_DERIVATIVE_H
#define SOA_EXPR_DERIVATIVE_H

#include "expr/term.h"
#include "soa/expr.h"

typedef enum soa_derivative_kind {
    SOA_DERIVATIVE_ZERO,
    SOA_DERIVATIVE_ELEMENTARY, /* an operator of its own */
    SOA_DERIVATIVE_EXPANDS,    /* soa_derivative_read says to what */
} soa_derivative_kind;

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

soa_derivative_kind soa_derivative_of(soa_operator op, bool rotors);
soa_derivative_kind soa_derivative_of_vector(soa_vector_id vector, bool rotors); /* SOA_VECTORS: one of the user's */

/* A text in which q_i is the coordinate (NULL: there is no q_i in it). */
soa_status soa_derivative_parse(
    soa_terms *terms, const char *from_list, const soa_term *coordinate, const soa_term **term);

/* What d(op, coordinate) expands to; the term has derivatives of others in it. */
soa_status soa_derivative_read(
    soa_terms *terms, soa_operator op, bool rotors, const soa_term *coordinate, const soa_term **term);
soa_status soa_derivative_read_vector(
    soa_terms *terms, soa_vector_id vector, bool rotors, const soa_term *coordinate, const soa_term **term);

#endif
