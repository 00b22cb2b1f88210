/* flex/integrals.c - modal integrals.  [FLEXM]
 *
 * All of them are products C* M C of columns at the coordinates of the mass:
 *
 *     U_i          the modes
 *     v_q, w_q     rigid motion: along axis q, about axis q at the lever arms of the undeformed link
 *     d_iq         what mode i adds to w_q: e_q cross U_i
 *
 * and, with second-order displacements, of v_q and w_q with S_ij and e_q cross S_ij. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "flex/fe.h"

static const int pair_row[6] = { 0, 0, 0, 1, 1, 2 }, pair_column[6] = { 0, 1, 2, 1, 2, 2 }; /* xx xy xz yy yz zz */

/* Component d of e_q cross x. */
static double turned(int q, int d, const double *x)
{
    return d == (q + 1) % 3 ? -x[(q + 2) % 3] : d == (q + 2) % 3 ? x[(q + 1) % 3] : 0.0;
}

/* Columns in their order: U_0 .. U_(m-1), v_x v_y v_z, w_x w_y w_z, d_0x d_0y d_0z, d_1x ... */
typedef struct columns {
    int n, m, count;
    double *C;  /* count x n */
    double *G;  /* C* M C */
    double *Mv; /* M v_q, then M w_q: 6 x n */
} columns;

static double G(const columns *k, int a, int b)
{
    return k->G[(size_t)a * (size_t)k->count + (size_t)b];
}
static int col_v(const columns *k, int q)
{
    return k->m + q;
}
static int col_w(const columns *k, int q)
{
    return k->m + 3 + q;
}
static int col_d(const columns *k, int i, int q)
{
    return k->m + 6 + 3 * i + q;
}
static double *column(const columns *k, int a)
{
    return k->C + (size_t)a * (size_t)k->n;
}

/* ---- columns ---------------------------------------------------------------------------------------- */

/* Displacements of the points by the modes: points x m x 3. */
static double *displacements(soa_arena *arena, const soa_mass_points *p)
{
    double *u = soa_arena_take(arena, (size_t)p->points * (size_t)p->m * 3, sizeof *u);
    for (int c = 0; u && c < p->coordinates; c++) {
        for (int i = 0; i < p->m && p->direction[c] >= 3; i++) {
            u[((size_t)p->point[c] * (size_t)p->m + (size_t)i) * 3 + (size_t)p->direction[c] - 3] =
                p->U[(size_t)c * (size_t)p->m + (size_t)i];
        }
    }
    return u;
}

static void fill_columns(const soa_mass_points *p, const double *u, columns *k)
{
    for (int c = 0; c < p->coordinates; c++) {
        const int d = p->direction[c] - 3; /* negative: a rotation, which lever arms do not change */
        const double *r = p->position + 3 * (size_t)p->point[c];
        for (int i = 0; i < p->m; i++) {
            column(k, i)[c] = p->U[(size_t)c * (size_t)p->m + (size_t)i];
        }
        for (int q = 0; q < 3; q++) {
            column(k, col_v(k, q))[c] = d == q ? 1.0 : 0.0;
            column(k, col_w(k, q))[c] = d >= 0 ? turned(q, d, r) : d + 3 == q ? 1.0 : 0.0;
            for (int i = 0; i < p->m; i++) {
                const double *u_i = u + ((size_t)p->point[c] * (size_t)p->m + (size_t)i) * 3;
                column(k, col_d(k, i, q))[c] = d >= 0 ? turned(q, d, u_i) : 0.0;
            }
        }
    }
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

static bool make_columns(soa_arena *arena, const soa_mass_points *p, columns *k)
{
    k->n = p->coordinates;
    k->m = p->m;
    k->count = 4 * p->m + 6;
    const size_t n = (size_t)k->n, count = (size_t)k->count;
    double *y = soa_arena_take(arena, n, sizeof *y), *u = displacements(arena, p);
    k->C = soa_arena_take(arena, count * n, sizeof *k->C);
    k->G = soa_arena_take(arena, count * count, sizeof *k->G);
    k->Mv = soa_arena_take(arena, 6 * n, sizeof *k->Mv);
    if (arena->failed) {
        return false;
    }
    fill_columns(p, u, k);
    for (int a = 0; a < k->count; a++) {
        soa_sparse_apply(&p->M, column(k, a), y);
        for (int b = 0; b <= a; b++) {
            k->G[(size_t)a * count + (size_t)b] = k->G[(size_t)b * count + (size_t)a] = dot(k->n, column(k, b), y);
        }
        if (a >= k->m && a < k->m + 6) {
            memcpy(k->Mv + (size_t)(a - k->m) * n, y, n * sizeof *y);
        }
    }
    return true;
}

/* ---- what the columns say --------------------------------------------------------------------------- */

static void rigid_integrals(const columns *k, soa_flexible *f)
{
    f->mass = (G(k, col_v(k, 0), col_v(k, 0)) + G(k, col_v(k, 1), col_v(k, 1)) + G(k, col_v(k, 2), col_v(k, 2))) / 3.0;
    for (int q = 0; q < 3; q++) {
        const int a = (q + 1) % 3, b = (q + 2) % 3;
        f->first[q] = 0.5 * (G(k, col_w(k, b), col_v(k, a)) - G(k, col_w(k, a), col_v(k, b)));
    }
    for (int e = 0; e < 6; e++) {
        f->second[e] = G(k, col_w(k, pair_row[e]), col_w(k, pair_column[e]));
    }
}

static void modal_integrals(const columns *k, soa_flexible *f)
{
    const int m = k->m;
    double *ee = soa_numbers_of(f->ee), *ef = soa_numbers_of(f->ef), *en = soa_numbers_of(f->en);
    double *en1 = soa_numbers_of(f->en1), *second1 = soa_numbers_of(f->second1), *second2 = soa_numbers_of(f->second2);
    for (int i = 0; i < m; i++) {
        for (int q = 0; q < 3; q++) {
            ef[3 * i + q] = G(k, i, col_v(k, q));
            en[3 * i + q] = G(k, i, col_w(k, q));
        }
        for (int e = 0; e < 6; e++) {
            const int r = pair_row[e], c = pair_column[e];
            second1[6 * i + e] = G(k, col_w(k, r), col_d(k, i, c)) + G(k, col_w(k, c), col_d(k, i, r));
            for (int j = 0; j < m; j++) {
                second2[6 * (i * m + j) + e] =
                    G(k, col_d(k, i, r), col_d(k, j, c)) + G(k, col_d(k, i, c), col_d(k, j, r));
            }
        }
        for (int j = 0; j < m; j++) {
            ee[i * m + j] = i == j ? 1.0 : 0.0; /* modes are orthonormal */
            for (int q = 0; q < 3; q++) {
                en1[3 * (i * m + j) + q] = G(k, i, col_d(k, j, q));
            }
        }
    }
}

/* ef1_ij = v* M S_ij, en1_ij += w* M S_ij, second2_ij += w_r* M (e_c cross S_ij) + w_c* M (e_r cross S_ij) */
static void second_order_integrals(const soa_mass_points *p, const columns *k, soa_flexible *f)
{
    const size_t m = (size_t)k->m;
    double *ef1 = soa_numbers_of(f->ef1), *en1 = soa_numbers_of(f->en1), *second2 = soa_numbers_of(f->second2);
    for (int c = 0; c < k->n; c++) {
        const int d = p->direction[c] - 3;
        for (size_t ij = 0; d >= 0 && ij < m * m; ij++) {
            const double *S = p->S + ((size_t)p->point[c] * m * m + ij) * 3;
            for (int q = 0; q < 3; q++) {
                ef1[3 * ij + (size_t)q] += k->Mv[(size_t)q * (size_t)k->n + (size_t)c] * S[d];
                en1[3 * ij + (size_t)q] += k->Mv[(size_t)(3 + q) * (size_t)k->n + (size_t)c] * S[d];
            }
            for (int e = 0; e < 6; e++) {
                const int r = pair_row[e], s = pair_column[e];
                second2[6 * ij + (size_t)e] += k->Mv[(size_t)(3 + r) * (size_t)k->n + (size_t)c] * turned(s, d, S) +
                                               k->Mv[(size_t)(3 + s) * (size_t)k->n + (size_t)c] * turned(r, d, S);
            }
        }
    }
}

/* A mass that differs with the direction is no mass: something is missing from the matrix. */
#define SAME_MASS 1e-6

static soa_status check_mass(const columns *k, const soa_flexible *f, soa_error *error)
{
    if (!(f->mass > 0.0) || !isfinite(f->mass)) {
        return soa_fail(
            error, SOA_E_INERTIA, -1, "the mass of the model is %g kg; check the density and the mass matrix", f->mass);
    }
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            const double expected = a == b ? f->mass : 0.0, got = G(k, col_v(k, a), col_v(k, b));
            if (fabs(got - expected) <= SAME_MASS * f->mass) {
                continue;
            }
            return a == b
                       ? soa_fail(error, SOA_E_INERTIA, -1,
                             "the mass matrix gives %g, %g and %g kg along x, y and z; export the model free of "
                             "supports, with all displacements",
                             G(k, col_v(k, 0), col_v(k, 0)), G(k, col_v(k, 1), col_v(k, 1)),
                             G(k, col_v(k, 2), col_v(k, 2)))
                       : soa_fail(error, SOA_E_INERTIA, -1,
                             "the mass matrix couples %c and %c of the whole model by %g kg; look for entries that do "
                             "not belong there",
                             "xyz"[a], "xyz"[b], got);
        }
    }
    return SOA_OK;
}

soa_status soa_modal_integrals(
    soa_arena *arena, const soa_mass_points *points, soa_flexible_block *block, soa_error *error)
{
    columns k;
    if (!make_columns(arena, points, &k)) {
        return soa_fail_memory(error);
    }
    rigid_integrals(&k, &block->data);
    modal_integrals(&k, &block->data);
    if (points->S) {
        second_order_integrals(points, &k, &block->data);
    }
    const soa_status status = check_mass(&k, &block->data, error);
    soa_flexible_tidy(block);
    return status;
}
