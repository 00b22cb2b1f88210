/* spatial/vec3.h - 3-vectors, 3x3 matrices and symmetric 3x3 matrices.
 *
 * The number of operations in a comment counts a multiply-add as one. */
#ifndef SOA_SPATIAL_VEC3_H
#define SOA_SPATIAL_VEC3_H

#include "spatial/real.h"

typedef struct vec3 {
    real x, y, z;
} vec3;

/* Row by row. */
typedef struct mat3 {
    real xx, xy, xz;
    real yx, yy, yz;
    real zx, zy, zz;
} mat3;

/* The upper half of a symmetric matrix. */
typedef struct sym3 {
    real xx, xy, xz, yy, yz, zz;
} sym3;

/* ---- vectors ------------------------------------------------------------------ */

KERNEL vec3 vec3_zero(void)
{
    const real o = real_set(0.0);
    return (vec3){ o, o, o };
}

KERNEL vec3 vec3_set(const double a[3])
{
    return (vec3){ real_set(a[0]), real_set(a[1]), real_set(a[2]) };
}

KERNEL vec3 vec3_add(vec3 a, vec3 b)
{
    return (vec3){ a.x + b.x, a.y + b.y, a.z + b.z };
}

KERNEL vec3 vec3_sub(vec3 a, vec3 b)
{
    return (vec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

KERNEL vec3 vec3_neg(vec3 a)
{
    return (vec3){ -a.x, -a.y, -a.z };
}

KERNEL vec3 vec3_scale(real s, vec3 a)
{
    return (vec3){ s * a.x, s * a.y, s * a.z };
}

/* s a + b */
KERNEL vec3 vec3_scale_add(real s, vec3 a, vec3 b)
{
    return (vec3){ real_fma(s, a.x, b.x), real_fma(s, a.y, b.y), real_fma(s, a.z, b.z) };
}

KERNEL real vec3_dot(vec3 a, vec3 b)
{
    return real_fma(a.z, b.z, real_fma(a.y, b.y, a.x * b.x));
}

/* a . b + c */
KERNEL real vec3_dot_add(vec3 a, vec3 b, real c)
{
    return real_fma(a.z, b.z, real_fma(a.y, b.y, real_fma(a.x, b.x, c)));
}

/* a x b */
KERNEL vec3 vec3_cross(vec3 a, vec3 b)
{
    return (vec3){
        real_fma(a.y, b.z, -(a.z * b.y)),
        real_fma(a.z, b.x, -(a.x * b.z)),
        real_fma(a.x, b.y, -(a.y * b.x)),
    };
}

/* a x b + c */
KERNEL vec3 vec3_cross_add(vec3 a, vec3 b, vec3 c)
{
    return (vec3){
        real_fma(a.y, b.z, real_fnma(a.z, b.y, c.x)),
        real_fma(a.z, b.x, real_fnma(a.x, b.z, c.y)),
        real_fma(a.x, b.y, real_fnma(a.y, b.x, c.z)),
    };
}

/* ---- matrices ----------------------------------------------------------------- */

KERNEL mat3 mat3_zero(void)
{
    const real o = real_set(0.0);
    return (mat3){ o, o, o, o, o, o, o, o, o };
}

KERNEL mat3 mat3_identity(void)
{
    const real o = real_set(0.0), i = real_set(1.0);
    return (mat3){ i, o, o, o, i, o, o, o, i };
}

KERNEL mat3 mat3_set(const double a[3][3])
{
    return (mat3){
        real_set(a[0][0]),
        real_set(a[0][1]),
        real_set(a[0][2]), //
        real_set(a[1][0]),
        real_set(a[1][1]),
        real_set(a[1][2]), //
        real_set(a[2][0]),
        real_set(a[2][1]),
        real_set(a[2][2]),
    };
}

KERNEL mat3 mat3_transpose(mat3 a)
{
    return (mat3){ a.xx, a.yx, a.zx, a.xy, a.yy, a.zy, a.xz, a.yz, a.zz };
}

KERNEL mat3 mat3_add(mat3 a, mat3 b)
{
    return (mat3){
        a.xx + b.xx,
        a.xy + b.xy,
        a.xz + b.xz, //
        a.yx + b.yx,
        a.yy + b.yy,
        a.yz + b.yz, //
        a.zx + b.zx,
        a.zy + b.zy,
        a.zz + b.zz,
    };
}

/* a v, 9 operations */
KERNEL vec3 mat3_mul_vec(mat3 a, vec3 v)
{
    return (vec3){
        real_fma(a.xz, v.z, real_fma(a.xy, v.y, a.xx * v.x)),
        real_fma(a.yz, v.z, real_fma(a.yy, v.y, a.yx * v.x)),
        real_fma(a.zz, v.z, real_fma(a.zy, v.y, a.zx * v.x)),
    };
}

/* a v + b */
KERNEL vec3 mat3_mul_vec_add(mat3 a, vec3 v, vec3 b)
{
    return (vec3){
        real_fma(a.xz, v.z, real_fma(a.xy, v.y, real_fma(a.xx, v.x, b.x))),
        real_fma(a.yz, v.z, real_fma(a.yy, v.y, real_fma(a.yx, v.x, b.y))),
        real_fma(a.zz, v.z, real_fma(a.zy, v.y, real_fma(a.zx, v.x, b.z))),
    };
}

/* a* v */
KERNEL vec3 mat3_t_mul_vec(mat3 a, vec3 v)
{
    return mat3_mul_vec(mat3_transpose(a), v);
}

/* a* v + b */
KERNEL vec3 mat3_t_mul_vec_add(mat3 a, vec3 v, vec3 b)
{
    return mat3_mul_vec_add(mat3_transpose(a), v, b);
}

KERNEL mat3 mat3_of_columns(vec3 x, vec3 y, vec3 z)
{
    return (mat3){ x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z };
}

KERNEL vec3 mat3_column_x(mat3 a)
{
    return (vec3){ a.xx, a.yx, a.zx };
}

KERNEL vec3 mat3_column_y(mat3 a)
{
    return (vec3){ a.xy, a.yy, a.zy };
}

KERNEL vec3 mat3_column_z(mat3 a)
{
    return (vec3){ a.xz, a.yz, a.zz };
}

/* a b, 27 operations */
KERNEL mat3 mat3_mul(mat3 a, mat3 b)
{
    return mat3_of_columns(
        mat3_mul_vec(a, mat3_column_x(b)), mat3_mul_vec(a, mat3_column_y(b)), mat3_mul_vec(a, mat3_column_z(b)));
}

/* a Rz, Rz the rotation about z with that cosine and sine; 12 operations */
KERNEL mat3 mat3_rotz(mat3 a, real c, real s)
{
    return (mat3){
        real_fma(a.xy, s, a.xx * c),
        real_fma(a.xy, c, -(a.xx * s)),
        a.xz, //
        real_fma(a.yy, s, a.yx * c),
        real_fma(a.yy, c, -(a.yx * s)),
        a.yz, //
        real_fma(a.zy, s, a.zx * c),
        real_fma(a.zy, c, -(a.zx * s)),
        a.zz,
    };
}

/* ---- symmetric matrices --------------------------------------------------------- */

KERNEL sym3 sym3_zero(void)
{
    const real o = real_set(0.0);
    return (sym3){ o, o, o, o, o, o };
}

KERNEL sym3 sym3_set(const double a[6])
{
    return (sym3){ real_set(a[0]), real_set(a[1]), real_set(a[2]), real_set(a[3]), real_set(a[4]), real_set(a[5]) };
}

KERNEL sym3 sym3_add(sym3 a, sym3 b)
{
    return (sym3){ a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz };
}

KERNEL vec3 sym3_mul_vec(sym3 a, vec3 v)
{
    return (vec3){
        real_fma(a.xz, v.z, real_fma(a.xy, v.y, a.xx * v.x)),
        real_fma(a.yz, v.z, real_fma(a.yy, v.y, a.xy * v.x)),
        real_fma(a.zz, v.z, real_fma(a.yz, v.y, a.xz * v.x)),
    };
}

/* a v + b */
KERNEL vec3 sym3_mul_vec_add(sym3 a, vec3 v, vec3 b)
{
    return (vec3){
        real_fma(a.xz, v.z, real_fma(a.xy, v.y, real_fma(a.xx, v.x, b.x))),
        real_fma(a.yz, v.z, real_fma(a.yy, v.y, real_fma(a.xy, v.x, b.y))),
        real_fma(a.zz, v.z, real_fma(a.yz, v.y, real_fma(a.xz, v.x, b.z))),
    };
}

/* The upper half of a b*, for a product known to be symmetric; 18 operations. */
KERNEL sym3 sym3_of_product_t(mat3 a, mat3 b)
{
    return (sym3){
        real_fma(a.xz, b.xz, real_fma(a.xy, b.xy, a.xx * b.xx)),
        real_fma(a.xz, b.yz, real_fma(a.xy, b.yy, a.xx * b.yx)),
        real_fma(a.xz, b.zz, real_fma(a.xy, b.zy, a.xx * b.zx)),
        real_fma(a.yz, b.yz, real_fma(a.yy, b.yy, a.yx * b.yx)),
        real_fma(a.yz, b.zz, real_fma(a.yy, b.zy, a.yx * b.zx)),
        real_fma(a.zz, b.zz, real_fma(a.zy, b.zy, a.zx * b.zx)),
    };
}

/* R a R*, 45 operations */
KERNEL sym3 sym3_rotate(mat3 R, sym3 a)
{
    const mat3 full = { a.xx, a.xy, a.xz, a.xy, a.yy, a.yz, a.xz, a.yz, a.zz };
    return sym3_of_product_t(mat3_mul(R, full), R);
}

/* R a R* where a has nothing about z (xz = yz = zz = 0), 24 operations */
KERNEL sym3 sym3_rotate_flat(mat3 R, sym3 a)
{
    const real x0 = real_fma(R.xy, a.xy, R.xx * a.xx), x1 = real_fma(R.xy, a.yy, R.xx * a.xy);
    const real y0 = real_fma(R.yy, a.xy, R.yx * a.xx), y1 = real_fma(R.yy, a.yy, R.yx * a.xy);
    const real z0 = real_fma(R.zy, a.xy, R.zx * a.xx), z1 = real_fma(R.zy, a.yy, R.zx * a.xy);
    return (sym3){
        real_fma(x1, R.xy, x0 * R.xx),
        real_fma(x1, R.yy, x0 * R.yx),
        real_fma(x1, R.zy, x0 * R.zx),
        real_fma(y1, R.yy, y0 * R.yx),
        real_fma(y1, R.zy, y0 * R.zx),
        real_fma(z1, R.zy, z0 * R.zx),
    };
}

#endif
