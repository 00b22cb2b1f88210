/* emit/trace_flexible.cc - the kernels of dynamics/ for models with flexible links run on a tape, as trace_dynamics.cc. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "emit/trace_real.h"

#define _Alignas alignas
extern "C" {
#include "dynamics/kernels.h"

#include "dynamics/flexible_space.kernel.h"
}
#include "emit/trace_run.h"

static soa_kernel *const KERNELS[] = {
#define TRACE_KERNEL(name, ...) flex_##name,
    SOA_KERNEL_LIST(TRACE_KERNEL)
#undef TRACE_KERNEL
};

bool trace_flexible(tape *t, soa_kernel_id kernel, const soa_call *call)
{
    return run_on_tape(t, KERNELS[kernel], call);
}
