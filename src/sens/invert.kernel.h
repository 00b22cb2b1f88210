/* sens/invert.kernel.h - the inverse of the mass matrix in place, and accelerations, columns in lanes.
 *
 * Gauss and Jordan from the tips inward: what is eliminated at joint k touches only the joints inboard and
 * outboard of k, and the pivot is D(k). Rows are whole vectors. */
#ifndef SOA_SENS_INVERT_KERNEL_H
#define SOA_SENS_INVERT_KERNEL_H

#include "sens/multiply.kernel.h"

/* The pivot row, and which of its vectors are not zero. */
typedef struct pivot {
    double *A, *row;
    size_t stride;
    int k, own;    /* the column, and the vector that it is in */
    real_int at_k; /* where in that vector */
    int blocks;    /* the others that are not zero */
    double inv;
    short block[SOA_WIDE_SQUARE + SOA_MAX_LANES];
} pivot;

/* Row i minus its share of the pivot row; in column k the inverse comes about. */
KERNEL void eliminate(const pivot *p, int i)
{
    double *to = p->A + (size_t)i * p->stride, *own = to + p->own;
    const real minus = real_set(-(to[p->k] * p->inv));
    for (int b = 0; b < p->blocks; b++) {
        const int c = p->block[b];
        real_store(to + c, real_fma(minus, real_load(p->row + c), real_load(to + c)));
    }
    real_store(own, real_select(p->at_k, minus, real_fma(minus, real_load(p->row + p->own), real_load(own))));
}

/* Makes column k the pivot; whole vectors are written, since a number in a vector that is read next is waited for. */
KERNEL void pivot_set(pivot *p, int k)
{
    static const double lane[SOA_MAX_LANES] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    p->k = k;
    p->own = k - k % LANES;
    p->at_k = real_less_equal(real_abs(real_load(lane) - (double)(k % LANES)), real_set(0.0));
    p->row = p->A + (size_t)k * p->stride;
    p->inv = 1.0 / p->row[k];
    p->blocks = 0;
    for (int c = 0; c < (int)p->stride; c += LANES) {
        p->block[p->blocks] = (short)c;
        p->blocks += c != p->own && !is_zero(real_load(p->row + c));
    }
}

/* All rows of joints inboard and outboard of body j, but the pivot's own. */
static inline void eliminate_all(const soa_call *call, const pivot *p, int j)
{
    const soa_model *m = call->model;
    const double *enter = wide_of(call, SOA_WIDE_ENTER).at, leave = wide_of(call, SOA_WIDE_LEAVE).at[p->k];
    const int high = (int)wide_of(call, SOA_WIDE_HIGH).at[p->k];
    for (int b = j; b >= 0; b = m->body[b].parent) {
        for (int i = m->body[b].v; i < m->body[b].v + m->body[b].nv; i++) {
            if (i != p->k) {
                eliminate(p, i);
            }
        }
    }
    for (int i = m->body[j].v + m->body[j].nv; i < high; i++) {
        if (enter[i] >= enter[p->k] && enter[i] < leave) {
            eliminate(p, i);
        }
    }
}

/* Column k, of body j. false: the pivot is not positive. */
static inline bool eliminate_column(const soa_call *call, pivot *p, int j, int k, double diagonal)
{
    pivot_set(p, k);
    if (!(p->row[k] > 1e-14 * diagonal)) {
        return false;
    }
    eliminate_all(call, p, j);
    const real scale = real_set(p->inv);
    for (int b = 0; b < p->blocks; b++) {
        real_store(p->row + p->block[b], scale * real_load(p->row + p->block[b]));
    }
    real_store(p->row + p->own, real_select(p->at_k, scale, scale * real_load(p->row + p->own)));
    return true;
}

/* Mass in the first square becomes its inverse. Returns the body whose D is not positive, or -1. */
static int invert_square(const soa_call *call)
{
    const soa_model *m = call->model;
    pivot p = { .A = square_of(call, 0), .stride = soa_wide_stride(m) };
    double *diagonal = wide_of(call, WIDE_VDOT).at;
    for (int k = 0; k < m->nv; k++) {
        diagonal[k] = p.A[(size_t)k * p.stride + (size_t)k];
    }
    for (int j = m->bodies - 1; j >= 0; j--) {
        for (int i = m->body[j].nv - 1; i >= 0; i--) {
            const int k = m->body[j].v + i;
            if (!eliminate_column(call, &p, j, k, diagonal[k])) {
                return j;
            }
        }
    }
    return -1;
}

/* The square becomes Mass^-1, VDOT = Mass^-1 BIAS. */
static int invert_mass(const soa_call *call)
{
    const int nv = call->model->nv;
    const size_t stride = soa_wide_stride(call->model);
    const double *A = square_of(call, 0), *bias = wide_of(call, WIDE_BIAS).at;
    const int failed = invert_square(call);
    for (size_t c = 0; c < stride && failed < 0; c += LANES) {
        real sum = real_set(0.0);
        for (int k = 0; k < nv; k++) {
            sum = real_fma(real_set(bias[k]), real_load(A + (size_t)k * stride + c), sum);
        }
        real_store(wide_of(call, WIDE_VDOT).at + c, sum);
    }
    return failed;
}

/* ---- what vdot adds ------------------------------------------------------------------------ */

/* BIAS = S F */
static void joint_bias_forces(const soa_call *call)
{
    for (size_t c = 0; c < (size_t)call->model->nv; c += LANES) {
        const force F = wide_force(wide_of(call, WIDE_F), c);
        wide_put(wide_of(call, WIDE_BIAS), 0, c, power(F, wide_motion(wide_of(call, WIDE_S), c)));
    }
}

/* F gains R A1 + G, S2 gains A2 x S. */
static void add_accelerations(const soa_call *call)
{
    const wide F = wide_of(call, WIDE_F), S2 = wide_of(call, WIDE_S2);
    for (size_t c = 0; c < (size_t)call->model->nv; c += LANES) {
        const rigid R = wide_rigid(wide_of(call, WIDE_R), c);
        const force more =
            force_add(rigid_mul(R, wide_motion(wide_of(call, WIDE_A1), c)), wide_force(wide_of(call, WIDE_G), c));
        wide_put_force(F, c, force_add(wide_force(F, c), more));
        const motion turned =
            motion_cross(wide_motion(wide_of(call, WIDE_A2), c), wide_motion(wide_of(call, WIDE_S), c));
        wide_put_motion(S2, c, motion_add(wide_motion(S2, c), turned));
    }
}

#endif
