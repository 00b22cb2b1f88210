/* sens/parameters.kernel.h - derivatives by inertial parameters.  [LIN] */
#ifndef SOA_SENS_PARAMETERS_KERNEL_H
#define SOA_SENS_PARAMETERS_KERNEL_H

#include "sens/forward_derivatives.kernel.h"

#if LANES == 1

#include "sens/regressor_entries.h"

/* dvdot = -Mass^-1 dT, so many columns: T = ID(vdot) is kept when what moves is the model. `inverse`, which makes dT from
 * vdot, gets the vdot that T makes. */
static inline void of_forward(soa_call *call, soa_kernel *inverse, size_t columns)
{
    double *vdot = row_of(call, ROW_VDOT);
    call_begin(call);
    if (run_plain(call, SOA_KERNEL_forward_dynamics, call->u.at, vdot)) {
        const double *T = call->u.at;
        call->u.at = vdot;
        inverse(call);
        solve_columns(call, (double *const[]){ call->y.at, NULL }, columns, -1.0);
        call->u.at = T;
    }
}

/* ---- inertial parameters --------------------------------------------------------------------------- */

static inline link_motion link_motion_of(const soa_call *call, const soa_link_place *stands)
{
    const double *x = fields_of(call, (size_t)call->model->body[stands->body].v);
    const pose W = { field_mat3(x, FIELD_R), field_vec3(x, FIELD_l) };
    const pose at = pose_compose(W, pose_set(&stands->at));
    const motion V = field_motion(x, FIELD_V), alpha = field_motion(x, FIELD_alpha);
    const vec3 v = vec3_cross_add(V.w, at.l, V.v);
    const vec3 a = vec3_cross_add(V.w, v, vec3_cross_add(alpha.w, at.l, alpha.v));
    return (
        link_motion){ at.R, at.l, mat3_t_mul_vec(at.R, V.w), mat3_t_mul_vec(at.R, alpha.w), mat3_t_mul_vec(at.R, a) };
}

/* q, v (or none), u = vdot (or none); y = nv rows of ten numbers per link. */
static void regressor(soa_call *call)
{
    const vars w = fields_begin(call);
    const soa_model *m = call->model;
    const size_t columns = SOA_RIGID_NUMBERS * (size_t)m->description.link.count, spacing = call->spacing;
    out_zero(call, call->y, columns * (size_t)m->nv);
    columns_outward(call, &w, (moving){ motion_zero(), base_acceleration(call) });
    for (int link = 0; link < m->description.link.count; link++) {
        const soa_link_place *stands = &m->place[link];
        if (stands->body < 0) {
            continue;
        }
        const link_motion motion_of_link = link_motion_of(call, stands);
        for (int k = stands->body; k >= 0; k = m->body[k].parent) {
            for (int i = m->body[k].v; i < m->body[k].v + m->body[k].nv; i++) {
                double entry[SOA_RIGID_NUMBERS];
                regressor_entries(&motion_of_link, field_motion(fields_of(call, (size_t)i), FIELD_J), entry);
                double *y = call->y.at + ((size_t)i * columns + SOA_RIGID_NUMBERS * (size_t)link) * spacing;
                for (size_t e = 0; e < SOA_RIGID_NUMBERS; e++) {
                    y[e * spacing] = entry[e];
                }
            }
        }
    }
}

/* q, v (or none), u = T (or none); y = derivatives of vdot, nv rows of ten numbers per link. */
static void forward_dynamics_parameters(soa_call *call)
{
    of_forward(call, regressor, SOA_RIGID_NUMBERS * (size_t)call->model->description.link.count);
}

#endif

#endif
