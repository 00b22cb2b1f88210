/* expr/names.h - what names mean. */
#ifndef SOA_EXPR_NAMES_H
#define SOA_EXPR_NAMES_H

#include "expr/syntax.h"

/* The term of a name; NULL after an error that names the nearest known one. */
const soa_term *soa_names_term(soa_parser *p, const soa_token *token);

/* The variable of a coordinate "q_1", a number. */
const soa_term *soa_names_coordinate(soa_terms *pool, const char *name);

/* The variable of a vector of the list. */
const soa_term *soa_names_vector(soa_terms *pool, soa_vector_id vector);

/* Words of types: "joint", "force"; false for others. */
bool soa_names_space(const char *word, soa_space *space);
bool soa_names_side(const char *word, soa_side *side);

#endif
