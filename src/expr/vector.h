/* expr/vector.h - what the list of vectors says, by model. */
#ifndef SOA_EXPR_VECTOR_H
#define SOA_EXPR_VECTOR_H

#include "soa/expr.h"

/* What a vector is made of on a system with rotors or without; "": it is given, or SOA_VECTORS. */
const char *soa_vector_definition(soa_vector_id vector, bool rotors);

#endif
