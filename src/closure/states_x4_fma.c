/* closure/states_x4_fma.c - the kernels for 4 states in lanes, with FMA. */
#define LANES 4
#define UNIT  x4_fma
#include "closure/states_unit.kernel.h"
