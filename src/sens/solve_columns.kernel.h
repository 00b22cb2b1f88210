/* sens/solve_columns.kernel.h - Mass^-1 times many columns by sweeps, columns in lanes.
 *
 *     Mass^-1 x = (I - H psi K)* D^-1 (I - H psi K) x                           [I6] [MINV]
 *
 * The articulated quantities are those of one state, made once. */
#ifndef SOA_SENS_SOLVE_COLUMNS_KERNEL_H
#define SOA_SENS_SOLVE_COLUMNS_KERNEL_H

#include "dynamics/articulated.kernel.h"
#include "sens/sens_kernels.h"

/* The numbers of a row in the columns first .. first + count - 1 of nv rows. */
KERNEL real solved_get(const soa_solved *y, int row, size_t step)
{
    const double *from = y->at + ((size_t)row * y->columns + y->first) * step;
    if (step == 1) {
        return y->count == LANES ? real_load(from) : real_load_some(from, y->count);
    }
    real x = real_set(0.0);
    for (int lane = 0; lane < y->count; lane++) {
        x = real_put(x, lane, from[(size_t)lane * step]);
    }
    return x;
}

KERNEL void solved_put(const soa_solved *y, int row, size_t step, real x)
{
    double *to = y->at + ((size_t)row * y->columns + y->first) * step;
    if (step == 1) {
        y->count == LANES ? real_store(to, x) : real_store_some(to, y->count, x);
        return;
    }
    for (int lane = 0; lane < y->count; lane++) {
        to[(size_t)lane * step] = real_get(x, lane);
    }
}

/* Inward: eps = factor x - H z, z(p) = phi z + K eps; a leaf has no z. */
static inline void solve_inward(
    const soa_call *call, const soa_articulated_state *s, const vars *w, const soa_solved *y)
{
    const real factor = real_set(y->factor);
    for (int k = call->model->bodies - 1; k >= 0; k--) {
        const column_body b = column_body_of(call, s, k);
        const int v = b.body->v, p = b.body->parent;
        const force z = b.body->leaf ? force_zero() : w->b[k];
        real *eps = w->eps + v;
        for (int i = 0; i < b.body->nv; i++) {
            eps[i] = factor * solved_get(y, v + i, call->step);
            eps[i] = b.body->leaf ? eps[i] : eps[i] - column_force(&b, z, i);
        }
        if (p >= 0) {
            const force give = column_filter(&b, z, eps);
            w->b[p] = b.body->last ? give : force_add(w->b[p], give);
        }
    }
}

/* Outward: y = D^-1 eps - K* alpha(p), alpha = phi* alpha(p) + H* y. */
static inline void solve_outward(
    const soa_call *call, const soa_articulated_state *s, const vars *w, const soa_solved *y)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const column_body b = column_body_of(call, s, k);
        const int v = b.body->v, p = b.body->parent;
        const motion *at_parent = p < 0 ? NULL : &w->alpha[p];
        const motion at_child = p < 0 ? motion_zero() : column_outward(&b, *at_parent);
        real x[SOA_JOINT_MAX_NV];
        for (int i = 0; i < b.body->nv; i++) {
            x[i] = column_entry(&b, w->eps + v, i, at_child, at_parent);
            solved_put(y, v + i, call->step, x[i]);
        }
        if (!b.body->leaf) {
            w->alpha[k] = column_motion(&b, at_child, x);
        }
    }
}

/* y = factor Mass^-1 y, all columns. */
static void solve_panels(const soa_call *call, const soa_articulated_state *state, soa_solved y)
{
    const vars w = *(const vars *)call->work_columns;
    for (y.first = 0; y.first < y.columns; y.first += LANES) {
        y.count = y.columns - y.first < LANES ? (int)(y.columns - y.first) : LANES;
        solve_inward(call, state, &w, &y);
        solve_outward(call, state, &w, &y);
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
