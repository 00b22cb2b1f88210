/* closure/states_x2_simd128.c - the kernels for 2 states in lanes, the registers of WebAssembly. */
#define LANES 2
#define UNIT  x2_simd128
#include "closure/states_unit.kernel.h"
