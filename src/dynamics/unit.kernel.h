/* dynamics/unit.kernel.h - all kernels for one width of lanes, and their table.
 *
 * A unit defines LANES and UNIT and includes this file. */
#include "dynamics/kernels.h"

#include "dynamics/coriolis.kernel.h"
#include "dynamics/fast.kernel.h"
#include "dynamics/forward.kernel.h"
#include "dynamics/inverse.kernel.h"
#include "dynamics/kinematics.kernel.h"
#include "dynamics/mass.kernel.h"
#include "dynamics/momentum.kernel.h"
#include "dynamics/operational.kernel.h"

static size_t work_size(const soa_model *model, int points)
{
    vars w;
    return vars_place(model, points, NULL, &w);
}

#define TABLE_NAME_OF(unit) soa_dynamics_##unit
#define TABLE_NAME(unit)    TABLE_NAME_OF(unit)

extern const soa_kernel_table TABLE_NAME(UNIT);
const soa_kernel_table TABLE_NAME(UNIT) = {
    .lanes = LANES,
    .size = work_size,
    .kernel = {
#define TABLE_ENTRY(name) [SOA_KERNEL_##name] = name,
        SOA_KERNEL_LIST(TABLE_ENTRY)
#undef TABLE_ENTRY
    },
};
