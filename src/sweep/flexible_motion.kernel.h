/* sweep/flexible_motion.kernel.h - velocities and accelerations of bodies of models with flexible links, and the forces
 * that modes need for them. */
#ifndef SOA_SWEEP_FLEXIBLE_MOTION_KERNEL_H
#define SOA_SWEEP_FLEXIBLE_MOTION_KERNEL_H

#include "sweep/flexible_sweeps.kernel.h"

/* V and a of body k from V of its parent; zero without velocities. */
KERNEL void flexible_velocity_from(const soa_call *call, const vars *w, int k, motion V)
{
    const soa_model *m = call->model;
    const soa_body_data *body = &m->body[k];
    const bool on_node = body->rest->node > 0;
    motion bias = motion_zero();
    if (!call->v.at) {
        w->V[k] = motion_zero();
        w->a[k] = motion_zero();
        return;
    }
    if (on_node) {
        const carrier on = carrier_of(w, m, k);
        const double *etadot = modes_in(call->v, on.on->v);
        vec3 rate;
        const motion U = node_motion(&on, etadot, &rate);
        V = motion_add(node_outward(on.n, V), U);
        bias = node_bias(&on, etadot, rate, V, U);
    }
    if (!body->rest->in_place) {
        V = phi_t(w->X[k], V);
    }
    if (is_modal(body)) {
        w->V[k] = V;
        w->a[k] = motion_zero();
    } else {
        body_velocity_from(call, w, k, V);
    }
    if (on_node) {
        w->a[k] = motion_add(w->a[k], phi_t(w->X[k], bias));
    }
}

/* The same where V of the parent is in w. */
static inline void flexible_velocity(const soa_call *call, const vars *w, int k)
{
    const int p = call->model->body[k].parent;
    flexible_velocity_from(call, w, k, p < 0 ? motion_zero() : w->V[p]);
}

/* alpha of body k from that of its parent, or of the base, from u = (betadot; etaddot) and a. */
KERNEL motion flexible_acceleration(const soa_call *call, const vars *w, int k, motion alpha)
{
    const soa_model *m = call->model;
    const soa_body_data *body = &m->body[k];
    if (body->rest->node > 0) {
        const carrier on = carrier_of(w, m, k);
        const double *etaddot = modes_in(call->u, on.on->v);
        vec3 rate;
        alpha = node_outward(on.n, alpha);
        if (etaddot) {
            alpha = motion_add(alpha, node_motion(&on, etaddot, &rate));
        }
    }
    if (!body->rest->in_place) {
        alpha = phi_t(w->X[k], alpha);
    }
    if (call->v.at) {
        alpha = motion_add(alpha, w->a[k]);
    }
    if (call->u.at && !is_modal(body)) {
        real betadot[SOA_JOINT_MAX_NV];
        joint_in(call, call->u, body->v, body->nv, betadot);
        alpha = motion_add(alpha, joint_motion(w, body, betadot));
    }
    return alpha;
}

/* What the modes of body k add to its force at V and alpha; the forces of the modes themselves into w->x. */
KERNEL force modal_forces(const soa_call *call, const vars *w, int k, rigid M, motion V, motion alpha)
{
    const soa_body_data *body = &call->model->body[k];
    const soa_modal *s = body->rest->modal;
    const size_t m = (size_t)s->modes;
    const double *etaddot = modes_in(call->u, body->v);
    real y[MODAL_RATES], z[SOA_MODAL_ER + SOA_MAX_MODES], room[SOA_MAX_MODES];
    real *e = w->x + body->v, *b = etaddot ? z + SOA_MODAL_ER : row_made(e, room);
    force f = force_zero();
    if (call->v.at) {
        modal_rates(call, w, k, y);
        f = modal_bias(call, k, M, V, y);
    }
    if (etaddot) {
        table_set(&s->by_etaddot, etaddot, z);
        bent_sums(w, s, 0, s->linear.count, etaddot, 1.0, z);
        f = force_add(f, six_force(z));
    }
    modal_powers(w, s, V, alpha, call->v.at ? y : NULL, etaddot != NULL, b);
    if (b != e) {
        row_put(m, b, e);
    }
    return f;
}

#endif
