/* sens/articulated_rates.kernel.h - the rates of the articulated quantities.
 *
 * Along a motion v, with dV = H* v in the axes of the body, phi' = phi S[dV], and a column of H* has the rate 0, or
 * -dV~ H* if it is fixed inboard. With U = P H* (in the parent's frame phi U + gear),
 *     P' of the parent gains phi (P' + S[dV] P - P dV~) phi* - (U D^-1 U* )'
 *     D' = H U' + H' U,  G' = (U' - G D') D^-1 */
#ifndef SOA_SENS_ARTICULATED_RATES_KERNEL_H
#define SOA_SENS_ARTICULATED_RATES_KERNEL_H

#include "sens/state_rows.kernel.h"
#include "sweep/filter.kernel.h"

/* What of a joint is kept, per velocity in vars.N: rows of dD/dt, L, dL/dt; U and dU/dt in the parent's frame. */
enum {
    KEPT_D_DOT = 0,
    KEPT_L = 6,
    KEPT_L_DOT = 12,
    KEPT_U = 18,
    KEPT_U_DOT = 24,
    KEPT_NU = 30, /* results, until all inputs have been read: outputs may be inputs */
    KEPT_MU = 31,
    KEPT = 32
};

typedef real joint_square[SOA_JOINT_MAX_NV][SOA_JOINT_MAX_NV];

KERNEL real *kept(const vars *w, int v, int what)
{
    return w->N + (size_t)v * KEPT + what;
}

KERNEL void keep_force(real *to, force f)
{
    to[0] = f.n.x, to[1] = f.n.y, to[2] = f.n.z;
    to[3] = f.f.x, to[4] = f.f.y, to[5] = f.f.z;
}

KERNEL force kept_force(const real *x)
{
    return (force){ { x[0], x[1], x[2] }, { x[3], x[4], x[5] } };
}

/* ---- 6 x 6 --------------------------------------------------------------------------------- */

/* Y + Y*, Y by columns. */
static inline articulated symmetric_of(const force *Y)
{
    return (articulated){
        { Y[0].n.x + Y[0].n.x, Y[1].n.x + Y[0].n.y, Y[2].n.x + Y[0].n.z, Y[1].n.y + Y[1].n.y, Y[2].n.y + Y[1].n.z,
            Y[2].n.z + Y[2].n.z },
        { Y[3].n.x + Y[0].f.x, Y[4].n.x + Y[0].f.y, Y[5].n.x + Y[0].f.z,   //
            Y[3].n.y + Y[1].f.x, Y[4].n.y + Y[1].f.y, Y[5].n.y + Y[1].f.z, //
            Y[3].n.z + Y[2].f.x, Y[4].n.z + Y[2].f.y, Y[5].n.z + Y[2].f.z },
        { Y[3].f.x + Y[3].f.x, Y[4].f.x + Y[3].f.y, Y[5].f.x + Y[3].f.z, Y[4].f.y + Y[4].f.y, Y[5].f.y + Y[4].f.z,
            Y[5].f.z + Y[5].f.z },
    };
}

/* S[z] P - P z~ */
static inline articulated turning_inertia(motion z, articulated P)
{
    force Y[6];
    articulated_columns(&P, Y);
    for (int i = 0; i < 6; i++) {
        Y[i] = force_cross(z, Y[i]);
    }
    return symmetric_of(Y);
}

/* P - a b* - b a* */
KERNEL articulated articulated_sub_both(articulated P, force a, force b)
{
    return articulated_sub_product(articulated_sub_product(P, a, b), b, a);
}

/* ---- one joint ------------------------------------------------------------------------------- */

/* The rate of column i of H*. */
KERNEL motion column_turning(const vars *w, const soa_body_data *body, motion dV, int i)
{
    return column_inboard(body, i) ? motion_neg(motion_cross(dV, joint_column(w, body, i))) : motion_zero();
}

/* L and dL/dt of D = L L*: L^-1 dD/dt L^-* = Y has dL/dt = L (lower half of Y, its diagonal halved). */
static inline void factor_joint(const vars *w, const soa_body_data *body, joint_square D)
{
    const int r = body->nv, v = body->v;
    for (int j = 0; j < r; j++) {
        for (int i = j; i < r; i++) {
            real s = D[i][j], t = kept(w, v + i, KEPT_D_DOT)[j];
            for (int c = 0; c < j; c++) {
                const real *Li = kept(w, v + i, KEPT_L), *Lj = kept(w, v + j, KEPT_L);
                const real *Mi = kept(w, v + i, KEPT_L_DOT), *Mj = kept(w, v + j, KEPT_L_DOT);
                s = real_fnma(Li[c], Lj[c], s);
                t = real_fnma(Mi[c], Lj[c], real_fnma(Li[c], Mj[c], t));
            }
            const real *L = kept(w, v + j, KEPT_L), *M = kept(w, v + j, KEPT_L_DOT);
            const real pivot = i == j ? real_sqrt(s) : L[j];
            kept(w, v + i, KEPT_L)[j] = i == j ? pivot : s / pivot;
            kept(w, v + i, KEPT_L_DOT)[j] =
                i == j ? t / (pivot + pivot) : (t - kept(w, v + i, KEPT_L)[j] * M[j]) / pivot;
        }
    }
}

/* U, as the articulated step left it, and dU/dt in the body's frame; dD/dt, L, dL/dt are kept. */
static inline void joint_changes(const soa_call *call, const vars *w, int k, motion dV, force *U, force *U_dot)
{
    const soa_body_data *body = &call->model->body[k];
    const int r = body->nv;
    joint_square D;
    for (int i = 0; i < r; i++) {
        real d[SOA_JOINT_MAX_NV];
        const motion H = joint_column(w, body, i), H_dot = column_turning(w, body, dV, i);
        U[i] = w->U[body->v + i];
        U_dot[i] = force_add(articulated_mul(w->Y[k], H), articulated_mul(w->P[k], H_dot));
        joint_force(w, body, U[i], d);
        for (int j = 0; j < r; j++) {
            D[j][i] = i == j ? d[j] + body->armature : d[j];
        }
    }
    for (int i = 0; i < r; i++) {
        const motion H = joint_column(w, body, i), H_dot = column_turning(w, body, dV, i);
        for (int j = 0; j < r; j++) {
            kept(w, body->v + i, KEPT_D_DOT)[j] = power(U[j], H_dot) + power(U_dot[j], H);
        }
    }
    factor_joint(w, body, D);
}

/* X - factor G dD/dt, by columns. */
KERNEL void less_turning(const vars *w, const soa_body_data *body, const force *G, double factor, force *X)
{
    for (int i = 0; i < body->nv; i++) {
        for (int j = 0; j < body->nv; j++) {
            X[i] = force_sub(X[i], force_scale(factor * kept(w, body->v + j, KEPT_D_DOT)[i], G[j]));
        }
    }
}

/* What the joint gives to dP/dt of its parent: d/dt (U D^-1 U*) = Z G* + G Z*, Z = dU/dt - G dD/dt / 2. */
static inline void give_change(const soa_call *call, const vars *w, int k, motion dV, force *U, force *U_dot)
{
    const soa_body_data *body = &call->model->body[k];
    force G[SOA_JOINT_MAX_NV];
    for (int i = 0; i < body->nv; i++) {
        U_dot[i] = phi(w->X[k], force_add(U_dot[i], force_cross(dV, U[i])));
        U[i] = body->geared ? geared_column(&w->X[k], body, U[i]) : phi(w->X[k], U[i]);
        keep_force(kept(w, body->v + i, KEPT_U), U[i]);
        keep_force(kept(w, body->v + i, KEPT_U_DOT), U_dot[i]);
    }
    times_inverse(w->D_inv + body->v, body->nv, U, G);
    less_turning(w, body, G, 0.5, U_dot);
    articulated rate = articulated_shift(w->X[k], articulated_add(w->Y[k], turning_inertia(dV, w->P[k])));
    for (int i = 0; i < body->nv; i++) {
        rate = articulated_sub_both(rate, U_dot[i], G[i]);
    }
    w->Y[body->parent] = articulated_add(w->Y[body->parent], rate);
}

/* ---- outputs ----------------------------------------------------------------------------------- */

KERNEL void put_force(const soa_call *call, soa_out out, size_t at, force f)
{
    out_vec3(call, out, at, f.n);
    out_vec3(call, out, at + 3, f.f);
}

/* dP/dt in the link's frame, row by row. */
static inline void put_inertia_rate(const soa_call *call, const vars *w, int k)
{
    const pose at_link = pose_set(&call->model->body[k].rest->frame);
    for (int j = 0; j < 6; j++) {
        const force column = phi_inv(at_link, articulated_mul(w->Y[k], phi_t_inv(at_link, motion_unit(j))));
        const real x[6] = { column.n.x, column.n.y, column.n.z, column.f.x, column.f.y, column.f.z };
        for (int i = 0; i < 6; i++) {
            out_put(call, call->y, (size_t)(36 * k + 6 * i + j), x[i]);
        }
    }
}

/* dD/dt and dG/dt of a joint, U and dU/dt in the body's frame. */
static inline void put_joint_rates(const soa_call *call, const vars *w, int k, const force *U, const force *U_dot)
{
    const soa_body_data *body = &call->model->body[k];
    const pose at_link = pose_set(&body->rest->frame);
    force G[SOA_JOINT_MAX_NV], change[SOA_JOINT_MAX_NV], G_dot[SOA_JOINT_MAX_NV];
    for (int i = 0; i < body->nv; i++) {
        change[i] = U_dot[i];
        for (int j = 0; call->y2.at && j < SOA_JOINT_MAX_NV; j++) {
            const real x = j < body->nv ? kept(w, body->v + i, KEPT_D_DOT)[j] : real_set(0.0);
            out_put(call, call->y2, (size_t)(6 * (body->v + i) + j), x);
        }
    }
    times_inverse(w->D_inv + body->v, body->nv, U, G);
    less_turning(w, body, G, 1.0, change);
    times_inverse(w->D_inv + body->v, body->nv, change, G_dot);
    for (int i = 0; call->y3.at && i < body->nv; i++) {
        put_force(call, call->y3, (size_t)(6 * (body->v + i)), phi_inv(at_link, G_dot[i]));
    }
}

/* ---- sweeps -------------------------------------------------------------------------------------- */

/* Inward: P, U, G, D^-1, and their changes along v; those that are wanted go out. */
static inline void change_sweep(soa_call *call, const vars *w, bool put)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        w->P[k] = articulated_from_rigid(rigid_set(m->body[k].inertia));
        w->Y[k] = articulated_zero();
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &m->body[k];
        real beta[SOA_JOINT_MAX_NV];
        force U[SOA_JOINT_MAX_NV], U_dot[SOA_JOINT_MAX_NV];
        joint_in(call, call->v, body->v, body->nv, beta);
        const motion dV = joint_motion(w, body, beta);
        articulated_step(call, w, k);
        joint_changes(call, w, k, dV, U, U_dot);
        if (put && call->y.at) {
            put_inertia_rate(call, w, k);
        }
        if (put) {
            put_joint_rates(call, w, k, U, U_dot);
        }
        if (body->parent >= 0) {
            give_change(call, w, k, dV, U, U_dot);
        }
    }
}

/* q, v; y = dP/dt, 36 per body, y2 = dD/dt, y3 = dG/dt, 6 per velocity each; or none. */
static void articulated_rates(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    position_sweep(call, &w);
    change_sweep(call, &w, true);
}

#endif
