/* dynamics/flexible_unit.kernel.h - the kernels for models with flexible links, for one width of lanes, and their table.
 *
 * A unit defines LANES and UNIT and includes this file. */
#include "dynamics/kernels.h"

#include <math.h>

/* Steps are shared with the kernels for rigid links, which are not in this table. */
#pragma GCC diagnostic ignored "-Wunused-function"
#include "dynamics/flexible_space.kernel.h"
#include "sweep/lanes.kernel.h"
#ifdef SOA_SPATIAL_DUAL_H
#include "operator/blocks.kernel.h"
#endif

/* Behind the variables with slopes there is room for blocks (sens/articulated_dual.c). */
static size_t work_size(const soa_model *model, int points)
{
    vars w;
    const size_t variables = vars_header() + vars_place(model, points, NULL, &w);
#ifdef SOA_SPATIAL_DUAL_H
    blocks all;
    return variables + blocks_place(model, points, NULL, &all);
#else
    return variables;
#endif
}

static void work_prepare(const soa_model *model, int points, void *block)
{
    vars_place(model, points, (char *)block + vars_header(), (vars *)block);
}

/* 0 x is zero for a finite x and NaN for any other. */
static bool unit_finite(const double *x, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += 0.0 * x[i];
    }
    return sum == 0.0;
}

#define TABLE_NAME_OF(unit) soa_flexible_##unit
#define TABLE_NAME(unit)    TABLE_NAME_OF(unit)

extern const soa_kernel_table TABLE_NAME(UNIT);
const soa_kernel_table TABLE_NAME(UNIT) = {
    .lanes = LANES,
    .size = work_size,
    .prepare = work_prepare,
#if LANES > 1
    .gather = gather_inputs,
#endif
    .work = { .finite = unit_finite },
    .kernel = {
#define TABLE_ENTRY(name, ...) [SOA_KERNEL_##name] = flex_##name,
        SOA_KERNEL_LIST(TABLE_ENTRY)
#if LANES == 1
        SOA_SINGLE_KERNEL_LIST(TABLE_ENTRY)
        SOA_FLEXIBLE_KERNEL_LIST(TABLE_ENTRY)
#endif
#undef TABLE_ENTRY
    },
};
