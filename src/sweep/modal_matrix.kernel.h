/* sweep/modal_matrix.kernel.h - the matrix by which the modes of a flexible link are eliminated, and what stands on its nodes.
 *
 * P_ee and P_er are those of the modes; or, where soa_body_rest.ports has them, of the few directions of modes that move what
 * stands on nodes, and port_modes.kernel.h eliminates the others.
 *
 * w->square has of each link a matrix by columns, soa_modal_rows apart, one per mode: rows 0 .. m - 1 are those of P_ee from
 * column_begin on, later those of L D, rows m .. m + 5 P_er, later G; then comes a row of D^-1. Before a link is eliminated
 * only er is there, and what shares a pack with it; ee is read in the model. */
#ifndef SOA_SWEEP_MODAL_MATRIX_KERNEL_H
#define SOA_SWEEP_MODAL_MATRIX_KERNEL_H

#include "sweep/flexible_inertia.kernel.h"

/* The rows of Pi of the node that carries body k, in the room of its slot. */
KERNEL real *port_motions(const vars *w, const soa_model *m, int k)
{
    return w->Pi + 6 * (size_t)m->body[k].slot * soa_modal_stride((size_t)m->most_modes);
}

/* ---- what is kept of a body --------------------------------------------------------------------- */

KERNEL seat_vars *seat_of(const vars *w, const soa_model *m, int k)
{
    return &w->seat[m->body[k].rest->seat];
}

/* The node that carries body k, in its seat; turn: NULL where nothing asks how it is turned. */
KERNEL carrier seat_carrier(const vars *w, const soa_model *m, int k, turn_vars *turn)
{
    const soa_body_rest *rest = m->body[k].rest;
    return node_of(&m->body[m->body[k].parent], rest->node, &seat_of(w, m, k)->node, turn, w->second + 3 * rest->port);
}

/* U, G, D^-1 of a joint: velocities of modes have none. */
KERNEL joint_inertias seat_inertias(const vars *w, const soa_body_data *body)
{
    const int i = body->v - body->rest->first;
    return (joint_inertias){ w->U + i, w->G + i, w->D_inv + i };
}

/* P of body k, while it is gathered. */
KERNEL articulated *inertia_of(const vars *w, const soa_model *m, int k)
{
    return &w->Q[m->body[k].slot];
}

/* ---- the matrix of a link ---------------------------------------------------------------------- */

/* Where soa_body_rest.ports of a link is to be used, or NULL. */
KERNEL const soa_modal_ports *ports_of(const vars *w, const soa_body_data *body)
{
    return w->whole ? NULL : body->rest->ports;
}

KERNEL real *modal_matrix(const vars *w, const soa_body_data *body)
{
    return w->square + (w->whole ? body->rest->square : body->rest->port_square);
}

/* P_er or G of mode j. */
KERNEL force modal_force(const vars *w, const soa_body_data *body, size_t j)
{
    const size_t m = (size_t)body->nv;
    return six_force(modal_matrix(w, body) + j * soa_modal_rows(m) + m);
}

/* The matrix of a link while it is eliminated. Each inertia P that stands on a node has six more columns S = (Pi, phi*) and six
 * rows F = -P Pi, as if they were eliminated before:
 *     P_ee = ee - sum of S F,  P_er = er - sum of S F */
typedef struct elimination {
    size_t m, rows;
    const double *ee;
    real *LD, *D_inv;
    const vars *w;
    const soa_model *model;
    int carried;   /* the first body that stands on a node; 0: none */
    bool ports;    /* the modes are those of soa_body_rest.ports */
    const real *S; /* of it */
    size_t S_apart;
} elimination;

/* How many columns the matrix of a body has. */
KERNEL size_t columns_of(const soa_body_data *body, const soa_modal_ports *ports)
{
    return (size_t)(ports ? ports->modes : body->nv);
}

/* Calls f(m). One node of a link that bends in a plane, in two planes, or that is also twisted and stretched has 2, 4 or 6
 * columns: as constants these take half the instructions. */
#define WITH_COLUMNS(f, m) \
    switch (m) {           \
    case 2:                \
        f(2);              \
        break;             \
    case 4:                \
        f(4);              \
        break;             \
    case 6:                \
        f(6);              \
        break;             \
    default:               \
        f(m);              \
    }

/* m: columns_of the body. */
KERNEL elimination elimination_of(
    const vars *w, const soa_model *model, int k, const soa_modal_ports *ports, const size_t m)
{
    const soa_body_data *body = &model->body[k];
    const size_t rows = soa_modal_rows(m);
    real *A = modal_matrix(w, body);
    return (elimination){ m, rows, ports ? ports->ee : body->rest->modal->ee, A, A + m * rows, w, model,
        body->rest->carried, ports != NULL, NULL, LANES == 1 ? rows : soa_modal_stride(m) };
}

/* ---- what stands on nodes -------------------------------------------------------------------- */

#if LANES > 1
/* er -= phi f, as S F of one state does it. */
KERNEL void er_inward(vec3 l, const real f[6], real er[6])
{
    er[0] = real_fnma(f[5], l.y, real_fma(f[4], l.z, er[0] - f[0]));
    er[1] = real_fma(f[5], l.x, real_fnma(f[3], l.z, er[1] - f[1]));
    er[2] = real_fnma(f[4], l.x, real_fma(f[3], l.y, er[2] - f[2]));
    for (size_t e = 3; e < 6; e++) {
        er[e] = er[e] - f[e];
    }
}
#endif

/* S of body k, which stands on a node, by its F: of one state behind F, of lanes Pi itself. */
KERNEL const real *carried_columns(const elimination *x, int k, const real *F)
{
    return LANES == 1 ? F + 6 * x->rows : port_motions(x->w, x->model, k);
}

/* The constant rows of a node that carries a body. */
KERNEL const double *rows_of_node(const carrier *c, const soa_body_data *body, bool ports)
{
    return ports ? body->rest->port_rows : c->at->rows;
}

/* Pi of the node that carries body k, as columns of what `ports` says. */
static inline void make_port_motions(const vars *w, const soa_model *m, int k, const soa_modal_ports *ports)
{
    const carrier on = seat_carrier(w, m, k, NULL);
    const double *rows = rows_of_node(&on, &m->body[k], ports);
#define NODE_ROWS(columns) node_rows(&on, columns, rows, port_motions(w, m, k))
    WITH_COLUMNS(NODE_ROWS, columns_of(on.on, ports))
#undef NODE_ROWS
}

/* p, of which the compiler knows nothing: there are more numbers than registers, so they are better read where they are used. */
KERNEL const real *read_again(const real *p)
{
#if defined(SOA_QUAD_AVX2) || defined(SOA_LANES_AVX2) || defined(SOA_LANES_AVX512)
    __asm__("" : "+r"(p));
#endif
    return p;
}

/* F of body k, which stands on a node, and of one state S; of lanes P_er gains -phi F here, which takes fewer operations. */
static inline void carried_rows(const elimination *x, int k, real *F)
{
    const size_t stride = soa_modal_stride(x->m);
    const real *Pi = port_motions(x->w, x->model, k);
    const real *P = (const real *)(const void *)&x->w->Y[x->model->body[k].slot];
    const vec3 l = seat_of(x->w, x->model, k)->node.l;
    for (size_t i = 0; i < x->m; i += PACK) {
        pack f[6], by[6];
        P = read_again(P);
        for (size_t e = 0; e < 6; e++) {
            by[e] = pack_get(Pi + e * stride + i);
            f[e] = pack_number(0.0);
#if LANES == 1
            pack_put(F + (6 + e) * x->rows + i, by[e]);
#endif
        }
        const unsigned still = LANES > 1 && x->ports ? x->model->body[k].rest->port_still[i] : 0;
#pragma GCC unroll 6
        for (size_t d = 0; d < 6; d++) {
            if (LANES > 1 && still >> d & 1) {
                continue;
            }
            for (size_t e = 0; e < 6; e++) {
                f[e] = pack_fnma(pack_all(P + soa_articulated_at[d][e]), by[d], f[e]);
            }
        }
        for (size_t e = 0; e < 6; e++) {
            pack_put(F + e * x->rows + i, f[e]);
        }
#if LANES > 1
        er_inward(l, f, x->LD + i * x->rows + x->m);
#endif
    }
#if LANES == 1
    const real inward[6][6] = { { 1.0 }, { 0.0, 1.0 }, { 0.0, 0.0, 1.0 }, { 0.0, l.z, -l.y, 1.0 },
        { -l.z, 0.0, l.x, 0.0, 1.0 }, { l.y, -l.x, 0.0, 0.0, 0.0, 1.0 } };
    for (size_t e = 0; e < 6; e++) {
        six_copy(inward[e], F + (6 + e) * x->rows + x->m);
    }
#endif
}

/* Rows Z bent, then rows W* bent, then rooms er* Z bent. */
KERNEL real *port_bent(const vars *w, const soa_body_data *body, const soa_modal_ports *p)
{
    return modal_matrix(w, body) + p->bent_at;
}

/* What of ee, m columns, shares a pack with P_er. */
KERNEL void matrix_edge(size_t m, const double *ee, real *A)
{
    const size_t edge = pack_begin(m);
    for (size_t j = 0; edge < m && j < m; j++) {
        pack_put(A + j * soa_modal_rows(m) + edge, pack_set(ee + j * soa_modal_stride(m) + edge));
    }
}

/* Where the rooms begin. */
KERNEL real *port_rooms(const vars *w, const soa_body_data *body, const soa_modal_ports *p)
{
    return modal_matrix(w, body) + p->room_at;
}

/* P_er = W* er, before what stands on nodes is gathered. */
KERNEL void port_er(const vars *w, const soa_body_data *body, const soa_modal_ports *p, const elimination *x)
{
    const size_t bent = (size_t)p->bent;
    const real *W_bent = port_bent(w, body, p) + bent * soa_modal_stride((size_t)body->nv);
    matrix_edge(x->m, x->ee, x->LD);
    for (size_t j = 0; j < x->m; j++) {
        real *er = x->LD + j * x->rows + x->m;
        six_set(p->er + 6 * j, er);
        for (size_t c = 0; c < bent; c++) {
            er[p->part[c]] = er[p->part[c]] + W_bent[c * soa_modal_stride(x->m) + j];
        }
    }
}

/* The matrix of the modes of body k, with what stands on its nodes. */
KERNEL elimination gather_modes(
    const vars *w, const soa_model *m, int k, const soa_modal_ports *ports, const size_t columns)
{
    elimination x = elimination_of(w, m, k, ports, columns);
    real *F = w->eliminated;
    if (ports) {
        port_er(w, &m->body[k], ports, &x);
    }
    x.S = x.carried > 0 ? carried_columns(&x, x.carried, F) : NULL;
    for (int c = x.carried; c > 0; c = m->body[c].rest->beside, F += 12 * x.rows) {
        carried_rows(&x, c, F);
    }
    return x;
}

#endif
