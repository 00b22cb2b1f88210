/* emit/trace.h - kernels run on a tape. */
#ifndef SOA_EMIT_TRACE_H
#define SOA_EMIT_TRACE_H

#include "emit/tape.h"

#ifndef __cplusplus
#include "dynamics/kernels.h"
#else
extern "C" {
#endif

/* A kernel of SOA_KERNEL_LIST on the inputs, points and outputs of a call, which hold values of the tape; false: the tape
 * is full. */
bool trace_kernel(tape *t, soa_kernel_id kernel, const soa_call *call);

/* dq/dt of a joint at q and beta. */
void trace_rates(tape *t, soa_joint_kind kind, const double *q, const double *beta, double *rate);

/* Ten inertial parameters, seen from a frame in which theirs stands at `at`. */
void trace_inertia(tape *t, const soa_pose *at, const double *parameters, double *shifted);

#ifdef __cplusplus
}
#endif
#endif
