/* closure/closure_unit.kernel.h - the kernels for one width of lanes, and their tables.
 *
 * A unit defines LANES and UNIT and includes this file. */
#include <math.h>

#if defined(__GNUC__) /* kernels of dynamics/ that closures have no use for */
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

#include "closure/cross.kernel.h"
#include "closure/insert.kernel.h"
#include "closure/ordered.kernel.h"
#if LANES == 1
#include "closure/solve.kernel.h"
#endif

#define TABLE_NAME_OF(name, unit) soa_closure_##name##_##unit
#define TABLE_NAME(name, unit)    TABLE_NAME_OF(name, unit)

extern const soa_cross_table TABLE_NAME(cross, UNIT);
const soa_cross_table TABLE_NAME(cross, UNIT) = { front_project, front_cross, front_row, front_to_base,
    front_insert_columns, front_subtract, front_solve_ordered };

#if LANES == 1
extern const soa_closure_table TABLE_NAME(table, UNIT);
const soa_closure_table TABLE_NAME(table, UNIT) = { locate, coupling_at, rows_at, accelerate, joint_sizes,
    jacobian_rows, multiply_rows, pull_joints, closed_solve };
#endif
