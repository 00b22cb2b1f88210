/* expr/exact_short.h - short names for the arithmetic of a system. */
#ifndef SOA_EXPR_EXACT_SHORT_H
#define SOA_EXPR_EXACT_SHORT_H

#include "expr/exact.h"

typedef soa_exact_system system_;

static inline soa_exact add(system_ *s, soa_exact a, soa_exact b)
{
    return soa_exact_add(&s->field, a, 1, b);
}

static inline soa_exact subtract(system_ *s, soa_exact a, soa_exact b)
{
    return soa_exact_add(&s->field, a, (uint32_t)s->field.prime - 1, b);
}

static inline soa_exact multiply(system_ *s, soa_exact a, soa_exact b)
{
    return soa_exact_multiply(&s->field, a, b);
}

static inline soa_exact adjoint(system_ *s, soa_exact a)
{
    return soa_exact_transpose(&s->field, a);
}

/* a B a* */
static inline soa_exact congruence(system_ *s, soa_exact a, soa_exact B)
{
    return multiply(s, multiply(s, a, B), adjoint(s, a));
}

#endif
