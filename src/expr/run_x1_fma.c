/* expr/run_x1_fma.c - the kernels for 1 lane, with FMA. */
#define LANES 1
#define UNIT  x1_fma
#include "expr/run_unit.kernel.h"
