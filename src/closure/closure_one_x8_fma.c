/* closure/closure_one_x8_fma.c - the kernels for 1 lane, on processors with 32 registers: the same bits, less spilled. */
#define LANES 1
#define UNIT  x1_wide
#include "closure/unit.kernel.h"
