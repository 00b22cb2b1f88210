/* expr/inertia_rates.kernel.h - derivatives of P, R and Ups along coordinates.
 *
 * With Z = P H*, Y = phi Z + gear in the parent's frame, D = H Z + Arm and K = Y D^-1, by products as
 * joint_rates.kernel.h has them:
 *     P(p)   = M(p) + sum of phi P phi* - K Y*              R the same without K Y*
 *     psi    = phi - K H
 *     Ups(k) = psi* Ups(p) psi + H* D^-1 H
 * P and R of a body change with the joints outboard of it alone: of the bodies on it only one counts, but in time all do. */
#ifndef SOA_EXPR_INERTIA_RATES_KERNEL_H
#define SOA_EXPR_INERTIA_RATES_KERNEL_H

#include "expr/joint_rates.kernel.h"

KERNEL articulated *inertias_of(const machine *m, int step)
{
    return (articulated *)(void *)numbers_of(m, step);
}

/* P, R or Ups of a body along the mask: `itself`, or a step of derivatives. */
KERNEL articulated part_along(const machine *m, const int step[MASKS], int k, int mask, articulated itself)
{
    return mask == NEITHER ? itself : inertias_of(m, step[mask])[k];
}

/* ---- a joint ---------------------------------------------------------------------------------------- */

typedef real joint_matrix[SOA_JOINT_MAX_NV][SOA_JOINT_MAX_NV];

typedef struct joint_rates {
    force Y[MASKS][SOA_JOINT_MAX_NV], K[MASKS][SOA_JOINT_MAX_NV];
    joint_matrix D[MASKS], D_inv[MASKS];
} joint_rates;

/* Y and D along the mask, from Z along all that is in it. */
static inline void set_Y_and_D(
    const machine *m, const soa_step *i, int k, int mask, force (*Z)[SOA_JOINT_MAX_NV], joint_rates *r)
{
    BODY;
    for (int c = 0; c < body->nv; c++) {
        force y = force_zero();
        for (SUBSETS(part, mask)) {
            y = force_add(y, turned_force(m, i, k, part, Z[mask - part][c]));
        }
        r->Y[mask][c] = phi(m->w->X[k], y);
        if (mask == NEITHER && body->geared) {
            r->Y[mask][c].n = vec3_add(r->Y[mask][c].n, vec3_set(body->rest->gear));
        }
        for (int a = 0; a < body->nv; a++) {
            r->D[mask][a][c] = real_set(0.0);
            for (SUBSETS(part, mask)) {
                r->D[mask][a][c] = r->D[mask][a][c] + power(Z[mask - part][c], column_along(m, i, k, a, part));
            }
        }
    }
}

/* C = C + factor A B */
KERNEL void add_product(int n, double factor, joint_matrix A, joint_matrix B, joint_matrix C)
{
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
            for (int c = 0; c < n; c++) {
                C[a][b] = real_fma(factor * A[a][c], B[c][b], C[a][b]);
            }
        }
    }
}

/* D^-1 along the mask: -D^-1 (sum of D_T D^-1_U but that of D^-1 itself). */
static inline void set_D_inv(const machine *m, int k, int mask, joint_rates *r)
{
    BODY;
    const int n = body->nv;
    joint_matrix sum;
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
            sum[a][b] = real_set(0.0);
            r->D_inv[mask][a][b] = mask == NEITHER ? m->w->D_inv[body->v + a][b] : real_set(0.0);
        }
    }
    if (mask != NEITHER) {
        for (SUBSETS(part, mask)) {
            if (part != NEITHER) {
                add_product(n, 1.0, r->D[part], r->D_inv[mask - part], sum);
            }
        }
        add_product(n, -1.0, r->D_inv[NEITHER], sum, r->D_inv[mask]);
    }
}

/* Y, D, D^-1 and K along all subsets of the coordinates. */
static inline void joint_rates_of(const machine *m, const soa_step *i, int k, const int P[MASKS], joint_rates *r)
{
    BODY;
    force Z[MASKS][SOA_JOINT_MAX_NV];
    for (int mask = 0; mask <= all_along(i); mask++) {
        for (int c = 0; c < body->nv; c++) {
            Z[mask][c] = force_zero();
            for (SUBSETS(part, mask)) {
                const articulated P_part = part_along(m, P, k, part, m->w->P[k]);
                Z[mask][c] = force_add(Z[mask][c], articulated_mul(P_part, column_along(m, i, k, c, mask - part)));
            }
        }
        set_Y_and_D(m, i, k, mask, Z, r);
        set_D_inv(m, k, mask, r);
        for (int c = 0; c < body->nv; c++) {
            r->K[mask][c] = force_zero();
            for (SUBSETS(part, mask)) {
                for (int a = 0; a < body->nv; a++) {
                    r->K[mask][c] = force_scale_add(r->D_inv[part][a][c], r->Y[mask - part][a], r->K[mask][c]);
                }
            }
        }
    }
}

/* ---- P and R -------------------------------------------------------------------------------------------- */

/* phi P phi* along the coordinates, P that of body j. */
static inline articulated shifted_along(
    const machine *m, const soa_step *i, int j, const int P[MASKS], articulated itself)
{
    articulated sum = articulated_zero();
    for (int n = 0; n < 6; n++) {
        force column = force_zero();
        for (SUBSETS(right, all_along(i))) {
            const motion e = turned_motion(m, i, j, right, motion_unit(n));
            for (SUBSETS(middle, all_along(i) - right)) {
                const force f = articulated_mul(part_along(m, P, j, middle, itself), e);
                column = force_add(column, turned_force(m, i, j, all_along(i) - right - middle, f));
            }
        }
        Ups_set_column(&sum, n, (motion){ column.n, column.f });
    }
    return articulated_shift(m->w->X[j], sum);
}

/* What body j gives to P of its parent, or to R, along the coordinates. */
static inline articulated given_along(const machine *m, const soa_step *i, int j, const int P[MASKS], bool articulates)
{
    const soa_body_data *child = &m->call->model->body[j];
    const articulated itself = articulates ? m->w->P[j] : articulated_from_rigid(m->w->R[j]);
    articulated sum = shifted_along(m, i, j, P, itself);
    if (!articulates) {
        return sum;
    }
    joint_rates r;
    joint_rates_of(m, i, j, P, &r);
    for (SUBSETS(part, all_along(i))) {
        for (int c = 0; c < child->nv; c++) {
            const force K = r.K[part][c], Y = r.Y[all_along(i) - part][c];
            sum.A = sym3_sub_outer(sum.A, K.n, Y.n);
            sum.B = mat3_sub_outer(sum.B, K.n, Y.f);
            sum.C = sym3_sub_outer(sum.C, K.f, Y.f);
        }
    }
    return sum;
}

static inline articulated inertia_along(const machine *m, const soa_step *i, int k, bool articulates)
{
    int P[MASKS] = { -1, i->y, i->y, i->y };
    for (int n = 0; n < i->count; n++) {
        P[n == 0 ? FIRST : SECOND] = i->input[n];
    }
    articulated sum = articulated_zero();
    for (CHILDREN) {
        if (lie(m, i, j, all_along(i), SOA_CARRIES)) {
            const articulated one = given_along(m, i, j, P, articulates);
            if (!in_time(m, i)) {
                return one;
            }
            sum = articulated_add(sum, one);
        }
    }
    return sum;
}

/* ---- Ups --------------------------------------------------------------------------------------------------- */

/* psi(p,k) f along the mask, in the parent's frame. */
static inline force psi_along(const machine *m, const soa_step *i, int k, int mask, const joint_rates *r, force f)
{
    BODY;
    force y = phi(m->w->X[k], turned_force(m, i, k, mask, f));
    for (SUBSETS(part, mask)) {
        for (int c = 0; c < body->nv; c++) {
            const real Hf = power(f, column_along(m, i, k, c, mask - part));
            y = force_sub(y, force_scale(Hf, r->K[part][c]));
        }
    }
    return y;
}

/* psi*(p,k) V along the mask, V at the parent. */
static inline motion psi_t_along(const machine *m, const soa_step *i, int k, int mask, const joint_rates *r, motion V)
{
    BODY;
    motion y = turned_motion(m, i, k, mask, phi_t(m->w->X[k], V));
    for (SUBSETS(part, mask)) {
        for (int c = 0; c < body->nv; c++) {
            y = motion_sub(y, motion_scale(power(r->K[part][c], V), column_along(m, i, k, c, mask - part)));
        }
    }
    return y;
}

/* H* D^-1 H f along all coordinates. */
static inline motion yielding_along(const machine *m, const soa_step *i, int k, const joint_rates *r, force f)
{
    BODY;
    motion y = motion_zero();
    for (SUBSETS(right, all_along(i))) {
        for (SUBSETS(middle, all_along(i) - right)) {
            const int left = all_along(i) - right - middle;
            for (int a = 0; a < body->nv; a++) {
                for (int b = 0; b < body->nv; b++) {
                    const real nu = r->D_inv[middle][a][b] * power(f, column_along(m, i, k, b, right));
                    y = motion_scale_add(nu, column_along(m, i, k, a, left), y);
                }
            }
        }
    }
    return y;
}

static inline articulated upsilon_along(const machine *m, const soa_step *i, int k)
{
    BODY;
    const bool twice = i->along.count == 2;
    const int P[MASKS] = { -1, i->input[0], i->input[twice ? 1 : 0], i->input[twice ? 2 : 0] };
    const int Ups[MASKS] = { -1, twice ? i->input[3] : i->y, twice ? i->input[4] : i->y, i->y };
    joint_rates r;
    joint_rates_of(m, i, k, P, &r);
    articulated sum = articulated_zero();
    for (int n = 0; n < 6; n++) {
        const motion e = motion_unit(n);
        motion column = yielding_along(m, i, k, &r, (force){ e.w, e.v });
        for (SUBSETS(right, all_along(i))) {
            const int rest = all_along(i) - right;
            const force z = body->parent < 0 ? force_zero() : psi_along(m, i, k, right, &r, (force){ e.w, e.v });
            for (SUBSETS(middle, rest)) {
                if (body->parent >= 0) {
                    const articulated there = part_along(m, Ups, body->parent, middle, m->w->Y[body->parent]);
                    column = motion_add(column, psi_t_along(m, i, k, rest - middle, &r, Ups_mul(there, z)));
                }
            }
        }
        Ups_set_column(&sum, n, column);
    }
    return sum;
}

#endif
