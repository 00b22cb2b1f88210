/* sens/parameters.kernel.h - derivatives by inertial parameters and by where joints are.  [LIN]
 *
 * One state, one lane, world axes about the origin of the first body (sweep/fields.h).
 *
 * Displacing the fixed side of joint c by a small motion S moves all that is outboard with it; V, alpha those inboard:
 *     nu = S x V,  xi = S x alpha - nu x V
 *     dT_j =  J_j . (S[S] f(c) - R(c) xi - 2 B(c) nu)     j inboard of c
 *          = -(U_j . xi + 2 B*J_j . nu)                   j of c, or outboard
 * f(c) the force at joint c; B as in coriolis.kernel.h. */
#ifndef SOA_SENS_PARAMETERS_KERNEL_H
#define SOA_SENS_PARAMETERS_KERNEL_H

#include "sens/contracted.kernel.h"
#include "sens/forward_derivatives.kernel.h"
#include "sens/moving_columns.kernel.h"

#if LANES == 1

#include "sens/regressor_entries.h"

enum { FIELD_load = FIELD_external }; /* the force at the joint */

/* J, V, and alpha with gravity, of all bodies. */
static inline void world_accelerations(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    fields_outward(call, w);
    columns_begin(call);
    columns_velocities(call, w->turning);
    columns_bodies(call, w->turning);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        motion alpha = base_acceleration(call);
        if (body->parent >= 0) {
            alpha = field_motion(fields_of(call, (size_t)m->body[body->parent].v), FIELD_alpha);
        }
        for (int c = body->v; c < body->v + body->nv; c++) {
            const double *x = fields_of(call, (size_t)c);
            alpha = motion_scale_add(field_get(x, FIELD_beta), field_motion(x, FIELD_J_dot), alpha);
            alpha = call->u.at ? motion_scale_add(call->u.at[c], field_motion(x, FIELD_J), alpha) : alpha;
        }
        field_put_motion(fields_of(call, (size_t)body->v), FIELD_alpha, alpha);
    }
}

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
    const size_t columns = SOA_RIGID_NUMBERS * (size_t)m->description.link.count, step = call->step;
    out_zero(call, call->y, columns * (size_t)m->nv);
    world_accelerations(call, &w);
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
                double *y = call->y.at + ((size_t)i * columns + SOA_RIGID_NUMBERS * (size_t)link) * step;
                for (size_t e = 0; e < SOA_RIGID_NUMBERS; e++) {
                    y[e * step] = entry[e];
                }
            }
        }
    }
}

/* q, v (or none), u = T (or none); y = the same of vdot. */
static void forward_dynamics_parameters(soa_call *call)
{
    of_forward(call, regressor, SOA_RIGID_NUMBERS * (size_t)call->model->description.link.count);
}

/* ---- where joints are --------------------------------------------------------------------------------- */

/* What a rotor adds to the force at the joint of its parent. */
static inline void rotor_load(const soa_call *call, const vars *w, const soa_body_data *body)
{
    (void)w;
    double *parent = fields_of(call, (size_t)call->model->body[body->parent].v);
    const vec3 gear = gear_in_world(call, body), rate = vec3_cross(field_vec3(parent, FIELD_V), gear);
    const vec3 n =
        vec3_scale_add(field_get(fields_of(call, (size_t)body->v), FIELD_beta), rate, field_vec3(parent, FIELD_load));
    field_put_vec3(parent, FIELD_load, call->u.at ? vec3_scale_add(call->u.at[body->v], gear, n) : n);
}

/* The force at every joint into FIELD_load, before inertias are gathered. */
static inline void loads_inward(const soa_call *call)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        double *x = fields_of(call, (size_t)m->body[k].v);
        const rigid M = field_rigid(x, FIELD_inertia);
        const motion V = field_motion(x, FIELD_V);
        const force inertial = rigid_mul(M, field_motion(x, FIELD_alpha));
        field_put_force(x, FIELD_load, force_add(inertial, force_cross(V, rigid_mul(M, V))));
    }
    fields_inward(call, NULL, FIELD_load, FIELD_external_end, rotor_load);
}

/* What displacing joint c along S does. */
typedef struct displaced {
    motion xi, nu;
    force felt; /* inboard */
} displaced;

static inline displaced displaced_of(const soa_call *call, int c, motion S)
{
    const int p = call->model->body[c].parent;
    motion V = motion_zero(), alpha = base_acceleration(call);
    if (p >= 0) {
        const double *x = fields_of(call, (size_t)call->model->body[p].v);
        V = field_motion(x, FIELD_V);
        alpha = field_motion(x, FIELD_alpha);
    }
    const double *x = fields_of(call, (size_t)call->model->body[c].v);
    displaced d = { .nu = motion_cross(S, V) };
    d.xi = motion_sub(motion_cross(S, alpha), motion_cross(d.nu, V));
    const force B = { mat3_mul_vec(field_mat3(x, FIELD_K), d.nu.w), vec3_cross(d.nu.w, field_vec3(x, FIELD_p)) };
    const force pushed =
        force_sub(force_cross(S, field_force(x, FIELD_load)), rigid_mul(field_rigid(x, FIELD_inertia), d.xi));
    d.felt = force_sub(pushed, force_scale(2.0, B));
    return d;
}

/* dT of velocity i of a body that moves with the joint; inside: not the joint's own body. */
static inline double displaced_outboard(const soa_call *call, const displaced *d, int k, int i, bool inside)
{
    const double *x = fields_of(call, (size_t)i);
    force U = field_force(x, FIELD_U);
    vec3 B_h = field_vec3(x, FIELD_B_h);
    const soa_body_data *body = &call->model->body[k];
    if (inside && body->geared) {
        const double *parent = fields_of(call, (size_t)call->model->body[body->parent].v);
        const vec3 gear = gear_in_world(call, body);
        U.n = vec3_add(U.n, gear);
        B_h = vec3_add(B_h, rotor_half(field_vec3(parent, FIELD_V), gear));
    }
    return 0.0 - vec3_dot_add(vec3_scale(2.0, B_h), d->nu.w, power(U, d->xi));
}

static inline void placement_column(const soa_call *call, int c, int column, const displaced *d)
{
    const soa_model *m = call->model;
    const size_t columns = 6 * (size_t)m->bodies, step = call->step;
    const double *own = constants_of(call, (size_t)m->body[c].v);
    for (int k = m->body[c].parent; k >= 0; k = m->body[k].parent) {
        for (int i = m->body[k].v; i < m->body[k].v + m->body[k].nv; i++) {
            const real x = power(d->felt, field_motion(fields_of(call, (size_t)i), FIELD_J));
            call->y.at[((size_t)i * columns + (size_t)column) * step] = x;
        }
    }
    for (int k = c; k < m->bodies; k++) {
        const double enter = constants_of(call, (size_t)m->body[k].v)[CONSTANT_ENTER * FIELD_STEP];
        const bool moves = enter >= own[CONSTANT_ENTER * FIELD_STEP] && enter < own[CONSTANT_LEAVE * FIELD_STEP];
        for (int i = m->body[k].v; moves && i < m->body[k].v + m->body[k].nv; i++) {
            call->y.at[((size_t)i * columns + (size_t)column) * step] = displaced_outboard(call, d, k, i, k != c);
        }
    }
}

/* q, v (or none), u = vdot (or none); y = nv rows of six numbers per body: its joint's frame turned about
 * and moved along its own axes. */
static void inverse_dynamics_placement(soa_call *call)
{
    const vars w = fields_begin(call);
    const soa_model *m = call->model;
    out_zero(call, call->y, 6 * (size_t)m->bodies * (size_t)m->nv);
    world_accelerations(call, &w);
    loads_inward(call);
    columns_inward(call);
    columns_joints(call);
    for (int c = 0; c < m->bodies; c++) {
        const pose at = joint_frame(call, &w, c);
        const vec3 axis[3] = { mat3_column_x(at.R), mat3_column_y(at.R), mat3_column_z(at.R) };
        for (int e = 0; e < 6; e++) {
            const motion S =
                e < 3 ? (motion){ axis[e], vec3_cross(at.l, axis[e]) } : (motion){ vec3_zero(), axis[e - 3] };
            const displaced d = displaced_of(call, c, S);
            placement_column(call, c, 6 * c + e, &d);
        }
    }
}

/* q, v (or none), u = T (or none); y = the same of vdot. */
static void forward_dynamics_placement(soa_call *call)
{
    of_forward(call, inverse_dynamics_placement, 6 * (size_t)call->model->bodies);
}

#endif

#endif
