/* sens/derivative_rows.kernel.h - the derivatives of inverse dynamics, LANES columns at a time.
 *
 * Row i, column j, of what column_forces.kernel.h has made:
 *     j outboard of i, or of the same joint     dT_dq = S(i) FQ(j)            dT_dv = S(i) FV(j)
 *     j inboard of i                            dT_dq = U(i) S2(j) + B(i) S1(j) + EB(i) S(j)
 *                                               dT_dv = U(i) S3(j) + B(i) S(j)
 *     dT_dvdot = S(i) U(j), symmetric; all else is zero.
 * What belongs to the columns stays in registers while rows go by. */
#ifndef SOA_SENS_DERIVATIVE_ROWS_KERNEL_H
#define SOA_SENS_DERIVATIVE_ROWS_KERNEL_H

#include "sens/state_rows.kernel.h"

enum { ROWS_AT_ONCE = 16 }; /* and as many pages of each matrix that are written to */

/* The entries of LANES columns. */
typedef struct entries {
    real q, v, a;
} entries;

KERNEL entries entries_select(real_int mask, entries x, entries y)
{
    return (entries){ real_select(mask, x.q, y.q), real_select(mask, x.v, y.v), real_select(mask, x.a, y.a) };
}

/* The columns of a panel. */
typedef struct side_by_side {
    size_t first;
    real enter, leave;
    bool external;
    force FQ, FV, U;
    motion S, S2, S3;
    vec3 S1;
} side_by_side;

KERNEL side_by_side columns_of(const soa_call *call, size_t c)
{
    return (side_by_side){
        .first = c,
        .enter = field_get(constants_of(call, c), CONSTANT_ENTER),
        .leave = field_get(constants_of(call, c), CONSTANT_LEAVE),
        .external = has_external(call),
        .FQ = field_force(fields_of(call, c), FIELD_FQ),
        .FV = field_force(fields_of(call, c), FIELD_FV),
        .U = field_force(fields_of(call, c), FIELD_U),
        .S = field_motion(fields_of(call, c), FIELD_J),
        .S2 = field_motion(fields_of(call, c), FIELD_S2),
        .S3 = field_motion(fields_of(call, c), FIELD_S3),
        .S1 = field_vec3(fields_of(call, c), FIELD_S1),
    };
}

/* Columns outboard of row i, or of its own joint; and all of them, wherever they are. */
KERNEL real_int columns_outboard(const soa_call *call, const side_by_side *p, size_t i)
{
    const real enter = real_set(field_number(constants_of(call, i), CONSTANT_ENTER));
    const real leave = real_set(field_number(constants_of(call, i), CONSTANT_LEAVE));
    return real_less_equal(enter, p->enter) & real_less(p->enter, leave);
}

KERNEL entries entries_outboard(const soa_call *call, const side_by_side *p, size_t i)
{
    const motion S = field_one_motion(fields_of(call, i), FIELD_J);
    return (entries){ power(p->FQ, S), power(p->FV, S), power(p->U, S) };
}

/* Columns inboard of row i; and all of them. */
KERNEL real_int columns_inboard(const soa_call *call, const side_by_side *p, size_t i)
{
    const real enter = real_set(field_number(constants_of(call, i), CONSTANT_ENTER));
    return real_less(p->enter, enter) & real_less(enter, p->leave);
}

KERNEL entries entries_inboard(const soa_call *call, const side_by_side *p, size_t i)
{
    const force U = field_one_force(fields_of(call, i), FIELD_U);
    const vec3 B = field_one_vec3(fields_of(call, i), FIELD_B);
    entries x = { vec3_dot_add(B, p->S1, power(U, p->S2)), vec3_dot_add(B, p->S.w, power(U, p->S3)), power(U, p->S) };
    if (p->external) {
        x.q = vec3_dot_add(field_one_vec3(fields_of(call, i), FIELD_EB), p->S.w, x.q);
    }
    return x;
}

/* ---- where they go ------------------------------------------------------------------------ */

/* LANES numbers of a row from column c on. What a row has too much is written later: by the next one, or with the first
 * columns. */
KERNEL void put_row(const soa_call *call, soa_out out, int i, size_t c, real x)
{
    const size_t nv = (size_t)call->model->nv, at = (size_t)i * call->pitch + c;
    if (!out.at) {
        return;
    }
    if (call->spacing == 1 && at + LANES <= nv * call->pitch) {
        real_store(out.at + at, x);
        return;
    }
    for (size_t lane = 0; lane < LANES && c + lane < nv; lane++) {
        out.at[(at + lane) * call->spacing] = real_get(x, (int)lane);
    }
}

/* LANES numbers of a row from column c on, where the next row is not to be touched. */
KERNEL void put_part_of_row(const soa_call *call, soa_out out, int i, size_t c, real x)
{
    const size_t nv = (size_t)call->model->nv, at = (size_t)i * call->pitch + c;
    const int count = nv - c < LANES ? (int)(nv - c) : LANES;
    if (call->spacing == 1) {
        count == LANES ? real_store(out.at + at, x) : real_store_some(out.at + at, count, x);
        return;
    }
    for (int lane = 0; lane < count; lane++) {
        out.at[(at + (size_t)lane) * call->spacing] = real_get(x, lane);
    }
}

/* What is done with rows: y, y2 and y3 are written, or y and y2; or those of y and y2 that are not zero are kept. */
typedef enum purpose {
    WRITE_ALL,
    WRITE_TWO,
    KEEP,
} purpose;

typedef struct row_sink {
    const soa_call *call;
    soa_panel *panel; /* to keep them in */
} row_sink;

KERNEL void put_zeros(row_sink to, size_t c, int i, const purpose what)
{
    const soa_call *call = to.call;
    if (what != KEEP) {
        put_row(call, call->y, i, c, real_set(0.0));
        put_row(call, call->y2, i, c, real_set(0.0));
    }
    if (what == WRITE_ALL) {
        put_row(call, call->y3, i, c, real_set(0.0));
    }
}

KERNEL void put_entries(row_sink to, size_t c, int i, entries x, const purpose what)
{
    const soa_call *call = to.call;
    if (what == KEEP) {
        real_store(to.panel->q + i * LANES, x.q);
        real_store(to.panel->v + i * LANES, x.v);
        to.panel->row[to.panel->rows++] = (short)i;
        return;
    }
    put_row(call, call->y, i, c, x.q);
    put_row(call, call->y2, i, c, x.v);
    if (what == WRITE_ALL) {
        put_row(call, call->y3, i, c, x.a);
    }
}

/* ---- panels ---------------------------------------------------------------------------------- */

/* Rows of joints none of whose velocities is behind the first column, whose first is before the last, and others. */
typedef enum side {
    BEFORE,
    AMONG,
    BEHIND,
} side;

KERNEL void panel_row(row_sink to, const side_by_side *p, int i, const side where, const purpose what)
{
    const real o = real_set(0.0);
    const real_int none = real_less(o, o);
    const real_int outboard = where == BEHIND ? none : columns_outboard(to.call, p, (size_t)i);
    const real_int inboard = where == BEFORE ? none : columns_inboard(to.call, p, (size_t)i);
    entries x = { o, o, o };
    if (!real_any(outboard | inboard)) {
        put_zeros(to, p->first, i, what);
        return;
    }
    if (where != BEHIND) {
        x = entries_select(outboard, entries_outboard(to.call, p, (size_t)i), x);
    }
    if (where != BEFORE) {
        x = entries_select(inboard, entries_inboard(to.call, p, (size_t)i), x);
    }
    put_entries(to, p->first, i, x, what);
}

/* The first row of another joint, from i on, than that of velocity c. */
KERNEL int next_joint(const soa_call *call, int i, int c)
{
    const double own = field_number(constants_of(call, (size_t)c), CONSTANT_ENTER);
    while (i < call->model->nv && field_number(constants_of(call, (size_t)i), CONSTANT_ENTER) == own) {
        i++;
    }
    return i;
}

/* Rows begin .. end - 1 of LANES columns. */
KERNEL void panel_rows(row_sink to, size_t c, int begin, int end, const purpose what)
{
    const side_by_side p = columns_of(to.call, c);
    const int first = (int)c, last = first + LANES - 1;
    const int among = next_joint(to.call, first + 1, first);
    const int behind = last < to.call->model->nv ? next_joint(to.call, last + 1, last) : to.call->model->nv;
    int i = begin;
    for (; i < end && i < among; i++) {
        panel_row(to, &p, i, BEFORE, what);
    }
    for (; i < end && i < behind; i++) {
        panel_row(to, &p, i, AMONG, what);
    }
    for (; i < end; i++) {
        panel_row(to, &p, i, BEHIND, what);
    }
}

KERNEL void rows_of(const soa_call *call, const purpose what)
{
    const int nv = call->model->nv, last = (nv - 1) - (nv - 1) % LANES;
    const soa_call own = *call; /* over which no vector is stored, for all that the compiler knows */
    const row_sink to = { &own, NULL };
    for (int begin = 0; begin < nv; begin += ROWS_AT_ONCE) {
        for (int c = last; c >= 0; c -= LANES) {
            panel_rows(to, (size_t)c, begin, begin + ROWS_AT_ONCE < nv ? begin + ROWS_AT_ONCE : nv, what);
        }
    }
}

/* All rows of y = dT_dq, y2 = dT_dv, y3 = dT_dvdot. */
static void inverse_rows(const soa_call *call)
{
    if (call->y3.at) {
        rows_of(call, WRITE_ALL);
    } else {
        rows_of(call, WRITE_TWO);
    }
}

/* The rows of dT_dq and dT_dv from a column on that are not zero. */
static void inverse_panel(const soa_call *call, soa_panel *panel)
{
    panel->rows = 0;
    panel_rows((row_sink){ call, panel }, (size_t)panel->column, 0, call->model->nv, KEEP);
}

/* The rows of y3 up to the diagonal: U(i) S(j) where j is inboard of i or of its joint, and numbers without meaning
 * elsewhere. */
static void mass_rows(const soa_call *call)
{
    for (int i = 0; i < call->model->nv; i++) {
        const force U = field_one_force(fields_of(call, (size_t)i), FIELD_U);
        double *to = call->y3.at + (size_t)i * call->pitch;
        for (size_t c = 0; c <= (size_t)i; c += LANES) {
            real_store(to + c, power(U, field_motion(fields_of(call, c), FIELD_J)));
        }
    }
}

#endif
