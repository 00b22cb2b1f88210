/* spatial/quad.h - four numbers of one state in a vector, for kernels of one lane.
 *
 * Of a single state the vectors would lie idle: here the three components of a
 * vector share one, the fourth number is not used. Each component has the bits of
 * the same formula written on numbers. */
#ifndef SOA_SPATIAL_QUAD_H
#define SOA_SPATIAL_QUAD_H

#include "spatial/pose.h"

#if LANES == 1

#if SOA_FMA && defined(__AVX2__)
#define SOA_QUAD_AVX2 1
#include <immintrin.h>
#endif

/* All of this is inlined: no vector is passed to a function. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

typedef double quad __attribute__((vector_size(32)));

KERNEL quad quad_set(double x)
{
    return (quad){ x, x, x, x };
}

/* a b + c, as real_fma */
KERNEL quad quad_fma(quad a, quad b, quad c)
{
#if !SOA_FMA
    return a * b + c;
#elif defined(SOA_QUAD_AVX2)
    return (quad)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    for (int i = 0; i < 4; i++) {
        c[i] = __builtin_fma(a[i], b[i], c[i]);
    }
    return c;
#endif
}

/* ---- a pose by columns --------------------------------------------------------------- */

/* A pose: the columns of its rotation, and its position. */
typedef struct frame {
    quad x, y, z, l;
} frame;

KERNEL frame frame_identity(void)
{
    return (frame){ { 1.0, 0.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0, 0.0 }, { 0.0, 0.0, 1.0, 0.0 }, { 0.0, 0.0, 0.0, 0.0 } };
}

KERNEL frame frame_of_pose(const pose *X)
{
    const mat3 R = X->R;
    return (frame){
        { R.xx, R.yx, R.zx, 0.0 },
        { R.xy, R.yy, R.zy, 0.0 },
        { R.xz, R.yz, R.zz, 0.0 },
        { X->l.x, X->l.y, X->l.z, 0.0 },
    };
}

KERNEL vec3 quad_vec3(const quad *a)
{
    return (vec3){ (*a)[0], (*a)[1], (*a)[2] };
}

KERNEL pose frame_pose(const frame *a)
{
    return (pose){ mat3_of_columns(quad_vec3(&a->x), quad_vec3(&a->y), quad_vec3(&a->z)), quad_vec3(&a->l) };
}

/* a Rz, as mat3_rotz */
KERNEL frame frame_rotz(frame a, double cosine, double sine)
{
    const quad c = quad_set(cosine), s = quad_set(sine);
    return (frame){ quad_fma(a.y, s, a.x * c), quad_fma(a.y, c, -(a.x * s)), a.z, a.l };
}

/* a Rx, as mat3_rotx */
KERNEL frame frame_rotx(frame a, double cosine, double sine)
{
    const quad c = quad_set(cosine), s = quad_set(sine);
    return (frame){ a.x, quad_fma(a.z, s, a.y * c), quad_fma(a.z, c, -(a.y * s)), a.l };
}

/* pose_point */
KERNEL quad frame_point(frame a, vec3 p)
{
    return quad_fma(a.z, quad_set(p.z), quad_fma(a.y, quad_set(p.y), quad_fma(a.x, quad_set(p.x), a.l)));
}

/* a v, as mat3_mul_vec */
KERNEL quad frame_turn(frame a, vec3 v)
{
    return quad_fma(a.z, quad_set(v.z), quad_fma(a.y, quad_set(v.y), a.x * quad_set(v.x)));
}

/* pose_compose */
KERNEL frame frame_compose(frame a, pose b)
{
    return (frame){
        frame_turn(a, mat3_column_x(b.R)),
        frame_turn(a, mat3_column_y(b.R)),
        frame_turn(a, mat3_column_z(b.R)),
        frame_point(a, b.l),
    };
}

/* Rotation by rows, position: 12 numbers. */
KERNEL void frame_store(double *to, frame a)
{
#if defined(SOA_QUAD_AVX2)
    const __m256d x = (__m256d)a.x, y = (__m256d)a.y, z = (__m256d)a.z, l = (__m256d)a.l;
    const __m256d xy_02 = _mm256_unpacklo_pd(x, y), xy_1 = _mm256_unpackhi_pd(x, y);
    const __m128d z_10 = _mm_permute_pd(_mm256_castpd256_pd128(z), 1);
    /* each row of three spoils the first number of what follows, which is written after it */
    _mm256_storeu_pd(to, _mm256_insertf128_pd(xy_02, _mm256_castpd256_pd128(z), 1));
    _mm256_storeu_pd(to + 3, _mm256_insertf128_pd(xy_1, z_10, 1));
    _mm256_storeu_pd(to + 6, _mm256_permute2f128_pd(xy_02, z, 0x31));
    _mm_storeu_pd(to + 9, _mm256_castpd256_pd128(l));
    _mm_store_sd(to + 11, _mm256_extractf128_pd(l, 1));
#else
    const pose X = frame_pose(&a);
    memcpy(to, &X, sizeof X);
#endif
}

#endif
#endif
