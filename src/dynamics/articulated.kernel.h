/* dynamics/articulated.kernel.h - P, D, G of the fast sweeps.
 *
 * Joints about or along z without a rotor are plain: they are crossed by plane
 * rotations (screw.kernel.h) and use the zeros of H and of taubar P. P of a body
 * is in Q[slot] while its children give to it; a large model has few slots. */
#ifndef SOA_DYNAMICS_ARTICULATED_KERNEL_H
#define SOA_DYNAMICS_ARTICULATED_KERNEL_H

#include "dynamics/columns.kernel.h"
#include "sweep/articulate.kernel.h"
#include "sweep/screw.kernel.h"

/* P of a body, when all its children have given. */
KERNEL articulated gathered_inertia(const soa_call *call, const vars *w, const soa_body_data *body)
{
    return body->leaf ? articulated_from_rigid(body_inertia(call, body)) : w->Q[body->slot];
}

/* A child's part of the parent's inertia; the first to come adds the parent's own. */
KERNEL void give_inertia(const soa_call *call, const vars *w, int k, articulated P)
{
    const soa_body_data *body = &call->model->body[k], *parent = &call->model->body[body->parent];
    articulated *to = &w->Q[parent->slot];
    *to = body->last ? articulated_add_rigid(P, body_inertia(call, parent)) : articulated_add(*to, P);
}

/* A child's part of the parent's inertia, P+ behind a plain joint that is not yet crossed. */
KERNEL void give_behind(const soa_call *call, const vars *w, int k, const bool turns, articulated P)
{
    const soa_body_data *body = &call->model->body[k], *parent = &call->model->body[body->parent];
    const crossing x = crossing_again(w, body, k);
    articulated *to = &w->Q[parent->slot];
    const sym3 J = body->last ? body_inertia(call, parent).J : to->A;
    P = turns ? cross_inertia_revolute(body, x, P, J) : cross_inertia(body, x, P, J);
    if (body->last) {
        *to = articulated_add_rigid_rest(P, body_inertia(call, parent));
    } else {
        *to = (articulated){ P.A, mat3_add(P.B, to->B), sym3_add(P.C, to->C) };
    }
}

/* ---- articulated inertia alone -------------------------------------------------------------- */

/* G, D^-1 of a plain joint; its inertia to the parent. */
KERNEL void plain_articulated(soa_call *call, const vars *w, int k, const bool turns)
{
    const soa_body_data *body = &call->model->body[k];
    const articulated P = gathered_inertia(call, w, body);
    const screw_inertias j = screw_articulate(call, k, P, turns, false);
    w->G[body->v] = j.G;
    w->D_inv[body->v][0] = j.D_inv;
    if (body->parent >= 0) {
        give_behind(call, w, k, turns, screw_behind(P, j.U, j.G, turns));
    }
}

/* U, G, D^-1 of any other joint; U with a rotor is its column of K D, in the parent's frame. */
static __attribute__((noinline)) void any_articulated(soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const joint_inertias j = kept_inertias(w, body);
    const articulated P = gathered_inertia(call, w, body);
    articulate(call, w, k, &P, j);
    if (body->geared) {
        j.U[0] = gear_column(w, body, k);
    }
    if (body->parent >= 0) {
        give_inertia(call, w, k, felt_inboard(&w->X[k], body, P, j, j.U[0]));
    }
}

/* G and D^-1 of all joints, and how to cross them: X, or crossing of the plain ones. */
static inline void articulated_only(soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    crossings_begin(call, w);
    for (int k = 0; k < m->bodies; k++) {
        if (is_plain(&m->body[k])) {
            crossing_of(call, w, k);
        } else {
            body_position(call, w, k);
        }
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        if (!is_plain(&m->body[k])) {
            any_articulated(call, w, k);
        } else if (m->body[k].joint_class == SOA_CLASS_REVOLUTE) {
            plain_articulated(call, w, k, true);
        } else {
            plain_articulated(call, w, k, false);
        }
    }
}

#endif
