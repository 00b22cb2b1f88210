/* dynamics/flexible_dynamics.kernel.h - the named algorithms for models with flexible links.
 *
 * Every kernel of SOA_KERNEL_LIST, by the steps of sweep/flexible_sweeps.kernel.h. What each reads and writes is said where the
 * kernel of that name for rigid links is defined. */
#ifndef SOA_DYNAMICS_FLEXIBLE_DYNAMICS_KERNEL_H
#define SOA_DYNAMICS_FLEXIBLE_DYNAMICS_KERNEL_H

#include "dynamics/flexible_inverse.kernel.h"
#include "dynamics/flexible_points.kernel.h"
#include "sweep/lanes.kernel.h"

/* ---- inverse dynamics -------------------------------------------------------------------------- */

/* What tells of numbers that are not finite: the sum of x times 0, in four parts. */
static inline real sum_taint(const double *x, size_t n)
{
    const pack zero = pack_number(0.0);
    pack taint[4];
    real last = real_set(0.0);
    for (size_t k = 0; k < 4; k++) {
        taint[k] = zero;
    }
    for (; n >= 4 * PACK; n -= 4 * PACK, x += 4 * PACK * LANES) {
        for (size_t k = 0; k < 4; k++) {
            pack y;
            memcpy(&y, x + k * PACK * LANES, sizeof y);
            taint[k] = pack_fma(y, zero, taint[k]);
        }
    }
    for (; n > 0; n--, x += LANES) {
        last = real_fma(real_load(x), real_set(0.0), last);
    }
    taint[0] = (taint[0] + taint[1]) + (taint[2] + taint[3]);
#if LANES == 1
    return last + ((taint[0][0] + taint[0][1]) + (taint[0][2] + taint[0][3]));
#else
    return last + taint[0];
#endif
}

/* w->x to call->y; soa_call.taint. Coordinates and rates of modes need not reach an output, where the link has no integrals of
 * them: they are looked at too. */
static inline void put_x(soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    real taint = sum_taint(numbers(w->x), (size_t)m->nv) + sum_taint(call->q.at, (size_t)m->nq);
    taint = call->v.at ? taint + sum_taint(call->v.at, (size_t)m->nv) : taint;
    real_store(call->taint, taint);
#if LANES == 1
    memcpy(call->y.at, w->x, (size_t)m->nv * sizeof *w->x);
#else
    scatter_y(call, w->x);
#endif
}

static void flex_inverse_dynamics(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    flexible_outward(call, &w);
    flexible_inward(call, &w);
    put_x(call, &w);
}

static void flex_joint_forces(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    flexible_outward(call, &w);
    flexible_inward(call, &w);
    for (int k = 0; k < call->model->bodies; k++) {
        const force f = phi_inv(pose_set(&call->model->body[k].rest->frame), force_of_pair(w.F[k]));
        out_vec3(call, call->y, 6 * (size_t)k, f.n);
        out_vec3(call, call->y, 6 * (size_t)k + 3, f.f);
    }
}

static void flex_mass_multiply(soa_call *call)
{
    call->option = WITHOUT_GRAVITY;
    call->v = call->f = (soa_in){ NULL, 0 };
    flex_inverse_dynamics(call);
}

/* ---- forward dynamics ----------------------------------------------------------------------------- */

/* X of body k, the rows of Pi of the node that carries it, and P before children are gathered; `whole`: by all modes; D: as
 * modal_inertia_rates makes it. */
KERNEL void flexible_begin(const soa_call *call, const vars *w, int k, bool whole, real (*D)[SOA_MODAL_N], bool rates)
{
    const soa_body_data *body = &call->model->body[k];
    if (whole || !body->rest->in_place) {
        flexible_position(call, w, k);
    }
    if (body->rest->node > 0) {
        const carrier on = carrier_of(w, call->model, k);
        const soa_modal_ports *ports = whole ? NULL : ports_of(call, on.on);
        const double *rows = rows_of_node(&on, body, ports);
#define NODE_ROWS(columns) node_rows(&on, columns, rows, port_motions(w, body))
        WITH_COLUMNS(NODE_ROWS, columns_of(on.on, ports))
#undef NODE_ROWS
    }
    if (!body->rest->hands_on) {
        modal_inertia_rates(call, w, k, D, rates);
        inertia_begin(call, w, k, whole ? NULL : ports_of(call, body));
    }
}

/* Outward: X, and P before children are gathered. */
static inline void flexible_inertias(const soa_call *call, const vars *w, bool whole)
{
    for (int k = 0; k < call->model->bodies; k++) {
        real D[AT_ONCE][SOA_MODAL_N];
        flexible_begin(call, w, k, whole, D, false);
    }
}

/* z = 0, of bodies and of modes. */
static inline void filter_begin(soa_call *call, const vars *w)
{
    for (int k = 0; k < call->model->bodies; k++) {
        w->b[k] = force_zero();
    }
    for (int i = 0; i < call->model->nv; i++) {
        w->eps[i] = real_set(0.0);
    }
}

/* y = Mass^-1 x for x in w->x, in place; the factors are there. */
static inline void solve_x(soa_call *call, const vars *w)
{
    flexible_filter(call, w);
    flexible_smoother(call, w, motion_zero(), false);
}

static void flex_mass_solve(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    flexible_inertias(call, &w, false);
    flexible_articulate(call, &w);
    filter_begin(call, &w);
    all_in(call, call->u, w.x);
    solve_x(call, &w);
    put_x(call, &w);
}

/* T' = T - C, then Mass^-1 T'.  [FD1] */
static void flex_forward_dynamics_1(soa_call *call)
{
    const vars w = vars_of(call);
    soa_call bias = *call;
    call_begin(call);
    bias.u = (soa_in){ NULL, 0 };
    flexible_outward(&bias, &w);
    flexible_inward(&bias, &w);
    for (int i = 0; i < call->model->nv; i++) {
        w.x[i] = (call->u.at ? in_get(call, call->u, (size_t)i) : real_set(0.0)) - w.x[i];
    }
    flexible_inertias(call, &w, false);
    flexible_articulate(call, &w);
    filter_begin(call, &w);
    solve_x(call, &w);
    put_x(call, &w);
}

/* Outward: X, V, a, P before children are gathered, and b and the modes' part of it in w->eps, external forces taken off. */
static inline void forward_begin(soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        real D[AT_ONCE][SOA_MODAL_N];
        flexible_begin(call, w, k, false, D, call->v.at != NULL);
        flexible_velocity(call, w, k);
        w->b[k] = force_zero();
        const bool modes = is_modal(body) && body->nv > 0;
        if (call->v.at) {
            if (modes) {
                w->b[k] = modal_velocity_forces(call, w, k, D[1], w->eps + body->v);
            } else if (!body->rest->massless || has_own(call)) {
                w->b[k] = body_bias(call, w, k);
            }
        }
        for (int i = 0; !call->v.at && modes && i < body->nv; i++) {
            w->eps[body->v + i] = real_set(0.0);
        }
        if (call->v.at && body->geared) {
            w->b[body->parent] = force_add(w->b[body->parent], gear_bias(call, w, body));
        }
        if (call->f.at) {
            w->W[k] = flexible_placement(w, m, k);
            w->b[k] = force_sub(w->b[k], body_external(call, w, k));
        }
    }
}

/* T less what armature adds to C, into w->x; of modes only if none is given. Returns where T of the modes is. */
static inline const double *forces_in(soa_call *call, const vars *w)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        for (int i = is_modal(body) && call->u.at ? body->nv : 0; i < body->nv; i++) {
            w->x[body->v + i] = call->u.at ? in_get(call, call->u, (size_t)(body->v + i)) : real_set(0.0);
        }
        armature_bias(call, body, -1.0, w->x + body->v);
    }
    return call->u.at ? call->u.at : numbers(w->x);
}

/* The recursion of [FD4]: betadot into w->x. */
static inline void flexible_forward(soa_call *call, const vars *w)
{
    forward_begin(call, w);
    const double *on_modes = forces_in(call, w);
    for (int k = call->model->bodies - 1; k >= 0; k--) {
        articulate_inboard(call, w, k);
        filter_inboard(call, w, k, on_modes, true);
    }
    flexible_smoother(call, w, base_acceleration(call), true);
}

static void flex_forward_dynamics(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    flexible_forward(call, &w);
    put_x(call, &w);
}

static void flex_forward_dynamics_3(soa_call *call)
{
    flex_forward_dynamics(call);
}

static void flex_forward_dynamics_4(soa_call *call)
{
    flex_forward_dynamics(call);
}

static void flex_forward_dynamics_2(soa_call *call)
{
    flex_forward_dynamics_1(call);
}

/* ---- [HYB] ------------------------------------------------------------------------------------------ */

/* Inward: P, U, G, D^-1 of all bodies. Prescribed velocities are held: nothing is eliminated there, and D^-1 is zero. */
static inline void hybrid_articulate(soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    const real zero = real_set(0.0);
    flexible_inertias(call, w, true);
    for (int k = m->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &m->body[k];
        const bool held = body->nv > 0 && call->prescribed[body->v];
        if (held && is_modal(body)) {
            memset(modal_matrix(w, body), 0, soa_modal_numbers((size_t)body->nv) * sizeof(real));
        }
        for (int i = 0; held && !is_modal(body) && i < body->nv; i++) {
            w->G[body->v + i] = force_zero();
            for (int j = 0; j < body->nv; j++) {
                w->D_inv[body->v + i][j] = zero;
            }
        }
        if (held) {
            inertia_inboard(w, m, k, articulated_shift(w->X[k], w->P[k]));
        } else {
            articulate_inboard(call, w, k);
        }
    }
}

/* Forces at the accelerations that are given, the others zero; from what T has besides, the free accelerations, with the
 * given ones held; then the forces that are asked for. */
static void flex_hybrid_dynamics(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    call_begin(call);
#if LANES == 1
    call->u = (soa_in){ call->y.at, call->y.stride };
    call->given = (soa_in){ call->y2.at, call->y2.stride };
#endif
    soa_call part = *call;
    for (int i = 0; i < m->nv; i++) { /* the accelerations that are given, the others zero */
        w.acceleration[i] = call->prescribed[i] ? in_get(call, call->given, (size_t)i) : real_set(0.0);
    }
    part.u = (soa_in){ (const double *)w.acceleration, (size_t)m->nv };
    flexible_outward(&part, &w);
    flexible_inward(&part, &w);
    for (int i = 0; i < m->nv; i++) {
        w.x[i] = call->prescribed[i] ? real_set(0.0) : in_get(call, call->u, (size_t)i) - w.x[i];
    }
    hybrid_articulate(call, &w);
    filter_begin(call, &w);
    solve_x(call, &w);
    for (int i = 0; i < m->nv; i++) {
        w.acceleration[i] = call->prescribed[i] ? w.acceleration[i] : w.x[i];
    }
    flexible_outward(&part, &w);
    flexible_inward(&part, &w);
    for (int i = 0; i < m->nv; i++) {
        if (call->prescribed[i]) {
            out_put(call, call->y, (size_t)i, w.x[i]);
        } else {
            out_put(call, call->y2, (size_t)i, w.acceleration[i]);
        }
    }
}

#endif
