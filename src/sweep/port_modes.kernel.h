/* sweep/port_modes.kernel.h - the modes of a flexible link in the recursions of Mass^-1.
 *
 * Where soa_body_rest.ports tells which directions zeta of the modes move what the link carries, with W, Z and U of
 * model/modal_ports.c, the modes have
 *     P_ee^-1 = Z + W E^-1 W*,  E = 1 + sum of U* T* P T U
 * so the others are eliminated before anything is known of what is carried, and only E as the matrix of a link:
 *     P - er* Z er,   P_er = W* er + sum of U* T* P phi*
 * Rows Z bent stand behind that matrix, then what is left of the forces on zeta. */
#ifndef SOA_SWEEP_PORT_MODES_KERNEL_H
#define SOA_SWEEP_PORT_MODES_KERNEL_H

#include "sweep/eliminate_modes.kernel.h"

/* Prescribed velocities are those of the modes themselves, which are then eliminated as they are. */
KERNEL const soa_modal_ports *ports_of(const soa_call *call, const soa_body_data *body)
{
    return call->prescribed ? NULL : body->rest->ports;
}

/* Rows Z bent, then rooms er* Z bent, then rows W* bent. */
KERNEL real *port_bent(const vars *w, const soa_body_data *body, const soa_modal_ports *p)
{
    return modal_matrix(w, body) + soa_modal_numbers((size_t)p->modes);
}

/* What is left of the forces on zeta, in the place of what is known of er no longer. */
KERNEL real *port_forces(const vars *w, const soa_body_data *body, const soa_modal_ports *p)
{
    const soa_modal *s = body->rest->modal;
    return port_bent(w, body, p) + (size_t)s->linear.count * soa_modal_step((size_t)s->modes);
}

/* ---- inertias ----------------------------------------------------------------------------------- */

/* P_er = er, and what shares a pack of ee with it, of m modes. */
KERNEL void matrix_begin(
    const soa_modal_parts *linear, size_t m, const double *ee, const double *er, const real *bent, real *A)
{
    const size_t edge = pack_begin(m);
    for (size_t j = 0; j < m; j++, A += soa_modal_rows(m)) {
        if (edge < m) {
            pack_put(A + edge, pack_set(ee + j * soa_modal_step(m) + edge));
        }
        er_from(linear, m, er, bent, j, A + m);
    }
}

/* Of the link that modal_inertia saw last: P = M - er* Z er, P_er = W* er. With er + bent e* for each component e that bends,
 *     er* Z er = constant + sum of e (er* Z bent)* + (er* Z bent) e* + e (bent* Z bent) e* */
static inline void ports_begin(const soa_call *call, const vars *w, int k, const soa_modal_ports *p)
{
    const soa_body_data *body = &call->model->body[k];
    const soa_modal *s = body->rest->modal;
    const size_t m = (size_t)s->modes, step = soa_modal_step(m), bent = (size_t)s->linear.count;
    real *Z_bent = port_bent(w, body, p), *room = Z_bent + bent * step;
    force column[6];
    real *left = (real *)(void *)column;
    if (bent > 0) {
        table_set(&p->by_eta, modes_in(call->q, body->q), Z_bent);
    }
    for (size_t e = 0; e < 6; e++) {
        six_set(p->inertia + 6 * e, left + 6 * e);
    }
    for (size_t c = 0; c < bent; c++, room += SOA_MODAL_ER) {
        const size_t a = (size_t)s->linear.part[c];
        real squares[7];
        rows_dots(m, Z_bent, (int)c + 1, numbers(bent_rows(w) + c * step), squares);
        for (size_t e = 0; e < 6; e++) {
            real *at = left + (a < e ? 6 * a + e : 6 * e + a);
            *at = *at - (e == a ? 2.0 * room[e] : room[e]);
        }
        for (size_t d = 0; d <= c; d++) {
            const size_t e = (size_t)s->linear.part[d];
            real *at = left + (a < e ? 6 * a + e : 6 * e + a);
            *at = *at - squares[d];
        }
    }
    w->P[k] = articulated_add(w->P[k], articulated_of_columns(column));
    matrix_begin(&s->linear, (size_t)p->modes, p->ee, p->er, room, modal_matrix(w, body));
}

/* ---- filter ----------------------------------------------------------------------------------------- */

/* eps = L^-1 eps - G a, and z + G D^-1 eps, with z that has P a already. */
static inline force modes_filter(const elimination *x, const motion *a, force z, real *eps)
{
    real nu[SOA_MAX_MODES], left[SOA_MAX_MODES], sum[6];
    row_from(x->m, eps, left);
    for (size_t j = 0; j < x->m; j++) { /* eps(i) = eps(i) - sum over j < i of L D(i,j) nu(j), nu = D^-1 eps */
        eps[j] = left[j];
        nu[j] = x->D_inv[j] * left[j];
        for (size_t i = pack_begin(j + 1); i < x->m; i += PACK) {
            pack_put(left + i, pack_fnma(pack_all(nu + j), pack_get(x->LD + j * x->rows + i), pack_get(left + i)));
        }
    }
    six_sum(x->m, x->LD + x->m, x->rows, nu, 1, sum);
    z = force_add(z, six_force(sum));
    for (size_t j = 0; a && j < x->m; j++) {
        const force G = six_force(x->LD + j * x->rows + x->m);
        const real less = power(G, *a);
        eps[j] = eps[j] - less;
        z = force_scale_add(-(x->D_inv[j] * less), G, z);
    }
    return z;
}

/* A force f of body k on the node that carries it: the forces on zeta gain U* T* f, and Z S* = 0 lets the other modes be. */
KERNEL void port_force(const vars *w, const soa_model *m, int k, const soa_modal_ports *p, force f)
{
    const soa_body_data *on = &m->body[m->body[k].parent];
    real *left = port_forces(w, on, p), by[6];
    put_six(f, by);
    if (k == on->rest->carried) { /* the first that comes inward */
        row_zero((size_t)p->modes, left);
    }
    rows_add((size_t)p->modes, port_motions(w, &m->body[k]), 6, by, left);
}

/* Forces eps on the modes of body k become Z eps and, with those of what it carries, forces on zeta, which then go through the
 * filter; z gains er* Z eps. */
static inline force port_filter(const soa_call *call, const vars *w, int k, const motion *a, force z, real *eps)
{
    const soa_body_data *body = &call->model->body[k];
    const soa_modal *s = body->rest->modal;
    const soa_modal_ports *p = ports_of(call, body);
    const elimination x = elimination_of(w, call->model, k, p);
    const size_t m = (size_t)body->nv;
    real y[SOA_MODAL_ER + 2 * SOA_MAX_MODES], sum[7];
    if (!p) {
        return modes_filter(&x, a, z, eps);
    }
    table_set(&p->by_force, numbers(eps), y);
    rows_dots(m, port_bent(w, body, p), s->linear.count, numbers(eps), sum);
    for (int c = 0; c < s->linear.count; c++) {
        y[s->linear.part[c]] = y[s->linear.part[c]] + sum[c];
    }
    row_put(m, y + SOA_MODAL_ER, eps);
    const real *by_W = y + SOA_MODAL_ER + soa_modal_step(m);
    real *left = port_forces(w, body, p);
    for (size_t i = 0; i < x.m; i++) {
        left[i] = body->rest->carried > 0 ? by_W[i] - left[i] : by_W[i];
    }
    return modes_filter(&x, a, force_add(z, six_force(y)), left);
}

/* ---- smoother ---------------------------------------------------------------------------------------- */

/* y = L^-* D^-1 (eps - G* alpha) */
static inline void modes_smoother(const elimination *x, const real *eps, motion alpha, real *y)
{
    for (size_t i = 0; i < x->m; i++) {
        y[i] = eps[i] - power(six_force(x->LD + i * x->rows + x->m), alpha);
    }
    for (size_t i = x->m; i-- > 0;) {
        const real done = y[i] * x->D_inv[i], *LD = x->LD + i;
        y[i] = done;
        for (size_t j = 0; j < i; j++) {
            y[j] = real_fnma(LD[j * x->rows], done, y[j]);
        }
    }
}

/* Modal accelerations of body k: y = Z eps - Z er alpha + W zeta, where Z eps has come of the filter and zeta is what the smoother
 * makes at the motion that reaches the body, which has alpha with its own part. */
static inline void port_smoother(
    const soa_call *call, const vars *w, int k, const real *eps, motion reached, motion alpha, real *y)
{
    const soa_body_data *body = &call->model->body[k];
    const soa_modal *s = body->rest->modal;
    const soa_modal_ports *p = ports_of(call, body);
    const elimination x = elimination_of(w, call->model, k, p);
    const size_t m = (size_t)body->nv;
    real by[6 + SOA_MAX_MODES], less[6], room[SOA_MAX_MODES], *row = row_made(y, room), *zeta = NULL;
    if (!p) {
        modes_smoother(&x, eps, reached, y);
        return;
    }
    put_six((force){ alpha.w, alpha.v }, by);
    zeta = port_forces(w, body, p);
    modes_smoother(&x, zeta, reached, zeta);
    memcpy(by + 6, zeta, x.m * sizeof *zeta);
    for (int c = 0; c < s->linear.count; c++) {
        less[c] = -by[s->linear.part[c]];
    }
    row_get(m, eps, row);
    table_add(&p->by_motion, numbers(by), row);
    rows_add(m, port_bent(w, body, p), s->linear.count, less, row);
    if (row != y) {
        row_put(m, row, y);
    }
}

/* The motion of the node that carries body k by zeta, which port_smoother has left in the place of the forces. */
KERNEL motion port_motion(const vars *w, const soa_model *m, int k, const soa_modal_ports *p)
{
    const soa_body_data *body = &m->body[k];
    real y[6];
    rows_dots((size_t)p->modes, port_motions(w, body), 6, numbers(port_forces(w, &m->body[body->parent], p)), y);
    return six_motion(y);
}

#endif
