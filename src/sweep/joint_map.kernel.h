/* sweep/joint_map.kernel.h - H and D of a joint, specialised by its class.
 *
 * A revolute joint turns about z and a prismatic one slides along z: H* is a
 * unit column, H f a component. All other joints keep their columns in w->H. */
#ifndef SOA_SWEEP_JOINT_MAP_KERNEL_H
#define SOA_SWEEP_JOINT_MAP_KERNEL_H

#include "joint/joint.kernel.h"
#include "sweep/vars.kernel.h"

/* H* x, x(i) the numbers of the joint. */
KERNEL motion joint_motion(const vars *w, const soa_body_data *body, const real *x)
{
    motion sum = motion_zero();
    switch (body->joint_class) {
    case SOA_CLASS_REVOLUTE:
        sum.w.z = x[0];
        return sum;
    case SOA_CLASS_PRISMATIC:
        sum.v.z = x[0];
        return sum;
    case SOA_CLASS_FREE:
        return (motion){ { x[0], x[1], x[2] }, { x[3], x[4], x[5] } };
    default:
        for (int i = 0; i < body->nv; i++) {
            sum = motion_scale_add(x[i], w->H[body->v + i], sum);
        }
        return sum;
    }
}

/* y = H f */
KERNEL void joint_force(const vars *w, const soa_body_data *body, force f, real *y)
{
    switch (body->joint_class) {
    case SOA_CLASS_REVOLUTE:
        y[0] = f.n.z;
        return;
    case SOA_CLASS_PRISMATIC:
        y[0] = f.f.z;
        return;
    case SOA_CLASS_FREE:
        y[0] = f.n.x, y[1] = f.n.y, y[2] = f.n.z;
        y[3] = f.f.x, y[4] = f.f.y, y[5] = f.f.z;
        return;
    default:
        y[0] = power(f, w->H[body->v]); /* a joint that moves has at least one number */
        for (int i = 1; i < body->nv; i++) {
            y[i] = power(f, w->H[body->v + i]);
        }
    }
}

/* Column i of H*. */
KERNEL motion joint_column(const vars *w, const soa_body_data *body, int i)
{
    motion column = motion_zero();
    switch (body->joint_class) {
    case SOA_CLASS_REVOLUTE:
        column.w.z = real_set(1.0);
        return column;
    case SOA_CLASS_PRISMATIC:
        column.v.z = real_set(1.0);
        return column;
    case SOA_CLASS_FREE:
        return motion_unit(i);
    default:
        return w->H[body->v + i];
    }
}

/* Whether column i of H* is fixed in the inboard body, and so turns in the axes of the outboard one. The column of a
 * joint that has one is fixed in both. */
KERNEL bool column_inboard(const soa_body_data *body, int i)
{
    if (body->nv == 1) {
        return false;
    }
    const soa_joint_shape *shape = &body->rest->shape;
    return shape->kind == SOA_UNIVERSAL && i == 0 ? !shape->reversed : shape->reversed;
}

/* Numbers of the joint of each state; there is at least one. */
KERNEL void joint_in(const soa_call *call, soa_in in, int first, int count, real *x)
{
    x[0] = in_get(call, in, (size_t)first);
    for (int i = 1; i < count; i++) {
        x[i] = in_get(call, in, (size_t)(first + i));
    }
}

/* Numbers of the joint of each state; zeros if none are given. */
KERNEL void joint_given(const soa_call *call, soa_in in, const soa_body_data *body, real *x)
{
    for (int i = 0; i < body->nv; i++) {
        x[i] = in.at ? in_get(call, in, (size_t)(body->v + i)) : real_set(0.0);
    }
}

KERNEL void joint_out(const soa_call *call, soa_out out, int first, int count, const real *x)
{
    for (int i = 0; i < count; i++) {
        out_put(call, out, (size_t)(first + i), x[i]);
    }
}

/* ---- D^-1 --------------------------------------------------------------------------- */

/* A pivot must exceed this part of the number it came from. */
#define PIVOT_TOLERANCE 1e-14

/* L D L* = A, a symmetric positive definite r x r matrix of which the lower half is read; of L what is below the diagonal.
 * The lanes where it is not positive definite have failed at the body. */
KERNEL void factor_spd(
    soa_call *call, int k, const int r, real (*A)[D_COLUMNS], real (*L)[D_COLUMNS], real *D, real *D_inv)
{
    for (int j = 0; j < r; j++) {
        real d = A[j][j];
        for (int c = 0; c < j; c++) {
            d = real_fnma(L[j][c] * D[c], L[j][c], d);
        }
        call_require(call, real_less(PIVOT_TOLERANCE * real_abs(A[j][j]), d), k);
        D[j] = d;
        D_inv[j] = real_div(real_set(1.0), d);
        for (int i = j + 1; i < r; i++) {
            real s = A[i][j];
            for (int c = 0; c < j; c++) {
                s = real_fnma(L[i][c] * D[c], L[j][c], s);
            }
            L[i][j] = s * D_inv[j];
        }
    }
}

/* x = A^-1 x by the factors of A; what is before x[first] is zero. */
KERNEL void solve_factored(const int r, real (*L)[D_COLUMNS], const real *D_inv, int first, real *x)
{
    for (int i = first + 1; i < r; i++) {
        for (int c = first; c < i; c++) {
            x[i] = real_fnma(L[i][c], x[c], x[i]);
        }
    }
    for (int i = r - 1; i >= 0; i--) {
        x[i] = x[i] * D_inv[i];
        for (int c = i + 1; c < r; c++) {
            /* cppcheck-suppress arrayIndexOutOfBounds ; c < r */
            x[i] = real_fnma(L[c][i], x[c], x[i]);
        }
    }
}

/* A becomes its inverse, column by column. */
KERNEL void invert_spd_of(soa_call *call, int k, const int r, real (*A)[D_COLUMNS])
{
    real L[D_COLUMNS][D_COLUMNS] = { { real_set(0.0) } }, D[D_COLUMNS], D_inv[D_COLUMNS];
    factor_spd(call, k, r, A, L, D, D_inv);
    for (int e = 0; e < r; e++) {
        real x[D_COLUMNS];
        for (int i = 0; i < r; i++) {
            x[i] = real_set(i == e ? 1.0 : 0.0);
        }
        solve_factored(r, L, D_inv, e, x);
        for (int i = 0; i < r; i++) {
            A[i][e] = i < e ? A[e][i] : x[i]; /* rows above were written by earlier columns */
        }
    }
}

/* x = A^-1 x for a symmetric positive definite 6 x 6 matrix, of which the lower half is read. */
KERNEL void solve_spd_6(soa_call *call, int k, real (*A)[D_COLUMNS], real *x)
{
    real L[D_COLUMNS][D_COLUMNS], D[D_COLUMNS], D_inv[D_COLUMNS];
    factor_spd(call, k, 6, A, L, D, D_inv);
    solve_factored(6, L, D_inv, 0, x);
}

/* The sizes that occur, each with its loops unrolled. */
static __attribute__((noinline)) void invert_spd(soa_call *call, int k, int r, real (*A)[D_COLUMNS])
{
    switch (r) {
    case 1:
        call_require(call, real_less(real_set(0.0), A[0][0]), k);
        A[0][0] = real_div(real_set(1.0), A[0][0]);
        return;
    case 2:
        invert_spd_of(call, k, 2, A);
        return;
    case 3:
        invert_spd_of(call, k, 3, A);
        return;
    default:
        invert_spd_of(call, k, 6, A);
    }
}

#endif
