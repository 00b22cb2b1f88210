/* dynamics/mass.kernel.h - the mass matrix by composite inertias.
 *
 *     Mass(i,k) = H(i) phi(i,k) R(k) H*(k), i inboard of k                            [CRB]
 *
 * In the axes of the root body, so that phi is a shift: with F = (n; f) = R H* a column
 * at body k, n gains arm x f from body to body, and a joint about z takes z . n. */
#ifndef SOA_DYNAMICS_MASS_KERNEL_H
#define SOA_DYNAMICS_MASS_KERNEL_H

#include "dynamics/factors.h"
#include "dynamics/kinematics.kernel.h"
#include "sweep/composite.kernel.h"

/* Entry (i, j), i not outboard of j. packed: into row j of call->factors, else into both triangles of call->y. */
KERNEL void put_mass(const soa_call *call, const bool packed, int i, int j, real x)
{
#if LANES == 1
    if (packed) {
        const soa_factors *f = call->factors;
        f->mass[j * SOA_FACTORS_WAY + f->depth[i]] = x;
        return;
    }
#else
    (void)packed;
#endif
    const size_t nv = (size_t)call->model->nv;
    out_put(call, call->y, (size_t)i * nv + (size_t)j, x);
    if (i != j) {
        out_put(call, call->y, (size_t)j * nv + (size_t)i, x);
    }
}

/* H F of a joint with several dofs into rows of a column; armature: added to its diagonal. */
static __attribute__((noinline)) void put_several(
    const soa_call *call, const vars *w, bool packed, int k, int column, force F, double armature)
{
    const soa_body_data *body = &call->model->body[k];
    real H[SOA_JOINT_MAX_NV];
    if (body->parent >= 0) {
        const mat3 R = placed(w, k).R;
        F = (force){ mat3_t_mul_vec(R, F.n), mat3_t_mul_vec(R, F.f) };
    }
    joint_force(w, body, F, H);
    for (int i = 0; i < body->nv; i++) {
        put_mass(call, packed, body->v + i, column, body->v + i == column ? H[i] + armature : H[i]);
    }
}

/* H F of a free body on the world, six rows of a column. */
KERNEL void put_root(const soa_call *call, const bool packed, int row, int column, force F)
{
    put_mass(call, packed, row, column, F.n.x);
    put_mass(call, packed, row + 1, column, F.n.y);
    put_mass(call, packed, row + 2, column, F.n.z);
    put_mass(call, packed, row + 3, column, F.f.x);
    put_mass(call, packed, row + 4, column, F.f.y);
    put_mass(call, packed, row + 5, column, F.f.z);
}

/* Mass(i, column) for all i inboard of body k, F the column of R H* at k. */
KERNEL void put_inboard(const soa_call *call, const vars *w, const bool packed, int k, int column, force F)
{
    const soa_model *m = call->model;
    for (int j = k, p = m->body[k].parent; p >= 0; j = p, p = m->body[j].parent) {
        const soa_body_data *parent = &m->body[p];
        F.n = vec3_cross_add(arm_of(w, j), F.f, F.n);
        if (j == k && m->body[k].geared) {
            F.n = vec3_add(F.n, mat3_mul_vec(placed(w, p).R, vec3_set(m->body[k].rest->gear)));
        }
        if (parent->joint_class == SOA_CLASS_REVOLUTE) {
            put_mass(call, packed, parent->v, column, vec3_dot(mat3_column_z(placed(w, p).R), F.n));
        } else if (parent->joint_class == SOA_CLASS_PRISMATIC) {
            put_mass(call, packed, parent->v, column, vec3_dot(mat3_column_z(placed(w, p).R), F.f));
        } else if (parent->joint_class == SOA_CLASS_FREE && parent->parent < 0) {
            put_root(call, packed, parent->v, column, F);
        } else {
            put_several(call, w, packed, p, column, F, 0.0);
        }
    }
}

/* The columns of a joint with several dofs. */
static __attribute__((noinline)) void mass_columns(const soa_call *call, const vars *w, bool packed, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const mat3 R = placed(w, k).R;
    for (int c = 0; c < body->nv; c++) {
        motion h = w->H[body->v + c];
        if (body->parent >= 0) {
            h = (motion){ mat3_mul_vec(R, h.w), mat3_mul_vec(R, h.v) };
        }
        const force F = rigid_mul(composite_of(w, k), h);
        put_several(call, w, packed, k, body->v + c, F, body->armature);
        put_inboard(call, w, packed, k, body->v + c, F);
    }
}

/* The block of a free body on the world: its composite inertia. */
static __attribute__((noinline)) void put_free_block(const soa_call *call, const vars *w, bool packed, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const int v = body->v;
    const rigid M = composite_of(w, k);
    const real o = real_set(0.0), a = real_set(body->armature);
    const vec3 h = M.h;
    put_root(call, packed, v, v, (force){ { M.J.xx + a, M.J.xy, M.J.xz }, { o, -h.z, h.y } });
    put_root(call, packed, v, v + 1, (force){ { M.J.xy, M.J.yy + a, M.J.yz }, { h.z, o, -h.x } });
    put_root(call, packed, v, v + 2, (force){ { M.J.xz, M.J.yz, M.J.zz + a }, { -h.y, h.x, o } });
    put_root(call, packed, v, v + 3, (force){ { o, h.z, -h.y }, { M.m + a, o, o } });
    put_root(call, packed, v, v + 4, (force){ { -h.z, o, h.x }, { o, M.m + a, o } });
    put_root(call, packed, v, v + 5, (force){ { h.y, -h.x, o }, { o, o, M.m + a } });
}

/* The columns of body k, whose composite inertia is complete. */
KERNEL void put_mass_columns(const soa_call *call, const vars *w, const bool packed, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const int v = body->v;
    if (body->joint_class == SOA_CLASS_REVOLUTE) {
        const force F = composite_wz(w, k);
        put_mass(call, packed, v, v, vec3_dot(mat3_column_z(placed(w, k).R), F.n) + body->armature);
        put_inboard(call, w, packed, k, v, F);
    } else if (body->joint_class == SOA_CLASS_PRISMATIC) {
        const force F = composite_vz(w, k);
        put_mass(call, packed, v, v, vec3_dot(mat3_column_z(placed(w, k).R), F.f) + body->armature);
        put_inboard(call, w, packed, k, v, F);
    } else if (body->joint_class == SOA_CLASS_FREE && body->parent < 0) {
        put_free_block(call, w, packed, k);
    } else {
        mass_columns(call, w, packed, k);
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

/* The entries of Mass, the zeros apart. */
KERNEL void mass_entries(const soa_call *call, const vars *w, const bool packed)
{
    const soa_model *m = call->model;
    mass_positions(call, w);
    turn_bodies(call, w);
    for (int k = m->bodies - 1; k >= 0; k--) {
        put_mass_columns(call, w, packed, k);
        if (m->body[k].parent >= 0) {
            give_composite(w, k, m->body[k].parent);
        }
    }
}

/* q; y = Mass, nv x nv. */
static void mass_matrix(soa_call *call)
{
    vars room;
    const vars *w = vars_at(call, &room);
    call_begin(call);
    out_zero(call, call->y, (size_t)call->model->nv * (size_t)call->model->nv);
    mass_entries(call, w, false);
}

#if LANES == 1
/* What the numbers of Mass of which D is made may be as large as: those that turn, and those that slide. */
static inline void put_scales(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const quad J = w->composite[k].d;
    const double m = w->composite[k].m, trace = J[0] + J[1] + J[2];
    double *scale = call->factors->scale + body->v;
    if (soa_is_screw(body)) {
        scale[0] = (body->joint_class == SOA_CLASS_REVOLUTE ? trace : m) + body->armature;
        return;
    }
    for (int i = 0; i < body->nv; i++) {
        const bool free = body->joint_class == SOA_CLASS_FREE;
        const double turns = free ? i < 3 : vec3_dot(w->H[body->v + i].w, w->H[body->v + i].w);
        const double slides = free ? i >= 3 : vec3_dot(w->H[body->v + i].v, w->H[body->v + i].v);
        scale[i] = turns * trace + slides * m + body->armature;
    }
}

/* The rows of Mass in call->factors; behind the diagonal they are zero or finite. */
static void mass_rows(const soa_call *call, const vars *w)
{
    const soa_factors *f = call->factors;
    for (int i = 0; i < (int)f->rows; i++) {
        memset(f->mass + i * SOA_FACTORS_WAY + f->depth[i] / SOA_GROUP * SOA_GROUP, 0, SOA_GROUP * sizeof *f->mass);
    }
    mass_entries(call, w, true);
    for (int k = 0; k < call->model->bodies; k++) {
        put_scales(call, w, k);
    }
}
#endif

#endif
