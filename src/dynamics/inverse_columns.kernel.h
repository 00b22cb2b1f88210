/* dynamics/inverse_columns.kernel.h - the inverse of the mass matrix.  [I6] [MINV]
 *
 * Filter and smoother run on LANES unit vectors at once. Column c needs the rows up to c
 * only, that is the bodies up to its own; the other triangle is its mirror image. */
#ifndef SOA_DYNAMICS_INVERSE_COLUMNS_KERNEL_H
#define SOA_DYNAMICS_INVERSE_COLUMNS_KERNEL_H

#include "dynamics/column_sweeps.kernel.h"
#include "dynamics/fast.kernel.h"
#include "dynamics/mass.kernel.h"

static void inverse_columns(const soa_call *call, const soa_articulated_state *s, void *work)
{
    const soa_model *m = call->model;
    const vars w = *(const vars *)work;
    int last = 0;
    for (int first = 0; first < m->nv; first += LANES) {
        const soa_solved y = { .at = call->y.at,
            .columns = (size_t)m->nv,
            .first = (size_t)first,
            .count = m->nv - first < LANES ? m->nv - first : LANES };
        while (last + 1 < m->bodies && m->body[last + 1].v < first + LANES) {
            last++;
        }
        columns_filter(call, s, &w, &y, last, true);
        columns_smoother(call, s, &w, &y, last);
    }
    mirror(call->y.at, (size_t)m->nv, call->spacing);
}

#if LANES == 1
/* q; y = Mass^-1, nv x nv, symmetric to the bit. */
static void mass_inverse(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    if (call->factors) {
        mass_rows(call, &w);
        if (call->lanes->inverse_factors(call)) {
            return;
        }
    }
    articulated_only(call, &w);
    const soa_articulated_state state = articulated_state(&w);
    call->lanes->inverse_columns(call, &state, call->work_columns);
}
#endif

#endif
