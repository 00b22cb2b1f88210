/* sweep/flexible_inertia.kernel.h - the inertia of a flexible link at its modal coordinates, and its forces of velocity.
 *
 * With C = (er; second1) the constants of the link, twelve components by mode, rows by mode hold what eta adds:
 *     er(i) = (en; ef)(i) + sum_j (en1; ef1)(i,j) eta(j),   J1(i) = second1(i) + sum_j second2(i,j) eta(j)
 * one row for each component of which the link has a table: first those of soa_modal.linear, then those of soa_modal.second. In
 * w->bent they stand behind C eta; they are those of the link that modal_inertia saw last. */
#ifndef SOA_SWEEP_FLEXIBLE_INERTIA_KERNEL_H
#define SOA_SWEEP_FLEXIBLE_INERTIA_KERNEL_H

#include "sweep/flexible_node.kernel.h"

/* The numbers of modal_rates: C etadot, and rows of soa_modal.turned times etadot. */
enum { MODAL_RATES = SOA_MODAL_C + 3 * SOA_MAX_MODES };

KERNEL real *bent_rows(const vars *w)
{
    return w->bent + SOA_MODAL_C;
}

/* er of mode j of m, six numbers, from the constant ones and rows of what is bent. */
KERNEL void er_from(const soa_modal_parts *linear, size_t m, const double *er, const real *bent, size_t j, real six[6])
{
    six_set(er + 6 * j, six);
    for (int c = 0; c < linear->count; c++) {
        real *part = six + linear->part[c];
        *part = *part + bent[(size_t)c * soa_modal_step(m) + j];
    }
}

KERNEL void er_at(const vars *w, const soa_body_data *body, size_t j, real six[6])
{
    const soa_modal *s = body->rest->modal;
    er_from(&s->linear, (size_t)s->modes, s->er, bent_rows(w), j, six);
}

/* Components of C become sums of x(i) (C(i) + factor bent(i)); `rows`: how many rows there are of them, from `first` on. */
KERNEL void bent_sums(const vars *w, const soa_modal *s, int first, int rows, const double *x, double factor, real *y)
{
    const size_t m = (size_t)s->modes;
    real sum[SOA_MODAL_C + 1];
    rows_dots(m, bent_rows(w) + (size_t)first * soa_modal_step(m), rows - first, x, sum);
    for (int c = first; c < rows; c++) {
        real *part = y + s->bent_part[c];
        *part = real_fma(real_set(factor), sum[c - first], *part);
    }
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

/* M(eta) = M + sum_i eta(i) (C(i) + bent(i) / 2); rows of w->bent. Of a body without modes M alone. */
KERNEL rigid modal_inertia_at(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    rigid M = body_inertia(call, body);
    if (is_modal(body) && body->nv > 0) {
        const soa_modal *s = body->rest->modal;
        const double *eta = modes_in(call->q, body->q);
        real *y = w->bent;
        table_set(&s->by_eta, eta, y);
        bent_sums(w, s, s->turning, s->linear.count + s->second.count, eta, 0.5, y);
        M.h = vec3_add(M.h, (vec3){ y[3], y[4], y[5] });
        M.J = sym3_add(M.J, sym3_of(y + SOA_MODAL_J1));
    }
    return M;
}

/* R = M(eta) */
static inline void modal_inertia(const soa_call *call, const vars *w, int k)
{
    w->R[k] = modal_inertia_at(call, w, k);
}

/* ---- forces of velocity ------------------------------------------------------------------------------- */

/* Of the flexible link that modal_inertia saw last: er etadot, J1 etadot, and rows sum_j (en1_ij - en1_ji) etadot_j. */
KERNEL void modal_rates(const soa_call *call, const vars *w, int k, real y[MODAL_RATES])
{
    const soa_body_data *body = &call->model->body[k];
    const soa_modal *s = body->rest->modal;
    const double *etadot = modes_in(call->v, body->v);
    table_set(&s->by_etadot, etadot, y);
    bent_sums(w, s, 0, s->linear.count + s->second.count, etadot, 1.0, y);
}

/* The velocity-dependent force of its body, y from modal_rates:
 *     b = (dMrr/dt) V + (der/dt) etadot + V x* p,  p = Mrr V + er etadot */
KERNEL force modal_bias(const soa_call *call, int k, rigid M, motion V, const real y[MODAL_RATES])
{
    const soa_body_data *body = &call->model->body[k];
    const soa_modal *s = body->rest->modal;
    const force moved = six_force(y), p = force_add(rigid_mul(M, V), moved);
    force of_body = { vec3_cross_add(moved.f, V.v, sym3_mul_vec(sym3_of(y + SOA_MODAL_J1), V.w)),
        vec3_cross(V.w, moved.f) };
    if (s->quadratic.count > 0) {
        real f[6] = { real_set(0.0), real_set(0.0), real_set(0.0), real_set(0.0), real_set(0.0), real_set(0.0) };
        for (int c = 0; c < s->quadratic.count; c++) {
            f[s->quadratic.part[c]] = table_square((size_t)s->modes, &s->quadratic.x[c], modes_in(call->v, body->v));
        }
        of_body = force_add(of_body, six_force(f));
    }
    return force_add(of_body, force_cross(V, p));
}

/* What its modes need, added to the row b or (add false) written to it; y from modal_rates, or NULL at rest, where V is zero:
 *     b_i = er_i* (alpha - (0; v x w)) - w . J1_i w / 2 + sum_j (en1_ij - en1_ji) . w etadot_j */
KERNEL void modal_powers(const vars *w, const soa_modal *s, motion V, motion alpha, const real *y, bool add, real *b)
{
    const size_t m = (size_t)s->modes;
    const int rows = s->linear.count + (y ? s->second.count : 0);
    const vec3 v = y ? vec3_sub(alpha.v, vec3_cross(V.v, V.w)) : alpha.v;
    const real by[SOA_MODAL_C] = { alpha.w.x, alpha.w.y, alpha.w.z, v.x, v.y, v.z, -0.5 * V.w.x * V.w.x,
        -(V.w.x * V.w.y), -(V.w.x * V.w.z), -0.5 * V.w.y * V.w.y, -(V.w.y * V.w.z), -0.5 * V.w.z * V.w.z };
    real by_row[SOA_MODAL_C], w_part[3];
    table_product(&s->constant_t, numbers(by), add, b);
    for (int c = 0; c < rows; c++) {
        by_row[c] = by[s->bent_part[c]];
    }
    rows_add(m, bent_rows(w), rows, by_row, b);
    if (y) {
        for (int c = 0; c < s->turned.count; c++) {
            w_part[c] = component(V.w, s->turned.part[c]);
        }
        rows_add(m, y + SOA_MODAL_C, s->turned.count, w_part, b);
    }
}

/* All forces of velocity: of the body returned, of its modes into e, one after another. */
static inline force modal_velocity_forces(const soa_call *call, const vars *w, int k, real *e)
{
    const soa_modal *s = call->model->body[k].rest->modal;
    real room[SOA_MAX_MODES], *b = row_made(e, room), y[MODAL_RATES];
    modal_rates(call, w, k, y);
    modal_powers(w, s, w->V[k], motion_zero(), y, false, b);
    if (b != e) {
        row_put((size_t)s->modes, b, e);
    }
    return modal_bias(call, k, w->R[k], w->V[k], y);
}
#endif
