/* sens/rotor_loads.kernel.h - what rotors add to the fields of derivatives.  [GEAR] */
#ifndef SOA_SENS_ROTOR_LOADS_KERNEL_H
#define SOA_SENS_ROTOR_LOADS_KERNEL_H

#include "sens/state_rows.kernel.h"

#if LANES == 1
/* What a rotor adds to the parent: gear vdot + w x gear v to the force, -gear~ v to N.  [GEAR] */
static inline void rotor_sums(const soa_call *call, const vars *w, const soa_body_data *body)
{
    const size_t v = (size_t)body->v, p = (size_t)call->model->body[body->parent].v;
    const vec3 gear = gear_in_world(call, body);
    vec3 n = field_vec3(fields_of(call, p), FIELD_F);
    if (call->u.at) {
        n = vec3_scale_add(call->u.at[v], gear, n);
    }
    if (call->v.at) {
        const vec3 g = vec3_scale(call->v.at[v], gear);
        n = vec3_cross_add(w->V[body->parent].w, g, n);
        const mat3 old = field_mat3(fields_of(call, p), FIELD_N);
        field_put_mat3(
            fields_of(call, p), FIELD_N, mat3_add(old, (mat3){ 0.0, g.z, -g.y, -g.z, 0.0, g.x, g.y, -g.x, 0.0 }));
    }
    field_put_vec3(fields_of(call, p), FIELD_F, n);
}

/* What a rotor adds to the weighted sums of the parent: x gear to Z, v gear x y + x w x gear to Q, -gear~ x to NY. */
static inline void rotor_weights(const soa_call *call, const vars *w, const soa_body_data *body)
{
    const size_t v = (size_t)body->v, p = (size_t)call->model->body[body->parent].v;
    const vec3 gear = gear_in_world(call, body), g = vec3_scale(call->x.at[v], gear);
    const vec3 y = field_vec3(fields_of(call, p), FIELD_Y);
    field_put_vec3(fields_of(call, p), FIELD_Z, vec3_add(field_vec3(fields_of(call, p), FIELD_Z), g));
    field_put_mat3(fields_of(call, p), FIELD_NY,
        mat3_add(field_mat3(fields_of(call, p), FIELD_NY), (mat3){ 0.0, g.z, -g.y, -g.z, 0.0, g.x, g.y, -g.x, 0.0 }));
    vec3 n = vec3_cross_add(w->V[body->parent].w, g, field_vec3(fields_of(call, p), FIELD_Q));
    if (call->v.at) {
        n = vec3_cross_add(vec3_scale(call->v.at[v], gear), y, n);
    }
    field_put_vec3(fields_of(call, p), FIELD_Q, n);
}

/* A rotor is felt by the joints inboard of its own: U, FV, B gain, after the diagonal is kept.  [GEAR] */
static inline void rotor_loads(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        if (!body->geared) {
            continue;
        }
        const size_t v = (size_t)body->v;
        const motion s = field_motion(fields_of(call, v), FIELD_J);
        const vec3 gear = gear_in_world(call, body);
        const vec3 turned = vec3_cross(w->V[body->parent].w, gear);
        field_put(fields_of(call, v), FIELD_own, power(field_force(fields_of(call, v), FIELD_FV), s));
        field_put(fields_of(call, v), FIELD_own + 1, power(field_force(fields_of(call, v), FIELD_U), s));
        field_put_vec3(fields_of(call, v), FIELD_U, vec3_add(field_vec3(fields_of(call, v), FIELD_U), gear));
        field_put_vec3(fields_of(call, v), FIELD_FV, vec3_add(field_vec3(fields_of(call, v), FIELD_FV), turned));
        field_put_vec3(fields_of(call, v), FIELD_B, vec3_add(field_vec3(fields_of(call, v), FIELD_B), turned));
    }
}
#endif

#endif
