/* dynamics/inverse.kernel.h - what callers of inverse dynamics say besides numbers.  [ID] */
#ifndef SOA_DYNAMICS_INVERSE_KERNEL_H
#define SOA_DYNAMICS_INVERSE_KERNEL_H

#include "sweep/sweeps.kernel.h"

/* soa_call.option of inverse_dynamics */
enum { WITHOUT_GRAVITY = 1 };

#endif
