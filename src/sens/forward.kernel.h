/* sens/forward.kernel.h - the derivatives of forward dynamics.  [LIN]
 *
 * At the vdot that T makes, T = ID(q, v, vdot) holds for all q, v, T:
 *     dvdot_dq = -Mass^-1 dT_dq,  dvdot_dv = -Mass^-1 dT_dv,  dvdot_dT = Mass^-1. */
#ifndef SOA_SENS_FORWARD_KERNEL_H
#define SOA_SENS_FORWARD_KERNEL_H

#include "sens/inverse.kernel.h"
#include "sens/multiply.kernel.h"

#if LANES == 1
/* A kernel of dynamics/ on the same state with another input u and one output. */
static bool run_dynamics(soa_call *call, soa_kernel_id kernel, const double *u, soa_out y)
{
    const soa_kernel_table *one = ((const soa_sens_context *)call->lanes_above)->one;
    soa_call part = *call;
    part.u.at = u;
    part.y = y;
    part.y2 = part.y3 = part.y4 = (soa_out){ NULL, 0 };
    part.option = 0;
    one->kernel[kernel](&part);
    call->failed[0] = part.failed[0];
    return part.failed[0] < 0;
}

/* As the last, but y has numbers next to each other. */
static bool run_plain(soa_call *call, soa_kernel_id kernel, const double *u, double *y)
{
    soa_call part = *call;
    part.step = 1;
    const bool good = run_dynamics(&part, kernel, u, (soa_out){ y, 0 });
    call->failed[0] = part.failed[0];
    return good;
}

/* vdot by Mass^-1 in the square. */
static bool accelerations_small(soa_call *call, double *vdot, double *bias)
{
    const int nv = call->model->nv;
    double *inverse = square_of(call, 0);
    if (!run_plain(call, SOA_KERNEL_mass_inverse, NULL, inverse) ||
        !run_plain(call, SOA_KERNEL_inverse_dynamics, NULL, bias)) {
        return false;
    }
    for (int i = 0; i < nv; i++) {
        bias[i] = (call->u.at ? call->u.at[i] : 0.0) - bias[i];
        vdot[i] = 0.0;
    }
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i < nv; i++) {
            vdot[i] = real_fma(inverse[j * nv + i], bias[j], vdot[i]);
        }
    }
    for (int i = 0; call->y3.at && i < nv * nv; i++) {
        call->y3.at[(size_t)i * call->step] = inverse[i];
    }
    return true;
}

/* y = factor Mass^-1 y by sweeps, as many columns at a time as there are lanes. */
static void solve_columns(soa_call *call, double *y, size_t columns, double factor)
{
    const soa_kernel_table *many = ((const soa_sens_context *)call->lanes_above)->many;
    const size_t nv = (size_t)call->model->nv, step = call->step;
    double *x = call->wide + SOA_WIDE * soa_wide_stride(call->model);
    soa_call part = *call;
    part.work = call->work_columns;
    part.step = 1;
    part.q.stride = 0;
    part.y = (soa_out){ x + SOA_MAX_LANES * soa_wide_stride(call->model), nv };
    part.u = (soa_in){ x, nv };
    part.f.at = part.v.at = NULL;
    for (size_t first = 0; y && first < columns; first += (size_t)part.count) {
        part.count = columns - first < (size_t)many->lanes ? (int)(columns - first) : many->lanes;
        part.plain = part.count == many->lanes;
        for (size_t i = 0; i < nv * (size_t)part.count; i++) {
            x[i] = factor * y[((i % nv) * columns + first + i / nv) * step];
        }
        many->kernel[SOA_KERNEL_mass_solve](&part);
        for (size_t i = 0; i < nv * (size_t)part.count; i++) {
            y[((i % nv) * columns + first + i / nv) * step] = part.y.at[i];
        }
    }
    call->failed[0] = part.failed[0];
}

/* q, v (or none), u = T (or none), f (or none); y = dvdot_dq, y2 = dvdot_dv, y3 = dvdot_dT, nv x nv each, y4 = vdot;
 * or none. */
static void forward_derivatives(soa_call *call)
{
    const int nv = call->model->nv;
    const bool small = nv <= SOA_WIDE_SQUARE;
    double *vdot = wide_of(call, WIDE_VDOT).at, *bias = wide_of(call, WIDE_BIAS).at;
    call_begin(call);
    if (!(small ? accelerations_small(call, vdot, bias)
                : run_plain(call, SOA_KERNEL_forward_dynamics, call->u.at, vdot) &&
                      (!call->y3.at || run_dynamics(call, SOA_KERNEL_mass_inverse, NULL, call->y3)))) {
        return;
    }
    for (int i = 0; call->y4.at && i < nv; i++) {
        call->y4.at[(size_t)i * call->step] = vdot[i];
    }
    soa_call part = *call;
    part.u.at = vdot;
    part.y3.at = NULL;
    if (small) {
        part.step = 1;
        part.pitch = soa_wide_stride(call->model);
        part.y.at = call->y.at ? square_of(call, 1) : NULL;
        part.y2.at = call->y2.at ? square_of(call, 2) : NULL;
        inverse_derivatives(&part);
        sens_lanes(call)->multiply_inverse(call);
    } else {
        inverse_derivatives(&part);
        solve_columns(&part, part.y.at, (size_t)nv, -1.0);
        solve_columns(&part, part.y2.at, (size_t)nv, -1.0);
    }
}
#endif

#endif
