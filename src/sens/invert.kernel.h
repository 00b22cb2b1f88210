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
    for (int b = m->body[j].parent; b >= 0; b = m->body[b].parent) {
        for (int i = m->body[b].v; i < m->body[b].v + m->body[b].nv; i++) {
            eliminate(p, i);
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

/* ---- a joint with several velocities: all its columns at once -------------------------------- */

typedef struct joint_pivot {
    double *A;
    size_t stride;
    int k, r; /* its first column, and how many */
    double inverse[SOA_JOINT_MAX_NV][SOA_JOINT_MAX_NV];
} joint_pivot;

/* The inverse of the joint's block in place. false: it is not positive. */
static inline bool invert_block(joint_pivot *p, const double *diagonal)
{
    for (int i = 0; i < p->r; i++) {
        memcpy(p->inverse[i], p->A + (size_t)(p->k + i) * p->stride + p->k, (size_t)p->r * sizeof(double));
    }
    for (int k = p->r - 1; k >= 0; k--) {
        double *row_k = p->inverse[k];
        const double value = row_k[k], inv = 1.0 / value;
        if (!(value > 1e-14 * diagonal[p->k + k])) {
            return false;
        }
        for (int i = 0; i < p->r; i++) {
            const double share = p->inverse[i][k] * inv;
            for (int c = 0; c < p->r && i != k; c++) {
                p->inverse[i][c] = c == k ? -share : p->inverse[i][c] - share * row_k[c];
            }
        }
        for (int c = 0; c < p->r; c++) {
            row_k[c] = c == k ? inv : row_k[c] * inv;
        }
    }
    return true;
}

/* Row i minus its share of the joint's rows. */
static inline void eliminate_joint_row(const joint_pivot *p, int i)
{
    double *to = p->A + (size_t)i * p->stride, share[SOA_JOINT_MAX_NV];
    const double *rows = p->A + (size_t)p->k * p->stride;
    for (int c = 0; c < p->r; c++) {
        share[c] = 0.0;
        for (int d = 0; d < p->r; d++) {
            share[c] -= to[p->k + d] * p->inverse[d][c];
        }
    }
    for (size_t c = 0; c < p->stride; c += LANES) {
        real x = real_load(to + c);
        for (int d = 0; d < p->r; d++) {
            x = real_fma(real_set(share[d]), real_load(rows + (size_t)d * p->stride + c), x);
        }
        real_store(to + c, x);
    }
    memcpy(to + p->k, share, (size_t)p->r * sizeof *share);
}

/* The joint's own rows. */
static inline void own_rows(const joint_pivot *p)
{
    double *rows = p->A + (size_t)p->k * p->stride;
    for (size_t c = 0; c < p->stride; c += LANES) {
        real old[SOA_JOINT_MAX_NV];
        for (int d = 0; d < p->r; d++) {
            old[d] = real_load(rows + (size_t)d * p->stride + c);
        }
        for (int i = 0; i < p->r; i++) {
            real x = real_set(0.0);
            for (int d = 0; d < p->r; d++) {
                x = real_fma(real_set(p->inverse[i][d]), old[d], x);
            }
            real_store(rows + (size_t)i * p->stride + c, x);
        }
    }
    for (int i = 0; i < p->r; i++) {
        memcpy(rows + (size_t)i * p->stride + p->k, p->inverse[i], (size_t)p->r * sizeof(double));
    }
}

/* All columns of body j. */
static __attribute__((noinline)) bool eliminate_joint(const soa_call *call, double *A, int j, const double *diagonal)
{
    const soa_model *m = call->model;
    const soa_body_data *body = &m->body[j];
    const double *enter = wide_of(call, SOA_WIDE_ENTER).at, leave = wide_of(call, SOA_WIDE_LEAVE).at[body->v];
    const int high = (int)wide_of(call, SOA_WIDE_HIGH).at[body->v];
    joint_pivot p = { .A = A, .stride = soa_wide_stride(m), .k = body->v, .r = body->nv };
    if (!invert_block(&p, diagonal)) {
        return false;
    }
    for (int b = body->parent; b >= 0; b = m->body[b].parent) {
        for (int i = m->body[b].v; i < m->body[b].v + m->body[b].nv; i++) {
            eliminate_joint_row(&p, i);
        }
    }
    for (int i = body->v + body->nv; i < high; i++) {
        if (enter[i] >= enter[body->v] && enter[i] < leave) {
            eliminate_joint_row(&p, i);
        }
    }
    own_rows(&p);
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
        const int k = m->body[j].v;
        if (!(m->body[j].nv == 1 ? eliminate_column(call, &p, j, k, diagonal[k])
                                 : eliminate_joint(call, p.A, j, diagonal))) {
            return j;
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
