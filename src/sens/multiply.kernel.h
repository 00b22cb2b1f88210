/* sens/multiply.kernel.h - products with Mass^-1, LANES columns at a time.
 *
 * In the squares of soa_call.wide: Mass^-1 and two matrices, all with rows of whole vectors. A column of the derivatives of inverse dynamics is zero where neither joint
 * carries the other: rows that are zero in all of the columns are left out. */
#ifndef SOA_SENS_MULTIPLY_KERNEL_H
#define SOA_SENS_MULTIPLY_KERNEL_H

#include "sens/rows.kernel.h"

enum { TILE_ROWS = 6 };

KERNEL double *square_of(const soa_call *call, int i)
{
    const size_t stride = soa_wide_stride(call->model);
    return call->wide + (SOA_WIDE + SOA_WIDE_PANELS * SOA_MAX_LANES + (size_t)i * (size_t)call->model->nv) * stride;
}

/* LANES columns of one or two matrices, and the rows that are not zero. */
typedef struct panel {
    size_t column, stride;
    const double *from[2];
    soa_out to[2];
    int rows;
    short row[SOA_WIDE_SQUARE];
} panel;

KERNEL bool is_zero(real x)
{
    return real_all(real_less_equal(real_abs(x), real_set(0.0)));
}

KERNEL void find_rows(const soa_call *call, panel *p, const int matrices)
{
    p->rows = 0;
    for (int i = 0; i < call->model->nv; i++) {
        const size_t at = (size_t)i * p->stride + p->column;
        p->row[p->rows] = (short)i;
        p->rows += !is_zero(real_load(p->from[0] + at)) || (matrices == 2 && !is_zero(real_load(p->from[1] + at)));
    }
}

/* Rows i .. i + rows - 1 of -Mass^-1 times the panel. */
KERNEL void tile(const soa_call *call, const panel *p, int i, const int rows, const int matrices)
{
    const double *inverse = square_of(call, 0) + i;
    real sum[TILE_ROWS][2];
    for (int r = 0; r < rows; r++) {
        sum[r][0] = sum[r][1] = real_set(0.0);
    }
    for (int k = 0; k < p->rows; k++) {
        const double *m = inverse + (size_t)p->row[k] * p->stride;
        const size_t at = (size_t)p->row[k] * p->stride + p->column;
        const real x = real_load(p->from[0] + at), y = matrices == 2 ? real_load(p->from[1] + at) : x;
        for (int r = 0; r < rows; r++) {
            sum[r][0] = real_fma(real_set(m[r]), x, sum[r][0]);
            if (matrices == 2) {
                sum[r][1] = real_fma(real_set(m[r]), y, sum[r][1]);
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int m = 0; m < matrices; m++) {
            put_part_of_row(call, p->to[m], i + r, p->column, 0.0 - sum[r][m]);
        }
    }
}

KERNEL void multiply_panels(const soa_call *call, panel *p, const int matrices)
{
    const int nv = call->model->nv;
    for (p->column = 0; p->column < (size_t)nv; p->column += LANES) {
        find_rows(call, p, matrices);
        int i = 0;
        for (; i + TILE_ROWS <= nv; i += TILE_ROWS) {
            tile(call, p, i, TILE_ROWS, matrices);
        }
        for (; i + 2 <= nv; i += 2) {
            tile(call, p, i, 2, matrices);
        }
        for (; i < nv; i++) {
            tile(call, p, i, 1, matrices);
        }
    }
}

/* y and y2 (either may be missing) = -Mass^-1 times the first and the second matrix. */
static void multiply_inverse(const soa_call *call)
{
    panel p = { .stride = soa_wide_stride(call->model) };
    p.from[0] = square_of(call, call->y.at ? 1 : 2);
    p.from[1] = square_of(call, 2);
    p.to[0] = call->y.at ? call->y : call->y2;
    p.to[1] = call->y2;
    if (call->y.at && call->y2.at) {
        multiply_panels(call, &p, 2);
    } else if (p.to[0].at) {
        multiply_panels(call, &p, 1);
    }
}

#endif
