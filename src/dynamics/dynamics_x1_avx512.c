/* dynamics/dynamics_x1_avx512.c - the kernels for 1 lane, with FMA and the 32 registers of AVX-512. */
#define LANES 1
#define UNIT  x1_avx512
#include "dynamics/dynamics_unit.kernel.h"
