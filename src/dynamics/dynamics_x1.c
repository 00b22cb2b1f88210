/* dynamics/dynamics_x1.c - the kernels for 1 lane, for any processor. */
#define LANES 1
#define UNIT  x1
#include "dynamics/dynamics_unit.kernel.h"
