/* The kernels for models with flexible links on numbers with two slopes: their second derivatives. */
#define UNIT twice
#include "spatial/twice.h"

extern "C" {
#include "dynamics/flexible_unit.kernel.h"
}
