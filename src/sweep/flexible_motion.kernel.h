/* sweep/flexible_motion.kernel.h - velocities and accelerations of bodies of models with flexible links, and the forces
 * that modes need for them. */
#ifndef SOA_SWEEP_FLEXIBLE_MOTION_KERNEL_H
#define SOA_SWEEP_FLEXIBLE_MOTION_KERNEL_H

#include "sweep/flexible.kernel.h"

/* Numbers of the modes of a body. */
KERNEL const real *modes_in(const soa_call *call, soa_in in, const soa_body_data *on, real *x)
{
    if (!in.at) {
        return NULL;
    }
    for (int i = 0; i < on->nv; i++) {
        x[i] = in_get(call, in, (size_t)(on->v + i));
    }
    return x;
}

/* V and a of body k; zero without velocities. */
static inline void flexible_velocity(const soa_call *call, const vars *w, int k)
{
    const soa_model *m = call->model;
    const soa_body_data *body = &m->body[k];
    const int p = body->parent, node = body->rest->node;
    w->V[k] = w->a[k] = motion_zero();
    if (!call->v.at) {
        return;
    }
    motion at_carrier = p < 0 ? motion_zero() : w->V[p], bias = motion_zero();
    if (node > 0) {
        real x[SOA_MAX_MODES];
        const motion U = node_motion(&m->body[p], w->Pi + body->rest->port, modes_in(call, call->v, &m->body[p], x));
        at_carrier = motion_add(phi_t(w->node[k].N, at_carrier), U);
        bias = node_bias(call, &m->body[p], node, &w->node[k], at_carrier, U);
    }
    const motion at_child = carried_outward(w, m, k, at_carrier);
    if (is_modal(body)) {
        w->V[k] = at_child;
    } else {
        body_velocity_from(call, w, k, at_child);
    }
    if (node > 0) {
        w->a[k] = motion_add(w->a[k], phi_t(w->X[k], bias));
    }
}

/* alpha of body k, from u = (betadot; etaddot) and a. */
static inline motion flexible_acceleration(const soa_call *call, const vars *w, int k, motion base)
{
    const soa_model *m = call->model;
    const soa_body_data *body = &m->body[k];
    const int p = body->parent;
    real x[SOA_MAX_MODES];
    const real *etaddot = body->rest->node > 0 ? modes_in(call, call->u, &m->body[p], x) : NULL;
    motion alpha = carried_outward(w, m, k, carrier_motion(w, m, k, p < 0 ? base : w->alpha[p], etaddot));
    alpha = call->v.at ? motion_add(alpha, w->a[k]) : alpha;
    if (call->u.at && !is_modal(body)) {
        real betadot[SOA_JOINT_MAX_NV];
        joint_in(call, call->u, body->v, body->nv, betadot);
        alpha = motion_add(alpha, joint_motion(w, body, betadot));
    }
    return alpha;
}

/* What modes add to the force of body k; the forces of the modes themselves into w->x. */
static inline force modal_forces(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const int n = body->nv, v = body->v;
    if (n == 0) {
        return call->v.at ? body_bias(call, w, k) : force_zero();
    }
    force f = force_zero();
    for (int i = 0; i < n; i++) {
        w->x[v + i] = real_set(0.0);
    }
    if (call->v.at) {
        f = modal_bias(call, w, k, w->x);
    }
    for (int i = 0; i < n; i++) {
        real e = w->x[v + i] + power(w->er[v + i], w->alpha[k]);
        for (int j = 0; call->u.at && j < n; j++) {
            const real etaddot = in_get(call, call->u, (size_t)(v + j));
            e = real_fma(real_set(body->rest->modal->ee[i * n + j]), etaddot, e);
        }
        if (call->u.at) {
            f = force_scale_add(in_get(call, call->u, (size_t)(v + i)), w->er[v + i], f);
        }
        w->x[v + i] = e;
    }
    return f;
}

#endif
