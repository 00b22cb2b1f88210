/* sweep/flexible_node.kernel.h - where a node of a flexible link stands and how it moves with the modes.
 *
 *     l = position + sum of displacements eta,  R = exp(theta~),  theta = sum of rotations eta
 *     Pi = (Jl(theta) rotations; dl/deta)                                                           [FLEX]
 * all in the axes of the body. So the frame of a node, for motions and forces there, has these axes: from it to the body is a
 * shift by l alone, and what stands on the node is turned by R. Pi has six rows (modes.kernel.h). */
#ifndef SOA_SWEEP_FLEXIBLE_NODE_KERNEL_H
#define SOA_SWEEP_FLEXIBLE_NODE_KERNEL_H

#include <math.h>

#include "sweep/filter.kernel.h"
#include "sweep/modes.kernel.h"

KERNEL bool is_modal(const soa_body_data *body)
{
    return body->joint_class == SOA_CLASS_MODAL;
}

/* ---- rotation vectors ------------------------------------------------------------------------ */

/* B = (1 - cos a) / s, C = (a - sin a) / a^3 with s = a^2, and their derivatives by s: entire functions, as series. */
KERNEL void turn_series(node_vars *n, real s)
{
    static const double b[] = { 1.0 / 2, -1.0 / 24, 1.0 / 720, -1.0 / 40320, 1.0 / 3628800, -1.0 / 479001600,
        1.0 / 87178291200.0, -1.0 / 20922789888000.0, 1.0 / 6402373705728000.0, -1.0 / 2432902008176640000.0,
        1.0 / 1124000727777607680000.0, -1.0 / 620448401733239439360000.0, 1.0 / 403291461126605635584000000.0 };
    static const double c[] = { 1.0 / 6, -1.0 / 120, 1.0 / 5040, -1.0 / 362880, 1.0 / 39916800, -1.0 / 6227020800.0,
        1.0 / 1307674368000.0, -1.0 / 355687428096000.0, 1.0 / 121645100408832000.0, -1.0 / 51090942171709440000.0,
        1.0 / 25852016738884976640000.0, -1.0 / 15511210043330985984000000.0, 1.0 / 10888869450418352160768000000.0 };
    enum { LAST = sizeof b / sizeof *b - 1 };
    real B = real_set(b[LAST]), C = real_set(c[LAST]), B1 = real_set(0.0), C1 = real_set(0.0);
    for (int k = LAST - 1; k >= 0; k--) {
        B1 = real_fma(B1, s, B);
        C1 = real_fma(C1, s, C);
        B = real_fma(B, s, real_set(b[k]));
        C = real_fma(C, s, real_set(c[k]));
    }
    const real none = real_set(NAN);
    const real_int valid = real_less(s, real_set(SOA_MOST_NODE_TURN));
    n->B = real_select(valid, B, none);
    n->C = C;
    n->B1 = B1;
    n->C1 = C1;
}

/* exp(theta~) = cos + sin / a theta~ + B theta theta* */
KERNEL mat3 turn_matrix(const node_vars *n, real s)
{
    const vec3 t = n->theta;
    const real c = real_fnma(s, n->B, real_set(1.0)), a = real_fnma(s, n->C, real_set(1.0));
    const vec3 u = vec3_scale(n->B, t);
    return (mat3){ real_fma(u.x, t.x, c), real_fnma(a, t.z, u.x * t.y), real_fma(a, t.y, u.x * t.z),
        real_fma(a, t.z, u.y * t.x), real_fma(u.y, t.y, c), real_fnma(a, t.x, u.y * t.z), real_fnma(a, t.y, u.z * t.x),
        real_fma(a, t.x, u.z * t.y), real_fma(u.z, t.z, c) };
}

/* Jl(theta) = 1 + B theta~ + C theta~^2, row by row. */
KERNEL mat3 turn_rate(const node_vars *n, real s)
{
    const vec3 t = n->theta, u = vec3_scale(n->C, t), v = vec3_scale(n->B, t);
    const real d = real_fnma(s, n->C, real_set(1.0));
    return (mat3){ real_fma(u.x, t.x, d), real_fma(u.x, t.y, -v.z), real_fma(u.x, t.z, v.y), real_fma(u.y, t.x, v.z),
        real_fma(u.y, t.y, d), real_fma(u.y, t.z, -v.x), real_fma(u.z, t.x, -v.y), real_fma(u.z, t.y, v.x),
        real_fma(u.z, t.z, d) };
}

/* ---- nodes ----------------------------------------------------------------------------------- */

KERNEL const soa_modal_node *node_of(const soa_body_data *on, int node)
{
    return &on->rest->modal->node[node - 1];
}

/* Row `row` of Pi is that of the displacements, with second-order ones added; what these add to l. */
static inline vec3 node_second(const soa_modal_node *at, size_t m, const real *eta, real *Pi)
{
    real l[3] = { real_set(0.0), real_set(0.0), real_set(0.0) };
    for (int c = 0; c < at->second.count; c++) {
        const int part = at->second.part[c];
        real y[SOA_MAX_MODES];
        row_zero(m, y);
        table_multiply_add(m, at->second.x[c], eta, y);
        row_scale_add(m, real_set(1.0), y, Pi + (3 + (size_t)part) * row_size(m));
        l[part] = 0.5 * row_dot(m, eta, y);
    }
    return (vec3){ l[0], l[1], l[2] };
}

/* A node of the flexible body `on`: where it stands, and its motions Pi by mode. */
static inline void node_position(const soa_call *call, const soa_body_data *on, int node, node_vars *n, real *Pi)
{
    const soa_modal_node *at = node_of(on, node);
    const size_t m = (size_t)on->nv, size = row_size(m), step = soa_modal_step(m);
    real eta[SOA_MAX_MODES], first[6];
    row_in(call, call->q, (size_t)on->q, m, eta);
    row_dots_set(m, at->shape, step, eta, 6, first);
    n->theta = (vec3){ first[0], first[1], first[2] };
    n->l = vec3_add(vec3_set(at->position), (vec3){ first[3], first[4], first[5] });
    const real s = vec3_dot(n->theta, n->theta);
    turn_series(n, s);
    n->R = turn_matrix(n, s);
    const mat3 J = turn_rate(n, s);
    for (size_t i = 0; i < m; i += PACK) {
        const pack x = pack_set(at->shape + i), y = pack_set(at->shape + step + i);
        const pack z = pack_set(at->shape + 2 * step + i);
        pack_put(Pi + i, pack_fma(pack_all(&J.xx), x, pack_fma(pack_all(&J.xy), y, pack_all(&J.xz) * z)));
        pack_put(Pi + size + i, pack_fma(pack_all(&J.yx), x, pack_fma(pack_all(&J.yy), y, pack_all(&J.yz) * z)));
        pack_put(Pi + 2 * size + i, pack_fma(pack_all(&J.zx), x, pack_fma(pack_all(&J.zy), y, pack_all(&J.zz) * z)));
        for (size_t e = 3; e < 6; e++) {
            pack_put(Pi + e * size + i, pack_set(at->shape + e * step + i));
        }
    }
    n->l = at->second.count > 0 ? vec3_add(n->l, node_second(at, m, eta, Pi)) : n->l;
}

/* The frame of a node in that of the shift to it: R, and the link's axes in those of the body. */
KERNEL mat3 node_turn(const soa_body_data *on, const node_vars *n)
{
    return mat3_mul(n->R, pose_set(&on->rest->frame).R);
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

/* Pi of mode i. */
KERNEL motion node_column(const soa_body_data *on, const real *Pi, size_t i)
{
    const size_t size = row_size((size_t)on->nv);
    return six_motion(
        (const real[6]){ Pi[i], Pi[size + i], Pi[2 * size + i], Pi[3 * size + i], Pi[4 * size + i], Pi[5 * size + i] });
}

/* Pi x, x a row. */
KERNEL motion node_motion(const soa_body_data *on, const real *Pi, const real *x)
{
    const size_t m = (size_t)on->nv;
    real y[6];
    row_dots(m, Pi, row_size(m), x, 6, y);
    return six_motion(y);
}

/* e += Pi* f, e numbers of the modes one after another. */
KERNEL void node_forces(const soa_body_data *on, const real *Pi, force f, real *e)
{
    real six[6], y[SOA_MAX_MODES];
    put_six(f, six);
    row_zero((size_t)on->nv, y);
    six_rows_add((size_t)on->nv, six, Pi, y);
    for (size_t i = 0; i < (size_t)on->nv; i++) {
        e[i] = e[i] + y[i];
    }
}

/* Of the node that moves with V = phi* V(p) + U, U = Pi etadot: a = V x U + (dPi/dt) etadot, etadot a row.  [A-gen] */
static inline motion node_bias(
    const soa_body_data *on, int node, const node_vars *n, const real *etadot, motion V, motion U)
{
    const soa_modal_node *at = node_of(on, node);
    const size_t m = (size_t)on->nv, step = soa_modal_step(m);
    real rates[4], quadratic[3] = { real_set(0.0), real_set(0.0), real_set(0.0) };
    row_dots_set(m, at->shape, step, etadot, 4, rates); /* the fourth is not used */
    for (int c = 0; c < at->second.count; c++) {
        real y[SOA_MAX_MODES];
        row_zero(m, y);
        table_multiply_add(m, at->second.x[c], etadot, y);
        quadratic[at->second.part[c]] = row_dot(m, etadot, y);
    }
    const vec3 rate = { rates[0], rates[1], rates[2] }, tr = vec3_cross(n->theta, rate);
    const real s_dot = 2.0 * vec3_dot(n->theta, rate);
    vec3 w = vec3_scale(n->B1 * s_dot, tr);
    w = vec3_scale_add(n->C1 * s_dot, vec3_cross(n->theta, tr), w);
    w = vec3_scale_add(n->C, vec3_cross(rate, tr), w);
    const vec3 l = vec3_sub((vec3){ quadratic[0], quadratic[1], quadratic[2] }, vec3_cross(U.w, U.v));
    return motion_add(motion_cross(V, U), (motion){ w, l });
}
#endif
