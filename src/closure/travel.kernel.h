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

/* What the front leaves at the joint of a node. */
static bool note_crossing(soa_closures *set, soa_node *node, const soa_front *front, int nv)
{
    node->N = soa_stack_take(&set->stack, (size_t)front->width * (size_t)nv, sizeof *node->N);
    node->row = front->row;
    node->rows = front->rows;
    node->width = front->width;
    return node->N != NULL;
}

/* The front crosses the joint of the node, whatever it is. */
static __attribute__((noinline)) void cross_any(soa_closures *set, soa_node *node, soa_front *front)
{
    const soa_part *part = &set->part[node->part];
    const vars *w = part_vars(&part->call);
    const soa_body_data *body = &part->model->body[node->body];
    if (!note_crossing(set, node, front, body->nv)) {
        return;
    }
    double gear[6];
    if (!is_plain(body)) {
        node->D_inv = w->D_inv[body->v][0];
    }
    if (body->geared) { /* joint_inward has brought it to the parent */
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

/* Whether the front crosses the joint of the node as others in a row. */
static bool crosses_plainly(const soa_closures *set, const soa_node *node)
{
    return is_plain(&set->part[node->part].model->body[node->body]) && !node->coupled;
}

/* The plain joints from `at` on. Returns the node behind them. */
static int cross_row(soa_closures *set, int at, int stop, soa_front *front)
{
    const soa_part *part = &set->part[set->node[at].part];
    const vars *w = part_vars(&part->call);
    const soa_cross_call x = { .call = &part->call,
        .state = articulated_state(w),
        .front = front,
        .node = &set->node[at],
        .nu = w->eps,
        .a = &w->a[0].w.x };
    int count = 0;
    for (; at != stop && crosses_plainly(set, &set->node[at]); at = set->node[at].parent) {
        if (!note_crossing(set, &set->node[at], front, 1)) {
            return stop;
        }
        count++;
    }
    set->cross->row(&x, set->node, count);
    return at;
}

/* The front crosses all joints that it has passed since it last was looked at, up to `stop`. */
static void front_arrive(soa_closures *set, soa_front *front, int stop)
{
    for (int at = front->from; at != stop && !set->stack.overflow;) {
        if (crosses_plainly(set, &set->node[at])) {
            at = cross_row(set, at, stop, front);
        } else {
            cross_any(set, &set->node[at], front);
            at = set->node[at].parent;
        }
    }
}

/* At the base alpha is known: Y goes into c. */
static void front_to_base(const soa_closures *set, const soa_node *node, soa_front *front)
{
    const motion base = base_of(set, &set->part[node->part].call);
    for (int j = 0; j < front->rows; j++) {
        front->c[j] += power(front_get(front, j), base);
    }
    memset(front->Y, 0, 6 * (size_t)front->width * sizeof *front->Y);
}

/* The front goes on to the next node. */
KERNEL void front_on(soa_closures *set, int at, soa_front *front)
{
    const soa_node *node = &set->node[at];
    if (node->parent == SOA_NO_NODE) {
        front_arrive(set, front, SOA_NO_NODE);
        front_to_base(set, node, front);
        front->from = node->next;
    }
    soa_front **to = node->next == SOA_NO_NODE ? &set->final_front : &set->node[node->next].came;
    front->other = *to;
    *to = front;
}

#endif
