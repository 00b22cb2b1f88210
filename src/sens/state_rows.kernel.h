/* sens/state_rows.kernel.h - a state and its fields, as the kernels for one state have them.
 *
 * All is in world axes at the origin of the root of the tree, so that composites are sums and every pair of joints a
 * product; sweep/fields.h has the symbols. */
#ifndef SOA_SENS_STATE_ROWS_KERNEL_H
#define SOA_SENS_STATE_ROWS_KERNEL_H

#include "dynamics/coriolis_columns.kernel.h"
#include "sens/sens_kernels.h"

/* Single rows of soa_call.squares. */
enum { ROW_VDOT, ROW_BIAS };

_Static_assert(ROW_BIAS < (int)SOA_SQUARE_ROWS, "too many rows");

KERNEL double *row_of(const soa_call *call, int row)
{
    return call->squares + (size_t)row * soa_square_stride(call->model);
}

/* Whether there are external forces, on bodies or at points. */
KERNEL bool has_external(const soa_call *call)
{
    return call->f.at || call->g.at;
}

#if LANES == 1
/* Fields first .. last of all velocities become zero. */
static inline void fields_zero(const soa_call *call, int first, int last)
{
    for (size_t c = 0; c < soa_places(call->model); c += FIELD_STEP) {
        memset(field_at(fields_of(call, c), first), 0, (size_t)(last + 1 - first) * FIELD_STEP * sizeof(double));
    }
}
#endif

#endif
