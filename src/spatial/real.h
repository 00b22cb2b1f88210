/* spatial/real.h - the number of every kernel: one double, or LANES of them.
 *
 * A unit defines LANES (1, 2, 4 or 8; 1 if it does not) before it includes a
 * kernel header. Each lane has the bits that LANES 1 gives in the same numeric
 * profile. There are two profiles: with FMA (the unit is compiled for a machine
 * that has it) and without; real_fma is the only place where they differ.
 * Build with -ffp-contract=off. */
#ifndef SOA_SPATIAL_REAL_H
#define SOA_SPATIAL_REAL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifndef LANES
#define LANES       1
#define SOA_NO_UNIT /* of kernels: models are made without FMA, so that their numbers are the same on every machine */
#endif
/* SOA_NO_FMA: the profile without FMA on any machine. */
#if (defined(__FMA__) || defined(__aarch64__)) && !defined(SOA_NO_FMA) && !defined(SOA_NO_UNIT)
#define SOA_FMA 1
#else
#define SOA_FMA 0
#endif

#if LANES == 4 && defined(__AVX2__)
#define SOA_LANES_AVX2 1
#include <immintrin.h>
#elif LANES == 8 && defined(__AVX512F__)
#define SOA_LANES_AVX512 1
#include <immintrin.h>
#endif

/* gcc 12 miscompiles 64-byte vectors (wrong numbers at -O2) where registers are narrower. */
#if LANES == 8 && defined(__x86_64__) && !defined(__AVX512F__) && !defined(__clang__)
#error "build 8 lanes for AVX-512 only"
#endif

/* All kernels are static: no vector crosses a boundary between units. */
#if LANES > 1 && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

/* Every kernel function: always inlined, so that structs live in registers. */
#if defined(__GNUC__)
#define KERNEL static inline __attribute__((always_inline))
#else
#define KERNEL static inline
#endif

/* real_int: as many bits, as integers; a mask has all bits of a lane set or none. */
#if LANES == 1
typedef double real;
typedef int64_t real_int;
typedef uint64_t real_bits;
#else
typedef double real __attribute__((vector_size(8 * LANES)));
typedef int64_t real_int __attribute__((vector_size(8 * LANES)));
typedef uint64_t real_bits __attribute__((vector_size(8 * LANES)));
#endif

/* ---- lanes ------------------------------------------------------------------- */

/* The same number in each lane. */
KERNEL real real_set(double x)
{
#if LANES == 1
    return x;
#elif LANES == 2
    return (real){ x, x };
#elif LANES == 4
    return (real){ x, x, x, x };
#else
    return (real){ x, x, x, x, x, x, x, x };
#endif
}

/* first, first + 1, ... */
KERNEL real real_count(double first)
{
#if LANES == 1
    return first;
#elif LANES == 2
    return first + (real){ 0.0, 1.0 };
#elif LANES == 4
    return first + (real){ 0.0, 1.0, 2.0, 3.0 };
#else
    return first + (real){ 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0 };
#endif
}

/* From and to LANES numbers that follow each other. */
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

#if defined(SOA_LANES_AVX2)
/* A mask of the first count lanes. */
KERNEL real_int real_first(int count)
{
    const real_int lane = { 0, 1, 2, 3 };
    return lane < count;
}
#endif

/* Loads or stores the first count numbers alone; the other lanes become zero, or stay as they are in memory. */
KERNEL real real_load_some(const double *from, int count)
{
#if defined(SOA_LANES_AVX512)
    return (real)_mm512_maskz_loadu_pd((__mmask8)((1u << count) - 1u), from);
#elif defined(SOA_LANES_AVX2)
    return (real)_mm256_maskload_pd(from, (__m256i)real_first(count));
#elif LANES == 1
    return count > 0 ? from[0] : 0.0;
#else
    real x = real_set(0.0);
    for (int i = 0; i < count; i++) {
        x[i] = from[i];
    }
    return x;
#endif
}

KERNEL void real_store_some(double *to, int count, real x)
{
#if defined(SOA_LANES_AVX512)
    _mm512_mask_storeu_pd(to, (__mmask8)((1u << count) - 1u), (__m512d)x);
#elif defined(SOA_LANES_AVX2)
    _mm256_maskstore_pd(to, (__m256i)real_first(count), (__m256d)x);
#elif LANES == 1
    if (count > 0) {
        to[0] = x;
    }
#else
    for (int i = 0; i < count; i++) {
        to[i] = x[i];
    }
#endif
}

/* The lanes from first on; the numbers before are left. */
KERNEL void real_store_last(double *to, int first, real x)
{
#if defined(SOA_LANES_AVX512)
    _mm512_mask_storeu_pd(to, (__mmask8)(0xffu << first), (__m512d)x);
#elif defined(SOA_LANES_AVX2)
    _mm256_maskstore_pd(to, (__m256i)~real_first(first), (__m256d)x);
#elif LANES == 1
    if (first == 0) {
        to[0] = x;
    }
#else
    for (int i = first; i < LANES; i++) {
        to[i] = x[i];
    }
#endif
}

KERNEL double real_get(real x, int lane)
{
#if LANES == 1
    (void)lane;
    return x;
#else
    return x[lane];
#endif
}

KERNEL real real_put(real x, int lane, double value)
{
#if LANES == 1
    (void)lane, (void)x;
    return value;
#else
    x[lane] = value;
    return x;
#endif
}

KERNEL real_bits bits_of_real(real x)
{
    real_bits bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

KERNEL real real_of_bits(real_bits bits)
{
    real x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* ---- arithmetic --------------------------------------------------------------- */

/* a b + c: rounded once in the FMA profile, twice in the other. Do not negate the
 * result but a and c: gcc turns -(a b + c) into -a b - c in one lane, and a zero
 * then has another sign than in many. */
KERNEL real real_fma(real a, real b, real c)
{
#if !SOA_FMA
    return a * b + c;
#elif LANES == 1
    return __builtin_fma(a, b, c);
#elif defined(SOA_LANES_AVX2)
    return (real)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined(SOA_LANES_AVX512)
    return (real)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#else
    for (int i = 0; i < LANES; i++) {
        c[i] = __builtin_fma(a[i], b[i], c[i]);
    }
    return c;
#endif
}

/* a b + c of one number, whatever the lanes. */
KERNEL double double_fma(double a, double b, double c)
{
#if SOA_FMA
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

/* c - a b, rounded as real_fma. */
KERNEL real real_fnma(real a, real b, real c)
{
#if defined(SOA_LANES_AVX512) && SOA_FMA
    return (real)_mm512_fnmadd_pd((__m512d)a, (__m512d)b, (__m512d)c); /* gcc would share -a, and compute it */
#else
    return real_fma(-a, b, c);
#endif
}

KERNEL real real_div(real a, real b)
{
    return a / b;
}

KERNEL real real_sqrt(real x)
{
#if LANES == 1
    return __builtin_sqrt(x);
#elif defined(SOA_LANES_AVX2)
    return (real)_mm256_sqrt_pd((__m256d)x);
#elif defined(SOA_LANES_AVX512)
    return (real)_mm512_sqrt_pd((__m512d)x);
#else
    for (int i = 0; i < LANES; i++) {
        x[i] = __builtin_sqrt(x[i]);
    }
    return x;
#endif
}

KERNEL real real_abs(real x)
{
    return real_of_bits(bits_of_real(x) & UINT64_C(0x7fffffffffffffff));
}

/* ---- masks -------------------------------------------------------------------- */

KERNEL real_int real_less(real a, real b)
{
#if LANES == 1
    return -(real_int)(a < b);
#else
    return a < b;
#endif
}

/* false also where a number is NaN */
KERNEL real_int real_less_equal(real a, real b)
{
#if LANES == 1
    return -(real_int)(a <= b);
#else
    return a <= b;
#endif
}

/* mask ? a : b, lane by lane. */
KERNEL real real_select(real_int mask, real a, real b)
{
#if LANES == 1
    return mask ? a : b;
#elif defined(SOA_LANES_AVX2)
    return (real)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
#elif defined(SOA_LANES_AVX512)
    return (real)_mm512_castsi512_pd(_mm512_ternarylogic_epi64(
        (__m512i)mask, _mm512_castpd_si512((__m512d)a), _mm512_castpd_si512((__m512d)b), 0xCA));
#else
    const real_bits m = (real_bits)mask;
    return real_of_bits((m & bits_of_real(a)) | (~m & bits_of_real(b)));
#endif
}

/* Whether every lane of the mask is set. */
KERNEL bool real_all(real_int mask)
{
#if LANES == 1
    return mask != 0;
#elif defined(SOA_LANES_AVX2)
    return _mm256_movemask_pd((__m256d)mask) == 0xf;
#elif defined(SOA_LANES_AVX512)
    return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) == 0xff;
#else
    int64_t all = -1;
    for (int i = 0; i < LANES; i++) {
        all &= mask[i];
    }
    return all != 0;
#endif
}

/* Whether any is. */
KERNEL bool real_any(real_int mask)
{
#if LANES == 1
    return mask != 0;
#elif defined(SOA_LANES_AVX2)
    return _mm256_movemask_pd((__m256d)mask) != 0;
#elif defined(SOA_LANES_AVX512)
    return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#else
    int64_t any = 0;
    for (int i = 0; i < LANES; i++) {
        any |= mask[i];
    }
    return any != 0;
#endif
}

#endif
