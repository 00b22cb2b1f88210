/* spatial/twice.h - the number of every kernel, once more: a number, its slopes along two directions, and how one slope
 * changes along the other direction.
 *
 * Stands in the place of spatial/real.h and spatial/sincos.h in a unit that takes second derivatives, and is a dual number
 * of dual numbers: x + s S + t T + st S T with S^2 = T^2 = 0. C has no operators for it, so the unit is C++, which needs no
 * library. In memory it is four lanes: x, s, t, st. Branches and masks look at the number. */
#ifndef SOA_SPATIAL_TWICE_H
#define SOA_SPATIAL_TWICE_H

#define SOA_SPATIAL_REAL_H
#define SOA_SPATIAL_SINCOS_H
#define LANES         4
#define SOA_FMA       0
#define SOA_ONE_STATE /* the lanes of a real are of one state */
#define SOA_SLOPES    /* they are a number and its slopes */
#define _Alignas alignas

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define KERNEL static inline

struct real {
    double x, s, t, st;
    real() = default;
    real(double number) : x(number), s(0.0), t(0.0), st(0.0)
    {
    }
    real(double number, double along_s, double along_t, double along_both)
        : x(number), s(along_s), t(along_t), st(along_both)
    {
    }
};

typedef int64_t real_int __attribute__((vector_size(32)));

/* ---- arithmetic ------------------------------------------------------------------------------------- */

KERNEL real operator-(real a)
{
    return real(-a.x, -a.s, -a.t, -a.st);
}

KERNEL real operator+(real a, real b)
{
    return real(a.x + b.x, a.s + b.s, a.t + b.t, a.st + b.st);
}

KERNEL real operator-(real a, real b)
{
    return real(a.x - b.x, a.s - b.s, a.t - b.t, a.st - b.st);
}

KERNEL real operator*(real a, real b)
{
    return real(
        a.x * b.x, a.x * b.s + a.s * b.x, a.x * b.t + a.t * b.x, (a.x * b.st + a.st * b.x) + (a.s * b.t + a.t * b.s));
}

KERNEL real operator*(double a, real b)
{
    return real(a * b.x, a * b.s, a * b.t, a * b.st);
}

KERNEL real operator*(real a, double b)
{
    return b * a;
}

/* f(a) by f, f' and f'' at its number. */
KERNEL real real_map(real a, double f, double f1, double f2)
{
    return real(f, f1 * a.s, f1 * a.t, f1 * a.st + f2 * (a.s * a.t));
}

KERNEL real operator/(real a, real b)
{
    const double y = 1.0 / b.x;
    return a * real_map(b, y, -(y * y), 2.0 * (y * y) * y);
}

KERNEL real real_div(real a, real b)
{
    return a / b;
}

KERNEL real real_fma(real a, real b, real c)
{
    return a * b + c;
}

KERNEL real real_fnma(real a, real b, real c)
{
    return c - a * b;
}

KERNEL double double_fma(double a, double b, double c)
{
    return a * b + c;
}

KERNEL real real_sqrt(real a)
{
    const double y = sqrt(a.x);
    return real_map(a, y, 0.5 / y, -0.25 / (y * a.x));
}

KERNEL real real_abs(real a)
{
    return a.x < 0.0 ? -a : a;
}

/* sin and cos of one number (spatial/sincos.h). */
extern "C" void soa_sincos(double x, double *sine, double *cosine);

KERNEL void real_sincos(real a, real *sine, real *cosine)
{
    double s, c;
    soa_sincos(a.x, &s, &c);
    *sine = real_map(a, s, c, -s);
    *cosine = real_map(a, c, -s, -c);
}

/* ---- lanes ------------------------------------------------------------------------------------------ */

KERNEL real real_load(const double *from)
{
    return real(from[0], from[1], from[2], from[3]);
}

KERNEL void real_store(double *to, real a)
{
    memcpy(to, &a, sizeof a);
}

KERNEL real real_set(double x)
{
    return real(x);
}

KERNEL double real_get(real a, int lane)
{
    return lane == 0 ? a.x : lane == 1 ? a.s : lane == 2 ? a.t : a.st;
}

KERNEL real real_put(real a, int lane, double value)
{
    (lane == 0 ? a.x : lane == 1 ? a.s : lane == 2 ? a.t : a.st) = value;
    return a;
}

/* ---- masks ------------------------------------------------------------------------------------------ */

KERNEL real_int real_mask(bool set)
{
    const int64_t bits = -(int64_t)set;
    return (real_int){ bits, bits, bits, bits };
}

KERNEL real_int real_less(real a, real b)
{
    return real_mask(a.x < b.x);
}

KERNEL real_int real_less_equal(real a, real b)
{
    return real_mask(a.x <= b.x);
}

KERNEL real real_select(real_int mask, real a, real b)
{
    return mask[0] != 0 ? a : b;
}

KERNEL bool real_all(real_int mask)
{
    return mask[0] != 0;
}

#endif
