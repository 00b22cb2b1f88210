/* spatial/rigid.h - the inertia M = [J  h~; -h~  m] of a rigid body, ten numbers.
 *
 * m mass, h = m p first moment, J moment of inertia about the frame's origin. */
#ifndef SOA_SPATIAL_RIGID_H
#define SOA_SPATIAL_RIGID_H

#include "spatial/pose.h"

typedef struct rigid {
    real m;
    vec3 h;
    sym3 J;
} rigid;

#define SOA_RIGID_NUMBERS 10

/* The ten numbers of an inertia in the order of struct rigid. */
void soa_rigid_numbers(const soa_inertia *inertia, double numbers[SOA_RIGID_NUMBERS]);

/* The ten numbers, the same in each lane. */
KERNEL rigid rigid_set(const double numbers[SOA_RIGID_NUMBERS])
{
    return (rigid){ real_set(numbers[0]), vec3_set(numbers + 1), sym3_set(numbers + 4) };
}

KERNEL rigid rigid_from_inertia(const soa_inertia *inertia)
{
    double numbers[SOA_RIGID_NUMBERS];
    soa_rigid_numbers(inertia, numbers);
    return rigid_set(numbers);
}

KERNEL rigid rigid_add(rigid a, rigid b)
{
    return (rigid){ a.m + b.m, vec3_add(a.h, b.h), sym3_add(a.J, b.J) };
}

/* M V: n = J w + h x v, f = m v - h x w; 24 operations. */
KERNEL force rigid_mul(rigid M, motion V)
{
    return (force){
        vec3_cross_add(M.h, V.v, sym3_mul_vec(M.J, V.w)),
        vec3_cross_add(V.w, M.h, vec3_scale(M.m, V.v)),
    };
}

/* phi(l) M phi*(l), no rotation. */
KERNEL rigid rigid_translate(vec3 l, rigid M)
{
    const vec3 h = vec3_scale_add(M.m, l, M.h);
    const vec3 g = vec3_add(M.h, h);
    return (rigid){
        M.m,
        h,
        {
            real_fma(l.y, g.y, real_fma(l.z, g.z, M.J.xx)),
            real_fnma(M.h.x, l.y, real_fnma(l.x, h.y, M.J.xy)),
            real_fnma(M.h.x, l.z, real_fnma(l.x, h.z, M.J.xz)),
            real_fma(l.x, g.x, real_fma(l.z, g.z, M.J.yy)),
            real_fnma(M.h.y, l.z, real_fnma(l.y, h.z, M.J.yz)),
            real_fma(l.x, g.x, real_fma(l.y, g.y, M.J.zz)),
        },
    };
}

/* R M R* */
KERNEL rigid rigid_turn(mat3 R, rigid M)
{
    return (rigid){ M.m, mat3_mul_vec(R, M.h), sym3_rotate(R, M.J) };
}

/* phi M phi*: a child's inertia seen at the parent.  [R]  About 75 operations:
 *     h1 = R h,  h' = h1 + m l,  J' = R J R* - h1 l* - l h'* + (l . (h1 + h')) I */
KERNEL rigid rigid_shift(pose X, rigid M)
{
    return rigid_translate(X.l, rigid_turn(X.R, M));
}

#endif
