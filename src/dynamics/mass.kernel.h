/* dynamics/mass.kernel.h - the mass matrix by composite inertias.
 *
 *     Mass(i,k) = H(i) phi(i,k) R(k) H*(k), i inboard of k                            [CRB]
 *
 * In the axes of the root body, so that phi is a shift: with F = (n; f) = R H* a column
 * at body k, n gains arm x f from body to body, and a joint about z takes z . n. */
#ifndef SOA_DYNAMICS_MASS_KERNEL_H
#define SOA_DYNAMICS_MASS_KERNEL_H

#include "dynamics/kinematics.kernel.h"
#include "sweep/composite.kernel.h"

KERNEL void put_symmetric(const soa_call *call, int i, int j, real x)
{
    const size_t nv = (size_t)call->model->nv;
    out_put(call, call->y, (size_t)i * nv + (size_t)j, x);
    if (i != j) {
        out_put(call, call->y, (size_t)j * nv + (size_t)i, x);
    }
}

/* H F of a joint with several dofs into rows of a column; armature: added to its diagonal. */
static __attribute__((noinline)) void put_several(
    const soa_call *call, const vars *w, int k, int column, force F, double armature)
{
    const soa_body_data *body = &call->model->body[k];
    real H[SOA_JOINT_MAX_NV];
    if (body->parent >= 0) {
        const mat3 R = placed(w, k).R;
        F = (force){ mat3_t_mul_vec(R, F.n), mat3_t_mul_vec(R, F.f) };
    }
    joint_force(w, body, F, H);
    for (int i = 0; i < body->nv; i++) {
        put_symmetric(call, body->v + i, column, body->v + i == column ? H[i] + armature : H[i]);
    }
}

/* H F of a free body on the world, six rows of a column. */
KERNEL void put_root(const soa_call *call, int row, int column, force F)
{
    put_symmetric(call, row, column, F.n.x);
    put_symmetric(call, row + 1, column, F.n.y);
    put_symmetric(call, row + 2, column, F.n.z);
    put_symmetric(call, row + 3, column, F.f.x);
    put_symmetric(call, row + 4, column, F.f.y);
    put_symmetric(call, row + 5, column, F.f.z);
}

/* Mass(i, column) for all i inboard of body k, F the column of R H* at k. */
KERNEL void put_inboard(const soa_call *call, const vars *w, int k, int column, force F)
{
    const soa_model *m = call->model;
    for (int j = k, p = m->body[k].parent; p >= 0; j = p, p = m->body[j].parent) {
        const soa_body_data *parent = &m->body[p];
        F.n = vec3_cross_add(arm_of(w, j), F.f, F.n);
        if (j == k && m->body[k].geared) {
            F.n = vec3_add(F.n, mat3_mul_vec(placed(w, p).R, vec3_set(m->body[k].rest->gear)));
        }
        if (parent->joint_class == SOA_CLASS_REVOLUTE) {
            put_symmetric(call, parent->v, column, vec3_dot(mat3_column_z(placed(w, p).R), F.n));
        } else if (parent->joint_class == SOA_CLASS_PRISMATIC) {
            put_symmetric(call, parent->v, column, vec3_dot(mat3_column_z(placed(w, p).R), F.f));
        } else if (parent->joint_class == SOA_CLASS_FREE && parent->parent < 0) {
            put_root(call, parent->v, column, F);
        } else {
            put_several(call, w, p, column, F, 0.0);
        }
    }
}

/* The columns of a joint with several dofs. */
static __attribute__((noinline)) void mass_columns(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const mat3 R = placed(w, k).R;
    for (int c = 0; c < body->nv; c++) {
        motion h = w->H[body->v + c];
        if (body->parent >= 0) {
            h = (motion){ mat3_mul_vec(R, h.w), mat3_mul_vec(R, h.v) };
        }
        const force F = rigid_mul(composite_of(w, k), h);
        put_several(call, w, k, body->v + c, F, body->armature);
        put_inboard(call, w, k, body->v + c, F);
    }
}

/* The block of a free body on the world: its composite inertia. */
static __attribute__((noinline)) void put_free_block(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const int v = body->v;
    const rigid M = composite_of(w, k);
    const real o = real_set(0.0), a = real_set(body->armature);
    const vec3 h = M.h;
    put_root(call, v, v, (force){ { M.J.xx + a, M.J.xy, M.J.xz }, { o, -h.z, h.y } });
    put_root(call, v, v + 1, (force){ { M.J.xy, M.J.yy + a, M.J.yz }, { h.z, o, -h.x } });
    put_root(call, v, v + 2, (force){ { M.J.xz, M.J.yz, M.J.zz + a }, { -h.y, h.x, o } });
    put_root(call, v, v + 3, (force){ { o, h.z, -h.y }, { M.m + a, o, o } });
    put_root(call, v, v + 4, (force){ { -h.z, o, h.x }, { o, M.m + a, o } });
    put_root(call, v, v + 5, (force){ { h.y, -h.x, o }, { o, o, M.m + a } });
}

/* The columns of body k, whose composite inertia is complete. */
KERNEL void put_mass_columns(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const int v = body->v;
    if (body->joint_class == SOA_CLASS_REVOLUTE) {
        const force F = composite_wz(w, k);
        put_symmetric(call, v, v, vec3_dot(mat3_column_z(placed(w, k).R), F.n) + body->armature);
        put_inboard(call, w, k, v, F);
    } else if (body->joint_class == SOA_CLASS_PRISMATIC) {
        const force F = composite_vz(w, k);
        put_symmetric(call, v, v, vec3_dot(mat3_column_z(placed(w, k).R), F.f) + body->armature);
        put_inboard(call, w, k, v, F);
    } else if (body->joint_class == SOA_CLASS_FREE && body->parent < 0) {
        put_free_block(call, w, k);
    } else {
        mass_columns(call, w, k);
    }
}

/* What turn_bodies needs: how to cross the joints, and their maps. */
static inline void mass_positions(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    crossings_begin(call, w);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        if (soa_is_screw(body)) {
            if (LANES > 1 || body->joint_class == SOA_CLASS_PRISMATIC) {
                crossing_of(call, w, k);
            }
        } else if (body->joint_class != SOA_CLASS_FREE || body->parent >= 0) {
            general_position(call, w, k);
        }
    }
}

/* q; y = Mass, nv x nv. */
static void mass_matrix(soa_call *call)
{
    vars room;
    const vars *w = vars_in(call, &room);
    const soa_model *m = call->model;
    call_begin(call);
    out_zero(call, call->y, (size_t)m->nv * (size_t)m->nv);
    mass_positions(call, w);
    turn_bodies(call, w);
    for (int k = m->bodies - 1; k >= 0; k--) {
        put_mass_columns(call, w, k);
        if (m->body[k].parent >= 0) {
            give_composite(w, k, m->body[k].parent);
        }
    }
}

#endif
