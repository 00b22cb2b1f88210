/* spatial/screw.h - rotations about x and z, and what they do to an inertia.
 *
 * A joint about or along z stands in its parent as Rz(gamma) Rx(alpha) Rz(theta):
 * one plane rotation after another. That costs less than a 3x3 matrix, and far
 * less for inertias. c, s are cosine and sine; operations count a multiply-add
 * as one. */
#ifndef SOA_SPATIAL_SCREW_H
#define SOA_SPATIAL_SCREW_H

#include "spatial/articulated.h"

/* Rz v, 4 operations. Inward Rz comes before Rx and outward after it: what the first turn gives enters the
 * second in the last of its two operations, so that fewer wait. */
KERNEL vec3 rotz(real c, real s, vec3 v)
{
    return (vec3){ real_fnma(s, v.y, c * v.x), real_fma(s, v.x, c * v.y), v.z };
}

/* Rz* v */
KERNEL vec3 rotz_t(real c, real s, vec3 v)
{
    return (vec3){ real_fma(s, v.y, c * v.x), real_fma(c, v.y, -(s * v.x)), v.z };
}

/* Rz* v + (x, y, 0) */
KERNEL vec3 rotz_t_add(real c, real s, vec3 v, real x, real y)
{
    return (vec3){ real_fma(s, v.y, real_fma(c, v.x, x)), real_fma(c, v.y, real_fnma(s, v.x, y)), v.z };
}

/* Rx v */
KERNEL vec3 rotx(real c, real s, vec3 v)
{
    return (vec3){ v.x, real_fma(c, v.y, -(s * v.z)), real_fma(s, v.y, c * v.z) };
}

/* Rx* v */
KERNEL vec3 rotx_t(real c, real s, vec3 v)
{
    return (vec3){ v.x, real_fma(s, v.z, c * v.y), real_fnma(s, v.y, c * v.z) };
}

/* a Rx; 12 operations (a Rz: mat3_rotz) */
KERNEL mat3 mat3_rotx(mat3 a, real c, real s)
{
    return (mat3){
        a.xx,
        real_fma(a.xz, s, a.xy * c),
        real_fma(a.xz, c, -(a.xy * s)), //
        a.yx,
        real_fma(a.yz, s, a.yy * c),
        real_fma(a.yz, c, -(a.yy * s)), //
        a.zx,
        real_fma(a.zz, s, a.zy * c),
        real_fma(a.zz, c, -(a.zy * s)),
    };
}

/* The plane part of R a R*: [p r; r q] turned by (c, s); 10 operations. */
typedef struct plane {
    real p, r, q;
} plane;

KERNEL plane plane_turn(real c, real s, plane a)
{
    const real t = real_fnma(s, a.r, c * a.p), u = real_fnma(s, a.q, c * a.r);
    const real v = real_fma(s, a.p, c * a.r), x = real_fma(s, a.r, c * a.q);
    return (plane){ real_fnma(s, u, c * t), real_fma(s, t, c * u), real_fma(s, v, c * x) };
}

/* Rz a Rz*, 16 operations */
KERNEL sym3 sym3_rotz(real c, real s, sym3 a)
{
    const plane xy = plane_turn(c, s, (plane){ a.xx, a.xy, a.yy });
    return (sym3){ xy.p, xy.r, real_fnma(s, a.yz, c * a.xz), xy.q, real_fma(s, a.xz, c * a.yz), a.zz };
}

/* Rx a Rx*, 16 operations */
KERNEL sym3 sym3_rotx(real c, real s, sym3 a)
{
    const plane yz = plane_turn(c, s, (plane){ a.yy, a.yz, a.zz });
    return (sym3){ a.xx, real_fnma(s, a.xz, c * a.xy), real_fma(s, a.xy, c * a.xz), yz.p, yz.r, yz.q };
}

/* Rz B Rz*, 24 operations */
KERNEL mat3 mat3_rotz_both(real c, real s, mat3 b)
{
    const vec3 x = rotz(c, s, (vec3){ b.xx, b.yx, b.zx });
    const vec3 y = rotz(c, s, (vec3){ b.xy, b.yy, b.zy });
    const vec3 z = rotz(c, s, (vec3){ b.xz, b.yz, b.zz });
    const vec3 r0 = rotz(c, s, (vec3){ x.x, y.x, z.x });
    const vec3 r1 = rotz(c, s, (vec3){ x.y, y.y, z.y });
    const vec3 r2 = rotz(c, s, (vec3){ x.z, y.z, z.z });
    return (mat3){ r0.x, r0.y, r0.z, r1.x, r1.y, r1.z, r2.x, r2.y, r2.z };
}

/* Rx B Rx*, 24 operations */
KERNEL mat3 mat3_rotx_both(real c, real s, mat3 b)
{
    const vec3 x = rotx(c, s, (vec3){ b.xx, b.yx, b.zx });
    const vec3 y = rotx(c, s, (vec3){ b.xy, b.yy, b.zy });
    const vec3 z = rotx(c, s, (vec3){ b.xz, b.yz, b.zz });
    const vec3 r0 = rotx(c, s, (vec3){ x.x, y.x, z.x });
    const vec3 r1 = rotx(c, s, (vec3){ x.y, y.y, z.y });
    const vec3 r2 = rotx(c, s, (vec3){ x.z, y.z, z.z });
    return (mat3){ r0.x, r0.y, r0.z, r1.x, r1.y, r1.z, r2.x, r2.y, r2.z };
}

KERNEL articulated articulated_rotz(real c, real s, articulated P)
{
    return (articulated){ sym3_rotz(c, s, P.A), mat3_rotz_both(c, s, P.B), sym3_rotz(c, s, P.C) };
}

KERNEL articulated articulated_rotx(real c, real s, articulated P)
{
    return (articulated){ sym3_rotx(c, s, P.A), mat3_rotx_both(c, s, P.B), sym3_rotx(c, s, P.C) };
}

/* P turned about z, for P behind a revolute joint about z: row and column wz are zero, are not read and stay so. 46
 * operations. */
KERNEL articulated articulated_rotz_revolute(real c, real s, articulated P)
{
    const real o = real_set(0.0);
    const plane a = plane_turn(c, s, (plane){ P.A.xx, P.A.xy, P.A.yy });
    const mat3 B = P.B;
    const real xx = real_fnma(s, B.yx, c * B.xx), yx = real_fma(s, B.xx, c * B.yx);
    const real xy = real_fnma(s, B.yy, c * B.xy), yy = real_fma(s, B.xy, c * B.yy);
    const real xz = real_fnma(s, B.yz, c * B.xz), yz = real_fma(s, B.xz, c * B.yz);
    return (articulated){
        { a.p, a.r, o, a.q, o, o },
        { real_fnma(s, xy, c * xx), real_fma(s, xx, c * xy), xz, real_fnma(s, yy, c * yx), real_fma(s, yx, c * yy), yz,
            o, o, o },
        sym3_rotz(c, s, P.C),
    };
}

/* P turned about x, for P behind a revolute joint about z; the result is full. 41 operations. */
KERNEL articulated articulated_rotx_revolute(real c, real s, articulated P)
{
    const mat3 B = P.B;
    const real u = c * P.A.yy, v = s * P.A.yy;
    const vec3 r0 = rotx(c, s, (vec3){ B.xx, B.xy, B.xz });
    const vec3 row = rotx(c, s, (vec3){ B.yx, B.yy, B.yz });
    const vec3 r1 = vec3_scale(c, row), r2 = vec3_scale(s, row);
    return (articulated){
        { P.A.xx, c * P.A.xy, s * P.A.xy, c * u, s * u, s * v },
        { r0.x, r0.y, r0.z, r1.x, r1.y, r1.z, r2.x, r2.y, r2.z },
        sym3_rotx(c, s, P.C),
    };
}

#endif
