/* dynamics/flexible_x1.c - the kernels for models with flexible links, as dynamics_x1.c. */
#define LANES 1
#define UNIT  x1
#include "dynamics/flexible_unit.kernel.h"
