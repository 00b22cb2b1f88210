/* expr/derivative.h - what derivatives are by, and what the list operators.def says of them. */
#ifndef SOA_EXPR_DERIVATIVE_H
#define SOA_EXPR_DERIVATIVE_H

#include "expr/term.h"

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
