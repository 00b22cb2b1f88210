/* sens/inverse_derivatives.kernel.h - the derivatives of inverse dynamics.  [LIN] */
#ifndef SOA_SENS_INVERSE_DERIVATIVES_KERNEL_H
#define SOA_SENS_INVERSE_DERIVATIVES_KERNEL_H

#include "sens/column_forces.kernel.h"
#include "sens/derivative_rows.kernel.h"

#if LANES == 1
KERNEL const soa_sens_lanes *sens_lanes(const soa_call *call)
{
    return ((const soa_sens_context *)call->lanes_above)->lanes;
}

/* Number (i, j) of a square matrix gains x. */
KERNEL void entry_add(const soa_call *call, soa_out out, int i, int j, double x)
{
    if (out.at) {
        out.at[((size_t)i * call->pitch + (size_t)j) * call->spacing] += x;
    }
}

KERNEL void entry_set(const soa_call *call, soa_out out, int i, int j, double x)
{
    if (out.at) {
        out.at[((size_t)i * call->pitch + (size_t)j) * call->spacing] = x;
    }
}

/* Columns first .. end - 1 of y, y2 and y3. */
typedef struct window {
    const soa_call *call;
    int first, end;
} window;

KERNEL void window_add(window w, soa_out out, int i, int j, double x)
{
    if (j >= w.first && j < w.end) {
        entry_add(w.call, out, i, j, x);
    }
}

/* Within one joint: a column fixed outboard turns with S(j), so that T does not. */
static inline void joint_block(window w, const soa_body_data *body)
{
    const soa_call *call = w.call;
    const int last = body->v + body->nv, end = last < w.end ? last : w.end;
    const force F = field_force(fields_of(call, (size_t)body->v), FIELD_F);
    for (int j = body->v > w.first ? body->v : w.first; call->y.at && j < end; j++) {
        const force turned = force_cross(field_motion(fields_of(call, (size_t)j), FIELD_J), F);
        for (int i = body->v; i < last; i++) {
            if (!column_inboard(body, i - body->v)) {
                entry_add(call, call->y, i, j, -power(turned, field_motion(fields_of(call, (size_t)i), FIELD_J)));
            }
        }
    }
}

/* The derivatives of armature_bias by v: armature w x v of (w; v), in axes that turn with the link. */
static inline void armature_block(window w, const soa_body_data *body)
{
    const bool planar = body->rest->shape.kind == SOA_PLANAR;
    if (!w.call->v.at || (!planar && body->rest->shape.kind != SOA_FREE)) {
        return;
    }
    const double a = body->armature, *x = w.call->v.at + body->v;
    const soa_out y = w.call->y2;
    const int v = body->v;
    if (planar) {
        window_add(w, y, v, v + 1, -a * x[2]);
        window_add(w, y, v, v + 2, -a * x[1]);
        window_add(w, y, v + 1, v, a * x[2]);
        window_add(w, y, v + 1, v + 2, a * x[0]);
        return;
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3; /* component i is w_j v_k - w_k v_j */
        window_add(w, y, v + 3 + i, v + j, a * x[3 + k]);
        window_add(w, y, v + 3 + i, v + k, -a * x[3 + j]);
        window_add(w, y, v + 3 + i, v + 3 + k, a * x[j]);
        window_add(w, y, v + 3 + i, v + 3 + j, -a * x[k]);
    }
}

/* What armature and rotors of a joint add. */
static inline void motor_block(window w, const soa_body_data *body)
{
    const soa_call *call = w.call;
    if (body->geared) {
        entry_set(call, call->y2, body->v, body->v, *field_at(fields_of(call, (size_t)body->v), FIELD_own));
        entry_set(call, call->y3, body->v, body->v, *field_at(fields_of(call, (size_t)body->v), FIELD_own + 1));
    }
    for (int i = 0; i < body->nv; i++) {
        window_add(w, call->y3, body->v + i, body->v + i, body->armature);
    }
    armature_block(w, body);
}

/* What the rows leave out in columns first .. end - 1. */
static inline void joint_blocks(const soa_call *call, int first, int end)
{
    const soa_model *m = call->model;
    const window w = { call, first, end };
    for (int k = 0; k < m->bodies && m->body[k].v < end; k++) {
        const soa_body_data *body = &m->body[k];
        if (body->v + body->nv <= first) {
            continue;
        }
        if (body->nv > 1) {
            joint_block(w, body);
        }
        if (body->armature != 0.0) {
            motor_block(w, body);
        }
    }
}

/* With the base moving so: y = dT_dq, y2 = dT_dv, y3 = dT_dvdot. */
static void derive_inverse(soa_call *call, moving base)
{
    const vars w = fields_begin(call);
    const soa_sens_lanes *lanes = sens_lanes(call);
    bodies_alone(call, &w, base);
    sums_inward(call, &w, FIELD_inertia);
    lanes->joint_rates(call);
    lanes->joint_loads(call);
    rotor_loads(call, &w);
    lanes->inverse_rows(call);
    joint_blocks(call, 0, call->model->nv);
}

/* q, v (or none), u = betadot (or none), f (or none); y = dT_dq, y2 = dT_dv, y3 = dT_dvdot, nv x nv each, or none. */
static void inverse_dynamics_derivatives(soa_call *call)
{
    derive_inverse(call, (moving){ motion_zero(), base_acceleration(call) });
}

/* q, v = x; y = d(Mass x)/dq, nv x nv: inverse dynamics at rest and without gravity makes Mass x of vdot = x. */
static void mass_product_derivative(soa_call *call)
{
    const soa_in none = { NULL, 0 }, x = call->v;
    call->u = x;
    call->v = none;
    derive_inverse(call, (moving){ motion_zero(), motion_zero() });
    call->u = none;
    call->v = x;
}
#endif

#endif
