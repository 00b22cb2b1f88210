/* closure/travel.kernel.h - fronts on their way inward, from node to node.
 *
 * Rows that only pass a body have no say in it: a front crosses all joints up to the next body that has to do with it
 * at once, when the sweep comes there. */
#ifndef SOA_CLOSURE_TRAVEL_KERNEL_H
#define SOA_CLOSURE_TRAVEL_KERNEL_H

#include "closure/gather.kernel.h"
#include "dynamics/fast.kernel.h"

/* Gravity as an acceleration of the base. */
static motion base_of(const soa_closures *set, const soa_call *call)
{
    return set->mode == SOA_SOLVE_STEP ? motion_zero() : base_acceleration(call);
}

/* What couplings do to the joint of the node, besides H Y. */
static void couple_joint(const soa_closures *set, const soa_node *node, soa_front *front, double *N)
{
    for (int e = node->end; e >= 0; e = set->next_end[e]) {
        const soa_tie *tie = &set->tie[e / 2];
        for (int j = 0; tie->coupling && j < front->rows; j++) {
            if (front->row[j] == tie->first) {
                N[j] += set->row[tie->first].W[e % 2];
                front->missing[j]--;
            }
        }
    }
}

/* The scale of a coupling is the compliance of its joints. */
static void scale_couplings(const soa_closures *set, const soa_node *node, soa_front *front, double D_inv)
{
    for (int e = node->end; e >= 0; e = set->next_end[e]) {
        const soa_tie *tie = &set->tie[e / 2];
        for (int j = 0; tie->coupling && j < front->rows; j++) {
            if (front->row[j] == tie->first) {
                const double W = set->row[tie->first].W[e % 2];
                front->scale[j] += W * W * D_inv;
                front->came[j] += W * W * D_inv;
            }
        }
    }
}

/* The front crosses the joint of the node, whatever it is. */
static __attribute__((noinline)) void cross_any(soa_closures *set, soa_node *node, soa_front *front)
{
    const soa_part *part = &set->part[node->part];
    const vars *w = part_vars(&part->call);
    const soa_body_data *body = &part->model->body[node->body];
    double *N = soa_stack_take(&set->stack, (size_t)front->width * (size_t)body->nv, sizeof *N);
    if (!N) {
        return;
    }
    note_crossing(node, front, N);
    double gear[6];
    if (!is_plain(body)) {
        node->D_inv = w->D_inv[body->v][0];
    }
    if (body->geared) { /* any_inward has brought it to the parent */
        put3(gear, w->U[body->v].n), put3(gear + 3, w->U[body->v].f);
    }
    const soa_cross_call x = { .call = &part->call,
        .state = articulated_state(w),
        .front = front,
        .node = node,
        .nu = w->eps,
        .a = &w->a[0].w.x,
        .gear = gear,
        .projected = node->coupled };
    if (node->coupled) { /* couplings add to N */
        set->cross->project(&x);
        couple_joint(set, node, front, node->N);
        scale_couplings(set, node, front, node->D_inv);
    }
    set->cross->cross(&x);
}

/* Plain joints, the first that of `at`. */
static void cross_row(soa_closures *set, int at, int count, soa_front *front)
{
    const soa_part *part = &set->part[set->node[at].part];
    const vars *w = part_vars(&part->call);
    const soa_cross_call x = { .call = &part->call,
        .state = articulated_state(w),
        .front = front,
        .node = &set->node[at],
        .nu = w->eps,
        .a = &w->a[0].w.x };
    double *N = soa_stack_take(&set->stack, (size_t)count * (size_t)front->width, sizeof *N);
    if (N) {
        set->cross->row(&x, set->node, count, N);
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

/* The front goes on inward from `from`, whose joint is the next to be crossed. */
static void front_on(soa_closures *set, int from, soa_front *front)
{
    const int meet = set->node[from].meet;
    soa_front **to = meet == SOA_NO_NODE ? &set->leaving : &set->node[meet].came;
    front->from = from;
    front->other = *to;
    *to = front;
}

/* The front that leaves a branch goes to where it may be solved: another branch, or the end. */
static void leave_branch(soa_closures *set, int root)
{
    soa_front *front = set->leaving;
    const int next = set->node[root].next;
    front_arrive(set, front);
    const motion base = base_of(set, &set->part[set->node[root].part].call);
    set->cross->to_base(front, &base.v.x);
    set->leaving = NULL;
    if (next == SOA_NO_NODE) {
        front->other = set->final_front;
        set->final_front = front;
    } else if (set->node[next].meets) {
        front->from = SOA_NO_NODE;
        front->other = set->node[next].came;
        set->node[next].came = front;
    } else {
        front_on(set, next, front);
    }
}

#endif
