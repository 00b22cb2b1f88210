/* closure/solve.kernel.h - forward dynamics of closed systems.  [CC]
 *
 *     betadot = (I - H psi K)* D^-1 [eps + H psi B A* lambda],   (A Lambda A*) lambda = -(A alpha_f + bias)
 *
 * in the three sweeps of the fast forward dynamics: outward V, a, b; inward P and eps with the
 * columns of H psi B A* beside them, and rows solved as soon as they can be (front.kernel.h); outward
 * the accelerations with the multipliers. Steps (A) to (F) of the closed topologies are all in it. */
#ifndef SOA_CLOSURE_SOLVE_KERNEL_H
#define SOA_CLOSURE_SOLVE_KERNEL_H

#include "closure/gather.kernel.h"
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
                force *z = &vars_at(&set->part[end->system].call)->b[end->body];
                *z = force_sub(*z, row_on_body(set, tie, &row, side));
            }
        }
    }
}

/* Gravity as an acceleration of the base. */
static motion base_of(const soa_closures *set, const soa_call *call)
{
    return set->mode == SOA_SOLVE_STEP ? motion_zero() : base_acceleration(call);
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
    const vars *w = vars_at(&part->call);
    const soa_body_data *body = &part->model->body[node->body];
    const size_t width = (size_t)front->width;
    node->N = soa_stack_take(&set->stack, width * (size_t)body->nv, sizeof *node->N);
    if (set->stack.overflow) {
        return;
    }
    node->row = front->row;
    node->rows = front->rows;
    node->width = front->width;
    double nu[SOA_JOINT_MAX_NV], gear[6];
    nu[0] = w->eps[body->v];
    if (!is_plain(body)) {
        joint_nu(w, body, nu);
        node->D_inv = w->D_inv[body->v][0];
    }
    if (body->geared) {
        const force column = gear_column(w, body, node->body);
        put3(gear, column.n), put3(gear + 3, column.f);
    }
    soa_cross_call *x = &part->cross;
    x->body = node->body;
    x->rows = front->rows;
    x->width = front->width;
    x->Y = front->Y, x->L = front->L, x->c = front->c, x->N = node->N;
    x->nu = nu;
    x->a = &w->a[node->body].w.x;
    x->gear = gear;
    x->D_inv = node->D_inv;
    x->projected = node->end >= 0;
    if (node->end >= 0) { /* couplings add to N */
        set->cross->project(x);
        couple_joint(set, node, front, node->N);
        scale_couplings(set, node, front, node->D_inv);
    }
    set->cross->cross(x);
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

/* The front crosses the joint of the node and goes to the next. */
KERNEL void front_on(soa_closures *set, soa_node *node, soa_front *front)
{
    front_inward(set, node, front);
    if (node->parent == SOA_NO_NODE) {
        front_to_base(set, node, front);
    }
    soa_front **to = node->next == SOA_NO_NODE ? &set->final_front : &set->node[node->next].came;
    front->other = *to;
    *to = front;
}

/* P, eps of a body. front: rows cross its joint too. */
static void body_inward(soa_call *call, const vars *w, soa_node *node, const articulated *P, bool front)
{
    const int k = node->body;
    const soa_body_data *body = &call->model->body[k];
    if (!is_plain(body)) {
        (is_free_root(body) && !front ? free_root_inward : other_inward)(call, w, k, P);
    } else if (body->joint_class == SOA_CLASS_REVOLUTE) {
        node->D_inv = 1.0 / P->A.zz;
        revolute_inward(call, w, k, *P);
    } else {
        node->D_inv = 1.0 / P->C.zz;
        prismatic_inward(call, w, k, *P);
    }
}

/* A node to which rows come. */
static __attribute__((noinline)) void front_node_inward(soa_closures *set, int at)
{
    soa_node *node = &set->node[at];
    soa_call *call = &set->part[node->part].call;
    const vars *w = vars_at(call);
    const soa_body_data *body = &call->model->body[node->body];
    const motion base = base_of(set, call);
    articulated P = is_plain(body) ? plain_inertia(w, body) : other_inertia(w, body, node->body);
    const node_load load = { &P, &w->b[node->body], yielding_of(&P) };
    soa_front *front = gather(set, at, &load, base);
    if (set->stack.overflow) {
        return;
    }
    body_inward(call, w, node, &P, front != NULL);
    if (front) {
        front_on(set, node, front);
    }
}

/* P, eps of a body to which no rows are added. */
KERNEL void alone_inward(soa_call *call, const vars *w, soa_node *node)
{
    const int k = node->body;
    const soa_body_data *body = &call->model->body[k];
    if (!is_plain(body)) {
        const articulated P = other_inertia(w, body, k);
        body_inward(call, w, node, &P, node->came != NULL);
    } else if (body->joint_class == SOA_CLASS_REVOLUTE) {
        const articulated P = plain_inertia(w, body);
        node->D_inv = 1.0 / P.A.zz;
        revolute_inward(call, w, k, P);
    } else {
        const articulated P = plain_inertia(w, body);
        node->D_inv = 1.0 / P.C.zz;
        prismatic_inward(call, w, k, P);
    }
}

static void sweep_inward(soa_closures *set)
{
    for (int i = 0; i < set->nodes && !set->stack.overflow; i++) {
        const int at = set->sequence[i];
        soa_node *node = &set->node[at];
        if (node->end >= 0 || (node->came && node->came->other)) {
            front_node_inward(set, at);
            continue;
        }
        soa_call *call = &set->part[node->part].call;
        alone_inward(call, vars_at(call), node);
        if (node->came) { /* rows that only pass */
            front_on(set, node, node->came);
        }
    }
}

/* ---- outward: accelerations, multipliers ------------------------------------------------------------------ */

/* What the multipliers do to the joint of a node: D^-1 N lambda, or N lambda. */
static void push_joint(const soa_closures *set, const vars *w, const soa_node *node, const soa_body_data *body)
{
    for (int i = 0; i < body->nv; i++) {
        const double *N = node->N + (size_t)i * (size_t)node->width;
        double push = 0.0;
        for (int j = 0; j < node->rows; j++) {
            push = real_fma(N[j], set->lambda[node->row[j]], push);
        }
        w->eps[body->v + i] += is_plain(body) ? node->D_inv * push : push;
    }
}

static void sweep_outward(soa_closures *set)
{
    for (int i = set->nodes - 1; i >= 0 && !set->stack.overflow; i--) {
        const soa_node *node = &set->node[set->sequence[i]];
        const soa_call *call = &set->part[node->part].call;
        const vars *w = vars_at(call);
        const int k = node->body;
        const soa_body_data *body = &call->model->body[k];
        if (node->rows > 0) {
            push_joint(set, w, node, body);
        }
        const motion base = body->parent < 0 ? base_of(set, call) : motion_zero();
        const motion *at_parent = body->parent < 0 ? &base : &w->alpha[body->parent];
        if (is_plain(body)) {
            plain_smoother(call, w, k, *at_parent);
        } else {
            (is_free_root(body) && node->rows == 0 ? free_root_smoother : other_smoother)(call, w, k, at_parent);
        }
        for (int b = node->block; b >= 0; b = set->block[b].before) {
            block_back(set, &set->block[b], w->alpha[k]);
        }
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
                const motion alpha = vars_at(&set->part[end->system].call)->alpha[end->body];
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
        part->cross.call = &part->call;
        part->cross.state = articulated_state(vars_at(&part->call));
        system_outward(set, &set->part[s]);
    }
    make_rows(set, in);
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
