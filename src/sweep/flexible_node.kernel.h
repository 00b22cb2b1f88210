/* sweep/flexible_node.kernel.h - where a node of a flexible link stands and how it moves with the modes.
 *
 *     x = exp(theta~),  theta = sum of rotations eta,  Pi = (Jr(theta) rotations; R* dx/deta)      [FLEX] */
#ifndef SOA_SWEEP_FLEXIBLE_NODE_KERNEL_H
#define SOA_SWEEP_FLEXIBLE_NODE_KERNEL_H

#include <math.h>

#include "sweep/filter.kernel.h"

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

/* Jr(theta) = 1 - B theta~ + C theta~^2, by columns. */
KERNEL void turn_rate(const node_vars *n, vec3 column[3])
{
    const vec3 t = n->theta, unit[3] = { { real_set(1.0), real_set(0.0), real_set(0.0) },
        { real_set(0.0), real_set(1.0), real_set(0.0) }, { real_set(0.0), real_set(0.0), real_set(1.0) } };
    for (int e = 0; e < 3; e++) {
        const vec3 tx = vec3_cross(t, unit[e]);
        column[e] = vec3_scale_add(n->C, vec3_cross(t, tx), vec3_scale_add(-n->B, tx, unit[e]));
    }
}

/* sum_e x(e) column(e), x of the model: mostly zeros. */
KERNEL vec3 few_columns(const double *x, const vec3 column[3])
{
    vec3 y = vec3_zero();
    for (int e = 0; e < 3; e++) {
        if (x[e] != 0.0) {
            y = vec3_scale_add(real_set(x[e]), column[e], y);
        }
    }
    return y;
}

/* y + s x, x of the model. */
KERNEL vec3 few_scale_add(real s, const double *x, vec3 y)
{
    y.x = x[0] != 0.0 ? real_fma(s, real_set(x[0]), y.x) : y.x;
    y.y = x[1] != 0.0 ? real_fma(s, real_set(x[1]), y.y) : y.y;
    y.z = x[2] != 0.0 ? real_fma(s, real_set(x[2]), y.z) : y.z;
    return y;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

KERNEL real eta_of(const soa_call *call, const soa_body_data *on, int i)
{
    return in_get(call, call->q, (size_t)(on->q + i));
}

/* A node of the flexible body `on`: its frame in the body frame, and its motions Pi by mode. */
static inline void node_position(const soa_call *call, const soa_body_data *on, int node, node_vars *n, motion *Pi)
{
    const soa_flexible *f = on->rest->modal->given;
    const size_t m = (size_t)f->modes, t = (size_t)(node - 1);
    const double *shape = f->shape + t * m * 6;
    const double *shape2 = f->shape2 ? f->shape2 + t * m * m * 3 : NULL;
    vec3 l = vec3_set(f->position + 3 * t);
    n->theta = vec3_zero();
    for (size_t i = 0; i < m; i++) {
        const real eta = eta_of(call, on, (int)i);
        n->theta = few_scale_add(eta, shape + 6 * i, n->theta);
        l = few_scale_add(eta, shape + 6 * i + 3, l);
        if (shape2) {
            vec3 second = vec3_zero();
            for (size_t j = 0; j < m; j++) {
                second = few_scale_add(eta_of(call, on, (int)j), shape2 + 3 * (i * m + j), second);
            }
            l = vec3_scale_add(0.5 * eta, second, l);
            Pi[i].v = second;
        }
    }
    const real s = vec3_dot(n->theta, n->theta);
    turn_series(n, s);
    n->R = turn_matrix(n, s);
    n->N = pose_compose(pose_set(&on->rest->frame), (pose){ n->R, l });
    const mat3 R = n->R;
    const vec3 row[3] = { { R.xx, R.xy, R.xz }, { R.yx, R.yy, R.yz }, { R.zx, R.zy, R.zz } };
    vec3 column[3];
    turn_rate(n, column);
    for (size_t i = 0; i < m; i++) {
        const vec3 moved = few_columns(shape + 6 * i + 3, row);
        Pi[i].v = shape2 ? mat3_t_mul_vec_add(R, Pi[i].v, moved) : moved;
        Pi[i].w = few_columns(shape + 6 * i, column);
    }
}

/* Pi x, x(i) numbers of the modes. */
KERNEL motion node_motion(const soa_body_data *on, const motion *Pi, const real *x)
{
    motion sum = motion_zero();
    for (int i = 0; i < on->nv; i++) {
        sum = motion_scale_add(x[i], Pi[i], sum);
    }
    return sum;
}

/* Of the node that moves with V = phi* V(p) + U, U = Pi etadot: a = V x U + (dPi/dt) etadot.  [A-gen] */
static inline motion node_bias(
    const soa_call *call, const soa_body_data *on, int node, const node_vars *n, motion V, motion U)
{
    const soa_flexible *f = on->rest->modal->given;
    const size_t m = (size_t)f->modes, t = (size_t)(node - 1), v = (size_t)on->v;
    const double *shape = f->shape + t * m * 6;
    vec3 rate = vec3_zero(), quadratic = vec3_zero();
    for (size_t i = 0; i < m; i++) {
        const real etadot = in_get(call, call->v, v + i);
        rate = vec3_scale_add(etadot, vec3_set(shape + 6 * i), rate);
        for (size_t j = 0; f->shape2 && j < m; j++) {
            const real both = etadot * in_get(call, call->v, v + j);
            quadratic = vec3_scale_add(both, vec3_set(f->shape2 + 3 * ((t * m + i) * m + j)), quadratic);
        }
    }
    const real s_dot = 2.0 * vec3_dot(n->theta, rate);
    const vec3 tr = vec3_cross(n->theta, rate);
    vec3 w = vec3_scale(-(n->B1 * s_dot), tr);
    w = vec3_scale_add(n->C1 * s_dot, vec3_cross(n->theta, tr), w);
    w = vec3_scale_add(n->C, vec3_cross(rate, tr), w);
    const vec3 l = vec3_sub(mat3_t_mul_vec(n->R, quadratic), vec3_cross(U.w, U.v));
    return motion_add(motion_cross(V, U), (motion){ w, l });
}
#endif
