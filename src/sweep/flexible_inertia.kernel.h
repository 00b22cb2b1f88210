/* sweep/flexible_inertia.kernel.h - the inertia of a flexible link at its modal coordinates, and its forces of velocity.
 *
 * er = (en; ef) at eta and the rows of J1 = d second / d eta are those of the link that modal_inertia saw last. */
#ifndef SOA_SWEEP_FLEXIBLE_INERTIA_KERNEL_H
#define SOA_SWEEP_FLEXIBLE_INERTIA_KERNEL_H

#include "sweep/flexible_node.kernel.h"

/* er of mode j. */
KERNEL real *er_at(const vars *w, size_t j)
{
    return w->eliminated + 6 * j;
}

/* sum of x(j) er(j) */
KERNEL force er_sum(const vars *w, const soa_body_data *body, const real *x)
{
    real y[6];
    six_sum((size_t)body->nv, er_at(w, 0), 6, x, 1, y);
    return six_force(y);
}

/* ---- inertia -------------------------------------------------------------------------------------- */

KERNEL real component(vec3 v, int e)
{
    return e == 0 ? v.x : e == 1 ? v.y : v.z;
}

KERNEL sym3 sym3_of(const real J[6])
{
    return (sym3){ J[0], J[1], J[2], J[3], J[4], J[5] };
}

/* er of each mode, and what eta adds to the first moment. */
static inline vec3 modal_first(const vars *w, const soa_modal *s, const real *eta)
{
    const size_t m = (size_t)s->modes, step = soa_modal_step(m);
    real h[4];
    for (size_t i = 0; i < m; i++) {
        six_set(s->er + 6 * i, er_at(w, i));
    }
    row_dots_set(m, s->ef, step, eta, 4, h); /* the fourth row is zero */
    for (int c = 0; c < s->linear.count; c++) {
        real y[SOA_MAX_MODES];
        const int part = s->linear.part[c];
        row_zero(m, y);
        table_multiply_add(m, s->linear.x[c], eta, y);
        for (size_t i = 0; i < m; i++) {
            real *er = er_at(w, i) + part;
            *er = *er + y[i];
        }
        if (part >= 3) {
            h[part - 3] = real_fma(real_set(0.5), row_dot(m, eta, y), h[part - 3]);
        }
    }
    return (vec3){ h[0], h[1], h[2] };
}

/* The rows of J1, and J += sum eta(i) (second1(i) + J1(i)) / 2. */
static inline void modal_second(const vars *w, const soa_modal *s, const real *eta, real J[6])
{
    const size_t m = (size_t)s->modes, size = row_size(m), step = soa_modal_step(m);
    real both[6 * SOA_MAX_MODES], sum[6];
    for (size_t e = 0; e < 6; e++) {
        for (size_t i = 0; i < m; i += PACK) {
            const pack constant = pack_set(s->second1 + e * step + i);
            pack_put(w->J1 + e * size + i, constant);
            pack_put(both + e * size + i, constant + constant);
        }
    }
    for (int c = 0; c < s->second.count; c++) {
        const size_t at = (size_t)s->second.part[c] * size;
        table_multiply_add(m, s->second.x[c], eta, w->J1 + at);
        for (size_t i = 0; i < m; i += PACK) {
            pack_put(both + at + i, pack_set(s->second1 + at / size * step + i) + pack_get(w->J1 + at + i));
        }
    }
    row_dots(m, both, size, eta, 6, sum);
    for (int e = 0; e < 6; e++) {
        J[e] = real_fma(real_set(0.5), sum[e], J[e]);
    }
}

/* R = M(eta); er and J1 of each mode. Of a body without modes M alone. */
static inline void modal_inertia(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    rigid M = body_inertia(call, body);
    if (is_modal(body) && body->nv > 0) {
        real eta[SOA_MAX_MODES], J[6] = { M.J.xx, M.J.xy, M.J.xz, M.J.yy, M.J.yz, M.J.zz };
        row_in(call, call->q, (size_t)body->q, (size_t)body->nv, eta);
        M.h = vec3_add(M.h, modal_first(w, body->rest->modal, eta));
        modal_second(w, body->rest->modal, eta, J);
        M.J = sym3_of(J);
    }
    w->R[k] = M;
}

/* The velocity-dependent forces of the flexible link that modal_inertia saw last: of its body returned, of its modes added to
 * the row b.
 *     b   = (dMrr/dt) V + (der/dt) etadot + V x* p,  p = Mrr V + er etadot
 *     b_i = sum_j (en1_ij - en1_ji) . w etadot_j - w . J1_i w / 2 - v . (w x ef_i), the last by modal_powers */
static inline force modal_bias(const soa_call *call, const vars *w, int k, real *b)
{
    const soa_body_data *body = &call->model->body[k];
    const soa_modal *s = body->rest->modal;
    const motion V = w->V[k];
    const size_t m = (size_t)body->nv;
    const real ww[6] = { -0.5 * V.w.x * V.w.x, -(V.w.x * V.w.y), -(V.w.x * V.w.z), -0.5 * V.w.y * V.w.y,
        -(V.w.y * V.w.z), -0.5 * V.w.z * V.w.z };
    real x[SOA_MAX_MODES], y[SOA_MAX_MODES], J_dot[6], f[6] = { real_set(0.0) };
    row_in(call, call->v, (size_t)body->v, m, x);
    row_dots(m, w->J1, row_size(m), x, 6, J_dot);
    six_rows_add(m, ww, w->J1, b);
    for (int c = 0; c < s->turned.count; c++) {
        row_zero(m, y);
        table_multiply_add(m, s->turned.x[c], x, y);
        row_scale_add(m, component(V.w, s->turned.part[c]), y, b);
    }
    for (int c = 0; c < s->quadratic.count; c++) {
        row_zero(m, y);
        table_multiply_add(m, s->quadratic.x[c], x, y);
        f[s->quadratic.part[c]] = row_dot(m, x, y);
    }
    const force moved = er_sum(w, body, x), p = force_add(rigid_mul(w->R[k], V), moved);
    force of_body = six_force(f);
    of_body.n = vec3_add(of_body.n, vec3_cross_add(moved.f, V.v, sym3_mul_vec(sym3_of(J_dot), V.w)));
    of_body.f = vec3_add(of_body.f, vec3_cross(V.w, moved.f));
    return force_add(of_body, force_cross(V, p));
}

/* b(i) += er(i)* (alpha - (0; v x w)): what the modes of a body that moves need besides; V may be zero. */
static inline void modal_powers(const vars *w, const soa_body_data *body, motion V, motion alpha, real *b)
{
    alpha.v = vec3_sub(alpha.v, vec3_cross(V.v, V.w));
    for (size_t i = 0; i < (size_t)body->nv; i++) {
        b[i] = b[i] + power(six_force(er_at(w, i)), alpha);
    }
}

/* All forces of velocity: of the body returned, of its modes into e, one after another. */
static inline force modal_velocity_forces(const soa_call *call, const vars *w, int k, real *e)
{
    const soa_body_data *body = &call->model->body[k];
    real b[SOA_MAX_MODES];
    row_zero((size_t)body->nv, b);
    const force f = modal_bias(call, w, k, b);
    modal_powers(w, body, w->V[k], motion_zero(), b);
    memcpy(e, b, (size_t)body->nv * sizeof *b);
    return f;
}
#endif
