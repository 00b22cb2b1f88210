/* dynamics/flexible_x4_fma.c - the kernels for models with flexible links, as dynamics_x4_fma.c. */
#define LANES 4
#define UNIT  x4_fma
#include "dynamics/flexible_unit.kernel.h"
