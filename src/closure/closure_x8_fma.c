/* closure/closure_x8_fma.c - the kernels for 8 lanes, with FMA. */
#define LANES 8
#define UNIT  x8_fma
#include "closure/closure_unit.kernel.h"
