/* sens/invert.kernel.h - the inverse of the mass matrix in place, and accelerations, columns in lanes.
 *
 * Gauss and Jordan from the tips inward: what is eliminated at joint k touches only the joints inboard and
 * outboard of k, and the pivot is D(k). Rows are whole vectors. */
#ifndef SOA_SENS_INVERT_KERNEL_H
#define SOA_SENS_INVERT_KERNEL_H

#include "sens/multiply.kernel.h"

/* Joint velocity k and i: one inboard of the other, or of the same joint. */
KERNEL bool are_related(const double *enter, const double *leave, int i, int k)
{
    return (enter[i] <= enter[k] && enter[k] < leave[i]) || (enter[k] <= enter[i] && enter[i] < leave[k]);
}

/* Row i of A minus factor times row k; the entry in column k is that of the inverse. */
KERNEL void eliminate(double *A, size_t stride, int i, const double *pivot_row, double pivot_inv, int k)
{
    double *to = A + (size_t)i * stride;
    const double factor = to[k] * pivot_inv;
    const real minus = real_set(-factor);
    for (size_t c = 0; c < stride; c += LANES) {
        real_store(to + c, real_fma(minus, real_load(pivot_row + c), real_load(to + c)));
    }
    to[k] = -factor;
}

/* Mass in the first square becomes its inverse. 0: no pivot was bad; else the velocity, counted from 1. */
static int invert_square(const soa_call *call)
{
    const int nv = call->model->nv;
    const size_t stride = soa_wide_stride(call->model);
    const double *enter = wide_of(call, SOA_WIDE_ENTER).at, *leave = wide_of(call, SOA_WIDE_LEAVE).at;
    double *A = square_of(call, 0), *diagonal = wide_of(call, WIDE_VDOT).at;
    for (int k = 0; k < nv; k++) {
        diagonal[k] = A[(size_t)k * stride + (size_t)k];
    }
    for (int k = nv - 1; k >= 0; k--) {
        double *own = A + (size_t)k * stride;
        const double pivot = own[k], pivot_inv = 1.0 / pivot;
        if (!(pivot > 1e-14 * diagonal[k])) {
            return k + 1;
        }
        const int low = (int)*wide_at(wide_of(call, SOA_WIDE_LOW), 0, (size_t)k);
        const int high = (int)*wide_at(wide_of(call, SOA_WIDE_HIGH), 0, (size_t)k);
        for (int i = low; i < high; i++) {
            if (i != k && are_related(enter, leave, i, k)) {
                eliminate(A, stride, i, own, pivot_inv, k);
            }
        }
        const real scale = real_set(pivot_inv);
        for (size_t c = 0; c < stride; c += LANES) {
            real_store(own + c, scale * real_load(own + c));
        }
        own[k] = pivot_inv;
    }
    return 0;
}

/* The square becomes Mass^-1, VDOT = Mass^-1 BIAS. */
static int invert_mass(const soa_call *call)
{
    const int nv = call->model->nv;
    const size_t stride = soa_wide_stride(call->model);
    const double *A = square_of(call, 0), *bias = wide_of(call, WIDE_BIAS).at;
    const int failed = invert_square(call);
    for (size_t c = 0; c < stride && !failed; c += LANES) {
        real sum = real_set(0.0);
        for (int k = 0; k < nv; k++) {
            sum = real_fma(real_set(bias[k]), real_load(A + (size_t)k * stride + c), sum);
        }
        real_store(wide_of(call, WIDE_VDOT).at + c, sum);
    }
    return failed;
}

/* ---- what vdot adds ------------------------------------------------------------------------ */

/* BIAS = S F */
static void joint_bias_forces(const soa_call *call)
{
    for (size_t c = 0; c < (size_t)call->model->nv; c += LANES) {
        const force F = wide_force(wide_of(call, WIDE_F), c);
        wide_put(wide_of(call, WIDE_BIAS), 0, c, power(F, wide_motion(wide_of(call, WIDE_S), c)));
    }
}

/* F gains R A1 + G, S2 gains A2 x S. */
static void add_accelerations(const soa_call *call)
{
    const wide F = wide_of(call, WIDE_F), S2 = wide_of(call, WIDE_S2);
    for (size_t c = 0; c < (size_t)call->model->nv; c += LANES) {
        const rigid R = wide_rigid(wide_of(call, WIDE_R), c);
        const force more =
            force_add(rigid_mul(R, wide_motion(wide_of(call, WIDE_A1), c)), wide_force(wide_of(call, WIDE_G), c));
        wide_put_force(F, c, force_add(wide_force(F, c), more));
        const motion turned =
            motion_cross(wide_motion(wide_of(call, WIDE_A2), c), wide_motion(wide_of(call, WIDE_S), c));
        wide_put_motion(S2, c, motion_add(wide_motion(S2, c), turned));
    }
}

#endif
