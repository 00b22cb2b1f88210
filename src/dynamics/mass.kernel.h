/* dynamics/mass.kernel.h - the mass matrix by composite inertias.
 *
 *     Mass(i,k) = H(i) phi(i,k) R(k) H*(k), i inboard of k                            [CRB]
 *
 * In body frames: H f of a joint about z is a component, and joints about z are
 * crossed by plane rotations. */
#ifndef SOA_DYNAMICS_MASS_KERNEL_H
#define SOA_DYNAMICS_MASS_KERNEL_H

#include "dynamics/kinematics.kernel.h"

KERNEL void put_symmetric(const soa_call *call, int i, int j, real x)
{
    const size_t nv = (size_t)call->model->nv;
    out_put(call, call->y, (size_t)i * nv + (size_t)j, x);
    if (i != j) {
        out_put(call, call->y, (size_t)j * nv + (size_t)i, x);
    }
}

/* phi f of any joint. */
KERNEL force across_inward(const vars *w, const soa_body_data *body, int k, force f)
{
    return soa_is_screw(body) ? cross_inward(body, crossing_again(w, body, k), f) : phi(w->X[k], f);
}

/* R H*, column c. */
KERNEL force composite_column(const vars *w, const soa_body_data *body, int k, int c)
{
    const rigid R = w->R[k];
    const real o = real_set(0.0);
    switch (body->joint_class) {
    case SOA_CLASS_REVOLUTE:
        return (force){ { R.J.xz, R.J.yz, R.J.zz }, { -R.h.y, R.h.x, o } };
    case SOA_CLASS_PRISMATIC:
        return (force){ { R.h.y, -R.h.x, o }, { o, o, R.m } };
    default:
        return rigid_mul(R, joint_column(w, body, c));
    }
}

/* Mass(i, c) for column c of body k and all i inboard. */
KERNEL void mass_column(const soa_call *call, const vars *w, int k, int c)
{
    const soa_model *m = call->model;
    const soa_body_data *body = &m->body[k];
    const int column = body->v + c;
    force F = composite_column(w, body, k, c);
    real H[SOA_JOINT_MAX_NV];
    joint_force(w, body, F, H);
    for (int i = 0; i <= c; i++) {
        put_symmetric(call, body->v + i, column, i == c ? H[i] + body->armature : H[i]);
    }
    for (int j = k; m->body[j].parent >= 0; j = m->body[j].parent) {
        const soa_body_data *parent = &m->body[m->body[j].parent];
        F = across_inward(w, &m->body[j], j, F);
        if (j == k && body->geared) {
            F.n = vec3_add(F.n, vec3_set(body->rest->gear));
        }
        joint_force(w, parent, F, H);
        for (int i = 0; i < parent->nv; i++) {
            put_symmetric(call, parent->v + i, column, H[i]);
        }
    }
}

/* R(p) gains phi R phi*.  [R] */
KERNEL void give_composite(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const rigid shifted =
        soa_is_screw(body) ? cross_rigid(body, crossing_again(w, body, k), w->R[k]) : rigid_shift(w->X[k], w->R[k]);
    rigid *to = &w->R[body->parent];
    const rigid own = rigid_set(call->model->body[body->parent].inertia);
    *to = rigid_add(body->last ? own : *to, shifted);
}

/* q; y = Mass, nv x nv. */
static void mass_matrix(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    call_begin(call);
    const size_t nv = (size_t)m->nv;
    out_zero(call, call->y, nv * nv);
    crossings_begin(call, &w);
    for (int k = 0; k < m->bodies; k++) {
        if (soa_is_screw(&m->body[k])) {
            crossing_of(call, &w, k);
        } else {
            general_position(call, &w, k);
        }
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        if (m->body[k].leaf) {
            w.R[k] = rigid_set(m->body[k].inertia);
        }
        for (int c = 0; c < m->body[k].nv; c++) {
            mass_column(call, &w, k, c);
        }
        if (m->body[k].parent >= 0) {
            give_composite(call, &w, k);
        }
    }
}

#endif
