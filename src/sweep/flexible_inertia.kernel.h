/* sweep/flexible_inertia.kernel.h - the inertia of a flexible link at its modal coordinates, and its forces of velocity.
 *
 * By mode the link has moments N(i) = sum m u(i) r* (soa_modal), and N(i) + bent(i) at eta, bent(i) = sum_j N1(i,j) eta(j): one
 * row in w->bent for each component of which the link has a table, those of the link whose modes were bent last. Sums D(x) = sum_i x(i) (N + bent)(i) give all that the body needs:
 *     h + D_ef(eta),  J + J1(D(eta)),  each with bent / 2;   er etadot = (en(D), ef(D)),  dJ/dt = J1(D),  of D(etadot) */
#ifndef SOA_SWEEP_FLEXIBLE_INERTIA_KERNEL_H
#define SOA_SWEEP_FLEXIBLE_INERTIA_KERNEL_H

#include "sweep/flexible_node.kernel.h"

/* ---- moments ---------------------------------------------------------------------------------------- */

KERNEL vec3 moment_ef(const real *D)
{
    return (vec3){ D[0], D[1], D[2] };
}

KERNEL vec3 moment_en(const real *D)
{
    const real *across = D + SOA_MODAL_TURN;
    return (vec3){ across[0] - across[3], across[1] - across[4], across[2] - across[5] };
}

KERNEL force moment_er(const real *D)
{
    return (force){ moment_en(D), moment_ef(D) };
}

/* J1 = tr(D + D*) - (D + D*) */
KERNEL sym3 moment_inertia(const real *D)
{
    const real *across = D + SOA_MODAL_TURN, *along = D + SOA_MODAL_DIAGONAL;
    return (sym3){ 2.0 * (along[1] + along[2]), -(across[2] + across[5]), -(across[1] + across[4]),
        2.0 * (along[0] + along[2]), -(across[0] + across[3]), 2.0 * (along[0] + along[1]) };
}

/* er of mode j, six numbers. */
KERNEL void er_at(const vars *w, const soa_body_data *body, size_t j, real six[6])
{
    const soa_modal *s = body->rest->modal;
    six_set(s->er + 6 * j, six);
    for (int c = 0; c < s->linear; c++) {
        const real more = w->bent[(size_t)c * soa_modal_stride((size_t)s->modes) + j];
        const int part = s->part[c], turn = part - SOA_MODAL_TURN;
        if (turn < 0) {
            six[3 + part] = six[3 + part] + more;
        } else if (turn < 3) {
            six[turn] = six[turn] + more;
        } else {
            six[turn - 3] = six[turn - 3] - more;
        }
    }
}

/* D(x) of n vectors x, one to AT_ONCE; with `from_rest` the first is eta: rows of w->bent are made of it and count half. */
static __attribute__((noinline)) void moment_sums(
    const vars *w, const soa_modal *s, int n, const double *const *x, bool from_rest, real (*D)[SOA_MODAL_N])
{
    if (from_rest) {
        table_set(&s->bent, x[0], w->bent);
    }
    table_products(&s->constant, SOA_MODAL_N, n, x, D[0], SOA_MODAL_N);
    gain_sums((size_t)s->modes, w->bent, s->parts, s->part, from_rest, n, x, D[0], SOA_MODAL_N);
}

/* ---- inertia -------------------------------------------------------------------------------------- */

/* M(eta), D of eta. */
KERNEL rigid bent_inertia(rigid M, const real *D)
{
    return (rigid){ M.m, vec3_add(M.h, moment_ef(D)), sym3_add(M.J, moment_inertia(D)) };
}

/* M(eta), and the rows of w->bent; of a body without modes M alone. With `rates` D[1] becomes D(etadot). */
KERNEL rigid modal_inertia_rates(const soa_call *call, const vars *w, int k, real (*D)[SOA_MODAL_N], bool rates)
{
    const soa_body_data *body = &call->model->body[k];
    rigid M = body_inertia(call, body);
    if (is_modal(body) && body->nv > 0) {
        const double *x[AT_ONCE] = { modes_in(call->q, body->q), modes_in(call->v, body->v), NULL };
        moment_sums(w, body->rest->modal, rates ? 2 : 1, x, true, D);
        M = bent_inertia(M, D[0]);
    }
    return M;
}

/* M(eta), and the rows of w->bent. */
static inline rigid modal_inertia(const soa_call *call, const vars *w, int k)
{
    real D[AT_ONCE][SOA_MODAL_N];
    return modal_inertia_rates(call, w, k, D, false);
}

/* ---- forces of velocity ------------------------------------------------------------------------------- */

/* (d er / dt) etadot of what is of second order. */
KERNEL force quadratic_force(const soa_modal *s, const double *etadot)
{
    real f[6] = { real_set(0.0), real_set(0.0), real_set(0.0), real_set(0.0), real_set(0.0), real_set(0.0) };
    for (int c = 0; c < s->quadratic.count; c++) {
        f[s->quadratic.part[c]] = table_square((size_t)s->modes, &s->quadratic.x[c], etadot);
    }
    return six_force(f);
}

/* The velocity-dependent force of its body, D of etadot:
 *     b = (dMrr/dt) V + (der/dt) etadot + V x* p,  p = Mrr V + er etadot
 *       = (w x p.n + v x (M V).f + J1(D) w; w x (p.f + ef(D))) + what is of second order */
KERNEL force modal_bias(const soa_call *call, int k, rigid M, motion V, const real *D)
{
    const soa_body_data *body = &call->model->body[k];
    const soa_modal *s = body->rest->modal;
    const force h = rigid_mul(M, V), moved = moment_er(D);
    const vec3 turned = sym3_mul_vec_add(moment_inertia(D), V.w, vec3_cross(V.v, h.f));
    const force f = { vec3_cross_add(V.w, vec3_add(h.n, moved.n), turned),
        vec3_cross(V.w, vec3_scale_add(real_set(2.0), moved.f, h.f)) };
    return s->quadratic.count > 0 ? force_add(f, quadratic_force(s, modes_in(call->v, body->v))) : f;
}

/* What its modes need at V and alpha, and with etaddot (NULL: zero), into e. A particle at r is accelerated by K r + a, by 2 w x of
 * its own velocity, and by its own acceleration:
 *     e(i) = sum of (N + bent)(i) times K + ef(i) . a + w . sum_j (en1(i,j) - en1(j,i)) etadot(j) + sum_j ee(i,j) etaddot(j)
 *     K = wdot~ + w w* - w . w,  a = alpha.v + w x v
 * etadot NULL: at rest, where V is zero. */
KERNEL void modal_powers(
    const vars *w, const soa_modal *s, motion V, motion alpha, const double *etadot, const double *etaddot, real *e)
{
    const size_t m = (size_t)s->modes;
    const vec3 W = V.w, A = alpha.w, a = etadot ? vec3_cross_add(W, V.v, alpha.v) : alpha.v;
    const real yz = W.y * W.z, xz = W.x * W.z, xy = W.x * W.y;
    const real by[SOA_MODAL_N] = { a.x, a.y, a.z, yz + A.x, xz + A.y, xy + A.z, yz - A.x, xz - A.y, xy - A.z,
        real_fnma(W.y, W.y, -(W.z * W.z)), real_fnma(W.x, W.x, -(W.z * W.z)), real_fnma(W.x, W.x, -(W.y * W.y)) };
    real turned[3][SOA_MAX_MODES];
    row_sum sum;
    sum.from = s->unit ? etaddot : NULL;
    sum.terms = 1;
    sum.term[0] = (row_term){ &s->constant_t, numbers(by) };
    sum.rows = etadot ? s->parts : s->linear;
    sum.row = w->bent;
    sum.s = by;
    sum.part = s->part;
    if (etaddot && !s->unit) {
        sum.term[sum.terms++] = (row_term){ &s->mass, etaddot };
    }
    for (int c = 0; etadot && c < s->turned.count; c++) {
        const int axis = s->turned.part[c];
        row_scale(m, axis == 0 ? W.x : axis == 1 ? W.y : W.z, etadot, turned[c]);
        sum.term[sum.terms++] = (row_term){ &s->turned.x[c], numbers(turned[c]) };
    }
    row_make(m, &sum, e);
}

/* All forces of velocity at V of the link that was bent last, M at eta and D of etadot: of the body returned, of its modes into
 * e, one after another. */
static inline force modal_velocity_forces(
    const soa_call *call, const vars *w, int k, rigid M, motion V, const real *D, real *e)
{
    const soa_body_data *body = &call->model->body[k];
    modal_powers(w, body->rest->modal, V, motion_zero(), modes_in(call->v, body->v), NULL, e);
    return modal_bias(call, k, M, V, D);
}
#endif
