/* sens/joint_places.kernel.h - derivatives by where joints are.  [LIN]
 *
 * Displacing the fixed side of the joint of body c by a small motion S moves all that is outboard of it, as one more
 * velocity there would (column_forces.kernel.h), with V and A of the parent:
 *     S1 = V x S,  S2 = A x S + V x S1
 *     dT_i = S_i FQ                          i inboard of c
 *          = U(i) S2 + B(i) S1 + EB(i) S     i of c, or outboard */
#ifndef SOA_SENS_JOINT_PLACES_KERNEL_H
#define SOA_SENS_JOINT_PLACES_KERNEL_H

#include "sens/loads.kernel.h"
#include "sens/moving_columns.kernel.h"
#include "sens/parameters.kernel.h"
#include "sens/turning.h"

#if LANES == 1

/* What displacing the joint of a body along S does. */
typedef struct displaced {
    motion S, S1, S2;
    force FQ;
} displaced;

static inline displaced displaced_along(const soa_call *call, const soa_body_data *body, moving parent, motion S)
{
    displaced d = { .S = S, .S1 = motion_cross(parent.V, S) };
    d.S2 = motion_add(motion_cross(parent.A, S), motion_cross(parent.V, d.S1));
    d.FQ = column_load(call, fields_of(call, (size_t)body->v), S, d.S1, d.S2);
    return d;
}

/* dT of velocity i of body k that moves with the joint of body c; the rotor of c itself stays. */
static inline double displaced_outboard(const soa_call *call, const vars *w, const displaced *d, int k, int c, int i)
{
    const double *x = fields_of(call, (size_t)i);
    const soa_body_data *body = &call->model->body[k];
    force U = field_force(x, FIELD_U);
    vec3 B = field_vec3(x, FIELD_B);
    if (k != c && body->geared) {
        const vec3 gear = gear_in_world(call, body);
        U.n = vec3_add(U.n, gear);
        B = vec3_cross_add(w->V[body->parent].w, gear, B);
    }
    const double dT = vec3_dot_add(B, d->S1.w, power(U, d->S2));
    return has_external(call) ? vec3_dot_add(field_vec3(x, FIELD_EB), d->S.w, dT) : dT;
}

static inline void placement_column(const soa_call *call, const vars *w, int c, size_t column, const displaced *d)
{
    const soa_model *m = call->model;
    const size_t columns = 6 * (size_t)m->bodies, spacing = call->spacing;
    const double *own = constants_of(call, (size_t)m->body[c].v);
    for (int k = m->body[c].parent; k >= 0; k = m->body[k].parent) {
        for (int i = m->body[k].v; i < m->body[k].v + m->body[k].nv; i++) {
            const motion S = field_motion(fields_of(call, (size_t)i), FIELD_J);
            call->y.at[((size_t)i * columns + column) * spacing] = power(d->FQ, S);
        }
    }
    for (int k = c; k < m->bodies; k++) {
        const double enter = constants_of(call, (size_t)m->body[k].v)[CONSTANT_ENTER * FIELD_STEP];
        const bool moves = enter >= own[CONSTANT_ENTER * FIELD_STEP] && enter < own[CONSTANT_LEAVE * FIELD_STEP];
        for (int i = m->body[k].v; moves && i < m->body[k].v + m->body[k].nv; i++) {
            call->y.at[((size_t)i * columns + column) * spacing] = displaced_outboard(call, w, d, k, c, i);
        }
    }
}

/* y = nv rows of six numbers per body: its joint's frame turned about and moved along its own axes. */
static inline void placement_columns(const soa_call *call, const vars *w, moving base)
{
    const soa_model *m = call->model;
    for (int c = 0; c < m->bodies; c++) {
        const moving parent = moving_parent(w, &m->body[c], base);
        const pose at = joint_frame(call, w, c);
        for (int e = 0; e < 6; e++) {
            const displaced d = displaced_along(call, &m->body[c], parent, motion_of_frame(at, e));
            placement_column(call, w, c, 6 * (size_t)c + (size_t)e, &d);
        }
    }
}

/* q, v (or none), u = vdot (or none); y = dT, nv rows of six numbers per body. */
static void inverse_dynamics_placement(soa_call *call)
{
    const vars w = fields_begin(call);
    const moving base = { motion_zero(), base_acceleration(call) };
    out_zero(call, call->y, 6 * (size_t)call->model->bodies * (size_t)call->model->nv);
    bodies_alone(call, &w, base);
    sums_inward(call, &w, FIELD_inertia);
    sens_lanes(call)->joint_rates(call);
    placement_columns(call, &w, base);
}

/* q, v (or none), u = T (or none); y = derivatives of vdot, nv rows of six numbers per body. */
static void forward_dynamics_placement(soa_call *call)
{
    of_forward(call, inverse_dynamics_placement, 6 * (size_t)call->model->bodies);
}

/* q, points, g; y = d(-J* g), nv rows of six numbers per body. */
static void point_force_placement(soa_call *call)
{
    const vars w = fields_begin(call);
    out_zero(call, call->y, 6 * (size_t)call->model->bodies * (size_t)call->model->nv);
    columns_at_rest(call, &w);
    if (call->g.at) {
        point_loads(call, &w);
        placement_columns(call, &w, (moving){ motion_zero(), motion_zero() });
    }
}

#endif

#endif
