/* closure/ordered.kernel.h - all rows of a small front solved in the order in which they stand.
 *
 * Mostly every row of a front can be solved where its closure ends, and then no pivot needs to be looked for: with
 * s = L_p / L_pp in the columns after p,
 *     L_j -= L_pj s,   Y -= Y_p s,   c -= c_p s,           p = 0, 1, ...
 * leaves in column p what row p was when it was solved. If a pivot turns out too small nothing is written, and
 * pivot.kernel.h takes the rows by size. */
#ifndef SOA_CLOSURE_ORDERED_KERNEL_H
#define SOA_CLOSURE_ORDERED_KERNEL_H

#include "closure/closure.h"
#include "spatial/real.h"

enum { VECTORS = SOA_MAX_LANES / LANES };

/* A number for each column of a small front. */
typedef struct columns {
    real v[VECTORS];
} columns;

KERNEL columns columns_load(const double *from)
{
    columns x;
    for (int i = 0; i < VECTORS; i++) {
        x.v[i] = real_load(from + i * LANES);
    }
    return x;
}

KERNEL void columns_store(double *to, columns x)
{
    for (int i = 0; i < VECTORS; i++) {
        real_store(to + i * LANES, x.v[i]);
    }
}

KERNEL double columns_get(columns x, int at)
{
    return real_get(x.v[at / LANES], at % LANES);
}

/* x - a y */
KERNEL columns columns_fnma(double a, columns y, columns x)
{
    for (int i = 0; i < VECTORS; i++) {
        x.v[i] = real_fnma(real_set(a), y.v[i], x.v[i]);
    }
    return x;
}

/* x + a y y */
KERNEL columns columns_add_square(double a, columns y, columns x)
{
    for (int i = 0; i < VECTORS; i++) {
        x.v[i] = real_fma(a * y.v[i], y.v[i], x.v[i]);
    }
    return x;
}

/* a x in the columns after `at`, zero before */
KERNEL columns columns_after(int at, double a, columns x)
{
    static const double later[2 * SOA_MAX_LANES] = { [SOA_MAX_LANES] = 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0 };
    for (int i = 0; i < VECTORS; i++) {
        x.v[i] = a * (real_load(later + SOA_MAX_LANES - 1 - at + i * LANES) * x.v[i]);
    }
    return x;
}

/* Whether a > factor b in the first columns. */
KERNEL bool columns_exceed(columns a, double factor, columns b, int rows)
{
    bool all = true;
    for (int i = 0; i < VECTORS; i++) {
        const real_int mask = real_less(factor * b.v[i], a.v[i]) |
                              real_less_equal(real_set((double)rows), real_count((double)(i * LANES)));
        all = all && real_all(mask);
    }
    return all;
}

/* A small front while it is solved. */
typedef struct small_front {
    columns L[SOA_CLOSURE_MAX_ROWS], Y[6], c;
    double d[SOA_MAX_LANES], first[SOA_MAX_LANES];
} small_front;

KERNEL void eliminate(small_front *f, int rows, double *inverse)
{
#pragma GCC unroll 6
    for (int p = 0; p < rows; p++) {
        const double d = columns_get(f->L[p], p);
        f->d[p] = d;
        inverse[p] = 1.0 / d;
        const columns s = columns_after(p, inverse[p], f->L[p]);
#pragma GCC unroll 6
        for (int j = p + 1; j < rows; j++) {
            f->L[j] = columns_fnma(columns_get(f->L[p], j), s, f->L[j]);
        }
#pragma GCC unroll 6
        for (int i = 0; i < 6; i++) {
            f->Y[i] = columns_fnma(columns_get(f->Y[i], p), s, f->Y[i]);
        }
        f->c = columns_fnma(columns_get(f->c, p), s, f->c);
    }
}

/* Whether every pivot is large enough beside what it was at first, what the row would be worth if its bodies were
 * free, and what the node yields. */
KERNEL bool pivots_suffice(const small_front *f, const soa_front *front, const soa_ordered *o, int rows)
{
    columns here;
    for (int i = 0; i < VECTORS; i++) {
        here.v[i] = real_set(0.0);
    }
    for (int i = 0; i < 6; i++) {
        here = columns_add_square(i < 3 ? o->turn : o->shift, f->Y[i], here);
    }
    const columns d = columns_load(f->d);
    return columns_exceed(d, o->tolerance, columns_load(front->scale), rows) &&
           columns_exceed(d, o->early, here, rows) && columns_exceed(d, o->down_to, columns_load(f->first), rows);
}

KERNEL bool solve_ordered(soa_front *front, const soa_ordered *o, const int rows)
{
    small_front f;
    for (int j = 0; j < rows; j++) {
        f.L[j] = columns_load(front->L + j * SOA_MAX_LANES);
        f.first[j] = front->L[j * SOA_MAX_LANES + j];
    }
    for (int j = rows; j < SOA_MAX_LANES; j++) {
        f.first[j] = f.d[j] = 0.0;
    }
    for (int i = 0; i < 6; i++) {
        f.Y[i] = columns_load(front->Y + i * SOA_MAX_LANES);
    }
    f.c = columns_load(front->c);
    eliminate(&f, rows, o->inverse);
    if (!pivots_suffice(&f, front, o, rows)) {
        return false;
    }
    for (int i = 0; i < 6; i++) {
        columns_store(front->Y + i * SOA_MAX_LANES, f.Y[i]);
    }
    columns_store(front->c, f.c);
    for (int j = 0; j < rows; j++) {
        columns_store(front->L + j * SOA_MAX_LANES, columns_after(j, 1.0, f.L[j]));
    }
    return true;
}

static bool front_solve_ordered(soa_front *front, const soa_ordered *o)
{
    switch (front->rows) {
    case 1:
        return solve_ordered(front, o, 1);
    case 2:
        return solve_ordered(front, o, 2);
    case 3:
        return solve_ordered(front, o, 3);
    case 4:
        return solve_ordered(front, o, 4);
    case 5:
        return solve_ordered(front, o, 5);
    case 6:
        return solve_ordered(front, o, 6);
    default:
        return false;
    }
}

#endif
