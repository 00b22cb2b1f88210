/* dynamics/operational.kernel.h - operational space: what forces at points do.
 *
 *     Lambda = J Mass^-1 J* = B* psi* H* D^-1 H psi B                       [I12] [OSI]
 *     dbetadot = -(I - H psi K)* D^-1 H psi B f                             [TIP]
 *
 * With N(i) the columns of H psi B of point i (six, along the path from its body
 * to the base), Lambda(i,j) = sum over the joints that both paths share of
 * N(i)* D^-1 N(j): that is B* Omega B with the coupling between branches [I11]. */
#ifndef SOA_DYNAMICS_OPERATIONAL_KERNEL_H
#define SOA_DYNAMICS_OPERATIONAL_KERNEL_H

#include "dynamics/fast.kernel.h"
#include "dynamics/kinematics.kernel.h"

/* N: for each point and each velocity, six numbers (one per column of B). */
KERNEL real *point_rows(const soa_call *call, const vars *w, int i, int velocity)
{
    return w->N + 6 * ((size_t)i * (size_t)call->model->nv + (size_t)velocity);
}

/* The force at the body frame of a unit force (number c of moment x y z, force x y z) in world axes at the item. */
KERNEL force unit_force_at(item it, mat3 R_world, int c)
{
    const real o = real_set(0.0), e = real_set(1.0);
    const vec3 axis = { c % 3 == 0 ? e : o, c % 3 == 1 ? e : o, c % 3 == 2 ? e : o };
    const vec3 in_body = mat3_t_mul_vec(R_world, axis);
    return c < 3 ? (force){ in_body, vec3_zero() } : (force){ vec3_cross(it.at.l, in_body), in_body };
}

/* Inward from the point's body: z = psi z, N = H z at every joint on the path. */
static inline void project_point(const soa_call *call, const vars *w, int i)
{
    const soa_model *m = call->model;
    const item it = item_of(call, i);
    if (it.body == SOA_WORLD) {
        return;
    }
    force z[6];
    for (int c = 0; c < 6; c++) {
        z[c] = unit_force_at(it, w->W[it.body].R, c);
    }
    for (int k = it.body; k >= 0; k = m->body[k].parent) {
        const soa_body_data *body = &m->body[k];
        for (int c = 0; c < 6; c++) {
            real Hz[SOA_JOINT_MAX_NV], minus[SOA_JOINT_MAX_NV];
            joint_force(w, body, z[c], Hz);
            for (int j = 0; j < body->nv; j++) {
                point_rows(call, w, i, body->v + j)[c] = Hz[j];
                minus[j] = -Hz[j];
            }
            if (body->parent >= 0) {
                z[c] = filter_step(call, w, k, z[c], minus);
            }
        }
    }
}

/* The nearest body inboard of both; SOA_WORLD if there is none. */
static inline int common_body(const soa_model *m, int a, int b)
{
    while (a != b) {
        if (a > b) {
            a = m->body[a].parent;
        } else {
            b = m->body[b].parent;
        }
    }
    return a;
}

/* sum += N(i)* D^-1 N(j) at body k */
static inline void add_joint_block(const soa_call *call, const vars *w, int i, int j, int k, real sum[6][6])
{
    const soa_body_data *body = &call->model->body[k];
    for (int s = 0; s < body->nv; s++) {
        const real *row = point_rows(call, w, i, body->v + s);
        real scaled[6];
        for (int c = 0; c < 6; c++) {
            scaled[c] = real_set(0.0);
            for (int t = 0; t < body->nv; t++) {
                scaled[c] = real_fma(w->D_inv[body->v + s][t], point_rows(call, w, j, body->v + t)[c], scaled[c]);
            }
        }
        for (int r = 0; r < 6; r++) {
            for (int c = 0; c < 6; c++) {
                sum[r][c] = real_fma(row[r], scaled[c], sum[r][c]);
            }
        }
    }
}

/* Block (i, j) of Lambda and its mirror image. */
static inline void operational_block(const soa_call *call, const vars *w, int i, int j)
{
    const int a = item_of(call, i).body, b = item_of(call, j).body;
    const size_t rows = 6 * (size_t)call->points;
    real sum[6][6];
    for (int r = 0; r < 6; r++) {
        for (int c = 0; c < 6; c++) {
            sum[r][c] = real_set(0.0);
        }
    }
    for (int k = common_body(call->model, a, b); k >= 0; k = call->model->body[k].parent) {
        add_joint_block(call, w, i, j, k, sum);
    }
    for (size_t r = 0; r < 6; r++) {
        for (size_t c = 0; c < 6; c++) {
            const real x = i == j && c < r ? sum[c][r] : sum[r][c];
            out_put(call, call->y, (6 * (size_t)i + r) * rows + 6 * (size_t)j + c, x);
            out_put(call, call->y, (6 * (size_t)j + c) * rows + 6 * (size_t)i + r, x);
        }
    }
}

/* q, points; y = Lambda, 6 points square: the inverse of the operational-space inertia. */
static void operational_inverse(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    position_sweep(call, &w);
    placement_sweep(call, &w);
    articulated_sweep(call, &w);
    for (int i = 0; i < call->points; i++) {
        project_point(call, &w, i);
    }
    for (int i = 0; i < call->points; i++) {
        for (int j = 0; j <= i; j++) {
            operational_block(call, &w, i, j);
        }
    }
}

/* q, v (or none), points; y = their acceleration under T = 0, gravity acting: 6 each, mixed axes. */
static void free_acceleration(soa_call *call)
{
    const vars w = vars_of(call);
    soa_call quiet = *call;
    quiet.y = (soa_out){ NULL, 0 };
    forward_dynamics(&quiet);
    memcpy(call->failed, quiet.failed, sizeof call->failed);
    position_sweep(call, &w);
    placement_sweep(call, &w);
    const motion base = base_acceleration(call);
    for (int i = 0; i < call->points; i++) {
        const item it = item_of(call, i);
        motion acceleration = motion_zero();
        if (it.body != SOA_WORLD) {
            const mat3 R = mat3_mul(w.W[it.body].R, it.at.R);
            const motion alpha = phi_t(it.at, w.alpha[it.body]);
            const motion V = call->v.at ? phi_t(it.at, w.V[it.body]) : motion_zero();
            acceleration.w = mat3_mul_vec(R, alpha.w);
            acceleration.v = vec3_sub(mat3_mul_vec(R, vec3_cross_add(V.w, V.v, alpha.v)), base.v);
        }
        out_vec3(call, call->y, 6 * (size_t)i, acceleration.w);
        out_vec3(call, call->y, 6 * (size_t)i + 3, acceleration.v);
    }
}

/* q, points; g = forces at the points, 6 each, world axes; y = -(I - H psi K)* D^-1 H psi B f.  [TIP] */
static void point_correction(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    call_begin(call);
    position_sweep(call, &w);
    placement_sweep(call, &w);
    articulated_sweep(call, &w);
    for (int k = 0; k < m->bodies; k++) {
        w.b[k] = force_zero();
    }
    for (int i = 0; i < m->nv; i++) {
        w.x[i] = real_set(0.0);
    }
    for (int i = 0; i < call->points; i++) {
        const item it = item_of(call, i);
        if (it.body == SOA_WORLD) {
            continue;
        }
        const size_t at = 6 * (size_t)i;
        const mat3 R = w.W[it.body].R;
        const vec3 n = mat3_t_mul_vec(R, in_vec3(call, call->g, at));
        const vec3 f = mat3_t_mul_vec(R, in_vec3(call, call->g, at + 3));
        w.b[it.body] = force_add(w.b[it.body], (force){ vec3_cross_add(it.at.l, f, n), f });
    }
    filter_sweep(call, &w);
    smoother_sweep(call, &w);
}

#endif
