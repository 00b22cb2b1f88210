/* sens/rows.kernel.h - the derivatives of inverse dynamics, LANES columns at a time.
 *
 * Row i, column j, of what forces.kernel.h has made:
 *     j outboard of i, or of the same joint     dT_dq = S(i) FQ(j)            dT_dv = S(i) FV(j)
 *     j inboard of i                            dT_dq = U(i) S2(j) + B(i) S1(j) + EB(i) S(j)
 *                                               dT_dv = U(i) S3(j) + B(i) S(j)
 *     dT_dvdot = S(i) U(j), symmetric; all else is zero.
 * What belongs to the columns stays in registers while rows go by. */
#ifndef SOA_SENS_ROWS_KERNEL_H
#define SOA_SENS_ROWS_KERNEL_H

#include "sens/wide.kernel.h"

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
        .enter = wide_real(wide_of(call, SOA_WIDE_ENTER), 0, c),
        .leave = wide_real(wide_of(call, SOA_WIDE_LEAVE), 0, c),
        .external = has_external(call),
        .FQ = wide_force(wide_of(call, WIDE_FQ), c),
        .FV = wide_force(wide_of(call, WIDE_FV), c),
        .U = wide_force(wide_of(call, WIDE_U), c),
        .S = wide_motion(wide_of(call, WIDE_S), c),
        .S2 = wide_motion(wide_of(call, WIDE_S2), c),
        .S3 = wide_motion(wide_of(call, WIDE_S3), c),
        .S1 = wide_vec3(wide_of(call, WIDE_S1), 0, c),
    };
}

/* Columns outboard of row i, or of its own joint; and all of them, wherever they are. */
KERNEL real_int columns_outboard(const soa_call *call, const side_by_side *p, size_t i)
{
    const real enter = real_set(*wide_at(wide_of(call, SOA_WIDE_ENTER), 0, i));
    const real leave = real_set(*wide_at(wide_of(call, SOA_WIDE_LEAVE), 0, i));
    return real_less_equal(enter, p->enter) & real_less(p->enter, leave);
}

KERNEL entries entries_outboard(const soa_call *call, const side_by_side *p, size_t i)
{
    const motion S = wide_same_motion(wide_of(call, WIDE_S), i);
    return (entries){ power(p->FQ, S), power(p->FV, S), power(p->U, S) };
}

/* Columns inboard of row i; and all of them. */
KERNEL real_int columns_inboard(const soa_call *call, const side_by_side *p, size_t i)
{
    const real enter = real_set(*wide_at(wide_of(call, SOA_WIDE_ENTER), 0, i));
    return real_less(p->enter, enter) & real_less(enter, p->leave);
}

KERNEL entries entries_inboard(const soa_call *call, const side_by_side *p, size_t i)
{
    const force U = wide_same_force(wide_of(call, WIDE_U), i);
    const vec3 B = wide_same_vec3(wide_of(call, WIDE_B), 0, i);
    entries x = { vec3_dot_add(B, p->S1, power(U, p->S2)), vec3_dot_add(B, p->S.w, power(U, p->S3)), power(U, p->S) };
    if (p->external) {
        x.q = vec3_dot_add(wide_same_vec3(wide_of(call, WIDE_EB), 0, i), p->S.w, x.q);
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
    const double *enter = wide_of(call, SOA_WIDE_ENTER).at;
    while (i < call->model->nv && enter[i] == enter[c]) {
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
    const row_sink to = { call, NULL };
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

/* Of joints with several velocities: a column fixed outboard turns with S(j), so that T does not. */
static inline void turn_joints(const soa_call *call, soa_panel *panel)
{
    const soa_model *m = call->model;
    const size_t c = (size_t)panel->column;
    const real enter = wide_real(wide_of(call, SOA_WIDE_ENTER), 0, c);
    for (int k = 0; k < m->bodies && m->body[k].v < panel->column + LANES; k++) {
        const soa_body_data *body = &m->body[k];
        if (body->nv == 1 || body->v + body->nv <= panel->column) {
            continue;
        }
        const force turned =
            force_cross(wide_motion(wide_of(call, WIDE_S), c), wide_same_force(wide_of(call, WIDE_F), (size_t)body->v));
        const real own = real_set(*wide_at(wide_of(call, SOA_WIDE_ENTER), 0, (size_t)body->v));
        const real_int same = real_less_equal(own, enter) & real_less_equal(enter, own);
        for (int i = body->v; i < body->v + body->nv; i++) {
            if (!column_inboard(body, i - body->v)) {
                double *to = panel->q + i * LANES;
                const real less = power(turned, wide_same_motion(wide_of(call, WIDE_S), (size_t)i));
                real_store(to, real_load(to) - real_select(same, less, real_set(0.0)));
            }
        }
    }
}

/* The rows of dT_dq and dT_dv from a column on that are not zero. */
static void inverse_panel(const soa_call *call, soa_panel *panel)
{
    panel->rows = 0;
    panel_rows((row_sink){ call, panel }, (size_t)panel->column, 0, call->model->nv, KEEP);
    turn_joints(call, panel);
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
