/* sweep/upsilon.kernel.h - Upsilon, column by column: Ups(k) = psi*(p,k) Ups(p) psi(p,k) + H*(k) D^-1(k) H(k).  [UPS]
 *
 * Ups(k) = Omega(k,k) takes a force on body k to the acceleration it gives the
 * body. It is kept like P: w = A n + B f, v = B* n + C f. */
#ifndef SOA_SWEEP_UPSILON_KERNEL_H
#define SOA_SWEEP_UPSILON_KERNEL_H

#include "sweep/apply.kernel.h"

/* Column i of the 6x6 matrix set to V; of the symmetric blocks the upper half. */
KERNEL void Ups_set_column(articulated *Y, int i, motion V)
{
    switch (i) {
    case 0:
        Y->A.xx = V.w.x;
        break;
    case 1:
        Y->A.xy = V.w.x;
        Y->A.yy = V.w.y;
        break;
    case 2:
        Y->A.xz = V.w.x;
        Y->A.yz = V.w.y;
        Y->A.zz = V.w.z;
        break;
    case 3:
        Y->B.xx = V.w.x;
        Y->B.yx = V.w.y;
        Y->B.zx = V.w.z;
        Y->C.xx = V.v.x;
        break;
    case 4:
        Y->B.xy = V.w.x;
        Y->B.yy = V.w.y;
        Y->B.zy = V.w.z;
        Y->C.xy = V.v.x;
        Y->C.yy = V.v.y;
        break;
    default:
        Y->B.xz = V.w.x;
        Y->B.yz = V.w.y;
        Y->B.zz = V.w.z;
        Y->C.xz = V.v.x;
        Y->C.yz = V.v.y;
        Y->C.zz = V.v.z;
        break;
    }
}

/* [psi*(p,k) Ups(p) psi(p,k) + H*(k) D^-1(k) H(k)] f */
static inline motion Ups_image(const soa_call *call, const vars *w, int k, force f)
{
    const soa_body_data *body = &call->model->body[k];
    real Hf[SOA_JOINT_MAX_NV], nu[SOA_JOINT_MAX_NV];
    joint_force(w, body, f, Hf);
    D_inv_mul(w, body, Hf, nu);
    const motion own = joint_motion(w, body, nu);
    if (body->parent < 0) {
        return own;
    }
    return motion_add(psi_t(w, body, k, Ups_mul(w->Y[body->parent], psi(w, body, k, f))), own);
}

#endif
