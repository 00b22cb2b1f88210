/* sweep/eliminate_modes.kernel.h - P_ee = L D L* and G = L^-1 P_er of a flexible link, in one matrix.
 *
 * w->square has of each link a matrix by columns, soa_modal_rows apart, one per mode: rows 0 .. m - 1 are those of P_ee from
 * the diagonal on, later those of L D, rows m .. m + 5 P_er, later G; then comes a row of D^-1. w->eliminated has columns of
 * L, while a link is eliminated. */
#ifndef SOA_SWEEP_ELIMINATE_MODES_KERNEL_H
#define SOA_SWEEP_ELIMINATE_MODES_KERNEL_H

#include "sweep/flexible_inertia.kernel.h"

/* ---- the matrix of a link ---------------------------------------------------------------------- */

KERNEL real *modal_matrix(const vars *w, const soa_body_data *body)
{
    return w->square + body->rest->modal->square;
}

/* P_er or G of mode j. */
KERNEL force modal_force(const vars *w, const soa_body_data *body, size_t j)
{
    const size_t m = (size_t)body->nv;
    return six_force(modal_matrix(w, body) + j * soa_modal_rows(m) + m);
}

/* ---- elimination of modes ------------------------------------------------------------------------ */

/* The matrix of a link while it is eliminated: columns of L D, and beside them columns of L. */
typedef struct elimination {
    size_t m, rows;
    real *LD, *L;
    real *D_inv;
} elimination;

KERNEL elimination elimination_of(const vars *w, const soa_body_data *body)
{
    const size_t m = (size_t)body->nv, rows = soa_modal_rows(m);
    real *A = modal_matrix(w, body);
    return (elimination){ m, rows, A, w->eliminated, A + m * rows };
}

/* Rows from `first` on of column c: A(r,c) -= sum_j<c LD(r,j) L(c,j) */
KERNEL void eliminate_packs(const elimination *x, size_t c, size_t first, const size_t packs)
{
    const size_t rows = x->rows;
    const real *LD = x->LD + first, *L = x->L + c, *end = L + c * rows;
    real *A = x->LD + c * rows + first;
    pack sum[PACKS];
    for (size_t r = 0; r < packs; r++) {
        sum[r] = pack_get(A + r * PACK);
    }
    for (; L < end; L += rows, LD += rows) {
        const pack all = pack_all(L);
        for (size_t r = 0; r < packs; r++) {
            sum[r] = pack_fnma(all, pack_get(LD + r * PACK), sum[r]);
        }
    }
    for (size_t r = 0; r < packs; r++) {
        pack_put(A + r * PACK, sum[r]);
    }
}

/* Column c of L D L*: D^-1 and L = L D / D. Of its pack, what stands above the diagonal, and D, become zero. */
KERNEL void eliminate_column(soa_call *call, const elimination *x, int k, size_t c)
{
    real *A = x->LD + c * x->rows, *L = x->L + c * x->rows;
    const size_t top = pack_begin(c), end = x->m + 6;
    const real whole = A[c];
#define ROWS(first, packs) eliminate_packs(x, c, first, packs)
    IN_PACKS(ROWS, top, end)
#undef ROWS
    const real D = A[c];
    call_require(call, real_less(PIVOT_TOLERANCE * real_abs(whole), D), k);
    x->D_inv[c] = 1.0 / D;
    const pack all = pack_all(x->D_inv + c);
    for (size_t r = top; r < end; r += PACK) {
        pack_put(L + r, all * pack_get(A + r));
    }
#if LANES == 1
    static const double below[7] = { 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0 };
    pack_put(A + top, pack_get(A + top) * pack_get(below + 3 - c % PACK));
#endif
}

/* P from its columns, of which the upper halves of the last three are not read. */
KERNEL articulated articulated_of_columns(const force *U)
{
    return (articulated){
        { U[0].n.x, U[0].n.y, U[0].n.z, U[1].n.y, U[1].n.z, U[2].n.z },
        { U[0].f.x, U[0].f.y, U[0].f.z, U[1].f.x, U[1].f.y, U[1].f.z, U[2].f.x, U[2].f.y, U[2].f.z },
        { U[3].f.x, U[3].f.y, U[3].f.z, U[4].f.y, U[4].f.z, U[5].f.z },
    };
}

/* P - sum over j of G(j) D^-1 G(j)* */
KERNEL articulated inertia_left(const elimination *x, const articulated *P)
{
    force left[6];
    articulated_columns(P, left);
#if LANES == 1 /* numbers 0 to 3 and 2 to 5 of each column */
    real six[6];
    quad low[3], high[6];
    for (int e = 0; e < 6; e++) {
        put_six(left[e], six);
        high[e] = pack_get(six + 2);
        if (e < 3) {
            low[e] = pack_get(six);
        }
    }
    for (size_t j = 0; j < x->m; j++) {
        const real *G = x->LD + j * x->rows + x->m, *L = x->L + j * x->rows + x->m;
        const quad g = pack_get(G), h = pack_get(G + 2);
        for (int e = 0; e < 6; e++) {
            const quad all = quad_all(L + e);
            high[e] = quad_fnma(all, h, high[e]);
            if (e < 3) {
                low[e] = quad_fnma(all, g, low[e]);
            }
        }
    }
    for (int e = 0; e < 6; e++) {
        pack_put(six, e < 3 ? low[e] : high[e]);
        pack_put(six + 2, high[e]);
        left[e] = six_force(six);
    }
    return articulated_of_columns(left);
#else
    articulated sum = *P;
    for (size_t j = 0; j < x->m; j++) {
        const size_t at = j * x->rows + x->m;
        sum = articulated_sub_product(sum, six_force(x->L + at), six_force(x->LD + at));
    }
    return sum;
#endif
}

/* P_ee = L D L*, G = L^-1 P_er; returns P - G* D^-1 G, what is left for the joint. */
static inline articulated modes_articulate(soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    if (body->nv == 0) {
        return w->P[k];
    }
    const elimination x = elimination_of(w, body);
    for (size_t c = 0; c < x.m; c++) {
        eliminate_column(call, &x, k, c);
    }
    return inertia_left(&x, &w->P[k]);
}

#endif
