/* sweep/flexible.kernel.h - flexible links in the recursions: crossing from body to body, and elimination of modes.
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

#include "sweep/flexible_inertia.kernel.h"
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
