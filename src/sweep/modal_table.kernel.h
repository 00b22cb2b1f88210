/* sweep/modal_table.kernel.h - products with the constant matrices of flexible links.
 *
 * Numbers x by mode are read where they are, LANES of each. A product y = A x is summed column after column. Of one state the
 * rows of A are in packs; of lanes of states A is in blocks without zeros, whose rows are in registers. A zero adds nothing, so
 * both have the same bits. */
#ifndef SOA_SWEEP_MODAL_TABLE_KERNEL_H
#define SOA_SWEEP_MODAL_TABLE_KERNEL_H

#include "sweep/modes.kernel.h"

/* ---- y = A x, or y += A x ------------------------------------------------------------------------ */

#define PART(f, count)    \
    case count:           \
        f(first_, count); \
        break;
/* Sums that are made together, of packs of rows or of rows of a block: each waits for the one before it, so few are slow. */
#if defined(SOA_LANES_AVX512)
enum { TOGETHER = 16 };
#define MORE_PARTS(f) PART(f, 9) PART(f, 10) PART(f, 11) PART(f, 12) PART(f, 13) PART(f, 14) PART(f, 15)
#else
enum { TOGETHER = 9 };
#define MORE_PARTS(f)
#endif

/* The most vectors that are multiplied at once. */
enum { AT_ONCE = 3 };

/* Calls f(first, count) for `rows` rows, at most `most` together; the count is a constant each time. */
#define IN_PARTS(f, rows, most)                                                               \
    for (int left_ = (rows), first_ = 0, some_; left_ > 0; left_ -= some_, first_ += some_) { \
        some_ = left_ > 2 * (most) ? (most) : left_ > (most) ? (left_ + 1) / 2 : left_;       \
        switch (some_) {                                                                      \
            PART(f, 1)                                                                        \
            PART(f, 2)                                                                        \
            PART(f, 3)                                                                        \
            PART(f, 4)                                                                        \
            PART(f, 5)                                                                        \
            PART(f, 6)                                                                        \
            PART(f, 7)                                                                        \
            PART(f, 8)                                                                        \
            MORE_PARTS(f)                                                                     \
        default:                                                                              \
            f(first_, TOGETHER);                                                              \
        }                                                                                     \
    }

#if LANES == 1

/* The most packs of a row. */
enum { ROW_PACKS = SOA_MAX_MODES / PACK };

/* y(v) += a column times number `at` of x(v), of n vectors. */
KERNEL void column_add(
    const double *a, size_t at, const int n, const double *const *x, pack (*y)[ROW_PACKS], const size_t packs)
{
    pack all[AT_ONCE];
    for (int v = 0; v < n; v++) {
        all[v] = pack_all(x[v] + at);
    }
    for (size_t r = 0; r < packs; r++) {
        const pack row = pack_get(a + r * PACK);
        for (int v = 0; v < n; v++) {
            y[v][r] = pack_fma(all[v], row, y[v][r]);
        }
    }
}

/* y(v) = A x(v), the y(v) `apart` numbers from each other, of some packs of rows. Columns come in pairs. */
KERNEL void packs_product(const soa_modal_table *A, size_t first, const int n, const double *const *x, real *y,
    size_t apart, const size_t packs)
{
    const size_t step = soa_modal_step((size_t)A->whole.rows);
    const double *a = A->whole.x + first * PACK;
    pack sum[AT_ONCE][ROW_PACKS];
    for (int v = 0; v < n; v++) {
        for (size_t r = 0; r < packs; r++) {
            sum[v][r] = quad_set(0.0);
        }
    }
    for (int j = 0; j < A->whole.columns; j += 2, a += 2 * step) {
        column_add(a, A->whole.column[j], n, x, sum, packs);
        column_add(a + step, A->whole.column[j + 1], n, x, sum, packs);
    }
    for (int v = 0; v < n; v++) {
        for (size_t r = 0; r < packs; r++) {
            pack_put(y + (size_t)v * apart + (first + r) * PACK, sum[v][r]);
        }
    }
}

/* y = A x; y has room for whole packs. */
static __attribute__((noinline)) void table_set(const soa_modal_table *A, const double *x, real *y){
#define SOME_PACKS(first, count) packs_product(A, (size_t)(first), 1, &x, y, 0, count)
    IN_PARTS(SOME_PACKS, (A->whole.rows + PACK - 1) / PACK, TOGETHER)
#undef SOME_PACKS
}

/* y(v) = A x(v) of n vectors, one to AT_ONCE, the y(v) `apart` numbers from each other; A has so many rows, at most twelve. */
KERNEL void table_products(
    const soa_modal_table *A, const size_t rows, int n, const double *const *x, real *y, const size_t apart)
{
    const size_t packs = (rows + PACK - 1) / PACK;
    if (n == 1) {
        packs_product(A, 0, 1, x, y, apart, packs);
    } else if (n == 2) {
        packs_product(A, 0, 2, x, y, apart, packs);
    } else {
        packs_product(A, 0, 3, x, y, apart, packs);
    }
}

#else

/* y(v) = A x(v) of n vectors, the y(v) `apart` numbers from each other, and of some rows of a block; y = from + A x. */
KERNEL void block_rows_product(const soa_modal_block *A, int first, const int n, const double *const *x,
    const double *from, real *y, size_t apart, const int rows)
{
    const unsigned short *row = A->row + first;
    const double *a = A->x + first;
    real sum[AT_ONCE][TOGETHER];
    for (int v = 0; v < n; v++) {
        for (int r = 0; r < rows; r++) {
            sum[v][r] = from ? real_load(from + (size_t)row[r] * LANES) : real_set(0.0);
        }
    }
    for (int j = 0; j < A->columns; j++, a += A->rows) {
        real by[AT_ONCE];
        for (int v = 0; v < n; v++) {
            by[v] = real_load(x[v] + (size_t)A->column[j] * LANES);
        }
        for (int r = 0; r < rows; r++) {
            const real number = real_set(a[r]);
            for (int v = 0; v < n; v++) {
                sum[v][r] = real_fma(by[v], number, sum[v][r]);
            }
        }
    }
    for (int v = 0; v < n; v++) {
        for (int r = 0; r < rows; r++) {
            y[(size_t)v * apart + row[r]] = sum[v][r];
        }
    }
}

/* y = from + A x; from NULL: zero. */
static __attribute__((noinline)) void table_product(
    const soa_modal_table *A, const double *x, const double *from, real *y)
{
    for (const soa_modal_block *block = A->block; block < A->block + A->blocks; block++) {
#define SOME_ROWS(first, count) block_rows_product(block, first, 1, &x, from, y, 0, count)
        IN_PARTS(SOME_ROWS, block->rows, TOGETHER)
#undef SOME_ROWS
    }
}

KERNEL void table_set(const soa_modal_table *A, const double *x, real *y)
{
    table_product(A, x, NULL, y);
}

static __attribute__((noinline)) void table_products(
    const soa_modal_table *A, size_t rows, int n, const double *const *x, real *y, size_t apart)
{
    (void)rows;
    for (const soa_modal_block *block = A->block; block < A->block + A->blocks; block++) {
#define ONE(first, count)   block_rows_product(block, first, 1, x, NULL, y, apart, count)
#define TWO(first, count)   block_rows_product(block, first, 2, x, NULL, y, apart, count)
#define THREE(first, count) block_rows_product(block, first, 3, x, NULL, y, apart, count)
        if (n == 1) {
            IN_PARTS(ONE, block->rows, TOGETHER)
        } else if (n == 2) {
            IN_PARTS(TWO, block->rows, TOGETHER / 2)
        } else {
            IN_PARTS(THREE, block->rows, TOGETHER / 3)
        }
#undef ONE
#undef TWO
#undef THREE
    }
}

#endif

/* Numbers of a state as inputs have them. */
KERNEL const double *numbers(const real *x)
{
    return (const double *)(const void *)x;
}

/* The numbers of the modes of a body among inputs; NULL: there are none. */
KERNEL const double *modes_in(soa_in in, int first)
{
    return in.at ? in.at + (size_t)first * LANES : NULL;
}

#endif
