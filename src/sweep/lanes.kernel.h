/* sweep/lanes.kernel.h - states into lanes and back: the transposition of arrays.
 *
 * Inputs of a kernel for lanes are gathered before it runs: number i of LANES
 * states side by side, then number i + 1. Outputs of few numbers are kept that
 * way and scattered at the end. */
#ifndef SOA_SWEEP_LANES_KERNEL_H
#define SOA_SWEEP_LANES_KERNEL_H

#include "sweep/vars.kernel.h"

#if LANES > 1

/* States with more numbers are not asked for ahead: they would push out others. */
enum { PREFETCH_NUMBERS = 128 };

/* ---- LANES numbers of LANES states ---------------------------------------------------- */

#if defined(SOA_LANES_AVX512)

/* Halves of rows of eight, four numbers each: rows r and r + 4 in one register. */
KERNEL __m512d half_rows(const double *low, const double *high, __mmask8 mask)
{
    if (mask == 0xf) {
        return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(low)), _mm256_loadu_pd(high), 1);
    }
    return _mm512_insertf64x4(
        _mm512_castpd256_pd512(_mm256_maskz_loadu_pd(mask, low)), _mm256_maskz_loadu_pd(mask, high), 1);
}

/* Columns 0 .. 3 of eight rows. */
KERNEL void columns_of_half_rows(const __m512d a[4], real column[4])
{
    const __m512i even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13),
                  odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    const __m512d t0 = _mm512_unpacklo_pd(a[0], a[1]), t1 = _mm512_unpackhi_pd(a[0], a[1]);
    const __m512d t2 = _mm512_unpacklo_pd(a[2], a[3]), t3 = _mm512_unpackhi_pd(a[2], a[3]);
    column[0] = (real)_mm512_permutex2var_pd(t0, even, t2);
    column[1] = (real)_mm512_permutex2var_pd(t1, even, t3);
    column[2] = (real)_mm512_permutex2var_pd(t0, odd, t2);
    column[3] = (real)_mm512_permutex2var_pd(t1, odd, t3);
}

/* Up to eight numbers of each row, from `first` on. */
KERNEL void gather_some(const double *const row[LANES], size_t first, size_t n, real *to)
{
    for (size_t part = 0; part < n; part += 4) {
        const __mmask8 mask = (__mmask8)((1u << (n - part < 4 ? n - part : 4)) - 1u);
        __m512d a[4];
        real column[4];
        for (size_t r = 0; r < 4; r++) {
            a[r] = half_rows(row[r] + first + part, row[r + 4] + first + part, mask);
        }
        columns_of_half_rows(a, column);
        for (size_t i = 0; i < 4 && part + i < n; i++) {
            to[part + i] = column[i];
        }
    }
}

KERNEL void scatter_some(const real *from, size_t n, size_t first, int count, double *const row[LANES])
{
    for (size_t part = 0; part < n; part += 4) { /* four columns of eight numbers */
        const size_t left = n - part;
        const __mmask8 mask = (__mmask8)((1u << (left < 4 ? left : 4)) - 1u);
        const __m512i even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
        const __m512i odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
        const __m512d c0 = (__m512d)from[part], c1 = (__m512d)from[left > 1 ? part + 1 : part];
        const __m512d c2 = (__m512d)from[left > 2 ? part + 2 : part], c3 = (__m512d)from[left > 3 ? part + 3 : part];
        const __m512d t0 = _mm512_unpacklo_pd(c0, c1), t1 = _mm512_unpackhi_pd(c0, c1);
        const __m512d t2 = _mm512_unpacklo_pd(c2, c3), t3 = _mm512_unpackhi_pd(c2, c3);
        const __m512d half[4] = { _mm512_permutex2var_pd(t0, even, t2), _mm512_permutex2var_pd(t1, even, t3),
            _mm512_permutex2var_pd(t0, odd, t2), _mm512_permutex2var_pd(t1, odd, t3) }; /* rows r and r + 4 */
        for (int r = 0; r < 4; r++) {
            if (r < count) {
                _mm256_mask_storeu_pd(row[r] + first + part, mask, _mm512_castpd512_pd256(half[r]));
            }
            if (r + 4 < count) {
                _mm256_mask_storeu_pd(row[r + 4] + first + part, mask, _mm512_extractf64x4_pd(half[r], 1));
            }
        }
    }
}

#else

KERNEL void gather_some(const double *const row[LANES], size_t first, size_t n, real *to)
{
    for (size_t i = 0; i < n; i++) {
        real x = real_set(0.0);
        for (int lane = 0; lane < LANES; lane++) {
            x = real_put(x, lane, row[lane][first + i]);
        }
        to[i] = x;
    }
}

KERNEL void scatter_some(const real *from, size_t n, size_t first, int count, double *const row[LANES])
{
    for (size_t i = 0; i < n; i++) {
        for (int lane = 0; lane < count; lane++) {
            row[lane][first + i] = real_get(from[i], lane);
        }
    }
}

#endif

/* ---- arrays --------------------------------------------------------------------------- */

/* The numbers of the next LANES states are asked for while these are worked on. */
KERNEL void next_states(const soa_call *call, const double *at, size_t stride)
{
    const size_t n = call->more && stride <= PREFETCH_NUMBERS ? LANES * stride : 0;
    for (size_t i = 0; i < n; i += 8) {
        __builtin_prefetch(at + n + i);
    }
}

/* n numbers of each state of the call: where they are if they are so already, or in `to`. */
static inline soa_in gather(const soa_call *call, soa_in in, size_t n, real *to)
{
    if (!in.at) {
        return in;
    }
    next_states(call, in.at, in.stride);
    if (call->step != 1 && call->count == LANES) {
        return in;
    }
    const double *row[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        const size_t state = (size_t)(lane < call->count ? lane : call->count - 1);
        row[lane] = in.at + state * (call->step == 1 ? in.stride : 1);
    }
    if (call->step == 1) {
        for (size_t i = 0; i < n; i += LANES) {
            gather_some(row, i, n - i < LANES ? n - i : LANES, to + i);
        }
    } else { /* places without a state are not read */
        for (size_t i = 0; i < n; i++) {
            real x = real_set(0.0);
            for (int lane = 0; lane < LANES; lane++) {
                x = real_put(x, lane, row[lane][i * LANES]);
            }
            to[i] = x;
        }
    }
    return (soa_in){ (const double *)to, in.stride };
}

/* All inputs of a call. */
static void gather_inputs(soa_call *call)
{
    const soa_model *m = call->model;
    const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, n = (size_t)m->bodies;
    const vars *w = call->work;
    real *to = w->in;
    call->q = gather(call, call->q, nq, to);
    to += nq;
    call->v = gather(call, call->v, nv, to);
    to += nv;
    if (call->prescribed) {
        call->u = gather(call, (soa_in){ call->y.at, call->y.stride }, nv, to);
        call->given = gather(call, (soa_in){ call->y2.at, call->y2.stride }, nv, to + nv);
    } else {
        call->u = gather(call, call->u, nv, to);
    }
    to += 2 * nv;
    call->f = gather(call, call->f, 6 * n, to);
    call->g = gather(call, call->g, 6 * (size_t)call->points, to + 6 * n);
}

#endif

/* ---- outputs ---------------------------------------------------------------------------- */

/* Where a kernel writes nv numbers y, one real each; scatter_y brings them to call->y. */
KERNEL real *y_of(const soa_call *call, const vars *w)
{
#if LANES == 1
    (void)w;
    return call->y.at;
#else
    return call->y.at ? w->y : NULL;
#endif
}

/* y to the states. */
static inline void scatter_y(const soa_call *call, const real *y)
{
#if LANES == 1
    (void)call, (void)y;
#else
    const size_t n = (size_t)call->model->nv;
    next_states(call, call->y.at, call->y.stride);
    if (call->step != 1) {
        for (size_t i = 0; i < n; i++) {
            out_put(call, call->y, i, y[i]);
        }
        return;
    }
    double *row[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        row[lane] = call->y.at + (size_t)(lane < call->count ? lane : call->count - 1) * call->y.stride;
    }
    for (size_t i = 0; i < n; i += LANES) {
        scatter_some(y + i, n - i < LANES ? n - i : LANES, i, call->count, row);
    }
#endif
}

#endif
