/* operator/blocks.kernel.h - the operators of models with flexible links, block by block, for one state.
 *
 * A vector of bodies has six numbers per body, then those of all modes. So body k has a block of n(k) = 6 + modes numbers,
 * (V; etadot) or (f; forces on the modes), and every operator keeps its definition and every identity holds:  [FLEX]
 *     H(k)       what the joint picks of the six; of a body of modes [0 I]
 *     M(k)       [Mrr er; er* ee]                                             [FLEXM]
 *     E_phi(p,k) [phi(l); Pi*] phi(X) [I 0], Pi and l of the node that carries body k
 *     B(k,i)     [phi(l); Pi*] phi(node, point)
 * R, P, D, G, K, psi, Ups follow by the recursions [R], [P], [UPS] with dense blocks: linear in the links, and of each
 * link the cube of its modes. Blocks are stored row by row. */
#ifndef SOA_OPERATOR_BLOCKS_KERNEL_H
#define SOA_OPERATOR_BLOCKS_KERNEL_H

#include "operator/block_products.kernel.h"
#include "operator/body_numbers.h"
#include "operator/vectors.kernel.h"
#include "sweep/flexible_sweeps.kernel.h"

/* n: numbers of body k, inboard: of its parent, r: of its joint. of: block (k,k) of a memoryless operator, (p,k) of
 * E_phi, E_psi, K and Gamma; NULL: the operator has no blocks. */
typedef struct body_blocks {
    int n, inboard, r;
    real *of[SOA_OPERATORS];
} body_blocks;

/* The blocks of all bodies; at_point: B(k,i), BLOCK_MOST x 6 numbers per point. */
typedef struct blocks {
    body_blocks *body;
    real *at_point;
} blocks;

/* ---- places -------------------------------------------------------------------------------------- */

KERNEL int block_rows(const body_blocks *b, soa_operator op)
{
    const soa_operator_info about = soa_operator_about(op, false);
    return about.codomain_space == SOA_SPACE_JOINT ? b->r : about.kind == SOA_KIND_STRICTLY_CAUSAL ? b->inboard : b->n;
}

KERNEL int block_cols(const body_blocks *b, soa_operator op)
{
    return soa_operator_about(op, false).domain_space == SOA_SPACE_JOINT ? b->r : b->n;
}

/* Where the blocks are from `base` on; NULL: only the size in bytes is wanted. */
static inline size_t blocks_place(const soa_model *m, int points, char *base, blocks *made)
{
    static const soa_operator op[] = { SOA_OP_H, SOA_OP_M, SOA_OP_E_PHI, SOA_OP_R, SOA_OP_P, SOA_OP_D, SOA_OP_D_INV,
        SOA_OP_G, SOA_OP_K, SOA_OP_TAU, SOA_OP_TAUBAR, SOA_OP_E_PSI, SOA_OP_UPS, SOA_OP_ARM, SOA_OP_GAMMA };
    size_t used = (size_t)m->bodies * sizeof(body_blocks);
    made->body = (body_blocks *)(void *)base;
    for (int k = 0; k < m->bodies; k++) {
        const int p = m->body[k].parent;
        body_blocks b = { soa_body_numbers(m, k), p < 0 ? 0 : soa_body_numbers(m, p), m->body[k].nv, { NULL } };
        for (size_t i = 0; i < sizeof op / sizeof op[0]; i++) {
            b.of[op[i]] = base ? (real *)(void *)(base + used) : NULL;
            used += (size_t)block_rows(&b, op[i]) * (size_t)block_cols(&b, op[i]) * sizeof(real);
        }
        if (base) {
            made->body[k] = b;
        }
    }
    made->at_point = base ? (real *)(void *)(base + used) : NULL;
    return used + (size_t)points * 6 * BLOCK_MOST * sizeof(real);
}

/* The numbers of body k, or of its joint, out of a vector x, and into one. */
KERNEL void block_get(const soa_model *m, soa_space space, const real *x, int k, real *t)
{
    const int n = soa_block_numbers(m, space, k);
    for (int i = 0; i < n; i++) {
        t[i] = x[soa_block_index(m, space, k, i)];
    }
}

KERNEL void block_put(const soa_model *m, soa_space space, const real *t, int k, real *x)
{
    const int n = soa_block_numbers(m, space, k);
    for (int i = 0; i < n; i++) {
        x[soa_block_index(m, space, k, i)] = t[i];
    }
}

/* ---- products -------------------------------------------------------------------------------------- */

/* y = y + s A x of operator `op` at body k, or s A* x */
static inline void operator_mul(const body_blocks *b, soa_operator op, bool adjoint, real s, const real *x, real *y)
{
    block_mul(block_rows(b, op), block_cols(b, op), b->of[op], adjoint, s, x, y);
}

static inline void block_clear(const body_blocks *b, soa_operator op)
{
    memset(b->of[op], 0, (size_t)block_rows(b, op) * (size_t)block_cols(b, op) * sizeof(real));
}

/* ---- positions -------------------------------------------------------------------------------------- */

KERNEL void put_column_of(force f, int cols, real *A)
{
    A[0] = f.n.x, A[cols] = f.n.y, A[2 * cols] = f.n.z;
    A[3 * cols] = f.f.x, A[4 * cols] = f.f.y, A[5 * cols] = f.f.z;
}

/* Column c of a block whose rows are those of a body: the force f, at the node `on` of it or (NULL) at its frame. */
static inline void put_carried(const carrier *on, force f, int cols, real *A)
{
    put_column_of(on ? node_inward(on->n, f) : f, cols, A);
    if (on) {
        real e[SOA_MAX_MODES];
        row_zero((size_t)on->on->nv, e);
        node_forces(on, f, e);
        for (int i = 0; i < on->on->nv; i++) {
            A[(6 + i) * cols] = e[i];
        }
    }
}

KERNEL force force_unit(int i)
{
    const motion e = motion_unit(i);
    return (force){ e.w, e.v };
}

/* [Mrr er; er* ee] */
static inline void put_inertia(const vars *w, const soa_body_data *body, rigid Mrr, int n, real *M)
{
    for (int c = 0; c < 6; c++) {
        put_column_of(rigid_mul(Mrr, motion_unit(c)), n, M + c);
    }
    for (int i = 6; i < n; i++) {
        const double *ee = body->rest->modal->given->ee + (i - 6) * (n - 6);
        real er[6];
        er_at(w, body, (size_t)i - 6, er);
        put_column_of(six_force(er), n, M + i);
        for (int j = 0; j < n; j++) {
            M[i * n + j] = j < 6 ? M[j * n + i] : real_set(ee[j - 6]);
        }
    }
}

/* W, H, M, E_phi, Arm, Gamma of body k; P and R begin with M. */
static inline void block_position(const soa_call *call, const vars *w, const blocks *all, int k)
{
    const soa_model *m = call->model;
    const soa_body_data *body = &m->body[k];
    const body_blocks *b = &all->body[k];
    flexible_position(call, w, k);
    const rigid Mrr = modal_inertia(call, w, k);
    w->W[k] = flexible_placement(w, body, &w->X[k], &w->node[k]);
    const soa_operator cleared[] = { SOA_OP_H, SOA_OP_M, SOA_OP_E_PHI, SOA_OP_ARM, SOA_OP_GAMMA };
    for (size_t i = 0; i < sizeof cleared / sizeof cleared[0]; i++) {
        block_clear(b, cleared[i]);
    }
    for (int i = 0; i < b->r; i++) {
        b->of[SOA_OP_ARM][i * b->r + i] = real_set(body->armature);
        if (is_modal(body)) {
            b->of[SOA_OP_H][i * b->n + 6 + i] = real_set(1.0);
        } else {
            const motion h = joint_column(w, body, i);
            put_column_of((force){ h.w, h.v }, 1, b->of[SOA_OP_H] + i * b->n);
        }
    }
    put_inertia(w, body, Mrr, b->n, b->of[SOA_OP_M]);
    memcpy(b->of[SOA_OP_P], b->of[SOA_OP_M], (size_t)(b->n * b->n) * sizeof(real));
    memcpy(b->of[SOA_OP_R], b->of[SOA_OP_M], (size_t)(b->n * b->n) * sizeof(real));
    for (int c = 0; body->parent >= 0 && c < 6; c++) {
        const bool on_node = body->rest->node > 0;
        const carrier on = on_node ? carrier_of(w, m, k) : (carrier){ NULL, NULL, NULL, NULL };
        put_carried(on_node ? &on : NULL, phi(w->X[k], force_unit(c)), b->n, b->of[SOA_OP_E_PHI] + c);
    }
    if (body->geared) {
        put_column_of((force){ vec3_set(body->rest->gear), vec3_zero() }, b->r, b->of[SOA_OP_GAMMA]);
    }
}

/* B(k,i) */
static inline void block_point(const soa_call *call, const vars *w, const blocks *all, int i)
{
    const int k = point_body(call, i), node = call->point[i].node;
    node_vars n;
    turn_vars turn;
    real second[3 * SOA_MAX_MODES];
    carrier on = { NULL, NULL, NULL, NULL, NULL };
    if (k < 0) {
        return;
    }
    const soa_body_data *body = &call->model->body[k];
    real *B = all->at_point + (size_t)i * 6 * BLOCK_MOST;
    memset(B, 0, 6 * BLOCK_MOST * sizeof *B);
    pose at = point_pose(call, w, i, k);
    if (node > 0) {
        on = node_of(body, node, &n, &turn, second);
        at = (pose){ mat3_transpose(w->W[k].R),
            mat3_mul_vec(node_position(call, &on), vec3_set(call->point[i].at.position)) };
    }
    for (int c = 0; c < 6; c++) {
        put_carried(node > 0 ? &on : NULL, phi(at, force_unit(c)), 6, B + c);
    }
}

/* All blocks that follow from the positions alone. */
static inline void blocks_position(const soa_call *call, const vars *w, const blocks *all)
{
    for (int k = 0; k < call->model->bodies; k++) {
        block_position(call, w, all, k);
    }
    for (int i = 0; i < call->points; i++) {
        block_point(call, w, all, i);
    }
}

/* ---- recursions -------------------------------------------------------------------------------------- */

/* Inward: R(p) += phi R phi*.  [R] */
static inline void block_composite(const soa_call *call, const blocks *all, int k)
{
    const body_blocks *b = &all->body[k];
    if (call->model->body[k].parent >= 0) {
        block_congruence(real_set(1.0), b->inboard, b->n, b->of[SOA_OP_E_PHI], b->of[SOA_OP_R],
            all->body[call->model->body[k].parent].of[SOA_OP_R]);
    }
}

/* G = P H* D^-1, D = H P H* + Arm */
static inline void block_gain(soa_call *call, const body_blocks *b, int k)
{
    const real one = real_set(1.0);
    real PH[BLOCK_MOST * BLOCK_MOST] = { 0.0 };
    block_product(one, b->n, b->n, b->r, b->of[SOA_OP_P], b->of[SOA_OP_H], true, PH);
    memcpy(b->of[SOA_OP_D], b->of[SOA_OP_ARM], (size_t)(b->r * b->r) * sizeof(real));
    block_product(one, b->r, b->n, b->r, b->of[SOA_OP_H], PH, false, b->of[SOA_OP_D]);
    block_clear(b, SOA_OP_D_INV);
    const bool regular = block_inverse(b->r, b->of[SOA_OP_D], b->of[SOA_OP_D_INV]);
    call_require(call, regular ? real_less(real_set(0.0), one) : real_less(one, real_set(0.0)), k);
    block_clear(b, SOA_OP_G);
    block_product(one, b->n, b->r, b->r, PH, b->of[SOA_OP_D_INV], false, b->of[SOA_OP_G]);
}

/* What is left of P across the joint: taubar P taubar* + G Arm G*, which equals P - G D G*. An error of G changes it in
 * second order alone, where differences of P and G D G* would lose digits from link to link. */
static inline void block_left(const body_blocks *b, real *left)
{
    block_congruence(real_set(1.0), b->n, b->n, b->of[SOA_OP_TAUBAR], b->of[SOA_OP_P], left);
    block_congruence(real_set(1.0), b->n, b->r, b->of[SOA_OP_G], b->of[SOA_OP_ARM], left);
}

/* Inward: D, G, tau, taubar, K, E_psi, and P(p) += E_phi P E_phi* - K D K*, K = E_phi G + Gamma D^-1.  [P] [GEAR] */
static inline void block_articulate(soa_call *call, const blocks *all, int k)
{
    const real one = real_set(1.0);
    const body_blocks *b = &all->body[k];
    const int n = b->n, in = b->inboard, p = call->model->body[k].parent;
    real left[BLOCK_MOST * BLOCK_MOST] = { 0.0 };
    block_gain(call, b, k);
    block_clear(b, SOA_OP_TAU);
    block_product(one, n, b->r, n, b->of[SOA_OP_G], b->of[SOA_OP_H], false, b->of[SOA_OP_TAU]);
    for (int i = 0; i < n * n; i++) {
        b->of[SOA_OP_TAUBAR][i] = (i % (n + 1) == 0 ? 1.0 : 0.0) - b->of[SOA_OP_TAU][i];
    }
    if (p < 0) {
        return;
    }
    real *P = all->body[p].of[SOA_OP_P];
    block_left(b, left);
    block_congruence(one, in, n, b->of[SOA_OP_E_PHI], left, P);
    block_clear(b, SOA_OP_K);
    block_product(one, in, n, b->r, b->of[SOA_OP_E_PHI], b->of[SOA_OP_G], false, b->of[SOA_OP_K]);
    block_product(-one, in, b->r, in, b->of[SOA_OP_GAMMA], b->of[SOA_OP_K], true, P);
    block_product(one, in, b->r, b->r, b->of[SOA_OP_GAMMA], b->of[SOA_OP_D_INV], false, b->of[SOA_OP_K]);
    block_product(-one, in, b->r, in, b->of[SOA_OP_K], b->of[SOA_OP_GAMMA], true, P);
    memcpy(b->of[SOA_OP_E_PSI], b->of[SOA_OP_E_PHI], (size_t)(in * n) * sizeof(real));
    block_product(-one, in, b->r, n, b->of[SOA_OP_K], b->of[SOA_OP_H], false, b->of[SOA_OP_E_PSI]);
}

/* Outward: Ups(k) = psi* Ups(p) psi + H* D^-1 H.  [UPS] */
static inline void block_upsilon(const soa_call *call, const blocks *all, int k)
{
    const body_blocks *b = &all->body[k];
    const int p = call->model->body[k].parent;
    for (int c = 0; c < b->n; c++) {
        real e[BLOCK_MOST] = { 0.0 }, He[BLOCK_MOST] = { 0.0 }, nu[BLOCK_MOST] = { 0.0 }, y[BLOCK_MOST] = { 0.0 };
        real z[BLOCK_MOST] = { 0.0 }, V[BLOCK_MOST] = { 0.0 };
        e[c] = real_set(1.0);
        operator_mul(b, SOA_OP_H, false, real_set(1.0), e, He);
        operator_mul(b, SOA_OP_D_INV, false, real_set(1.0), He, nu);
        operator_mul(b, SOA_OP_H, true, real_set(1.0), nu, y);
        if (p >= 0) {
            operator_mul(b, SOA_OP_E_PSI, false, real_set(1.0), e, z);
            operator_mul(&all->body[p], SOA_OP_UPS, false, real_set(1.0), z, V);
            operator_mul(b, SOA_OP_E_PSI, true, real_set(1.0), V, y);
        }
        for (int i = 0; i < b->n; i++) {
            b->of[SOA_OP_UPS][i * b->n + c] = y[i];
        }
    }
}

/* ---- points and branches ------------------------------------------------------------------------------- */

/* y(k) += B(k,i) x(i), or y(i) += B*(k,i) x(k) */
static inline void point_mul(const soa_model *m, const blocks *all, int i, int k, bool adjoint, const real *x, real *y)
{
    const real *B = all->at_point + (size_t)i * 6 * BLOCK_MOST;
    real t[BLOCK_MOST];
    block_get(m, SOA_SPACE_BODY, adjoint ? x : y, k, t);
    block_mul(soa_body_numbers(m, k), 6, B, adjoint, real_set(1.0), adjoint ? t : x + 6 * i, adjoint ? y + 6 * i : t);
    if (!adjoint) {
        block_put(m, SOA_SPACE_BODY, t, k, y);
    }
}

/* y(k) = psi*(p,k) { y(p) + Ups(p) (gathered(p) - psi(p,k) z(k)) }  [I11] */
static inline void block_branch(
    const soa_model *m, const blocks *all, int k, const real *z, const real *gathered, real *y)
{
    const int p = m->body[k].parent;
    real own[BLOCK_MOST], rest[BLOCK_MOST], V[BLOCK_MOST], to[BLOCK_MOST] = { 0.0 };
    if (p >= 0) {
        block_get(m, SOA_SPACE_BODY, z, k, own);
        block_get(m, SOA_SPACE_BODY, gathered, p, rest);
        block_get(m, SOA_SPACE_BODY, y, p, V);
        operator_mul(&all->body[k], SOA_OP_E_PSI, false, real_set(-1.0), own, rest);
        operator_mul(&all->body[p], SOA_OP_UPS, false, real_set(1.0), rest, V);
        operator_mul(&all->body[k], SOA_OP_E_PSI, true, real_set(1.0), V, to);
    }
    block_put(m, SOA_SPACE_BODY, to, k, y);
}

#endif
