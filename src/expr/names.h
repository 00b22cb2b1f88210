/* expr/names.h - the terms of names. */
#ifndef SOA_EXPR_NAMES_H
#define SOA_EXPR_NAMES_H

#include "expr/term.h"

/* The variable of a coordinate "q_1", a number. */
const soa_term *soa_names_coordinate(soa_terms *pool, const char *name);

/* The variable of a vector of the list. */
const soa_term *soa_names_vector(soa_terms *pool, soa_vector_id vector);

#endif
