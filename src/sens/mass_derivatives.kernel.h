/* sens/mass_derivatives.kernel.h - derivatives of the mass matrix of one state.  [DM]
 *
 * For x < y <= c on a path (tensor.kernel.h):
 *     dMass(x,c)/dq_y = J_x . S[J_y] U_c,   dMass(x,y)/dq_c = J_x . R'(c) J_y,
 * R'(c) = S[J_c] R(c) - R(c) J_c~: an inertia without mass, h' = w x h + m v and
 * J' = w~ J - J w~ - v~ h~ - h~ v~. */
#ifndef SOA_SENS_MASS_DERIVATIVES_KERNEL_H
#define SOA_SENS_MASS_DERIVATIVES_KERNEL_H

#include "sens/tensor.kernel.h"

/* R' of the inertia that moves with J. */
KERNEL rigid rigid_moved(rigid R, motion J)
{
    const sym3 I = R.J;
    const vec3 w = J.w, v = J.v, h = R.h;
    /* rows of w~ I; I' = w~ I + (w~ I)* + 2 (v . h) - h v* - v h* */
    const real xx = real_fma(w.y, I.xz, -(w.z * I.xy)), xy = real_fma(w.y, I.yz, -(w.z * I.yy));
    const real xz = real_fma(w.y, I.zz, -(w.z * I.yz)), yx = real_fma(w.z, I.xx, -(w.x * I.xz));
    const real yy = real_fma(w.z, I.xy, -(w.x * I.yz)), yz = real_fma(w.z, I.xz, -(w.x * I.zz));
    const real zx = real_fma(w.x, I.xy, -(w.y * I.xx)), zy = real_fma(w.x, I.yy, -(w.y * I.xy));
    const real zz = real_fma(w.x, I.yz, -(w.y * I.xz));
    const vec3 a = { h.x * v.x, h.y * v.y, h.z * v.z };
    return (rigid){
        real_set(0.0),
        vec3_cross_add(w, h, vec3_scale(R.m, v)),
        {
            2.0 * (xx + (a.y + a.z)),
            (xy + yx) - real_fma(h.x, v.y, v.x * h.y),
            (xz + zx) - real_fma(h.x, v.z, v.x * h.z),
            2.0 * (yy + (a.x + a.z)),
            (yz + zy) - real_fma(h.y, v.z, v.y * h.z),
            2.0 * (zz + (a.x + a.y)),
        },
    };
}

/* S[J_y] U_c and R'(c) J_y for all y up to c. */
static inline void mass_columns(const soa_call *call, const path_rows *p, const soa_body_data *body, int c, int count)
{
    const double *own = fields_of(call, (size_t)c);
    const rigid moved = rigid_moved(field_one_rigid(own, FIELD_inertia), field_one_motion(own, FIELD_J));
    const force U = field_one_force(own, FIELD_U);
    force felt = U;
    if (body->geared) {
        felt.n = vec3_add(felt.n, gear_in_world(call, body));
    }
    for (int spot = 0; spot < count; spot += LANES) {
        const motion y = path_motion(p, PATH_J, spot);
        const force X = force_cross(y, felt), G = rigid_mul(moved, y);
        path_put_vec3(p, PATH_SECOND, spot, X.n);
        path_put_vec3(p, PATH_SECOND + 3, spot, X.f);
        path_put_vec3(p, PATH_FIRST, spot, G.n);
        path_put_vec3(p, PATH_FIRST + 3, spot, G.f);
    }
    const force X = force_cross(field_one_motion(own, FIELD_J), U); /* y = c: no rotor between */
    const real last[6] = { X.n.x, X.n.y, X.n.z, X.f.x, X.f.y, X.f.z };
    for (int f = 0; f < 6; f++) {
        path_row(p, PATH_SECOND + f)[count - 1] = real_get(last[f], 0);
    }
}

/* PATH_ROW = dMass(r,s)/dq_c for s before c, PATH_OTHER = dMass(s,c)/dq_r for s before r. */
KERNEL void mass_row(const path_rows *p, int r, int count)
{
    const force G = { path_one_vec3(p, PATH_FIRST, r), path_one_vec3(p, PATH_FIRST + 3, r) };
    const force X = { path_one_vec3(p, PATH_SECOND, r), path_one_vec3(p, PATH_SECOND + 3, r) };
    const motion J_r = path_one_motion(p, PATH_J, r);
    for (int s = 0; s < count; s += LANES) {
        const motion J = path_motion(p, PATH_J, s);
        if (s < r) {
            real_store(path_row(p, PATH_OTHER) + s, power(X, J));
        }
        real own = power(G, J);
        if (s + LANES > r) { /* the same number on both sides of the diagonal, to the bit */
            const force beyond = { path_vec3(p, PATH_FIRST, s), path_vec3(p, PATH_FIRST + 3, s) };
            own = real_select(real_less(real_count(s), real_set(r)), own, power(beyond, J_r));
        }
        real_store(path_row(p, PATH_ROW) + s, own);
    }
}

static inline void mass_dense(const soa_call *call, const path_rows *p, int c, int count)
{
    const size_t n = (size_t)call->model->nv, step = call->step, last = (size_t)c;
    for (int r = 0; r < count; r++) {
        const size_t at_r = (size_t)path_row(p, PATH_INDEX)[r];
        double *y = call->y.at + at_r * n * n * step;
        mass_row(p, r, count - 1);
        if (r < count - 1) {
            put_along(p, path_row(p, PATH_ROW), count - 1, call->y.at + (last * n + at_r) * n * step, step);
        }
        put_along(p, path_row(p, PATH_OTHER), r, y + last * n * step, step);
        put_along(p, path_row(p, PATH_OTHER), r, y + last * step, n * step);
    }
}

/* dMass(i,k)/dq_j and dMass(k,i)/dq_j gain x. */
static inline void mass_add(const soa_call *call, int i, int j, int k, double x)
{
    const size_t n = (size_t)call->model->nv, a = (size_t)i, b = (size_t)k, at = (size_t)j * n * n;
    call->y.at[(at + a * n + b) * call->step] += x;
    call->y.at[(at + b * n + a) * call->step] += x;
}

/* dMass/dq from R and l. */
static void slice_rows(const soa_call *call)
{
    tensor_rows(call, (tensor_rule){ mass_columns, mass_dense, mass_add });
}

#if LANES == 1
/* q; y = dMass/dq, nv x nv for each velocity. */
static void mass_derivatives(soa_call *call)
{
    const vars w = fields_begin(call);
    out_zero(call, call->y, (size_t)call->model->nv * (size_t)call->model->nv * (size_t)call->model->nv);
    fields_outward(call, &w);
    ((const soa_sens_context *)call->lanes_above)->lanes->slice_rows(call);
}
#endif

#endif
