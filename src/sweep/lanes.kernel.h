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

/* ---- n numbers of LANES states, stride from state to state ------------------------------- */

#if defined(SOA_LANES_AVX512)

/* Four numbers of states r and r + 4 side by side, as many of them as the mask says. */
KERNEL __m512d load_rows(const double *row, size_t stride, __mmask8 mask)
{
    const __m256d low = mask == 0xf ? _mm256_loadu_pd(row) : _mm256_maskz_loadu_pd(mask, row);
    const __m256d high =
        mask == 0xf ? _mm256_loadu_pd(row + 4 * stride) : _mm256_maskz_loadu_pd(mask, row + 4 * stride);
    return _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
}

KERNEL void store_rows(double *row, size_t stride, __mmask8 mask, __m512d x)
{
    if (mask == 0xf) {
        _mm256_storeu_pd(row, _mm512_castpd512_pd256(x));
        _mm256_storeu_pd(row + 4 * stride, _mm512_extractf64x4_pd(x, 1));
    } else {
        _mm256_mask_storeu_pd(row, mask, _mm512_castpd512_pd256(x));
        _mm256_mask_storeu_pd(row + 4 * stride, mask, _mm512_extractf64x4_pd(x, 1));
    }
}

/* a[r]: four numbers of states r and r + 4. Becomes one number of eight states each; and the other way round. */
KERNEL void transpose_rows(__m512d a[4])
{
    const __m512i even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    const __m512d t0 = _mm512_unpacklo_pd(a[0], a[1]), t1 = _mm512_unpackhi_pd(a[0], a[1]);
    const __m512d t2 = _mm512_unpacklo_pd(a[2], a[3]), t3 = _mm512_unpackhi_pd(a[2], a[3]);
    a[0] = _mm512_permutex2var_pd(t0, even, t2);
    a[1] = _mm512_permutex2var_pd(t1, even, t3);
    a[2] = _mm512_permutex2var_pd(t0, odd, t2);
    a[3] = _mm512_permutex2var_pd(t1, odd, t3);
}

KERNEL __mmask8 first_of_four(size_t n)
{
    return (__mmask8)(n < 4 ? (1u << n) - 1u : 0xfu);
}

KERNEL void gather_four(const double *at, size_t stride, __mmask8 mask, size_t n, real *to)
{
    __m512d a[4] = { load_rows(at, stride, mask), load_rows(at + stride, stride, mask),
        load_rows(at + 2 * stride, stride, mask), load_rows(at + 3 * stride, stride, mask) };
    transpose_rows(a);
    for (size_t i = 0; i < n; i++) {
        to[i] = (real)a[i];
    }
}

KERNEL void scatter_four(const real *from, double *at, size_t stride, __mmask8 mask, size_t n)
{
    __m512d a[4];
    for (size_t i = 0; i < 4; i++) {
        a[i] = (__m512d)from[i < n ? i : 0];
    }
    transpose_rows(a);
    for (size_t r = 0; r < 4; r++) {
        store_rows(at + r * stride, stride, mask, a[r]);
    }
}

static inline void gather_full(const double *at, size_t stride, size_t n, real *to)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        gather_four(at + i, stride, 0xf, 4, to + i);
    }
    if (i < n) {
        gather_four(at + i, stride, first_of_four(n - i), n - i, to + i);
    }
}

static inline void scatter_full(const real *from, size_t n, double *at, size_t stride)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        scatter_four(from + i, at + i, stride, 0xf, 4);
    }
    if (i < n) {
        scatter_four(from + i, at + i, stride, first_of_four(n - i), n - i);
    }
}

#else

static inline void gather_full(const double *at, size_t stride, size_t n, real *to)
{
    for (size_t i = 0; i < n; i++) {
        real x = real_set(0.0);
        for (int lane = 0; lane < LANES; lane++) {
            x = real_put(x, lane, at[(size_t)lane * stride + i]);
        }
        to[i] = x;
    }
}

static inline void scatter_full(const real *from, size_t n, double *at, size_t stride)
{
    for (size_t i = 0; i < n; i++) {
        for (int lane = 0; lane < LANES; lane++) {
            at[(size_t)lane * stride + i] = real_get(from[i], lane);
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
    if (call->spacing != 1 && call->count == LANES) {
        if (call->aliased) {
            memcpy(to, in.at, n * sizeof *to);
            return (soa_in){ (const double *)to, in.stride };
        }
        return in;
    }
    if (call->whole) {
        gather_full(in.at, in.stride, n, to);
    } else { /* places without a state are not read: they repeat the last */
        const size_t stride = call->spacing == 1 ? in.stride : 1;
        for (size_t i = 0; i < n; i++) {
            real x = real_set(0.0);
            for (int lane = 0; lane < LANES; lane++) {
                const size_t state = (size_t)(lane < call->count ? lane : call->count - 1);
                x = real_put(x, lane, in.at[state * stride + i * call->spacing]);
            }
            to[i] = x;
        }
    }
    return (soa_in){ (const double *)to, in.stride };
}

/* Whether every quaternion is of unit length, with room to spare for another order of the sum, and every free body at
 * a finite position: nothing that moves with a free body tells where it is. */
static inline bool unit_quaternions(const soa_call *call)
{
    const soa_model *m = call->model;
    bool unit = true;
    for (int i = 0; i < m->quaternions; i++) {
        const soa_body_data *body = &m->body[m->quaternion[i]];
        const size_t at = (size_t)body->q;
        real q[4];
        for (size_t j = 0; j < 4; j++) {
            q[j] = in_get(call, call->q, at + j);
        }
        real n = real_fma(q[0], q[0], real_fma(q[1], q[1], real_fma(q[2], q[2], q[3] * q[3])));
        if (body->nv == 6) {
            const vec3 l = in_vec3(call, call->q, at + 4);
            n = real_fma(real_set(0.0), l.x + l.y + l.z, n);
        }
        unit = unit && real_all(real_less(real_abs(n - 1.0), real_set(1e-7)));
    }
    return unit;
}

/* All inputs of a call. */
static inline void gather_inputs_in(soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, n = (size_t)m->bodies;
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
    call->x = gather(call, call->x, nv, to);
    to += nv;
    call->f = gather(call, call->f, 6 * n, to);
    call->g = gather(call, call->g, 6 * (size_t)call->points, to + 6 * n);
    call->unit = unit_quaternions(call);
}

static inline void gather_inputs(soa_call *call)
{
    gather_inputs_in(call, (const vars *)call->work);
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
    if (call->whole) {
        scatter_full(y, n, call->y.at, call->y.stride);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        out_put(call, call->y, i, y[i]);
    }
#endif
}

#endif
