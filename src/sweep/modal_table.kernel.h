/* sweep/modal_table.kernel.h - products with the constant matrices of flexible links.
 *
 * Numbers x by mode are read where they are, LANES of each. A product y = A x is summed column after column. Of one state the
 * rows of A are in packs; of lanes of states A is in blocks without zeros, whose rows are in registers. A zero adds nothing, so
 * both have the same bits. */
#ifndef SOA_SWEEP_MODAL_TABLE_KERNEL_H
#define SOA_SWEEP_MODAL_TABLE_KERNEL_H

#include "sweep/modes.kernel.h"

/* ---- y = A x, or y += A x ------------------------------------------------------------------------ */

/* Sums that are made together, of packs of rows or of rows of a block: each waits for the one before it, so few are slow. */
#if defined(SOA_LANES_AVX512)
enum { TOGETHER = SOA_BLOCK_ROWS };
#else
enum { TOGETHER = 9 };
#endif

/* The most vectors that are multiplied at once. */
enum { AT_ONCE = 3 };

/* The number of x that stands at a place of soa_modal_block, and the same of what a kernel writes. */
KERNEL const double *number_at(const double *x, size_t place)
{
    return (const double *)(const void *)((const char *)x + place * LANES);
}

#if LANES > 1
KERNEL real *real_at(real *y, size_t place)
{
    return (real *)(void *)((char *)y + place * LANES);
}
#endif

#if LANES == 1

#define PART(f, count)    \
    case count:           \
        f(first_, count); \
        break;

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
        default:                                                                              \
            f(first_, TOGETHER);                                                              \
        }                                                                                     \
    }

/* The most packs of a row. */
enum { ROW_PACKS = SOA_MAX_MODES / PACK };

/* y(v) += a column times number `at` of x(v), of n vectors. */
KERNEL void column_add(
    const double *a, size_t at, const int n, const double *const *x, pack (*y)[ROW_PACKS], const size_t packs)
{
    pack all[AT_ONCE];
    for (int v = 0; v < n; v++) {
        all[v] = pack_all(number_at(x[v], at));
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
    const size_t stride = soa_modal_stride((size_t)A->whole.rows);
    const double *a = A->whole.x + first * PACK;
    pack sum[AT_ONCE][ROW_PACKS];
    for (int v = 0; v < n; v++) {
        for (size_t r = 0; r < packs; r++) {
            sum[v][r] = quad_set(0.0);
        }
    }
    for (int j = 0; j < A->whole.columns; j += 2, a += 2 * stride) {
        column_add(a, A->whole.column[j], n, x, sum, packs);
        column_add(a + stride, A->whole.column[j + 1], n, x, sum, packs);
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

/* y(v) = A x(v) of n vectors, the y(v) `apart` numbers from each other, and of `count` rows of a block of `rows`; y = from + A x. */
KERNEL void rows_product(const soa_modal_block *A, const int rows, const int first, const int count, const int n,
    const double *const *x, const double *from, real *y, const size_t apart)
{
    const unsigned short *row = A->row + first, *column = A->column, *end = column + A->columns;
    const double *a = A->x + first;
    real sum[AT_ONCE][SOA_BLOCK_ROWS];
    for (int v = 0; v < n; v++) {
        for (int r = 0; r < count; r++) {
            sum[v][r] = from ? real_load(number_at(from, row[r])) : real_set(0.0);
        }
    }
    for (; column < end; column++, a += rows) {
        real by[AT_ONCE];
        for (int v = 0; v < n; v++) {
            by[v] = real_load(number_at(x[v], *column));
        }
        for (int r = 0; r < count; r++) {
            const real number = real_set(a[r]);
            for (int v = 0; v < n; v++) {
                sum[v][r] = real_fma(by[v], number, sum[v][r]);
            }
        }
    }
    for (int v = 0; v < n; v++) {
        for (int r = 0; r < count; r++) {
            *real_at(y + (size_t)v * apart, row[r]) = sum[v][r];
        }
    }
}

/* All rows of a block, as many at a time as there are registers for. */
KERNEL void whole_block(const soa_modal_block *A, const int rows, const int n, const double *const *x,
    const double *from, real *y, const size_t apart)
{
    const int most = TOGETHER / n, parts = (rows + most - 1) / most, some = (rows + parts - 1) / parts;
#pragma GCC unroll 8
    for (int first = 0; first < rows; first += some) {
        rows_product(A, rows, first, first + some < rows ? some : rows - first, n, x, from, y, apart);
    }
}

/* The product with all blocks, whose numbers of rows are constants. */
KERNEL void blocks_product(
    const soa_modal_table *A, const int n, const double *const *x, const double *from, real *y, const size_t apart)
{
    for (const soa_modal_block *block = A->block, *end = block + A->blocks; block < end; block++) {
#define OF(rows)                                        \
    case rows:                                          \
        whole_block(block, rows, n, x, from, y, apart); \
        break;
        switch (block->rows) {
            OF(1)
            OF(2)
            OF(3)
            OF(4)
            OF(5)
            OF(6)
            OF(7)
            OF(8)
            OF(9)
            OF(10)
            OF(11)
            OF(12)
            OF(13)
            OF(14)
            OF(15)
        default:
            whole_block(block, SOA_BLOCK_ROWS, n, x, from, y, apart);
        }
#undef OF
    }
}

/* y = from + A x; from NULL: zero. */
static __attribute__((noinline)) void table_product(
    const soa_modal_table *A, const double *x, const double *from, real *y)
{
    blocks_product(A, 1, &x, from, y, 0);
}

KERNEL void table_set(const soa_modal_table *A, const double *x, real *y)
{
    table_product(A, x, NULL, y);
}

static __attribute__((noinline)) void table_products(
    const soa_modal_table *A, size_t rows, int n, const double *const *x, real *y, const size_t apart)
{
    (void)rows;
    if (n == 1) {
        blocks_product(A, 1, x, NULL, y, apart);
    } else if (n == 2) {
        blocks_product(A, 2, x, NULL, y, apart);
    } else {
        blocks_product(A, 3, x, NULL, y, apart);
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
