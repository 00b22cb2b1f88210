/* closure/solve.kernel.h - forward dynamics of closed systems.  [CC]
 *
 *     betadot = (I - H psi K)* D^-1 [eps + H psi B A* lambda],   (A Lambda A*) lambda = -(A alpha_f + bias)
 *
 * in the three sweeps of the fast forward dynamics: outward V, a, b; inward P and eps with the
 * columns of H psi B A* beside them, and rows solved as soon as they can be (front.kernel.h); outward
 * the accelerations with the multipliers. Steps (A) to (F) of the closed topologies are all in it. */
#ifndef SOA_CLOSURE_SOLVE_KERNEL_H
#define SOA_CLOSURE_SOLVE_KERNEL_H

#include "closure/travel.kernel.h"

/* ---- outward: velocities, places ----------------------------------------------------------------------- */

/* W(k), after forward_outward_at. */
KERNEL frame place_node(const soa_call *call, const vars *w, int k, const frame *parent)
{
    const soa_body_data *body = &call->model->body[k];
    if (is_plain(body)) {
        return place_body_at(call, w, k, *parent);
    }
    return w->place[k] = body->parent < 0 ? frame_of_pose(&w->X[k]) : frame_compose(*parent, w->X[k]);
}

/* V, a, b of all bodies, and W of those with ends; V and W of the body before are mostly the parent's. */
static void system_outward(const soa_closures *set, soa_part *part)
{
    soa_call *call = &part->call;
    const vars *w = part_vars(call);
    const soa_model *m = call->model;
    const soa_node *node = &set->node[part->node];
    if (call->f.at) {
        position_sweep(call, w);
        placement_sweep(call, w);
    }
    crossings_begin(call, w);
    motion V = motion_zero();
    frame W = frame_identity();
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const int p = body->parent;
        if (p != k - 1 || !is_plain(body)) {
            V = p < 0 ? motion_zero() : w->V[p];
            W = p < 0 ? frame_identity() : w->place[p];
        }
        if (is_plain(body)) {
            V = plain_outward(call, w, k, V);
        } else {
            forward_outward_at(call, w, k);
            V = w->V[k];
        }
        if (node[k].placed) {
            W = place_node(call, w, k, &W);
            if (node[k].end >= 0) {
                w->W[k] = frame_pose(&w->place[k]);
            }
        }
    }
}

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
            const soa_end *end = side == 0 ? &tie->a : &tie->b;
            if (end->node != SOA_NO_NODE) {
                force *z = &part_vars(&set->part[end->system].call)->b[end->body];
                *z = force_sub(*z, row_on_body(set, tie, &row, side));
            }
        }
    }
}

/* ---- inward ------------------------------------------------------------------------------------------------ */

/* P, nu of a body whose joint is not plain. rows: they cross it too, U and D^-1 stay for them. */
static __attribute__((noinline)) void kept_inward(
    soa_call *call, const vars *w, const soa_node *node, const articulated *P, bool rows)
{
    const int k = node->body;
    const soa_body_data *body = &call->model->body[k];
    if (is_free_root(body) && !rows) {
        free_root_inward(call, w, k, P);
        return;
    }
    joint_inertias j;
    j.P = *P;
    joint_inward(call, w, k, &j);
    memcpy(w->D_inv + body->v, j.D_inv, (size_t)body->nv * sizeof *j.D_inv);
    memcpy(w->U + body->v, j.U, (size_t)body->nv * sizeof *j.U);
}

/* The same of a plain joint. */
KERNEL void plain_node_inward(soa_call *call, const vars *w, soa_node *node, articulated P)
{
    if (call->model->body[node->body].joint_class == SOA_CLASS_REVOLUTE) {
        node->D_inv = 1.0 / P.A.zz;
        plain_inward(call, w, node->body, true, P);
    } else {
        node->D_inv = 1.0 / P.C.zz;
        plain_inward(call, w, node->body, false, P);
    }
}

/* A node to which rows come. */
static __attribute__((noinline)) void front_node_inward(soa_closures *set, int at)
{
    soa_node *node = &set->node[at];
    soa_call *call = &set->part[node->part].call;
    const vars *w = part_vars(call);
    const soa_body_data *body = &call->model->body[node->body];
    const motion base = base_of(set, call);
    articulated P = gathered_inertia(w, body);
    const node_load load = { &P, &w->b[node->body], yielding_of(&P) };
    for (soa_front *came = node->came; came; came = came->other) {
        front_arrive(set, came, at);
    }
    if (set->stack.overflow) {
        return;
    }
    soa_front *front = gather(set, at, &load, base);
    if (set->stack.overflow) {
        return;
    }
    if (is_plain(body)) {
        plain_node_inward(call, w, node, P);
    } else {
        kept_inward(call, w, node, &P, front != NULL);
    }
    if (front) {
        front->from = at;
        front_on(set, at, front);
    }
}

/* P, nu of a body whose joint is not plain, to which no rows are added. */
static __attribute__((noinline)) void other_node_inward(soa_call *call, const vars *w, const soa_node *node)
{
    const articulated P = gathered_inertia(w, &call->model->body[node->body]);
    kept_inward(call, w, node, &P, node->came != NULL);
}

/* All bodies of a branch. */
static void branch_inward(soa_closures *set, int root)
{
    soa_call *call = &set->part[set->node[root].part].call;
    const vars *w = part_vars(call);
    const soa_body_data *bodies = call->model->body;
    const int *list = set->by_branch + set->branch_first[root];
    for (int i = 0; i < set->branch_count[root]; i++) {
        soa_node *node = &set->node[list[i]];
        if (node->end >= 0 || (node->came && node->came->other)) {
            front_node_inward(set, list[i]);
            continue;
        }
        const soa_body_data *body = &bodies[node->body];
        if (is_plain(body)) {
            plain_node_inward(call, w, node, gathered_inertia(w, body));
        } else {
            other_node_inward(call, w, node);
        }
        if (node->came) { /* rows that only pass */
            front_on(set, list[i], node->came);
        }
    }
}

static void sweep_inward(soa_closures *set)
{
    for (int i = 0; i < set->branches && !set->stack.overflow; i++) {
        branch_inward(set, set->order[i]);
    }
}

/* ---- outward: accelerations, multipliers ------------------------------------------------------------------ */

/* What the multipliers do to the joint of a node: nu += D^-1 N lambda. */
static void push_joint(const soa_closures *set, const vars *w, const soa_node *node, const soa_body_data *body)
{
    for (int i = 0; i < body->nv; i++) {
        const double *N = node->N + (size_t)i * (size_t)node->width;
        double push = 0.0;
        for (int j = 0; j < node->rows; j++) {
            push = real_fma(N[j], set->lambda[node->row[j]], push);
        }
        if (is_plain(body)) {
            w->eps[body->v] += node->D_inv * push;
            return;
        }
        for (int c = 0; c < body->nv; c++) {
            w->eps[body->v + c] = real_fma(w->D_inv[body->v + c][i], push, w->eps[body->v + c]);
        }
    }
}

/* Accelerations of a branch, and multipliers of the rows solved at its nodes; alpha of the node before is mostly the
 * parent's. */
static void branch_outward(soa_closures *set, int root)
{
    const soa_call *call = &set->part[set->node[root].part].call;
    const vars *w = part_vars(call);
    const soa_body_data *bodies = call->model->body;
    const int *list = set->by_branch + set->branch_first[root];
    motion alpha = base_of(set, call);
    int before = SOA_NO_NODE;
    const bool solves = set->node[root].solves;
    for (int i = 0; i < set->branch_count[root] && !solves; i++) { /* all multipliers are known */
        const soa_node *node = &set->node[list[i]];
        if (node->rows > 0) {
            push_joint(set, w, node, &bodies[node->body]);
        }
    }
    for (int i = set->branch_count[root] - 1; i >= 0; i--) {
        const soa_node *node = &set->node[list[i]];
        const int k = node->body;
        const soa_body_data *body = &bodies[k];
        if (node->rows > 0 && solves) {
            push_joint(set, w, node, body);
        }
        if (node->parent != before) {
            alpha = w->alpha[body->parent];
        }
        if (is_plain(body)) {
            double rest = 0.0;
            alpha = plain_smoother(call, w, k, alpha, &rest);
        } else {
            const motion at_parent = alpha;
            (is_free_root(body) && node->rows == 0 ? free_root_smoother : other_smoother)(call, w, k, &at_parent);
            alpha = w->alpha[k];
        }
        for (int b = node->block; b >= 0; b = set->block[b].before) {
            block_back(set, &set->block[b], alpha);
        }
        before = list[i];
    }
}

static void sweep_outward(soa_closures *set)
{
    for (int i = set->branches - 1; i >= 0 && !set->stack.overflow; i--) {
        branch_outward(set, set->order[i]);
    }
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static void begin_solution(soa_closures *set)
{
    set->stack.used = 0;
    set->stack.overflow = false;
    set->blocks = 0;
    set->final_front = NULL;
    set->rank = set->dependent = set->eliminated = 0;
    set->largest_pivot = 0.0;
    set->smallest_pivot = INFINITY;
    for (int k = 0; k < set->nodes; k++) {
        set->node[k].came = NULL;
        set->node[k].block = -1;
        set->node[k].rows = 0;
        set->node[k].solves = false;
    }
    for (int i = 0; i < set->rows; i++) {
        set->where[i] = set->first_block[i] = -1;
    }
}

/* The rows that no body could solve, each front by itself. */
static void solve_rest(soa_closures *set)
{
    const int first = set->blocks;
    for (soa_front *front = set->final_front; front && !set->stack.overflow; front = front->other) {
        front_solve(set, SOA_NO_NODE, front, &(node_load){ .P = NULL });
    }
    for (int b = first; b < set->blocks && !set->stack.overflow; b++) {
        block_back(set, &set->block[b], motion_zero());
    }
}

/* In a step the rows change by what is asked. */
static void aim_rows(soa_closures *set, const soa_closed_input *in)
{
    for (int i = 0; i < set->rows; i++) {
        soa_row *row = &set->row[i];
        row->bias = in->target ? in->target[i] : 0.0;
        if (in->positions && row->rolls) {
            memset(row->W, 0, sizeof row->W);
            row->bias = 0.0;
            spread_rows(set, row->tie);
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
            const soa_end *end = side == 0 ? &tie->a : &tie->b;
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
    set->mode = in->mode;
    for (int s = 0; s < set->systems; s++) {
        soa_part *part = &set->part[s];
        open_call(part, in);
        system_outward(set, &set->part[s]);
    }
    make_rows(set, in, false);
    if (in->mode == SOA_SOLVE_STEP) {
        aim_rows(set, in);
    } else {
        apply_wrenches(set);
    }
    sweep_inward(set);
    solve_rest(set);
    sweep_outward(set);
    if (set->dependent > 0 && !set->stack.overflow) {
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
