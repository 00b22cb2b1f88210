/* dynamics/flexible_points.kernel.h - kinematics, points and momentum of models with flexible links.
 *
 * A point may stand on a node: its velocity is phi* (V(t)), V(t) = phi* V(k) + Pi etadot, and a force on it acts on the
 * modes by Pi*. Jacobians are made from unit forces at the points: a row of J is what the force does to every joint. */
#ifndef SOA_DYNAMICS_FLEXIBLE_POINTS_KERNEL_H
#define SOA_DYNAMICS_FLEXIBLE_POINTS_KERNEL_H

#include "dynamics/jacobian.kernel.h"
#include "dynamics/momentum.kernel.h"
#include "sweep/flexible_motion.kernel.h"

/* ---- motions of bodies ---------------------------------------------------------------------------- */

/* Outward: X, W, and V, a, alpha (without gravity). */
static inline void flexible_kinematics(const soa_call *call, const vars *w)
{
    for (int k = 0; k < call->model->bodies; k++) {
        flexible_position(call, w, k);
        w->W[k] = flexible_placement(w, &call->model->body[k], &w->X[k], &w->node[k]);
        flexible_velocity(call, w, k);
        const int p = call->model->body[k].parent;
        w->alpha[k] = flexible_acceleration(call, w, k, p < 0 ? motion_zero() : w->alpha[p]);
    }
}

/* ---- points --------------------------------------------------------------------------------------------- */

/* A point or link: its body, its node or 0, and its frame at the node, in the body's axes, or in that of the body. */
typedef struct place {
    int body, node;
    pose at;
    node_vars n;
    turn_vars turn;
    real second[3 * SOA_MAX_MODES];
} place;

KERNEL carrier place_node(const soa_call *call, place *p)
{
    return node_of(&call->model->body[p->body], p->node, &p->n, &p->turn, p->second);
}

static inline void place_item(const soa_call *call, int i, place *p)
{
    const item it = item_of(call, i);
    p->body = it.body;
    p->at = it.at;
    p->node = call->point && it.body != SOA_WORLD ? call->point[i].node : 0;
    if (p->node > 0) {
        const carrier on = place_node(call, p);
        p->at = pose_compose((pose){ node_position(call, &on), vec3_zero() }, pose_set(&call->point[i].at));
    }
}

static inline pose place_pose(const vars *w, const place *p)
{
    if (p->body == SOA_WORLD) {
        return p->at;
    }
    pose on = w->W[p->body];
    on.l = p->node > 0 ? pose_point(on, p->n.l) : on.l;
    return pose_compose(on, p->at);
}

/* Velocity and acceleration of a place, in its own axes. */
static inline void place_motions(const soa_call *call, const vars *w, place *p, motion *V, motion *alpha)
{
    *V = *alpha = motion_zero();
    if (p->body == SOA_WORLD) {
        return;
    }
    motion V_on = w->V[p->body], alpha_on = w->alpha[p->body];
    if (p->node > 0) {
        const carrier on = place_node(call, p);
        const int v = on.on->v;
        vec3 rate;
        V_on = node_outward(&p->n, V_on);
        alpha_on = node_outward(&p->n, alpha_on);
        if (call->u.at) {
            alpha_on = motion_add(alpha_on, node_motion(&on, modes_in(call->u, v), &rate));
        }
        if (call->v.at) {
            const double *etadot = modes_in(call->v, v);
            const motion U = node_motion(&on, etadot, &rate);
            V_on = motion_add(V_on, U);
            alpha_on = motion_add(alpha_on, node_bias(&on, etadot, rate, w->V[p->body].w, V_on.v, U));
        }
    }
    *V = phi_t(p->at, V_on);
    *alpha = phi_t(p->at, alpha_on);
    alpha->v = vec3_cross_add(V->w, V->v, alpha->v);
}

static void flex_kinematics(soa_call *call)
{
    const vars w = vars_of(call);
    const int items = call->point ? call->points : call->model->description.link.count;
    call_begin(call);
    flexible_kinematics(call, &w);
    for (int i = 0; i < items; i++) {
        place p;
        motion V, alpha;
        place_item(call, i, &p);
        place_motions(call, &w, &p, &V, &alpha);
        const pose X = place_pose(&w, &p);
        const size_t at = 6 * (size_t)i;
        if (call->y.at) {
            put_pose(call, (size_t)i, X);
        }
        if (call->y2.at) {
            put_turned(call, call->y2, at, X.R, V);
        }
        if (call->y3.at) {
            put_turned(call, call->y3, at, X.R, alpha);
        }
    }
}

/* A force at a place, in its axes: b of its body, and the modal forces e, gain it. */
static inline void place_force(const soa_call *call, const vars *w, place *p, force f, real *e)
{
    if (p->body == SOA_WORLD) {
        return;
    }
    f = phi(p->at, f);
    if (p->node > 0) {
        const carrier on = place_node(call, p);
        node_forces(&on, f, e + on.on->v);
        f = node_inward(&p->n, f);
    }
    w->b[p->body] = force_add(w->b[p->body], f);
}

/* Unit force r, world axes at the origin of the place; axes: of the rows of a Jacobian. */
KERNEL force unit_force(pose W, soa_axes axes, int r)
{
    vec3 e = vec3_zero();
    const real one = real_set(1.0);
    if (r % 3 == 0) {
        e.x = one;
    } else if (r % 3 == 1) {
        e.y = one;
    } else {
        e.z = one;
    }
    const vec3 turned = axes == SOA_AXES_BODY ? e : mat3_t_mul_vec(W.R, e);
    if (r < 3) {
        return (force){ turned, vec3_zero() };
    }
    /* of the point that passes the world's origin: v + l x w, so the force acts there */
    const vec3 moment = axes == SOA_AXES_WORLD ? mat3_t_mul_vec(W.R, vec3_cross(e, W.l)) : vec3_zero();
    return (force){ moment, turned };
}

/* z = 0, of bodies and of the modes in e. */
static inline void forces_begin(const soa_call *call, const vars *w, real *e)
{
    for (int k = 0; k < call->model->bodies; k++) {
        w->b[k] = force_zero();
    }
    for (int i = 0; i < call->model->nv; i++) {
        e[i] = real_set(0.0);
    }
}

/* y = J: a row is H phi B e. */
static void flex_jacobian(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    soa_call at_rest = *call;
    call_begin(call);
    at_rest.v = at_rest.u = (soa_in){ NULL, 0 };
    flexible_kinematics(&at_rest, &w);
    out_zero(call, call->y, 6 * (size_t)call->points * (size_t)m->nv);
    for (int i = 0; i < call->points; i++) {
        place p;
        place_item(call, i, &p);
        for (int r = 0; r < 6 && p.body != SOA_WORLD; r++) {
            forces_begin(call, &w, w.x);
            place_force(call, &w, &p, unit_force(place_pose(&w, &p), (soa_axes)call->option, r), w.x);
            for (int k = p.body; k >= 0; k = m->body[k].parent) {
                const soa_body_data *body = &m->body[k];
                if (!is_modal(body)) {
                    joint_force(&w, body, w.b[k], w.x + body->v);
                }
                if (body->rest->node > 0) {
                    const carrier on = carrier_of(&w, m, k);
                    force_inboard(&on, phi(w.X[k], w.b[k]), w.x, w.b + body->parent);
                } else if (body->parent >= 0) {
                    force_inboard(NULL, phi(w.X[k], w.b[k]), w.x, w.b + body->parent);
                }
                for (int c = 0; c < body->nv; c++) {
                    const size_t row = 6 * (size_t)i + (size_t)r;
                    out_put(call, call->y, row * (size_t)m->nv + (size_t)(body->v + c), w.x[body->v + c]);
                }
            }
        }
    }
}

/* ---- energy and momentum ------------------------------------------------------------------------------ */

/* M V + er etadot of body k, and twice its kinetic energy, by what modal_inertia saw last and made M of. */
static inline force modal_momentum(const soa_call *call, const vars *w, int k, rigid M, real *twice)
{
    const soa_body_data *body = &call->model->body[k];
    force p = rigid_mul(M, w->V[k]);
    real sum = power(p, w->V[k]);
    if (is_modal(body) && body->nv > 0) {
        const soa_modal *s = body->rest->modal;
        const double *etadot = modes_in(call->v, body->v);
        real D[AT_ONCE][SOA_MODAL_N];
        moment_sums(w, s, 1, &etadot, false, D);
        const force moved = moment_er(D[0]);
        sum = sum + table_square((size_t)s->modes, &s->mass, etadot) + 2.0 * power(moved, w->V[k]);
        p = force_add(p, moved);
    }
    *twice = *twice + sum;
    return p;
}

static void flex_energy(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    real twice = real_set(0.0);
    vec3 first_moment = vec3_zero();
    call_begin(call);
    flexible_kinematics(call, &w);
    for (int k = 0; k < m->bodies; k++) {
        const rigid M = modal_inertia(call, &w, k);
        if (call->v.at) {
            modal_momentum(call, &w, k, M, &twice);
            if (!is_modal(&m->body[k])) {
                twice = twice + rotor_energy(call, &w, &m->body[k]);
            }
        }
        first_moment = vec3_add(first_moment, mat3_mul_vec_add(w.W[k].R, M.h, vec3_scale(M.m, w.W[k].l)));
    }
    out_put(call, call->y, 0, 0.5 * twice);
    out_put(call, call->y, 1, vec3_dot(base_acceleration(call).v, first_moment));
}

/* The centre of mass. */
static inline vec3 flexible_centre(soa_call *call, const vars *w, real *mass)
{
    vec3 moment = vec3_zero();
    *mass = real_set(0.0);
    for (int k = 0; k < call->model->bodies; k++) {
        const rigid M = modal_inertia(call, w, k);
        *mass = *mass + M.m;
        moment = vec3_add(moment, mat3_mul_vec_add(w->W[k].R, M.h, vec3_scale(M.m, w->W[k].l)));
    }
    call_require(call, real_less(real_set(0.0), *mass), call->model->bodies);
    return vec3_scale(real_div(real_set(1.0), *mass), moment);
}

static void flex_momentum(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    soa_call rates = *call;
    call_begin(call);
    rates.u = (soa_in){ NULL, 0 };
    flexible_kinematics(&rates, &w);
    real mass, twice = real_set(0.0);
    const vec3 com = flexible_centre(call, &w, &mass);
    force h = force_zero(), h_dot = force_zero();
    for (int k = 0; call->v.at && k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const bool modes = is_modal(body) && body->nv > 0;
        real D[AT_ONCE][SOA_MODAL_N];
        const rigid M = modal_inertia(call, &w, k);
        if (modes) {
            const double *etadot = modes_in(call->v, body->v);
            moment_sums(&w, body->rest->modal, 1, &etadot, false, D);
        }
        const force bias = modes ? modal_bias(&rates, k, M, w.V[k], D[0]) : body_bias(&rates, &w, k);
        h = force_add(h, at_point(&w, k, modal_momentum(call, &w, k, M, &twice), com));
        h_dot = force_add(h_dot, at_point(&w, k, force_add(rigid_mul(M, w.alpha[k]), bias), com));
        if (body->geared) {
            add_spin(call, &w, body, com, &h, &h_dot);
        }
    }
    put_momentum(call, com, mass, h, h_dot);
}

#endif
