/* emit/trace_dynamics.cc - the kernels of dynamics/ run on a tape instead of numbers.
 *
 * C++ because its operators can be given a meaning on values of a tape; the kernels are the same source. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "emit/trace_real.h"

#define _Alignas alignas
extern "C" {
#include "dynamics/kernels.h"

#include "dynamics/coriolis.kernel.h"
#include "dynamics/fast.kernel.h"
#include "dynamics/forward.kernel.h"
#include "dynamics/inverse.kernel.h"
#include "dynamics/jacobian.kernel.h"
#include "dynamics/kinematics.kernel.h"
#include "dynamics/mass.kernel.h"
#include "dynamics/momentum.kernel.h"
#include "dynamics/newton.kernel.h"
#include "dynamics/operational.kernel.h"
}
#include "emit/trace_run.h"

static soa_kernel *const KERNELS[] = {
#define TRACE_KERNEL(name, ...) name,
    SOA_KERNEL_LIST(TRACE_KERNEL)
#undef TRACE_KERNEL
};

bool trace_kernel(tape *t, soa_kernel_id kernel, const soa_call *call)
{
    return call->model->flexible ? trace_flexible(t, kernel, call) : run_on_tape(t, KERNELS[kernel], call);
}

/* dq/dt of a joint: the shape of its q is that of beta but for quaternions and planes. */
void trace_rates(tape *t, soa_joint_kind kind, const double *q, const double *beta, double *rate)
{
    const int nq = soa_joint_kind_nq(kind), nv = soa_joint_kind_nv(kind);
    real x[SOA_JOINT_MAX_NQ], b[SOA_JOINT_MAX_NV], y[SOA_JOINT_MAX_NQ];
    for (int i = 0; i < nq; i++) {
        x[i] = real_set(q[i]);
    }
    for (int i = 0; i < nv; i++) {
        b[i] = real_set(beta[i]);
        y[i] = b[i];
    }
    tracing = t;
    if (kind == SOA_SPHERICAL || kind == SOA_FREE) {
        quaternion_rate(x, b, y);
    }
    if (kind == SOA_FREE) {
        const vec3 shift = mat3_mul_vec(rotation_of_quaternion(x), (vec3){ b[3], b[4], b[5] });
        y[4] = shift.x, y[5] = shift.y, y[6] = shift.z;
    } else if (kind == SOA_PLANAR) {
        real s, c;
        real_sincos(x[2], &s, &c);
        const vec3 shift = rotz(c, s, (vec3){ b[0], b[1], real_set(0.0) });
        y[0] = shift.x, y[1] = shift.y;
    }
    tracing = NULL;
    for (int i = 0; i < nq; i++) {
        rate[i] = real_get(y[i], 0);
    }
}

void trace_inertia(tape *t, const soa_pose *at, const double *parameters, double *shifted)
{
    tracing = t;
    const rigid M = rigid_shift(pose_set(at), rigid_set(parameters));
    tracing = NULL;
    const real y[10] = { M.m, M.h.x, M.h.y, M.h.z, M.J.xx, M.J.xy, M.J.xz, M.J.yy, M.J.yz, M.J.zz };
    for (int i = 0; i < 10; i++) {
        shifted[i] = real_get(y[i], 0);
    }
}
