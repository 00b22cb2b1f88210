/* sens/solve_columns.kernel.h - Mass^-1 times many columns by sweeps, columns in lanes.  [I6] [MINV] */
#ifndef SOA_SENS_SOLVE_COLUMNS_KERNEL_H
#define SOA_SENS_SOLVE_COLUMNS_KERNEL_H

#include "dynamics/articulated.kernel.h"
#include "dynamics/column_sweeps.kernel.h"
#include "sens/sens_kernels.h"

/* y = factor Mass^-1 y, all columns. */
static void solve_panels(const soa_call *call, const soa_articulated_state *state, soa_solved y)
{
    const vars w = *(const vars *)call->work_columns;
    const int last = call->model->bodies - 1;
    for (y.first = 0; y.first < y.columns; y.first += LANES) {
        y.count = y.columns - y.first < LANES ? (int)(y.columns - y.first) : LANES;
        columns_filter(call, state, &w, &y, last, false);
        columns_smoother(call, state, &w, &y, last);
    }
}

#if LANES == 1
/* y = factor Mass^-1 y for up to two matrices y with nv rows; NULL: none. */
static void solve_columns(soa_call *call, double *const y[2], size_t columns, double factor)
{
    const vars w = vars_of(call);
    call_begin(call);
    articulated_only(call, &w);
    const soa_articulated_state state = articulated_state(&w);
    for (int i = 0; i < 2 && call->failed[0] < 0; i++) {
        if (y[i]) {
            ((const soa_sens_context *)call->lanes_above)
                ->lanes->solve_panels(call, &state, (soa_solved){ .at = y[i], .columns = columns, .factor = factor });
        }
    }
}
#endif

#endif
