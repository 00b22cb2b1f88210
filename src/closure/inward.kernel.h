/* closure/inward.kernel.h - inward: P and nu of the bodies, and fronts from node to node.
 *
 * Rows that only pass a body have no say in it: a front crosses all joints up to the next body that has to do with it
 * at once, when the sweep comes there. */
#ifndef SOA_CLOSURE_INWARD_KERNEL_H
#define SOA_CLOSURE_INWARD_KERNEL_H

#include "closure/gather.kernel.h"
#include "dynamics/fast.kernel.h"

/* ---- fronts from node to node ------------------------------------------------------------------------ */

/* Gravity as an acceleration of the base. */
static motion base_of(const soa_closures *set, const soa_call *call)
{
    return set->last.mode == SOA_SOLVE_STEP ? motion_zero() : base_acceleration(call);
}

/* What couplings do to the joint of the node, besides H Y; their scale is the compliance of the joint. */
static void couple_joint(const soa_closures *set, const soa_node *node, soa_front *front, real D_inv)
{
    for (int e = node->end; e >= 0; e = set->plan.next_end[e]) {
        const soa_tie *tie = &set->tie[e / 2];
        for (int j = 0; tie->coupling && j < front->rows; j++) {
            if (front->row[j] == tie->first) {
                const real W = row_at_hand(set, tie->first)->W[e % 2];
                cells(node->N)[j] += W;
                front->missing[j]--;
                cells(front->scale)[j] += W * W * D_inv;
                cells(front->came)[j] += W * W * D_inv;
            }
        }
    }
}

/* The front crosses the joint of the node, whatever it is. */
static __attribute__((noinline)) void cross_any(soa_closures *set, soa_node *node, soa_front *front)
{
    const soa_call *call = call_of(set, node->part);
    const vars *w = part_vars(call);
    const soa_body_data *body = &call->model->body[node->body];
    real *N = soa_stack_take(&set->stack, (size_t)front->width * (size_t)body->nv, sizeof *N);
    if (!N) {
        return;
    }
    note_crossing(node, front, N);
    real gear[6];
    if (body->geared) { /* any_inward has brought it to the parent */
        put3(gear, w->U[body->v].n), put3(gear + 3, w->U[body->v].f);
    }
    const soa_cross_call x = { .call = call,
        .state = articulated_state(w),
        .front = front,
        .node = node,
        .nu = plain_numbers(w->eps),
        .a = plain_numbers(&w->a[0].w.x),
        .gear = plain_numbers(gear),
        .projected = node->coupled };
    if (node->coupled) { /* couplings add to N */
        cross_of(set)->project(&x);
        couple_joint(set, node, front, w->D_inv[body->v][0]);
    }
    cross_of(set)->cross(&x);
}

/* Plain joints, the first that of `at`. */
static void cross_row(soa_closures *set, int at, int count, soa_front *front)
{
    const soa_call *call = call_of(set, set->node[at].part);
    const vars *w = part_vars(call);
    const soa_cross_call x = { .call = call,
        .state = articulated_state(w),
        .front = front,
        .node = &set->node[at],
        .nu = plain_numbers(w->eps),
        .a = plain_numbers(&w->a[0].w.x) };
    real *N = soa_stack_take(&set->stack, (size_t)count * (size_t)front->width, sizeof *N);
    if (N) {
        cross_of(set)->row(&x, set->node, count, plain(N));
    }
}

/* The front crosses all joints that it has passed since it last was looked at, up to where it meets others: but for
 * the first they are plain. */
static void front_arrive(soa_closures *set, soa_front *front)
{
    soa_node *node = &set->node[front->from];
    if (!node->coupled && is_plain(&set->part[node->part].model->body[node->body])) {
        cross_row(set, front->from, node->joints, front);
        return;
    }
    cross_any(set, node, front);
    if (node->joints > 1 && !set->stack.overflow) {
        cross_row(set, node->parent, node->joints - 1, front);
    }
}

/* The fronts that come to a node have crossed all joints up to there; those of which nothing is left are forgotten. */
static void fronts_arrive(soa_closures *set, soa_node *node)
{
    for (soa_front **came = &node->came; *came && !set->stack.overflow;) {
        if ((*came)->from != SOA_NO_NODE) {
            front_arrive(set, *came);
        }
        agree(set, *came);
        if ((*came)->rows == 0) {
            *came = (*came)->other;
        } else {
            came = &(*came)->other;
        }
    }
}

/* The front goes on inward from `from`, whose joint is the next to be crossed. */
static void front_on(soa_closures *set, int from, soa_front *front)
{
    const int meet = set->node[from].meet;
    soa_front **to = meet == SOA_NO_NODE ? &set->fronts.leaving : &set->node[meet].came;
    front->from = from;
    front->other = *to;
    *to = front;
}

/* The front that leaves a branch goes to where it may be solved: another branch, or the end. */
static void leave_branch(soa_closures *set, int root)
{
    soa_front *front = set->fronts.leaving;
    const int next = set->node[root].next;
    front_arrive(set, front);
    const motion base = base_of(set, call_of(set, set->node[root].part));
    cross_of(set)->to_base(front, plain_numbers(&base.v.x));
    set->fronts.leaving = NULL;
    if (next == SOA_NO_NODE) {
        front->other = set->fronts.final_front;
        set->fronts.final_front = front;
    } else if (set->node[next].meets) {
        front->from = SOA_NO_NODE;
        front->other = set->node[next].came;
        set->node[next].came = front;
    } else {
        front_on(set, next, front);
    }
}

/* ---- bodies ------------------------------------------------------------------------------------------- */

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
    any_inward(call, w, k, P, kept_inertias(w, body));
}

/* P, nu of a body whose joint is plain, and D^-1 for the rows that cross it. */
KERNEL void plain_node_inward(soa_call *call, const vars *w, int k, articulated P)
{
    real *D_inv = w->D_inv[call->model->body[k].v];
    if (call->model->body[k].joint_class == SOA_CLASS_REVOLUTE) {
        *D_inv = 1.0 / P.A.zz;
        plain_inward(call, w, k, true, P);
    } else {
        *D_inv = 1.0 / P.C.zz;
        plain_inward(call, w, k, false, P);
    }
}

/* P, nu of any body; rows: they cross its joint. */
static void node_inward(soa_call *call, const vars *w, const soa_node *node, const articulated *P, bool rows)
{
    if (is_plain(&call->model->body[node->body])) {
        plain_node_inward(call, w, node->body, *P);
    } else {
        kept_inward(call, w, node, P, rows);
    }
}

/* P, nu of a body to which no rows are added; if rows pass, they go on. */
static void passed_inward(soa_closures *set, int at, soa_front *front)
{
    soa_node *node = &set->node[at];
    soa_call *call = call_of(set, node->part);
    const vars *w = part_vars(call);
    const articulated P = gathered_inertia(call, w, &call->model->body[node->body]);
    node_inward(call, w, node, &P, front != NULL);
    if (front) {
        front_on(set, at, front);
    }
}

/* A node with ends to which no rows have come: none can be solved here, so the body comes first. */
static soa_front *begun_inward(soa_closures *set, int at)
{
    soa_node *node = &set->node[at];
    soa_call *call = call_of(set, node->part);
    const vars *w = part_vars(call);
    const soa_body_data *body = &call->model->body[node->body];
    const articulated P = gathered_inertia(call, w, body);
    const node_load load = { NULL, NULL, yielding_of(&P), base_of(set, call) };
    node_inward(call, w, node, &P, true);
    return gather_rows(set, at, &load);
}

/* A node to which rows have come: what is solved there adds to its inertia. What is left goes on. */
static soa_front *loaded_inward(soa_closures *set, int at)
{
    soa_node *node = &set->node[at];
    soa_call *call = call_of(set, node->part);
    const vars *w = part_vars(call);
    const soa_body_data *body = &call->model->body[node->body];
    articulated P = gathered_inertia(call, w, body);
    const node_load load = { &P, &w->b[node->body], yielding_of(&P), base_of(set, call) };
    soa_front *front = gather_rows(set, at, &load);
    if (set->stack.overflow) {
        return NULL;
    }
    if (front && !is_plain(body)) {
        agree(set, front);
        front = front->rows > 0 ? front : NULL;
    }
    node_inward(call, w, node, &P, front != NULL);
    return front;
}

/* A node where rows may meet. */
static __attribute__((noinline)) void meeting_inward(soa_closures *set, int at)
{
    soa_node *node = &set->node[at];
    fronts_arrive(set, node);
    if (set->stack.overflow) {
        return;
    }
    if (node->end < 0 && !(node->came && node->came->other)) {
        passed_inward(set, at, node->came);
        return;
    }
    soa_front *front = node->came ? loaded_inward(set, at) : begun_inward(set, at);
    if (front) {
        front_on(set, at, front);
    }
}

/* The rows that begin at a leaf. */
static void begin_rows(soa_closures *set, int at)
{
    const soa_node *node = &set->node[at];
    const soa_call *call = call_of(set, node->part);
    const articulated P = articulated_from_rigid(rigid_set(call->model->body[node->body].inertia));
    const motion base = base_of(set, call);
    const yielding by = yielding_of(&P);
    soa_front *front = front_begin(set, node->end, &by, &base);
    if (front) {
        front_on(set, at, front);
    }
}

/* All bodies of a branch, by its place in the order. */
static void branch_inward(soa_closures *set, int branch)
{
    const int root = set->plan.order[branch];
    soa_call *call = call_of(set, set->node[root].part);
    const vars *w = part_vars(call);
    for (int r = set->plan.first_run[branch]; r < set->plan.first_run[branch + 1] && !set->stack.overflow; r++) {
        const soa_node *node = &set->node[set->plan.run[r].node];
        if (node->meets) {
            meeting_inward(set, set->plan.run[r].node);
            continue;
        }
        const soa_body_data *body = &call->model->body[node->body];
        for (int k = node->body, last = k - set->plan.run[r].count; k > last; k--, body--) {
            plain_node_inward(call, w, k, gathered_inertia(call, w, body));
        }
        if (node->begins) {
            begin_rows(set, set->plan.run[r].node);
        }
    }
    if (set->fronts.leaving && !set->stack.overflow) {
        leave_branch(set, root);
    }
}

static void sweep_inward(soa_closures *set)
{
    for (int i = 0; i < set->plan.branches && !set->stack.overflow; i++) {
        branch_inward(set, i);
    }
}

#endif
