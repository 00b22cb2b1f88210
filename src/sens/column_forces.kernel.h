/* sens/column_forces.kernel.h - what the derivatives of inverse dynamics are made of.
 *
 * When the joints move with v = e_j, everything outboard of joint j turns with S(j), and its velocity and
 * acceleration change by what the rest does not follow (V(b) the velocity of what S(j) is fixed in):
 *     dV = S x V + S1,  dA = S x A + S1 x V + S2,  dF = S[S] F + R S2 + [N 0; -p~ 0] S1;
 * by v(j):  dV = S,  dA = S3 + S x V,  dF = R S3 + [N 0; -p~ 0] S.
 * The joints are outward and inward one after another; all else is in lanes of velocities. */
#ifndef SOA_SENS_COLUMN_FORCES_KERNEL_H
#define SOA_SENS_COLUMN_FORCES_KERNEL_H

#include "sens/rotor_loads.kernel.h"

/* ---- lanes ---------------------------------------------------------------------------- */

/* N of one body: -w~ (tr(J) - 2 J) - 2 h~ v~, and h~ v~ = v h* - (h . v) I. */
KERNEL mat3 body_N(rigid M, motion V)
{
    const sym3 J = M.J;
    const vec3 w = V.w;
    const sym3 D = { J.yy + J.zz - J.xx, -2.0 * J.xy, -2.0 * J.xz, J.xx + J.zz - J.yy, -2.0 * J.yz,
        J.xx + J.yy - J.zz };
    const mat3 turned = {
        /* -w~ D */
        real_fma(w.z, D.xy, -(w.y * D.xz)),
        real_fma(w.z, D.yy, -(w.y * D.yz)),
        real_fma(w.z, D.yz, -(w.y * D.zz)), //
        real_fma(w.x, D.xz, -(w.z * D.xx)),
        real_fma(w.x, D.yz, -(w.z * D.xy)),
        real_fma(w.x, D.zz, -(w.z * D.xz)), //
        real_fma(w.y, D.xx, -(w.x * D.xy)),
        real_fma(w.y, D.xy, -(w.x * D.yy)),
        real_fma(w.y, D.xz, -(w.x * D.yz)),
    };
    const vec3 h = vec3_add(M.h, M.h);
    return mat3_add_shift(turned, vec3_dot(h, V.v), V.v, h);
}

/* [N 0; -p~ 0] x */
KERNEL force bias_mul_add(mat3 N, vec3 p, motion x, force f)
{
    return (force){ mat3_mul_vec_add(N, x.w, f.n), vec3_cross_add(x.w, p, f.f) };
}

/* The moment of its adjoint on x. */
KERNEL vec3 bias_t_mul(mat3 N, vec3 p, motion x)
{
    return vec3_cross_add(p, x.v, mat3_t_mul_vec(N, x.w));
}

/* S1, S2, S3 of joints with one velocity: V and A of the body itself do as well as those inboard of the joint. */
KERNEL void single_columns(double *here, motion V, motion A)
{
    const motion S = field_motion(here, FIELD_J), S1 = motion_cross(V, S);
    field_put_motion(here, FIELD_S1, S1);
    field_put_motion(here, FIELD_S2, motion_add(motion_cross(A, S), motion_cross(V, S1)));
    field_put_motion(here, FIELD_S3, motion_add(S1, S1));
}

/* R, N, p, F of each body by itself. */
static void body_forces(const soa_call *call)
{
    for (size_t c = 0; c < (size_t)call->model->nv; c += LANES) {
        double *here = fields_of(call, c);
        const pose W = { field_mat3(here, FIELD_R), field_vec3(here, FIELD_l) };
        const rigid M = rigid_shift(W, field_rigid(constants_of(call, c), CONSTANT_INERTIA));
        const motion V = field_motion(here, FIELD_V), A = field_motion(here, FIELD_alpha);
        const force h = rigid_mul(M, V);
        force f = force_add(rigid_mul(M, A), force_cross(V, h));
        single_columns(here, V, A);
        if (call->f.at) {
            f = force_sub(f, field_force(here, FIELD_external));
        }
        field_put_rigid(here, FIELD_inertia, M);
        field_put_mat3(here, FIELD_N, body_N(M, V));
        field_put_vec3(here, FIELD_p, vec3_add(h.f, h.f));
        field_put_force(here, FIELD_F, f);
    }
}

/* FQ of a motion S of all from the velocity on: R S2 + [N 0; -p~ 0] S1 + S[S] F, with forces + [E 0; -e~ 0] S. */
KERNEL force column_load(const soa_call *call, const double *here, motion S, motion S1, motion S2)
{
    const force moved = rigid_mul(field_rigid(here, FIELD_inertia), S2);
    force f = bias_mul_add(field_mat3(here, FIELD_N), field_vec3(here, FIELD_p), S1, moved);
    f = force_add(f, force_cross(S, field_force(here, FIELD_F)));
    return has_external(call) ? bias_mul_add(field_mat3(here, FIELD_E), field_vec3(here, FIELD_e), S, f) : f;
}

/* FQ of each velocity, and EB. */
static void joint_loads(const soa_call *call)
{
    for (size_t c = 0; c < (size_t)call->model->nv; c += LANES) {
        double *here = fields_of(call, c);
        const motion S = field_motion(here, FIELD_J);
        const force f = column_load(call, here, S, field_motion(here, FIELD_S1), field_motion(here, FIELD_S2));
        if (has_external(call)) {
            field_put_vec3(here, FIELD_EB, bias_t_mul(field_mat3(here, FIELD_E), field_vec3(here, FIELD_e), S));
        }
        field_put_force(here, FIELD_FQ, f);
    }
}

#if LANES == 1
/* ---- outward ---------------------------------------------------------------------------- */

/* Velocity and acceleration of some body. */
typedef struct moving {
    motion V, A;
} moving;

/* What velocity i of a joint adds, whose column s has the rate `rate`. */
KERNEL moving moved_by(const soa_call *call, size_t i, motion s, motion rate, moving p)
{
    if (call->v.at) {
        p.V = motion_scale_add(call->v.at[i], s, p.V);
        p.A = motion_scale_add(call->v.at[i], rate, p.A);
    }
    if (call->u.at) {
        p.A = motion_scale_add(call->u.at[i], s, p.A);
    }
    return p;
}

/* A joint with one velocity; returns how its body moves. */
KERNEL moving single_joint(const soa_call *call, const vars *w, int k, moving p)
{
    const soa_body_data *body = &call->model->body[k];
    const size_t v = (size_t)body->v;
    const motion s = column_in_world(w, body, k, 0);
    field_put_motion(fields_of(call, v), FIELD_J, s);
    return moved_by(call, v, s, motion_cross(p.V, s), p);
}

/* A joint with several: first the columns fixed inboard, which make b of p, then those fixed outboard. */
typedef struct several {
    moving b;
    motion s[SOA_JOINT_MAX_NV], rate[SOA_JOINT_MAX_NV];
} several;

static inline several several_of(const soa_call *call, const soa_body_data *body, moving p)
{
    const size_t v = (size_t)body->v;
    several x = { .b = p };
    motion V = p.V;
    for (int i = 0; i < body->nv; i++) {
        x.s[i] = field_motion(fields_of(call, v + (size_t)i), FIELD_J);
        V = call->v.at ? motion_scale_add(call->v.at[v + (size_t)i], x.s[i], V) : V;
    }
    for (int i = 0; i < body->nv; i++) {
        const bool inboard = column_inboard(body, i);
        x.rate[i] = motion_cross(inboard ? p.V : V, x.s[i]);
        x.b = inboard ? moved_by(call, v + (size_t)i, x.s[i], x.rate[i], x.b) : x.b;
    }
    return x;
}

static __attribute__((noinline)) moving several_joint(const soa_call *call, const vars *w, int k, moving p)
{
    const soa_body_data *body = &call->model->body[k];
    const size_t v = (size_t)body->v;
    for (int i = 0; i < body->nv; i++) {
        field_put_motion(fields_of(call, v + (size_t)i), FIELD_J, column_in_world(w, body, k, i));
    }
    const several x = several_of(call, body, p);
    moving end = x.b;
    for (int i = 0; i < body->nv; i++) {
        end = column_inboard(body, i) ? end : moved_by(call, v + (size_t)i, x.s[i], x.rate[i], end);
    }
    return end;
}

/* How the parent of a body moves. */
KERNEL moving moving_parent(const vars *w, const soa_body_data *body, moving base)
{
    return body->parent < 0 ? base : (moving){ w->V[body->parent], w->alpha[body->parent] };
}

/* S1, S2, S3 of joints with several velocities, which body_forces cannot make. */
static inline void several_columns(const soa_call *call, const vars *w, moving base)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        if (body->nv == 1) {
            continue;
        }
        const several x = several_of(call, body, moving_parent(w, body, base));
        for (int i = 0; i < body->nv; i++) {
            const size_t c = (size_t)(body->v + i);
            const motion s1 = motion_cross(x.b.V, x.s[i]);
            field_put_motion(fields_of(call, c), FIELD_S1, s1);
            field_put_motion(
                fields_of(call, c), FIELD_S2, motion_add(motion_cross(x.b.A, x.s[i]), motion_cross(x.b.V, s1)));
            field_put_motion(fields_of(call, c), FIELD_S3, motion_add(s1, x.rate[i]));
        }
    }
}

/* E of the force (n; f) at r, which keeps its numbers while the body turns. */
KERNEL mat3 steady_force(vec3 r, vec3 n, vec3 f)
{
    const mat3 minus_n = { 0.0, n.z, -n.y, -n.z, 0.0, n.x, n.y, -n.x, 0.0 };
    return mat3_add_shift(minus_n, vec3_dot(r, f), f, r);
}

/* X, E, e of a body. */
static inline void external_force(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const size_t v = (size_t)body->v, at = 6 * (size_t)k;
    const vec3 n = in_vec3(call, call->f, at), f = in_vec3(call, call->f, at + 3);
    const vec3 r = pose_point(w->W[k], vec3_set(body->rest->frame.position));
    field_put_force(fields_of(call, v), FIELD_external, (force){ vec3_cross_add(r, f, n), f });
    field_put_mat3(fields_of(call, v), FIELD_E, steady_force(r, n, f));
    field_put_vec3(fields_of(call, v), FIELD_e, f);
}

/* S, W, V, A of all joints and bodies. */
static inline void columns_outward(const soa_call *call, const vars *w, moving base)
{
    const soa_model *m = call->model;
    crossings_begin(call, w);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const size_t v = (size_t)body->v;
        body_placement(call, w, k);
        if (body->parent < 0) {
            w->W[k].l = vec3_zero();
        }
        const moving p = moving_parent(w, body, base);
        const moving b = body->nv == 1 ? single_joint(call, w, k, p) : several_joint(call, w, k, p);
        w->V[k] = b.V;
        w->alpha[k] = b.A;
        field_put_motion(fields_of(call, v), FIELD_V, b.V);
        field_put_motion(fields_of(call, v), FIELD_alpha, b.A);
        field_put_mat3(fields_of(call, v), FIELD_R, w->W[k].R);
        field_put_vec3(fields_of(call, v), FIELD_l, w->W[k].l);
        if (call->f.at) {
            external_force(call, w, k);
        }
    }
}

/* All that belongs to a joint or body by itself. */
static inline void bodies_alone(const soa_call *call, const vars *w, moving base)
{
    columns_outward(call, w, base);
    ((const soa_sens_context *)call->lanes_above)->lanes->body_forces(call);
    several_columns(call, w, base);
}

/* ---- inward ------------------------------------------------------------------------------ */

static inline void rotor_sums_weighted(const soa_call *call, const vars *w, const soa_body_data *body)
{
    rotor_sums(call, w, body);
    rotor_weights(call, w, body);
}

/* R, N, p, F (and E, e; all fields from `first` on) of all that is outboard. */
static inline void sums_inward(const soa_call *call, const vars *w, int first)
{
    const int last = has_external(call) ? FIELD_e_end : FIELD_F_end;
    fields_inward(call, w, first, last, first == FIELD_Z ? rotor_sums_weighted : rotor_sums);
}
#endif

#endif
