/* sens/linear.kernel.h - a state-space model about one state.  [LIN]
 *
 *     x = (dq; dv), u = dT:   dx/dt = A x + B u,   y = (dq; dv; dvdot) = C x + D u
 *     A = [ -ad(v)  I ; dvdot_dq  dvdot_dv ]       B = [ 0 ; dvdot_dT ]
 * dq is a displacement along the velocities; where these are not rates of coordinates it turns with
 * the joint: d(dq)/dt = dv - [v, dq]. */
#ifndef SOA_SENS_LINEAR_KERNEL_H
#define SOA_SENS_LINEAR_KERNEL_H

#include "sens/forward_derivatives.kernel.h"
#include "sens/turning.h"

#if LANES == 1

/* A and B from their lower blocks, which stand packed at the beginning of each. */
static inline void linear_spread(const soa_call *call, double *A, double *B)
{
    const size_t n = (size_t)call->model->nv, step = call->step;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            A[((n + i) * 2 * n + j) * step] = A[(i * n + j) * step];
            A[((n + i) * 2 * n + n + j) * step] = A[(n * n + i * n + j) * step];
            B[((n + i) * n + j) * step] = B[(i * n + j) * step];
        }
    }
    for (size_t i = 0; i < 2 * n * n; i++) {
        A[i * step] = i % (2 * n) == n + i / (2 * n) ? 1.0 : 0.0;
    }
    for (size_t i = 0; i < n * n; i++) {
        B[i * step] = 0.0;
    }
    for (int k = 0; call->v.at && k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        const size_t at = (size_t)body->v;
        turning_of_joint(body->rest->shape.kind, call->v.at + at, A + at * (2 * n + 1) * step, 2 * n, step);
    }
}

/* q, v (or none), u = T (or none), f (or none); y = A, y2 = B, y3 = C or none, y4 = D or none. */
static void linear_model(soa_call *call)
{
    const size_t n = (size_t)call->model->nv, step = call->step;
    double *A = call->y.at, *B = call->y2.at;
    soa_call part = *call;
    part.y2.at = A + n * n * step;
    part.y3.at = B;
    part.y4.at = NULL;
    forward_dynamics_derivatives(&part);
    call_begin(call);
    call->failed[0] = part.failed[0];
    linear_spread(call, A, B);
    for (size_t i = 0; call->y3.at && i < 2 * n * 3 * n; i++) {
        const size_t row = i / (2 * n), column = i % (2 * n);
        call->y3.at[i * step] = row < 2 * n ? (row == column ? 1.0 : 0.0) : A[(i - 2 * n * n) * step];
    }
    for (size_t i = 0; call->y4.at && i < 3 * n * n; i++) {
        call->y4.at[i * step] = i < 2 * n * n ? 0.0 : B[(i - n * n) * step];
    }
}

#endif

#endif
