/* sweep/flexible.kernel.h - flexible links in the recursions: nodes, modal inertias, and crossing from body to body.
 *
 * A body of SOA_CLASS_MODAL has the modal velocities etadot of a flexible link and no other; its frame is that of the body
 * that the link's joint moves, so modes are eliminated first and the joint then meets an ordinary 6 x 6 inertia. A body
 * may stand on a node of its parent, whose frame moves with the modes:
 *     V(t) = phi* V(p) + Pi etadot,  V(k) = phi*(X(k)) V(t) + H* beta            [FLEX]
 *     x = exp(theta~),  theta = sum of rotations eta,  Pi = (Jr(theta) rotations; R* dx/deta)
 * Variables besides those of vars.kernel.h:
 *     node[k]    where the node stands that carries body k, and its rotation
 *     Pi[port+i] motion of that node per etadot(i), axes of the node
 *     er[v+i]    (en; ef) of mode i at eta;  J1[v+i]  d second / d eta(i)
 *     U[v+i]     P_er, and G[v+i] = L^-1 P_er;  square: P_ee, then its L D L*;  D_inv[v+i][0] = D^-1 */
#ifndef SOA_SWEEP_FLEXIBLE_KERNEL_H
#define SOA_SWEEP_FLEXIBLE_KERNEL_H

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

/* Jr(theta) x = x - B theta x x + C theta x (theta x x) */
KERNEL vec3 turn_rate(const node_vars *n, vec3 x)
{
    const vec3 tx = vec3_cross(n->theta, x);
    return vec3_scale_add(n->C, vec3_cross(n->theta, tx), vec3_scale_add(-n->B, tx, x));
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
        vec3 second = vec3_zero();
        for (size_t j = 0; shape2 && j < m; j++) {
            second = vec3_scale_add(eta_of(call, on, (int)j), vec3_set(shape2 + 3 * (i * m + j)), second);
        }
        const vec3 first = vec3_set(shape + 6 * i + 3);
        n->theta = vec3_scale_add(eta, vec3_set(shape + 6 * i), n->theta);
        l = vec3_scale_add(eta, vec3_scale_add(real_set(0.5), second, first), l);
        Pi[i].v = vec3_add(first, second);
    }
    const real s = vec3_dot(n->theta, n->theta);
    turn_series(n, s);
    n->R = turn_matrix(n, s);
    n->N = pose_compose(pose_set(&on->rest->frame), (pose){ n->R, l });
    for (size_t i = 0; i < m; i++) {
        Pi[i] = (motion){ turn_rate(n, vec3_set(shape + 6 * i)), mat3_t_mul_vec(n->R, Pi[i].v) };
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

/* ---- crossing -------------------------------------------------------------------------------- */

/* X, H of a body, relative to its parent or to the node that carries it. */
static inline void flexible_position(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    if (is_modal(body)) {
        w->X[k] = pose_set(&body->rest->at);
    } else {
        body_position(call, w, k);
    }
    if (body->rest->node > 0) {
        node_position(call, &call->model->body[body->parent], body->rest->node, &w->node[k], w->Pi + body->rest->port);
    }
}

/* The frame of body k in the world, from that of its parent. */
KERNEL pose flexible_placement(const vars *w, const soa_model *m, int k)
{
    const soa_body_data *body = &m->body[k];
    if (body->parent < 0) {
        return w->X[k];
    }
    const pose on = body->rest->node > 0 ? pose_compose(w->W[body->parent], w->node[k].N) : w->W[body->parent];
    return pose_compose(on, w->X[k]);
}

/* The motion of what carries body k: V of the parent, or of its node, x the parent's modal numbers (NULL: zero). */
KERNEL motion carrier_motion(const vars *w, const soa_model *m, int k, motion V, const real *x)
{
    const soa_body_rest *rest = m->body[k].rest;
    if (rest->node == 0) {
        return V;
    }
    const motion at_node = phi_t(w->node[k].N, V);
    return x ? motion_add(at_node, node_motion(&m->body[m->body[k].parent], w->Pi + rest->port, x)) : at_node;
}

/* A force of body k on its parent: b, and the modal forces e, gain it. */
KERNEL void force_inboard(const vars *w, const soa_model *m, int k, force at_carrier, real *e)
{
    const soa_body_data *body = &m->body[k];
    const soa_body_rest *rest = body->rest;
    const int p = body->parent;
    if (p < 0) {
        return;
    }
    if (rest->node > 0) {
        const soa_body_data *on = &m->body[p];
        for (int i = 0; i < on->nv; i++) {
            e[on->v + i] = e[on->v + i] + power(at_carrier, w->Pi[rest->port + i]);
        }
        at_carrier = phi(w->node[k].N, at_carrier);
    }
    w->b[p] = force_add(w->b[p], at_carrier);
}

/* An inertia of body k, at its carrier: P, and P_er, P_ee of a flexible parent, gain it. */
static inline void inertia_inboard(const vars *w, const soa_model *m, int k, articulated at_carrier)
{
    const soa_body_data *body = &m->body[k];
    const int p = body->parent;
    if (p < 0) {
        return;
    }
    if (body->rest->node > 0) {
        const soa_body_data *on = &m->body[p];
        const motion *Pi = w->Pi + body->rest->port;
        real *ee = w->square + on->rest->modal->square;
        for (int i = 0; i < on->nv; i++) {
            const force F = articulated_mul(at_carrier, Pi[i]);
            w->U[on->v + i] = force_add(w->U[on->v + i], phi(w->node[k].N, F));
            for (int j = 0; j <= i; j++) {
                ee[i * on->nv + j] = ee[i * on->nv + j] + power(F, Pi[j]);
            }
        }
        at_carrier = articulated_shift(w->node[k].N, at_carrier);
    }
    w->P[p] = articulated_add(w->P[p], at_carrier);
}

/* ---- modal inertia ------------------------------------------------------------------------------ */

/* sum_j table(j) x(j) of three or six numbers each */
KERNEL vec3 modal_vec3(const soa_call *call, soa_in in, size_t first, size_t m, const double *table, vec3 sum)
{
    for (size_t j = 0; table && j < m; j++) {
        sum = vec3_scale_add(in_get(call, in, first + j), vec3_set(table + 3 * j), sum);
    }
    return sum;
}

KERNEL sym3 sym3_scale_add(real s, sym3 a, sym3 b)
{
    return (sym3){ real_fma(s, a.xx, b.xx), real_fma(s, a.xy, b.xy), real_fma(s, a.xz, b.xz), real_fma(s, a.yy, b.yy),
        real_fma(s, a.yz, b.yz), real_fma(s, a.zz, b.zz) };
}

/* R = M(eta); er, J1 of each mode. Of a body without modes M alone. */
static inline void modal_inertia(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const soa_modal *s = body->rest->modal;
    rigid M = rigid_set(body->inertia);
    const size_t m = (size_t)(is_modal(body) ? body->nv : 0), q = (size_t)body->q, v = (size_t)body->v;
    for (size_t i = 0; i < m; i++) {
        const real half = 0.5 * in_get(call, call->q, q + i);
        const vec3 ef = vec3_set(s->ef + 3 * i);
        const sym3 J1 = s->second1 ? sym3_set(s->second1 + 6 * i) : sym3_zero();
        const vec3 f = modal_vec3(call, call->q, q, m, s->ef1 ? s->ef1 + 3 * m * i : NULL, ef);
        const vec3 n = modal_vec3(call, call->q, q, m, s->en1 ? s->en1 + 3 * m * i : NULL, vec3_set(s->en + 3 * i));
        sym3 J = J1;
        for (size_t j = 0; s->second2 && j < m; j++) {
            J = sym3_scale_add(in_get(call, call->q, q + j), sym3_set(s->second2 + 6 * (m * i + j)), J);
        }
        w->er[v + i] = (force){ n, f };
        w->J1[v + i] = J;
        M.h = vec3_scale_add(half, vec3_add(ef, f), M.h);
        M.J = sym3_scale_add(half, sym3_add(J1, J), M.J);
    }
    w->R[k] = M;
}

/* The velocity-dependent forces of a flexible link: of its body returned, of its modes into e.
 *     b   = (dMrr/dt) V + (der/dt) etadot + V x* p,  p = Mrr V + er etadot
 *     b_i = sum_j (en1_ij - en1_ji) . w etadot_j - w . J1_i w / 2 - v . (w x ef_i) */
static inline force modal_bias(const soa_call *call, const vars *w, int k, real *e)
{
    const soa_body_data *body = &call->model->body[k];
    const soa_modal *s = body->rest->modal;
    const motion V = w->V[k];
    const size_t m = (size_t)body->nv, v = (size_t)body->v;
    force p = rigid_mul(w->R[k], V), b = force_zero();
    sym3 J_dot = sym3_zero();
    vec3 h_dot = vec3_zero();
    for (size_t i = 0; i < m; i++) {
        const real etadot = in_get(call, call->v, v + i);
        const force er = w->er[v + i];
        p = force_scale_add(etadot, er, p);
        h_dot = vec3_scale_add(etadot, er.f, h_dot);
        J_dot = sym3_scale_add(etadot, w->J1[v + i], J_dot);
        const vec3 n = modal_vec3(call, call->v, v, m, s->en1 ? s->en1 + 3 * m * i : NULL, vec3_zero());
        const vec3 f = modal_vec3(call, call->v, v, m, s->ef1 ? s->ef1 + 3 * m * i : NULL, vec3_zero());
        b = force_scale_add(etadot, (force){ n, f }, b);
        vec3 turned = n;
        for (size_t j = 0; s->en1 && j < m; j++) {
            turned = vec3_scale_add(-in_get(call, call->v, v + j), vec3_set(s->en1 + 3 * (m * j + i)), turned);
        }
        const vec3 J1w = vec3_scale(real_set(0.5), sym3_mul_vec(w->J1[v + i], V.w));
        const real inertial = vec3_dot(vec3_sub(turned, J1w), V.w);
        e[v + i] = inertial - vec3_dot(V.v, vec3_cross(V.w, er.f));
    }
    b.n = vec3_add(b.n, vec3_cross_add(h_dot, V.v, sym3_mul_vec(J_dot, V.w)));
    b.f = vec3_add(b.f, vec3_cross(V.w, h_dot));
    return force_add(b, force_cross(V, p));
}

/* ---- elimination of modes ------------------------------------------------------------------------ */

/* P_ee = L D L*, G = L^-1 P_er; returns P - G* D^-1 G, what is left for the joint. */
static inline articulated modes_articulate(soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const int m = body->nv, v = body->v;
    articulated P = w->P[k];
    real *A = body->rest->modal ? w->square + body->rest->modal->square : NULL;
    for (int i = 0; i < m; i++) {
        real *row = A + i * m;
        real d = row[i];
        force G = w->U[v + i];
        for (int j = 0; j < i; j++) { /* row(j) = L(i,j) D(j) until it is divided */
            const real *other = A + j * m;
            real sum = row[j];
            for (int c = 0; c < j; c++) {
                sum = real_fnma(row[c], other[c], sum);
            }
            row[j] = sum;
        }
        for (int j = 0; j < i; j++) {
            const real L = row[j] * w->D_inv[v + j][0];
            d = real_fnma(L, row[j], d);
            row[j] = L;
            G = force_scale_add(-L, w->G[v + j], G);
        }
        call_require(call, real_less(PIVOT_TOLERANCE * real_abs(row[i]), d), k);
        w->D_inv[v + i][0] = 1.0 / d;
        w->G[v + i] = G;
        P = articulated_sub_outer(P, G, w->D_inv[v + i][0]);
    }
    return P;
}

/* P = M and, of modes, ee and er: before children are gathered. */
static inline void inertia_begin(const vars *w, const soa_model *m, int k)
{
    const soa_body_data *body = &m->body[k];
    w->P[k] = articulated_from_rigid(w->R[k]);
    const int n = is_modal(body) ? body->nv : 0;
    for (int i = 0; i < n; i++) {
        real *row = w->square + body->rest->modal->square + i * n;
        w->U[body->v + i] = w->er[body->v + i];
        for (int j = 0; j <= i; j++) {
            row[j] = real_set(body->rest->modal->ee[i * n + j]);
        }
    }
}

/* U, G, D^-1 of the joint or the modes of body k, and P(p) += psi P psi*. */
static inline void articulate_inboard(soa_call *call, const vars *w, int k)
{
    const soa_model *m = call->model;
    const soa_body_data *body = &m->body[k];
    articulated P = w->P[k];
    if (is_modal(body)) {
        inertia_inboard(w, m, k, articulated_shift(w->X[k], modes_articulate(call, w, k)));
        return;
    }
    const joint_inertias j = kept_inertias(w, body);
    articulate(call, w, k, &P, j);
    const force geared = body->geared ? gear_column(w, body, k) : force_zero();
    inertia_inboard(w, m, k, felt_inboard(w, body, k, P, j, geared));
}

/* Inward: P, U, G, D^-1 of all bodies; eliminate false: composite inertias instead, every joint and mode locked. */
static inline void flexible_articulate(soa_call *call, const vars *w, bool eliminate)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        inertia_begin(w, m, k);
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        if (!eliminate) {
            inertia_inboard(w, m, k, articulated_shift(w->X[k], w->P[k]));
        } else {
            articulate_inboard(call, w, k);
        }
    }
}

/* ---- Mass^-1 ---------------------------------------------------------------------------------------- */

/* Inward: eps from T in w->x, z in w->b, modal z in w->eps and accelerations a (if wanted) in w->a. */
static inline void flexible_filter(const soa_call *call, const vars *w, bool moving)
{
    const soa_model *m = call->model;
    for (int k = m->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &m->body[k];
        real *eps = w->eps + body->v;
        const motion a = moving ? w->a[k] : motion_zero();
        force z = moving ? force_add(w->b[k], articulated_mul(w->P[k], a)) : w->b[k];
        if (is_modal(body)) {
            const real *L = body->rest->modal ? w->square + body->rest->modal->square : NULL;
            for (int i = 0; i < body->nv; i++) {
                real x = w->x[body->v + i] - eps[i];
                x = moving ? x - power(w->U[body->v + i], a) : x;
                for (int j = 0; j < i; j++) {
                    x = real_fnma(L[i * body->nv + j], eps[j], x);
                }
                eps[i] = x;
                z = force_scale_add(x * w->D_inv[body->v + i][0], w->G[body->v + i], z);
            }
            force_inboard(w, m, k, phi(w->X[k], z), w->eps);
        } else {
            innovation(w, body, z, w->x + body->v, eps);
            if (body->parent >= 0) {
                force_inboard(w, m, k, filter_step(call, w, k, z, eps), w->eps);
            }
        }
    }
}

/* Outward: y = betadot and etaddot into w->x; alpha. */
static inline void flexible_smoother(const soa_call *call, const vars *w, motion base, bool moving)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const int p = body->parent;
        const motion alpha_p = p < 0 ? base : w->alpha[p];
        const motion at_child = phi_t(w->X[k], carrier_motion(w, m, k, alpha_p, p < 0 ? NULL : w->x + m->body[p].v));
        real *y = w->x + body->v;
        const real *eps = w->eps + body->v;
        motion alpha = moving ? motion_add(at_child, w->a[k]) : at_child;
        if (is_modal(body)) {
            const real *L = body->rest->modal ? w->square + body->rest->modal->square : NULL;
            for (int i = 0; i < body->nv; i++) {
                y[i] = w->D_inv[body->v + i][0] * (eps[i] - power(w->G[body->v + i], at_child));
            }
            for (int i = body->nv - 1; i >= 0; i--) {
                for (int j = 0; j < i; j++) {
                    y[j] = real_fnma(L[i * body->nv + j], y[i], y[j]);
                }
            }
        } else {
            smoother_step(call, w, k, eps, at_child, &alpha_p, y);
            alpha = motion_add(alpha, joint_motion(w, body, y));
        }
        w->alpha[k] = alpha;
    }
}

#endif
