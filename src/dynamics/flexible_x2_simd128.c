/* dynamics/flexible_x2_simd128.c - the kernels for models with flexible links, as dynamics_x2_simd128.c. */
#define LANES 2
#define UNIT  x2_simd128
#include "dynamics/flexible_unit.kernel.h"
