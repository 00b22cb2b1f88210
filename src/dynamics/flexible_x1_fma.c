/* dynamics/flexible_x1_fma.c - the kernels for models with flexible links, as dynamics_x1_fma.c. */
#define LANES 1
#define UNIT  x1_fma
#include "dynamics/flexible_unit.kernel.h"
