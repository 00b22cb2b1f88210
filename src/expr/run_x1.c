/* expr/run_x1.c - the kernels for 1 lane, for any processor. */
#define LANES 1
#define UNIT  x1
#include "expr/run_unit.kernel.h"
