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
#include "dynamics/columns.kernel.h"

#if defined(STATES)
enum { VECTORS = SOA_CLOSURE_MAX_ROWS };
typedef real_int verdict; /* by lane */
#else
enum { VECTORS = SOA_MAX_LANES / LANES };
typedef bool verdict;
#endif

KERNEL verdict both(verdict a, verdict b)
{
#if defined(STATES)
    return a & b;
#else
    return a && b;
#endif
}

/* A number for each column of a small front. */
typedef struct columns {
    real v[VECTORS];
} columns;

/* Whether a vector has columns from `first` on, and how many vectors a small front has that are of interest. */
KERNEL bool has_columns(int vector, int first)
{
    return !HAS_STATES || vector >= first;
}

KERNEL int end_vector(int rows)
{
    return HAS_STATES && VECTORS > rows ? rows : VECTORS;
}

KERNEL void columns_load(const cell *from, columns *x, int first, int rows)
{
    for (int i = 0; i < end_vector(rows); i++) {
        if (has_columns(i, first)) {
            x->v[i] = cell_load(from + i * COLUMNS);
        }
    }
}

KERNEL void columns_store(cell *to, const columns *x, int first, int rows)
{
    for (int i = 0; i < end_vector(rows); i++) {
        if (has_columns(i, first)) {
            cell_store(to + i * COLUMNS, x->v[i]);
        }
    }
}

KERNEL cell columns_get(const columns *x, int at)
{
#if defined(STATES)
    return x->v[at];
#else
    return real_get(x->v[at / LANES], at % LANES);
#endif
}

/* x -= a y in the columns from `first` on; those before are of no interest, or y is zero there */
KERNEL void columns_fnma(cell a, const columns *y, columns *x, int first, int rows)
{
    for (int i = 0; i < end_vector(rows); i++) {
        if (has_columns(i, first)) {
            x->v[i] = real_fnma(shared(a), y->v[i], x->v[i]);
        }
    }
}

/* x += a y y */
KERNEL void columns_add_square(cell a, const columns *y, columns *x, int rows)
{
    for (int i = 0; i < end_vector(rows); i++) {
        x->v[i] = real_fma(a * y->v[i], y->v[i], x->v[i]);
    }
}

/* a x in the columns after `at`, zero before, as far as these are of interest */
KERNEL void columns_after(int at, cell a, const columns *x, columns *y, int rows)
{
#if defined(STATES)
    for (int i = 0; i < rows; i++) {
        if (i > at) {
            y->v[i] = a * x->v[i];
        }
    }
#else
    static const double later[2 * SOA_MAX_LANES] = { [SOA_MAX_LANES] = 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0 };
    (void)rows;
    for (int i = 0; i < VECTORS; i++) {
        y->v[i] = a * (real_load(later + SOA_MAX_LANES - 1 - at + i * LANES) * x->v[i]);
    }
#endif
}

/* A zero becomes a positive one: in lanes of columns, those before a pivot have had zeros taken off. */
KERNEL void store_plain(cell *to, const columns *x, int rows)
{
    for (int i = 0; i < end_vector(rows); i++) {
        cell_store(to + i * COLUMNS, x->v[i] + 0.0);
    }
}

/* A small front while it is solved. */
typedef struct small_front {
    columns L[SOA_CLOSURE_MAX_ROWS], Y[6], c;
    cell d[SOA_MAX_LANES], first[SOA_MAX_LANES];
#if defined(STATES)
    const real *stays; /* by column 1, or 0 in lanes in which it is gone; NULL: all are there */
#endif
} small_front;

/* Whether a > factor b in the first columns, as far as they are there. */
KERNEL verdict columns_exceed(const small_front *f, const cell *a_at, double factor, const cell *b_at, int rows)
{
#if defined(STATES)
    verdict all = real_less_equal(real_set(0.0), real_set(0.0));
    for (int i = 0; i < rows; i++) {
        const real_int larger = real_less(factor * b_at[i], a_at[i]);
        all &= f->stays ? larger | real_less(f->stays[i], real_set(0.5)) : larger;
    }
#else
    verdict all = true;
    (void)f;
    for (int i = 0; i < VECTORS; i++) {
        const real_int mask = real_less(factor * cell_load(b_at + i * COLUMNS), cell_load(a_at + i * COLUMNS)) |
                              real_less_equal(real_set((double)rows), real_count((double)(i * LANES)));
        all = all && real_all(mask);
    }
#endif
    return all;
}

/* 1 / d; 0, so that nothing is taken off, in lanes in which the row is gone. */
KERNEL cell pivot_inverse(const small_front *f, int p, cell d)
{
#if defined(STATES)
    return f->stays ? real_select(real_less(f->stays[p], real_set(0.5)), real_set(0.0), 1.0 / d) : 1.0 / d;
#else
    (void)f, (void)p;
    return 1.0 / d;
#endif
}

/* Of L only what is to the right of the diagonal is asked for later. */
KERNEL void eliminate(small_front *f, int rows, cell *inverse)
{
#pragma GCC unroll 6
    for (int p = 0; p < rows; p++) {
        const cell d = columns_get(&f->L[p], p);
        columns s;
        f->d[p] = d;
        inverse[p] = pivot_inverse(f, p, d);
        columns_after(p, inverse[p], &f->L[p], &s, rows);
#pragma GCC unroll 6
        for (int j = p + 1; j < rows; j++) {
            columns_fnma(columns_get(&f->L[p], j), &s, &f->L[j], j, rows);
        }
#pragma GCC unroll 6
        for (int i = 0; i < 6; i++) {
            columns_fnma(columns_get(&f->Y[i], p), &s, &f->Y[i], p + 1, rows);
        }
        columns_fnma(columns_get(&f->c, p), &s, &f->c, p + 1, rows);
    }
}

/* Whether every pivot is large enough beside what it was at first, what the row would be worth if its bodies were
 * free, and what the node yields. */
KERNEL verdict pivots_suffice(const small_front *f, const soa_front *front, const soa_ordered *o, int rows)
{
    const cell *by = cells_in(o->yields);
    columns here;
    for (int i = 0; i < VECTORS; i++) {
        here.v[i] = real_set(0.0);
    }
    for (int i = 0; i < 6; i++) {
        columns_add_square(by[i / 3], &f->Y[i], &here, rows);
    }
    const verdict counts = columns_exceed(f, f->d, o->tolerance, cells(front->scale), rows);
    const verdict early = columns_exceed(f, f->d, o->early, (const cell *)(const void *)&here, rows);
    return both(both(counts, early), columns_exceed(f, f->d, o->down_to, f->first, rows));
}

/* The rows of a front solved in order; nothing is written. */
KERNEL verdict try_ordered(const soa_front *front, const soa_ordered *o, const int rows, small_front *f)
{
    const cell *L = cells(front->L), *Y = cells(front->Y);
    for (int j = 0; j < rows; j++) {
        columns_load(L + j * SOA_MAX_LANES, &f->L[j], j, rows);
        f->first[j] = L[j * SOA_MAX_LANES + j];
    }
    for (int j = rows; j < SOA_MAX_LANES; j++) {
        f->first[j] = f->d[j] = (cell){ 0.0 };
    }
    for (int i = 0; i < 6; i++) {
        columns_load(Y + i * SOA_MAX_LANES, &f->Y[i], 0, rows);
    }
    columns_load(cells(front->c), &f->c, 0, rows);
    eliminate(f, rows, cells(o->inverse));
    return pivots_suffice(f, front, o, rows);
}

/* What try_ordered has made becomes the front, whose rows are solved. */
KERNEL void keep_ordered(const soa_front *front, const small_front *f, const int rows)
{
    for (int i = 0; i < 6; i++) {
        store_plain(cells(front->Y) + i * SOA_MAX_LANES, &f->Y[i], rows);
    }
    store_plain(cells(front->c), &f->c, rows);
    for (int j = 0; j < rows; j++) {
        columns L;
        columns_after(j, (cell){ 0.0 } + 1.0, &f->L[j], &L, rows);
        columns_store(cells(front->L) + j * SOA_MAX_LANES, &L, j + 1, rows);
    }
}

#if !defined(STATES)

KERNEL bool solve_ordered(soa_front *front, const soa_ordered *o, const int rows)
{
    small_front f;
    if (!try_ordered(front, o, rows, &f)) {
        return false;
    }
    keep_ordered(front, &f, rows);
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

#endif
