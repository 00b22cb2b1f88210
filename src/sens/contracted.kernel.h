/* sens/contracted.kernel.h - derivatives of the mass matrix and Christoffel symbols, summed with vectors.
 *
 *     (dMass/dq) x    = sum of x_i dMass/dq_i = C(q, x) + C(q, x)*
 *     C_i(j,k) x_j y_k                          in O(n): the Coriolis matrix for v = x, times y
 *     d(Mass x)/dq                              below
 * One state, one lane; tensor.kernel.h has the notation. */
#ifndef SOA_SENS_CONTRACTED_KERNEL_H
#define SOA_SENS_CONTRACTED_KERNEL_H

#include "sens/christoffel.kernel.h"

#if LANES == 1

/* ---- (dMass/dq) x ---------------------------------------------------------------------------- */

/* q, v = x; y = C(q, x) + C(q, x)*, nv x nv. */
static void mass_rate(soa_call *call)
{
    const vars w = fields_begin(call);
    const size_t n = (size_t)call->model->nv, step = call->step;
    fields_outward(call, &w);
    call->lanes->coriolis(call, w.turning);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double *a = call->y.at + (i * n + j) * step, *b = call->y.at + (j * n + i) * step;
            const double sum = *a + *b;
            *a = sum;
            *b = sum;
        }
    }
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

/* ---- d(Mass x)/dq ----------------------------------------------------------------------------------
 *
 * With alpha_i = sum of J x up to velocity i and f_i the force M alpha of all that is outboard of i:
 *     d(Mass x)_j/dq_i = -U_j . (J_i x alpha_i)                                i before j
 *                      =  J_j . (S[J_i] f_i - R(i) (J_i x alpha_i))            j before i, or i */

/* A rotor adds its momentum to the force of the parent. */
static inline void rotor_momentum(const soa_call *call, const vars *w, const soa_body_data *body)
{
    (void)w;
    double *parent = fields_of(call, (size_t)call->model->body[body->parent].v);
    const vec3 gear = gear_in_world(call, body);
    field_put_vec3(parent, FIELD_F, vec3_scale_add(call->v.at[body->v], gear, field_vec3(parent, FIELD_F)));
}

/* Composite force (FIELD_F) from M and alpha (FIELD_V), before M is gathered. */
static inline void momentum_inward(const soa_call *call)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        double *x = fields_of(call, (size_t)m->body[k].v);
        field_put_force(x, FIELD_F, rigid_mul(field_rigid(x, FIELD_inertia), field_motion(x, FIELD_V)));
    }
    fields_inward(call, NULL, FIELD_F, FIELD_F_end, rotor_momentum);
}

/* J_i x alpha_i into FIELD_J_dot. */
static inline void turned_columns(const soa_call *call)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        motion alpha = motion_zero();
        if (body->parent >= 0) {
            alpha = field_motion(fields_of(call, (size_t)m->body[body->parent].v), FIELD_V);
        }
        for (int c = body->v; c < body->v + body->nv; c++) {
            double *x = fields_of(call, (size_t)c);
            const motion J = field_motion(x, FIELD_J);
            alpha = motion_scale_add(call->v.at[c], J, alpha);
            field_put_motion(x, FIELD_J_dot, motion_cross(J, alpha));
        }
    }
}

/* Row and column of velocity i, against all velocities j before it. */
static inline void product_entries(const soa_call *call, int k, int i)
{
    const soa_model *m = call->model;
    const soa_body_data *body = &m->body[k];
    const size_t nv = (size_t)m->nv;
    const double *x = fields_of(call, (size_t)i);
    const motion J = field_motion(x, FIELD_J);
    const force back = rigid_mul(field_rigid(x, FIELD_inertia), field_motion(x, FIELD_J_dot));
    const force P = force_sub(force_cross(J, field_force(x, FIELD_F)), back);
    force U = field_force(x, FIELD_U);
    for (int j = k; j >= 0; j = m->body[j].parent) {
        const int last = j == k ? i : m->body[j].v + m->body[j].nv - 1;
        if (j == body->parent && body->geared) {
            U.n = vec3_add(U.n, gear_in_world(call, body));
        }
        for (int c = m->body[j].v; c <= last; c++) {
            const double *y = fields_of(call, (size_t)c);
            const size_t at_i = (size_t)i, column = (size_t)c;
            if (c < i) {
                const real entry = power(U, field_motion(y, FIELD_J_dot));
                call->y.at[(at_i * nv + column) * call->step] = 0.0 - entry;
            }
            call->y.at[(column * nv + at_i) * call->step] = power(P, field_motion(y, FIELD_J));
        }
    }
}

static inline void product_turn(const soa_call *call, int b, const joint_turn *t)
{
    const soa_model *m = call->model;
    const size_t nv = (size_t)m->nv;
    const double *own = constants_of(call, (size_t)m->body[b].v), x = call->v.at[t->k];
    for (int j = 0; j < m->bodies; j++) {
        const double *at = constants_of(call, (size_t)m->body[j].v);
        const double enter = at[CONSTANT_ENTER * FIELD_STEP], here = own[CONSTANT_ENTER * FIELD_STEP];
        const bool outboard = enter > here && enter < own[CONSTANT_LEAVE * FIELD_STEP];
        const bool inboard = enter <= here && here < at[CONSTANT_LEAVE * FIELD_STEP];
        for (int i = m->body[j].v; (outboard || inboard) && i < m->body[j].v + m->body[j].nv; i++) {
            const double mass = turn_mass(call, t, j, i, outboard);
            call->y.at[((size_t)i * nv + (size_t)t->j) * call->step] += x * mass;
        }
    }
    const double *F = fields_of(call, (size_t)m->body[b].v) + FIELD_F * FIELD_STEP;
    call->y.at[((size_t)t->k * nv + (size_t)t->j) * call->step] += dot6(t->L, F);
}

/* q, v = x; y = nv x nv: row j, column i. */
static void mass_product_derivative(soa_call *call)
{
    const vars w = fields_begin(call);
    const soa_model *m = call->model;
    out_zero(call, call->y, (size_t)m->nv * (size_t)m->nv);
    fields_outward(call, &w);
    columns_begin(call);
    columns_velocities(call, w.turning);
    tensor_bodies(call);
    momentum_inward(call);
    turned_columns(call);
    tensor_begin(call);
    for (int k = 0; k < m->bodies; k++) {
        for (int i = m->body[k].v; i < m->body[k].v + m->body[k].nv; i++) {
            product_entries(call, k, i);
        }
    }
    for (int k = 0; k < m->bodies; k++) {
        for (int j = 0; j < m->body[k].nv; j++) {
            for (int c = 0; m->body[k].nv > 1 && c < m->body[k].nv; c++) {
                joint_turn t;
                if (j != c && turn_of(call, &m->body[k], j, c, &t)) {
                    product_turn(call, k, &t);
                }
            }
        }
    }
}

#endif

#endif
