/* sens/multiply_inverse.kernel.h - products with Mass^-1, LANES columns at a time.
 *
 * A column of the derivatives of inverse dynamics is zero where neither joint carries the other: rows that are zero in
 * all columns of a panel are left out. */
#ifndef SOA_SENS_MULTIPLY_INVERSE_KERNEL_H
#define SOA_SENS_MULTIPLY_INVERSE_KERNEL_H

#include "sens/derivative_rows.kernel.h"

/* With two matrices, as many sums as registers hold. */
enum { TILE_ROWS = LANES == 8 ? 12 : 6 };

/* Mass^-1, nv x nv, behind the panels. */
KERNEL double *inverse_of(const soa_call *call)
{
    return call->squares + (SOA_SQUARE_ROWS + SOA_SQUARE_PANELS * SOA_MAX_LANES) * soa_square_stride(call->model);
}

/* One or two matrices of a panel, and where their products go. */
typedef struct factors {
    const soa_panel *panel;
    const double *from[2];
    soa_out to[2];
} factors;

/* Rows i .. i + rows - 1 of -Mass^-1 times the panel. */
KERNEL void tile(const soa_call *call, const factors *f, int i, const int rows, const int matrices)
{
    const size_t nv = (size_t)call->model->nv;
    const double *inverse = inverse_of(call) + i;
    real sum[TILE_ROWS][2];
    for (int r = 0; r < rows; r++) {
        sum[r][0] = sum[r][1] = real_set(0.0);
    }
    for (int k = 0; k < f->panel->rows; k++) {
        const size_t at = (size_t)f->panel->row[k];
        const double *m = inverse + at * nv;
        const real x = real_load(f->from[0] + at * LANES);
        const real y = matrices == 2 ? real_load(f->from[1] + at * LANES) : x;
        for (int r = 0; r < rows; r++) {
            sum[r][0] = real_fma(real_set(m[r]), x, sum[r][0]);
            if (matrices == 2) {
                sum[r][1] = real_fma(real_set(m[r]), y, sum[r][1]);
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int m = 0; m < matrices; m++) {
            put_part_of_row(call, f->to[m], i + r, (size_t)f->panel->column, 0.0 - sum[r][m]);
        }
    }
}

KERNEL void tiles(const soa_call *call, const factors *f, const int matrices)
{
    const int nv = call->model->nv;
    int i = 0;
    for (; i + TILE_ROWS <= nv; i += TILE_ROWS) {
        tile(call, f, i, TILE_ROWS, matrices);
    }
    for (; TILE_ROWS > 6 && i + 6 <= nv; i += 6) {
        tile(call, f, i, 6, matrices);
    }
    for (; i + 2 <= nv; i += 2) {
        tile(call, f, i, 2, matrices);
    }
    for (; i < nv; i++) {
        tile(call, f, i, 1, matrices);
    }
}

/* The columns of y and y2 (either may be missing) = -Mass^-1 times those of dT_dq and dT_dv. */
static void multiply_inverse(const soa_call *call, soa_panel *panel)
{
    if (call->y.at && call->y2.at) {
        tiles(call, &(factors){ panel, { panel->q, panel->v }, { call->y, call->y2 } }, 2);
    } else if (call->y.at) {
        tiles(call, &(factors){ panel, { panel->q, NULL }, { call->y, { NULL, 0 } } }, 1);
    } else {
        tiles(call, &(factors){ panel, { panel->v, NULL }, { call->y2, { NULL, 0 } } }, 1);
    }
}

#endif
