/* spatial/dual.h - the number of every kernel, once more: a number and its slope.
 *
 * Stands in the place of spatial/real.h and spatial/sincos.h in a unit that takes derivatives. A real is x + i h s, h so
 * small that its square vanishes beside x: complex arithmetic then carries s, the slope along some direction, exactly to
 * rounding. In memory it is two lanes: the number, then h times its slope. Branches and masks look at the number. */
#ifndef SOA_SPATIAL_DUAL_H
#define SOA_SPATIAL_DUAL_H

#define SOA_SPATIAL_REAL_H
#define SOA_SPATIAL_SINCOS_H
#define LANES         2
#define SOA_FMA       0
#define SOA_ONE_STATE /* the lanes of a real are of one state */
#define SOA_SLOPES    /* they are a number and its slopes */

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define KERNEL static inline __attribute__((always_inline))
#else
#define KERNEL static inline
#endif

typedef double _Complex real;
typedef int64_t real_int __attribute__((vector_size(16)));

KERNEL real real_load(const double *from)
{
    real x;
    memcpy(&x, from, sizeof x);
    return x;
}

KERNEL void real_store(double *to, real x)
{
    memcpy(to, &x, sizeof x);
}

KERNEL real real_of(double number, double slope)
{
    return real_load((const double[2]){ number, slope });
}

KERNEL real real_set(double x)
{
    return real_of(x, 0.0);
}

KERNEL double real_get(real x, int lane)
{
    return lane == 0 ? creal(x) : cimag(x);
}

KERNEL real real_put(real x, int lane, double value)
{
    return lane == 0 ? real_of(value, cimag(x)) : real_of(creal(x), value);
}

KERNEL real real_fma(real a, real b, real c)
{
    return a * b + c;
}

KERNEL double double_fma(double a, double b, double c)
{
    return a * b + c;
}

KERNEL real real_fnma(real a, real b, real c)
{
    return c - a * b;
}

/* a b' / |b|^2, written out: compilers divide complex numbers in different ways. */
KERNEL real real_div(real a, real b)
{
    const double square = creal(b) * creal(b) + cimag(b) * cimag(b);
    const real y = a * conj(b);
    return real_of(creal(y) / square, cimag(y) / square);
}

KERNEL real real_sqrt(real x)
{
    const double root = sqrt(creal(x));
    return real_of(root, cimag(x) / (2.0 * root));
}

KERNEL real real_abs(real x)
{
    return creal(x) < 0.0 ? -x : x;
}

KERNEL real_int real_mask(bool set)
{
    return (real_int){ -(int64_t)set, -(int64_t)set };
}

KERNEL real_int real_less(real a, real b)
{
    return real_mask(creal(a) < creal(b));
}

KERNEL real_int real_less_equal(real a, real b)
{
    return real_mask(creal(a) <= creal(b));
}

KERNEL real real_select(real_int mask, real a, real b)
{
    return mask[0] != 0 ? a : b;
}

KERNEL bool real_all(real_int mask)
{
    return mask[0] != 0;
}

/* sin and cos of one number (spatial/sincos.h). */
void soa_sincos(double x, double *sine, double *cosine);

KERNEL void real_sincos(real x, real *sine, real *cosine)
{
    double s, c;
    soa_sincos(creal(x), &s, &c);
    *sine = real_of(s, c * cimag(x));
    *cosine = real_of(c, -s * cimag(x));
}

#endif
