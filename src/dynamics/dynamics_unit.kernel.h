/* dynamics/dynamics_unit.kernel.h - all kernels for one width of lanes, and their table.
 *
 * A unit defines LANES and UNIT and includes this file. */
#include "dynamics/kernels.h"

#include "dynamics/coriolis.kernel.h"
#include "dynamics/coriolis_columns.kernel.h"
#include "dynamics/fast.kernel.h"
#include "dynamics/forward.kernel.h"
#include "dynamics/inverse.kernel.h"
#include "dynamics/inverse_columns.kernel.h"
#include "dynamics/inverse_factors.kernel.h"
#include "dynamics/jacobian.kernel.h"
#include "dynamics/kinematics.kernel.h"
#include "dynamics/mass.kernel.h"
#include "dynamics/momentum.kernel.h"
#include "dynamics/newton.kernel.h"
#include "dynamics/operational.kernel.h"

static size_t work_size(const soa_model *model, int points)
{
    vars w;
    return vars_header() + vars_place(model, points, NULL, &w);
}

static void work_prepare(const soa_model *model, int points, void *block)
{
    vars *w = block;
    vars_place(model, points, (char *)block + vars_header(), w);
#if LANES == 1
    fields_prepare(model, w);
#endif
}

/* cosine and sine of LANES angles, side by side. */
KERNEL void put_cos_sin(real c, real s, double *to)
{
#if defined(SOA_LANES_AVX512)
    const __m512i low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11),
                  high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    real_store(to, (real)_mm512_permutex2var_pd((__m512d)c, low, (__m512d)s));
    real_store(to + LANES, (real)_mm512_permutex2var_pd((__m512d)c, high, (__m512d)s));
#else
    for (int lane = 0; lane < LANES; lane++) {
        to[2 * lane] = real_get(c, lane);
        to[2 * lane + 1] = real_get(s, lane);
    }
#endif
}

/* q[index] of LANES indices */
KERNEL real gather_numbers(const double *q, const int *index)
{
#if defined(SOA_LANES_AVX512)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion" /* it is a macro without optimization, and converts */
    return (real)_mm512_i32gather_pd(_mm256_loadu_si256((const void *)index), q, sizeof *q);
#pragma GCC diagnostic pop
#else
    real x = real_set(0.0);
    for (int lane = 0; lane < LANES; lane++) {
        x = real_put(x, lane, q[index[lane]]);
    }
    return x;
#endif
}

/* 0 x is zero for a finite x and NaN for any other, and NaN stays in the sum. */
static bool unit_finite(const double *x, size_t n)
{
    const real zero = real_set(0.0);
    real sum[4] = { zero, zero, zero, zero };
    size_t i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        for (size_t j = 0; j < 4; j++) {
            sum[j] = real_fma(zero, real_load(x + i + j * LANES), sum[j]);
        }
    }
    for (; i + LANES <= n; i += LANES) {
        sum[0] = real_fma(zero, real_load(x + i), sum[0]);
    }
    if (i < n) {
        sum[1] = real_fma(zero, real_load_some(x + i, (int)(n - i)), sum[1]);
    }
    return real_all(real_less((sum[0] + sum[1]) + (sum[2] + sum[3]), real_set(1.0)));
}

static void unit_model_sincos(const soa_model *model, int first, int end, const double *q, double *cos_sin)
{
    for (int k = first; k < end; k += LANES) {
        real s, c;
        real_sincos(gather_numbers(q, model->angle + k) + real_load(model->angle_zero + k), &s, &c);
        put_cos_sin(c, s, cos_sin + 2 * k);
    }
}

/* From number to number: a vector read from what was just written number by number would wait for it. */
static void unit_path_sincos(const soa_model *model, const double *q, int n, const int *body, double *cos_sin)
{
    for (int i = 0; i < n; i += LANES) {
        real x = real_set(0.0), s, c;
        for (int lane = 0; lane < LANES && i + lane < n; lane++) {
            const int k = body[i + lane];
            x = real_put(x, lane, q[model->angle[k]] + model->angle_zero[k]);
        }
        real_sincos(x, &s, &c);
        put_cos_sin(c, s, cos_sin + 2 * i);
    }
}

#define TABLE_NAME_OF(unit) soa_dynamics_##unit
#define TABLE_NAME(unit)    TABLE_NAME_OF(unit)

extern const soa_kernel_table TABLE_NAME(UNIT);
const soa_kernel_table TABLE_NAME(UNIT) = {
    .lanes = LANES,
    .size = work_size,
    .prepare = work_prepare,
#if LANES > 1
    .gather = gather_inputs,
#endif
    .work = { unit_finite, unit_model_sincos, unit_path_sincos, inverse_columns, inverse_factors, project_columns, gather_columns,
        coriolis_columns },
    .kernel = {
#define TABLE_ENTRY(name, ...) [SOA_KERNEL_##name] = name,
        SOA_KERNEL_LIST(TABLE_ENTRY)
#if LANES == 1
        SOA_SINGLE_KERNEL_LIST(TABLE_ENTRY)
#endif
#undef TABLE_ENTRY
    },
};
