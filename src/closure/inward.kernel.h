/* closure/inward.kernel.h - inward: P and nu of the bodies, and the rows where they meet. */
#ifndef SOA_CLOSURE_INWARD_KERNEL_H
#define SOA_CLOSURE_INWARD_KERNEL_H

#include "closure/travel.kernel.h"

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

/* The same of a plain joint. */
KERNEL void plain_node_inward(soa_call *call, const vars *w, soa_node *node, int k, articulated P)
{
    if (call->model->body[k].joint_class == SOA_CLASS_REVOLUTE) {
        node->D_inv = 1.0 / P.A.zz;
        plain_inward(call, w, k, true, P);
    } else {
        node->D_inv = 1.0 / P.C.zz;
        plain_inward(call, w, k, false, P);
    }
}

/* P, nu of a body to which no rows are added; if rows pass, they go on. */
static void passed_inward(soa_closures *set, int at, soa_front *front)
{
    soa_node *node = &set->node[at];
    soa_call *call = &set->part[node->part].call;
    const vars *w = part_vars(call);
    const articulated P = gathered_inertia(w, &call->model->body[node->body]);
    if (is_plain(&call->model->body[node->body])) {
        plain_node_inward(call, w, node, node->body, P);
    } else {
        kept_inward(call, w, node, &P, front != NULL);
    }
    if (front) {
        front_on(set, at, front);
    }
}

/* A node with ends to which no rows have come: none can be solved here, so the body comes first. */
static soa_front *begun_inward(soa_closures *set, int at)
{
    soa_node *node = &set->node[at];
    soa_call *call = &set->part[node->part].call;
    const vars *w = part_vars(call);
    const soa_body_data *body = &call->model->body[node->body];
    const articulated P = gathered_inertia(w, body);
    const node_load load = { NULL, NULL, yielding_of(&P), base_of(set, call) };
    if (is_plain(body)) {
        plain_node_inward(call, w, node, node->body, P);
    } else {
        kept_inward(call, w, node, &P, true);
    }
    return gather(set, at, &load);
}

/* A node to which rows have come: what is solved there adds to its inertia. What is left goes on. */
static soa_front *loaded_inward(soa_closures *set, int at)
{
    soa_node *node = &set->node[at];
    soa_call *call = &set->part[node->part].call;
    const vars *w = part_vars(call);
    const soa_body_data *body = &call->model->body[node->body];
    articulated P = gathered_inertia(w, body);
    const node_load load = { &P, &w->b[node->body], yielding_of(&P), base_of(set, call) };
    soa_front *front = gather(set, at, &load);
    if (set->stack.overflow) {
        return NULL;
    }
    if (is_plain(body)) {
        plain_node_inward(call, w, node, node->body, P);
    } else {
        kept_inward(call, w, node, &P, front != NULL);
    }
    return front;
}

/* A node where rows may meet. */
static __attribute__((noinline)) void meeting_inward(soa_closures *set, int at)
{
    soa_node *node = &set->node[at];
    for (soa_front *came = node->came; came && !set->stack.overflow; came = came->other) {
        if (came->from != SOA_NO_NODE) {
            front_arrive(set, came);
        }
    }
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
    const soa_call *call = &set->part[node->part].call;
    const articulated P = articulated_from_rigid(rigid_set(call->model->body[node->body].inertia));
    const motion base = base_of(set, call);
    soa_front *front = front_begin(set, node->end, yielding_of(&P), &base);
    if (front) {
        front_on(set, at, front);
    }
}

/* All bodies of a branch, by its place in the order. */
static void branch_inward(soa_closures *set, int branch)
{
    const int root = set->order[branch];
    soa_call *call = &set->part[set->node[root].part].call;
    const vars *w = part_vars(call);
    for (int r = set->first_run[branch]; r < set->first_run[branch + 1] && !set->stack.overflow; r++) {
        soa_node *node = &set->node[set->run[r].node];
        if (node->meets) {
            meeting_inward(set, set->run[r].node);
            continue;
        }
        const soa_body_data *body = &call->model->body[node->body];
        for (int k = node->body, last = k - set->run[r].count; k > last; k--, node--, body--) {
            plain_node_inward(call, w, node, k, gathered_inertia(w, body));
        }
        if (set->node[set->run[r].node].begins) {
            begin_rows(set, set->run[r].node);
        }
    }
    if (set->leaving && !set->stack.overflow) {
        leave_branch(set, root);
    }
}

static void sweep_inward(soa_closures *set)
{
    for (int i = 0; i < set->branches && !set->stack.overflow; i++) {
        branch_inward(set, i);
    }
}

#endif
