/* closure/solve.kernel.h - forward dynamics of closed systems.  [CC]
 *
 *     betadot = (I - H psi K)* D^-1 [eps + H psi B A* lambda],   (A Lambda A*) lambda = -(A alpha_f + bias)
 *
 * in the three sweeps of the fast forward dynamics: outward V, a, b; inward P and eps with the
 * columns of H psi B A* beside them, and rows solved as soon as they can be (front.kernel.h); outward
 * the accelerations with the multipliers. Steps (A) to (F) of the closed topologies are all in it. */
#ifndef SOA_CLOSURE_SOLVE_KERNEL_H
#define SOA_CLOSURE_SOLVE_KERNEL_H

#include "closure/front.kernel.h"
#include "dynamics/fast.kernel.h"

/* ---- outward: velocities, places ----------------------------------------------------------------------- */

static void system_outward(const soa_closures *set, soa_part *part)
{
    soa_call *call = &part->call;
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    if (call->f.at) {
        position_sweep(call, &w);
        placement_sweep(call, &w);
    }
    crossings_begin(call, &w);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const bool plain = is_plain(body);
        if (plain) {
            plain_outward(call, &w, k);
        } else {
            other_outward(call, &w, k);
        }
        if (set->node[part->node + k].placed) {
            const pose W = body->parent < 0 ? pose_identity() : w.W[body->parent];
            w.W[k] = plain ? cross_placement(body, crossing_again(&w, body, k), W) : pose_compose(W, w.X[k]);
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
                force *z = &vars_of(&set->part[end->system].call).b[end->body];
                *z = force_sub(*z, row_on_body(set, tie, &row, side));
            }
        }
    }
}

/* ---- inward ------------------------------------------------------------------------------------------------ */

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

/* nu = D^-1 eps of any joint but a plain one. */
static void joint_nu(const vars *w, const soa_body_data *body, double *nu)
{
    for (int i = 0; i < body->nv; i++) {
        nu[i] = 0.0;
        for (int j = 0; j < body->nv; j++) {
            nu[i] = real_fma(w->D_inv[body->v + i][j], w->eps[body->v + j], nu[i]);
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

/* The front crosses the joint of the node. */
static void front_inward(soa_closures *set, soa_node *node, soa_front *front)
{
    soa_part *part = &set->part[node->part];
    const vars w = vars_of(&part->call);
    const soa_body_data *body = &part->model->body[node->body];
    const size_t rows = (size_t)front->rows, width = (size_t)front->width;
    int *row = soa_stack_take(&set->stack, rows, sizeof *row);
    node->N = soa_stack_take(&set->stack, width * (size_t)body->nv, sizeof *node->N);
    if (set->stack.overflow) {
        return;
    }
    memcpy(row, front->row, rows * sizeof *row);
    node->row = row;
    node->rows = front->rows;
    node->width = front->width;
    double nu[SOA_JOINT_MAX_NV] = { w.eps[body->v] }, gear[6] = { 0.0 };
    if (!is_plain(body)) {
        joint_nu(&w, body, nu);
        node->D_inv = w.D_inv[body->v][0];
    }
    if (body->geared) {
        const force column = gear_column(&w, body, node->body);
        put3(gear, column.n), put3(gear + 3, column.f);
    }
    const soa_cross_call x = { .call = &part->call,
        .state = articulated_state(&w),
        .body = node->body,
        .rows = front->rows,
        .width = front->width,
        .Y = front->Y,
        .L = front->L,
        .c = front->c,
        .N = node->N,
        .nu = nu,
        .a = &w.a[node->body].w.x,
        .gear = gear,
        .D_inv = node->D_inv };
    set->cross->project(&x);
    couple_joint(set, node, front, node->N);
    scale_couplings(set, node, front, node->D_inv);
    set->cross->cross(&x);
}

/* The front goes to the next node. At the base alpha is known. */
static void front_on(soa_closures *set, const soa_node *node, soa_front *front, motion base)
{
    if (node->parent == SOA_NO_NODE) {
        for (int j = 0; j < front->rows; j++) {
            front->c[j] += power(front_get(front, j), base);
        }
        memset(front->Y, 0, 6 * (size_t)front->width * sizeof *front->Y);
    }
    soa_front **to = node->next == SOA_NO_NODE ? &set->final_front : &set->node[node->next].came;
    front->other = *to;
    *to = front;
}

/* P, eps of a body, and the joint crossed by what is there. */
static void body_inward(soa_closures *set, soa_node *node, articulated P, bool front)
{
    soa_call *call = &set->part[node->part].call;
    const vars w = vars_of(call);
    const int k = node->body;
    const soa_body_data *body = &call->model->body[k];
    if (!is_plain(body)) {
        (is_free_root(body) && !front ? free_root_inward : other_inward)(call, &w, k, &P);
    } else if (body->joint_class == SOA_CLASS_REVOLUTE) {
        node->D_inv = 1.0 / P.A.zz;
        revolute_inward(call, &w, k, P);
    } else {
        node->D_inv = 1.0 / P.C.zz;
        prismatic_inward(call, &w, k, P);
    }
}

static void node_inward(soa_closures *set, int at)
{
    soa_node *node = &set->node[at];
    soa_call *call = &set->part[node->part].call;
    const vars w = vars_of(call);
    const soa_body_data *body = &call->model->body[node->body];
    articulated P = is_plain(body) ? plain_inertia(&w, body) : other_inertia(&w, body, node->body);
    if (!node->came && node->end < 0) {
        body_inward(set, node, P, false);
        return;
    }
    const motion base = base_acceleration(call);
    soa_front *front = front_at(set, node, &P, base);
    if (!front) {
        return;
    }
    if (front != node->came) {
        front_solve(set, at, front, (node_load){ &P, &w.b[node->body] });
    }
    body_inward(set, node, P, front->rows > 0);
    if (front->rows > 0 && !set->stack.overflow) {
        front_inward(set, node, front);
        front_on(set, node, front, base);
    }
}

/* ---- outward: accelerations, multipliers ------------------------------------------------------------------ */

static void node_outward(soa_closures *set, int at)
{
    const soa_node *node = &set->node[at];
    const soa_call *call = &set->part[node->part].call;
    const vars w = vars_of(call);
    const int k = node->body;
    const soa_body_data *body = &call->model->body[k];
    const bool plain = is_plain(body);
    for (int i = 0; node->rows > 0 && i < body->nv; i++) {
        const double *N = node->N + (size_t)i * (size_t)node->width;
        double push = 0.0;
        for (int j = 0; j < node->rows; j++) {
            push = real_fma(N[j], set->lambda[node->row[j]], push);
        }
        w.eps[body->v + i] += plain ? node->D_inv * push : push;
    }
    const motion base = base_acceleration(call);
    const motion *at_parent = body->parent < 0 ? &base : &w.alpha[body->parent];
    if (plain) {
        plain_smoother(call, &w, k, *at_parent);
    } else {
        (is_free_root(body) && node->rows == 0 ? free_root_smoother : other_smoother)(call, &w, k, at_parent);
    }
    for (int b = node->block; b >= 0; b = set->block[b].before) {
        block_back(set, &set->block[b], w.alpha[k]);
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
        front_solve(set, SOA_NO_NODE, front, (node_load){ NULL, NULL });
    }
    for (int b = first; b < set->blocks && !set->stack.overflow; b++) {
        block_back(set, &set->block[b], motion_zero());
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
                const motion alpha = vars_of(&set->part[end->system].call).alpha[end->body];
                row->weight += sqrt(vec3_dot(alpha.w, alpha.w)) + sqrt(vec3_dot(alpha.v, alpha.v));
            }
        }
    }
}

/* -1, or the system whose body cannot be moved. */
static int closed_solve(soa_closures *set, const soa_closed_input *in, int *body)
{
    begin_solution(set);
    for (int s = 0; s < set->systems; s++) {
        open_call(&set->part[s], in);
        system_outward(set, &set->part[s]);
    }
    make_rows(set, in);
    apply_wrenches(set);
    for (int i = 0; i < set->nodes && !set->stack.overflow; i++) {
        node_inward(set, set->sequence[i]);
    }
    solve_rest(set);
    for (int i = set->nodes - 1; i >= 0 && !set->stack.overflow; i--) {
        node_outward(set, set->sequence[i]);
    }
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
