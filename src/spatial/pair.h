/* spatial/pair.h - two numbers that go through the same operations.
 *
 * One state: a vector register of two, which every machine with vectors has.
 * Lanes: one after the other. Each half has the bits of the same operation on
 * a real. What concerns the first half alone says so. */
#ifndef SOA_SPATIAL_PAIR_H
#define SOA_SPATIAL_PAIR_H

#include "spatial/vec3.h"

#if LANES == 1
#if SOA_FMA && defined(__x86_64__)
#include <immintrin.h>
#endif
typedef double pair __attribute__((vector_size(16)));
#else
typedef struct pair {
    real a, b;
} pair;
#endif

/* ---- making and taking apart ------------------------------------------------------ */

KERNEL pair pair_of(real a, real b)
{
    return (pair){ a, b };
}

KERNEL real pair_first(pair x)
{
#if LANES == 1
    return x[0];
#else
    return x.a;
#endif
}

KERNEL real pair_second(pair x)
{
#if LANES == 1
    return x[1];
#else
    return x.b;
#endif
}

/* Both halves the same. */
KERNEL pair pair_twice(real a)
{
    return (pair){ a, a };
}

/* A constant of the model. */
KERNEL pair pair_set(double a)
{
    return pair_twice(real_set(a));
}

KERNEL pair pair_twice_second(pair x)
{
    return pair_twice(pair_second(x));
}

/* The first halves of two pairs, and the second ones. */
KERNEL pair pair_firsts(pair x, pair y)
{
    return pair_of(pair_first(x), pair_first(y));
}

KERNEL pair pair_seconds(pair x, pair y)
{
    return pair_of(pair_second(x), pair_second(y));
}

/* The first half of one, the second of the other. */
KERNEL pair pair_merge(pair x, pair y)
{
    return pair_of(pair_first(x), pair_second(y));
}

/* ---- arithmetic -------------------------------------------------------------------- */

KERNEL pair pair_add(pair x, pair y)
{
#if LANES == 1
    return x + y;
#else
    return (pair){ x.a + y.a, x.b + y.b };
#endif
}

KERNEL pair pair_mul(pair x, pair y)
{
#if LANES == 1
    return x * y;
#else
    return (pair){ x.a * y.a, x.b * y.b };
#endif
}

/* x y + z, rounded as real_fma */
KERNEL pair pair_fma(pair x, pair y, pair z)
{
#if LANES > 1
    return (pair){ real_fma(x.a, y.a, z.a), real_fma(x.b, y.b, z.b) };
#elif !SOA_FMA
    return x * y + z;
#elif defined(__x86_64__)
    return (pair)_mm_fmadd_pd((__m128d)x, (__m128d)y, (__m128d)z);
#else
    return (pair){ real_fma(x[0], y[0], z[0]), real_fma(x[1], y[1], z[1]) };
#endif
}

/* x y - z */
KERNEL pair pair_fms(pair x, pair y, pair z)
{
#if LANES > 1
    return (pair){ real_fma(x.a, y.a, -z.a), real_fma(x.b, y.b, -z.b) };
#else
    return pair_fma(x, y, -z);
#endif
}

/* z - x y */
KERNEL pair pair_fnma(pair x, pair y, pair z)
{
#if LANES > 1
    return (pair){ real_fnma(x.a, y.a, z.a), real_fnma(x.b, y.b, z.b) };
#elif SOA_FMA && defined(__AVX512VL__)
    return (pair)_mm_mask3_fnmadd_pd((__m128d)x, (__m128d)y, (__m128d)z, 3); /* as in real_fnma */
#else
    return pair_fma(-x, y, z);
#endif
}

/* ---- three pairs: two 3-vectors that go the same way ---------------------------------- */

typedef struct pair3 {
    pair x, y, z;
} pair3;

KERNEL pair3 pair3_of(vec3 a, vec3 b)
{
    return (pair3){ pair_of(a.x, b.x), pair_of(a.y, b.y), pair_of(a.z, b.z) };
}

KERNEL vec3 pair3_first(pair3 v)
{
    return (vec3){ pair_first(v.x), pair_first(v.y), pair_first(v.z) };
}

KERNEL vec3 pair3_second(pair3 v)
{
    return (vec3){ pair_second(v.x), pair_second(v.y), pair_second(v.z) };
}

KERNEL pair3 pair3_twice(vec3 a)
{
    return (pair3){ pair_twice(a.x), pair_twice(a.y), pair_twice(a.z) };
}

KERNEL pair3 pair3_twice_second(pair3 v)
{
    return (pair3){ pair_twice_second(v.x), pair_twice_second(v.y), pair_twice_second(v.z) };
}

KERNEL pair3 pair3_firsts(pair3 u, pair3 v)
{
    return (pair3){ pair_firsts(u.x, v.x), pair_firsts(u.y, v.y), pair_firsts(u.z, v.z) };
}

KERNEL pair3 pair3_seconds(pair3 u, pair3 v)
{
    return (pair3){ pair_seconds(u.x, v.x), pair_seconds(u.y, v.y), pair_seconds(u.z, v.z) };
}

KERNEL pair3 pair3_merge(pair3 u, pair3 v)
{
    return (pair3){ pair_merge(u.x, v.x), pair_merge(u.y, v.y), pair_merge(u.z, v.z) };
}

KERNEL pair3 pair3_add(pair3 u, pair3 v)
{
    return (pair3){ pair_add(u.x, v.x), pair_add(u.y, v.y), pair_add(u.z, v.z) };
}

KERNEL pair3 pair3_scale(pair s, pair3 v)
{
    return (pair3){ pair_mul(s, v.x), pair_mul(s, v.y), pair_mul(s, v.z) };
}

/* a x b + c */
KERNEL pair3 pair3_cross_add(pair3 a, pair3 b, pair3 c)
{
    return (pair3){
        pair_fma(a.y, b.z, pair_fnma(a.z, b.y, c.x)),
        pair_fma(a.z, b.x, pair_fnma(a.x, b.z, c.y)),
        pair_fma(a.x, b.y, pair_fnma(a.y, b.x, c.z)),
    };
}

/* R v, as mat3_mul_vec */
KERNEL pair3 pair3_turn(mat3 R, pair3 v)
{
    return (pair3){
        pair_fma(pair_twice(R.xz), v.z, pair_fma(pair_twice(R.xy), v.y, pair_mul(pair_twice(R.xx), v.x))),
        pair_fma(pair_twice(R.yz), v.z, pair_fma(pair_twice(R.yy), v.y, pair_mul(pair_twice(R.yx), v.x))),
        pair_fma(pair_twice(R.zz), v.z, pair_fma(pair_twice(R.zy), v.y, pair_mul(pair_twice(R.zx), v.x))),
    };
}

/* Rz v, Rz* v, Rx v, Rx* v: as rotz and its relatives of spatial/screw.h, to the bit */
KERNEL pair3 pair3_rotz(pair c, pair s, pair3 v)
{
    return (pair3){ pair_fnma(s, v.y, pair_mul(c, v.x)), pair_fma(s, v.x, pair_mul(c, v.y)), v.z };
}

KERNEL pair3 pair3_rotz_t(pair c, pair s, pair3 v)
{
    return (pair3){ pair_fma(s, v.y, pair_mul(c, v.x)), pair_fms(c, v.y, pair_mul(s, v.x)), v.z };
}

KERNEL pair3 pair3_rotx(pair c, pair s, pair3 v)
{
    return (pair3){ v.x, pair_fms(c, v.y, pair_mul(s, v.z)), pair_fma(s, v.y, pair_mul(c, v.z)) };
}

KERNEL pair3 pair3_rotx_t(pair c, pair s, pair3 v)
{
    return (pair3){ v.x, pair_fma(s, v.z, pair_mul(c, v.y)), pair_fnma(s, v.y, pair_mul(c, v.z)) };
}

#endif
