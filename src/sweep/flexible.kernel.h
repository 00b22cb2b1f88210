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
 *     er[v+i]    (en; ef) of mode i at eta;  J1 + 6 v: d second / d eta, component by component
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

/* Across the joint of body k: a motion outward, a force inward. Modes are in the frame of their parent. */
KERNEL motion carried_outward(const vars *w, const soa_model *m, int k, motion at_carrier)
{
    return m->body[k].rest->in_place ? at_carrier : phi_t(w->X[k], at_carrier);
}

KERNEL force carried_inward(const vars *w, const soa_model *m, int k, force f)
{
    return m->body[k].rest->in_place ? f : phi(w->X[k], f);
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

#if LANES > 1
/* `rows` (at most 4) numbers of y += A x. */
KERNEL void table_rows(size_t m, const double *A, const real *x, real *y, const int rows)
{
    const size_t step = soa_modal_step(m);
    real sum[4];
    for (int r = 0; r < rows; r++) {
        sum[r] = y[r];
    }
    for (size_t j = 0; j < m; j++) {
        for (int r = 0; r < rows; r++) {
            sum[r] = real_fma(x[j], real_set(A[j * step + (size_t)r]), sum[r]);
        }
    }
    for (int r = 0; r < rows; r++) {
        y[r] = sum[r];
    }
}
#endif

/* y += A x, A a matrix of soa_modal_parts; y has room for SOA_MAX_MODES. One state has four rows in a vector. */
static inline void table_multiply_add(size_t m, const double *A, const real *x, real *y)
{
#if LANES == 1
    const size_t step = soa_modal_step(m);
    for (size_t i = 0; i < step; i += 4) {
        quad sum, column;
        memcpy(&sum, y + i, sizeof sum);
        for (size_t j = 0; j < m; j++) {
            memcpy(&column, A + j * step + i, sizeof column);
            sum = quad_fma(quad_all(x + j), column, sum);
        }
        memcpy(y + i, &sum, sizeof sum);
    }
#else
    size_t i = 0;
    for (; i + 4 <= m; i += 4) {
        table_rows(m, A + i, x, y + i, 4);
    }
    for (; i + 2 <= m; i += 2) {
        table_rows(m, A + i, x, y + i, 2);
    }
    if (i < m) {
        table_rows(m, A + i, x, y + i, 1);
    }
#endif
}

KERNEL real *component(vec3 *v, int e)
{
    return e == 0 ? &v->x : e == 1 ? &v->y : &v->z;
}

KERNEL real *part_of_force(force *f, int part)
{
    return part < 3 ? component(&f->n, part) : component(&f->f, part - 3);
}

KERNEL sym3 sym3_of(const real J[6])
{
    return (sym3){ J[0], J[1], J[2], J[3], J[4], J[5] };
}

/* er of each mode, and the first moment. */
static inline void modal_first(const soa_modal *s, const real *eta, force *er, vec3 *h)
{
    const size_t m = (size_t)s->modes;
    for (size_t i = 0; i < m; i++) {
        er[i] = (force){ vec3_set(s->en + 3 * i), vec3_set(s->ef + 3 * i) };
    }
    for (int c = 0; c < s->linear.count; c++) {
        real y[SOA_MAX_MODES];
        const int part = s->linear.part[c];
        for (size_t i = 0; i < soa_modal_step(m); i++) {
            y[i] = i < m ? *part_of_force(&er[i], part) : real_set(0.0);
        }
        table_multiply_add(m, s->linear.x[c], eta, y);
        for (size_t i = 0; i < m; i++) {
            *part_of_force(&er[i], part) = y[i];
        }
    }
    for (size_t i = 0; i < m; i++) {
        *h = vec3_scale_add(0.5 * eta[i], vec3_add(vec3_set(s->ef + 3 * i), er[i].f), *h);
    }
}

/* J1, by component, and J += sum eta(i) (second1(i) + J1(i)) / 2. */
static inline void modal_second(const soa_modal *s, const real *eta, real *J1, real J[6])
{
    const size_t m = (size_t)s->modes;
    int c = 0;
    for (int e = 0; e < 6; e++) {
        real y[SOA_MAX_MODES], sum = real_set(0.0);
        for (size_t i = 0; i < soa_modal_step(m); i++) {
            y[i] = real_set(s->second1 && i < m ? s->second1[6 * i + (size_t)e] : 0.0);
        }
        for (size_t i = 0; i < m; i++) {
            sum = real_fma(eta[i], y[i], sum);
        }
        if (c < s->second.count && s->second.part[c] == e) {
            table_multiply_add(m, s->second.x[c++], eta, y);
            for (size_t i = 0; i < m; i++) {
                sum = real_fma(eta[i], y[i], sum);
            }
            J[e] = real_fma(real_set(0.5), sum, J[e]);
        } else {
            J[e] = J[e] + sum;
        }
        memcpy(J1 + (size_t)e * m, y, m * sizeof *y);
    }
}

/* R = M(eta); er, J1 of each mode. Of a body without modes M alone. */
static inline void modal_inertia(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    rigid M = rigid_set(body->inertia);
    if (is_modal(body) && body->nv > 0) {
        real eta[SOA_MAX_MODES], J[6] = { M.J.xx, M.J.xy, M.J.xz, M.J.yy, M.J.yz, M.J.zz };
        for (int i = 0; i < body->nv; i++) {
            eta[i] = eta_of(call, body, i);
        }
        modal_first(body->rest->modal, eta, w->er + body->v, &M.h);
        modal_second(body->rest->modal, eta, w->J1 + 6 * (size_t)body->v, J);
        M.J = sym3_of(J);
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
    const real *J1 = w->J1 + 6 * v;
    const vec3 vw = vec3_cross(V.v, V.w);
    const real ww[6] = { 0.5 * V.w.x * V.w.x, V.w.x * V.w.y, V.w.x * V.w.z, 0.5 * V.w.y * V.w.y, V.w.y * V.w.z,
        0.5 * V.w.z * V.w.z };
    real x[SOA_MAX_MODES], y[SOA_MAX_MODES], J_dot[6];
    force moved = force_zero(), b = force_zero();
    for (size_t i = 0; i < m; i++) {
        x[i] = in_get(call, call->v, v + i);
        moved = force_scale_add(x[i], w->er[v + i], moved);
        e[v + i] = -vec3_dot(vw, w->er[v + i].f);
    }
    for (size_t c = 0; c < 6; c++) {
        J_dot[c] = real_set(0.0);
        for (size_t i = 0; i < m; i++) {
            J_dot[c] = real_fma(x[i], J1[c * m + i], J_dot[c]);
            e[v + i] = real_fnma(ww[c], J1[c * m + i], e[v + i]);
        }
    }
    for (int c = 0; c < s->turned.count; c++) {
        const real along = *component(&(vec3){ V.w.x, V.w.y, V.w.z }, s->turned.part[c]);
        for (size_t i = 0; i < soa_modal_step(m); i++) {
            y[i] = real_set(0.0);
        }
        table_multiply_add(m, s->turned.x[c], x, y);
        for (size_t i = 0; i < m; i++) {
            e[v + i] = real_fma(along, y[i], e[v + i]);
        }
    }
    for (int c = 0; c < s->quadratic.count; c++) {
        real *to = part_of_force(&b, s->quadratic.part[c]);
        for (size_t i = 0; i < soa_modal_step(m); i++) {
            y[i] = real_set(0.0);
        }
        table_multiply_add(m, s->quadratic.x[c], x, y);
        for (size_t i = 0; i < m; i++) {
            *to = real_fma(x[i], y[i], *to);
        }
    }
    const force p = force_add(rigid_mul(w->R[k], V), moved);
    b.n = vec3_add(b.n, vec3_cross_add(moved.f, V.v, sym3_mul_vec(sym3_of(J_dot), V.w)));
    b.f = vec3_add(b.f, vec3_cross(V.w, moved.f));
    return force_add(b, force_cross(V, p));
}

/* ---- elimination of modes ------------------------------------------------------------------------ */

/* Column i of A, `rows` (at most 4) rows from r on: A(r,i) -= sum_c<i L(r,c) D(c) L(i,c); L D of row i is scaled. */
KERNEL void pivot_rows(int m, real *A, int r, int i, const real *scaled, const int rows)
{
    real sum[4];
    for (int k = 0; k < rows; k++) {
        sum[k] = A[(r + k) * m + i];
    }
    for (int c = 0; c < i; c++) {
        for (int k = 0; k < rows; k++) {
            sum[k] = real_fnma(A[(r + k) * m + c], scaled[c], sum[k]);
        }
    }
    for (int k = 0; k < rows; k++) {
        A[(r + k) * m + i] = sum[k];
    }
}

/* P_ee = L D L*, in place. */
static inline void factor_modes(soa_call *call, const vars *w, int k, real *A)
{
    const int m = call->model->body[k].nv, v = call->model->body[k].v;
    real D[SOA_MAX_MODES], scaled[SOA_MAX_MODES];
    for (int i = 0; i < m; i++) {
        const real whole = A[i * m + i];
        for (int c = 0; c < i; c++) {
            scaled[c] = A[i * m + c] * D[c];
        }
        int r = i;
        for (; r + 4 <= m; r += 4) {
            pivot_rows(m, A, r, i, scaled, 4);
        }
        for (; r < m; r++) {
            pivot_rows(m, A, r, i, scaled, 1);
        }
        D[i] = A[i * m + i];
        call_require(call, real_less(PIVOT_TOLERANCE * real_abs(whole), D[i]), k);
        w->D_inv[v + i][0] = 1.0 / D[i];
        for (r = i + 1; r < m; r++) {
            A[r * m + i] = A[r * m + i] * w->D_inv[v + i][0];
        }
    }
}

/* P_ee = L D L*, G = L^-1 P_er; returns P - G* D^-1 G, what is left for the joint. */
static inline articulated modes_articulate(soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const int m = body->nv, v = body->v;
    articulated P = w->P[k];
    if (m == 0) {
        return P;
    }
    real *A = w->square + body->rest->modal->square;
    factor_modes(call, w, k, A);
    for (int i = 0; i < m; i++) {
        force G = w->U[v + i];
        for (int j = 0; j < i; j++) {
            G = force_scale_add(-A[i * m + j], w->G[v + j], G);
        }
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
        P = modes_articulate(call, w, k);
        inertia_inboard(w, m, k, body->rest->in_place ? P : articulated_shift(w->X[k], P));
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
                const real x = w->x[body->v + i] - eps[i];
                eps[i] = moving ? x - power(w->U[body->v + i], a) : x;
            }
            for (int j = 0; j < body->nv; j++) {
                for (int i = j + 1; i < body->nv; i++) {
                    eps[i] = real_fnma(L[i * body->nv + j], eps[j], eps[i]);
                }
                z = force_scale_add(eps[j] * w->D_inv[body->v + j][0], w->G[body->v + j], z);
            }
            force_inboard(w, m, k, carried_inward(w, m, k, z), w->eps);
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
        const motion on = carrier_motion(w, m, k, alpha_p, p < 0 ? NULL : w->x + m->body[p].v);
        const motion at_child = carried_outward(w, m, k, on);
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
