/* dynamics/inverse.kernel.h - what rotors add to inverse dynamics.  [ID] [GEAR] */
#ifndef SOA_DYNAMICS_INVERSE_KERNEL_H
#define SOA_DYNAMICS_INVERSE_KERNEL_H

#include "sweep/sweeps.kernel.h"

/* soa_call.option of inverse_dynamics */
enum { WITHOUT_GRAVITY = 1 };

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

#endif
