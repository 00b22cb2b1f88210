/* dynamics/inverse_factors.kernel.h - the inverse of a small mass matrix by elimination, columns in lanes.
 *
 *     Mass = L* D L,   N = L^-* = I - H psi K,   L Mass^-1 = D^-1 N                      [I4] [I5] [I6]
 *
 * From the tips inward: what velocity k leaves to those inboard of it. Rows are in whole groups of
 * SOA_GROUP numbers whatever the lanes, so that each number goes through the same operations. */
#ifndef SOA_DYNAMICS_INVERSE_FACTORS_KERNEL_H
#define SOA_DYNAMICS_INVERSE_FACTORS_KERNEL_H

#include "dynamics/factors.h"
#include "spatial/real.h"

/* The least that D may be of what it was made of: else sweeps keep more digits. */
#define LEAST_LEFT 0x1p-10

/* The first number of the group in which velocity v stands. */
KERNEL size_t group_of(soa_factors f, int v)
{
    return (f.before + (size_t)v) / SOA_GROUP * SOA_GROUP;
}

/* The last velocity of the group in which number c stands. */
KERNEL int last_in_group(soa_factors f, size_t c)
{
    return (int)(c / SOA_GROUP * SOA_GROUP + SOA_GROUP - 1 - f.before);
}

/* to -= l from */
KERNEL void subtract_groups(double *to, double l, const double *from, size_t n)
{
    const real factor = real_set(l);
    for (size_t c = 0; c < n; c += LANES) {
        real_store(to + c, real_fnma(factor, real_load(from + c), real_load(to + c)));
    }
}

/* N begins as the identity, from the diagonal on. */
KERNEL void begin_factors(soa_factors f, int nv)
{
    static const double unit[2 * SOA_GROUP - 1] = { [SOA_GROUP - 1] = 1.0 };
    for (int i = f.trunk; i < nv; i++) {
        double *N = f.N + (size_t)i * f.span;
        const size_t own = group_of(f, i), at = f.before + (size_t)i - own;
        for (size_t c = 0; c < SOA_GROUP; c += LANES) {
            real_store(N + own + c, real_load(unit + SOA_GROUP - 1 - at + c));
        }
        for (size_t c = own + SOA_GROUP; c < f.span; c += LANES) {
            real_store(N + c, real_set(0.0));
        }
    }
}

/* Row k of L, and what it leaves to the rows of Mass and N inboard, down to position `first` of its way. */
KERNEL void eliminate_velocity(soa_factors f, int k, double D_inv, size_t first)
{
    const size_t depth = (size_t)f.depth[k], own = group_of(f, k), outboard = group_of(f, f.end[k] - 1) + SOA_GROUP - own;
    const double *row = f.mass + (size_t)k * f.width, *N = f.N + (size_t)k * f.span + own;
    const int *way = f.way + (size_t)k * f.width;
    double *L = f.L + (size_t)k * f.width;
    for (size_t c = 0; c < depth; c += LANES) {
        real_store(L + c, real_set(D_inv) * real_load(row + c));
    }
    for (size_t p = depth; p-- > first;) {
        const size_t i = (size_t)way[p];
        subtract_groups(f.mass + i * f.width, L[p], row, p / SOA_GROUP * SOA_GROUP + SOA_GROUP);
        subtract_groups(f.N + i * f.span + own, L[p], N, outboard);
    }
}

/* The same of those in order[from] to order[to - 1]. false: too little is left of some D. */
KERNEL bool eliminate_some(soa_factors f, int from, int to, size_t first)
{
    for (int n = from; n < to; n++) {
        const int k = f.order[n];
        const double D = f.mass[(size_t)k * f.width + (size_t)f.depth[k]];
        if (!(D > LEAST_LEFT * f.scale[k])) {
            return false;
        }
        f.D_inv[k] = 1.0 / D;
        eliminate_velocity(f, k, f.D_inv[k], first);
    }
    return true;
}

/* What all others leave to the rows of the trunk, those of Mass and N: x(p) - sum of L(k, p) from(k). */
KERNEL void gather_trunk(soa_factors f, int first, int last, const double *from, size_t row, real *x)
{
    for (int k = first; k <= last; k++) {
        const real share = real_load(from + (size_t)k * row);
        const double *L = f.L + (size_t)k * f.width;
        for (int p = 0; p < SOA_TRUNK; p++) {
            x[p] = real_fnma(real_set(L[p]), share, x[p]);
        }
    }
}

static inline void find_trunk(soa_factors f, int nv)
{
    real x[SOA_TRUNK];
    for (size_t c = 0; c < SOA_GROUP; c += LANES) {
        for (size_t p = 0; p < SOA_TRUNK; p++) {
            x[p] = real_load(f.mass + p * f.width + c);
        }
        gather_trunk(f, SOA_TRUNK, nv - 1, f.mass + c, f.width, x);
        for (size_t p = 0; p < SOA_TRUNK; p++) {
            real_store(f.mass + p * f.width + c, x[p]);
        }
    }
    for (size_t c = 0; c < f.span; c += LANES) {
        for (size_t p = 0; p < SOA_TRUNK; p++) {
            const real at = real_abs(real_count((double)c) - (double)(f.before + p));
            x[p] = real_select(real_less_equal(at, real_set(0.0)), real_set(1.0), real_set(0.0));
        }
        gather_trunk(f, SOA_TRUNK, last_in_group(f, c), f.N + c, f.span, x);
        for (size_t p = 0; p < SOA_TRUNK; p++) {
            real_store(f.N + p * f.span + c, x[p]);
        }
    }
}

/* L, D^-1 and N. false: too little is left of some D. */
KERNEL bool find_factors(soa_factors f, int nv)
{
    begin_factors(f, nv);
    if (f.trunk == 0) {
        return eliminate_some(f, 0, nv, 0);
    }
    if (!eliminate_some(f, 0, nv - SOA_TRUNK, SOA_TRUNK)) {
        return false;
    }
    find_trunk(f, nv);
    return eliminate_some(f, nv - SOA_TRUNK, nv, 0);
}

/* ---- Mass^-1 = L^-1 D^-1 N, from the diagonal on, in place of N; LANES columns at a time ------------- */

/* Row i, sum what it has of the trunk. */
KERNEL void inverse_row(soa_factors f, int i, size_t c, size_t first, real sum)
{
    const size_t depth = (size_t)f.depth[i];
    const double *L = f.L + (size_t)i * f.width;
    const int *way = f.way + (size_t)i * f.width;
    for (size_t p = first; p < depth; p++) {
        sum = real_fnma(real_set(L[p]), real_load(f.N + (size_t)way[p] * f.span + c), sum);
    }
    real_store(f.N + (size_t)i * f.span + c, sum);
}

KERNEL real own_part(soa_factors f, int i, size_t c)
{
    return real_set(f.D_inv[i]) * real_load(f.N + (size_t)i * f.span + c);
}

KERNEL void inverse_columns_at(soa_factors f, size_t c, const int trunk)
{
    const int last = last_in_group(f, c);
    real Y[SOA_TRUNK];
    for (int i = 0; i < trunk; i++) {
        inverse_row(f, i, c, 0, own_part(f, i, c));
        Y[i] = real_load(f.N + (size_t)i * f.span + c);
    }
    for (int i = trunk; i <= last; i++) {
        const double *L = f.L + (size_t)i * f.width;
        real sum = own_part(f, i, c);
        for (int p = 0; p < trunk; p++) {
            sum = real_fnma(real_set(L[p]), Y[p], sum);
        }
        inverse_row(f, i, c, (size_t)trunk, sum);
    }
}

/* Both triangles to where they are wanted. */
static inline void put_inverse(const soa_call *call, const soa_factors *f)
{
    const size_t nv = (size_t)call->model->nv, step = call->step;
    for (size_t i = 0; i < nv; i++) {
        const double *row = f->N + i * f->span + f->before;
        for (size_t j = 0; j < i; j++) {
            call->y.at[(i * nv + j) * step] = f->N[j * f->span + f->before + i];
        }
        for (size_t j = i; j < nv; j++) {
            call->y.at[(i * nv + j) * step] = row[j];
        }
    }
}

/* Mass^-1 into call->y; false, and nothing there, if digits would be lost. The rows of Mass are in call->factors. */
static bool inverse_factors(const soa_call *call)
{
    const soa_factors f = *call->factors;
    if (!find_factors(f, call->model->nv)) {
        return false;
    }
    for (size_t c = 0; c < f.span; c += LANES) {
        if (f.trunk == 0) {
            inverse_columns_at(f, c, 0);
        } else {
            inverse_columns_at(f, c, SOA_TRUNK);
        }
    }
    put_inverse(call, &f);
    return true;
}

#endif
