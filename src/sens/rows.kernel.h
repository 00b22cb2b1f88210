/* sens/rows.kernel.h - the derivatives of inverse dynamics, row by row, columns in lanes.
 *
 * Row i, column j, of what forces.kernel.h has made:
 *     j outboard of i, or of the same joint     dT_dq = S(i) FQ(j)            dT_dv = S(i) FV(j)
 *     j inboard of i                            dT_dq = U(i) S2(j) + B(i) S1(j) + EB(i) S(j)
 *                                               dT_dv = U(i) S3(j) + B(i) S(j)
 *     dT_dvdot = S(i) U(j), symmetric; all else is zero. */
#ifndef SOA_SENS_ROWS_KERNEL_H
#define SOA_SENS_ROWS_KERNEL_H

#include "sens/wide.kernel.h"

/* The entries of LANES columns, and which of them are meant. */
typedef struct entries {
    real q, v, a;
} entries;

KERNEL entries entries_select(real_int mask, entries x, entries y)
{
    return (entries){ real_select(mask, x.q, y.q), real_select(mask, x.v, y.v), real_select(mask, x.a, y.a) };
}

/* What of one row is the same for all columns. */
typedef struct row {
    const soa_call *call;
    motion S;
    force U;
    vec3 B, EB;
    real enter, leave;
} row;

KERNEL row row_of(const soa_call *call, int i)
{
    const size_t c = (size_t)i;
    row r = {
        .call = call,
        .S = wide_same_motion(wide_of(call, WIDE_S), c),
        .U = wide_same_force(wide_of(call, WIDE_U), c),
        .B = wide_same_vec3(wide_of(call, WIDE_B), 0, c),
        .enter = real_set(*wide_at(wide_of(call, SOA_WIDE_ENTER), 0, c)),
        .leave = real_set(*wide_at(wide_of(call, SOA_WIDE_LEAVE), 0, c)),
    };
    r.EB = has_external(call) ? wide_same_vec3(wide_of(call, WIDE_EB), 0, c) : vec3_zero();
    return r;
}

/* Columns outboard of the row, or of its own joint. */
KERNEL entries outboard_entries(const row *r, size_t c)
{
    const soa_call *call = r->call;
    const real enter = wide_real(wide_of(call, SOA_WIDE_ENTER), 0, c), o = real_set(0.0);
    const real_int mask = real_less_equal(r->enter, enter) & real_less(enter, r->leave);
    const entries x = {
        power(wide_force(wide_of(call, WIDE_FQ), c), r->S),
        power(wide_force(wide_of(call, WIDE_FV), c), r->S),
        power(wide_force(wide_of(call, WIDE_U), c), r->S),
    };
    return entries_select(mask, x, (entries){ o, o, o });
}

/* Columns inboard of the row. */
KERNEL entries inboard_entries(const row *r, size_t c)
{
    const soa_call *call = r->call;
    const real enter = wide_real(wide_of(call, SOA_WIDE_ENTER), 0, c), o = real_set(0.0);
    const real leave = wide_real(wide_of(call, SOA_WIDE_LEAVE), 0, c);
    const real_int mask = real_less(enter, r->enter) & real_less(r->enter, leave);
    const motion S = wide_motion(wide_of(call, WIDE_S), c);
    entries x = {
        vec3_dot_add(
            r->B, wide_vec3(wide_of(call, WIDE_S1), 0, c), power(r->U, wide_motion(wide_of(call, WIDE_S2), c))),
        vec3_dot_add(r->B, S.w, power(r->U, wide_motion(wide_of(call, WIDE_S3), c))),
        power(r->U, S),
    };
    if (has_external(call)) {
        x.q = vec3_dot_add(r->EB, S.w, x.q);
    }
    return entries_select(mask, x, (entries){ o, o, o });
}

/* LANES numbers of a row from column c on. What a row has too much is written by the next one. */
KERNEL void put_row(const soa_call *call, soa_out out, int i, size_t c, real x)
{
    const size_t nv = (size_t)call->model->nv, at = (size_t)i * call->pitch + c;
    if (!out.at) {
        return;
    }
    if (call->step == 1 && at + LANES <= nv * call->pitch) {
        real_store(out.at + at, x);
        return;
    }
    for (size_t lane = 0; lane < LANES && c + lane < nv; lane++) {
        out.at[(at + lane) * call->step] = real_get(x, (int)lane);
    }
}

/* The same where the next row is not to be touched. */
KERNEL void put_part_of_row(const soa_call *call, soa_out out, int i, size_t c, real x)
{
    const size_t nv = (size_t)call->model->nv, at = (size_t)i * call->pitch + c;
    const int count = nv - c < LANES ? (int)(nv - c) : LANES;
    if (call->step == 1) {
        count == LANES ? real_store(out.at + at, x) : real_store_some(out.at + at, count, x);
        return;
    }
    for (int lane = 0; lane < count; lane++) {
        out.at[(at + (size_t)lane) * call->step] = real_get(x, lane);
    }
}

KERNEL void put_entries(const soa_call *call, int i, size_t c, entries x, const bool mass)
{
    put_row(call, call->y, i, c, x.q);
    put_row(call, call->y2, i, c, x.v);
    if (mass) {
        put_row(call, call->y3, i, c, x.a);
    }
}

/* One row of a joint whose first velocity is `own`. */
KERNEL void inverse_row(const soa_call *call, int i, size_t own, const bool mass)
{
    const size_t nv = (size_t)call->model->nv;
    const size_t low = (size_t)*wide_at(wide_of(call, SOA_WIDE_LOW), 0, (size_t)i);
    const size_t high = (size_t)*wide_at(wide_of(call, SOA_WIDE_HIGH), 0, (size_t)i);
    const real o = real_set(0.0);
    const row r = row_of(call, i);
    for (size_t c = 0; c < nv; c += LANES) {
        entries x = { o, o, o };
        if (c + LANES <= own) {
            x = c + LANES <= low ? x : inboard_entries(&r, c);
        } else if (c < high) {
            x = outboard_entries(&r, c);
            if (c < own) {
                const real enter = wide_real(wide_of(call, SOA_WIDE_ENTER), 0, c);
                x = entries_select(real_less(enter, r.enter), inboard_entries(&r, c), x);
            }
        }
        put_entries(call, i, c, x, mass);
    }
}

/* All rows of y = dT_dq, y2 = dT_dv, y3 = dT_dvdot. */
KERNEL void rows_of(const soa_call *call, const bool mass)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        for (int i = 0; i < body->nv; i++) {
            inverse_row(call, body->v + i, (size_t)body->v, mass);
        }
    }
}

static void inverse_rows(const soa_call *call)
{
    if (call->y3.at) {
        rows_of(call, true);
    } else {
        rows_of(call, false);
    }
}

/* The rows of y3 up to the diagonal: U(i) S(j) where j is inboard of i or of its joint, and numbers without meaning
 * elsewhere. */
static void mass_rows(const soa_call *call)
{
    for (int i = 0; i < call->model->nv; i++) {
        const force U = wide_same_force(wide_of(call, WIDE_U), (size_t)i);
        double *to = call->y3.at + (size_t)i * call->pitch;
        for (size_t c = 0; c <= (size_t)i; c += LANES) {
            real_store(to + c, power(U, wide_motion(wide_of(call, WIDE_S), c)));
        }
    }
}

#endif
