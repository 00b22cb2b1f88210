/* expr/run_twice.cc - the kernels on numbers with two slopes: second derivatives of models with flexible links. */
#define UNIT twice
#include "spatial/twice.h"

extern "C" {
#include "expr/run_unit.kernel.h"
}
