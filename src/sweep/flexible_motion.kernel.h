/* sweep/flexible_motion.kernel.h - velocities and accelerations of bodies of models with flexible links. */
#ifndef SOA_SWEEP_FLEXIBLE_MOTION_KERNEL_H
#define SOA_SWEEP_FLEXIBLE_MOTION_KERNEL_H

#include "sweep/flexible_sweeps.kernel.h"

/* V of a node, from that of its body, and its velocity-dependent acceleration; y: node_sums of etadot. */
KERNEL motion node_velocity(const carrier *on, const double *etadot, const real y[8], motion V, motion *bias)
{
    const vec3 W = V.w, rate = { y[0], y[1], y[2] };
    const motion U = { mat3_mul_vec(on->n->Jl, rate), { y[3], y[4], y[5] } };
    V = motion_add(node_outward(on->n, V), U);
    *bias = node_bias(on, etadot, rate, W, V.v, U);
    return V;
}

/* V and a of body k across the pose X from V of what carries it and, at a node, from the bias there. */
KERNEL void velocity_across(
    const soa_call *call, const vars *w, int k, const pose *X, motion carrier_V, motion bias, motion *V, motion *a)
{
    const soa_body_data *body = &call->model->body[k];
    const motion at_child = body->rest->in_place ? carrier_V : phi_t(*X, carrier_V);
    if (is_modal(body)) {
        *V = at_child;
        *a = motion_zero();
    } else {
        body_velocity_from(call, w, body, at_child, V, a);
    }
    if (body->rest->node > 0) {
        *a = motion_add(*a, phi_t(*X, bias));
    }
}

/* V and a of body k; zero without velocities. */
static inline void flexible_velocity(const soa_call *call, const vars *w, int k)
{
    const soa_model *m = call->model;
    const soa_body_data *body = &m->body[k];
    motion V = body->parent < 0 || !call->v.at ? motion_zero() : w->V[body->parent], bias = motion_zero();
    if (!call->v.at) {
        w->V[k] = w->a[k] = motion_zero();
        return;
    }
    if (body->rest->node > 0) {
        const carrier on = carrier_of(w, m, k);
        const double *etadot = modes_in(call->v, on.on->v);
        real y[AT_ONCE][8];
        node_sums(&on, 1, &etadot, false, y);
        V = node_velocity(&on, etadot, y[0], V, &bias);
    }
    velocity_across(call, w, k, &w->X[k], V, bias, &w->V[k], &w->a[k]);
}

/* X, V and a of body k, which is not in place, and the node that carries it, into its seat. */
static inline void flexible_move(const soa_call *call, const vars *w, int k)
{
    const soa_model *m = call->model;
    const soa_body_data *body = &m->body[k];
    seat_vars *at = seat_of(w, m, k);
    motion V = body->parent < 0 || !call->v.at ? motion_zero() : seat_of(w, m, body->parent)->V, bias = motion_zero();
    if (body->rest->node > 0) {
        turn_vars turn;
        const carrier on = seat_carrier(w, m, k, &turn);
        const double *x[AT_ONCE] = { modes_in(call->q, on.on->q), modes_in(call->v, on.on->v), NULL };
        real y[AT_ONCE][8];
        node_sums(&on, x[1] ? 2 : 1, x, true, y);
        const mat3 R = node_place(&on, y[0]);
        joint_position(call, w, k, &R, &at->X);
        if (x[1]) {
            V = node_velocity(&on, x[1], y[1], V, &bias);
        }
    } else {
        joint_position(call, w, k, NULL, &at->X);
    }
    if (call->v.at) {
        velocity_across(call, w, k, &at->X, V, bias, &at->V, &at->a);
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
