/* dynamics/flexible_x8_fma.c - the kernels for models with flexible links, as dynamics_x8_fma.c. */
#define LANES 8
#define UNIT  x8_fma
#include "dynamics/flexible_unit.kernel.h"
