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

/* What is left of the forces on zeta, then zeta: in the place of the rooms, which are not asked for again. */
KERNEL real *port_forces(const vars *w, const soa_body_data *body, const soa_modal_ports *p)
{
    return port_rooms(w, body, p);
}

/* The components of a force or a motion, in their order. */
KERNEL const int *six_parts(void)
{
    static const int part[6] = { 0, 1, 2, 3, 4, 5 };
    return part;
}

/* ---- inertias ----------------------------------------------------------------------------------- */

/* Takes from the numbers `left` of an inertia component a of er* Z er: twice er* Z bent of it, and the squares bent* Z bent with those
 * before it. */
KERNEL void ports_take(const vars *w, const soa_modal *s, size_t a, const real *room, const real *Z_bent, real *left)
{
    const double *by = numbers(Z_bent);
    real D[SOA_MODAL_N], square[6];
    for (int i = 0; i < SOA_MODAL_N; i++) {
        D[i] = real_set(0.0);
    }
    gain_sums((size_t)s->modes, w->bent, s->linear, s->part, false, 1, &by, D, SOA_MODAL_N);
    put_six(moment_er(D), square);
    for (size_t e = 0; e < 6; e++) {
        real *at = left + soa_articulated_at[a][e];
        const real less = e == a ? 2.0 * room[e] : room[e];
        *at = *at - (e <= a ? less + square[e] : less);
    }
}

/* P = M - er* Z er of the link that modal_inertia saw last, and the rows from which P_er = W* er is made. With
 * er + bent e* for each component e that bends,
 *     er* Z er = constant + sum of e (er* Z bent)* + (er* Z bent) e* + e (bent* Z bent) e* */
static inline void ports_begin(const soa_call *call, const vars *w, int k, const soa_modal_ports *p, rigid M)
{
    const soa_body_data *body = &call->model->body[k];
    const soa_modal *s = body->rest->modal;
    const size_t stride = soa_modal_stride((size_t)s->modes), bent = (size_t)p->bent;
    real *Z_bent = port_bent(w, body, p), *room = port_rooms(w, body, p);
    articulated *P = inertia_of(w, call->model, k);
    real *left = (real *)(void *)P;
    if (bent > 0) {
        table_set(&p->by_eta, modes_in(call->q, body->q), Z_bent);
    }
    *P = articulated_add_rigid(articulated_set(p->inertia), M);
    for (size_t c = 0; c < bent; c++) {
        ports_take(w, s, (size_t)p->part[c], room + c * SOA_PORT_ER, Z_bent + c * stride, left);
    }
}

/* ---- filter ----------------------------------------------------------------------------------------- */

/* eps = L^-1 eps - G a, and z + G D^-1 eps, with z that has P a already. */
KERNEL force columns_filter(const elimination *x, const motion *a, force z, real *eps)
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

static inline force modes_filter(
    const vars *w, const soa_model *model, int k, const soa_modal_ports *p, const motion *a, force z, real *eps)
{
    const size_t m = columns_of(&model->body[k], p);
    force y;
#define FILTER(columns)                                                \
    do {                                                               \
        const elimination x = elimination_of(w, model, k, p, columns); \
        y = columns_filter(&x, a, z, eps);                             \
    } while (0)
    WITH_COLUMNS(FILTER, m)
#undef FILTER
    return y;
}

/* A force f of body k on the node that carries it: the forces on zeta gain U* T* f, and Z S* = 0 lets the other modes be. */
KERNEL void port_force(const vars *w, const soa_model *m, int k, const soa_modal_ports *p, force f)
{
    const soa_body_data *on = &m->body[m->body[k].parent];
    const real *Pi = port_motions(w, m, k);
    real *left = port_forces(w, on, p), by[6];
    put_six(f, by);
    if (k == on->rest->carried) { /* the first that comes inward */
        row_zero((size_t)p->modes, left);
    }
#define ADD_SIX(columns) rows_add(columns, 6, Pi, six_parts(), by, left)
    WITH_COLUMNS(ADD_SIX, (size_t)p->modes)
#undef ADD_SIX
}

/* Forces eps on the modes of body k become Z eps and, with those of what it carries, forces on zeta, which then go through the
 * filter; z gains er* Z eps. */
static inline force port_filter(const soa_call *call, const vars *w, int k, const motion *a, force z, real *eps)
{
    const soa_body_data *body = &call->model->body[k];
    const soa_modal_ports *p = ports_of(w, body);
    const size_t m = (size_t)body->nv;
    const double *by = numbers(eps);
    real y[SOA_PORT_ER + 2 * SOA_MAX_MODES];
    if (!p) {
        return modes_filter(w, call->model, k, p, a, z, eps);
    }
    table_set(&p->by_force, by, y);
    gain_sums(m, port_bent(w, body, p), p->bent, p->part, false, 1, &by, y, SOA_PORT_ER);
#pragma GCC unroll 4
    for (size_t i = 0; i < m; i++) {
        eps[i] = y[SOA_PORT_ER + i];
    }
    const real *by_W = y + SOA_PORT_ER + soa_modal_stride(m);
    real *left = port_forces(w, body, p);
#pragma GCC unroll 4
    for (size_t i = 0; i < (size_t)p->modes; i++) {
        left[i] = body->rest->carried > 0 ? by_W[i] - left[i] : by_W[i];
    }
    return modes_filter(w, call->model, k, p, a, force_add(z, six_force(y)), left);
}

/* ---- smoother ---------------------------------------------------------------------------------------- */

/* y = L^-* D^-1 (eps - G* alpha) */
KERNEL void columns_smoother(const elimination *x, const real *eps, motion alpha, real *y)
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

static inline void modes_smoother(
    const vars *w, const soa_model *model, int k, const soa_modal_ports *p, const real *eps, motion alpha, real *y)
{
    const size_t m = columns_of(&model->body[k], p);
#define SMOOTH(columns)                                                \
    do {                                                               \
        const elimination x = elimination_of(w, model, k, p, columns); \
        columns_smoother(&x, eps, alpha, y);                           \
    } while (0)
    WITH_COLUMNS(SMOOTH, m)
#undef SMOOTH
}

/* Modal accelerations of body k: y = Z eps - Z er alpha + W zeta, where Z eps has come of the filter and zeta is what the smoother
 * makes at the motion that reaches the body, which has alpha with its own part. */
static inline void port_smoother(
    const soa_call *call, const vars *w, int k, const real *eps, motion reached, motion alpha, real *y)
{
    const soa_body_data *body = &call->model->body[k];
    const soa_modal_ports *p = ports_of(w, body);
    real by[6 + SOA_MAX_MODES], less[6];
    row_sum sum;
    if (!p) {
        modes_smoother(w, call->model, k, p, eps, reached, y);
        return;
    }
    real *zeta = port_forces(w, body, p);
    modes_smoother(w, call->model, k, p, zeta, reached, zeta);
    put_six((force){ alpha.w, alpha.v }, by);
    put_six((force){ vec3_neg(alpha.w), vec3_neg(alpha.v) }, less);
    memcpy(by + 6, zeta, (size_t)p->modes * sizeof *zeta);
    sum.from = numbers(eps);
    sum.terms = 1;
    sum.term[0] = (row_term){ &p->by_motion, numbers(by) };
    sum.rows = p->bent;
    sum.row = port_bent(w, body, p);
    sum.s = less;
    sum.part = p->part;
    row_make((size_t)body->nv, &sum, y);
}

/* The motion of the node that carries body k by zeta, which port_smoother has left in the place of the forces. */
KERNEL motion port_motion(const vars *w, const soa_model *m, int k, const soa_modal_ports *p)
{
    const carrier on = seat_carrier(w, m, k, NULL);
    const double *rows = rows_of_node(&on, &m->body[k], p);
    const real *zeta = port_forces(w, on.on, p);
    motion U;
#define ROWS_MOTION(columns) U = rows_motion(&on, columns, rows, zeta)
    WITH_COLUMNS(ROWS_MOTION, (size_t)p->modes)
#undef ROWS_MOTION
    return U;
}

#endif
