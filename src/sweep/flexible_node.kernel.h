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
#include "sweep/modal_table.kernel.h"

KERNEL bool is_modal(const soa_body_data *body)
{
    return body->joint_class == SOA_CLASS_MODAL;
}

/* ---- rotation vectors ------------------------------------------------------------------------ */

enum { TURN_TERMS = 13 };

/* sum of x(k) s^k, odd and even powers apart: they need not wait for each other. */
KERNEL real turn_sum(const double x[TURN_TERMS], real s, real ss)
{
    real even = real_set(x[TURN_TERMS - 1]), odd = real_set(x[TURN_TERMS - 2]);
    for (int k = TURN_TERMS - 3; k > 0; k -= 2) {
        even = real_fma(even, ss, real_set(x[k]));
        odd = real_fma(odd, ss, real_set(x[k - 1]));
    }
    return real_fma(odd, s, real_fma(even, ss, real_set(x[0])));
}

/* Returns B = (1 - cos a) / s; C = (a - sin a) / a^3 with s = a^2, and their derivatives by s: entire functions, as series. */
KERNEL real turn_series(node_vars *n, real s)
{
    static const double b[TURN_TERMS] = { 1.0 / 2, -1.0 / 24, 1.0 / 720, -1.0 / 40320, 1.0 / 3628800, -1.0 / 479001600,
        1.0 / 87178291200.0, -1.0 / 20922789888000.0, 1.0 / 6402373705728000.0, -1.0 / 2432902008176640000.0,
        1.0 / 1124000727777607680000.0, -1.0 / 620448401733239439360000.0, 1.0 / 403291461126605635584000000.0 };
    static const double c[TURN_TERMS] = { 1.0 / 6, -1.0 / 120, 1.0 / 5040, -1.0 / 362880, 1.0 / 39916800,
        -1.0 / 6227020800.0, 1.0 / 1307674368000.0, -1.0 / 355687428096000.0, 1.0 / 121645100408832000.0,
        -1.0 / 51090942171709440000.0, 1.0 / 25852016738884976640000.0, -1.0 / 15511210043330985984000000.0,
        1.0 / 10888869450418352160768000000.0 };
    static const double b1[TURN_TERMS] = { -1.0 / 24, 2.0 / 720, -3.0 / 40320, 4.0 / 3628800, -5.0 / 479001600,
        6.0 / 87178291200.0, -7.0 / 20922789888000.0, 8.0 / 6402373705728000.0, -9.0 / 2432902008176640000.0,
        10.0 / 1124000727777607680000.0, -11.0 / 620448401733239439360000.0, 12.0 / 403291461126605635584000000.0,
        0.0 };
    static const double c1[TURN_TERMS] = { -1.0 / 120, 2.0 / 5040, -3.0 / 362880, 4.0 / 39916800, -5.0 / 6227020800.0,
        6.0 / 1307674368000.0, -7.0 / 355687428096000.0, 8.0 / 121645100408832000.0, -9.0 / 51090942171709440000.0,
        10.0 / 25852016738884976640000.0, -11.0 / 15511210043330985984000000.0, 12.0 / 10888869450418352160768000000.0,
        0.0 };
    const real ss = s * s, B = turn_sum(b, s, ss);
    n->C = turn_sum(c, s, ss);
    n->B1 = turn_sum(b1, s, ss);
    n->C1 = turn_sum(c1, s, ss);
    return real_select(real_less(s, real_set(SOA_MOST_NODE_TURN)), B, real_set(NAN));
}

/* exp(theta~) = cos + sin / a theta~ + B theta theta* */
KERNEL mat3 turn_matrix(const node_vars *n, real s, real B)
{
    const vec3 t = n->theta;
    const real c = real_fnma(s, B, real_set(1.0)), a = real_fnma(s, n->C, real_set(1.0));
    const vec3 u = vec3_scale(B, t);
    return (mat3){ real_fma(u.x, t.x, c), real_fnma(a, t.z, u.x * t.y), real_fma(a, t.y, u.x * t.z),
        real_fma(a, t.z, u.y * t.x), real_fma(u.y, t.y, c), real_fnma(a, t.x, u.y * t.z), real_fnma(a, t.y, u.z * t.x),
        real_fma(a, t.x, u.z * t.y), real_fma(u.z, t.z, c) };
}

/* Jl(theta) = 1 + B theta~ + C theta~^2, row by row. */
KERNEL mat3 turn_rate(const node_vars *n, real s, real B)
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
    real *second;
} carrier;

KERNEL carrier node_of(const soa_body_data *on, int node, node_vars *n, real *second)
{
    return (carrier){ on, &on->rest->modal->node[node - 1], n, second };
}

/* The node that carries body k. */
KERNEL carrier carrier_of(const vars *w, const soa_model *m, int k)
{
    const soa_body_rest *rest = m->body[k].rest;
    return node_of(&m->body[m->body[k].parent], rest->node, &w->node[k], w->second + 3 * rest->port);
}

/* Where the node stands; returns its axes: R, and the link's axes in those of the body. */
KERNEL mat3 node_position(const soa_call *call, const carrier *c)
{
    const soa_modal_node *at = c->at;
    node_vars *n = c->n;
    const size_t m = (size_t)c->on->nv;
    const double *eta = modes_in(call->q, c->on->q);
    real y[8], half[4];
    table_set(&at->shape, eta, y);
    for (int i = 0; i < at->second.count; i++) {
        table_set(&at->second.x[i], eta, c->second + (size_t)i * soa_modal_step(m));
    }
    if (at->second.count > 0) {
        rows_dots(m, c->second, at->second.count, eta, half);
    }
    for (int i = 0; i < at->second.count; i++) {
        real *part = y + 3 + at->second.part[i];
        *part = real_fma(real_set(0.5), half[i], *part);
    }
    n->theta = (vec3){ y[0], y[1], y[2] };
    n->l = vec3_add(vec3_set(at->position), (vec3){ y[3], y[4], y[5] });
    const real s = vec3_dot(n->theta, n->theta), B = turn_series(n, s);
    n->Jl = turn_rate(n, s, B);
    return mat3_mul(turn_matrix(n, s, B), pose_set(&c->on->rest->frame).R);
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
    const soa_modal_node *at = c->at;
    real y[8], more[4];
    table_set(&at->shape, x, y);
    if (at->second.count > 0) {
        rows_dots((size_t)c->on->nv, c->second, at->second.count, x, more);
    }
    for (int i = 0; i < at->second.count; i++) {
        real *part = y + 3 + at->second.part[i];
        *part = *part + more[i];
    }
    *rate = (vec3){ y[0], y[1], y[2] };
    return (motion){ mat3_mul_vec(c->n->Jl, *rate), { y[3], y[4], y[5] } };
}

/* e += Pi* f, e numbers of the modes one after another. */
KERNEL void node_forces(const carrier *c, force f, real *e)
{
    const size_t m = (size_t)c->on->nv;
    const soa_modal_parts *second = &c->at->second;
    const vec3 n = mat3_t_mul_vec(c->n->Jl, f.n);
    const real by[6] = { n.x, n.y, n.z, f.f.x, f.f.y, f.f.z };
    real room[SOA_MAX_MODES], *row = row_made(e, room), by_row[3];
    if (row != e) {
        row_get(m, e, row);
    }
    table_add(&c->at->shape_t, numbers(by), row);
    for (int i = 0; i < second->count; i++) {
        by_row[i] = by[3 + second->part[i]];
    }
    if (second->count > 0) {
        rows_add(m, c->second, second->count, by_row, row);
    }
    if (row != e) {
        row_put(m, row, e);
    }
}

/* Pi as six rows of m numbers, from the constant ones: of the modes, or of what moves the node among them. */
static inline void node_rows(const carrier *c, size_t m, const double *rows, real *Pi)
{
    const size_t step = soa_modal_step(m);
    const mat3 J = c->n->Jl;
    for (size_t i = 0; i < m; i += PACK) {
        const pack x = pack_set(rows + i), y = pack_set(rows + step + i), z = pack_set(rows + 2 * step + i);
        pack_put(Pi + i, pack_fma(pack_all(&J.xx), x, pack_fma(pack_all(&J.xy), y, pack_all(&J.xz) * z)));
        pack_put(Pi + step + i, pack_fma(pack_all(&J.yx), x, pack_fma(pack_all(&J.yy), y, pack_all(&J.yz) * z)));
        pack_put(Pi + 2 * step + i, pack_fma(pack_all(&J.zx), x, pack_fma(pack_all(&J.zy), y, pack_all(&J.zz) * z)));
        for (size_t e = 3; e < 6; e++) {
            pack_put(Pi + e * step + i, pack_set(rows + e * step + i));
        }
    }
    for (int i = 0; i < c->at->second.count; i++) {
        const real one = real_set(1.0);
        rows_add(m, c->second + (size_t)i * step, 1, &one, Pi + (size_t)(3 + c->at->second.part[i]) * step);
    }
}

/* Of the node that moves with V = phi* V(p) + U, U = Pi etadot: a = V x U + (dPi/dt) etadot, rate: as node_motion says.
 * [A-gen] */
KERNEL motion node_bias(const carrier *c, const double *etadot, vec3 rate, motion V, motion U)
{
    const soa_modal_parts *second = &c->at->second;
    const node_vars *n = c->n;
    real quadratic[3] = { real_set(0.0), real_set(0.0), real_set(0.0) };
    for (int i = 0; i < second->count; i++) {
        quadratic[second->part[i]] = table_square((size_t)c->on->nv, &second->x[i], etadot);
    }
    const vec3 tr = vec3_cross(n->theta, rate);
    const real s_dot = 2.0 * vec3_dot(n->theta, rate);
    vec3 w = vec3_scale(n->B1 * s_dot, tr);
    w = vec3_scale_add(n->C1 * s_dot, vec3_cross(n->theta, tr), w);
    w = vec3_scale_add(n->C, vec3_cross(rate, tr), w);
    const vec3 l = vec3_sub((vec3){ quadratic[0], quadratic[1], quadratic[2] }, vec3_cross(U.w, U.v));
    return motion_add(motion_cross(V, U), (motion){ w, l });
}
#endif
