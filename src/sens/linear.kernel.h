/* sens/linear.kernel.h - a state-space model about one state.  [LIN] */
#ifndef SOA_SENS_LINEAR_KERNEL_H
#define SOA_SENS_LINEAR_KERNEL_H

#include "sens/forward_derivatives.kernel.h"
#include "sens/turning.h"

#if LANES == 1

/* q, v (or none), u = T (or none), f (or none); y = A, y2 = B, y3 = C or none, y4 = D or none. */
static void linear_model(soa_call *call)
{
    const size_t n = (size_t)call->model->nv, spacing = call->spacing;
    double *A = call->y.at, *B = call->y2.at;
    soa_call part = *call;
    part.y2.at = A + n * n * spacing;
    part.y3.at = B;
    part.y4.at = NULL;
    forward_dynamics_derivatives(&part);
    call_begin(call);
    call->failed[0] = part.failed[0];
    for (size_t i = 0; i < n * n; i++) { /* the lower halves, which stand packed at the beginning of each */
        double *row = A + (n + i / n) * 2 * n * spacing;
        row[i % n * spacing] = A[i * spacing];
        row[(n + i % n) * spacing] = A[(n * n + i) * spacing];
        B[(n * n + i) * spacing] = B[i * spacing];
    }
    linear_upper(call->model, call->v.at, 0, n, spacing, A, B);
    linear_outputs(n, spacing, A, B, call->y3.at, call->y4.at);
}

#endif

#endif
