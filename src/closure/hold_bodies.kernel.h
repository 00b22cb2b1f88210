/* closure/hold_bodies.kernel.h - fronts that hold several bodies.
 *
 * A body m that a front holds has six columns in it, the multipliers of which are -alpha(m) and the rows of which say how
 * the front pulls at m:
 *     Y_jm alpha(m) = L_jm lambda_m,   L_jm = -Y_jm*,   L_mm = -(what the front adds to P of m),   c_m: what it adds to z
 * So everything that is done to rows is done to bodies too: when a joint is crossed N* D^-1 N is taken off the inertia
 * between held bodies, and a row that is solved adds Y Y* / L to it. To cross the joint of m its columns become Y, P and z
 * again. These are never pivots: they wait for their own joint. */
#ifndef SOA_CLOSURE_HOLD_BODIES_KERNEL_H
#define SOA_CLOSURE_HOLD_BODIES_KERNEL_H

#include "closure/inward.kernel.h"

/* ---- bodies of a front -------------------------------------------------------------------------------- */

/* The first column of a held body, or -1. */
static int held_column(const soa_closures *set, const soa_front *front, int node)
{
    for (int j = 0; j < front->rows; j++) {
        if (front->row[j] == soa_held_row(set, node)) {
            return j;
        }
    }
    return -1;
}

/* P of the body less the block of L at its columns. */
static articulated less_block(const soa_front *front, int at, articulated P)
{
    const size_t w = (size_t)front->width;
    const double *L = front->L + (size_t)at * w + (size_t)at;
    P.A = (sym3){ P.A.xx - L[0], P.A.xy - L[1], P.A.xz - L[2], P.A.yy - L[w + 1], P.A.yz - L[w + 2],
        P.A.zz - L[2 * w + 2] };
    P.B = (mat3){ P.B.xx - L[3], P.B.xy - L[4], P.B.xz - L[5], P.B.yx - L[w + 3], P.B.yy - L[w + 4], P.B.yz - L[w + 5],
        P.B.zx - L[2 * w + 3], P.B.zy - L[2 * w + 4], P.B.zz - L[2 * w + 5] };
    L += 3 * w + 3;
    P.C = (sym3){ P.C.xx - L[0], P.C.xy - L[1], P.C.xz - L[2], P.C.yy - L[w + 1], P.C.yz - L[w + 2],
        P.C.zz - L[2 * w + 2] };
    return P;
}

/* The columns of a held body become Y, P and z. */
static void raise_body(soa_closures *set, soa_front *front, int node, articulated *P, force *z)
{
    const int at = held_column(set, front, node), w = front->width;
    const size_t borrowed = set->stack.borrowed;
    bool *gone = soa_stack_borrow(&set->stack, (size_t)front->rows, sizeof *gone);
    if (at < 0 || !gone) {
        return;
    }
    for (int j = 0; j < front->rows; j++) {
        gone[j] = j >= at && j < at + 6;
        for (int i = 0; i < 6; i++) {
            front->Y[i * w + j] -= front->L[(size_t)(at + i) * (size_t)w + (size_t)j];
        }
    }
    const double *c = front->c + at;
    *P = less_block(front, at, *P);
    *z = force_add(*z, (force){ { c[0], c[1], c[2] }, { c[3], c[4], c[5] } });
    compact(set, front, gone);
    set->stack.borrowed = borrowed;
}

/* Six empty columns at the end of a front. */
static int append_body(const soa_closures *set, soa_front *front, int node)
{
    const int at = front->rows;
    front->rows += 6;
    for (int i = at; i < at + 6; i++) {
        front->row[i] = soa_held_row(set, node) + i - at;
        front->missing[i] = 1;
        front->c[i] = front->scale[i] = front->came[i] = 0.0;
        memset(front->L + (size_t)i * (size_t)front->width, 0, (size_t)front->width * sizeof(double));
        for (int j = 0; j < at; j++) {
            front->L[(size_t)j * (size_t)front->width + (size_t)i] = 0.0;
        }
    }
    return at;
}

/* Y becomes columns of the node, which the front then holds. */
static void lower_body(const soa_closures *set, soa_front *front, int node)
{
    const int found = held_column(set, front, node), w = front->width;
    const int at = found < 0 ? append_body(set, front, node) : found;
    for (int j = 0; j < front->rows; j++) {
        for (int i = 0; i < 6; i++) {
            const double y = front->Y[i * w + j];
            front->L[(size_t)j * (size_t)w + (size_t)(at + i)] -= y;
            front->L[(size_t)(at + i) * (size_t)w + (size_t)j] -= y;
        }
    }
    memset(front->Y, 0, 6 * (size_t)w * sizeof *front->Y);
}

/* ---- rows of closures ------------------------------------------------------------------------------------ */

/* Rows of a tie at the end that a held body is, whose columns begin at `at`. */
static void insert_held(soa_closures *set, soa_front *front, int end, int at)
{
    const soa_tie *tie = &set->tie[end / 2];
    const soa_end *there = &tie->end[end % 2];
    const soa_node *node = &set->node[there->node];
    const motion base = base_of(set, &set->part[there->system].call);
    const yielding by = { node->yields_turn, node->yields_shift };
    const soa_insertion from = insertion_of(set, end, &by, &base);
    double room[10 * SOA_MAX_LANES] = { 0.0 };
    soa_front one = front_of_numbers(tie->rows, room);
    set->cross->insert(&one, &from);
    for (int r = 0; r < tie->rows; r++) {
        const int j = set->fronts.where[tie->first + r];
        for (int i = 0; i < 6; i++) {
            const double y = one.Y[i * SOA_MAX_LANES + r];
            front->L[(size_t)j * (size_t)front->width + (size_t)(at + i)] -= y;
            front->L[(size_t)(at + i) * (size_t)front->width + (size_t)j] -= y;
        }
        front->missing[j]--;
        front->c[j] += one.c[r];
        front->scale[j] += one.scale[r];
        front->came[j] += one.came[r];
    }
}

/* Whether a tie comes in at this end: at the node that is left behind first. */
static bool comes_in(const soa_closures *set, int at, int end)
{
    const soa_tie *tie = &set->tie[end / 2];
    const int other = tie->end[1 - end % 2].node;
    return other == SOA_NO_NODE || set->node[at].turn < set->node[other].turn;
}

static void hold_tie(soa_closures *set, soa_front *front, int end, const node_load *load)
{
    const soa_tie *tie = &set->tie[end / 2];
    const int other = tie->end[1 - end % 2].node;
    front_insert(set, front, end, &load->by, &load->base);
    if (other != SOA_NO_NODE) {
        const int held = front_column(set, front, soa_held_row(set, other));
        for (int i = 1; i < 6; i++) {
            (void)front_column(set, front, soa_held_row(set, other) + i);
        }
        if (!tie->coupling) {
            insert_held(set, front, end ^ 1, held);
        }
    }
}

/* ---- inward --------------------------------------------------------------------------------------------------- */

/* How many columns may come together at a node, without its parent's. */
static int columns_at(const soa_closures *set, int at)
{
    int count = 0;
    for (const soa_front *from = set->node[at].came; from; from = from->other) {
        count += from->rows - 6;
    }
    for (int e = set->node[at].end; e >= 0; e = set->plan.next_end[e]) {
        count += comes_in(set, at, e) ? set->tie[e / 2].rows + 6 : 0;
    }
    return count;
}

/* All that has to do with a node, its rows solved as far as they can be; NULL: nothing is left. */
static soa_front *hold_at(soa_closures *set, int at, articulated *P, force *z)
{
    soa_node *node = &set->node[at];
    const int count = columns_at(set, at);
    soa_front *front = count > 0 ? front_new(set, count + 6) : NULL;
    for (soa_front *from = node->came, *next; from && !set->stack.overflow; from = next) {
        next = from->other;
        raise_body(set, from, at, P, z);
        if (front) {
            front_add(set, front, from);
        }
    }
    if (!front || set->stack.overflow) {
        return NULL;
    }
    const node_load load = { P, z, yielding_of(P), base_of(set, &set->part[node->part].call) };
    for (int e = node->end; e >= 0; e = set->plan.next_end[e]) {
        if (comes_in(set, at, e)) {
            hold_tie(set, front, e, &load);
        }
    }
    forget_columns(set, front);
    front_solve(set, at, front, &load);
    return front->rows > 0 ? front : NULL;
}

/* P and nu of a node, and its P behind the joint to the parent. The sweeps of trees use the places for P in another order
 * than this one, so each node has its own here. */
static void held_inward(soa_closures *set, soa_node *node, const articulated *P, bool rows)
{
    soa_call *call = &set->part[node->part].call;
    const vars *w = part_vars(call);
    const soa_body_data *body = &call->model->body[node->body];
    articulated *to = body->parent < 0 ? NULL : &w->Q[call->model->body[body->parent].slot];
    if (to) {
        *to = articulated_zero();
    }
    node_inward(call, w, node, P, rows);
    if (to) {
        articulated *parent = (articulated *)(void *)set->fronts.held_P + node->parent;
        *parent = articulated_add(*parent, *to);
    }
}

static void hold_inward(soa_closures *set, int at)
{
    soa_node *node = &set->node[at];
    const soa_call *call = &set->part[node->part].call;
    const vars *w = part_vars(call);
    const soa_body_data *body = &call->model->body[node->body];
    articulated P = body->leaf ? articulated_from_rigid(rigid_set(body->inertia))
                               : ((const articulated *)(const void *)set->fronts.held_P)[at];
    soa_front *front = hold_at(set, at, &P, &w->b[node->body]);
    if (set->stack.overflow) {
        return;
    }
    held_inward(set, node, &P, front != NULL);
    if (!front) {
        return;
    }
    cross_any(set, node, front);
    if (node->parent == SOA_NO_NODE) {
        const motion base = base_of(set, call);
        set->cross->to_base(front, &base.v.x);
    } else {
        lower_body(set, front, node->parent);
    }
    soa_front **to = node->next == SOA_NO_NODE ? &set->fronts.final_front : &set->node[node->next].came;
    front->other = *to;
    *to = front;
}

static void begin_holding(soa_closures *set)
{
    memset(set->fronts.held_P, 0, (size_t)set->nodes * sizeof(articulated));
    for (int k = 0; k < set->nodes; k++) {
        soa_node *node = &set->node[k];
        const articulated P = articulated_from_rigid(rigid_set(set->part[node->part].model->body[node->body].inertia));
        const yielding by = yielding_of(&P);
        node->yields_turn = by.turn > 0.0 ? by.turn : 1.0;
        node->yields_shift = by.shift > 0.0 ? by.shift : 1.0;
        for (int i = 0; i < 6; i++) {
            set->fronts.where[soa_held_row(set, k) + i] = set->fronts.first_block[soa_held_row(set, k) + i] = -1;
        }
    }
}

static void sweep_holding(soa_closures *set)
{
    begin_holding(set);
    for (int i = 0; i < set->nodes && !set->stack.overflow; i++) {
        hold_inward(set, set->plan.run[i].node);
    }
}

/* What a node's acceleration is to fronts that hold it. */
static void put_held(const soa_closures *set, int at, motion alpha)
{
    double *lambda = set->last.lambda + soa_held_row(set, at);
    put3(lambda, vec3_scale(real_set(-1.0), alpha.w));
    put3(lambda + 3, vec3_scale(real_set(-1.0), alpha.v));
}

#endif
