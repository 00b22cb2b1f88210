/* sweep/flexible_motion.kernel.h - velocities and accelerations of bodies of models with flexible links. */
#ifndef SOA_SWEEP_FLEXIBLE_MOTION_KERNEL_H
#define SOA_SWEEP_FLEXIBLE_MOTION_KERNEL_H

#include "sweep/flexible_sweeps.kernel.h"

/* V and a of body k; zero without velocities. */
static inline void flexible_velocity(const soa_call *call, const vars *w, int k)
{
    const soa_model *m = call->model;
    const soa_body_data *body = &m->body[k];
    const bool on_node = body->rest->node > 0;
    motion V = body->parent < 0 || !call->v.at ? motion_zero() : w->V[body->parent], bias = motion_zero();
    if (!call->v.at) {
        w->V[k] = motion_zero();
        w->a[k] = motion_zero();
        return;
    }
    if (on_node) {
        const carrier on = carrier_of(w, m, k);
        const double *etadot = modes_in(call->v, on.on->v);
        const vec3 W = V.w;
        vec3 rate;
        const motion U = node_motion(&on, etadot, &rate);
        V = motion_add(node_outward(on.n, V), U);
        bias = node_bias(&on, etadot, rate, W, V.v, U);
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

#endif
