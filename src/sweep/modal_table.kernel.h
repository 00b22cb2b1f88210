/* sweep/modal_table.kernel.h - products with the constant matrices of flexible links, and with rows of a state.
 *
 * Numbers x by mode are read where they are, LANES of each. A product y = A x is summed column after column. Rows of a state are soa_modal_step apart. Of one state the
 * rows of A are in packs; of lanes of states A is in blocks without zeros, whose rows are in registers. A zero adds nothing, so
 * both have the same bits. */
#ifndef SOA_SWEEP_MODAL_TABLE_KERNEL_H
#define SOA_SWEEP_MODAL_TABLE_KERNEL_H

#include "sweep/modes.kernel.h"

/* ---- y = A x, or y += A x ------------------------------------------------------------------------ */

/* Packs of rows, or rows of a block, that are taken together: each product waits for the one before it, so few are slow. */
enum { TOGETHER = 9 };

/* Calls f(first, count) for `rows` rows; the count is a constant each time. */
#define IN_PARTS(f, rows)                                                                     \
    for (int left_ = (rows), first_ = 0, some_; left_ > 0; left_ -= some_, first_ += some_) { \
        some_ = left_ > 2 * TOGETHER ? TOGETHER : left_ > TOGETHER ? (left_ + 1) / 2 : left_; \
        switch (some_) {                                                                      \
        case 1:                                                                               \
            f(first_, 1);                                                                     \
            break;                                                                            \
        case 2:                                                                               \
            f(first_, 2);                                                                     \
            break;                                                                            \
        case 3:                                                                               \
            f(first_, 3);                                                                     \
            break;                                                                            \
        case 4:                                                                               \
            f(first_, 4);                                                                     \
            break;                                                                            \
        case 5:                                                                               \
            f(first_, 5);                                                                     \
            break;                                                                            \
        case 6:                                                                               \
            f(first_, 6);                                                                     \
            break;                                                                            \
        case 7:                                                                               \
            f(first_, 7);                                                                     \
            break;                                                                            \
        case 8:                                                                               \
            f(first_, 8);                                                                     \
            break;                                                                            \
        default:                                                                              \
            f(first_, TOGETHER);                                                              \
        }                                                                                     \
    }

#if LANES == 1

KERNEL void packs_product(
    const soa_modal_block *A, int first, const double *x, const bool add, real *y, const int packs)
{
    const size_t step = soa_modal_step((size_t)A->rows), from = (size_t)first * PACK;
    const double *a = A->x + from;
    pack sum[TOGETHER];
    y += from;
    for (int r = 0; r < packs; r++) {
        sum[r] = add ? pack_get(y + r * PACK) : quad_set(0.0);
    }
    for (int j = 0; j < A->columns; j++, a += step) {
        const pack all = pack_all(x + A->column[j]);
        for (int r = 0; r < packs; r++) {
            sum[r] = pack_fma(all, pack_get(a + r * PACK), sum[r]);
        }
    }
    for (int r = 0; r < packs; r++) {
        pack_put(y + r * PACK, sum[r]);
    }
}

static __attribute__((noinline)) void table_product(const soa_modal_table *A, const double *x, bool add, real *y)
{
    const soa_modal_block *whole = &A->whole;
#define PACKS_OF(first, count) packs_product(whole, first, x, add, y, count)
    IN_PARTS(PACKS_OF, (whole->rows + PACK - 1) / PACK)
#undef PACKS_OF
}

#else

KERNEL void rows_product(const soa_modal_block *A, int first, const double *x, const bool add, real *y, const int rows)
{
    const unsigned short *row = A->row + first;
    const double *a = A->x + first;
    real sum[TOGETHER];
    for (int r = 0; r < rows; r++) {
        sum[r] = add ? y[row[r]] : real_set(0.0);
    }
    for (int j = 0; j < A->columns; j++, a += A->rows) {
        const real by = real_load(x + (size_t)A->column[j] * LANES);
        for (int r = 0; r < rows; r++) {
            sum[r] = real_fma(by, real_set(a[r]), sum[r]);
        }
    }
    for (int r = 0; r < rows; r++) {
        y[row[r]] = sum[r];
    }
}

static __attribute__((noinline)) void table_product(const soa_modal_table *A, const double *x, bool add, real *y)
{
    for (const soa_modal_block *block = A->block; block < A->block + A->blocks; block++) {
#define ROWS_OF(first, count) rows_product(block, first, x, add, y, count)
        IN_PARTS(ROWS_OF, block->rows)
#undef ROWS_OF
    }
}

#endif

/* y = A x; of one state y has room for whole packs. */
KERNEL void table_set(const soa_modal_table *A, const double *x, real *y)
{
    table_product(A, x, false, y);
}

/* y += A x */
KERNEL void table_add(const soa_modal_table *A, const double *x, real *y)
{
    table_product(A, x, true, y);
}

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

/* ---- rows of a state --------------------------------------------------------------------------------- */

/* Numbers i, i + 1, .. of m as a pack, zeros behind them. */
KERNEL pack pack_some(const double *x, size_t i, size_t m)
{
#if LANES > 1
    (void)m;
    return real_load(x + i * LANES);
#else
    if (i + PACK <= m) {
        return pack_get(x + i);
    }
#if defined(SOA_QUAD_AVX2)
    static const int64_t mask[7] = { -1, -1, -1, 0, 0, 0, 0 };
    return (pack)_mm256_maskload_pd(x + i, _mm256_loadu_si256((const __m256i *)(mask + 3 - (m - i))));
#else
    return (pack){ x[i], i + 1 < m ? x[i + 1] : 0.0, i + 2 < m ? x[i + 2] : 0.0, 0.0 };
#endif
#endif
}

/* A row from numbers, and numbers from a row. */
KERNEL void row_get(size_t m, const real *x, real *row)
{
    for (size_t i = 0; i < m; i += PACK) {
        pack_put(row + i, pack_some(numbers(x), i, m));
    }
}

KERNEL void row_put(size_t m, const real *row, real *y)
{
    size_t i = 0;
    for (; i + PACK <= m; i += PACK) {
        pack_put(y + i, pack_get(row + i));
    }
    for (; i < m; i++) {
        y[i] = row[i];
    }
}

/* Where a row is made that goes to y: of lanes of states there, of one state in `room`, which row_put brings to y. */
KERNEL real *row_made(real *y, real *room)
{
    return LANES == 1 ? room : y;
}

#if LANES == 1

/* Calls f(packs) for the packs of a row of m numbers; a few are a constant. */
#define WITH_PACKS(f, m)                \
    switch (soa_modal_step(m) / PACK) { \
    case 1:                             \
        f(1);                           \
        break;                          \
    case 2:                             \
        f(2);                           \
        break;                          \
    case 3:                             \
        f(3);                           \
        break;                          \
    case 4:                             \
        f(4);                           \
        break;                          \
    default:                            \
        f(soa_modal_step(m) / PACK);    \
    }

/* y(c) = sum of row c times x, two rows at a time. */
KERNEL void packs_dots(size_t m, const real *rows, int count, const double *x, real *y, const size_t packs)
{
    quad by[SOA_MAX_MODES / PACK];
    for (size_t i = 0; i < packs; i++) {
        by[i] = pack_some(x, i * PACK, m);
    }
    for (int c = 0; c < count; c += 2, rows += 2 * packs * PACK) {
        const real *other = c + 1 < count ? rows + packs * PACK : rows;
        quad a = { 0.0 }, b = { 0.0 };
        real both[2];
        for (size_t i = 0; i < packs; i++) {
            a = quad_fma(by[i], pack_get(rows + i * PACK), a);
            b = quad_fma(by[i], pack_get(other + i * PACK), b);
        }
        quad_sums(a, b, both);
        y[c] = both[0];
        y[c + 1] = both[1];
    }
}

/* y += sum of s(c) times row c. */
KERNEL void packs_add(const real *rows, int count, const real *s, real *y, const size_t packs)
{
    quad sum[SOA_MAX_MODES / PACK];
    for (size_t i = 0; i < packs; i++) {
        sum[i] = pack_get(y + i * PACK);
    }
    for (int c = 0; c < count; c++, rows += packs * PACK) {
        const quad by = quad_all(s + c);
        for (size_t i = 0; i < packs; i++) {
            sum[i] = quad_fma(by, pack_get(rows + i * PACK), sum[i]);
        }
    }
    for (size_t i = 0; i < packs; i++) {
        pack_put(y + i * PACK, sum[i]);
    }
}

#endif

/* y(c) = sum of row c times x: four sums, of modes 0 4 8 .., 1 5 9 .., and so on, added in pairs. An odd count writes one number
 * more. */
static inline void rows_dots(size_t m, const real *rows, int count, const double *x, real *y)
{
#if LANES == 1
#define DOTS(packs) packs_dots(m, rows, count, x, y, packs)
    WITH_PACKS(DOTS, m)
#undef DOTS
#else
    const size_t step = soa_modal_step(m);
    for (int c = 0; c < count; c += 2, rows += 2 * step) {
        const real *other = c + 1 < count ? rows + step : rows;
        real sum[2][4];
        for (size_t k = 0; k < 4; k++) {
            sum[0][k] = sum[1][k] = real_set(0.0);
        }
        for (size_t i = 0; i < m; i += 4) {
            for (size_t k = 0; k < 4 && i + k < m; k++) {
                const real by = real_load(x + (i + k) * LANES);
                sum[0][k] = real_fma(by, rows[i + k], sum[0][k]);
                sum[1][k] = real_fma(by, other[i + k], sum[1][k]);
            }
        }
        for (int e = 0; e < 2; e++) {
            y[c + e] = (sum[e][0] + sum[e][1]) + (sum[e][2] + sum[e][3]);
        }
    }
#endif
}

#if LANES > 1
KERNEL void some_rows_add(size_t m, const real *rows, const real *s, real *y, const int count)
{
    const size_t step = soa_modal_step(m);
    for (size_t i = 0; i < m; i++) {
        real sum = y[i];
        for (int c = 0; c < count; c++) {
            sum = real_fma(s[c], rows[(size_t)c * step + i], sum);
        }
        y[i] = sum;
    }
}
#endif

/* y += sum of s(c) times row c. */
static inline void rows_add(size_t m, const real *rows, int count, const real *s, real *y)
{
#if LANES == 1
#define ADD(packs) packs_add(rows, count, s, y, packs)
    WITH_PACKS(ADD, m)
#undef ADD
#else
    const size_t step = soa_modal_step(m);
    int c = 0;
    for (; c + 4 <= count; c += 4) {
        some_rows_add(m, rows + (size_t)c * step, s + c, y, 4);
    }
    for (; c < count; c++) {
        some_rows_add(m, rows + (size_t)c * step, s + c, y, 1);
    }
#endif
}

/* x . A x of the modes */
static inline real table_square(size_t m, const soa_modal_table *A, const double *x)
{
    real y[SOA_MAX_MODES], sum[2];
    table_set(A, x, y);
    rows_dots(m, y, 1, x, sum);
    return sum[0];
}

#endif
