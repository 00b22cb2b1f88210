/* dynamics/momentum.kernel.h - energy, momentum, centre of mass, centroidal matrix.
 *
 * All in world axes. With rotors the energy has the terms
 *     rate gear . w(p) + armature rate^2 / 2
 * and the momentum gear rate.  [GEAR] */
#ifndef SOA_DYNAMICS_MOMENTUM_KERNEL_H
#define SOA_DYNAMICS_MOMENTUM_KERNEL_H

#include "dynamics/mass.kernel.h"

/* A rotor's part of twice the kinetic energy. */
KERNEL real rotor_energy(const soa_call *call, const vars *w, const soa_body_data *body)
{
    real twice = real_set(0.0);
    for (int i = 0; i < body->nv; i++) {
        const real rate = in_get(call, call->v, (size_t)(body->v + i));
        twice = real_fma(body->armature * rate, rate, twice);
    }
    if (body->geared) {
        const real rate = in_get(call, call->v, (size_t)body->v);
        twice = real_fma(2.0 * rate, vec3_dot(vec3_set(body->rest->gear), w->V[body->parent].w), twice);
    }
    return twice;
}

/* q, v; y = kinetic energy, potential energy (zero with the mass at the world's origin). */
static void energy(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    real twice = real_set(0.0);
    vec3 first_moment = vec3_zero();
    call_begin(call);
    kinematics_sweep(call, &w);
    for (int k = 0; k < m->bodies; k++) {
        const rigid M = rigid_set(m->body[k].inertia);
        if (call->v.at) {
            twice = twice + power(rigid_mul(M, w.V[k]), w.V[k]) + rotor_energy(call, &w, &m->body[k]);
        }
        first_moment = vec3_add(first_moment, mat3_mul_vec_add(placed(&w, k).R, M.h, vec3_scale(M.m, placed(&w, k).l)));
    }
    out_put(call, call->y, 0, 0.5 * twice);
    out_put(call, call->y, 1, vec3_dot(base_acceleration(call).v, first_moment)); /* -g . m c */
}

/* Mass and first moment of all that moves, in the world; needs W. */
KERNEL vec3 total_moment(soa_call *call, const vars *w, real *mass)
{
    vec3 moment = vec3_zero();
    *mass = real_set(0.0);
    for (int k = 0; k < call->model->bodies; k++) {
        const rigid M = rigid_set(call->model->body[k].inertia);
        *mass = *mass + M.m;
        moment = vec3_add(moment, mat3_mul_vec_add(w->W[k].R, M.h, vec3_scale(M.m, w->W[k].l)));
    }
    call_require(call, real_less(real_set(0.0), *mass), call->model->bodies); /* else there is no centre of mass */
    return moment;
}

/* A force of body k (body frame) moved to the point c, world axes. */
KERNEL force at_point(const vars *w, int k, force f, vec3 c)
{
    const vec3 F = mat3_mul_vec(w->W[k].R, f.f);
    const vec3 N = mat3_mul_vec(w->W[k].R, f.n);
    return (force){ vec3_cross_add(vec3_sub(w->W[k].l, c), F, N), F };
}

/* Adds what the rotor of a joint has to the momentum h about the point c, and to its rate h_dot.  [GEAR] */
KERNEL void add_spin(const soa_call *call, const vars *w, const soa_body_data *body, vec3 c, force *h, force *h_dot)
{
    const vec3 gear = vec3_scale(in_get(call, call->v, (size_t)body->v), vec3_set(body->rest->gear));
    *h = force_add(*h, at_point(w, body->parent, (force){ gear, vec3_zero() }, c));
    *h_dot = force_add(*h_dot, at_point(w, body->parent, gear_bias(call, w, body), c));
}

/* Writes the centre of mass, its velocity, the momentum h and, if wanted, its rate. */
KERNEL void put_momentum(const soa_call *call, vec3 com, real mass, force h, force h_dot)
{
    out_vec3(call, call->y, 0, com);
    out_vec3(call, call->y, 3, vec3_scale(real_div(real_set(1.0), mass), h.f));
    out_vec3(call, call->y, 6, h.n);
    out_vec3(call, call->y, 9, h.f);
    if (call->y2.at) {
        out_vec3(call, call->y2, 0, h_dot.n);
        out_vec3(call, call->y2, 3, h_dot.f);
    }
}

/* q, v (or none); y = centre of mass, its velocity, momentum (angular about the
 * centre of mass; linear): 12 numbers. y2 (if wanted) = the rate of the momentum
 * if betadot were zero and there were no gravity: 6 numbers. */
static void momentum(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    call_begin(call);
    position_sweep(call, &w);
    placement_sweep(call, &w);
    real mass;
    const vec3 moment = total_moment(call, &w, &mass);
    const vec3 com = vec3_scale(real_div(real_set(1.0), mass), moment);
    force h = force_zero(), h_dot = force_zero();
    for (int k = 0; call->v.at && k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const rigid M = rigid_set(body->inertia);
        body_velocity(call, &w, k);
        w.alpha[k] = motion_add(parent_acceleration(&w, body, k, motion_zero()), w.a[k]); /* with betadot = 0 */
        const force f = force_add(rigid_mul(M, w.alpha[k]), body_bias(call, &w, k));
        h = force_add(h, at_point(&w, k, rigid_mul(M, w.V[k]), com));
        h_dot = force_add(h_dot, at_point(&w, k, f, com));
        if (body->geared) {
            add_spin(call, &w, body, com, &h, &h_dot);
        }
    }
    put_momentum(call, com, mass, h, h_dot);
}

/* q; y = the 6 x nv matrix A with A v = the momentum above: column of joint k = phi(com, k) R(k) H*(k). */
static void centroidal_matrix(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    call_begin(call);
    position_sweep(call, &w);
    placement_sweep(call, &w);
    composite_sweep(call, &w);
    real mass;
    const vec3 moment = total_moment(call, &w, &mass);
    const vec3 com = vec3_scale(real_div(real_set(1.0), mass), moment);
    const size_t nv = (size_t)m->nv;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        for (int c = 0; c < body->nv; c++) {
            force h = at_point(&w, k, rigid_mul(w.R[k], joint_column(&w, body, c)), com);
            if (body->geared) {
                h.n = vec3_add(h.n, mat3_mul_vec(w.W[body->parent].R, vec3_set(body->rest->gear)));
            }
            const real x[6] = { h.n.x, h.n.y, h.n.z, h.f.x, h.f.y, h.f.z };
            for (size_t r = 0; r < 6; r++) {
                out_put(call, call->y, r * nv + (size_t)(body->v + c), x[r]);
            }
        }
    }
}

#endif
