/* expr/derivative.h - what the derivatives of single operators and vectors are: the list derivatives.def. */
#ifndef SOA_EXPR_DERIVATIVE_H
#define SOA_EXPR_DERIVATIVE_H

#include "expr/term.h"
#include "soa/expr.h"

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

/* What the derivative of an operator is, or of a vector if op is SOA_OPERATORS: "0", "" if it is elementary, or what it
 * expands to, with derivatives of others by q_i in it. Those of vectors of the user's (SOA_VECTORS) are "0". */
const char *soa_derivative_text(soa_operator op, soa_vector_id vector, bool rotors);

/* The term of such a text, in which q_i is the coordinate (NULL: there is no q_i in it). */
soa_status soa_derivative_parse(
    soa_terms *terms, const char *from_list, const soa_term *coordinate, const soa_term **term);

#endif
