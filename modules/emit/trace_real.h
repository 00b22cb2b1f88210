/* emit/trace_real.h - the number of every kernel, once more: LANES values of a tape.
 *
 * Stands in the place of spatial/real.h and spatial/sincos.h in the units that trace. An operation on reals goes to the
 * tape of the thread, once. Every lane holds the one state that is
 * traced; there are two of them because kernels for one lane alone put vectors to other uses. */
#ifndef SOA_EMIT_TRACE_REAL_H
#define SOA_EMIT_TRACE_REAL_H

#define SOA_SPATIAL_REAL_H
#define SOA_SPATIAL_SINCOS_H
#define LANES                2
#define SOA_FMA              0
#define SOA_ONE_STATE        /* the lanes of a real are of one state */
#define SOA_OWN_REAL_INVERSE /* real_inverse is here */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "emit/tape.h"

#define KERNEL static inline

/* Where the operations of this thread go; set by whoever runs a kernel. */
static thread_local tape *tracing;

struct real {
    double lane[LANES];
};

/* A mask: for each lane a value that is 1.0 (all bits), 0.0, or a node. */
struct real_int {
    double lane[LANES];
    double operator[](int i) const
    {
        return lane[i];
    }
};

static inline real trace_op(tape_op op, real a, real b, real c)
{
    const double y = tape_apply(tracing, op, a.lane[0], b.lane[0], c.lane[0]);
    return real{ { y, y } };
}

static inline real real_set(double x)
{
    return real{ { x, x } };
}

static inline real trace_2(tape_op op, real a, real b)
{
    return trace_op(op, a, b, real_set(0.0));
}

static inline real operator-(real a)
{
    return trace_2(TAPE_NEG, a, real_set(0.0));
}

#define TRACE_OPERATOR(sign, op)                       \
    static inline real operator sign(real a, real b)   \
    {                                                  \
        return trace_2(op, a, b);                      \
    }                                                  \
    static inline real operator sign(real a, double b) \
    {                                                  \
        return trace_2(op, a, real_set(b));            \
    }                                                  \
    static inline real operator sign(double a, real b) \
    {                                                  \
        return trace_2(op, real_set(a), b);            \
    }
TRACE_OPERATOR(+, TAPE_ADD)
TRACE_OPERATOR(-, TAPE_SUB)
TRACE_OPERATOR(*, TAPE_MUL)
TRACE_OPERATOR(/, TAPE_DIV)
#undef TRACE_OPERATOR

static inline real real_load(const double *from)
{
    real x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline void real_store(double *to, real x)
{
    memcpy(to, &x, sizeof x);
}

static inline real real_load_some(const double *from, int count)
{
    real x = real_set(0.0);
    memcpy(&x, from, (size_t)count * sizeof *from);
    return x;
}

static inline void real_store_some(double *to, int count, real x)
{
    memcpy(to, &x, (size_t)count * sizeof *to);
}

static inline void real_store_last(double *to, int first, real x)
{
    memcpy(to + first, x.lane + first, (size_t)(LANES - first) * sizeof *to);
}

static inline double real_get(real x, int lane)
{
    return x.lane[lane];
}

static inline real real_put(real x, int lane, double value)
{
    x.lane[lane] = value;
    return x;
}

static inline real real_fma(real a, real b, real c)
{
    return trace_op(TAPE_FMA, a, b, c);
}

static inline double double_fma(double a, double b, double c)
{
    return tape_apply(tracing, TAPE_FMA, a, b, c);
}

static inline real real_fnma(real a, real b, real c)
{
    return real_fma(-a, b, c);
}

static inline real real_div(real a, real b)
{
    return a / b;
}

static inline real real_sqrt(real x)
{
    return trace_2(TAPE_SQRT, x, x);
}

static inline real real_abs(real x)
{
    return trace_2(TAPE_ABS, x, x);
}

static inline real_int trace_mask(tape_op op, real a, real b)
{
    const real y = trace_2(op, a, b);
    real_int mask;
    memcpy(&mask, &y, sizeof mask);
    return mask;
}

static inline real_int real_less(real a, real b)
{
    return trace_mask(TAPE_LESS, a, b);
}

static inline real real_select(real_int mask, real a, real b)
{
    real m;
    memcpy(&m, &mask, sizeof m);
    return trace_op(TAPE_SELECT, m, a, b);
}

/* What depends on the state is taken to be so: kernels ask whether all is well. */
static inline bool real_all(real_int mask)
{
    for (int i = 0; i < LANES; i++) {
        if (!tape_is_node(mask.lane[i]) && mask.lane[i] == 0.0) {
            return false;
        }
    }
    return true;
}

static inline void real_sincos(real x, real *sine, real *cosine)
{
    *sine = trace_2(TAPE_SIN, x, x);
    *cosine = trace_2(TAPE_COS, x, x);
}

/* B = A^-1 of a symmetric positive definite A, n x n by rows; what is singular is not finite where the code runs. */
static inline bool real_inverse(int n, const real *A, real *B)
{
    const size_t size = (size_t)n * (size_t)n;
    double *a = (double *)malloc((2 * size + 1) * sizeof *a), *b = a + size;
    for (size_t i = 0; a != NULL && i < size; i++) {
        a[i] = A[i].lane[0];
        b[i] = i % ((size_t)n + 1) == 0 ? 1.0 : 0.0;
    }
    if (a != NULL) {
        tape_solve(tracing, n, a, n, b);
    }
    for (size_t i = 0; a != NULL && i < size; i++) {
        B[i] = real_set(b[i]);
    }
    tracing->full = tracing->full || a == NULL;
    free(a);
    return true;
}

#endif
