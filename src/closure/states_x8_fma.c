/* closure/states_x8_fma.c - the kernels for 8 states in lanes, with FMA. */
#define LANES 8
#define UNIT  x8_fma
#include "closure/states_unit.kernel.h"
