/* spatial/articulated.h - the articulated inertia P = [A  B; B*  C], 21 numbers.  [P]
 *
 *     n = A w + B v,  f = B* w + C v
 *
 * Behind a revolute joint about z, P+ = P - G D G* has a zero row and column wz;
 * behind a prismatic joint along z, vz. (Only if D = H P H*: an armature added to
 * D leaves them non-zero; use the general kernels then.) The kernels named _revolute and
 * _prismatic neither read nor write these zeros, except that the result of a
 * downdate holds them. */
#ifndef SOA_SPATIAL_ARTICULATED_H
#define SOA_SPATIAL_ARTICULATED_H

#include "spatial/rigid.h"

typedef struct articulated {
    sym3 A;
    mat3 B;
    sym3 C;
} articulated;

KERNEL articulated articulated_zero(void)
{
    return (articulated){ sym3_zero(), mat3_zero(), sym3_zero() };
}

/* From its numbers, in their order: A, B row by row, C. */
KERNEL articulated articulated_set(const double x[21])
{
    double B[3][3];
    memcpy(B, x + 6, sizeof B);
    return (articulated){ sym3_set(x), mat3_set((const double(*)[3])B), sym3_set(x + 15) };
}

KERNEL articulated articulated_from_rigid(rigid M)
{
    const real o = real_set(0.0);
    return (articulated){
        M.J,
        { o, -M.h.z, M.h.y, M.h.z, o, -M.h.x, -M.h.y, M.h.x, o },
        { M.m, o, o, M.m, o, M.m },
    };
}

KERNEL articulated articulated_add(articulated a, articulated b)
{
    return (articulated){ sym3_add(a.A, b.A), mat3_add(a.B, b.B), sym3_add(a.C, b.C) };
}

/* P with the rest of M, whose J it has. */
KERNEL articulated articulated_add_rigid_rest(articulated P, rigid M)
{
    const mat3 B = P.B;
    const sym3 C = P.C;
    return (articulated){
        P.A,
        { B.xx, B.xy - M.h.z, B.xz + M.h.y, B.yx + M.h.z, B.yy, B.yz - M.h.x, B.zx - M.h.y, B.zy + M.h.x, B.zz },
        { C.xx + M.m, C.xy, C.xz, C.yy + M.m, C.yz, C.zz + M.m },
    };
}

KERNEL articulated articulated_add_rigid(articulated P, rigid M)
{
    P.A = sym3_add(P.A, M.J);
    return articulated_add_rigid_rest(P, M);
}
/* P V, 36 operations */
KERNEL force articulated_mul(articulated P, motion V)
{
    return (force){
        mat3_mul_vec_add(P.B, V.v, sym3_mul_vec(P.A, V.w)),
        mat3_t_mul_vec_add(P.B, V.w, sym3_mul_vec(P.C, V.v)),
    };
}

/* ---- columns ------------------------------------------------------------------ */

/* P H* for a revolute joint about z: the column wz. */
KERNEL force articulated_column_wz(articulated P)
{
    return (force){ { P.A.xz, P.A.yz, P.A.zz }, { P.B.zx, P.B.zy, P.B.zz } };
}

/* P H* for a prismatic joint along z: the column vz. */
KERNEL force articulated_column_vz(articulated P)
{
    return (force){ { P.B.xz, P.B.yz, P.B.zz }, { P.C.xz, P.C.yz, P.C.zz } };
}

/* ---- downdates ---------------------------------------------------------------- */

/* a - u v* for symmetric results */
KERNEL sym3 sym3_sub_outer(sym3 a, vec3 u, vec3 v)
{
    return (sym3){
        real_fnma(u.x, v.x, a.xx),
        real_fnma(u.x, v.y, a.xy),
        real_fnma(u.x, v.z, a.xz),
        real_fnma(u.y, v.y, a.yy),
        real_fnma(u.y, v.z, a.yz),
        real_fnma(u.z, v.z, a.zz),
    };
}

KERNEL mat3 mat3_sub_outer(mat3 a, vec3 u, vec3 v)
{
    return (mat3){
        real_fnma(u.x, v.x, a.xx),
        real_fnma(u.x, v.y, a.xy),
        real_fnma(u.x, v.z, a.xz), //
        real_fnma(u.y, v.x, a.yx),
        real_fnma(u.y, v.y, a.yy),
        real_fnma(u.y, v.z, a.yz), //
        real_fnma(u.z, v.x, a.zx),
        real_fnma(u.z, v.y, a.zy),
        real_fnma(u.z, v.z, a.zz),
    };
}

/* a + s I - u v* */
KERNEL mat3 mat3_add_shift(mat3 a, real s, vec3 u, vec3 v)
{
    const mat3 b = mat3_sub_outer(a, u, v);
    return (mat3){ b.xx + s, b.xy, b.xz, b.yx, b.yy + s, b.yz, b.zx, b.zy, b.zz + s };
}

/* P - g u*, a symmetric result, 21 operations. With u = P H*, g = G this is taubar P.  [I10] */
KERNEL articulated articulated_sub_product(articulated P, force g, force u)
{
    return (articulated){
        sym3_sub_outer(P.A, g.n, u.n),
        mat3_sub_outer(P.B, g.n, u.f),
        sym3_sub_outer(P.C, g.f, u.f),
    };
}

/* P - s u u*, 27 operations */
KERNEL articulated articulated_sub_outer(articulated P, force u, real s)
{
    return articulated_sub_product(P, force_scale(s, u), u);
}

/* taubar P behind a revolute joint about z, with u = P H*, g = G = u / D; 15 operations. */
KERNEL articulated articulated_downdate_revolute(articulated P, force u, force g)
{
    const real o = real_set(0.0);
    return (articulated){
        { real_fnma(g.n.x, u.n.x, P.A.xx), real_fnma(g.n.x, u.n.y, P.A.xy), o, real_fnma(g.n.y, u.n.y, P.A.yy), o, o },
        {
            real_fnma(g.n.x, u.f.x, P.B.xx),
            real_fnma(g.n.x, u.f.y, P.B.xy),
            real_fnma(g.n.x, u.f.z, P.B.xz), //
            real_fnma(g.n.y, u.f.x, P.B.yx),
            real_fnma(g.n.y, u.f.y, P.B.yy),
            real_fnma(g.n.y, u.f.z, P.B.yz), //
            o,
            o,
            o,
        },
        sym3_sub_outer(P.C, g.f, u.f),
    };
}

/* taubar P behind a prismatic joint along z; 15 operations. */
KERNEL articulated articulated_downdate_prismatic(articulated P, force u, force g)
{
    const real o = real_set(0.0);
    return (articulated){
        sym3_sub_outer(P.A, g.n, u.n),
        {
            real_fnma(g.n.x, u.f.x, P.B.xx),
            real_fnma(g.n.x, u.f.y, P.B.xy),
            o, //
            real_fnma(g.n.y, u.f.x, P.B.yx),
            real_fnma(g.n.y, u.f.y, P.B.yy),
            o, //
            real_fnma(g.n.z, u.f.x, P.B.zx),
            real_fnma(g.n.z, u.f.y, P.B.zy),
            o,
        },
        { real_fnma(g.f.x, u.f.x, P.C.xx), real_fnma(g.f.x, u.f.y, P.C.xy), o, real_fnma(g.f.y, u.f.y, P.C.yy), o, o },
    };
}

/* ---- shifts ------------------------------------------------------------------- */

/* phi(l) P phi*(l), no rotation; 42 operations:
 *     B' = B + l~ C,  A' = A + l~ B* - B' l~
 * B' enters A' last: it comes late. */
KERNEL articulated articulated_translate(vec3 l, articulated P)
{
    const sym3 A = P.A, C = P.C;
    const mat3 B = P.B;
    const mat3 b = {
        real_fma(l.y, C.xz, real_fnma(l.z, C.xy, B.xx)),
        real_fma(l.y, C.yz, real_fnma(l.z, C.yy, B.xy)),
        real_fma(l.y, C.zz, real_fnma(l.z, C.yz, B.xz)),
        real_fma(l.z, C.xx, real_fnma(l.x, C.xz, B.yx)),
        real_fma(l.z, C.xy, real_fnma(l.x, C.yz, B.yy)),
        real_fma(l.z, C.xz, real_fnma(l.x, C.zz, B.yz)),
        real_fma(l.x, C.xy, real_fnma(l.y, C.xx, B.zx)),
        real_fma(l.x, C.yy, real_fnma(l.y, C.xy, B.zy)),
        real_fma(l.x, C.yz, real_fnma(l.y, C.xz, B.zz)),
    };
    const sym3 a = {
        real_fma(l.y, b.xz, real_fnma(l.z, b.xy, real_fma(l.y, B.xz, real_fnma(l.z, B.xy, A.xx)))),
        real_fma(l.z, b.xx, real_fnma(l.x, b.xz, real_fma(l.y, B.yz, real_fnma(l.z, B.yy, A.xy)))),
        real_fma(l.x, b.xy, real_fnma(l.y, b.xx, real_fma(l.y, B.zz, real_fnma(l.z, B.zy, A.xz)))),
        real_fma(l.z, b.yx, real_fnma(l.x, b.yz, real_fma(l.z, B.yx, real_fnma(l.x, B.yz, A.yy)))),
        real_fma(l.x, b.yy, real_fnma(l.y, b.yx, real_fma(l.z, B.zx, real_fnma(l.x, B.zz, A.yz)))),
        real_fma(l.x, b.zy, real_fnma(l.y, b.zx, real_fma(l.x, B.zy, real_fnma(l.y, B.zx, A.zz)))),
    };
    return (articulated){ a, b, C };
}

/* phi P phi*: a child's inertia seen at the parent; 144 + 42 operations. */
KERNEL articulated articulated_shift(pose X, articulated P)
{
    const mat3 R = X.R;
    const mat3 RB = mat3_mul(R, P.B);
    const articulated turned = { sym3_rotate(R, P.A), mat3_mul(RB, mat3_transpose(R)), sym3_rotate(R, P.C) };
    return articulated_translate(X.l, turned);
}

/* phi P phi* for P behind a revolute joint about z, whose row and column wz are zero; 114 + 42 operations. */
KERNEL articulated articulated_shift_revolute(pose X, articulated P)
{
    const mat3 R = X.R, B = P.B;
    const mat3 RB = {
        real_fma(R.xy, B.yx, R.xx * B.xx),
        real_fma(R.xy, B.yy, R.xx * B.xy),
        real_fma(R.xy, B.yz, R.xx * B.xz), //
        real_fma(R.yy, B.yx, R.yx * B.xx),
        real_fma(R.yy, B.yy, R.yx * B.xy),
        real_fma(R.yy, B.yz, R.yx * B.xz), //
        real_fma(R.zy, B.yx, R.zx * B.xx),
        real_fma(R.zy, B.yy, R.zx * B.xy),
        real_fma(R.zy, B.yz, R.zx * B.xz),
    };
    const articulated turned = { sym3_rotate_flat(R, P.A), mat3_mul(RB, mat3_transpose(R)), sym3_rotate(R, P.C) };
    return articulated_translate(X.l, turned);
}

/* phi P phi* for P behind a prismatic joint along z, whose row and column vz are zero; 114 + 42 operations. */
KERNEL articulated articulated_shift_prismatic(pose X, articulated P)
{
    const mat3 R = X.R, B = P.B;
    const mat3 BR = {
        real_fma(B.xy, R.xy, B.xx * R.xx),
        real_fma(B.xy, R.yy, B.xx * R.yx),
        real_fma(B.xy, R.zy, B.xx * R.zx), //
        real_fma(B.yy, R.xy, B.yx * R.xx),
        real_fma(B.yy, R.yy, B.yx * R.yx),
        real_fma(B.yy, R.zy, B.yx * R.zx), //
        real_fma(B.zy, R.xy, B.zx * R.xx),
        real_fma(B.zy, R.yy, B.zx * R.yx),
        real_fma(B.zy, R.zy, B.zx * R.zx),
    };
    const articulated turned = { sym3_rotate(R, P.A), mat3_mul(R, BR), sym3_rotate_flat(R, P.C) };
    return articulated_translate(X.l, turned);
}

#endif
