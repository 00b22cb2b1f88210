/* sens/sens_unit.kernel.h - all kernels for one width of lanes, and their table.
 *
 * A unit defines LANES and UNIT and includes this file. */
#include "sens/sens_kernels.h"

#include "sens/articulated_rates.kernel.h"
#include "sens/christoffel.kernel.h"
#include "sens/contracted.kernel.h"
#include "sens/diagonal_equations.kernel.h"
#include "sens/forward_derivatives.kernel.h"
#include "sens/inverse_derivatives.kernel.h"
#include "sens/joint_places.kernel.h"
#include "sens/linear.kernel.h"
#include "sens/loads.kernel.h"
#include "sens/moving_columns.kernel.h"
#include "sens/parameters.kernel.h"
#include "sens/second.kernel.h"

#define TABLE_NAME_OF(unit) soa_sens_##unit
#define TABLE_NAME(unit)    TABLE_NAME_OF(unit)

extern const soa_sens_table TABLE_NAME(UNIT);
const soa_sens_table TABLE_NAME(UNIT) = {
    .lanes = { body_forces, joint_rates, joint_loads, inverse_rows, mass_rows, inverse_panel, multiply_inverse, solve_panels, joint_bias_forces,
        joint_accelerations, add_accelerations, weigh_bodies, weigh_joints, second_rows, christoffel_rows },
    .kernel = {
#if LANES == 1
#define TABLE_ENTRY(name) [SOA_SENS_##name] = name,
        SOA_SENS_BATCH_LIST(TABLE_ENTRY)
        TABLE_ENTRY(moving_columns)
#undef TABLE_ENTRY
#else
        [SOA_SENS_articulated_rates] = articulated_rates,
        [SOA_SENS_diagonal_equations] = diagonal_equations,
#endif
    },
};
