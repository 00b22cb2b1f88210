/* spatial/quad.h - four numbers of one state in a vector, for kernels of one lane.
 *
 * Of a single state the vectors would lie idle: here the three components of a
 * vector share one, the fourth number is not used. Each component has the bits of
 * the same formula written on numbers. */
#ifndef SOA_SPATIAL_QUAD_H
#define SOA_SPATIAL_QUAD_H

#include "spatial/rigid.h"

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

/* A number in memory in all four places: one instruction, where a register takes two. */
KERNEL quad quad_all(const double *x)
{
#if defined(SOA_QUAD_AVX2)
    return (quad)_mm256_broadcast_sd(x);
#else
    return quad_set(*x);
#endif
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

/* The components picked, in the order of the name. */
#if defined(SOA_QUAD_AVX2)
#define QUAD_PICK(name, i, j, k)                                                            \
    KERNEL quad name(quad a)                                                                \
    {                                                                                       \
        return (quad)_mm256_permute4x64_pd((__m256d)a, (i) | (j) << 2 | (k) << 4 | 3 << 6); \
    }
#else
#define QUAD_PICK(name, i, j, k)                 \
    KERNEL quad name(quad a)                     \
    {                                            \
        return (quad){ a[i], a[j], a[k], a[3] }; \
    }
#endif
QUAD_PICK(quad_yzx, 1, 2, 0)
QUAD_PICK(quad_zxy, 2, 0, 1)
QUAD_PICK(quad_yxx, 1, 0, 0)
QUAD_PICK(quad_zzy, 2, 2, 1)
#undef QUAD_PICK

/* c - a b */
KERNEL quad quad_fnma(quad a, quad b, quad c)
{
    return quad_fma(-a, b, c);
}

/* a x b, as vec3_cross */
KERNEL quad quad_cross(quad a, quad b)
{
    return quad_fma(quad_yzx(a), quad_zxy(b), -(quad_zxy(a) * quad_yzx(b)));
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
KERNEL frame frame_rotz(frame a, const double *cosine, const double *sine)
{
    const quad c = quad_all(cosine), s = quad_all(sine);
    return (frame){ quad_fma(a.y, s, a.x * c), quad_fma(a.y, c, -(a.x * s)), a.z, a.l };
}

/* a Rx, as mat3_rotx */
KERNEL frame frame_rotx(frame a, const double *cosine, const double *sine)
{
    const quad c = quad_all(cosine), s = quad_all(sine);
    return (frame){ a.x, quad_fma(a.z, s, a.y * c), quad_fma(a.z, c, -(a.y * s)), a.l };
}

/* pose_point */
KERNEL quad frame_point(frame a, vec3 p)
{
    return quad_fma(a.z, quad_set(p.z), quad_fma(a.y, quad_set(p.y), quad_fma(a.x, quad_set(p.x), a.l)));
}

/* The point (x, y, z) of the frame a, its coordinates in memory: l + R (x, y, z). */
KERNEL quad frame_point_at(frame a, const double *x, const double *y, const double *z)
{
    return quad_fma(a.z, quad_all(z), quad_fma(a.y, quad_all(y), quad_fma(a.x, quad_all(x), a.l)));
}

/* a v, as mat3_mul_vec */
KERNEL quad frame_turn(frame a, vec3 v)
{
    return quad_fma(a.z, quad_set(v.z), quad_fma(a.y, quad_set(v.y), a.x * quad_set(v.x)));
}

KERNEL quad frame_turn_at(frame a, const double *x, const double *y, const double *z)
{
    return quad_fma(a.z, quad_all(z), quad_fma(a.y, quad_all(y), a.x * quad_all(x)));
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

/* ---- an inertia ---------------------------------------------------------------------- */

/* The diagonal xx yy zz and the others yz xz xy of J, the first moment, the mass. */
typedef struct quad_rigid {
    quad d, o, h;
    double m;
} quad_rigid;

KERNEL quad_rigid quad_rigid_of(rigid M)
{
    return (quad_rigid){
        { M.J.xx, M.J.yy, M.J.zz, 0.0 },
        { M.J.yz, M.J.xz, M.J.xy, 0.0 },
        { M.h.x, M.h.y, M.h.z, 0.0 },
        M.m,
    };
}

KERNEL rigid rigid_of_quads(const quad_rigid *M)
{
    const quad d = M->d, o = M->o;
    return (rigid){ M->m, quad_vec3(&M->h), { d[0], o[2], o[1], d[1], o[0], d[2] } };
}

/* R M R*, as rigid_turn; M: the numbers of rigid_set. */
KERNEL quad_rigid quad_rigid_turn(frame R, const double *M)
{
    const double *xx = M + 4, *xy = M + 5, *xz = M + 6, *yy = M + 7, *yz = M + 8, *zz = M + 9;
    const quad x = frame_turn_at(R, xx, xy, xz), y = frame_turn_at(R, xy, yy, yz), z = frame_turn_at(R, xz, yz, zz);
    const quad o = quad_fma(quad_yxx(y), quad_zzy(R.y), quad_yxx(x) * quad_zzy(R.x));
    return (quad_rigid){
        quad_fma(z, R.z, quad_fma(y, R.y, x * R.x)),
        quad_fma(quad_yxx(z), quad_zzy(R.z), o),
        frame_turn_at(R, M + 1, M + 2, M + 3),
        M[0],
    };
}

/* phi(l) M phi*(l), as rigid_translate. */
KERNEL quad_rigid quad_rigid_translate(quad l, quad_rigid M)
{
    const quad h = quad_fma(quad_set(M.m), l, M.h), g = M.h + h;
    const quad l1 = quad_yxx(l), l2 = quad_zzy(l);
    return (quad_rigid){
        quad_fma(l1, quad_yxx(g), quad_fma(l2, quad_zzy(g), M.d)),
        quad_fnma(quad_yxx(M.h), l2, quad_fnma(l1, quad_zzy(h), M.o)),
        h,
        M.m,
    };
}

KERNEL quad_rigid quad_rigid_add(quad_rigid a, quad_rigid b)
{
    return (quad_rigid){ a.d + b.d, a.o + b.o, a.h + b.h, a.m + b.m };
}

/* J v: the diagonal first, then xy xy xz and xz yz yz. */
KERNEL quad quad_rigid_moment(quad_rigid M, quad v)
{
    return quad_fma(quad_yxx(M.o), quad_zzy(v), quad_fma(quad_zzy(M.o), quad_yxx(v), M.d * v));
}

#endif
#endif
