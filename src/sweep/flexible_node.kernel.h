/* sweep/flexible_node.kernel.h - where a node of a flexible link stands and how it moves with the modes.
 *
 *     l = position + sum of displacements eta,  R = exp(theta~),  theta = sum of rotations eta
 *     Pi = (Jl(theta) rotations; dl/deta)                                                           [FLEX]
 * all in the axes of the body. So the frame of a node, for motions and forces there, has these axes: from it to the body is a
 * shift by l alone, and what stands on the node is turned by R. Motions and forces are taken by the constant shapes and Jl;
 * displacements of second order add rows to them. */
#ifndef SOA_SWEEP_FLEXIBLE_NODE_KERNEL_H
#define SOA_SWEEP_FLEXIBLE_NODE_KERNEL_H

#include <math.h>

#include "sweep/filter.kernel.h"
#include "sweep/modal_rows.kernel.h"

KERNEL bool is_modal(const soa_body_data *body)
{
    return body->joint_class == SOA_CLASS_MODAL;
}

/* ---- rotation vectors ------------------------------------------------------------------------ */

enum { TURN_TERMS = 13 };

/* Powers of s in C = (a - sin a) / a^3, B1 = dB/ds, C1 = dC/ds and B = (1 - cos a) / s with s = a^2: entire functions. */
static const double turn_series[TURN_TERMS][4] = {
    { 1.0 / 6, -1.0 / 24, -1.0 / 120, 1.0 / 2 },
    { -1.0 / 120, 2.0 / 720, 2.0 / 5040, -1.0 / 24 },
    { 1.0 / 5040, -3.0 / 40320, -3.0 / 362880, 1.0 / 720 },
    { -1.0 / 362880, 4.0 / 3628800, 4.0 / 39916800, -1.0 / 40320 },
    { 1.0 / 39916800, -5.0 / 479001600, -5.0 / 6227020800.0, 1.0 / 3628800 },
    { -1.0 / 6227020800.0, 6.0 / 87178291200.0, 6.0 / 1307674368000.0, -1.0 / 479001600 },
    { 1.0 / 1307674368000.0, -7.0 / 20922789888000.0, -7.0 / 355687428096000.0, 1.0 / 87178291200.0 },
    { -1.0 / 355687428096000.0, 8.0 / 6402373705728000.0, 8.0 / 121645100408832000.0, -1.0 / 20922789888000.0 },
    { 1.0 / 121645100408832000.0, -9.0 / 2432902008176640000.0, -9.0 / 51090942171709440000.0,
        1.0 / 6402373705728000.0 },
    { -1.0 / 51090942171709440000.0, 10.0 / 1124000727777607680000.0, 10.0 / 25852016738884976640000.0,
        -1.0 / 2432902008176640000.0 },
    { 1.0 / 25852016738884976640000.0, -11.0 / 620448401733239439360000.0, -11.0 / 15511210043330985984000000.0,
        1.0 / 1124000727777607680000.0 },
    { -1.0 / 15511210043330985984000000.0, 12.0 / 403291461126605635584000000.0, 12.0 / 10888869450418352160768000000.0,
        -1.0 / 620448401733239439360000.0 },
    { 1.0 / 10888869450418352160768000000.0, 0.0, 0.0, 1.0 / 403291461126605635584000000.0 },
};

/* The sums y of turn_series, odd and even powers apart: they need not wait for each other. For one state all four are a vector. */
KERNEL void turn_sums(real s, real y[4])
{
#if LANES == 1
    const quad all = quad_set(s), square = all * all;
    quad even = pack_get(turn_series[TURN_TERMS - 1]), odd = pack_get(turn_series[TURN_TERMS - 2]);
    for (int k = TURN_TERMS - 3; k > 0; k -= 2) {
        even = quad_fma(even, square, pack_get(turn_series[k]));
        odd = quad_fma(odd, square, pack_get(turn_series[k - 1]));
    }
    pack_put(y, quad_fma(odd, all, quad_fma(even, square, pack_get(turn_series[0]))));
#else
    const real square = s * s;
    for (int e = 0; e < 4; e++) {
        real even = real_set(turn_series[TURN_TERMS - 1][e]), odd = real_set(turn_series[TURN_TERMS - 2][e]);
        for (int k = TURN_TERMS - 3; k > 0; k -= 2) {
            even = real_fma(even, square, real_set(turn_series[k][e]));
            odd = real_fma(odd, square, real_set(turn_series[k - 1][e]));
        }
        y[e] = real_fma(odd, s, real_fma(even, square, real_set(turn_series[0][e])));
    }
#endif
}

/* exp(theta~) = cos + sin / a theta~ + B theta theta* */
KERNEL mat3 turn_matrix(const turn_vars *n, real s, real B)
{
    const vec3 t = n->theta;
    const real c = real_fnma(s, B, real_set(1.0)), a = real_fnma(s, n->C, real_set(1.0));
    const vec3 u = vec3_scale(B, t);
    return (mat3){ real_fma(u.x, t.x, c), real_fnma(a, t.z, u.x * t.y), real_fma(a, t.y, u.x * t.z),
        real_fma(a, t.z, u.y * t.x), real_fma(u.y, t.y, c), real_fnma(a, t.x, u.y * t.z), real_fnma(a, t.y, u.z * t.x),
        real_fma(a, t.x, u.z * t.y), real_fma(u.z, t.z, c) };
}

/* Jl(theta) = 1 + B theta~ + C theta~^2, row by row. */
KERNEL mat3 turn_rate(const turn_vars *n, real s, real B)
{
    const vec3 t = n->theta, u = vec3_scale(n->C, t), v = vec3_scale(B, t);
    const real d = real_fnma(s, n->C, real_set(1.0));
    return (mat3){ real_fma(u.x, t.x, d), real_fma(u.x, t.y, -v.z), real_fma(u.x, t.z, v.y), real_fma(u.y, t.x, v.z),
        real_fma(u.y, t.y, d), real_fma(u.y, t.z, -v.x), real_fma(u.z, t.x, -v.y), real_fma(u.z, t.y, v.x),
        real_fma(u.z, t.z, d) };
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* A node of a flexible body: its constants, its variables, and rows of second-order displacements, one for each of
 * soa_modal_node.second. */
typedef struct carrier {
    const soa_body_data *on;
    const soa_modal_node *at;
    node_vars *n;
    turn_vars *turn;
    real *second;
} carrier;

KERNEL carrier node_of(const soa_body_data *on, int node, node_vars *n, turn_vars *turn, real *second)
{
    return (carrier){ on, &on->rest->modal->node[node - 1], n, turn, second };
}

/* The node that carries body k. */
KERNEL carrier carrier_of(const vars *w, const soa_model *m, int k)
{
    const soa_body_rest *rest = m->body[k].rest;
    return node_of(&m->body[m->body[k].parent], rest->node, &w->node[k], &w->turn[k], w->second + 3 * rest->port);
}

/* The constant shapes times n vectors x, one to AT_ONCE, and the rows of second-order displacements; with `from_rest` the first
 * is eta, and these rows are made of it: there they count half. */
KERNEL void node_sums(const carrier *c, int n, const double *const *x, bool from_rest, real (*y)[8])
{
    const soa_modal_parts *second = &c->at->second;
    const size_t m = (size_t)c->on->nv;
    table_products(&c->at->shape, 6, n, x, y[0], 8);
    for (int i = 0; from_rest && i < second->count; i++) {
        table_set(&second->x[i], x[0], c->second + (size_t)i * soa_modal_stride(m));
    }
    if (second->count > 0) {
        gain_sums(m, c->second, second->count, second->part, from_rest, n, x, y[0] + 3, 8);
    }
}

/* Where the node stands, y from node_sums of eta; returns R. */
KERNEL mat3 node_place(const carrier *c, const real y[8])
{
    const vec3 theta = { y[0], y[1], y[2] };
    const real s = vec3_dot(theta, theta);
    real series[4];
    turn_sums(s, series);
    *c->turn = (turn_vars){ theta, series[0], series[1], series[2] };
    const real B = real_select(real_less(s, real_set(SOA_MOST_NODE_TURN)), series[3], real_set(NAN));
    c->n->l = vec3_add(vec3_set(c->at->position), (vec3){ y[3], y[4], y[5] });
    c->n->Jl = turn_rate(c->turn, s, B);
    return turn_matrix(c->turn, s, B);
}

KERNEL mat3 node_turn(const soa_call *call, const carrier *c)
{
    const double *eta = modes_in(call->q, c->on->q);
    real y[AT_ONCE][8];
    node_sums(c, 1, &eta, true, y);
    return node_place(c, y[0]);
}

/* Where the node stands; returns its axes: R, and the link's axes in those of the body. */
KERNEL mat3 node_position(const soa_call *call, const carrier *c)
{
    return mat3_mul(node_turn(call, c), mat3_set(c->on->rest->frame.rotation));
}

/* to = X turned by R, as mat3_mul and mat3_mul_vec; of one state rows of X with a number of l each are vectors. */
KERNEL void pose_turn(const mat3 *R, pose X, pose *to)
{
#if LANES == 1
    const quad x = { X.R.xx, X.R.xy, X.R.xz, X.l.x }, y = { X.R.yx, X.R.yy, X.R.yz, X.l.y };
    const quad z = { X.R.zx, X.R.zy, X.R.zz, X.l.z };
    double by[9], *row = (double *)to;
    quad turned[3];
    memcpy(by, R, sizeof by);
    for (int i = 0; i < 3;
         i++) { /* a row of three spoils the first number of what follows, which is written after it */
        turned[i] =
            quad_fma(quad_all(by + 3 * i + 2), z, quad_fma(quad_all(by + 3 * i + 1), y, quad_all(by + 3 * i) * x));
        pack_put(row + 3 * i, turned[i]);
    }
    to->l = (vec3){ turned[0][3], turned[1][3], turned[2][3] };
#else
    *to = (pose){ mat3_mul(*R, X.R), mat3_mul_vec(*R, X.l) };
#endif
}

/* X, into `to`, and H of a body relative to its parent or to the node that carries it, R: how this node is turned. */
KERNEL void joint_position(const soa_call *call, const vars *w, int k, const mat3 *R, pose *to)
{
    const soa_body_data *body = &call->model->body[k];
    const pose at = pose_set(R ? &body->rest->on_node : &body->rest->at);
    pose X = at;
    if (body->joint_class == SOA_CLASS_REVOLUTE) {
        real s, c;
        real_sincos(in_get(call, call->q, (size_t)body->q), &s, &c);
        X.R = mat3_rotz(at.R, c, s);
    } else if (body->joint_class == SOA_CLASS_PRISMATIC) {
        X.l = vec3_scale_add(in_get(call, call->q, (size_t)body->q), mat3_column_z(at.R), at.l);
    } else if (!is_modal(body)) {
        general_position(call, w, k);
        X = w->X[k];
        if (R) {
            const mat3 F = mat3_set(call->model->body[body->parent].rest->frame.rotation);
            X = (pose){ mat3_mul(F, X.R), mat3_mul_vec(F, X.l) };
        }
    }
#ifdef SOA_SLOPES
    if (call->displaced && call->displaced_body == k) {
        pose by;
        memcpy(&by, call->displaced, sizeof by);
        X = pose_compose(by, X);
    }
#endif
    if (R) {
        pose_turn(R, X, to);
    } else {
        *to = X;
    }
}

/* From the body to a node and back. */
KERNEL motion node_outward(const node_vars *n, motion V)
{
    return (motion){ V.w, vec3_cross_add(V.w, n->l, V.v) };
}

KERNEL force node_inward(const node_vars *n, force f)
{
    return (force){ vec3_cross_add(n->l, f.f, f.n), f.f };
}

/* Pi x; rate: what x is of theta. */
KERNEL motion node_motion(const carrier *c, const double *x, vec3 *rate)
{
    real y[AT_ONCE][8];
    node_sums(c, 1, &x, false, y);
    *rate = (vec3){ y[0][0], y[0][1], y[0][2] };
    return (motion){ mat3_mul_vec(c->n->Jl, *rate), { y[0][3], y[0][4], y[0][5] } };
}

/* e += Pi* f, e numbers of the modes one after another. */
KERNEL void node_forces(const carrier *c, force f, real *e)
{
    const soa_modal_parts *second = &c->at->second;
    const vec3 n = mat3_t_mul_vec(c->n->Jl, f.n);
    const real by[6] = { n.x, n.y, n.z, f.f.x, f.f.y, f.f.z };
    row_sum sum;
    sum.from = numbers(e);
    sum.terms = 1;
    sum.term[0] = (row_term){ &c->at->shape_t, numbers(by) };
    sum.rows = second->count;
    sum.row = c->second;
    sum.s = by + 3;
    sum.part = second->part;
    row_make((size_t)c->on->nv, &sum, e);
}

/* Some numbers of a row of Jl times the first three constant rows. */
KERNEL pack turned_row(const real *J, const double *rows, size_t stride)
{
    return pack_fma(pack_all(J), pack_set(rows),
        pack_fma(pack_all(J + 1), pack_set(rows + stride), pack_all(J + 2) * pack_set(rows + 2 * stride)));
}

/* Pi as six rows of m numbers, from the constant ones: of the modes, or of what moves the node among them. */
KERNEL void node_rows(const carrier *c, size_t m, const double *rows, real *Pi)
{
    const size_t stride = soa_modal_stride(m);
    const mat3 J = c->n->Jl;
    for (size_t i = 0; i < m; i += PACK) {
        for (size_t e = 0; e < 3; e++) {
            pack_put(Pi + e * stride + i, turned_row(&J.xx + 3 * e, rows + i, stride));
        }
        for (size_t e = 3; e < 6; e++) {
            pack_put(Pi + e * stride + i, pack_set(rows + e * stride + i));
        }
    }
    for (int i = 0; i < c->at->second.count; i++) {
        real *row = Pi + (size_t)(3 + c->at->second.part[i]) * stride;
        for (size_t j = 0; j < m; j += PACK) {
            pack_put(row + j, pack_get(row + j) + pack_get(c->second + (size_t)i * stride + j));
        }
    }
}

/* Pi x for m numbers x of what moves the node to first order, from the constant rows: as node_rows and gain_sums. */
KERNEL motion rows_motion(const carrier *c, const size_t m, const double *rows, const real *x)
{
    const size_t stride = soa_modal_stride(m);
    const real *J = &c->n->Jl.xx;
    real y[6];
#if LANES == 1
    quad sum[6] = { { 0.0 }, { 0.0 }, { 0.0 }, { 0.0 }, { 0.0 }, { 0.0 } };
    for (size_t i = 0; i < m; i += PACK) {
        const quad by = pack_some(x, i, m);
        for (size_t e = 0; e < 6; e++) {
            const quad Pi = e < 3 ? turned_row(J + 3 * e, rows + i, stride) : pack_set(rows + e * stride + i);
            sum[e] = quad_fma(by, Pi, sum[e]);
        }
    }
    for (size_t e = 0; e < 6; e += 2) {
        quad_sums(sum[e], sum[e + 1], y + e);
    }
#else
    for (size_t e = 0; e < 6; e++) {
        real sum[4] = { real_set(0.0), real_set(0.0), real_set(0.0), real_set(0.0) };
#pragma GCC unroll 6
        for (size_t i = 0; i < m; i++) {
            const real Pi = e < 3 ? turned_row(J + 3 * e, rows + i, stride) : real_set(rows[e * stride + i]);
            sum[i % 4] = real_fma(x[i], Pi, sum[i % 4]);
        }
        y[e] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
#endif
    return six_motion(y);
}

/* a = V x U + (dPi/dt) etadot of a node that moves with V = phi* V(p) + U, U = Pi etadot. W is V(p).w, v is V.v, rate is
 * that of node_motion.  [A-gen] */
KERNEL motion node_bias(const carrier *c, const double *etadot, vec3 rate, vec3 W, vec3 v, motion U)
{
    const soa_modal_parts *second = &c->at->second;
    const turn_vars *n = c->turn;
    const vec3 tr = vec3_cross(n->theta, rate);
    const real s_dot = 2.0 * vec3_dot(n->theta, rate);
    vec3 w = vec3_scale_add(n->B1 * s_dot, tr, vec3_cross(W, U.w));
    w = vec3_scale_add(n->C1 * s_dot, vec3_cross(n->theta, tr), w);
    w = vec3_scale_add(n->C, vec3_cross(rate, tr), w);
    vec3 l = vec3_cross_add(W, U.v, vec3_cross(v, U.w)); /* U.w x U.v is in V x U and in dPi/dt */
    if (second->count > 0) {
        real more[3] = { real_set(0.0), real_set(0.0), real_set(0.0) };
        for (int i = 0; i < second->count; i++) {
            more[second->part[i]] = table_square((size_t)c->on->nv, &second->x[i], etadot);
        }
        l = vec3_add(l, (vec3){ more[0], more[1], more[2] });
    }
    return (motion){ w, l };
}
#endif
