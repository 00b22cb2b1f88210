/* sens/loads.kernel.h - derivatives by forces at points and by gravity, and of -J* f by q. */
#ifndef SOA_SENS_LOADS_KERNEL_H
#define SOA_SENS_LOADS_KERNEL_H

#include "sens/forward_derivatives.kernel.h"

#if LANES == 1
/* Where a point stands. */
typedef struct place {
    int body;
    vec3 r; /* from the origin of its tree, world axes */
} place;

static inline place place_of(const soa_call *call, const vars *w, int i)
{
    const soa_point *point = &call->point[i];
    const soa_link_place *link = point->link == SOA_WORLD ? NULL : &call->model->place[point->link];
    if (!link || link->body == SOA_WORLD) {
        return (place){ SOA_WORLD, vec3_zero() };
    }
    const vec3 in_body = pose_point(pose_set(&link->at), vec3_set(point->at.position));
    return (place){ link->body, pose_point(w->W[link->body], in_body) };
}

/* S and W at rest, without gravity; S1 to S3 are zero. */
static inline void columns_at_rest(const soa_call *call, const vars *w)
{
    columns_outward(call, w, (moving){ motion_zero(), motion_zero() });
    fields_zero(call, FIELD_S1, FIELD_S3_end);
}

/* All fields of the joints where nothing but the forces at points acts: F = -X, E, e of each body, and no inertia. */
static inline void point_loads(const soa_call *call, const vars *w)
{
    fields_zero(call, FIELD_inertia, FIELD_e_end);
    for (int i = 0; i < call->points; i++) {
        const place at = place_of(call, w, i);
        if (at.body == SOA_WORLD) {
            continue;
        }
        const size_t v = (size_t)call->model->body[at.body].v, g = 6 * (size_t)i;
        const vec3 n = in_vec3(call, call->g, g), f = in_vec3(call, call->g, g + 3);
        field_put_force(fields_of(call, v), FIELD_F,
            force_sub(field_force(fields_of(call, v), FIELD_F), (force){ vec3_cross_add(at.r, f, n), f }));
        field_put_mat3(
            fields_of(call, v), FIELD_E, mat3_add(field_mat3(fields_of(call, v), FIELD_E), steady_force(at.r, n, f)));
        field_put_vec3(fields_of(call, v), FIELD_e, vec3_add(field_vec3(fields_of(call, v), FIELD_e), f));
    }
    sums_inward(call, w, FIELD_inertia);
    sens_lanes(call)->joint_rates(call);
    sens_lanes(call)->joint_loads(call);
}

/* J* times the factor, nv rows, six columns per point. */
static inline void jacobian_adjoint(const soa_call *call, const vars *w, double factor, soa_out out)
{
    const soa_model *m = call->model;
    const size_t columns = 6 * (size_t)call->points;
    out_zero(call, out, (size_t)m->nv * columns);
    for (int i = 0; i < call->points; i++) {
        const place at = place_of(call, w, i);
        for (int k = at.body; k >= 0; k = m->body[k].parent) {
            for (int c = m->body[k].v; c < m->body[k].v + m->body[k].nv; c++) {
                const motion s = field_motion(fields_of(call, (size_t)c), FIELD_J);
                const vec3 v = vec3_cross_add(s.w, at.r, s.v);
                const double h[6] = { s.w.x, s.w.y, s.w.z, v.x, v.y, v.z };
                /* + 0.0: never -0, since gcc makes -(a b + c) into -a b - c, which has another sign of zero. */
                for (size_t x = 0; x < 6; x++) {
                    out.at[((size_t)c * columns + 6 * (size_t)i + x) * call->spacing] = factor * h[x] + 0.0;
                }
            }
        }
    }
}

/* q, points, g; y = d(-J* g)/dq, y2 = -J*; or none. */
static void point_force_derivatives(soa_call *call)
{
    const vars w = fields_begin(call);
    columns_at_rest(call, &w);
    if (call->y2.at) {
        jacobian_adjoint(call, &w, -1.0, call->y2);
    }
    if (!call->y.at) {
        return;
    }
    soa_call part = *call;
    part.y2.at = NULL;
    if (!call->g.at) {
        out_zero(call, call->y, (size_t)call->model->nv * (size_t)call->model->nv);
        return;
    }
    point_loads(&part, &w);
    sens_lanes(call)->inverse_rows(&part);
    joint_blocks(&part, 0, call->model->nv);
}

/* q, points; y = Mass^-1 J*. */
static void point_acceleration_derivatives(soa_call *call)
{
    const vars w = fields_begin(call);
    columns_at_rest(call, &w);
    jacobian_adjoint(call, &w, 1.0, call->y);
    solve_columns(call, (double *const[]){ call->y.at, NULL }, 6 * (size_t)call->points, 1.0);
}

/* -U.f of each velocity into the rows of three numbers, times the factor. */
static inline void gravity_rows(const soa_call *call, double factor, soa_out out)
{
    for (size_t i = 0; i < (size_t)call->model->nv; i++) {
        const vec3 f = field_force(fields_of(call, i), FIELD_U).f;
        out.at[3 * i * call->spacing] = factor * f.x;
        out.at[(3 * i + 1) * call->spacing] = factor * f.y;
        out.at[(3 * i + 2) * call->spacing] = factor * f.z;
    }
}

/* q; y = dT_dg, y2 = dvdot_dg, nv x 3 each; or none. */
static void gravity_derivatives(soa_call *call)
{
    const vars w = fields_begin(call);
    bodies_alone(call, &w, (moving){ motion_zero(), motion_zero() });
    sums_inward(call, &w, FIELD_inertia);
    sens_lanes(call)->joint_rates(call);
    if (call->y.at) {
        gravity_rows(call, -1.0, call->y);
    }
    if (call->y2.at) {
        gravity_rows(call, 1.0, call->y2);
        solve_columns(call, (double *const[]){ call->y2.at, NULL }, 3, 1.0);
    }
}
#endif

#endif
