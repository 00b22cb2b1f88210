/* expr/type.h - why two parts of an expression do not fit, in words. */
#ifndef SOA_EXPR_TYPE_H
#define SOA_EXPR_TYPE_H

#include "expr/syntax.h"

/* What is known of the type of a node. */
typedef struct soa_ends {
    soa_type type;
    bool from_known, to_known;
} soa_ends;

/* Each makes the error of the parser. */
void soa_explain_sum(soa_parser *p, int left, const soa_ends *a, int right, const soa_ends *b);
void soa_explain_product(soa_parser *p, int left, const soa_ends *a, int right, const soa_ends *b);
void soa_explain_sides(soa_parser *p, int left, const soa_ends *a, int right, const soa_ends *b);

#endif
