/* sens/contracted.kernel.h - derivatives of the mass matrix and Christoffel symbols, summed with vectors.
 *
 *     (dMass/dq) x    = sum of x_i dMass/dq_i = C(q, x) + C(q, x)*
 *     C_i(j,k) x_j y_k                          in O(n): the Coriolis matrix for v = x, times y
 * One state, one lane. */
#ifndef SOA_SENS_CONTRACTED_KERNEL_H
#define SOA_SENS_CONTRACTED_KERNEL_H

#include "sens/christoffel.kernel.h"

#if LANES == 1

/* ---- (dMass/dq) x ---------------------------------------------------------------------------- */

/* q, v = x; y = C(q, x) + C(q, x)*, nv x nv. */
static void mass_rate(soa_call *call)
{
    const vars w = fields_begin(call);
    fields_outward(call, &w);
    call->lanes->coriolis(call, w.turning);
    add_transposed((size_t)call->model->nv, call->step, call->y.at);
}

/* q, option: a velocity i; y = dMass/dq_i, nv x nv: the rate along x = e_i. */
static void mass_derivative(soa_call *call)
{
    fields_begin(call);
    double *unit = call->fields + (FIELDS + PATH_PLACE) * soa_places(call->model);
    memset(unit, 0, (size_t)call->model->nv * sizeof *unit);
    unit[call->option] = 1.0;
    call->v.at = unit;
    mass_rate(call);
    call->v.at = NULL;
}

/* ---- C_i(j,k) x_j y_k --------------------------------------------------------------------------- */

/* What of the sweep is kept at a body. */
typedef struct product_body {
    motion A, A_dot; /* sum of J y, of dJ/dt y over the path to the base */
} product_body;

/* Outward: A (FIELD_F), A_dot (FIELD_U) of all bodies. */
static inline void product_outward(const soa_call *call)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        product_body a = { motion_zero(), motion_zero() };
        if (body->parent >= 0) {
            const double *parent = fields_of(call, (size_t)m->body[body->parent].v);
            a = (product_body){ field_motion(parent, FIELD_F), field_motion(parent, FIELD_U) };
        }
        for (int c = body->v; c < body->v + body->nv; c++) {
            const double *x = fields_of(call, (size_t)c);
            a.A = motion_scale_add(call->u.at[c], field_motion(x, FIELD_J), a.A);
            a.A_dot = motion_scale_add(call->u.at[c], field_motion(x, FIELD_J_dot), a.A_dot);
        }
        double *x = fields_of(call, (size_t)body->v);
        field_put_motion(x, FIELD_F, a.A);
        field_put_motion(x, FIELD_U, a.A_dot);
        if (body->geared) {
            columns_rotor_K(call, NULL, body);
        }
    }
}

/* The force M A_dot + B A of each body into FIELD_F; A, A_dot are gone, but for what rotors take of them (FIELD_own). */
static inline void product_forces(const soa_call *call)
{
    const soa_model *m = call->model;
    for (int k = m->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &m->body[k];
        double *x = fields_of(call, (size_t)body->v);
        const motion A = field_motion(x, FIELD_F), A_dot = field_motion(x, FIELD_U);
        force F = rigid_mul(field_rigid(x, FIELD_inertia), A_dot);
        F.n = mat3_mul_vec_add(field_mat3(x, FIELD_K), A.w, F.n);
        F.f = vec3_cross_add(A.w, field_vec3(x, FIELD_p), F.f);
        if (body->geared) { /* its parent still has A */
            const double *parent = fields_of(call, (size_t)m->body[body->parent].v);
            const vec3 gear = gear_in_world(call, body);
            const vec3 half = rotor_half(field_vec3(parent, FIELD_V), gear);
            const real felt = vec3_dot(half, field_vec3(parent, FIELD_F));
            field_put(x, FIELD_own, vec3_dot_add(gear, field_vec3(parent, FIELD_U), felt));
        }
        field_put_force(x, FIELD_F, F);
    }
}

/* Inward: y_i = J_i . the force of all that is outboard. */
static inline void product_inward(const soa_call *call)
{
    const soa_model *m = call->model;
    for (int k = m->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &m->body[k];
        const force F = field_force(fields_of(call, (size_t)body->v), FIELD_F);
        armature_entry entry[12];
        const int count =
            body->armature != 0.0 && body->nv > 1 ? armature_entries(body, call->v.at + body->v, entry) : 0;
        for (int c = body->v; c < body->v + body->nv; c++) {
            const double *x = fields_of(call, (size_t)c);
            real y = power(F, field_motion(x, FIELD_J));
            y = body->geared ? y + field_get(x, FIELD_own) : y;
            for (int e = 0; e < count; e++) {
                y = entry[e].row == c - body->v ? y + entry[e].x * call->u.at[body->v + entry[e].column] : y;
            }
            out_put(call, call->y, (size_t)c * call->step, y);
        }
        if (body->parent >= 0) {
            double *parent = fields_of(call, (size_t)m->body[body->parent].v);
            force sum = force_add(field_force(parent, FIELD_F), F);
            if (body->geared) {
                const vec3 half = rotor_half(field_vec3(parent, FIELD_V), gear_in_world(call, body));
                sum.n = vec3_scale_add(call->u.at[body->v], half, sum.n);
            }
            field_put_force(parent, FIELD_F, sum);
        }
    }
}

/* q, v = x, u = y; y = nv numbers. */
static void christoffel_product(soa_call *call)
{
    const vars w = fields_begin(call);
    fields_outward(call, &w);
    columns_begin(call);
    columns_velocities(call, w.turning);
    columns_bodies(call, w.turning);
    product_outward(call);
    product_forces(call);
    product_inward(call);
}

#endif

#endif
