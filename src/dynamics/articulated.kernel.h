/* dynamics/articulated.kernel.h - P, D, G of the fast sweeps, joint by joint.
 *
 * Joints about or along z without a rotor are plain: they are crossed by plane
 * rotations (screw.kernel.h) and use the zeros of H and of taubar P. P of a body
 * is in Q[slot] while its children give to it; a large model has few slots. */
#ifndef SOA_DYNAMICS_ARTICULATED_KERNEL_H
#define SOA_DYNAMICS_ARTICULATED_KERNEL_H

#include "dynamics/columns.kernel.h"
#include "sweep/screw.kernel.h"

/* P of a body, when all its children have given. */
KERNEL articulated gathered_inertia(const vars *w, const soa_body_data *body)
{
    return body->leaf ? articulated_from_rigid(rigid_set(body->inertia)) : w->Q[body->slot];
}

/* A child's part of the parent's inertia; the first to come adds the parent's own. */
KERNEL void give_inertia(const soa_call *call, const vars *w, int k, articulated P)
{
    const soa_body_data *body = &call->model->body[k], *parent = &call->model->body[body->parent];
    articulated *to = &w->Q[parent->slot];
    *to = body->last ? articulated_add_rigid(P, rigid_set(parent->inertia)) : articulated_add(*to, P);
}

/* The same of P behind a plain joint, not yet crossed. */
KERNEL void give_behind_plain(const soa_call *call, const vars *w, int k, bool turns, articulated P)
{
    const soa_body_data *body = &call->model->body[k], *parent = &call->model->body[body->parent];
    const crossing x = crossing_again(w, body, k);
    articulated *to = &w->Q[parent->slot];
    const sym3 J = body->last ? sym3_set(parent->inertia + 4) : to->A;
    P = turns ? cross_inertia_revolute(body, x, P, J) : cross_inertia(body, x, P, J);
    if (body->last) {
        *to = articulated_add_rigid_rest(P, rigid_set(parent->inertia));
    } else {
        *to = (articulated){ P.A, mat3_add(P.B, to->B), sym3_add(P.C, to->C) };
    }
}

/* ---- joints that are not plain ------------------------------------------------------------ */

/* What a joint of any kind makes of P. */
typedef struct joint_inertias {
    articulated P;
    force U[SOA_JOINT_MAX_NV];
    real D_inv[SOA_JOINT_MAX_NV][D_COLUMNS];
} joint_inertias;

/* U = P H*, D^-1, with P given */
static inline void other_inertias(soa_call *call, const vars *w, int k, joint_inertias *j)
{
    const soa_body_data *body = &call->model->body[k];
    const int r = body->nv;
    if (soa_is_screw(body)) {
        const bool turns = body->joint_class == SOA_CLASS_REVOLUTE;
        const force U = turns ? articulated_column_wz(j->P) : articulated_column_vz(j->P);
        const sym3 block = turns ? j->P.A : j->P.C;
        const real D = (turns ? U.n.z : U.f.z) + body->armature;
        call_require(call, real_less(PIVOT_TOLERANCE * real_abs(block.xx + block.yy), D), k);
        j->U[0] = U;
        j->D_inv[0][0] = 1.0 / D;
        return;
    }
    if (body->joint_class == SOA_CLASS_FREE) {
        articulated_columns(&j->P, j->U);
    }
    for (int c = 0; c < r; c++) {
        if (body->joint_class != SOA_CLASS_FREE) {
            j->U[c] = articulated_mul(j->P, w->H[body->v + c]);
        }
        real d[SOA_JOINT_MAX_NV];
        joint_force(w, body, j->U[c], d);
        for (int i = 0; i <= c; i++) {
            j->D_inv[c][i] = j->D_inv[i][c] = i == c ? d[i] + body->armature : d[i];
        }
    }
    invert_spd(call, k, r, j->D_inv);
}

/* G = U D^-1; of a geared joint at the parent: K = (phi U + gear) D^-1, and U so too. */
static inline void other_gain(const vars *w, const soa_body_data *body, int k, joint_inertias *j)
{
    if (body->geared) {
        j->U[0] = phi(w->X[k], j->U[0]);
        j->U[0].n = vec3_add(j->U[0].n, vec3_set(body->rest->gear));
    }
    for (int c = 0; c < body->nv; c++) {
        force G = force_scale(j->D_inv[0][c], j->U[0]);
        for (int i = 1; i < body->nv; i++) {
            G = force_scale_add(j->D_inv[i][c], j->U[i], G);
        }
        w->G[body->v + c] = G;
    }
}

/* To the parent: phi P phi* - K D K*. */
static inline void other_give(const soa_call *call, const vars *w, int k, const joint_inertias *j)
{
    const soa_body_data *body = &call->model->body[k];
    articulated P = body->geared ? articulated_shift(w->X[k], j->P) : j->P;
    for (int c = 0; c < body->nv; c++) {
        const force G = w->G[body->v + c], U = j->U[c];
        P = (articulated){ sym3_sub_outer(P.A, G.n, U.n), mat3_sub_outer(P.B, G.n, U.f),
            sym3_sub_outer(P.C, G.f, U.f) };
    }
    give_inertia(call, w, k, body->geared ? P : articulated_shift(w->X[k], P));
}

/* ---- articulated inertia alone -------------------------------------------------------------- */

/* G, D^-1 of a plain joint; its inertia to the parent. */
KERNEL void plain_articulated(soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const int i = body->v;
    const bool turns = body->joint_class == SOA_CLASS_REVOLUTE;
    const articulated P = gathered_inertia(w, body);
    const force U = turns ? articulated_column_wz(P) : articulated_column_vz(P);
    const sym3 block = turns ? P.A : P.C;
    const real D = turns ? U.n.z : U.f.z;
    call_require(call, real_less(PIVOT_TOLERANCE * real_abs(block.xx + block.yy), D), k);
    const real D_inv = 1.0 / D;
    const force G = force_scale(D_inv, U);
    w->G[i] = G;
    w->D_inv[i][0] = D_inv;
    if (body->parent >= 0) {
        give_behind_plain(call, w, k, turns,
            turns ? articulated_downdate_revolute(P, U, G) : articulated_downdate_prismatic(P, U, G));
    }
}

/* Of any other joint; U with a rotor is its column of K D, in the parent's frame. */
static __attribute__((noinline)) void other_articulated(soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const int i = body->v, r = body->nv;
    joint_inertias j;
    j.P = gathered_inertia(w, body);
    other_inertias(call, w, k, &j);
    memcpy(w->D_inv + i, j.D_inv, (size_t)r * sizeof *j.D_inv);
    if (body->parent >= 0) {
        const force U = j.U[0];
        other_gain(w, body, k, &j);
        other_give(call, w, k, &j);
        if (body->geared) { /* G stays in the body's frame here */
            w->G[i] = force_scale(j.D_inv[0][0], U);
        }
    }
    memcpy(w->U + i, j.U, (size_t)r * sizeof *j.U);
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
        if (is_plain(&m->body[k])) {
            plain_articulated(call, w, k);
        } else {
            other_articulated(call, w, k);
        }
    }
}

#endif
