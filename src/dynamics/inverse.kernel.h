/* dynamics/inverse.kernel.h - inverse dynamics and joint forces.
 *
 *     alpha = phi* (H* betadot + a),  f = phi (M alpha + b),  T = H f          [ID]
 *
 * One outward and one inward sweep. */
#ifndef SOA_DYNAMICS_INVERSE_KERNEL_H
#define SOA_DYNAMICS_INVERSE_KERNEL_H

#include "sweep/sweeps.kernel.h"

/* soa_call.option of inverse_dynamics */
enum { WITHOUT_GRAVITY = 1 };

/* Outward: X, V, alpha, and in b the force M alpha + b - f_external of each body. */
static inline void newton_euler_outward(soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    const motion base = call->option == WITHOUT_GRAVITY ? motion_zero() : base_acceleration(call);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        body_position(call, w, k);
        motion alpha = parent_acceleration(w, body, k, base);
        if (call->v.at) {
            body_velocity(call, w, k);
            alpha = motion_add(alpha, w->a[k]);
        }
        if (call->u.at) {
            real betadot[SOA_JOINT_MAX_NV];
            joint_in(call, call->u, body->v, body->nv, betadot);
            alpha = motion_add(alpha, joint_motion(w, body, betadot));
        }
        w->alpha[k] = alpha;
        const force inertial = rigid_mul(rigid_set(body->inertia), alpha);
        w->b[k] = call->v.at ? force_add(inertial, body_bias(call, w, k)) : inertial;
        if (call->f.at) {
            w->W[k] = body->parent < 0 ? w->X[k] : pose_compose(w->W[body->parent], w->X[k]);
            w->b[k] = force_sub(w->b[k], body_external(call, w, k));
        }
    }
}

/* What a rotor adds: armature betadot and its bias to T, gear betadot and its bias to the
 * parent, gear . wdot(p) to T.  [GEAR] */
static inline void rotor_forces(soa_call *call, const vars *w, const soa_body_data *body, real *T)
{
    for (int i = 0; call->u.at && i < body->nv; i++) {
        T[i] = real_fma(real_set(body->armature), in_get(call, call->u, (size_t)(body->v + i)), T[i]);
    }
    armature_bias(call, body, 1.0, T);
    if (body->geared) {
        const vec3 gear = vec3_set(body->rest->gear);
        force *f = &w->b[body->parent];
        T[0] = vec3_dot_add(gear, w->alpha[body->parent].w, T[0]);
        if (call->u.at) {
            f->n = vec3_scale_add(in_get(call, call->u, (size_t)body->v), gear, f->n);
        }
        if (call->v.at) {
            *f = force_add(*f, gear_bias(call, w, body));
        }
    }
}

/* Inward: f(p) gains phi f; T = H f into w->x. */
static inline void newton_euler_inward(soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    for (int k = m->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &m->body[k];
        joint_force(w, body, w->b[k], w->x + body->v);
        if (body->armature != 0.0) {
            rotor_forces(call, w, body, w->x + body->v);
        }
        if (body->parent >= 0) {
            w->b[body->parent] = force_add(w->b[body->parent], phi(w->X[k], w->b[k]));
        }
    }
}

/* q, v (or none), u = betadot (or none), f (or none); y = six numbers per body: the
 * force across its joint in the axes and at the origin of the link frame. */
static void joint_forces(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    newton_euler_outward(call, &w);
    newton_euler_inward(call, &w);
    for (int k = 0; k < call->model->bodies; k++) {
        const force f = phi_inv(pose_set(&call->model->body[k].rest->frame), w.b[k]);
        out_vec3(call, call->y, 6 * (size_t)k, f.n);
        out_vec3(call, call->y, 6 * (size_t)k + 3, f.f);
    }
}

#endif
