/* sweep/eliminate_modes.kernel.h - P_ee = L D L* and G = L^-1 P_er of a flexible link, in one matrix (modal_matrix.kernel.h). */
#ifndef SOA_SWEEP_ELIMINATE_MODES_KERNEL_H
#define SOA_SWEEP_ELIMINATE_MODES_KERNEL_H

#include "sweep/modal_matrix.kernel.h"

/* ---- P_ee and P_er ------------------------------------------------------------------------------ */

/* The first row of columns c and, if c is even, c + 1. */
KERNEL size_t column_begin(size_t c)
{
    return PACK > 1 ? pack_begin(c) : c / 2 * 2;
}

/* The end of the rows that S has: of lanes the rows of P_er are added when F is made, which takes fewer operations. */
KERNEL size_t carried_end(const elimination *x)
{
    return LANES == 1 ? x->m + 6 : x->m;
}

/* Some packs of one or two columns from c on. */
typedef struct column_packs {
    pack x[2][PACKS];
} column_packs;

/* y -= sum of n columns s times the numbers f of columns c and c + 1, times D^-1 if it is given. */
KERNEL void subtract_columns(const real *s, size_t s_apart, const real *f, size_t f_apart, const real *D_inv, size_t n,
    const size_t columns, const size_t packs, column_packs *y)
{
    for (size_t j = 0; j < n; j++, s += s_apart, f += f_apart) {
        pack by = pack_all(f), by1 = columns > 1 ? pack_all(f + 1) : by;
        if (D_inv) {
            by = pack_all(D_inv + j) * by;
            by1 = pack_all(D_inv + j) * by1;
        }
        for (size_t r = 0; r < packs; r++) {
            const pack column = pack_keep(pack_get(s + r * PACK));
            y->x[0][r] = pack_fnma(by, column, y->x[0][r]);
            y->x[1][r] = columns > 1 ? pack_fnma(by1, column, y->x[1][r]) : y->x[1][r];
        }
    }
}

/* P_ee and P_er: ee and er, and what is carried. */
KERNEL column_packs gathered_packs(
    const elimination *x, size_t c, const size_t columns, size_t first, const size_t packs)
{
    const size_t stride = soa_modal_stride(x->m);
    column_packs y;
    for (size_t r = 0; r < packs; r++) {
        const size_t row = first + r * PACK;
        const bool given = row < pack_begin(x->m);
        for (size_t e = 0; e < 2; e++) {
            const size_t j = e < columns ? c + e : c;
            y.x[e][r] = given ? pack_set(x->ee + j * stride + row) : pack_get(x->LD + j * x->rows + row);
        }
    }
    const real *F = x->w->eliminated, *S = x->S;
    for (int k = first < carried_end(x) ? x->carried : 0; k > 0; F += 12 * x->rows) {
        subtract_columns(S + first, x->S_apart, F + c, x->rows, NULL, 6, columns, packs, &y);
        k = x->model->body[k].rest->beside;
        S = k > 0 ? carried_columns(x, k, F + 12 * x->rows) : NULL;
    }
    return y;
}

/* P_ee and P_er into the matrix. */
static inline void put_gathered(const elimination *x)
{
    for (size_t c = 0; c < x->m; c++) {
#define ROWS(first, packs)                                             \
    const column_packs y = gathered_packs(x, c, 1, first, packs);      \
    for (size_t r = 0; r < (packs); r++) {                             \
        pack_put(x->LD + c * x->rows + (first) + r * PACK, y.x[0][r]); \
    }
        IN_PACKS(ROWS, column_begin(c), carried_end(x))
#undef ROWS
    }
}

/* ---- elimination of modes ------------------------------------------------------------------------ */

/* Row c + i of column c + e, of whose packs the first are given. */
KERNEL pack diagonal_pack(const column_packs *y, size_t c, const size_t e, const size_t i)
{
    return LANES == 1 ? pack_pick(y->x[e][0], c % PACK + i) : y->x[e][i];
}

/* The pivots from the first packs of their columns, before others are eliminated from them and after. Those of two columns
 * come from their determinant, so that one division need not wait for the other. */
KERNEL pack find_pivots(soa_call *call, const elimination *x, int k, size_t c, const size_t columns,
    const column_packs *before, const column_packs *y)
{
    const size_t last = columns - 1;
    const pack D = diagonal_pack(y, c, 0, 0), LD = diagonal_pack(y, c, 0, last), one = pack_number(1.0);
    const pack det = pack_fnma(LD, LD, diagonal_pack(y, c, last, last) * D), D_inv = pack_div(one, D);
    for (size_t e = 0; e < columns; e++) {
        const real whole = pack_first(diagonal_pack(before, c, e, e)), left = pack_first(e == 0 ? D : D_inv * det);
        call_require(call, real_less(PIVOT_TOLERANCE * real_abs(whole), left), k);
        x->D_inv[c + e] = pack_first(e == 0 ? D_inv : pack_div(D, det));
    }
    return D_inv * LD;
}

/* Some packs of one or two columns: L D = A - sum over j < c of L D(j) L(c,j). The first of them find L = L(c + 1,c). */
KERNEL void eliminate_packs(soa_call *call, const elimination *x, int k, size_t c, const size_t columns, size_t first,
    const size_t packs, pack *L)
{
    const column_packs before = gathered_packs(x, c, columns, first, packs);
    column_packs y = before;
    subtract_columns(x->LD + first, x->rows, x->LD + c, x->rows, x->D_inv, c, columns, packs, &y);
    if (packs >= columns && first == column_begin(c)) {
        *L = find_pivots(call, x, k, c, columns, &before, &y);
    }
    real *LD = x->LD + c * x->rows + first;
    for (size_t r = 0; r < packs; r++) {
        pack_put(LD + r * PACK, y.x[0][r]);
        if (columns > 1) {
            pack_put(LD + x->rows + r * PACK, pack_fnma(*L, y.x[0][r], y.x[1][r]));
        }
    }
}

/* One or two columns of L D L*. */
KERNEL void eliminate_columns(soa_call *call, const elimination *x, int k, size_t c, const size_t columns)
{
    pack L = pack_number(0.0);
#define ROWS(first, packs) eliminate_packs(call, x, k, c, columns, first, packs, &L)
    IN_PACKS(ROWS, column_begin(c), carried_end(x))
    IN_PACKS(ROWS, carried_end(x), x->m + 6)
#undef ROWS
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

/* to = P - sum over j of G(j) D^-1 G(j)* */
KERNEL void inertia_left(const elimination *x, const articulated *P, articulated *to)
{
#if LANES == 1 /* numbers 0 to 3 and 2 to 5 of each column */
    const quad zero = { 0.0 };
    quad low[3] = { zero, zero, zero }, high[6] = { zero, zero, zero, zero, zero, zero };
    for (size_t j = 0; j < x->m; j++) {
        const real *G = x->LD + j * x->rows + x->m;
        const quad D_inv = quad_all(x->D_inv + j), g = D_inv * pack_get(G), h = D_inv * pack_get(G + 2);
        for (int e = 0; e < 6; e++) {
            const quad all = quad_all(G + e);
            high[e] = pack_fnma(all, h, high[e]);
            if (e < 3) {
                low[e] = pack_fnma(all, g, low[e]);
            }
        }
    }
    real six[6];
    force left[6];
    for (int e = 0; e < 6; e++) {
        pack_put(six, e < 3 ? low[e] : high[e]);
        pack_put(six + 2, high[e]);
        left[e] = six_force(six);
    }
    *to = articulated_add(*P, articulated_of_columns(left));
#else
    articulated sum = articulated_zero();
    for (size_t j = 0; j < x->m; j++) {
        const force G = six_force(x->LD + j * x->rows + x->m);
        sum = articulated_sub_product(sum, G, force_scale(x->D_inv[j], G));
    }
    *to = articulated_add(*P, sum);
#endif
}

/* P_ee = L D L*, G = L^-1 P_er of body k, and what is left for the joint: P - G* D^-1 G. */
KERNEL void articulate_columns(
    soa_call *call, const vars *w, int k, const soa_modal_ports *ports, articulated *left, const size_t m)
{
    const elimination at = gather_modes(w, call->model, k, ports, m), *x = &at;
    size_t c = 0;
#pragma GCC unroll 3
    for (; c + 1 < m; c += 2) {
        eliminate_columns(call, x, k, c, 2);
    }
    if (c < m) {
        eliminate_columns(call, x, k, c, 1);
    }
    inertia_left(x, inertia_of(w, call->model, k), left);
}

static inline void modes_articulate(
    soa_call *call, const vars *w, int k, const soa_modal_ports *ports, articulated *left)
{
    const size_t m = columns_of(&call->model->body[k], ports);
#define ARTICULATE(columns) articulate_columns(call, w, k, ports, left, columns)
    WITH_COLUMNS(ARTICULATE, m);
#undef ARTICULATE
}

#endif
