/* expr/flexible_steps.kernel.h - the instructions of a graph at one body of a model with flexible links, for one state.
 *
 * Vectors of bodies have the numbers of the modes behind those of all bodies, and operators are blocks
 * (operator/blocks.kernel.h). So an instruction that is an operator is a product with its block: of the same body, of the
 * bodies on it, of the parent. */
#ifndef SOA_EXPR_FLEXIBLE_STEPS_KERNEL_H
#define SOA_EXPR_FLEXIBLE_STEPS_KERNEL_H

#include "expr/recursions.kernel.h"
#include "operator/blocks.kernel.h"
#include "sweep/flexible_motion.kernel.h"

/* ---- operators ------------------------------------------------------------------------------------------ */

/* y(k) = x(k) + sum_j E(k,j) y(j), or x(k) + E*(p,k) y(p), if it runs; else y(k) = A x of what it looks at. */
static void apply_blocks(const machine *m, const soa_step *i, int k)
{
    const soa_model *model = m->call->model;
    const soa_operator op = i->op;
    const bool adjoint = i->adjoint;
    const soa_operator_info about = soa_operator_about(op, adjoint);
    const bool runs = about.kind == SOA_KIND_CAUSAL || about.kind == SOA_KIND_ANTICAUSAL;
    const bool local = about.kind == SOA_KIND_MEMORYLESS;
    const soa_operator A = op == SOA_OP_PHI ? SOA_OP_E_PHI : op == SOA_OP_PSI ? SOA_OP_E_PSI : op;
    const real *from = numbers_of(m, runs ? i->y : i->x), one = real_set(1.0);
    const int p = model->body[k].parent;
    real x[BLOCK_MOST], y[BLOCK_MOST] = { 0.0 };
    if (runs) {
        block_get(model, SOA_SPACE_BODY, numbers_of(m, i->x), k, y);
    }
    if (local) {
        block_get(model, about.domain_space, from, k, x);
        operator_mul(&m->all->body[k], A, adjoint, one, x, y);
    } else if (adjoint && p >= 0) {
        block_get(model, about.domain_space, from, p, x);
        operator_mul(&m->all->body[k], A, true, one, x, y);
    }
    if (!local && !adjoint) {
        for (CHILDREN) {
            block_get(model, about.domain_space, from, j, x);
            operator_mul(&m->all->body[j], A, false, one, x, y);
        }
    }
    block_put(model, about.codomain_space, y, k, numbers_of(m, i->y));
}

/* ---- points ------------------------------------------------------------------------------------------------ */

static void flexible_B(const machine *m, const soa_step *i, int k)
{
    const real zero[BLOCK_MOST] = { 0.0 };
    block_put(m->call->model, SOA_SPACE_BODY, zero, k, numbers_of(m, i->y));
    for (POINTS_AT) {
        point_mul(m->call->model, m->all, p, k, false, numbers_of(m, i->x), numbers_of(m, i->y));
    }
}

static void flexible_B_t(const machine *m, const soa_step *i, int k)
{
    for (POINTS_AT) {
        motions_of(m, i->y)[p] = motion_zero();
        if (k >= 0) {
            point_mul(m->call->model, m->all, p, k, true, numbers_of(m, i->x), numbers_of(m, i->y));
        }
    }
}

/* ---- the state ----------------------------------------------------------------------------------------------- */

/* The modal part of body k of a step. */
KERNEL real *modes_of(const machine *m, int step, int k)
{
    return numbers_of(m, step) + soa_body_index(m->call->model, k, 6);
}

/* V, a, b or g of body k: the six numbers, and those of the modes. */
static void flexible_state(const machine *m, const soa_step *i, int k)
{
    const soa_body_data *body = &m->call->model->body[k];
    const int modes = soa_body_modes(m->call->model, k);
    if (i->code == SOA_CODE_state_V) {
        flexible_velocity(m->call, m->w, k);
        motions_of(m, i->y)[k] = m->w->V[k];
    } else if (i->code == SOA_CODE_state_a) {
        step_state_a(m, i, k);
    } else if (i->code == SOA_CODE_state_g) {
        step_state_g(m, i, k);
    } else if (modes == 0) {
        step_state_b(m, i, k);
    } else {
        real D[AT_ONCE][SOA_MODAL_N];
        const rigid M = modal_inertia_rates(m->call, m->w, k, D, true);
        forces_of(m, i->y)[k] = modal_velocity_forces(m->call, m->w, k, M, m->w->V[k], D[1], m->w->eps + body->v);
    }
    for (int n = 0; n < modes; n++) {
        modes_of(m, i->y, k)[n] = i->code == SOA_CODE_state_V   ? in_get(m->call, m->call->v, (size_t)(body->v + n))
                                  : i->code == SOA_CODE_state_b ? m->w->eps[body->v + n]
                                                                : real_set(0.0);
    }
}

/* ---- one instruction --------------------------------------------------------------------------------------------- */

/* Numbers one by one, of the modes too. */
static void flexible_numbers(const machine *m, const soa_step *i, int k)
{
    const size_t modes = (size_t)soa_body_modes(m->call->model, k);
    const size_t first = modes > 0 ? (size_t)soa_body_index(m->call->model, k, 6) : 0;
    (i->code == SOA_CODE_sum_body ? step_sum_body : step_scale_body)(m, i, k);
    if (modes > 0) {
        (i->code == SOA_CODE_sum_body ? sum_numbers : scale_numbers)(m, i, first, modes);
    }
}

/* A block of a matrix in link frames, of which modes know nothing. */
static void flexible_blocks_body(const machine *m, const soa_step *i, int k)
{
    const soa_model *model = m->call->model;
    const pose link = pose_set(&model->body[k].rest->frame);
    real x[BLOCK_MOST], y[BLOCK_MOST];
    block_get(model, SOA_SPACE_BODY, numbers_of(m, i->x), k, x);
    turn_frame(true, soa_graph_step(m->run->graph, i->x)->place.side, link, x);
    matrix_block_mul(m, i, k, soa_body_numbers(model, k), x, y);
    turn_frame(false, i->place.side, link, y);
    block_put(model, SOA_SPACE_BODY, y, k, numbers_of(m, i->y));
}

static void flexible_step(const machine *m, const soa_step *i, int k, step_function *rigid_step)
{
    const soa_code code = i->code;
    if (code == SOA_CODE_B_t) {
        flexible_B_t(m, i, k);
    } else if (k < 0) { /* of the world only points have steps */
        rigid_step(m, i, k);
    } else if (i->kind == SOA_STEP_APPLY && i->op == SOA_OP_B) {
        flexible_B(m, i, k);
    } else if (i->kind == SOA_STEP_APPLY) {
        apply_blocks(m, i, k);
    } else if (code == SOA_CODE_sum_body || code == SOA_CODE_scale_body) {
        flexible_numbers(m, i, k);
    } else if (code == SOA_CODE_blocks_body) {
        flexible_blocks_body(m, i, k);
    } else if (code == SOA_CODE_branch) {
        block_branch(m->call->model, m->all, k, numbers_of(m, i->x), numbers_of(m, i->x2), numbers_of(m, i->y));
    } else if (code == SOA_CODE_articulated) {
        block_articulate(m->call, m->all, k);
    } else if (code == SOA_CODE_composite) {
        block_composite(m->call, m->all, k);
    } else if (code == SOA_CODE_upsilon) {
        block_upsilon(m->call, m->all, k);
    } else if (code >= SOA_CODE_state_V && code <= SOA_CODE_state_g) {
        flexible_state(m, i, k);
    } else { /* of joints: sums, blocks, b_Arm; of points: sums */
        rigid_step(m, i, k);
    }
}

#endif
