/* dynamics/inverse_columns.kernel.h - the inverse of the mass matrix.
 *
 *     Mass^-1 = (I - H psi K)* D^-1 (I - H psi K)                              [I6] [MINV]
 *
 * The articulated quantities are those of one state; lanes hold columns. The filter
 * runs on LANES unit vectors at once and leaves N = I - H psi K, of which column c has
 * numbers at the joints from its own to the base only.
 * Then row after row, from the last, becomes that of N* D^-1 N; the other triangle is
 * the mirror image. A sum begins with zero and adds what is zero or not: as a zero sum
 * is +0 always, the bits do not depend on how many columns go together. */
#ifndef SOA_DYNAMICS_INVERSE_COLUMNS_KERNEL_H
#define SOA_DYNAMICS_INVERSE_COLUMNS_KERNEL_H

#include "dynamics/columns.kernel.h"
#include "dynamics/fast.kernel.h"

/* phi z + K eps */
KERNEL force column_filter(const column_body *b, force z, const real *eps)
{
    if (b->body->geared) {
        return force_scale_add(real_set(b->D_inv[0]) * eps[0], force_of(b->U), column_inward(b, z));
    }
    for (int i = 0; i < b->body->nv; i++) {
        z = force_scale_add(eps[i], force_of(b->G + 6 * i), z);
    }
    return column_inward(b, z);
}

/* ---- numbers of some columns ------------------------------------------------------------- */

/* A matrix of rows: the result, or N in the workspace, where rows are whole blocks of columns. */
typedef struct grid {
    double *at;
    size_t row, step; /* from a row, a number of it, to the next */
    int width;        /* numbers of a row */
} grid;

KERNEL grid grid_of_result(const soa_call *call)
{
    return (grid){ call->y.at, (size_t)call->model->nv * call->step, call->step, call->model->nv };
}

/* Where N is: in the workspace if it has room, else in the place of the result. */
KERNEL grid grid_of_N(const soa_call *call, const vars *w)
{
    const size_t width = inverse_width(call->model);
    return width > 0 ? (grid){ w->inverse, width, 1, (int)width } : grid_of_result(call);
}

/* LANES columns of a matrix; count is less at the right edge. */
typedef struct columns {
    double *y; /* row 0, the first of these columns */
    size_t row, step;
    int block, first, count;
} columns;

KERNEL columns columns_of(grid g, int first)
{
    const int left = g.width - first;
    return (columns){ g.at + (size_t)first * g.step, g.row, g.step, first / LANES, first, left < LANES ? left : LANES };
}

KERNEL real columns_get(columns c, int row)
{
    const double *at = c.y + (size_t)row * c.row;
    if (c.step == 1) {
        return c.count == LANES ? real_load(at) : real_load_some(at, c.count);
    }
    real x = real_set(0.0);
    for (int i = 0; i < c.count; i++) {
        x = real_put(x, i, at[(size_t)i * c.step]);
    }
    return x;
}

KERNEL void columns_put(columns c, int row, real x)
{
    double *at = c.y + (size_t)row * c.row;
    if (c.step == 1 && c.count == LANES) {
        real_store(at, x);
    } else if (c.step == 1) {
        real_store_some(at, c.count, x);
    } else {
        for (int i = 0; i < c.count; i++) {
            at[(size_t)i * c.step] = real_get(x, i);
        }
    }
}

/* ---- N = I - H psi K, upwards of the diagonal ------------------------------------------------- */

/* w->path: the block in which a body last had columns, plus one. */

/* Zeros into the blocks from .. to - 1 of the rows of a body. */
static __attribute__((noinline)) void clear_blocks(const grid *N, const soa_body_data *body, int from, int to)
{
    for (int block = from; block < to; block++) {
        for (int i = 0; i < body->nv; i++) {
            columns_put(columns_of(*N, block * LANES), body->v + i, real_set(0.0));
        }
    }
}

/* Body k has columns in this block, and none in those since the last. */
KERNEL void reach_block(const soa_call *call, const vars *w, const grid *N, int k, int block)
{
    if (w->path[k] > 0 && w->path[k] < block) {
        clear_blocks(N, &call->model->body[k], w->path[k], block);
    }
    w->path[k] = block + 1;
}

/* The parent gains a force; the first in this block is its first. */
KERNEL void give_columns(const soa_call *call, const vars *w, const grid *N, int p, int block, force z)
{
    if (w->path[p] == block + 1) {
        w->b[p] = force_add(w->b[p], z);
    } else {
        reach_block(call, w, N, p, block);
        w->b[p] = z;
    }
}

/* eps = e - H z into the rows of a joint that is not plain; z(p) += phi z + K eps. */
static __attribute__((noinline)) void filter_other(
    const soa_call *call, const soa_articulated_state *s, const vars *w, const grid *N, int k, const columns *c)
{
    const column_body b = column_body_of(call, s, k);
    const soa_body_data *body = b.body;
    const force z = w->b[k];
    real eps[SOA_JOINT_MAX_NV];
    if (body->joint_class == SOA_CLASS_FREE) {
        eps[0] = z.n.x, eps[1] = z.n.y, eps[2] = z.n.z;
        eps[3] = z.f.x, eps[4] = z.f.y, eps[5] = z.f.z;
    } else {
        for (int i = 0; i < body->nv; i++) {
            eps[i] = column_force(&b, z, i);
        }
    }
    for (int i = 0; i < body->nv; i++) {
        eps[i] = unit_component(c->first, body->v + i) - eps[i];
        columns_put(*c, body->v + i, eps[i]);
    }
    if (body->parent >= 0) {
        give_columns(call, w, N, body->parent, c->block, column_filter(&b, z, eps));
    }
}

/* The same of a revolute joint without a rotor. */
KERNEL void filter_revolute(
    const soa_call *call, const soa_articulated_state *s, const vars *w, const grid *N, int k, const columns *c)
{
    const soa_body_data *body = &call->model->body[k];
    const double *turn = s->crossing + 2 * (size_t)k;
    const force z = w->b[k];
    const real eps = unit_component(c->first, body->v) - z.n.z;
    columns_put(*c, body->v, eps);
    if (body->parent >= 0) {
        const crossing x = { real_set(turn[0]), real_set(turn[1]), vec3_set(body->screw.l) };
        const force gained = force_scale_add(eps, force_of(s->G + 6 * (size_t)body->v), z);
        give_columns(call, w, N, body->parent, c->block, cross_inward(body, x, gained));
    }
}

/* Inward from body `last`. */
KERNEL void columns_filter(
    const soa_call *call, const soa_articulated_state *s, const vars *w, const grid *N, const columns *c, int last)
{
    for (int k = last; k >= 0; k--) {
        const soa_body_data *body = &call->model->body[k];
        if (w->path[k] != c->block + 1) {
            if (body->v + body->nv <= c->first) {
                continue;
            }
            reach_block(call, w, N, k, c->block);
            w->b[k] = force_zero();
        }
        if (body->joint_class == SOA_CLASS_REVOLUTE && body->armature == 0.0) {
            filter_revolute(call, s, w, N, k, c);
        } else {
            filter_other(call, s, w, N, k, c);
        }
    }
}

enum { SUM_BLOCKS = 4 };

/* ---- N* D^-1 N, row by row from the last; row j needs the rows of N inboard of it ------------------ */

/* What row j gains of the rows of N of a joint: the coefficients D^-1 N(j). */
KERNEL void several_coefficients(const double *D_inv, int r, const double *N, size_t row, double *coefficient)
{
    for (int c = 0; c < r; c += LANES) { /* whole vectors: there is room behind, and the next overwrite it */
        real sum = real_set(0.0);
        for (int a = 0; a < r; a++) {
            sum = real_fma(real_set(N[(size_t)a * row]), real_load(D_inv + 6 * a + c), sum);
        }
        real_store(coefficient + c, sum);
    }
}

/* Whether the rows of the result are made first: of a root with several dofs, if N is elsewhere. D^-1 N is all there
 * is to them, and what the other rows need of it. */
KERNEL bool is_done(const soa_call *call, const grid *N, int k)
{
    const soa_body_data *body = &call->model->body[k];
    return N->at != call->y.at && body->parent < 0 && body->nv > 1;
}

/* The terms of row j from the joints inboard of body k; returns their number. */
KERNEL int list_terms(const soa_call *call, const soa_articulated_state *s, const vars *w, const grid *N, int k, int j)
{
    const soa_body_data *bodies = call->model->body;
    const size_t row = N->row;
    const double *column = N->at + (size_t)j * N->step;
    inverse_term *term = w->term;
    for (int p = bodies[k].parent; p >= 0; p = bodies[p].parent) {
        const size_t v = (size_t)bodies[p].v;
        const int r = bodies[p].nv;
        const double *D_inv = s->D_inv + 6 * v, *at = column + v * row;
        if (r == 1) {
            *term++ = (inverse_term){ D_inv[0] * at[0], v * row };
            continue;
        }
        double coefficient[SOA_JOINT_MAX_NV + SOA_MAX_LANES];
        if (is_done(call, N, p)) {
            const double *y = call->y.at + (v * (size_t)call->model->nv + (size_t)j) * call->step;
            for (int i = 0; i < r; i++) {
                *term++ = (inverse_term){ y[(size_t)i * (size_t)call->model->nv * call->step], (v + (size_t)i) * row };
            }
            continue;
        }
        several_coefficients(D_inv, r, at, row, coefficient);
        for (int i = 0; i < r; i++) {
            *term++ = (inverse_term){ coefficient[i], (v + (size_t)i) * row };
        }
    }
    return (int)(term - w->term);
}

/* own N(j) + the terms for n blocks of columns, the last of which has `count`. N: these columns of row 0. */
typedef struct row_sum {
    const double *N;
    size_t row; /* from there to row j */
    real own;
    int terms;
    const inverse_term *term;
    double *to;
    int count;
    bool whole; /* the last block of N can be read whole */
} row_sum;

KERNEL real sum_get(row_sum x, size_t at, int block, int n)
{
    const double *from = x.N + at + block * LANES;
    return x.whole || block < n - 1 ? real_load(from) : real_load_some(from, x.count);
}

KERNEL void sum_blocks(row_sum x, const int n)
{
    real sum[SUM_BLOCKS];
    for (int b = 0; b < n; b++) {
        sum[b] = real_fma(x.own, sum_get(x, x.row, b, n), real_set(0.0));
    }
    for (int t = 0; t < x.terms; t++) {
        const real coefficient = real_set(x.term[t].coefficient);
        for (int b = 0; b < n; b++) {
            sum[b] = real_fma(coefficient, sum_get(x, x.term[t].offset, b, n), sum[b]);
        }
    }
    for (int b = 0; b < n - 1; b++) {
        real_store(x.to + b * LANES, sum[b]);
    }
    real_store_some(x.to + (n - 1) * LANES, x.count, sum[n - 1]);
}

/* Row j, one of body k, of Mass^-1; own: D^-1, or one where the row has been multiplied with it. */
KERNEL void finish_row(const soa_call *call, const soa_articulated_state *s, const vars *w, const grid *N, int k, int j,
    double own, bool whole)
{
    const int nv = call->model->nv, terms = list_terms(call, s, w, N, k, j);
    double *to = call->y.at + (size_t)j * (size_t)nv;
    for (int first = j / LANES * LANES; first < nv; first += SUM_BLOCKS * LANES) {
        const int left = nv - first, n = (left + LANES - 1) / LANES, tail = left - (n - 1) * LANES;
        row_sum x = { N->at + first, (size_t)j * N->row, real_set(own), terms, w->term, to + first, tail, whole };
        switch (n) {
        case 1:
            sum_blocks(x, 1);
            break;
        case 2:
            sum_blocks(x, 2);
            break;
        case 3:
            sum_blocks(x, 3);
            break;
        default:
            x.count = n == SUM_BLOCKS ? tail : LANES;
            sum_blocks(x, SUM_BLOCKS);
        }
    }
}

/* The same into numbers that are not next to each other. */
static __attribute__((noinline)) void finish_row_apart(
    const soa_call *call, const soa_articulated_state *s, const vars *w, const grid *N, int k, int j, double own)
{
    const int terms = list_terms(call, s, w, N, k, j);
    for (int first = j / LANES * LANES; first < call->model->nv; first += LANES) {
        const columns c = columns_of(*N, first);
        real sum = real_fma(real_set(own), columns_get(c, j), real_set(0.0));
        for (int t = 0; t < terms; t++) {
            columns at = c;
            at.y += w->term[t].offset;
            sum = real_fma(real_set(w->term[t].coefficient), columns_get(at, 0), sum);
        }
        columns_put(columns_of(grid_of_result(call), first), j, sum);
    }
}

/* D^-1 N of a joint with several dofs, in place of its rows of N or elsewhere. */
static __attribute__((noinline)) void scale_rows(
    const soa_call *call, const soa_articulated_state *s, const grid *from, const grid *to, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const int v = body->v, r = body->nv;
    const double *D_inv = s->D_inv + 6 * (size_t)v;
    for (int first = v / LANES * LANES; first < call->model->nv; first += LANES) {
        const columns c = columns_of(*from, first);
        real N[SOA_JOINT_MAX_NV];
        for (int i = 0; i < r; i++) {
            N[i] = columns_get(c, v + i);
        }
        for (int i = 0; i < r; i++) {
            real sum = real_set(0.0);
            for (int l = 0; l < r; l++) {
                sum = real_fma(real_set(D_inv[6 * i + l]), N[l], sum);
            }
            columns_put(columns_of(*to, first), v + i, sum);
        }
    }
}

/* N, upwards of the diagonal. */
KERNEL void filter_all(const soa_call *call, const soa_articulated_state *s, const vars *w, const grid *N)
{
    const soa_model *m = call->model;
    const int blocks = (m->nv + LANES - 1) / LANES;
    int last = 0;
    memset(w->path, 0, (size_t)m->bodies * sizeof *w->path);
    for (int first = 0; first < m->nv; first += LANES) {
        const columns c = columns_of(*N, first);
        while (last + 1 < m->bodies && m->body[last + 1].v < first + LANES) {
            last++;
        }
        columns_filter(call, s, w, N, &c, last);
    }
    for (int k = 0; k < m->bodies; k++) {
        if (w->path[k] < blocks) {
            clear_blocks(N, &m->body[k], w->path[k], blocks);
        }
    }
}

static void inverse_columns(const soa_call *call, const soa_articulated_state *s, void *work)
{
    const soa_model *m = call->model;
    const vars *w = work;
    const grid N = grid_of_N(call, w);
    const bool aside = N.at != call->y.at;
    filter_all(call, s, w, &N);
    const grid result = grid_of_result(call);
    for (int k = 0; k < m->bodies && aside; k++) {
        if (is_done(call, &N, k)) {
            scale_rows(call, s, &N, &result, k);
        }
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        const int v = m->body[k].v, r = m->body[k].nv;
        const double own = r == 1 ? s->D_inv[6 * (size_t)v] : 1.0;
        if (is_done(call, &N, k)) {
            continue;
        }
        if (r > 1) {
            scale_rows(call, s, &N, &N, k);
        }
        for (int j = v; j < v + r; j++) {
            if (call->step != 1) {
                finish_row_apart(call, s, w, &N, k, j, own);
            } else if (aside) {
                finish_row(call, s, w, &N, k, j, own, true);
            } else {
                finish_row(call, s, w, &N, k, j, own, false);
            }
        }
    }
    mirror(call->y.at, (size_t)m->nv, call->step);
}

#if LANES == 1
/* q; y = Mass^-1, nv x nv, symmetric to the bit. */
static void mass_inverse(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    articulated_only(call, &w);
    const soa_articulated_state state = articulated_state(&w);
    call->lanes->inverse_columns(call, &state, call->work_columns);
}
#endif

#endif
