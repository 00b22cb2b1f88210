/* closure/solve.kernel.h - forward dynamics of closed systems.  [CC]
 *
 *     betadot = (I - H psi K)* D^-1 [eps + H psi B A* lambda],   (A Lambda A*) lambda = -(A alpha_f + bias)
 *
 * in the three sweeps of the fast forward dynamics: outward V, a, b; inward P and eps with the
 * columns of H psi B A* beside them, and rows solved as soon as they can be (front.kernel.h); outward
 * the accelerations with the multipliers. Steps (A) to (F) of the closed topologies are all in it. */
#ifndef SOA_CLOSURE_SOLVE_KERNEL_H
#define SOA_CLOSURE_SOLVE_KERNEL_H

#if defined(STATES)
#include "closure/inward.kernel.h"
#else
#include "closure/hold_bodies.kernel.h"
#include "closure/locate.kernel.h"
#endif

/* ---- outward: velocities, places ----------------------------------------------------------------------- */

/* A body whose joint is not plain. X and a of a free root too, for rows. */
static __attribute__((noinline)) void other_node_outward(const soa_call *call, const vars *w, int k, bool placed)
{
    const soa_body_data *body = &call->model->body[k];
    any_velocity(call, w, k);
    if (is_free_root(body)) {
        free_root_velocity(call, w, k);
    }
    if (placed) {
        place_crossed(w, body, k);
    }
}

/* V, a, b of all bodies, and W of those with ends. The body before mostly is the parent; the two go together, since
 * each by itself is a chain of operations that wait for each other. */
static void outward_sweep(const soa_call *call, const vars *w, const soa_node *node)
{
    const soa_body_data *body = call->model->body;
    motion V = motion_zero();
    placing W = placing_identity();
    for (int k = 0; k < call->model->bodies; k++, body++, node++) {
        const int p = body->parent;
        if (!is_plain(body)) {
            other_node_outward(call, w, k, node->placed);
            V = w->V[k];
            W = *placing_at(w, k);
        } else {
            if (p != k - 1) {
                V = p < 0 ? motion_zero() : w->V[p];
                W = p < 0 ? placing_identity() : *placing_at(w, p);
            }
            V = plain_velocity(call, w, k, V);
            if (node->placed) {
                W = place_plain(call, w, k, W);
            }
        }
        if (node->end >= 0) {
            w->W[k] = placed(w, k);
        }
    }
}

static void system_outward(const soa_closures *set, int s)
{
    soa_call *call = call_of(set, s);
    const vars *w = part_vars(call);
    if (call->f.at) {
        position_sweep(call, w);
        placement_sweep(call, w);
    }
    crossings_begin(call, w);
    if (set->rows > 0) {
        outward_sweep(call, w, &set->node[set->part[s].node]);
    } else {
        forward_outward_sweep(call, w);
    }
}

/* ---- outward: accelerations, multipliers ------------------------------------------------------------------ */

/* What the multipliers do to the joint of a node: nu += D^-1 N lambda. */
static __attribute__((noinline)) void push_other(
    const soa_closures *set, const vars *w, const soa_node *node, const soa_body_data *body)
{
    const real *lambda = lambda_at_hand(set);
    for (int i = 0; i < body->nv; i++) {
        const real *N = cells(node->N) + (size_t)i * (size_t)node->width;
        real push = real_set(0.0);
        for (int j = 0; j < node->rows; j++) {
            push = real_fma(N[j], lambda[node->row[j]], push);
        }
        for (int c = 0; c < body->nv; c++) {
            w->eps[body->v + c] = real_fma(w->D_inv[body->v + c][i], push, w->eps[body->v + c]);
        }
    }
}

#if defined(STATES)
/* push_joint where lanes have other rows: each takes its own alternately. */
static void push_some(const real *lambda, const soa_node *node, real *eps, real D_inv)
{
    const real *N = cells(node->N), *stays = cells_in(node->stays);
    real sum[2] = { real_set(0.0), real_set(0.0) };
    const real_int none = real_less(real_set(1.0), real_set(0.0));
    real_int odd = none, any = none;
    for (int j = 0; j < node->rows; j++) {
        const real_int there = is_there(stays[j]);
        const real next = real_fma(N[j], lambda[node->row[j]], real_select(odd, sum[1], sum[0]));
        sum[0] = real_select(there & ~odd, next, sum[0]);
        sum[1] = real_select(there & odd, next, sum[1]);
        odd ^= there;
        any |= there;
    }
    *eps = real_select(any, real_fma(D_inv, sum[0] + sum[1], *eps), *eps);
}
#endif

KERNEL void push_joint(const soa_closures *set, const vars *w, const soa_node *node, const soa_body_data *body)
{
    if (!is_plain(body)) {
        push_other(set, w, node, body);
        return;
    }
    const real *N = cells(node->N), *lambda = lambda_at_hand(set);
#if defined(STATES)
    if (node->stays) {
        push_some(lambda, node, &w->eps[body->v], w->D_inv[body->v][0]);
        return;
    }
#endif
    real even = N[0] * lambda[node->row[0]], odd = real_set(0.0);
    int j = 1;
    for (; j + 2 <= node->rows; j += 2) {
        odd = real_fma(N[j], lambda[node->row[j]], odd);
        even = real_fma(N[j + 1], lambda[node->row[j + 1]], even);
    }
    if (j < node->rows) {
        odd = real_fma(N[j], lambda[node->row[j]], odd);
    }
    w->eps[body->v] = real_fma(w->D_inv[body->v][0], even + odd, w->eps[body->v]);
}

/* Acceleration of a body whose joint is not plain. */
static __attribute__((noinline)) void other_node_smoother(
    const soa_closures *set, const soa_call *call, const vars *w, const soa_node *node)
{
    const soa_body_data *body = &call->model->body[node->body];
    const motion base = base_of(set, call), *at_parent = body->parent < 0 ? &base : &w->alpha[body->parent];
    (is_free_root(body) && node->rows == 0 ? free_root_smoother : any_smoother)(call, w, node->body, at_parent);
}

/* Accelerations of the nodes of a run, from the base on. */
KERNEL void run_outward(const soa_closures *set, const soa_call *call, const vars *w, const soa_node_run *run)
{
    const soa_node *node = &set->node[run->node - run->count + 1];
    const soa_body_data *body = &call->model->body[node->body];
    if (!is_plain(body)) { /* alone in its run */
        other_node_smoother(set, call, w, node);
        return;
    }
    motion alpha = body->parent < 0 ? base_of(set, call) : w->alpha[body->parent];
    for (int k = node->body, last = k + run->count; k < last; k++) {
        real taint = real_set(0.0);
        alpha = plain_smoother(call, w, k, alpha, &taint);
    }
}

/* What the multipliers do to the joints of a run. */
KERNEL void push_run(const soa_closures *set, const soa_call *call, const vars *w, const soa_node_run *run)
{
    const soa_node *node = &set->node[run->node];
    const soa_body_data *body = &call->model->body[node->body];
    for (int i = 0; i < run->count; i++, node--, body--) {
        if (node->rows > 0) {
            push_joint(set, w, node, body);
        }
    }
}

/* Accelerations of all nodes, run by run from the last one to be left behind, and multipliers of the rows solved there. */
static void sweep_outward(soa_closures *set)
{
    const soa_node_run *run = set->plan.run;
    for (int r = set->plan.runs - 1; r >= 0 && !set->stack.overflow; r--) {
        const soa_node *node = &set->node[run[r].node];
        const soa_call *call = call_of(set, node->part);
        const vars *w = part_vars(call);
        push_run(set, call, w, &run[r]);
        run_outward(set, call, w, &run[r]);
#if !defined(STATES)
        if (set->plan.holds) {
            put_held(set, run[r].node, w->alpha[node->body]);
        }
#endif
        for (int b = node->block; b >= 0; b = set->fronts.block[b].before) {
            solved_back(set, &set->fronts.block[b], &w->alpha[node->body]);
        }
    }
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static void begin_solution(soa_closures *set)
{
    soa_stack_begin(&set->stack);
    set->fronts.blocks = 0;
    set->fronts.final_front = set->fronts.leaving = NULL;
    set->last.dependent = set->last.eliminated = 0;
    set->last.largest_pivot = set->last.dropped_pivot = 0.0;
    set->last.smallest_pivot = INFINITY;
    for (int k = 0; k < set->nodes; k++) {
        set->node[k].came = NULL;
        set->node[k].block = -1;
        set->node[k].rows = 0;
    }
    for (int i = 0; i < set->rows; i++) {
        set->fronts.where[i] = set->fronts.first_block[i] = -1;
    }
}

/* The rows that no body could solve, each front by itself. */
static void solve_rest(soa_closures *set)
{
    const int first = set->fronts.blocks;
    const motion still = motion_zero();
    const node_load alone = { NULL, NULL, { real_set(0.0), real_set(0.0) }, still };
    for (soa_front *front = set->fronts.final_front; front && !set->stack.overflow; front = front->other) {
        front_solve(set, SOA_NO_NODE, front, &alone);
    }
    for (int b = first; b < set->fronts.blocks && !set->stack.overflow; b++) {
        solved_back(set, &set->fronts.block[b], &still);
    }
}

/* W and bias of the rows of a closure, side by side. */
static void spread_rows(soa_closures *set)
{
    for (int i = 0; i < set->ties; i++) {
        const soa_tie *tie = &set->tie[i];
        for (int r = 0; r < tie->rows && tie->enabled && !tie->coupling; r++) {
            const row_numbers *row = row_at_hand(set, tie->first + r);
            place_numbers *place = place_at_hand(set, i);
            for (int c = 0; c < 6; c++) {
                place->W[c][r] = row->W[c];
            }
            place->bias[r] = row->bias;
        }
    }
}

#if !defined(STATES)

/* Forces at closures besides those of the rows: friction of what slides. */
static void apply_wrenches(soa_closures *set)
{
    for (int i = 0; i < set->ties; i++) {
        const soa_tie *tie = &set->tie[i];
        if (!tie->enabled || tie->coupling || tie->closure.kind != SOA_CLOSE_SLIDING) {
            continue;
        }
        soa_row row = { .tie = i };
        memcpy(row.W, set->place[i].wrench, sizeof row.W);
        for (int side = 0; side < 2; side++) {
            const soa_end *end = &tie->end[side];
            if (end->node != SOA_NO_NODE) {
                force *z = &part_vars(&set->part[end->system].call)->b[end->body];
                *z = force_sub(*z, row_on_body(set, tie, &row, side));
            }
        }
    }
}

/* Sets the bias of the rows to what they are to change by in a step. */
static void aim_rows(soa_closures *set, const soa_closed_input *in)
{
    for (int i = 0; i < set->rows; i++) {
        soa_row *row = &set->row[i];
        row->bias = in->target ? in->target[i] : 0.0;
        if (in->positions && row->rolls) {
            memset(row->W, 0, sizeof row->W);
            row->bias = 0.0;
        }
    }
}

/* How large the accelerations are that meet in each row. */
static void weigh_rows(soa_closures *set)
{
    for (int i = 0; i < set->rows; i++) {
        soa_row *row = &set->row[i];
        const soa_tie *tie = &set->tie[row->tie];
        row->weight = fabs(row->bias);
        for (int side = 0; side < 2; side++) {
            const soa_end *end = &tie->end[side];
            if (end->node != SOA_NO_NODE) {
                const motion alpha = part_vars(&set->part[end->system].call)->alpha[end->body];
                row->weight += sqrt(vec3_dot(alpha.w, alpha.w)) + sqrt(vec3_dot(alpha.v, alpha.v));
            }
        }
    }
}

/* -1, or the system whose body cannot be moved. */
static int closed_solve(soa_closures *set, const soa_closed_input *in, int *body)
{
    begin_solution(set);
    set->last.mode = in->mode;
    for (int s = 0; s < set->systems; s++) {
        soa_part *part = &set->part[s];
        open_call(part, in);
        system_outward(set, s);
    }
    make_rows(set, in->v != NULL, false);
    if (in->mode == SOA_SOLVE_STEP) {
        aim_rows(set, in);
    } else {
        apply_wrenches(set);
    }
    spread_rows(set);
    if (set->plan.holds) {
        sweep_holding(set);
    } else {
        sweep_inward(set);
    }
    solve_rest(set);
    sweep_outward(set);
    if (set->last.dependent > 0 && !set->stack.overflow) {
        weigh_rows(set);
    }
    for (int s = 0; s < set->systems; s++) {
        if (set->part[s].call.failed[0] >= 0) {
            *body = set->part[s].call.failed[0];
            return s;
        }
    }
    return -1;
}

#endif

#endif
