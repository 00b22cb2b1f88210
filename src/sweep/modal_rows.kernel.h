/* sweep/modal_rows.kernel.h - rows of a state: a number of each mode of a flexible link.
 *
 * Rows are soa_modal_stride numbers apart. Of one state they are in packs, of lanes of states one real after another. */
#ifndef SOA_SWEEP_MODAL_ROWS_KERNEL_H
#define SOA_SWEEP_MODAL_ROWS_KERNEL_H

#include "sweep/modal_table.kernel.h"

#if LANES == 1

/* Calls f(packs) for the packs of a row of m numbers; a few are a constant. */
#define WITH_PACKS(f, m)                  \
    switch (soa_modal_stride(m) / PACK) { \
    case 1:                               \
        f(1);                             \
        break;                            \
    case 2:                               \
        f(2);                             \
        break;                            \
    case 3:                               \
        f(3);                             \
        break;                            \
    case 4:                               \
        f(4);                             \
        break;                            \
    default:                              \
        f(soa_modal_stride(m) / PACK);    \
    }

/* gain_sums of two rows at a time. */
KERNEL void packs_gain(size_t m, const real *rows, int count, const int *part, bool half, const int n,
    const double *const *x, real *y, const size_t apart, const size_t packs)
{
    quad by[AT_ONCE][ROW_PACKS];
    for (int v = 0; v < n; v++) {
        for (size_t i = 0; i < packs; i++) {
            by[v][i] = pack_some(x[v], i * PACK, m);
            by[v][i] = v == 0 && half ? by[v][i] * 0.5 : by[v][i];
        }
    }
    for (int c = 0; c < count; c += 2, rows += 2 * packs * PACK) {
        const bool two = c + 1 < count;
        const real *other = two ? rows + packs * PACK : rows;
        real *first = y + part[c], *second = two ? y + part[c + 1] : NULL;
        quad sum[AT_ONCE][2];
        for (int v = 0; v < n; v++) {
            sum[v][0] = (quad){ first[(size_t)v * apart], 0.0, 0.0, 0.0 };
            sum[v][1] = two ? (quad){ second[(size_t)v * apart], 0.0, 0.0, 0.0 } : quad_set(0.0);
        }
        for (size_t i = 0; i < packs; i++) {
            const quad a = pack_get(rows + i * PACK), b = pack_get(other + i * PACK);
            for (int v = 0; v < n; v++) {
                sum[v][0] = quad_fma(by[v][i], a, sum[v][0]);
                sum[v][1] = quad_fma(by[v][i], b, sum[v][1]);
            }
        }
        for (int v = 0; v < n; v++) {
            real both[2];
            quad_sums(sum[v][0], sum[v][1], both);
            first[(size_t)v * apart] = both[0];
            if (two) {
                second[(size_t)v * apart] = both[1];
            }
        }
    }
}

/* sum += sum of s(part(c)) times row c. */
KERNEL void packs_add(const real *rows, int count, const int *part, const real *s, pack *sum, const size_t packs)
{
    pack y[ROW_PACKS];
    for (size_t i = 0; i < packs; i++) {
        y[i] = sum[i];
    }
    for (int c = 0; c < count; c++, rows += packs * PACK) {
        const quad by = quad_all(s + part[c]);
        for (size_t i = 0; i < packs; i++) {
            y[i] = quad_fma(by, pack_get(rows + i * PACK), y[i]);
        }
    }
    for (size_t i = 0; i < packs; i++) {
        sum[i] = y[i];
    }
}

/* y += sum of s(part(c)) times row c, of so many rows. */
KERNEL void rows_add(size_t m, const int count, const real *rows, const int *part, const real *s, real *y)
{
#define ADD(packs)                                   \
    do {                                             \
        pack sum[ROW_PACKS];                         \
        for (size_t i = 0; i < (packs); i++) {       \
            sum[i] = pack_some(y, i * PACK, m);      \
        }                                            \
        packs_add(rows, count, part, s, sum, packs); \
        for (size_t i = 0; i < (packs); i++) {       \
            pack_put_some(y, i *PACK, m, sum[i]);    \
        }                                            \
    } while (0)
    WITH_PACKS(ADD, m)
#undef ADD
}

#else

/* Modes i .. i + some - 1 of so many rows and n vectors, into the first of four sums, the second, and so on. */
KERNEL void lanes_gain_some(size_t i, const size_t some, const real *rows, const size_t step, const int count,
    const int n, const double *const *x, real (*sum)[AT_ONCE][4])
{
    for (size_t k = 0; k < some; k++) {
        for (int v = 0; v < n; v++) {
            const real by = real_load(x[v] + (i + k) * LANES);
            for (int c = 0; c < count; c++) {
                sum[c][v][k] = real_fma(by, rows[(size_t)c * step + i + k], sum[c][v][k]);
            }
        }
    }
}

/* gain_sums of so many rows. */
KERNEL void lanes_gain_of(size_t m, const real *rows, const int count, const int *part, bool half, const int n,
    const double *const *x, real *y, const size_t apart)
{
    const size_t stride = soa_modal_stride(m), whole = m / 4 * 4;
    real sum[2][AT_ONCE][4];
    for (int c = 0; c < count; c++) {
        for (int v = 0; v < n; v++) {
            sum[c][v][0] = y[(size_t)v * apart + (size_t)part[c]];
            sum[c][v][1] = sum[c][v][2] = sum[c][v][3] = real_set(0.0);
        }
        sum[c][0][0] = half ? 2.0 * sum[c][0][0] : sum[c][0][0]; /* exact */
    }
    for (size_t i = 0; i < whole; i += 4) {
        lanes_gain_some(i, 4, rows, stride, count, n, x, sum);
    }
    if (m - whole == 3) {
        lanes_gain_some(whole, 3, rows, stride, count, n, x, sum);
    } else if (m - whole == 2) {
        lanes_gain_some(whole, 2, rows, stride, count, n, x, sum);
    } else if (m - whole == 1) {
        lanes_gain_some(whole, 1, rows, stride, count, n, x, sum);
    }
    for (int c = 0; c < count; c++) {
        for (int v = 0; v < n; v++) {
            const real all = (sum[c][v][0] + sum[c][v][1]) + (sum[c][v][2] + sum[c][v][3]);
            y[(size_t)v * apart + (size_t)part[c]] = v == 0 && half ? 0.5 * all : all;
        }
    }
}

/* Two rows at a time, where there are registers for it. */
KERNEL void lanes_gain(size_t m, const real *rows, int count, const int *part, bool half, const int n,
    const double *const *x, real *y, const size_t apart)
{
    const size_t stride = soa_modal_stride(m);
    int c = 0;
#if defined(SOA_LANES_AVX512)
    for (; c + 2 <= count; c += 2) {
        lanes_gain_of(m, rows + (size_t)c * stride, 2, part + c, half, n, x, y, apart);
    }
#endif
    for (; c < count; c++) {
        lanes_gain_of(m, rows + (size_t)c * stride, 1, part + c, half, n, x, y, apart);
    }
}

/* y += sum of s(part(c)) times row c, of so many rows, at most six. */
KERNEL void rows_add(size_t m, const int count, const real *rows, const int *part, const real *s, real *y)
{
    const size_t stride = soa_modal_stride(m);
    real by[6];
    for (int c = 0; c < count; c++) {
        by[c] = pack_keep(s[part[c]]);
    }
#pragma GCC unroll 2
    for (size_t i = 0; i < m; i++) {
        real sum = y[i];
        for (int c = 0; c < count; c++) {
            sum = real_fma(by[c], rows[(size_t)c * stride + i], sum);
        }
        y[i] = sum;
    }
}

#endif

/* y(v)(part(c)) += sum of row c times x(v), of n vectors, one to AT_ONCE, the y(v) `apart` numbers from each other: four sums, of
 * modes 0 4 8 .., 1 5 9 .., and so on, added in pairs. With `half` x(0) counts half. */
KERNEL void gain_sums(size_t m, const real *rows, int count, const int *part, bool half, int n, const double *const *x,
    real *y, const size_t apart)
{
#if LANES == 1
#define GAIN(packs)                                                    \
    if (n == 1) {                                                      \
        packs_gain(m, rows, count, part, half, 1, x, y, apart, packs); \
    } else if (n == 2) {                                               \
        packs_gain(m, rows, count, part, half, 2, x, y, apart, packs); \
    } else {                                                           \
        packs_gain(m, rows, count, part, half, 3, x, y, apart, packs); \
    }
    WITH_PACKS(GAIN, m)
#undef GAIN
#else
    if (n == 1) {
        lanes_gain(m, rows, count, part, half, 1, x, y, apart);
    } else if (n == 2) {
        lanes_gain(m, rows, count, part, half, 2, x, y, apart);
    } else {
        lanes_gain(m, rows, count, part, half, 3, x, y, apart);
    }
#endif
}

/* y = s x, numbers of the modes. */
KERNEL void row_scale(size_t m, real s, const double *x, real *y)
{
    for (size_t i = 0; i < m; i += PACK) {
        pack_put(y + i, pack_all(&s) * pack_some(x, i, m));
    }
}

/* A product A x that is to be added to a row. */
typedef struct row_term {
    const soa_modal_table *A;
    const double *x;
} row_term;

/* What a row of modes is the sum of: numbers (NULL: zero), products with tables, and rows of the state, row c times s(part(c)). */
typedef struct row_sum {
    const double *from;
    int terms, rows;
    row_term term[5];
    const real *row, *s;
    const int *part;
} row_sum;

#if LANES == 1
/* sum += A x; in registers meanwhile: gcc would write `sum` at each column. */
KERNEL void packs_product_add(const row_term *t, pack *sum, const size_t packs)
{
    const soa_modal_block *A = &t->A->whole;
    const size_t step = packs * PACK;
    const double *a = A->x;
    pack y[1][ROW_PACKS];
    for (size_t r = 0; r < packs; r++) {
        y[0][r] = sum[r];
    }
    for (int j = 0; j < A->columns; j += 2, a += 2 * step) {
        column_add(a, A->column[j], 1, &t->x, y, packs);
        column_add(a + step, A->column[j + 1], 1, &t->x, y, packs);
    }
    for (size_t r = 0; r < packs; r++) {
        sum[r] = y[0][r];
    }
}

KERNEL void packs_make(size_t m, const row_sum *of, real *y, const size_t packs)
{
    pack sum[1][ROW_PACKS];
    for (size_t i = 0; i < packs; i++) {
        sum[0][i] = of->from ? pack_some(of->from, i * PACK, m) : quad_set(0.0);
    }
    for (int t = 0; t < of->terms; t++) {
        packs_product_add(&of->term[t], sum[0], packs);
    }
    packs_add(of->row, of->rows, of->part, of->s, sum[0], packs);
    for (size_t i = 0; i < packs; i++) {
        pack_put_some(y, i * PACK, m, sum[0][i]);
    }
}
#endif

/* y = the sum, of one product at least or beginning from y. */
static __attribute__((noinline)) void row_make(size_t m, const row_sum *of, real *y)
{
#if LANES == 1
#define MAKE(packs) packs_make(m, of, y, packs)
    WITH_PACKS(MAKE, m)
#undef MAKE
#else
    const size_t stride = soa_modal_stride(m);
    const double *from = of->from;
    int c = 0;
    for (int t = 0; t < of->terms; t++, from = numbers(y)) {
        table_product(of->term[t].A, of->term[t].x, from, y);
    }
    for (; c + 6 < of->rows; c += 4) {
        rows_add(m, 4, of->row + (size_t)c * stride, of->part + c, of->s, y);
    }
#define ROWS(count)                                                               \
    case count:                                                                   \
        rows_add(m, count, of->row + (size_t)c * stride, of->part + c, of->s, y); \
        break
    switch (of->rows - c) {
        ROWS(1);
        ROWS(2);
        ROWS(3);
        ROWS(4);
        ROWS(5);
        ROWS(6);
    default:
        break;
    }
#undef ROWS
#endif
}

/* x . A x of the modes */
static inline real table_square(size_t m, const soa_modal_table *A, const double *x)
{
    static const int only[1] = { 0 };
    real y[SOA_MAX_MODES], sum = real_set(0.0);
    table_set(A, x, y);
    gain_sums(m, y, 1, only, false, 1, &x, &sum, 1);
    return sum;
}

#endif
