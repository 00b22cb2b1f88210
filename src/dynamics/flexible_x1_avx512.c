/* dynamics/flexible_x1_avx512.c - the kernels for models with flexible links, as dynamics_x1_avx512.c. */
#define LANES 1
#define UNIT  x1_avx512
#include "dynamics/flexible_unit.kernel.h"
