/* dynamics/inverse_factors.kernel.h - the inverse of a small mass matrix by elimination, columns in lanes.
 *
 *     Mass = L* D L,   N = L^-* = I - H psi K,   D L Mass^-1 = N                         [I4] [I5] [I6]
 *
 * From the tips inward each velocity leaves its share to those inboard of it, in rows of Mass and of N; D L is left
 * of Mass. Then columns of Mass^-1 come from the root outward, in place of those of -N (so there are sums only),
 * which is kept by panels of LANES columns; a row of a panel is one vector. What a row spans is in whole groups of
 * SOA_GROUP numbers whatever the lanes, so that each number goes through the same operations. */
#ifndef SOA_DYNAMICS_INVERSE_FACTORS_KERNEL_H
#define SOA_DYNAMICS_INVERSE_FACTORS_KERNEL_H

#include "dynamics/factors.h"
#include "sweep/lanes.kernel.h"

/* The least that D may be of what it was made of: else sweeps keep more digits. */
#define LEAST_LEFT 0x1p-12

/* Where velocity v stands among the columns, and the first of its group. */
KERNEL size_t column_of(soa_factors f, int v)
{
    return f.before + (size_t)v;
}

KERNEL size_t group_of(soa_factors f, int v)
{
    return column_of(f, v) / SOA_GROUP * SOA_GROUP;
}

/* The panel that begins at column c. */
KERNEL double *panel_of(soa_factors f, size_t c)
{
    return f.N + c * f.rows;
}

/* The last velocity of the group in which column c is: no row behind it is needed. */
KERNEL int last_in_group(soa_factors f, size_t c)
{
    return (int)(c / SOA_GROUP * SOA_GROUP + SOA_GROUP - 1 - f.before);
}

/* ---- D L, N ---------------------------------------------------------------------------------- */

/* Row i of -I, in the panel that begins at column c. */
KERNEL real unit_row(soa_factors f, int i, size_t c)
{
    static const double unit[2 * LANES + 1] = { [LANES] = -1.0 };
    const ptrdiff_t at = (ptrdiff_t)column_of(f, i) - (ptrdiff_t)c;
    return at < 0 || at >= LANES ? real_set(0.0) : real_load(unit + LANES - at);
}

/* -N begins as -I, from the diagonal on. */
KERNEL void begin_factors(soa_factors f)
{
    for (int i = f.trunk; i < (int)f.rows; i++) {
        for (size_t c = group_of(f, i); c < f.span; c += LANES) {
            real_store(panel_of(f, c) + i * LANES, unit_row(f, i, c));
        }
    }
}

/* What a vector of row k, divided by D, leaves to the rows inboard, down to position `first` of its way. to, stride:
 * the same vector in row 0, and from row to row. */
KERNEL void leave_share(soa_factors f, int k, int first, real share, double *to, int stride)
{
    const double *row = f.mass + k * SOA_FACTORS_WAY;
    const unsigned char *way = f.way + k * SOA_FACTORS_WAY;
    for (int p = f.depth[k] - 1; p >= first; p--) {
        double *at = to + way[p] * stride;
        real_store(at, real_fma(real_set(row[p]), share, real_load(at)));
    }
}

/* What velocity k leaves to those inboard of it, in the rows of Mass and of N. */
KERNEL void eliminate_velocity(soa_factors f, int k, int first)
{
    const size_t own = group_of(f, k), end = group_of(f, f.end[k] - 1) + SOA_GROUP;
    const real minus_D_inv = real_set(f.minus_D_inv[k]);
    const double *row = f.mass + k * SOA_FACTORS_WAY;
    for (int c = (f.depth[k] - 1) / LANES * LANES; c >= 0; c -= LANES) {
        const int from = c / SOA_GROUP * SOA_GROUP;
        leave_share(f, k, from > first ? from : first, minus_D_inv * real_load(row + c), f.mass + c, SOA_FACTORS_WAY);
    }
    for (size_t c = own; c < end; c += LANES) {
        double *panel = panel_of(f, c);
        leave_share(f, k, first, minus_D_inv * real_load(panel + k * LANES), panel, LANES);
    }
}

/* Eliminates the velocities order[from] to order[to - 1]. false: too little is left of some D. */
KERNEL bool eliminate_some(soa_factors f, int from, int to, int first)
{
    for (int n = from; n < to; n++) {
        const int k = f.order[n];
        const double D = f.mass[k * SOA_FACTORS_WAY + f.depth[k]];
        if (!(D > LEAST_LEFT * f.scale[k])) {
            return false;
        }
        f.minus_D_inv[k] = -1.0 / D;
        eliminate_velocity(f, k, first);
    }
    return true;
}

/* ---- a trunk: what all others leave to it, at once ------------------------------------------------ */

/* x(p) - sum of from(k) / D L(k, p), k up to last; stride: from row to row. */
KERNEL void gather_trunk(soa_factors f, int last, const double *from, size_t stride, real x[SOA_TRUNK])
{
    for (int k = SOA_TRUNK; k <= last; k++) {
        const real share = real_set(f.minus_D_inv[k]) * real_load(from + (size_t)k * stride);
        for (int p = 0; p < SOA_TRUNK; p++) {
            x[p] = real_fma(real_set(f.mass[k * SOA_FACTORS_WAY + p]), share, x[p]);
        }
    }
}

KERNEL void find_trunk(soa_factors f)
{
    real x[SOA_TRUNK];
    for (int c = 0; c < SOA_GROUP; c += LANES) {
        for (int p = 0; p < SOA_TRUNK; p++) {
            x[p] = real_load(f.mass + p * SOA_FACTORS_WAY + c);
        }
        gather_trunk(f, (int)f.rows - 1, f.mass + c, SOA_FACTORS_WAY, x);
        for (int p = 0; p < SOA_TRUNK; p++) {
            real_store(f.mass + p * SOA_FACTORS_WAY + c, x[p]);
        }
    }
    for (size_t c = 0; c < f.span; c += LANES) {
        for (int p = 0; p < SOA_TRUNK; p++) {
            x[p] = unit_row(f, p, c);
        }
        gather_trunk(f, last_in_group(f, c), panel_of(f, c), LANES, x);
        for (int p = 0; p < SOA_TRUNK; p++) {
            real_store(panel_of(f, c) + p * LANES, x[p]);
        }
    }
}

KERNEL bool find_factors(soa_factors f)
{
    const int rows = (int)f.rows;
    begin_factors(f);
    if (f.trunk == 0) {
        return eliminate_some(f, 0, rows, 0);
    }
    if (!eliminate_some(f, 0, rows - SOA_TRUNK, SOA_TRUNK)) {
        return false;
    }
    find_trunk(f);
    return eliminate_some(f, rows - SOA_TRUNK, rows, 0);
}

/* ---- Mass^-1 = (D L)^-1 N ---------------------------------------------------------------------- */

/* Row i of a panel, where sum is what comes of positions before `first`. */
KERNEL real outward_row(soa_factors f, double *panel, int i, int first, real sum)
{
    const double *row = f.mass + i * SOA_FACTORS_WAY;
    const unsigned char *way = f.way + i * SOA_FACTORS_WAY;
    for (int p = first; p < f.depth[i]; p++) {
        sum = real_fma(real_set(row[p]), real_load(panel + way[p] * LANES), sum);
    }
    sum = real_fma(real_set(f.minus_D_inv[i]), sum, real_set(0.0)); /* a zero is +0 */
    real_store(panel + i * LANES, sum);
    return sum;
}

/* All rows of a panel up to last. */
KERNEL void outward(soa_factors f, double *panel, int last, const int trunk)
{
    real Y[SOA_TRUNK];
    for (int i = 0; i < trunk; i++) {
        Y[i] = outward_row(f, panel, i, 0, real_load(panel + i * LANES));
    }
    for (int i = trunk; i <= last; i++) {
        real sum = real_load(panel + i * LANES);
        for (int p = 0; p < trunk; p++) {
            sum = real_fma(real_set(f.mass[i * SOA_FACTORS_WAY + p]), Y[p], sum);
        }
        outward_row(f, panel, i, trunk, sum);
    }
}

/* ---- to where it is wanted ---------------------------------------------------------------------- */

/* One number at a time: the columns of velocities v to last of a panel, whose first lane is that of velocity first. */
static inline void put_numbers(const soa_call *call, const double *panel, int first, int v, int last)
{
    const size_t nv = (size_t)call->model->nv, spacing = call->spacing;
    for (; v <= last; v++) {
        for (int i = 0; i <= v; i++) {
            const double x = panel[i * LANES + v - first];
            const size_t a = (size_t)i, b = (size_t)v;
            call->y.at[(a * nv + b) * spacing] = call->y.at[(b * nv + a) * spacing] = x;
        }
    }
}

/* The panel whose first lane is velocity v, and its mirror image. */
KERNEL void put_panel(const soa_call *call, const double *panel, int v)
{
#if LANES > 1
    if (call->spacing == 1 && v >= 0) {
        const size_t nv = (size_t)call->model->nv;
        double *to = call->y.at + v;
        scatter_full((const real *)panel, (size_t)v + LANES, call->y.at + (size_t)v * nv, nv);
        for (int i = 0; i < v; i++) {
            real_store(to + (size_t)i * nv, real_load(panel + i * LANES));
        }
        for (int i = 0; i < LANES; i++) { /* of what is on both sides of the diagonal, that above it */
            real_store_last(to + (size_t)(v + i) * nv, i, real_load(panel + (v + i) * LANES));
        }
        return;
    }
#endif
    put_numbers(call, panel, v, v < 0 ? 0 : v, v + LANES - 1);
}

/* Mass^-1 into call->y; false, and nothing there, if digits would be lost. The rows of Mass are in call->factors. */
static bool inverse_factors(const soa_call *call)
{
    const soa_factors f = *call->factors;
    if (!find_factors(f)) {
        return false;
    }
    for (size_t c = 0; c < f.span; c += LANES) {
        double *panel = panel_of(f, c);
        const int v = (int)c - (int)f.before, last = last_in_group(f, c);
        if (f.trunk == 0) {
            outward(f, panel, last, 0);
        } else {
            outward(f, panel, last, SOA_TRUNK);
        }
        if (v + LANES > 0) {
            put_panel(call, panel, v);
        }
    }
    return true;
}

#endif
