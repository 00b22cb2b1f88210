/* dynamics/inverse_columns.kernel.h - the inverse of the mass matrix.
 *
 *     Mass^-1 = (I - H psi K)* D^-1 (I - H psi K)                              [I6] [MINV]
 *
 * The articulated quantities are those of one state; lanes hold columns: filter
 * and smoother run on LANES unit vectors at once. Column c needs the rows up to
 * c only, that is the bodies up to its own; the other triangle is its mirror
 * image. */
#ifndef SOA_DYNAMICS_INVERSE_COLUMNS_KERNEL_H
#define SOA_DYNAMICS_INVERSE_COLUMNS_KERNEL_H

#include "dynamics/columns.kernel.h"
#include "dynamics/fast.kernel.h"
#include "dynamics/mass.kernel.h"

/* Inward from body `last`: eps = e - H z, z(p) += phi z + K eps. w->path: whether
 * anything arrived at a body. */
static inline void columns_filter(
    const soa_call *call, const soa_articulated_state *s, const vars *w, int first, int last)
{
    memset(w->path, 0, (size_t)(last + 1) * sizeof *w->path);
    for (int k = last; k >= 0; k--) {
        const column_body b = column_body_of(call, s, k);
        const int v = b.body->v, p = b.body->parent;
        const bool arrived = w->path[k] != 0, own = v + b.body->nv > first && v < first + LANES;
        real *eps = w->eps + v;
        for (int i = 0; i < b.body->nv; i++) {
            eps[i] = unit_component(first, v + i);
            eps[i] = arrived ? eps[i] - column_force(&b, w->b[k], i) : eps[i];
        }
        if (p >= 0 && (arrived || own)) {
            const force z = column_filter(&b, arrived ? w->b[k] : force_zero(), eps);
            w->b[p] = w->path[p] ? force_add(w->b[p], z) : z;
            w->path[p] = 1;
        }
    }
}

/* Outward to body `last`: y into the rows, alpha = phi* alpha(p) + H* y. */
static inline void columns_smoother(
    const soa_call *call, const soa_articulated_state *s, const vars *w, int first, int last)
{
    for (int k = 0; k <= last; k++) {
        const column_body b = column_body_of(call, s, k);
        const int v = b.body->v, p = b.body->parent;
        const motion *at_parent = p < 0 ? NULL : &w->alpha[p];
        const motion at_child = p < 0 ? motion_zero() : column_outward(&b, *at_parent);
        real y[SOA_JOINT_MAX_NV];
        for (int i = 0; i < b.body->nv; i++) {
            y[i] = column_entry(&b, w->eps + v, i, at_child, at_parent);
            put_columns(call, first, v + i, y[i]);
        }
        if (!b.body->leaf) {
            w->alpha[k] = column_motion(&b, at_child, y);
        }
    }
}

static void inverse_columns(const soa_call *call, const soa_articulated_state *s, void *work)
{
    const soa_model *m = call->model;
    const vars w = *(const vars *)work;
    int last = 0;
    for (int first = 0; first < m->nv; first += LANES) {
        while (last + 1 < m->bodies && m->body[last + 1].v < first + LANES) {
            last++;
        }
        columns_filter(call, s, &w, first, last);
        columns_smoother(call, s, &w, first, last);
    }
    mirror(call->y.at, (size_t)m->nv, call->step);
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
