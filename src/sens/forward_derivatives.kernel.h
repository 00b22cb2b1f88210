/* sens/forward_derivatives.kernel.h - the derivatives of forward dynamics.  [LIN]
 *
 * At the vdot that T makes, T = ID(q, v, vdot) holds for all q, v, T:
 *     dvdot_dq = -Mass^-1 dT_dq,  dvdot_dv = -Mass^-1 dT_dv,  dvdot_dT = Mass^-1. */
#ifndef SOA_SENS_FORWARD_DERIVATIVES_KERNEL_H
#define SOA_SENS_FORWARD_DERIVATIVES_KERNEL_H

#include "sens/inverse_derivatives.kernel.h"
#include "sens/invert_mass.kernel.h"
#include "sens/solve_columns.kernel.h"

#if LANES == 1
/* A kernel of dynamics/ on the same state with another input u and one output. */
static bool run_dynamics(soa_call *call, soa_kernel_id kernel, const double *u, soa_out y)
{
    const soa_kernel_table *one = ((const soa_sens_context *)call->lanes_above)->one;
    soa_call part = *call;
    part.u.at = u;
    part.y = y;
    part.y2 = part.y3 = part.y4 = (soa_out){ NULL, 0 };
    part.option = 0;
    one->kernel[kernel](&part);
    call->failed[0] = part.failed[0];
    return part.failed[0] < 0;
}

/* Runs a kernel of the dynamics with u, where the numbers of y are next to each other. */
static bool run_plain(soa_call *call, soa_kernel_id kernel, const double *u, double *y)
{
    soa_call part = *call;
    part.spacing = 1;
    const bool good = run_dynamics(&part, kernel, u, (soa_out){ y, 0 });
    call->failed[0] = part.failed[0];
    return good;
}

/* The panels of soa_call.squares. */
KERNEL double *panel_of(const soa_call *call, int i)
{
    return call->squares + (size_t)(SOA_SQUARE_ROWS + i * SOA_MAX_LANES) * soa_square_stride(call->model);
}

/* ---- small models: Mass^-1 as a matrix --------------------------------------------------- */

/* BIAS = T - C, with what rotors add to C. */
static inline void forces_left(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    double *C = row_of(call, ROW_BIAS);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        if (body->geared) {
            C[body->v] = vec3_dot_add(gear_in_world(call, body), w->alpha[body->parent].w, C[body->v]);
        }
        armature_bias(call, body, 1.0, C + body->v);
    }
    for (int i = 0; i < m->nv; i++) {
        C[i] = (call->u.at ? call->u.at[i] : 0.0) - C[i];
    }
}

/* A1, A2: the accelerations that vdot makes, outward. */
static inline void vdot_outward(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    const double *vdot = row_of(call, ROW_VDOT);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        motion A = body->parent < 0 ? motion_zero() : w->a[body->parent], A_b = A;
        for (int i = body->v; i < body->v + body->nv; i++) {
            const motion s = field_motion(fields_of(call, (size_t)i), FIELD_J);
            A = motion_scale_add(vdot[i], s, A);
            A_b = body->nv > 1 && column_inboard(body, i - body->v) ? motion_scale_add(vdot[i], s, A_b) : A_b;
        }
        w->a[k] = A;
        for (int i = body->v; i < body->v + body->nv; i++) {
            field_put_motion(fields_of(call, (size_t)i), FIELD_A1, A);
            field_put_motion(fields_of(call, (size_t)i), FIELD_A2, A_b);
        }
    }
}

/* G = sum of U vdot, inward. */
static inline void vdot_inward(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    const double *vdot = row_of(call, ROW_VDOT);
    for (int k = 0; k < m->bodies; k++) {
        w->b[k] = force_zero();
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &m->body[k];
        force sum = w->b[k];
        for (int i = body->v; i < body->v + body->nv; i++) {
            field_put_force(fields_of(call, (size_t)i), FIELD_G, w->b[k]);
            sum = force_scale_add(vdot[i], field_force(fields_of(call, (size_t)i), FIELD_U), sum);
        }
        if (body->parent >= 0) {
            w->b[body->parent] = force_add(w->b[body->parent], sum);
        }
    }
}

/* y and y2 = -Mass^-1 times dT_dq and dT_dv at vdot, as many columns at a time as there are lanes. */
static inline void multiply_columns(const soa_call *call)
{
    const soa_sens_context *context = call->lanes_above;
    const int nv = call->model->nv, lanes = context->many->lanes;
    soa_call part = *call;
    soa_panel panel = { .q = panel_of(call, 0), .v = panel_of(call, 1) };
    part.spacing = 1;
    part.pitch = (size_t)lanes;
    for (int c = 0; c < nv; c += lanes) {
        panel.column = c;
        part.y.at = panel.q - c; /* so that number (i, j) of the columns is where joint_blocks looks for it */
        part.y2.at = panel.v - c;
        part.y3.at = NULL;
        context->lanes->inverse_panel(&part, &panel);
        joint_blocks(&part, c, c + lanes < nv ? c + lanes : nv);
        context->lanes->multiply_inverse(call, &panel);
    }
}

/* All but vdot is made before vdot is known. false: Mass^-1 would lose digits. */
static bool forward_small(soa_call *call)
{
    const size_t nv = (size_t)call->model->nv;
    if (!call->factors && !run_plain(call, SOA_KERNEL_mass_inverse, NULL, inverse_of(call))) {
        return true; /* it says which joint is singular */
    }
    const vars w = fields_begin(call);
    const soa_sens_lanes *lanes = sens_lanes(call);
    soa_call rest = *call;
    rest.u.at = NULL;
    bodies_alone(&rest, &w, (moving){ motion_zero(), base_acceleration(call) });
    sums_inward(&rest, &w, FIELD_inertia);
    lanes->joint_rates(&rest);
    lanes->joint_bias_forces(&rest);
    forces_left(call, &w);
    rotor_loads(&rest, &w);
    if (call->factors && !invert_mass(&rest)) {
        return false;
    }
    lanes->joint_accelerations(call);
    for (size_t i = 0; call->y3.at && i < nv * nv; i++) {
        call->y3.at[i * call->spacing] = inverse_of(call)[i];
    }
    if (call->y.at) {
        vdot_outward(call, &w);
        vdot_inward(call, &w);
        lanes->add_accelerations(call);
        lanes->joint_loads(call);
    }
    if (call->y.at || call->y2.at) {
        multiply_columns(call);
    }
    return true;
}

/* ---- large ones: by sweeps ----------------------------------------------------------------- */

static void forward_large(soa_call *call)
{
    double *vdot = row_of(call, ROW_VDOT);
    if (!run_plain(call, SOA_KERNEL_forward_dynamics, call->u.at, vdot) ||
        (call->y3.at && !run_dynamics(call, SOA_KERNEL_mass_inverse, NULL, call->y3))) {
        return;
    }
    soa_call part = *call;
    part.u.at = vdot;
    part.y3.at = NULL;
    inverse_dynamics_derivatives(&part);
    solve_columns(&part, (double *const[]){ part.y.at, part.y2.at }, (size_t)call->model->nv, -1.0);
}

/* q, v (or none), u = T (or none), f (or none); y = dvdot_dq, y2 = dvdot_dv, y3 = dvdot_dT, nv x nv each, y4 = vdot;
 * or none. */
static void forward_dynamics_derivatives(soa_call *call)
{
    const int nv = call->model->nv;
    call_begin(call);
    if (nv > SOA_SQUARE_MOST || !forward_small(call)) {
        forward_large(call);
    }
    const double *vdot = row_of(call, ROW_VDOT);
    for (int i = 0; call->y4.at && i < nv; i++) {
        call->y4.at[(size_t)i * call->spacing] = vdot[i];
    }
}
#endif

#endif
