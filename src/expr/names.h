/* expr/names.h - what the list of vectors says, and the terms of names. */
#ifndef SOA_EXPR_NAMES_H
#define SOA_EXPR_NAMES_H

#include "expr/term.h"

/* What a vector is made of on a system with rotors or without; "": it is given, or SOA_VECTORS. */
const char *soa_vector_definition(soa_vector_id vector, bool rotors);

/* The variable of a coordinate "q_1", a number. */
const soa_term *soa_names_coordinate(soa_terms *pool, const char *name);

/* The variable of a vector of the list. */
const soa_term *soa_names_vector(soa_terms *pool, soa_vector_id vector);

#endif
