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
#include <stdio.h>
#include <stdlib.h>

/* The least that D may be of what it was made of: else sweeps keep more digits. */
#define LEAST_LEFT 0x1p-10

/* The first number of the group in which velocity v stands. */
KERNEL size_t group_of(const soa_factors *f, int v)
{
    return (f->before + (size_t)v) / SOA_GROUP * SOA_GROUP;
}

/* to -= l from */
KERNEL void subtract_groups(double *to, double l, const double *from, size_t n)
{
    const real factor = real_set(l);
    for (size_t c = 0; c < n; c += LANES) {
        real_store(to + c, real_fnma(factor, real_load(from + c), real_load(to + c)));
    }
}

/* N begins as the identity; from the diagonal on. */
static inline void begin_factors(const soa_factors *f, int nv)
{
    for (int i = 0; i < nv; i++) {
        double *N = f->N + (size_t)i * f->span;
        const real at = real_set((double)(f->before + (size_t)i));
        const size_t own = group_of(f, i);
        for (size_t c = own; c < f->span; c += LANES) {
            const real_int here = real_less_equal(real_abs(real_count((double)c) - at), real_set(0.0));
            real_store(N + c, real_select(here, real_set(1.0), real_set(0.0)));
        }
    }
}

/* Row k of L, and what it leaves to the rows of Mass and N inboard. */
KERNEL void eliminate_velocity(const soa_factors *f, int k, double D_inv)
{
    const size_t depth = (size_t)f->depth[k], own = group_of(f, k), outboard = group_of(f, f->end[k] - 1) + SOA_GROUP - own;
    const double *row = f->mass + (size_t)k * f->width, *N = f->N + (size_t)k * f->span + own;
    const int *way = f->way + (size_t)k * f->width;
    double *L = f->L + (size_t)k * f->width;
    for (size_t c = 0; c < depth; c += LANES) {
        real_store(L + c, real_set(D_inv) * real_load(row + c));
    }
    for (size_t p = depth; p-- > 0;) {
        const size_t i = (size_t)way[p];
        subtract_groups(f->mass + i * f->width, L[p], row, p / SOA_GROUP * SOA_GROUP + SOA_GROUP);
        subtract_groups(f->N + i * f->span + own, L[p], N, outboard);
    }
}

/* L, D^-1 and N. false: too little is left of some number of the diagonal. */
static inline bool find_factors(const soa_factors *f, int nv)
{
    for (int n = 0; n < nv; n++) {
        const int k = f->order[n];
        const double D = f->mass[(size_t)k * f->width + (size_t)f->depth[k]];
        if (!(D > LEAST_LEFT * f->scale[k])) {
            return false;
        }
        f->D_inv[k] = 1.0 / D;
        eliminate_velocity(f, k, f->D_inv[k]);
    }
    return true;
}

/* ---- Mass^-1 = L^-1 D^-1 N, row after row, from the diagonal on, in place of N -------------------- */

enum { GROUPS_AT_ONCE = 4, VECTORS = SOA_GROUP / LANES };

/* Some groups of row i, from number c on. */
KERNEL void inverse_groups(const soa_factors *f, int i, size_t c, const int groups)
{
    const size_t depth = (size_t)f->depth[i];
    const double *L = f->L + (size_t)i * f->width;
    const int *way = f->way + (size_t)i * f->width;
    double *to = f->N + (size_t)i * f->span + c;
    real sum[GROUPS_AT_ONCE * VECTORS];
    for (int b = 0; b < groups * VECTORS; b++) {
        sum[b] = real_set(f->D_inv[i]) * real_load(to + b * LANES);
    }
    for (size_t p = 0; p < depth; p++) {
        const double *from = f->N + (size_t)way[p] * f->span + c;
        const real l = real_set(L[p]);
        for (int b = 0; b < groups * VECTORS; b++) {
            sum[b] = real_fnma(l, real_load(from + b * LANES), sum[b]);
        }
    }
    for (int b = 0; b < groups * VECTORS; b++) {
        real_store(to + b * LANES, sum[b]);
    }
}

static inline void inverse_row(const soa_factors *f, int i)
{
    size_t c = group_of(f, i);
    for (; c + GROUPS_AT_ONCE * SOA_GROUP <= f->span; c += GROUPS_AT_ONCE * SOA_GROUP) {
        inverse_groups(f, i, c, GROUPS_AT_ONCE);
    }
    switch ((f->span - c) / SOA_GROUP) {
    case 1:
        inverse_groups(f, i, c, 1);
        break;
    case 2:
        inverse_groups(f, i, c, 2);
        break;
    case 3:
        inverse_groups(f, i, c, 3);
        break;
    default:
        break;
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
    const soa_factors *f = call->factors;
    const int nv = call->model->nv;
    begin_factors(f, nv);
    if (!find_factors(f, nv)) { if(getenv("SOA_DBG"))fputs("fallback\n",stderr);
        return false;
    }
    for (int i = 0; i < nv; i++) {
        inverse_row(f, i);
    }
    put_inverse(call, f);
    return true;
}

#endif
