/* dynamics/dynamics_x1_fma.c - the kernels for 1 lane, with FMA. */
#define LANES 1
#define UNIT  x1_fma
#include "dynamics/dynamics_unit.kernel.h"
