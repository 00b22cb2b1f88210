/* closure/closure_x1_avx512.c - the kernels for 1 lane, on processors with 32 registers: the same bits, less spilled. */
#define LANES 1
#define UNIT  x1_avx512
#include "closure/closure_unit.kernel.h"
