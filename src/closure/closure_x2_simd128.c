/* closure/closure_x2_simd128.c - the kernels for 2 lanes, the registers of WebAssembly. */
#define LANES 2
#define UNIT  x2_simd128
#include "closure/closure_unit.kernel.h"
