/* sweep/flexible_motion.kernel.h - velocities and accelerations of bodies of models with flexible links, and the forces
 * that modes need for them. */
#ifndef SOA_SWEEP_FLEXIBLE_MOTION_KERNEL_H
#define SOA_SWEEP_FLEXIBLE_MOTION_KERNEL_H

#include "sweep/flexible.kernel.h"

/* The row of the modes of a body among inputs; NULL if there are none. */
KERNEL const real *modes_in(const soa_call *call, soa_in in, const soa_body_data *on, real *row)
{
    return row_in(call, in, (size_t)on->v, (size_t)on->nv, row);
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
        const real *etadot = modes_in(call, call->v, &m->body[p], x);
        const motion U = node_motion(&m->body[p], port_motions(w, body), etadot);
        at_carrier = motion_add(node_outward(&w->node[k], at_carrier), U);
        bias = node_bias(&m->body[p], node, &w->node[k], etadot, at_carrier, U);
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
    const size_t m = (size_t)body->nv;
    if (m == 0) {
        return call->v.at ? body_bias(call, w, k) : force_zero();
    }
    real b[SOA_MAX_MODES], x[SOA_MAX_MODES];
    const real *etaddot = modes_in(call, call->u, body, x);
    row_zero(m, b);
    force f = call->v.at ? modal_bias(call, w, k, b) : force_zero();
    if (etaddot) {
        table_multiply_add(m, body->rest->modal->ee, etaddot, b);
        f = force_add(f, er_sum(w, body, etaddot));
    }
    modal_powers(w, body, w->V[k], w->alpha[k], b);
    memcpy(w->x + body->v, b, m * sizeof *b);
    return f;
}

#endif
