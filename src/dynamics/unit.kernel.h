/* dynamics/unit.kernel.h - all kernels for one width of lanes, and their table.
 *
 * A unit defines LANES and UNIT and includes this file. */
#include "dynamics/kernels.h"

#include "dynamics/coriolis.kernel.h"
#include "dynamics/coriolis_columns.kernel.h"
#include "dynamics/fast.kernel.h"
#include "dynamics/forward.kernel.h"
#include "dynamics/inverse.kernel.h"
#include "dynamics/inverse_columns.kernel.h"
#include "dynamics/kinematics.kernel.h"
#include "dynamics/mass.kernel.h"
#include "dynamics/momentum.kernel.h"
#include "dynamics/operational.kernel.h"

static size_t work_size(const soa_model *model, int points)
{
    vars w;
    return vars_header() + vars_place(model, points, NULL, &w);
}

static void work_prepare(const soa_model *model, int points, void *block)
{
    vars *w = block;
    vars_place(model, points, (char *)block + vars_header(), w);
#if LANES == 1
    fields_prepare(model, w);
#endif
}

static void unit_sincos(int n, const double *angle, double *cos_sin)
{
    for (int i = 0; i < n; i += LANES) {
        real x = real_set(0.0), s, c;
        const int count = n - i < LANES ? n - i : LANES;
        for (int lane = 0; lane < count; lane++) {
            x = real_put(x, lane, angle[i + lane]);
        }
        real_sincos(x, &s, &c);
        for (int lane = 0; lane < count; lane++) {
            cos_sin[2 * (i + lane)] = real_get(c, lane);
            cos_sin[2 * (i + lane) + 1] = real_get(s, lane);
        }
    }
}

#define TABLE_NAME_OF(unit) soa_dynamics_##unit
#define TABLE_NAME(unit)    TABLE_NAME_OF(unit)

extern const soa_kernel_table TABLE_NAME(UNIT);
const soa_kernel_table TABLE_NAME(UNIT) = {
    .lanes = LANES,
    .size = work_size,
    .prepare = work_prepare,
    .work = { unit_sincos, inverse_columns, project_columns, gather_columns, coriolis_columns },
    .kernel = {
#define TABLE_ENTRY(name) [SOA_KERNEL_##name] = name,
        SOA_KERNEL_LIST(TABLE_ENTRY)
#if LANES == 1
        SOA_SINGLE_KERNEL_LIST(TABLE_ENTRY)
#endif
#undef TABLE_ENTRY
    },
};
