/* sens/multiply.kernel.h - y = -Mass^-1 y for whole matrices, LANES columns at a time.
 *
 * Mass^-1 is in the square of soa_call.wide. A column of the derivatives of inverse dynamics is zero
 * where neither joint carries the other: such rows are left out. */
#ifndef SOA_SENS_MULTIPLY_KERNEL_H
#define SOA_SENS_MULTIPLY_KERNEL_H

#include "sens/rows.kernel.h"

enum { TILE_ROWS = 6 };

/* LANES columns of one or two matrices, the rows that are not zero one after another. */
typedef struct panel {
    int count, matrices;
    short row[SOA_WIDE_SQUARE];
    double *at[2];
    soa_out from[2];
} panel;

KERNEL double *square_of(const soa_call *call)
{
    return call->wide + (SOA_WIDE + SOA_WIDE_PANELS * SOA_MAX_LANES) * soa_wide_stride(call->model);
}

KERNEL real get_row(const soa_call *call, soa_out from, size_t i, size_t c)
{
    const size_t nv = (size_t)call->model->nv, at = i * nv + c;
    if (call->step == 1 && at + LANES <= nv * nv) {
        return real_load(from.at + at);
    }
    real x = real_set(0.0);
    for (size_t lane = 0; lane < LANES && c + lane < nv; lane++) {
        x = real_put(x, (int)lane, from.at[(at + lane) * call->step]);
    }
    return x;
}

KERNEL bool is_zero(real x)
{
    return real_all(real_less_equal(real_abs(x), real_set(0.0)));
}

static inline void panel_fill(const soa_call *call, panel *p, size_t c)
{
    p->count = 0;
    for (int i = 0; i < call->model->nv; i++) {
        const real x = get_row(call, p->from[0], (size_t)i, c);
        const real y = p->matrices == 2 ? get_row(call, p->from[1], (size_t)i, c) : x;
        real_store(p->at[0] + p->count * LANES, x);
        if (p->matrices == 2) {
            real_store(p->at[1] + p->count * LANES, y);
        }
        p->row[p->count] = (short)i;
        p->count += !(is_zero(x) && is_zero(y));
    }
}

/* Rows i .. i + rows - 1 of -Mass^-1 times the panel. */
KERNEL void tile(const soa_call *call, const panel *p, size_t c, int i, const int rows, const int matrices)
{
    const size_t nv = (size_t)call->model->nv;
    const double *inverse = square_of(call) + i;
    real sum[TILE_ROWS][2];
    for (int r = 0; r < rows; r++) {
        sum[r][0] = sum[r][1] = real_set(0.0);
    }
    for (int k = 0; k < p->count; k++) {
        const double *m = inverse + (size_t)p->row[k] * nv;
        const real x = real_load(p->at[0] + k * LANES), y = matrices == 2 ? real_load(p->at[1] + k * LANES) : x;
        for (int r = 0; r < rows; r++) {
            sum[r][0] = real_fnma(real_set(m[r]), x, sum[r][0]);
            if (matrices == 2) {
                sum[r][1] = real_fnma(real_set(m[r]), y, sum[r][1]);
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        put_columns_at(call, p->from[0], i + r, c, sum[r][0]);
        if (matrices == 2) {
            put_columns_at(call, p->from[1], i + r, c, sum[r][1]);
        }
    }
}

/* y = -Mass^-1 y, and the same of y2; either may be missing. */
static void multiply_inverse(const soa_call *call)
{
    const int nv = call->model->nv;
    panel p = { .matrices = (call->y.at != NULL) + (call->y2.at != NULL) };
    p.at[0] = call->wide + SOA_WIDE * soa_wide_stride(call->model);
    p.at[1] = p.at[0] + SOA_MAX_LANES * soa_wide_stride(call->model);
    p.from[0] = call->y.at ? call->y : call->y2;
    p.from[1] = call->y2;
    for (size_t c = 0; p.matrices > 0 && c < (size_t)nv; c += LANES) {
        panel_fill(call, &p, c);
        for (int i = 0; i < nv; i += TILE_ROWS) {
            if (i + TILE_ROWS > nv) {
                for (int r = i; r < nv; r++) {
                    p.matrices == 2 ? tile(call, &p, c, r, 1, 2) : tile(call, &p, c, r, 1, 1);
                }
            } else {
                p.matrices == 2 ? tile(call, &p, c, i, TILE_ROWS, 2) : tile(call, &p, c, i, TILE_ROWS, 1);
            }
        }
    }
}

#endif
