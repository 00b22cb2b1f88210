/* expr/run_x8_fma.c - the kernels for 8 lanes, with FMA. */
#define LANES 8
#define UNIT  x8_fma
#include "expr/run_unit.kernel.h"
