/* The kernels for models with flexible links on numbers with slopes: their derivatives. */
#define UNIT dual
#include "spatial/dual.h"

#include "dynamics/flexible_unit.kernel.h"
