/* dynamics/column_sweeps.kernel.h - the filter and the smoother on columns in lanes: Mass^-1 times a matrix.
 *
 *     Mass^-1 x = (I - H psi K)* D^-1 (I - H psi K) x                           [I6] [MINV]
 *
 * The articulated quantities are those of one state; each lane carries one column. */
#ifndef SOA_DYNAMICS_COLUMN_SWEEPS_KERNEL_H
#define SOA_DYNAMICS_COLUMN_SWEEPS_KERNEL_H

#include "dynamics/columns.kernel.h"
#include "dynamics/kernels.h"

/* The columns of unit vectors first .. first + LANES - 1, component v. */
KERNEL real unit_component(int first, int v)
{
    real x = real_set(0.0);
    return v >= first && v < first + LANES ? real_put(x, v - first, 1.0) : x;
}

/* Where the numbers of a row of the columns at hand begin. */
KERNEL double *solved_at(const soa_solved *y, int row, size_t step)
{
    return y->at + ((size_t)row * y->columns + y->first) * step;
}

KERNEL real solved_get(const soa_solved *y, int row, size_t step)
{
    const double *from = solved_at(y, row, step);
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
    double *to = solved_at(y, row, step);
    if (step == 1) {
        y->count == LANES ? real_store(to, x) : real_store_some(to, y->count, x);
        return;
    }
    for (int lane = 0; lane < y->count; lane++) {
        to[(size_t)lane * step] = real_get(x, lane);
    }
}

/* Inward from body `last`: eps = x - H z, z(p) += phi z + K eps. unit: x are unit vectors, so that most bodies leave nothing
 * to their parents; else x = factor y. w->path: whether anything arrived at a body. */
KERNEL void columns_filter(
    const soa_call *call, const soa_articulated_state *s, const vars *w, const soa_solved *y, int last, const bool unit)
{
    const int first = (int)y->first;
    memset(w->path, 0, (size_t)(last + 1) * sizeof *w->path);
    for (int k = last; k >= 0; k--) {
        const column_body b = column_body_of(call, s, k);
        const int v = b.body->v, p = b.body->parent;
        const bool arrived = w->path[k] != 0, own = !unit || (v + b.body->nv > first && v < first + LANES);
        real *eps = w->eps + v;
        for (int i = 0; i < b.body->nv; i++) {
            eps[i] = unit ? unit_component(first, v + i) : y->factor * solved_get(y, v + i, call->spacing);
            eps[i] = arrived ? eps[i] - column_force(&b, w->b[k], i) : eps[i];
        }
        if (p >= 0 && (arrived || own)) {
            const force z = column_filter(&b, arrived ? w->b[k] : force_zero(), eps);
            w->b[p] = w->path[p] ? force_add(w->b[p], z) : z;
            w->path[p] = 1;
        }
    }
}

/* Outward to body `last`: y = D^-1 eps - K* alpha(p), alpha = phi* alpha(p) + H* y. */
KERNEL void columns_smoother(
    const soa_call *call, const soa_articulated_state *s, const vars *w, const soa_solved *y, int last)
{
    for (int k = 0; k <= last; k++) {
        const column_body b = column_body_of(call, s, k);
        const int v = b.body->v, p = b.body->parent;
        const motion *at_parent = p < 0 ? NULL : &w->alpha[p];
        const motion at_child = p < 0 ? motion_zero() : column_outward(&b, *at_parent);
        real x[SOA_JOINT_MAX_NV];
        for (int i = 0; i < b.body->nv; i++) {
            x[i] = column_entry(&b, w->eps + v, i, at_child, at_parent);
            solved_put(y, v + i, call->spacing, x[i]);
        }
        if (!b.body->leaf) {
            w->alpha[k] = column_motion(&b, at_child, x);
        }
    }
}

#endif
