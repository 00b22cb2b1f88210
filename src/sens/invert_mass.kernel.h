/* sens/invert_mass.kernel.h - the inverse of the mass matrix in place, and accelerations, columns in lanes.
 *
 *     Mass = L* D L,   Mass^-1 = L^-1 D^-1 L^-*
 *
 * Row k of L has numbers at the velocities inboard of k alone, and D is what is left of the diagonal when all outboard
 * of it is eliminated. Of a symmetric matrix only one triangle is made; rows are whole vectors, and what they hold in
 * the other triangle, or where neither velocity carries the other, is never read. */
#ifndef SOA_SENS_INVERT_MASS_KERNEL_H
#define SOA_SENS_INVERT_MASS_KERNEL_H

#include "sens/multiply_inverse.kernel.h"
#include "sweep/lanes.kernel.h"

enum { GATHER_VECTORS = 4 };

/* Matrices of the inversion, and the next velocity inboard of each (-1: none). */
typedef struct inversion {
    double *A, *W; /* Mass, L, then Mass^-1; and W = L^-* */
    double *inv;   /* D^-1 */
    size_t stride;
    int nv;
    short inboard[SOA_SQUARE_MOST];
} inversion;

static inline void inversion_begin(const soa_call *call, inversion *x)
{
    const soa_model *m = call->model;
    x->A = square_of(call, 0);
    x->W = square_of(call, 1);
    x->inv = row_of(call, ROW_VDOT);
    x->stride = soa_square_stride(m);
    x->nv = m->nv;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k], *parent = body->parent < 0 ? NULL : &m->body[body->parent];
        int inboard = parent ? parent->v + parent->nv - 1 : -1;
        for (int i = body->v; i < body->v + body->nv; i++) {
            x->inboard[i] = (short)inboard;
            inboard = i;
        }
    }
}

KERNEL double *row_at(const inversion *x, double *square, int i)
{
    return square + (size_t)i * x->stride;
}

/* The vector that column i is in. */
KERNEL int block_of(int i)
{
    return i - i % LANES;
}

/* 1 in one lane, 0 in the others. */
KERNEL real unit_lane(int lane)
{
    const real_int own = real_less_equal(real_abs(real_count(0.0) - (double)lane), real_set(0.0));
    return real_select(own, real_set(1.0), real_set(0.0));
}

/* ---- L and D ------------------------------------------------------------------------------ */

/* Rows inboard of k minus their share of row k, which becomes that of L. false: the pivot is not positive. */
KERNEL bool eliminate(const inversion *x, int k, double diagonal)
{
    double *own = row_at(x, x->A, k);
    const double pivot = own[k], inv = 1.0 / pivot;
    if (!(pivot > 1e-14 * diagonal)) {
        return false;
    }
    for (int i = x->inboard[k]; i >= 0; i = x->inboard[i]) {
        const real minus = real_set(-(own[i] * inv));
        double *to = row_at(x, x->A, i);
        for (int c = block_of(i); c >= 0; c -= LANES) {
            real_store(to + c, real_fma(minus, real_load(own + c), real_load(to + c)));
        }
    }
    const real scale = real_set(inv);
    for (int c = block_of(k); c >= 0; c -= LANES) {
        real_store(own + c, scale * real_load(own + c));
    }
    x->inv[k] = inv;
    return true;
}

/* The lower triangle of Mass becomes that of L. Returns the body whose D is not positive, or -1. */
static inline int factor_mass(const soa_call *call, const inversion *x)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->nv; k++) {
        x->inv[k] = row_at(x, x->A, k)[k];
    }
    for (int j = m->bodies - 1; j >= 0; j--) {
        for (int k = m->body[j].v + m->body[j].nv - 1; k >= m->body[j].v; k--) {
            if (!eliminate(x, k, x->inv[k])) {
                return j;
            }
        }
    }
    return -1;
}

/* ---- L^-* ---------------------------------------------------------------------------------- */

/* Row k of W is the unit row less those outboard of k, each times its number of L. It ends with the subtree. */
static inline void invert_factor(const soa_call *call, const inversion *x)
{
    for (int k = 0; k < x->nv; k++) {
        double *to = row_at(x, x->W, k);
        const int end = (int)field_number(constants_of(call, (size_t)k), CONSTANT_HIGH);
        for (int c = block_of(k); c < end; c += LANES) {
            real_store(to + c, unit_lane(k - c));
        }
    }
    for (int k = x->nv - 1; k >= 0; k--) {
        const double *from = row_at(x, x->W, k), *share = row_at(x, x->A, k);
        const int end = (int)field_number(constants_of(call, (size_t)k), CONSTANT_HIGH);
        for (int i = x->inboard[k]; i >= 0; i = x->inboard[i]) {
            const real minus = real_set(-share[i]);
            double *to = row_at(x, x->W, i);
            for (int c = block_of(k); c < end; c += LANES) {
                real_store(to + c, real_fma(minus, real_load(from + c), real_load(to + c)));
            }
        }
    }
}

/* ---- Mass^-1 -------------------------------------------------------------------------------- */

/* What row k of the inverse is made of: rows inboard of it and their numbers of L, from the base on. */
typedef struct shares {
    int count;
    const double *row[SOA_SQUARE_MOST];
    double minus[SOA_SQUARE_MOST];
} shares;

KERNEL void shares_of(const inversion *x, int k, shares *s)
{
    const double *L = row_at(x, x->A, k);
    s->count = 0;
    for (int i = x->inboard[k]; i >= 0; i = x->inboard[i], s->count++) {
        s->row[s->count] = row_at(x, x->A, i);
        s->minus[s->count] = -L[i];
    }
}

/* `vectors` vectors of row k from column c on. */
KERNEL void gather_row(const inversion *x, const shares *s, int k, int c, int high, const int vectors)
{
    const double *W = row_at(x, x->W, k);
    double *to = row_at(x, x->A, k);
    real sum[GATHER_VECTORS];
    for (int i = 0; i < vectors; i++) {
        const int at = c + i * LANES;
        sum[i] = at < high ? real_set(x->inv[k]) * real_load(W + at) : real_set(0.0);
    }
    for (int a = s->count - 1; a >= 0; a--) {
        const real minus = real_set(s->minus[a]);
        for (int i = 0; i < vectors; i++) {
            sum[i] = real_fma(minus, real_load(s->row[a] + c + i * LANES), sum[i]);
        }
    }
    for (int i = 0; i < vectors; i++) {
        real_store(to + c + i * LANES, sum[i]);
    }
}

/* The upper triangle, outward: row k = D^-1 W - sum of L times the rows inboard. */
static inline void inverse_outward(const soa_call *call, const inversion *x)
{
    for (int k = 0; k < x->nv; k++) {
        const int high = (int)field_number(constants_of(call, (size_t)k), CONSTANT_HIGH);
        int c = block_of(k);
        shares s;
        shares_of(x, k, &s);
        for (; c + GATHER_VECTORS * LANES <= (int)x->stride; c += GATHER_VECTORS * LANES) {
            gather_row(x, &s, k, c, high, GATHER_VECTORS);
        }
        for (; c + 2 * LANES <= (int)x->stride; c += 2 * LANES) {
            gather_row(x, &s, k, c, high, 2);
        }
        for (; c < x->nv; c += LANES) {
            gather_row(x, &s, k, c, high, 1);
        }
    }
}

/* Columns c .. c + n - 1 of rows k .. k + LANES - 1, as rows. */
KERNEL void transpose_block(const inversion *x, int k, int c, int n, real *rows)
{
    const double *from = row_at(x, x->A, k) + c;
#if LANES == 1
    (void)n;
    rows[0] = *from;
#else
    gather_full(from, x->stride, (size_t)n, rows);
#endif
}

/* The lower triangle as the upper one. */
static inline void mirror_square(const inversion *x)
{
    real rows[LANES];
    int k = 0;
    for (; k + LANES <= x->nv; k += LANES) {
        transpose_block(x, k, k, LANES, rows);
        for (int i = 1; i < LANES; i++) {
            double *to = row_at(x, x->A, k + i) + k;
            real_store(to, real_select(real_less(real_count(0.0), real_set(i)), rows[i], real_load(to)));
        }
        for (int c = k + LANES; c < x->nv; c += LANES) {
            const int n = x->nv - c < LANES ? x->nv - c : LANES;
            transpose_block(x, k, c, n, rows);
            for (int i = 0; i < n; i++) {
                real_store(row_at(x, x->A, c + i) + k, rows[i]);
            }
        }
    }
    for (int i = k; i < x->nv; i++) { /* what is not a whole block */
        for (int c = k; c < i; c++) {
            row_at(x, x->A, i)[c] = row_at(x, x->A, c)[i];
        }
    }
}

/* Mass, whose lower triangle is in the first square, becomes Mass^-1; VDOT = Mass^-1 BIAS. Returns the body whose D is
 * not positive, or -1. */
static int invert_mass(const soa_call *call)
{
    const double *bias = row_of(call, ROW_BIAS);
    inversion x;
    inversion_begin(call, &x);
    const int failed = factor_mass(call, &x);
    if (failed >= 0) {
        return failed;
    }
    invert_factor(call, &x);
    inverse_outward(call, &x);
    mirror_square(&x);
    for (size_t c = 0; c < x.stride; c += LANES) {
        real sum = real_set(0.0);
        for (int k = 0; k < x.nv; k++) {
            sum = real_fma(real_set(bias[k]), real_load(x.A + (size_t)k * x.stride + c), sum);
        }
        real_store(row_of(call, ROW_VDOT) + c, sum);
    }
    return -1;
}

/* y3 = Mass^-1 */
static void put_inverse(const soa_call *call)
{
    const int nv = call->model->nv;
    const size_t stride = soa_square_stride(call->model);
    const double *A = square_of(call, 0);
    for (int i = 0; i < nv; i++) {
        for (size_t c = 0; c < (size_t)nv; c += LANES) {
            put_row(call, call->y3, i, c, real_load(A + (size_t)i * stride + c));
        }
    }
}

/* ---- what vdot adds ------------------------------------------------------------------------ */

/* BIAS = S F */
static void joint_bias_forces(const soa_call *call)
{
    for (size_t c = 0; c < (size_t)call->model->nv; c += LANES) {
        double *here = fields_of(call, c);
        const force F = field_force(here, FIELD_F);
        real_store(row_of(call, ROW_BIAS) + c, power(F, field_motion(here, FIELD_J)));
    }
}

/* F gains R A1 + G, S2 gains A2 x S. */
static void add_accelerations(const soa_call *call)
{
    for (size_t c = 0; c < (size_t)call->model->nv; c += LANES) {
        double *here = fields_of(call, c);
        const rigid R = field_rigid(here, FIELD_inertia);
        const force more = force_add(rigid_mul(R, field_motion(here, FIELD_A1)), field_force(here, FIELD_G));
        field_put_force(here, FIELD_F, force_add(field_force(here, FIELD_F), more));
        const motion turned = motion_cross(field_motion(here, FIELD_A2), field_motion(here, FIELD_J));
        field_put_motion(here, FIELD_S2, motion_add(field_motion(here, FIELD_S2), turned));
    }
}

#endif
