/* sens/wide.kernel.h - the numbers of one state, velocities side by side.
 *
 * All in world axes at the origin of the root of the tree, so that composites are sums and every
 * pair of joints a product. Symbol table (i a velocity, k a body, standing at its first velocity):
 *     S[i]      column of H*                                                 outward
 *     S1[i]     V(b) x S: b moves with what S turns about                    bodies
 *     S2[i]     alpha(b) x S + V(b) x S1                                     bodies
 *     S3[i]     S1 + rate of S                                               bodies
 *     W[k]      rotation and origin of the body frame                        outward
 *     V[k] A[k] velocity and acceleration (-g at the base)                   outward
 *     X[k]      external force on the body                                   outward
 *     R[k]      composite inertia: m, h, J                                   bodies, inward
 *     N[k] p[k] [N 0; -p~ 0] = S[V] M - M V~ - Q[M V], summed as R           bodies, inward
 *     F[k]      force across the joint                                       bodies, inward
 *     E[k] e[k] [E 0; -e~ 0]: what turning does not do to external forces    outward, inward
 *     U[i]      R S                                                          loads
 *     B[i]      the moment of [N 0; -p~ 0]* S (its force is zero)            loads
 *     FV[i]     R S3 + [N 0; -p~ 0] S                                        loads
 *     FQ[i]     R S2 + [N 0; -p~ 0] S1 + S[S] F, and with forces + [E 0; -e~ 0] S
 *     EB[i]     the moment of [E 0; -e~ 0]* S                                loads */
#ifndef SOA_SENS_WIDE_KERNEL_H
#define SOA_SENS_WIDE_KERNEL_H

#include "sens/kernels.h"
#include "sweep/screw.kernel.h"

/* Which arrays of soa_call.wide they are. */
enum {
    WIDE_S = SOA_WIDE_USED,
    WIDE_S1 = WIDE_S + 6,
    WIDE_S2 = WIDE_S1 + 6,
    WIDE_S3 = WIDE_S2 + 6,
    WIDE_W = WIDE_S3 + 6,
    WIDE_V = WIDE_W + 12,
    WIDE_A = WIDE_V + 6,
    WIDE_X = WIDE_A + 6,
    WIDE_Y = WIDE_X + 6,  /* second derivatives: as V, v replaced by x */
    WIDE_Y1 = WIDE_Y + 6, /* Y(b) x S */
    WIDE_Z = WIDE_Y1 + 6, /* the composites, up to E: M Y, ... */
    WIDE_Q = WIDE_Z + 6,  /* ... [N 0; -p~ 0]* Y, ... */
    WIDE_NY = WIDE_Q + 6, /* ... and N with Y in place of V */
    WIDE_R = WIDE_NY + 9, /* from here those of first derivatives */
    WIDE_N = WIDE_R + 10,
    WIDE_P = WIDE_N + 9,
    WIDE_F = WIDE_P + 3,
    WIDE_E = WIDE_F + 6, /* E and e: only with external forces */
    WIDE_U = WIDE_E + 12,
    WIDE_B = WIDE_U + 6,
    WIDE_FV = WIDE_B + 3,
    WIDE_FQ = WIDE_FV + 6,
    WIDE_EB = WIDE_FQ + 6,
    WIDE_DIAGONAL = WIDE_EB + 3,   /* of dT_dv and dT_dvdot, joints with a rotor */
    WIDE_VDOT = WIDE_DIAGONAL + 2, /* forward dynamics */
    WIDE_BIAS = WIDE_VDOT + 1,
    WIDE_ZQ = WIDE_BIAS + 1, /* second derivatives: dZ/dq, dQ/dq, ... */
    WIDE_QQ = WIDE_ZQ + 6,
    WIDE_BY = WIDE_QQ + 6, /* ... and the moment of -dQ/dv */
    WIDE_A1 = WIDE_ZQ,     /* forward dynamics: what vdot adds to A of the body ... */
    WIDE_A2 = WIDE_QQ,     /* ... and of what S is fixed in ... */
    WIDE_G = WIDE_QQ + 6,  /* ... and sum of U vdot of the joints outboard of the body */
    WIDE_END = WIDE_G + 6,
};

_Static_assert((int)WIDE_END <= (int)SOA_WIDE, "too many arrays");

/* Array number i, and how far the next one is. */
typedef struct wide {
    double *at;
    size_t stride;
} wide;

KERNEL wide wide_of(const soa_call *call, int i)
{
    const size_t stride = soa_wide_stride(call->model);
    return (wide){ call->wide + (size_t)i * stride, stride };
}

KERNEL double *wide_at(wide a, int i, size_t c)
{
    return a.at + (size_t)i * a.stride + c;
}

/* Whether there are external forces, on bodies or at points. */
KERNEL bool has_external(const soa_call *call)
{
    return call->f.at || call->g.at;
}

/* ---- lanes: LANES numbers from c on -------------------------------------------------- */

KERNEL real wide_real(wide a, int i, size_t c)
{
    return real_load(wide_at(a, i, c));
}

KERNEL vec3 wide_vec3(wide a, int i, size_t c)
{
    return (vec3){ wide_real(a, i, c), wide_real(a, i + 1, c), wide_real(a, i + 2, c) };
}

KERNEL motion wide_motion(wide a, size_t c)
{
    return (motion){ wide_vec3(a, 0, c), wide_vec3(a, 3, c) };
}

KERNEL force wide_force(wide a, size_t c)
{
    return (force){ wide_vec3(a, 0, c), wide_vec3(a, 3, c) };
}

KERNEL mat3 wide_mat3(wide a, size_t c)
{
    return (mat3){
        wide_real(a, 0, c),
        wide_real(a, 1, c),
        wide_real(a, 2, c), //
        wide_real(a, 3, c),
        wide_real(a, 4, c),
        wide_real(a, 5, c), //
        wide_real(a, 6, c),
        wide_real(a, 7, c),
        wide_real(a, 8, c),
    };
}

KERNEL rigid wide_rigid(wide a, size_t c)
{
    return (rigid){
        wide_real(a, 0, c),
        wide_vec3(a, 1, c),
        { wide_real(a, 4, c), wide_real(a, 5, c), wide_real(a, 6, c), wide_real(a, 7, c), wide_real(a, 8, c),
            wide_real(a, 9, c) },
    };
}

KERNEL void wide_put(wide a, int i, size_t c, real x)
{
    real_store(wide_at(a, i, c), x);
}

KERNEL void wide_put_vec3(wide a, int i, size_t c, vec3 x)
{
    wide_put(a, i, c, x.x);
    wide_put(a, i + 1, c, x.y);
    wide_put(a, i + 2, c, x.z);
}

KERNEL void wide_put_motion(wide a, size_t c, motion x)
{
    wide_put_vec3(a, 0, c, x.w);
    wide_put_vec3(a, 3, c, x.v);
}

KERNEL void wide_put_force(wide a, size_t c, force x)
{
    wide_put_vec3(a, 0, c, x.n);
    wide_put_vec3(a, 3, c, x.f);
}

KERNEL void wide_put_mat3(wide a, size_t c, mat3 x)
{
    wide_put_vec3(a, 0, c, (vec3){ x.xx, x.xy, x.xz });
    wide_put_vec3(a, 3, c, (vec3){ x.yx, x.yy, x.yz });
    wide_put_vec3(a, 6, c, (vec3){ x.zx, x.zy, x.zz });
}

KERNEL void wide_put_rigid(wide a, size_t c, rigid M)
{
    wide_put(a, 0, c, M.m);
    wide_put_vec3(a, 1, c, M.h);
    wide_put_vec3(a, 4, c, (vec3){ M.J.xx, M.J.xy, M.J.xz });
    wide_put_vec3(a, 7, c, (vec3){ M.J.yy, M.J.yz, M.J.zz });
}

/* ---- one number, the same in each lane ----------------------------------------------- */

KERNEL vec3 wide_same_vec3(wide a, int i, size_t c)
{
    return (vec3){ real_set(*wide_at(a, i, c)), real_set(*wide_at(a, i + 1, c)), real_set(*wide_at(a, i + 2, c)) };
}

KERNEL motion wide_same_motion(wide a, size_t c)
{
    return (motion){ wide_same_vec3(a, 0, c), wide_same_vec3(a, 3, c) };
}

KERNEL force wide_same_force(wide a, size_t c)
{
    return (force){ wide_same_vec3(a, 0, c), wide_same_vec3(a, 3, c) };
}

#endif
