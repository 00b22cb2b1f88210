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

/* Outward: X and, if velocities are given, V and a of all seats; W, if there are external forces. */
static inline void flexible_moves(const soa_call *call, const vars *w)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        const seat_vars *at = seat_of(w, call->model, k);
        if (!body->rest->in_place) {
            flexible_move(call, w, k);
        }
        if (call->f.at) {
            w->W[k] = flexible_placement(w, body, &at->X, &at->node);
        }
    }
}

/* Outward: X of all seats. */
static inline void flexible_positions(const soa_call *call, const vars *w)
{
    soa_call at_rest = *call;
    at_rest.v = at_rest.f = (soa_in){ NULL, 0 };
    flexible_moves(&at_rest, w);
}

/* What acts on body k before children are gathered: its forces of velocity, those of its modes in w->eps, less external ones. */
static inline force forces_of_body(const soa_call *call, const vars *w, int k, rigid M, const real *D)
{
    const soa_body_data *body = &call->model->body[k];
    const motion *V = &seat_of(w, call->model, k)->V;
    force z = force_zero();
    const bool modes = is_modal(body) && body->nv > 0;
    if (call->v.at && modes) {
        z = modal_velocity_forces(call, w, k, M, *V, D, w->eps + body->v);
    } else if (call->v.at && (!body->rest->massless || has_own(call))) {
        z = force_cross(*V, rigid_mul(M, *V));
    }
    for (int i = 0; !call->v.at && modes && i < body->nv; i++) {
        w->eps[body->v + i] = real_set(0.0);
    }
    return call->f.at ? force_sub(z, body_external(call, w, k)) : z;
}

/* P of body k before children are gathered, and with `forces` its z. What is of the body alone is made here, not outward: it is
 * used at once. */
static __attribute__((noinline)) void flexible_begin(const soa_call *call, const vars *w, int k, bool forces)
{
    const soa_body_data *body = &call->model->body[k];
    real D[AT_ONCE][SOA_MODAL_N];
    const bool rates = forces && call->v.at;
    const rigid M = body->rest->hands_on ? body_inertia(call, body) : modal_inertia_rates(call, w, k, D, rates);
    if (!body->rest->hands_on) {
        inertia_begin(call, w, k, M);
    }
    if (forces) {
        w->b[body->slot] = forces_of_body(call, w, k, M, D[1]);
    }
}

/* Inward, before body k gives to its parent: flexible_begin of itself, if nothing stands on it, and of the parent, if it is the
 * first that comes. */
static inline void begin_inboard(const soa_call *call, const vars *w, int k, bool forces)
{
    const soa_body_data *body = &call->model->body[k];
    if (body->leaf) {
        flexible_begin(call, w, k, forces);
    }
    if (body->last && body->parent >= 0) {
        flexible_begin(call, w, body->parent, forces);
    }
    if (forces && body->geared && call->v.at) {
        force *z = &w->b[call->model->body[body->parent].slot];
        *z = force_add(*z, gear_moment(call, body, seat_of(w, call->model, body->parent)->V.w));
    }
}

/* Inward: P, U, G, D^-1 of all bodies. */
static inline void flexible_articulate(soa_call *call, const vars *w)
{
    for (int k = call->model->bodies - 1; k >= 0; k--) {
        begin_inboard(call, w, k, false);
        articulate_inboard(call, w, k);
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
    flexible_smoother(call, w, motion_zero(), false, true);
}

/* T of body k, less what armature adds to C; in `room`, unless it is where modes can read it. */
KERNEL const double *forces_in(const soa_call *call, const soa_body_data *body, real *room)
{
    if (is_modal(body) && call->u.at) {
        return modes_in(call->u, body->v);
    }
    joint_given(call, call->u, body, room);
    armature_bias(call, body, -1.0, room);
    return numbers(room);
}

/* The recursion of [FD4], from T in call->u: betadot into w->x, which w->eps may be too. */
static inline void flexible_solve(soa_call *call, const vars *w, motion base)
{
    const soa_model *m = call->model;
    const bool moving = call->v.at;
    flexible_moves(call, w);
    for (int k = m->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &m->body[k];
        real room[SOA_MAX_MODES];
        if (is_long(m)) {
            fetch_ahead(call, w, k, true);
        }
        begin_inboard(call, w, k, true);
        articulate_inboard(call, w, k);
        const motion *a = moving && !body->rest->in_place ? &seat_of(w, m, k)->a : NULL;
        force *to = body->parent < 0 ? NULL : &w->b[m->body[body->parent].slot];
        filter_inboard(call, w, k, forces_in(call, body, room), &w->b[body->slot], a, to);
    }
    flexible_smoother(call, w, base, moving, false);
}

/* Mass^-1 T, T in call->u. */
static inline void solve_at_rest(soa_call *call, const vars *w)
{
    soa_call rest = *call;
    rest.v = rest.f = (soa_in){ NULL, 0 };
    flexible_solve(&rest, w, motion_zero());
    memcpy(call->failed, rest.failed, sizeof call->failed);
}

static void flex_mass_solve(soa_call *call)
{
    vars w = vars_of(call);
    w.eps = w.x;
    call_begin(call);
    solve_at_rest(call, &w);
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
        w.acceleration[i] = (call->u.at ? in_get(call, call->u, (size_t)i) : real_set(0.0)) - w.x[i];
    }
    bias = *call;
    bias.u = (soa_in){ numbers(w.acceleration), 0 };
    solve_at_rest(&bias, &w);
    memcpy(call->failed, bias.failed, sizeof call->failed);
    put_x(call, &w);
}

static void flex_forward_dynamics(soa_call *call)
{
    vars w = vars_of(call);
    w.eps = w.x;
    call_begin(call);
    flexible_solve(call, &w, base_acceleration(call));
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
    flexible_positions(call, w);
    for (int k = m->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &m->body[k];
        begin_inboard(call, w, k, false);
        const bool held = body->nv > 0 && call->prescribed[body->v];
        if (held && is_modal(body)) {
            memset(modal_matrix(w, body), 0, soa_modal_numbers((size_t)body->nv) * sizeof(real));
        }
        for (int i = 0; held && !is_modal(body) && i < body->nv; i++) {
            seat_inertias(w, body).G[i] = force_zero();
            for (int j = 0; j < body->nv; j++) {
                seat_inertias(w, body).D_inv[i][j] = zero;
            }
        }
        if (held) {
            const articulated P = inertia_across(w, m, k, *inertia_of(w, m, k));
            inertia_inboard(w, m, k, &P);
        } else {
            articulate_inboard(call, w, k);
        }
    }
}

/* Forces at the accelerations that are given, the others zero; from what T has besides, the free accelerations, with the
 * given ones held; then the forces that are asked for. */
static void flex_hybrid_dynamics(soa_call *call)
{
    vars w = vars_of(call);
    const soa_model *m = call->model;
    w.whole = true;
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
