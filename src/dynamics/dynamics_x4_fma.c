/* dynamics/dynamics_x4_fma.c - the kernels for 4 lanes, with FMA. */
#define LANES 4
#define UNIT  x4_fma
#include "dynamics/dynamics_unit.kernel.h"
