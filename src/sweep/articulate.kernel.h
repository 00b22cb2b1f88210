/* sweep/articulate.kernel.h - what a joint makes of the articulated inertia P of its body.  [P]
 *
 *     U = P H*,  D = H U + armature,  G = U D^-1,  P+ = taubar P = P - G U*,  P(p) += phi P+ phi*
 *
 * Once per class of joint: about or along z (screw_*, whether it turns a constant), and any other, by its columns of
 * H*. Where P comes from, where the results are kept and how the joint is crossed is up to the sweep that calls.
 * With a rotor the parent gains phi P phi* - K D K*, K(p,k) = (phi U + gear) D^-1.  [GEAR] */
#ifndef SOA_SWEEP_ARTICULATE_KERNEL_H
#define SOA_SWEEP_ARTICULATE_KERNEL_H

#include "sweep/sweeps.kernel.h"

/* ---- joints about or along z ---------------------------------------------------------------- */

typedef struct screw_inertias {
    force U, G;
    real D_inv;
} screw_inertias;

/* U, D^-1, G of a joint that turns about z, or slides along it; armed: there may be armature. */
KERNEL screw_inertias screw_articulate(soa_call *call, int k, articulated P, const bool turns, const bool armed)
{
    const force U = turns ? articulated_column_wz(P) : articulated_column_vz(P);
    const sym3 block = turns ? P.A : P.C;
    const real HU = turns ? U.n.z : U.f.z, D = armed ? HU + call->model->body[k].armature : HU;
    call_require(call, real_less(PIVOT_TOLERANCE * real_abs(block.xx + block.yy), D), k);
    const real D_inv = real_div(real_set(1.0), D);
    return (screw_inertias){ U, force_scale(D_inv, U), D_inv };
}

/* P+ behind a joint about or along z without armature: nothing is left about z, or along it. */
KERNEL articulated screw_behind(articulated P, force U, force G, const bool turns)
{
    return turns ? articulated_downdate_revolute(P, U, G) : articulated_downdate_prismatic(P, U, G);
}

/* ---- any joint ------------------------------------------------------------------------------ */

/* Where U, G and D^-1 of a joint go: as many columns, and rows of D^-1, as it has velocities. */
typedef struct joint_inertias {
    force *U, *G;
    real (*D_inv)[D_COLUMNS];
} joint_inertias;

KERNEL joint_inertias kept_inertias(const vars *w, const soa_body_data *body)
{
    return (joint_inertias){ w->U + body->v, w->G + body->v, w->D_inv + body->v };
}

/* All six columns of P. */
KERNEL void articulated_columns(const articulated *P, force *U)
{
    const sym3 A = P->A, C = P->C;
    const mat3 B = P->B;
    U[0] = (force){ { A.xx, A.xy, A.xz }, { B.xx, B.xy, B.xz } };
    U[1] = (force){ { A.xy, A.yy, A.yz }, { B.yx, B.yy, B.yz } };
    U[2] = (force){ { A.xz, A.yz, A.zz }, { B.zx, B.zy, B.zz } };
    U[3] = (force){ { B.xx, B.yx, B.zx }, { C.xx, C.xy, C.xz } };
    U[4] = (force){ { B.xy, B.yy, B.zy }, { C.xy, C.yy, C.yz } };
    U[5] = (force){ { B.xz, B.yz, B.zz }, { C.xz, C.yz, C.zz } };
}

/* y = D^-1 x */
KERNEL void inverse_mul(real (*D_inv)[D_COLUMNS], int r, const real *x, real *y)
{
    for (int i = 0; i < r; i++) {
        real sum = D_inv[i][0] * x[0];
        for (int j = 1; j < r; j++) {
            sum = real_fma(D_inv[i][j], x[j], sum);
        }
        y[i] = sum;
    }
}

/* Y = X D^-1, by columns */
KERNEL void times_inverse(real (*D_inv)[D_COLUMNS], int r, const force *X, force *Y)
{
    for (int c = 0; c < r; c++) {
        force sum = force_scale(D_inv[0][c], X[0]);
        for (int i = 1; i < r; i++) {
            sum = force_scale_add(D_inv[i][c], X[i], sum);
        }
        Y[c] = sum;
    }
}

/* U, D^-1, G of a joint by its columns of H*. */
static inline void columns_articulate(soa_call *call, const vars *w, int k, const articulated *P, joint_inertias j)
{
    const soa_body_data *body = &call->model->body[k];
    const int r = body->nv;
    if (body->joint_class == SOA_CLASS_FREE) {
        articulated_columns(P, j.U);
    }
    for (int c = 0; c < r; c++) {
        if (body->joint_class != SOA_CLASS_FREE) {
            j.U[c] = articulated_mul(*P, w->H[body->v + c]);
        }
        real d[SOA_JOINT_MAX_NV];
        joint_force(w, body, j.U[c], d);
        for (int i = 0; i <= c; i++) {
            j.D_inv[c][i] = j.D_inv[i][c] = i == c ? d[i] + body->armature : d[i];
        }
    }
    invert_spd(call, k, r, j.D_inv);
    times_inverse(j.D_inv, r, j.U, j.G);
}

/* U, D^-1, G of any joint. */
KERNEL void articulate(soa_call *call, const vars *w, int k, const articulated *P, joint_inertias j)
{
    const soa_body_data *body = &call->model->body[k];
    if (soa_is_screw(body)) {
        const screw_inertias x = screw_articulate(call, k, *P, body->joint_class == SOA_CLASS_REVOLUTE, true);
        j.U[0] = x.U;
        j.G[0] = x.G;
        j.D_inv[0][0] = x.D_inv;
        return;
    }
    columns_articulate(call, w, k, P, j);
}

/* phi U + gear of a joint with a rotor, in the parent's frame.  [GEAR] */
KERNEL force geared_column(const pose *X, const soa_body_data *body, force U)
{
    U = phi(*X, U);
    U.n = vec3_add(U.n, vec3_set(body->rest->gear));
    return U;
}

KERNEL force gear_column(const vars *w, const soa_body_data *body, int k)
{
    return geared_column(&w->X[k], body, w->U[body->v]);
}

/* phi P phi* - K D K*, what the parent feels of P across the pose X; geared: geared_column, if there is a gear. */
KERNEL articulated felt_inboard(const pose *X, const soa_body_data *body, articulated P, joint_inertias j, force geared)
{
    if (body->geared) {
        return articulated_sub_outer(articulated_shift(*X, P), geared, j.D_inv[0][0]);
    }
    if (!body->motor && body->joint_class == SOA_CLASS_REVOLUTE) {
        return articulated_shift_revolute(*X, screw_behind(P, j.U[0], j.G[0], true));
    }
    if (!body->motor && body->joint_class == SOA_CLASS_PRISMATIC) {
        return articulated_shift_prismatic(*X, screw_behind(P, j.U[0], j.G[0], false));
    }
    for (int c = 0; c < body->nv; c++) {
        P = articulated_sub_product(P, j.G[c], j.U[c]);
    }
    return articulated_shift(*X, P);
}

/* ---- P, U, D^-1, G of every body --------------------------------------------------------------- */

/* P(p) gains phi P phi* - K D K*. */
KERNEL void articulated_step(soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const joint_inertias j = kept_inertias(w, body);
    articulate(call, w, k, &w->P[k], j);
    if (body->parent >= 0) {
        const force geared = body->geared ? gear_column(w, body, k) : force_zero();
        articulated *P = &w->P[body->parent];
        *P = articulated_add(*P, felt_inboard(&w->X[k], body, w->P[k], j, geared));
    }
}

static inline void articulated_sweep(soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        w->P[k] = articulated_from_rigid(rigid_set(m->body[k].inertia));
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        articulated_step(call, w, k);
    }
}

#endif
