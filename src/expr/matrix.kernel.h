/* expr/matrix.kernel.h - matrices between all bodies by recursions along their columns.
 *
 *     phi M phi* = R + phi~ R + R phi~*                                              [I2]
 *     Omega = Ups + psi~* Ups + Ups psi~ + X, X between branches                     [I11]
 *
 * A column of body j is R(j) or Ups psi along the path to the base; for Omega it goes
 * from there outward by psi*. Rows and columns are in the axes of the link frames. */
#ifndef SOA_EXPR_MATRIX_KERNEL_H
#define SOA_EXPR_MATRIX_KERNEL_H

#include "sweep/upsilon.kernel.h"

#if LANES == 1
/* Rows of body k in column c. */
static void put_rows(const soa_call *call, int k, int c, vec3 angular, vec3 linear)
{
    const size_t n = 6 * (size_t)call->model->bodies;
    double *at = call->y.at + 6 * (size_t)k * n + (size_t)c;
    const double x[6] = { angular.x, angular.y, angular.z, linear.x, linear.y, linear.z };
    for (size_t i = 0; i < 6; i++) {
        at[i * n] = x[i];
    }
}

/* Column c of phi M phi*: R on body j, then inward. Its mirror image too. */
static void rigid_column(const soa_call *call, const vars *w, int j, int c)
{
    const soa_model *m = call->model;
    const size_t n = 6 * (size_t)m->bodies;
    const motion e = phi_t_inv(pose_set(&m->body[j].rest->frame), motion_unit(c % 6));
    force f = rigid_mul(w->R[j], e);
    for (int k = j; k >= 0; k = m->body[k].parent) {
        const force y = phi_inv(pose_set(&m->body[k].rest->frame), f);
        put_rows(call, k, c, y.n, y.f);
        for (size_t i = 0; k != j && i < 6; i++) {
            call->y.at[(size_t)c * n + 6 * (size_t)k + i] = call->y.at[(6 * (size_t)k + i) * n + (size_t)c];
        }
        f = phi(w->X[k], f);
    }
}

/* Column c of Omega: V = Ups z on the path of j, z = psi z; then outward. */
static void omega_column(const soa_call *call, const vars *w, int j, int c)
{
    const soa_model *m = call->model;
    const motion e = motion_unit(c % 6);
    force z = phi(pose_set(&m->body[j].rest->frame), (force){ e.w, e.v });
    for (int k = 0; k < m->bodies; k++) {
        w->path[k] = 0;
    }
    for (int k = j; k >= 0; k = m->body[k].parent) {
        w->path[k] = 1;
        w->alpha[k] = Ups_mul(w->Y[k], z);
        z = m->body[k].parent < 0 ? z : psi(w, &m->body[k], k, z);
    }
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        if (!w->path[k]) {
            w->alpha[k] = body->parent < 0 ? motion_zero() : psi_t(w, body, k, w->alpha[body->parent]);
        }
        const motion V = phi_t(pose_set(&body->rest->frame), w->alpha[k]);
        put_rows(call, k, c, V.w, V.v);
    }
}

/* q; y = phi M phi*, or with option 1 Omega: 6 bodies square. */
static void body_matrix(soa_call *call)
{
    const vars w = vars_of(call);
    const int n = 6 * call->model->bodies;
    call_begin(call);
    position_sweep(call, &w);
    if (call->option) {
        articulated_sweep(call, &w);
        upsilon_sweep(call, &w);
    } else {
        composite_sweep(call, &w);
        memset(call->y.at, 0, (size_t)n * (size_t)n * sizeof(double));
    }
    for (int c = 0; c < n; c++) {
        (call->option ? omega_column : rigid_column)(call, &w, c / 6, c);
    }
}
#endif

#endif
