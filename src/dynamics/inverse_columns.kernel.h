/* dynamics/inverse_columns.kernel.h - the inverse of the mass matrix.
 *
 *     Mass^-1 = (I - H psi K)* D^-1 (I - H psi K)                              [I6] [MINV]
 *
 * The articulated quantities are those of one state; lanes hold columns. The filter
 * runs on LANES unit vectors at once and leaves N = I - H psi K, of which column c has
 * numbers at the joints from its own to the base only, in the place of the result.
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

/* The result, and LANES of its columns. Copied from the call, so that no store can change it. */
typedef struct columns {
    double *y; /* row 0, the first of these columns */
    size_t row, step;
    int block, first, count; /* count is LANES but at the right edge */
} columns;

KERNEL columns columns_of(const soa_call *call, int first, size_t step)
{
    const int nv = call->model->nv;
    return (columns){ call->y.at + (size_t)first * step, (size_t)nv * step, step, first / LANES, first,
        nv - first < LANES ? nv - first : LANES };
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
static __attribute__((noinline)) void clear_blocks(const soa_call *call, const soa_body_data *body, int from, int to)
{
    for (int block = from; block < to; block++) {
        for (int i = 0; i < body->nv; i++) {
            columns_put(columns_of(call, block * LANES, call->step), body->v + i, real_set(0.0));
        }
    }
}

/* Body k has columns in this block, and none in those since the last. */
KERNEL void reach_block(const soa_call *call, const vars *w, int k, int block)
{
    if (w->path[k] > 0 && w->path[k] < block) {
        clear_blocks(call, &call->model->body[k], w->path[k], block);
    }
    w->path[k] = block + 1;
}

/* The parent gains a force; the first in this block is its first. */
KERNEL void give_columns(const soa_call *call, const vars *w, int p, int block, force z)
{
    if (w->path[p] == block + 1) {
        w->b[p] = force_add(w->b[p], z);
    } else {
        reach_block(call, w, p, block);
        w->b[p] = z;
    }
}

/* eps = e - H z into the rows of a joint that is not plain; z(p) += phi z + K eps. */
static __attribute__((noinline)) void filter_other(
    const soa_call *call, const soa_articulated_state *s, const vars *w, int k, const columns *c)
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
        give_columns(call, w, body->parent, c->block, column_filter(&b, z, eps));
    }
}

/* The same of a revolute joint without a rotor. */
KERNEL void filter_revolute(
    const soa_call *call, const soa_articulated_state *s, const vars *w, int k, const columns *c)
{
    const soa_body_data *body = &call->model->body[k];
    const double *turn = s->crossing + 2 * (size_t)k;
    const force z = w->b[k];
    const real eps = unit_component(c->first, body->v) - z.n.z;
    columns_put(*c, body->v, eps);
    if (body->parent >= 0) {
        const crossing x = { real_set(turn[0]), real_set(turn[1]), vec3_set(body->screw.l) };
        const force gained = force_scale_add(eps, force_of(s->G + 6 * (size_t)body->v), z);
        give_columns(call, w, body->parent, c->block, cross_inward(body, x, gained));
    }
}

/* Inward from body `last`. */
KERNEL void columns_filter(
    const soa_call *call, const soa_articulated_state *s, const vars *w, const columns *c, int last)
{
    for (int k = last; k >= 0; k--) {
        const soa_body_data *body = &call->model->body[k];
        if (w->path[k] != c->block + 1) {
            if (body->v + body->nv <= c->first) {
                continue;
            }
            reach_block(call, w, k, c->block);
            w->b[k] = force_zero();
        }
        if (body->joint_class == SOA_CLASS_REVOLUTE && body->armature == 0.0) {
            filter_revolute(call, s, w, k, c);
        } else {
            filter_other(call, s, w, k, c);
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

/* The terms of row j from the joints inboard of body k; returns their number. */
KERNEL int list_terms(const soa_call *call, const soa_articulated_state *s, const vars *w, int k, int j, size_t step)
{
    const soa_body_data *bodies = call->model->body;
    const size_t row = (size_t)call->model->nv * step;
    const double *column = call->y.at + (size_t)j * step;
    inverse_term *term = w->term;
    for (int p = bodies[k].parent; p >= 0; p = bodies[p].parent) {
        const size_t v = (size_t)bodies[p].v;
        const int r = bodies[p].nv;
        const double *D_inv = s->D_inv + 6 * v, *N = column + v * row;
        if (r == 1) {
            *term++ = (inverse_term){ D_inv[0] * N[0], v * row };
            continue;
        }
        double coefficient[SOA_JOINT_MAX_NV + SOA_MAX_LANES];
        several_coefficients(D_inv, r, N, row, coefficient);
        for (int i = 0; i < r; i++) {
            *term++ = (inverse_term){ coefficient[i], (v + (size_t)i) * row };
        }
    }
    return (int)(term - w->term);
}

/* own N(j) + the terms, into row j, for n blocks of columns from y on, the last of which has count. */
KERNEL void sum_blocks(double *y, size_t row, real own, int terms, const inverse_term *term, const int n, int count)
{
    real sum[SUM_BLOCKS], zero = real_set(0.0);
    for (int b = 0; b < n; b++) {
        const double *N = y + row + b * LANES;
        sum[b] = real_fma(own, b < n - 1 ? real_load(N) : real_load_some(N, count), zero);
    }
    for (int t = 0; t < terms; t++) {
        const real coefficient = real_set(term[t].coefficient);
        for (int b = 0; b < n; b++) {
            const double *N = y + term[t].offset + b * LANES;
            sum[b] = real_fma(coefficient, b < n - 1 ? real_load(N) : real_load_some(N, count), sum[b]);
        }
    }
    for (int b = 0; b < n - 1; b++) {
        real_store(y + row + b * LANES, sum[b]);
    }
    real_store_some(y + row + (n - 1) * LANES, count, sum[n - 1]);
}

/* Row j, one of body k, of Mass^-1; own: D^-1, or one where the row has been multiplied with it. */
KERNEL void finish_row(const soa_call *call, const soa_articulated_state *s, const vars *w, int k, int j, double own)
{
    const int nv = call->model->nv, terms = list_terms(call, s, w, k, j, 1);
    const size_t row = (size_t)j * (size_t)nv;
    for (int first = j / LANES * LANES; first < nv; first += SUM_BLOCKS * LANES) {
        const int left = nv - first, n = (left + LANES - 1) / LANES, tail = left - (n - 1) * LANES;
        double *y = call->y.at + first;
        switch (n) {
        case 1:
            sum_blocks(y, row, real_set(own), terms, w->term, 1, tail);
            break;
        case 2:
            sum_blocks(y, row, real_set(own), terms, w->term, 2, tail);
            break;
        case 3:
            sum_blocks(y, row, real_set(own), terms, w->term, 3, tail);
            break;
        default:
            sum_blocks(y, row, real_set(own), terms, w->term, SUM_BLOCKS, n == SUM_BLOCKS ? tail : LANES);
        }
    }
}

/* The same with numbers that are not next to each other. */
static __attribute__((noinline)) void finish_row_apart(
    const soa_call *call, const soa_articulated_state *s, const vars *w, int k, int j, double own)
{
    const int terms = list_terms(call, s, w, k, j, call->step);
    for (int first = j / LANES * LANES; first < call->model->nv; first += LANES) {
        columns c = columns_of(call, first, call->step);
        real sum = real_fma(real_set(own), columns_get(c, j), real_set(0.0));
        for (int t = 0; t < terms; t++) {
            columns at = c;
            at.y += w->term[t].offset;
            sum = real_fma(real_set(w->term[t].coefficient), columns_get(at, 0), sum);
        }
        columns_put(c, j, sum);
    }
}

/* D^-1 N of a joint with several dofs in place of its rows of N. */
static __attribute__((noinline)) void scale_rows(const soa_call *call, const soa_articulated_state *s, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const int v = body->v, r = body->nv;
    const double *D_inv = s->D_inv + 6 * (size_t)v;
    for (int first = v / LANES * LANES; first < call->model->nv; first += LANES) {
        const columns c = columns_of(call, first, call->step);
        real N[SOA_JOINT_MAX_NV];
        for (int i = 0; i < r; i++) {
            N[i] = columns_get(c, v + i);
        }
        for (int i = 0; i < r; i++) {
            real sum = real_set(0.0);
            for (int l = 0; l < r; l++) {
                sum = real_fma(real_set(D_inv[6 * i + l]), N[l], sum);
            }
            columns_put(c, v + i, sum);
        }
    }
}

/* N into the upper triangle of y. */
KERNEL void filter_all(const soa_call *call, const soa_articulated_state *s, const vars *w, size_t step)
{
    const soa_model *m = call->model;
    const int blocks = (m->nv + LANES - 1) / LANES;
    int last = 0;
    memset(w->path, 0, (size_t)m->bodies * sizeof *w->path);
    for (int first = 0; first < m->nv; first += LANES) {
        const columns c = columns_of(call, first, step);
        while (last + 1 < m->bodies && m->body[last + 1].v < first + LANES) {
            last++;
        }
        columns_filter(call, s, w, &c, last);
    }
    for (int k = 0; k < m->bodies; k++) {
        if (w->path[k] < blocks) {
            clear_blocks(call, &m->body[k], w->path[k], blocks);
        }
    }
}

static void inverse_columns(const soa_call *call, const soa_articulated_state *s, void *work)
{
    const soa_model *m = call->model;
    const vars *w = work;
    const bool apart = call->step != 1;
    if (apart) {
        filter_all(call, s, w, call->step);
    } else {
        filter_all(call, s, w, 1);
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        const int v = m->body[k].v, r = m->body[k].nv;
        const double own = r == 1 ? s->D_inv[6 * (size_t)v] : 1.0;
        if (r > 1) {
            scale_rows(call, s, k);
        }
        for (int j = v; j < v + r; j++) {
            if (apart) {
                finish_row_apart(call, s, w, k, j, own);
            } else {
                finish_row(call, s, w, k, j, own);
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
