/* expr/run_x4_fma.c - the kernels for 4 lanes, with FMA. */
#define LANES 4
#define UNIT  x4_fma
#include "expr/run_unit.kernel.h"
