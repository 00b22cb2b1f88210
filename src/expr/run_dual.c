/* expr/run_dual.c - the kernels on numbers with slopes: derivatives of models with flexible links. */
#define UNIT dual
#include "spatial/dual.h"

#include "expr/run_unit.kernel.h"
