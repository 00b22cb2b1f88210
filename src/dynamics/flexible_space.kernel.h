/* dynamics/flexible_space.kernel.h - operational space, Coriolis matrix and centroidal matrix with flexible links.
 *
 * Column by column, each in O(n), from the sweeps of flexible_dynamics.kernel.h. */
#ifndef SOA_DYNAMICS_FLEXIBLE_SPACE_KERNEL_H
#define SOA_DYNAMICS_FLEXIBLE_SPACE_KERNEL_H

#include "dynamics/flexible_mass.kernel.h"

/* ---- points ---------------------------------------------------------------------------------------- */

/* The acceleration of a place by w->alpha and the modal accelerations in w->x, its own axes. */
static inline motion place_response(const soa_call *call, const vars *w, place *p)
{
    if (p->body == SOA_WORLD) {
        return motion_zero();
    }
    motion alpha = w->alpha[p->body];
    if (p->node > 0) {
        const carrier on = place_node(call, p);
        vec3 rate;
        alpha = motion_add(node_outward(on.n, alpha), node_motion(&on, numbers(w->x + on.on->v), &rate));
    }
    return phi_t(p->at, alpha);
}

/* Forces at places are -z: what Mass^-1 makes of them into w->x and w->alpha. */
static inline void respond(soa_call *call, const vars *w)
{
    for (int k = 0; k < call->model->bodies; k++) {
        w->b[k] = force_neg(w->b[k]);
    }
    for (int i = 0; i < call->model->nv; i++) {
        w->eps[i] = -w->eps[i];
        w->x[i] = real_set(0.0);
    }
    solve_x(call, w);
}

static inline void space_begin(soa_call *call, const vars *w)
{
    soa_call at_rest = *call;
    at_rest.v = at_rest.u = (soa_in){ NULL, 0 };
    flexible_kinematics(&at_rest, w);
    flexible_positions(call, w);
    flexible_articulate(call, w);
}

#if LANES == 1
/* Lambda = J Mass^-1 J*, a column from each unit force.  [OSI] */
static void flex_operational_inverse(soa_call *call)
{
    const vars w = vars_of(call);
    const size_t n = 6 * (size_t)call->points;
    call_begin(call);
    space_begin(call, &w);
    for (size_t c = 0; c < n; c++) {
        place p;
        place_item(call, (int)(c / 6), &p);
        forces_begin(call, &w, w.eps);
        place_force(call, &w, &p, unit_force(place_pose(&w, &p), SOA_AXES_MIXED, (int)(c % 6)), w.eps);
        respond(call, &w);
        for (size_t i = 0; i < (size_t)call->points; i++) {
            place other;
            place_item(call, (int)i, &other);
            const motion a = place_response(call, &w, &other);
            const mat3 R = place_pose(&w, &other).R;
            const vec3 turned = mat3_mul_vec(R, a.w), moved = mat3_mul_vec(R, a.v);
            const double rows[6] = { turned.x, turned.y, turned.z, moved.x, moved.y, moved.z };
            for (size_t r = 0; r < 6; r++) {
                const size_t row = 6 * i + r;
                call->y.at[row * n + c] = row < c ? call->y.at[c * n + row] : rows[r];
            }
        }
    }
}
#endif

/* The accelerations of the points in free motion: T, v, gravity and f act. */
static void flex_free_acceleration(soa_call *call)
{
    const vars w = vars_of(call);
    soa_call free_call = *call;
    call_begin(call);
    flexible_solve(call, &w, base_acceleration(call));
    for (int i = 0; i < call->model->nv; i++) {
        w.acceleration[i] = w.x[i];
    }
    free_call.u = (soa_in){ (const double *)w.acceleration, (size_t)call->model->nv };
    flexible_kinematics(&free_call, &w);
    for (int i = 0; i < call->points; i++) {
        place p;
        motion V, alpha;
        place_item(call, i, &p);
        place_motions(&free_call, &w, &p, &V, &alpha);
        const mat3 R = place_pose(&w, &p).R;
        out_vec3(call, call->y, 6 * (size_t)i, mat3_mul_vec(R, alpha.w));
        out_vec3(call, call->y, 6 * (size_t)i + 3, mat3_mul_vec(R, alpha.v));
    }
}

/* The forces g at the points: b of their bodies, and the modal forces e. */
static inline void forces_at_points(const soa_call *call, const vars *w, real *e)
{
    forces_begin(call, w, e);
    for (int i = 0; i < call->points; i++) {
        place p;
        place_item(call, i, &p);
        const mat3 R = place_pose(w, &p).R;
        const size_t at = 6 * (size_t)i;
        const force f = { mat3_t_mul_vec(R, in_vec3(call, call->g, at)),
            mat3_t_mul_vec(R, in_vec3(call, call->g, at + 3)) };
        place_force(call, w, &p, f, e);
    }
}

/* vdot_change = -Mass^-1 J* g.  [TIP] */
static void flex_point_correction(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    space_begin(call, &w);
    forces_at_points(call, &w, w.eps);
    respond(call, &w);
    for (int i = 0; i < call->model->nv; i++) {
        out_put(call, call->y, (size_t)i, -w.x[i]);
    }
}

#if LANES == 1
/* y = Pi* g: what forces g at nodes do to the modes that move them, beside their wrenches on the links. */
static void flex_node_forces(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    flexible_kinematics(call, &w);
    forces_at_points(call, &w, w.x);
    for (int i = 0; i < call->model->nv; i++) {
        out_put(call, call->y, (size_t)i, w.x[i]);
    }
}
#endif

/* ---- Coriolis matrix ---------------------------------------------------------------------------------- */

/* C at velocities in `at`, without gravity, into w->x. */
static inline void coriolis_force(const soa_call *call, const vars *w, const real *at)
{
    soa_call bias = *call;
    bias.option = WITHOUT_GRAVITY;
    bias.u = bias.f = (soa_in){ NULL, 0 };
    bias.v = (soa_in){ (const double *)at, (size_t)call->model->nv };
    flexible_outward(&bias, w);
    flexible_inward(&bias, w);
}

/* ad(v) e_c of a joint whose velocities are quasi-velocities: how its columns of H* turn into each other. */
static inline bool joint_bracket(const soa_call *call, const soa_body_data *body, int c, real *y)
{
    const soa_joint_kind kind = body->rest->shape.kind;
    const double sign = body->rest->shape.reversed ? -1.0 : 1.0;
    if (is_modal(body) || (kind != SOA_SPHERICAL && kind != SOA_FREE && kind != SOA_PLANAR)) {
        return false;
    }
    real v[SOA_JOINT_MAX_NV];
    joint_in(call, call->v, body->v, body->nv, v);
    if (kind == SOA_PLANAR) { /* velocities vx, vy, rate */
        const real o = real_set(0.0);
        y[0] = c == 1 ? -v[2] : c == 2 ? v[1] : o;
        y[1] = c == 0 ? v[2] : c == 2 ? -v[0] : o;
        y[2] = o;
    } else {
        const vec3 angular = { v[0], v[1], v[2] };
        const vec3 linear = kind == SOA_FREE ? (vec3){ v[3], v[4], v[5] } : vec3_zero();
        const motion b = motion_cross((motion){ angular, linear }, motion_unit(c));
        const real numbers[6] = { b.w.x, b.w.y, b.w.z, b.v.x, b.v.y, b.v.z };
        for (int i = 0; i < body->nv; i++) {
            y[i] = numbers[i];
        }
    }
    for (int i = 0; i < body->nv; i++) {
        y[i] = sign * y[i];
    }
    return true;
}

/* C = (dc/dv + Mass ad(v)) / 2, c the Coriolis forces: quadratic, so dc/dv e = (c(v + e) - c(v - e)) / 2 to rounding. With the
 * brackets of quasi-velocities dMass/dt - 2 C is skew.  [COR] */
static void flex_coriolis_matrix(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    const size_t nv = (size_t)m->nv;
    call_begin(call);
    for (int k = 0; k < m->bodies; k++) {
        for (int c = 0; c < m->body[k].nv; c++) {
            const int column = m->body[k].v + c;
            for (int side = 0; side < 2; side++) {
                for (int i = 0; i < m->nv; i++) {
                    const real v = call->v.at ? in_get(call, call->v, (size_t)i) : real_set(0.0);
                    w.acceleration[i] = i == column ? v + (side == 0 ? 1.0 : -1.0) : v;
                }
                coriolis_force(call, &w, w.acceleration);
                for (int i = 0; i < m->nv; i++) {
                    w.eps[i] = side == 0 ? w.x[i] : 0.25 * (w.eps[i] - w.x[i]);
                }
            }
            real y[SOA_JOINT_MAX_NV];
            if (call->v.at && joint_bracket(call, &m->body[k], c, y)) {
                soa_call product = *call;
                product.option = WITHOUT_GRAVITY;
                product.v = product.f = (soa_in){ NULL, 0 };
                for (int i = 0; i < m->nv; i++) {
                    const int own = i - m->body[k].v;
                    w.acceleration[i] = own >= 0 && own < m->body[k].nv ? y[own] : real_set(0.0);
                }
                product.u = (soa_in){ (const double *)w.acceleration, nv };
                flexible_outward(&product, &w);
                flexible_inward(&product, &w);
                for (int i = 0; i < m->nv; i++) {
                    w.eps[i] = real_fma(real_set(0.5), w.x[i], w.eps[i]);
                }
            }
            for (size_t i = 0; i < nv; i++) {
                out_put(call, call->y, i * nv + (size_t)column, w.eps[i]);
            }
        }
    }
}

/* ---- centroidal matrix ----------------------------------------------------------------------------------- */

/* A column is the momentum at a unit velocity. */
static void flex_centroidal_matrix(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    const size_t nv = (size_t)m->nv;
    call_begin(call);
    for (int column = 0; column < m->nv; column++) {
        soa_call unit = *call;
        for (int i = 0; i < m->nv; i++) {
            w.acceleration[i] = real_set(i == column ? 1.0 : 0.0);
        }
        unit.v = (soa_in){ (const double *)w.acceleration, nv };
        unit.u = (soa_in){ NULL, 0 };
        flexible_kinematics(&unit, &w);
        real mass, twice = real_set(0.0);
        const vec3 com = flexible_centre(call, &w, &mass);
        force h = force_zero();
        for (int k = 0; k < m->bodies; k++) {
            const rigid M = modal_inertia(call, &w, k);
            h = force_add(h, at_point(&w, k, modal_momentum(&unit, &w, k, M, &twice), com));
            if (m->body[k].geared && column == m->body[k].v) {
                const vec3 gear = vec3_set(m->body[k].rest->gear);
                h = force_add(h, at_point(&w, m->body[k].parent, (force){ gear, vec3_zero() }, com));
            }
        }
        const real x[6] = { h.n.x, h.n.y, h.n.z, h.f.x, h.f.y, h.f.z };
        for (size_t r = 0; r < 6; r++) {
            out_put(call, call->y, r * nv + (size_t)column, x[r]);
        }
    }
}

/* ---- rates of Jacobians ------------------------------------------------------------------------------------ */

/* The acceleration of each point at velocities in w->acceleration, or (rate false) their velocities: world axes, into out. */
static inline void point_motions(const soa_call *call, const vars *w, bool rate, motion *out)
{
    soa_call moved = *call;
    moved.v = (soa_in){ (const double *)w->acceleration, (size_t)call->model->nv };
    moved.u = (soa_in){ NULL, 0 };
    flexible_kinematics(&moved, w);
    for (int i = 0; i < call->points; i++) {
        place p;
        motion V, alpha;
        place_item(call, i, &p);
        place_motions(&moved, w, &p, &V, &alpha);
        const mat3 R = place_pose(w, &p).R;
        const motion x = rate ? alpha : V;
        out[i] = (motion){ mat3_mul_vec(R, x.w), mat3_mul_vec(R, x.v) };
    }
}

/* w->acceleration = factor v + e_column */
static inline void set_velocities(const soa_call *call, const vars *w, double factor, int column)
{
    for (int i = 0; i < call->model->nv; i++) {
        w->acceleration[i] = factor * in_get(call, call->v, (size_t)i) + (i == column ? 1.0 : 0.0);
    }
}

enum { FLEX_POINTS = 16 };

/* Columns u of (dJ/dt)(v) u for points first .. first + count - 1. The acceleration at v is (dJ/dt)(v) v, so
 *     (dJ/dt)(v) u + (dJ/dt)(u) v = (acceleration(v + u) - acceleration(v - u)) / 2
 *     (dJ/dt)(v) u - (dJ/dt)(u) v = (w(v) x w(u); 0) + J ad(v) u
 * the first since it is quadratic in v, the second since velocities are those of rotations and of positions. */
static void rate_columns(soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    motion plus[FLEX_POINTS], minus[FLEX_POINTS], at_v[FLEX_POINTS], at_u[FLEX_POINTS], bracket[FLEX_POINTS];
    for (int k = 0; k < m->bodies; k++) {
        for (int c = 0; c < m->body[k].nv; c++) {
            const int column = m->body[k].v + c;
            real y[SOA_JOINT_MAX_NV];
            set_velocities(call, w, 1.0, column);
            point_motions(call, w, true, plus);
            set_velocities(call, w, -1.0, column);
            point_motions(call, w, true, minus);
            set_velocities(call, w, 1.0, -1);
            point_motions(call, w, false, at_v);
            const bool turns = joint_bracket(call, &m->body[k], c, y);
            for (int i = 0; i < m->nv; i++) {
                const int own = i - m->body[k].v;
                w->acceleration[i] = turns && own >= 0 && own < m->body[k].nv ? y[own] : real_set(0.0);
            }
            point_motions(call, w, false, bracket);
            set_velocities(call, w, 0.0, column);
            point_motions(call, w, false, at_u);
            for (int i = 0; i < call->points; i++) {
                place p;
                place_item(call, i, &p);
                motion rate = motion_scale(real_set(0.25), motion_sub(plus[i], minus[i]));
                rate = motion_scale_add(real_set(0.5), bracket[i], rate);
                rate.w = vec3_scale_add(real_set(0.5), vec3_cross(at_v[i].w, at_u[i].w), rate.w);
                rate = rate_in_axes((soa_axes)call->option, place_pose(w, &p), at_v[i].w, at_v[i].v, at_u[i], rate);
                put_column(call, 6 * i, column, rate);
            }
        }
    }
}

static void flex_jacobian_rate(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_call all = *call;
    call_begin(call);
    out_zero(call, call->y, 6 * (size_t)all.points * (size_t)all.model->nv);
    for (int first = 0; all.v.at && first < all.points; first += FLEX_POINTS) {
        const int left = all.points - first;
        call->point = all.point + first;
        call->points = left < FLEX_POINTS ? left : FLEX_POINTS;
        for (int i = 0; i < SOA_OUTPUTS; i++) {
            call->out[i].at = all.out[i].at;
        }
        call->y.at =
            all.y.at + 6 * (size_t)first * (size_t)all.model->nv * (LANES > 1 && all.spacing != 1 ? all.spacing : 1);
        rate_columns(call, &w);
    }
    call->point = all.point;
    call->points = all.points;
    call->y = all.y;
}

#endif
