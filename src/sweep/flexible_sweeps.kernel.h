/* sweep/flexible_sweeps.kernel.h - flexible links in the recursions: crossing from body to body, and elimination of modes.
 *
 * A body of SOA_CLASS_MODAL has the modal velocities etadot of a flexible link and no other; its frame is that of the body
 * that the link's joint moves, so modes are eliminated first and the joint then meets an ordinary 6 x 6 inertia. A body
 * may stand on a node of its parent, whose frame moves with the modes:
 *     V(t) = phi* V(p) + Pi etadot,  V(k) = phi*(X(k)) V(t) + H* beta            [FLEX]
 * Variables besides those of vars.kernel.h:
 *     node[k]    where the node stands that carries body k, and its rotation; X(k) begins with this rotation
 *     second     rows by mode: what of its motion is of second order
 *     square     P_er, then L D L* and G (eliminate_modes.kernel.h)
 *     seat       X, node, V and a in the recursions of Mass^-1, which have U, G and D^-1 of joints one after another
 * What is needed only until a body, or the link on whose node it stands, has been passed inward is kept by slot, so that of a long
 * chain it stays in the caches:
 *     Q[slot]    P of a body
 *     b[slot]    z of a body, where inertias and forces go inward together
 *     Y[slot]    the inertia of a body at the node that carries it, for the modes of its parent
 *     Pi         rows by mode: the motion of that node, in the axes of the parent (flexible_node.kernel.h) */
#ifndef SOA_SWEEP_FLEXIBLE_SWEEPS_KERNEL_H
#define SOA_SWEEP_FLEXIBLE_SWEEPS_KERNEL_H

#include "sweep/port_modes.kernel.h"
#include "sweep/prefetch.kernel.h"

/* ---- crossing -------------------------------------------------------------------------------- */

/* X, H of a body, relative to its parent or to the node that carries it. */
static inline void flexible_position(const soa_call *call, const vars *w, int k)
{
    if (call->model->body[k].rest->node > 0) {
        const carrier on = carrier_of(w, call->model, k);
        const mat3 R = node_turn(call, &on);
        joint_position(call, w, k, &R, &w->X[k]);
    } else {
        joint_position(call, w, k, NULL, &w->X[k]);
    }
}

/* The frame of body k in the world, from that of its parent, X and the node that carries it. */
KERNEL pose flexible_placement(const vars *w, const soa_body_data *body, const pose *X, const node_vars *node)
{
    if (body->parent < 0) {
        return *X;
    }
    if (body->rest->in_place) {
        return w->W[body->parent];
    }
    pose on = w->W[body->parent];
    on.l = body->rest->node > 0 ? pose_point(on, node->l) : on.l;
    return pose_compose(on, *X);
}

/* Across the joint of body k: a motion outward, a force or an inertia inward. Modes are in the frame of their parent. */
KERNEL motion carried_outward(const vars *w, const soa_model *m, int k, motion at_carrier)
{
    if (!m->body[k].rest->in_place) {
        at_carrier = phi_t(seat_of(w, m, k)->X, at_carrier);
    }
    return at_carrier;
}

KERNEL force carried_inward(const vars *w, const soa_model *m, int k, force f)
{
    if (!m->body[k].rest->in_place) {
        f = phi(seat_of(w, m, k)->X, f);
    }
    return f;
}

KERNEL articulated inertia_across(const vars *w, const soa_model *m, int k, articulated P)
{
    return m->body[k].rest->in_place ? P : articulated_shift(seat_of(w, m, k)->X, P);
}

/* A force of a body at its carrier, the node `on` or (NULL) the frame of the parent: z of the parent, and its modal forces among e,
 * gain it. */
KERNEL void force_inboard(const carrier *on, force at_carrier, real *e, force *to)
{
    if (on) {
        node_forces(on, at_carrier, e + on->on->v);
        at_carrier = node_inward(on->n, at_carrier);
    }
    *to = force_add(*to, at_carrier);
}

/* P_ee and P_er of the modes of body k, with what stands on its nodes. */
static inline void modes_composite(const vars *w, const soa_model *m, int k)
{
    const elimination x = gather_modes(w, m, k, NULL, columns_of(&m->body[k], NULL));
    put_gathered(&x);
}

/* An inertia of body k, at its carrier: P of the parent gains it, and at a node it is kept for the modes. */
KERNEL void inertia_inboard(const vars *w, const soa_model *m, int k, const articulated *at_carrier)
{
    const soa_body_data *body = &m->body[k];
    if (body->parent < 0) {
        return;
    }
    articulated *P = inertia_of(w, m, body->parent);
    if (body->rest->in_place) {
        *P = *at_carrier;
    } else if (body->rest->node > 0) {
        make_port_motions(w, m, k, ports_of(w, &m->body[body->parent]));
        w->Y[body->slot] = *at_carrier;
        *P = articulated_add(*P, articulated_translate(seat_of(w, m, k)->node.l, *at_carrier));
    } else {
        *P = articulated_add(*P, *at_carrier);
    }
}

/* ---- articulated inertias --------------------------------------------------------------------- */

/* P = M and, of the modes that modal_inertia saw last, P_er = er: before children are gathered. Of the joint of a flexible link
 * P is what its modes leave. */
static inline void inertia_begin(const soa_call *call, const vars *w, int k, rigid M)
{
    const soa_body_data *body = &call->model->body[k];
    const soa_modal_ports *ports = ports_of(w, body);
    if (ports) {
        ports_begin(call, w, k, ports, M);
        return;
    }
    *inertia_of(w, call->model, k) = articulated_from_rigid(M);
    if (is_modal(body) && body->nv > 0) {
        const size_t n = (size_t)body->nv;
        real *A = modal_matrix(w, body);
        matrix_edge(n, body->rest->modal->ee, A);
        for (size_t j = 0; j < n; j++) {
            er_at(w, body, j, A + j * soa_modal_rows(n) + n);
        }
    }
}

/* U, G, D^-1 of the joint or the modes of body k, and P(p) += psi P psi*. */
static inline void articulate_inboard(soa_call *call, const vars *w, int k)
{
    const soa_model *m = call->model;
    const soa_body_data *body = &m->body[k];
    if (is_modal(body)) {
        articulated room, *left = body->rest->in_place ? inertia_of(w, m, body->parent) : &room;
        if (body->nv > 0) {
            modes_articulate(call, w, k, ports_of(w, body), left);
        } else {
            *left = *inertia_of(w, m, k);
        }
        if (left == &room) {
            room = inertia_across(w, m, k, room);
            inertia_inboard(w, m, k, &room);
        }
        return;
    }
    const articulated P = *inertia_of(w, m, k);
    const pose *X = &seat_of(w, m, k)->X;
    joint_inertias j = seat_inertias(w, body);
    force U[SOA_JOINT_MAX_NV];
    j.U = body->geared ? j.U : U; /* sweeps ask for it only with a gear */
    articulate(call, w, k, &P, j);
    const force geared = body->geared ? geared_column(X, body, j.U[0]) : force_zero();
    const articulated felt = felt_inboard(X, body, P, j, geared);
    inertia_inboard(w, m, k, &felt);
}

/* ---- long chains ----------------------------------------------------------------------------------- */

/* Bodies ahead of a sweep whose memory is asked for, and how many bodies of one state stay in the second cache. */
enum { AHEAD = 4, CACHED_BODIES = 2048 };

/* Asks for what the sweep inward, or outward, will need of the body AHEAD of k. */
static __attribute__((noinline)) void fetch_ahead(const soa_call *call, const vars *w, int k, bool inward)
{
    const soa_model *m = call->model;
    const int j = inward ? k - AHEAD : k + AHEAD;
    if (j < 0 || j >= m->bodies) {
        return;
    }
    const soa_body_data *body = &m->body[j];
    const size_t n = (size_t)body->nv * sizeof(real);
    if (!is_modal(body)) {
        fetch_later(seat_of(w, m, j), sizeof *w->seat);
        fetch_later(seat_inertias(w, body).G, inward ? 0 : (size_t)body->nv * sizeof(force));
        return;
    }
    if (inward) {
        fetch_later(modes_in(call->q, body->q), n);
        fetch_later(modes_in(call->v, body->v), call->v.at ? n : 0);
        fetch_later(modes_in(call->u, body->v), call->u.at ? n : 0);
    } else {
        fetch_later(w->eps + body->v, n);
    }
    const soa_modal_ports *ports = ports_of(w, body);
    const size_t square = ports ? soa_ports_numbers(ports) : soa_modal_numbers((size_t)body->nv);
    fetch_later(modal_matrix(w, body), square * sizeof(real));
}

KERNEL bool is_long(const soa_model *m)
{
    return m->bodies * LANES > CACHED_BODIES;
}

/* ---- Mass^-1 ---------------------------------------------------------------------------------------- */

/* A force z of body k at its carrier in the filter; z of the parent gains it. */
KERNEL void filtered_inboard(const vars *w, const soa_model *m, int k, force at_carrier, force *to)
{
    if (m->body[k].rest->node == 0) {
        *to = force_add(*to, at_carrier);
        return;
    }
    const carrier on = seat_carrier(w, m, k, NULL);
    const soa_modal_ports *ports = ports_of(w, on.on);
    if (ports) {
        port_force(w, m, k, ports, at_carrier);
        *to = force_add(*to, node_inward(on.n, at_carrier));
    } else {
        force_inboard(&on, at_carrier, w->eps, to);
    }
}

/* eps of body k from T, a number of each of its velocities, from its own z, of modes in w->eps, and from its acceleration a
 * (NULL: zero). z of the parent, if there is one, gains what goes on. */
static inline void filter_inboard(
    const soa_call *call, const vars *w, int k, const double *T, const force *own, const motion *a, force *to)
{
    const soa_model *m = call->model;
    const soa_body_data *body = &m->body[k];
    real *eps = w->eps + body->v;
    force z = a ? force_add(*own, articulated_mul(*inertia_of(w, m, k), *a)) : *own;
    if (is_modal(body)) {
#pragma GCC unroll 4
        for (int i = 0; i < body->nv; i++) {
            eps[i] = real_load(T + (size_t)i * LANES) - eps[i];
        }
        z = body->nv > 0 ? port_filter(call, w, k, a, z, eps) : z;
        z = carried_inward(w, m, k, z);
    } else {
        innovation(w, body, z, (const real *)(const void *)T, eps);
        z = body->parent >= 0 ? filter_across(&seat_of(w, m, k)->X, body, seat_inertias(w, body), z, eps) : z;
    }
    if (body->parent >= 0) {
        filtered_inboard(w, m, k, z, to);
    }
}

/* Inward: eps of all bodies from T in w->x, z in w->b and w->eps. */
static inline void flexible_filter(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    for (int k = m->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &m->body[k];
        const soa_modal_ports *ports = body->rest->node > 0 ? ports_of(w, &m->body[body->parent]) : NULL;
        if (ports) {
            make_port_motions(w, m, k, ports);
        }
        filter_inboard(call, w, k, numbers(w->x + body->v), &w->b[k], NULL, w->b + body->parent);
    }
}

/* The acceleration of what carries body k, from that of its parent. */
KERNEL motion smoothed_outward(const vars *w, const soa_model *m, int k, motion alpha)
{
    if (m->body[k].rest->node == 0) {
        return alpha;
    }
    const carrier on = seat_carrier(w, m, k, NULL);
    const soa_modal_ports *ports = ports_of(w, on.on);
    real row[SOA_MAX_MODES];
    vec3 rate;
    alpha = node_outward(on.n, alpha);
    if (ports) {
        return motion_add(alpha, port_motion(w, m, k, ports));
    }
    const real *y = row_from((size_t)on.on->nv, w->x + on.on->v, row);
    return motion_add(alpha, node_motion(&on, numbers(y), &rate));
}

/* Outward: y = betadot and etaddot into w->x. What goes from a body to the next one is at hand; alpha is kept where another body
 * asks for it, or of all. */
static inline void flexible_smoother(const soa_call *call, const vars *w, motion base, bool moving, bool keep)
{
    const soa_model *m = call->model;
    const bool ahead = is_long(m);
    motion alpha = base;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const int p = body->parent;
        if (ahead) {
            fetch_ahead(call, w, k, false);
        }
        const motion alpha_p = p < 0 ? base : p == k - 1 ? alpha : w->alpha[p];
        const motion at_child = carried_outward(w, m, k, smoothed_outward(w, m, k, alpha_p));
        real *y = w->x + body->v;
        alpha = moving && !body->rest->in_place ? motion_add(at_child, seat_of(w, m, k)->a) : at_child;
        if (!is_modal(body)) {
            real eps[SOA_JOINT_MAX_NV]; /* w->eps may be w->x */
            memcpy(eps, w->eps + body->v, (size_t)body->nv * sizeof *eps);
            smoother_across(&seat_of(w, m, k)->X, body, seat_inertias(w, body), eps, at_child, &alpha_p, y);
            alpha = motion_add(alpha, joint_motion(w, body, y));
        } else if (body->nv > 0) {
            port_smoother(call, w, k, w->eps + body->v, at_child, alpha, y);
        }
        if (keep || (body->keeps && !body->rest->hands_on)) {
            w->alpha[k] = alpha;
        }
    }
}

#endif
