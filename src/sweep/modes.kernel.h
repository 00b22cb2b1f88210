/* sweep/modes.kernel.h - numbers by mode, several to a vector.
 *
 * A row has a number of each mode of a link. Of one state four of them share a vector (a pack), and rows are filled up with
 * zeros to whole packs; of lanes of states a pack is one number. Either way each number has the same bits, and so have
 * sums over modes: they are four sums, of modes 0 4 8 .., 1 5 9 .., and so on, added in pairs. */
#ifndef SOA_SWEEP_MODES_KERNEL_H
#define SOA_SWEEP_MODES_KERNEL_H

#include "spatial/quad.h"
#include "sweep/vars.kernel.h"

#if LANES == 1
enum { PACK = 4 };
typedef quad pack;
#else
enum { PACK = 1 };
typedef real pack;
#endif

/* Packs that are taken together. */
enum { PACKS = 4 };

KERNEL pack pack_get(const real *x)
{
    pack y;
    memcpy(&y, x, sizeof y);
    return y;
}

KERNEL void pack_put(real *y, pack x)
{
    memcpy(y, &x, sizeof x);
}

/* One number of a state for all of the pack; numbers of the model. */
#if LANES == 1
KERNEL pack pack_all(const real *x)
{
    return quad_all(x);
}

KERNEL pack pack_set(const double *x)
{
    return pack_get(x);
}

KERNEL pack pack_fma(pack a, pack b, pack c)
{
    return quad_fma(a, b, c);
}

KERNEL pack pack_fnma(pack a, pack b, pack c)
{
#if defined(SOA_QUAD_AVX2)
    return (quad)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c); /* gcc would compute -a */
#else
    return quad_fnma(a, b, c);
#endif
}

KERNEL pack pack_div(pack a, pack b)
{
    return a / b;
}
#else
KERNEL pack pack_all(const real *x)
{
    return *x;
}

KERNEL pack pack_set(const double *x)
{
    return real_set(*x);
}

KERNEL pack pack_fma(pack a, pack b, pack c)
{
    return real_fma(a, b, c);
}

KERNEL pack pack_fnma(pack a, pack b, pack c)
{
    return real_fnma(a, b, c);
}

KERNEL pack pack_div(pack a, pack b)
{
    return real_div(a, b);
}
#endif

/* x in a register: what is used several times gcc would read from memory each time. */
KERNEL pack pack_keep(pack x)
{
#if defined(SOA_QUAD_AVX2) || defined(SOA_LANES_AVX2) || defined(SOA_LANES_AVX512)
    __asm__("" : "+v"(x));
#endif
    return x;
}

KERNEL pack pack_number(double x)
{
#if LANES == 1
    return quad_set(x);
#else
    return real_set(x);
#endif
}

/* Number i of a pack for all of it, and the first. */
KERNEL pack pack_pick(pack x, size_t i)
{
#if LANES > 1
    (void)i;
    return x;
#elif defined(SOA_QUAD_AVX2)
    static const int32_t at[4][8] = { { 0, 1, 0, 1, 0, 1, 0, 1 }, { 2, 3, 2, 3, 2, 3, 2, 3 },
        { 4, 5, 4, 5, 4, 5, 4, 5 }, { 6, 7, 6, 7, 6, 7, 6, 7 } };
    return (quad)_mm256_permutevar8x32_ps((__m256)x, _mm256_loadu_si256((const __m256i *)(const void *)at[i]));
#else
    return quad_set(x[i]);
#endif
}

KERNEL real pack_first(pack x)
{
#if LANES == 1
    return x[0];
#else
    return x;
#endif
}

#if LANES == 1 && defined(SOA_QUAD_AVX2)
/* A mask of the first count numbers of a pack, of three at most. */
KERNEL __m256i pack_mask(size_t count)
{
    static const int64_t mask[7] = { -1, -1, -1, 0, 0, 0, 0 };
    return _mm256_loadu_si256((const __m256i *)(const void *)(mask + 3 - count));
}
#endif

/* Numbers i, i + 1, .. of m as a pack, zeros behind them. */
KERNEL pack pack_some(const double *x, size_t i, size_t m)
{
#if LANES > 1
    (void)m;
    return real_load(x + i * LANES);
#else
    if (i + PACK <= m) {
        return pack_get(x + i);
    }
#if defined(SOA_QUAD_AVX2)
    return (pack)_mm256_maskload_pd(x + i, pack_mask(m - i));
#else
    return (pack){ x[i], i + 1 < m ? x[i + 1] : 0.0, i + 2 < m ? x[i + 2] : 0.0, 0.0 };
#endif
#endif
}

#if LANES == 1
/* Writes numbers i, i + 1, .. of a pack, as far as they are below m. */
KERNEL void pack_put_some(real *y, size_t i, size_t m, pack x)
{
    if (i + PACK <= m) {
        pack_put(y + i, x);
        return;
    }
    y[i] = x[0]; /* stores with a mask are slow on some processors */
    if (i + 1 < m) {
        y[i + 1] = x[1];
    }
    if (i + 2 < m) {
        y[i + 2] = x[2];
    }
}
#endif

/* ---- rows ------------------------------------------------------------------------------------ */

/* The numbers of a row of m modes, and where pack i begins. */
KERNEL size_t row_size(size_t m)
{
    return (m + PACK - 1) / PACK * PACK;
}

KERNEL size_t pack_begin(size_t i)
{
    return i / PACK * PACK;
}

/* The four sums of two rows, added up. */
#if LANES == 1
KERNEL void quad_sums(quad a, quad b, real y[2])
{
#if defined(SOA_QUAD_AVX2)
    const __m256d pairs = _mm256_hadd_pd((__m256d)a, (__m256d)b);
    _mm_storeu_pd(y, _mm_add_pd(_mm256_castpd256_pd128(pairs), _mm256_extractf128_pd(pairs, 1)));
#else
    y[0] = (a[0] + a[1]) + (a[2] + a[3]);
    y[1] = (b[0] + b[1]) + (b[2] + b[3]);
#endif
}

#endif

KERNEL void row_zero(size_t m, real *y)
{
    for (size_t i = 0; i < row_size(m); i++) {
        y[i] = real_set(0.0);
    }
}

/* A row from numbers one after another. */
KERNEL const real *row_from(size_t m, const real *x, real *row)
{
    size_t whole = 0;
#if LANES == 1 /* number by number: what was written so cannot be read as a vector at once */
    for (; whole + PACK <= m; whole += PACK) {
        pack_put(row + whole, (quad){ x[whole], x[whole + 1], x[whole + 2], x[whole + 3] });
    }
#endif
    for (size_t i = whole; i < m; i++) {
        row[i] = x[i];
    }
    for (size_t i = m; i < row_size(m); i++) {
        row[i] = real_set(0.0);
    }
    return row;
}

/* Calls f(first, packs) until all packs from `first` to `end` are done; the number of packs is a constant each time. */
#define IN_PACKS(f, first, end)                              \
    for (size_t at_ = (first); at_ < (end);) {               \
        const size_t left_ = ((end)-at_ + PACK - 1) / PACK;  \
        if (left_ >= PACKS) {                                \
            f(at_, PACKS);                                   \
        } else if (left_ == 3) {                             \
            f(at_, 3);                                       \
        } else if (left_ == 2) {                             \
            f(at_, 2);                                       \
        } else {                                             \
            f(at_, 1);                                       \
        }                                                    \
        at_ += left_ >= PACKS ? PACKS * PACK : left_ * PACK; \
    }

/* ---- columns of six ----------------------------------------------------------------------------------- */

/* y = sum over i of x(i step) times column i, six numbers, the columns a distance apart. */
KERNEL void six_sum(size_t m, const real *column, size_t apart, const real *x, size_t step, real y[6])
{
#if LANES == 1 /* numbers 0 to 3 and 2 to 5 */
    quad low = { 0.0 }, high = { 0.0 };
    for (size_t i = 0; i < m; i++) {
        const quad all = quad_all(x + i * step);
        low = quad_fma(all, pack_get(column + i * apart), low);
        high = quad_fma(all, pack_get(column + i * apart + 2), high);
    }
    pack_put(y + 2, high);
    pack_put(y, low);
#else
    for (int e = 0; e < 6; e++) {
        y[e] = real_set(0.0);
    }
    for (size_t i = 0; i < m; i++) {
        for (int e = 0; e < 6; e++) {
            y[e] = real_fma(x[i * step], column[i * apart + (size_t)e], y[e]);
        }
    }
#endif
}

/* Six numbers of the model. */
KERNEL void six_set(const double x[6], real y[6])
{
#if LANES == 1
    const quad low = pack_get(x), high = pack_get(x + 2);
    pack_put(y, low);
    pack_put(y + 2, high);
#else
    for (int e = 0; e < 6; e++) {
        y[e] = real_set(x[e]);
    }
#endif
}

KERNEL void six_copy(const real x[6], real y[6])
{
    memcpy(y, x, 6 * sizeof *y);
}

KERNEL force six_force(const real y[6])
{
    return (force){ { y[0], y[1], y[2] }, { y[3], y[4], y[5] } };
}

KERNEL motion six_motion(const real y[6])
{
    return (motion){ { y[0], y[1], y[2] }, { y[3], y[4], y[5] } };
}

KERNEL void put_six(force f, real y[6])
{
    y[0] = f.n.x, y[1] = f.n.y, y[2] = f.n.z, y[3] = f.f.x, y[4] = f.f.y, y[5] = f.f.z;
}

#endif
