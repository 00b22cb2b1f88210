/* sweep/sweeps.kernel.h - the recursions, each a loop over the bodies.
 *
 * Outward sweeps run with rising body number (parents before children), inward
 * ones with falling. What a sweep reads and writes: vars.kernel.h. */
#ifndef SOA_SWEEP_SWEEPS_KERNEL_H
#define SOA_SWEEP_SWEEPS_KERNEL_H

#include "sweep/joint_map.kernel.h"

/* ---- position ------------------------------------------------------------------------ */

/* The pose of a joint of any kind; not inlined, so that the fast kinds do not pay for it. */
static __attribute__((noinline)) pose general_joint_pose(const soa_call *call, const soa_body_data *body)
{
    real q[SOA_JOINT_MAX_NQ];
    joint_in(call, call->q, body->q, joint_nq(&body->rest->shape), q);
    return joint_pose(&body->rest->shape, q);
}

static __attribute__((noinline)) void general_position(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const pose X = general_joint_pose(call, body);
    w->X[k] = pose_compose(pose_set(&body->at), X);
    joint_map(&body->rest->shape, X, w->H + body->v);
}

/* phi(p,k) of one body, and its columns of H*. */
KERNEL void body_position(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const pose at = pose_set(&body->rest->at);
    if (body->joint_class == SOA_CLASS_REVOLUTE) {
        real s, c;
        real_sincos(in_get(call, call->q, (size_t)body->q), &s, &c);
        w->X[k] = (pose){ mat3_rotz(at.R, c, s), at.l };
    } else if (body->joint_class == SOA_CLASS_PRISMATIC) {
        const real slide = in_get(call, call->q, (size_t)body->q);
        w->X[k] = (pose){ at.R, vec3_scale_add(slide, mat3_column_z(at.R), at.l) };
    } else {
        general_position(call, w, k);
    }
}

static inline void position_sweep(const soa_call *call, const vars *w)
{
    for (int k = 0; k < call->model->bodies; k++) {
        body_position(call, w, k);
    }
}

/* W(k) = W(p) X(k): every body frame in the world. */
static inline void placement_sweep(const soa_call *call, const vars *w)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const int p = call->model->body[k].parent;
        w->W[k] = p < 0 ? w->X[k] : pose_compose(w->W[p], w->X[k]);
    }
}

/* ---- velocity ------------------------------------------------------------------------ */

static __attribute__((noinline)) motion general_acceleration(
    const soa_call *call, const soa_body_data *body, motion V, motion dV, const real *beta)
{
    const motion a = motion_cross(V, dV);
    if (!joint_has_bias(&body->rest->shape)) {
        return a;
    }
    return motion_add(a, joint_bias(&body->rest->shape, general_joint_pose(call, body), beta));
}

/* V = phi* V(p) + H* beta, a = V x H* beta + (dH* / dt) beta; at_child = phi* V(p), not read on the world.  [V] [A-gen] */
KERNEL void body_velocity_from(
    const soa_call *call, const vars *w, const soa_body_data *body, motion at_child, motion *V_to, motion *a)
{
    real beta[SOA_JOINT_MAX_NV];
    joint_in(call, call->v, body->v, body->nv, beta);
    const motion dV = joint_motion(w, body, beta);
    const motion V = body->parent < 0 ? dV : motion_add(at_child, dV);
    const real o = real_set(0.0), rate = beta[0];
    *V_to = V;
    if (body->joint_class == SOA_CLASS_REVOLUTE) {
        *a = (motion){ { V.w.y * rate, -(V.w.x * rate), o }, { V.v.y * rate, -(V.v.x * rate), o } };
    } else if (body->joint_class == SOA_CLASS_PRISMATIC) {
        *a = (motion){ { o, o, o }, { V.w.y * rate, -(V.w.x * rate), o } };
    } else {
        *a = general_acceleration(call, body, V, dV, beta);
    }
}

/* V, a of body k, where the joint is crossed by its pose X. */
KERNEL void body_velocity(const soa_call *call, const vars *w, int k)
{
    const int p = call->model->body[k].parent;
    body_velocity_from(
        call, w, &call->model->body[k], p < 0 ? motion_zero() : phi_t(w->X[k], w->V[p]), &w->V[k], &w->a[k]);
}

/* V and a of a body; zero if no velocities are given. */
KERNEL void body_velocity_given(const soa_call *call, const vars *w, int k)
{
    if (call->v.at) {
        body_velocity(call, w, k);
    } else {
        w->V[k] = motion_zero();
        w->a[k] = motion_zero();
    }
}

/* b = S[V] M V, the gyroscopic force.  [B] */
KERNEL force body_bias(const soa_call *call, const vars *w, int k)
{
    const rigid M = body_inertia(call, &call->model->body[k]);
    return force_cross(w->V[k], rigid_mul(M, w->V[k]));
}

/* The moment that a rotor turning at the joint's rate puts on the parent, which turns with W: W x gear rate.  [GEAR] */
KERNEL force gear_moment(const soa_call *call, const soa_body_data *body, vec3 W)
{
    const real rate = in_get(call, call->v, (size_t)body->v);
    const vec3 momentum = vec3_scale(rate, vec3_set(body->rest->gear));
    return (force){ vec3_cross(W, momentum), vec3_zero() };
}

KERNEL force gear_bias(const soa_call *call, const vars *w, const soa_body_data *body)
{
    return gear_moment(call, body, w->V[body->parent].w);
}

/* Adds that moment to b of the parent, if the joint has a rotor and velocities are given. */
KERNEL void gear_bias_add(const soa_call *call, const vars *w, const soa_body_data *body, force *b)
{
    if (body->geared && call->v.at) {
        b[body->parent] = force_add(b[body->parent], gear_bias(call, w, body));
    }
}

/* What armature adds to C, times `factor`, where beta is given in axes that turn with
 * the link: armature w x v of beta = (w; v), since d/dt (R v) = R (vdot + w x v). */
KERNEL void armature_bias(const soa_call *call, const soa_body_data *body, double factor, real *T)
{
    if (body->armature == 0.0 || !call->v.at) {
        return;
    }
    const bool planar = body->rest->shape.kind == SOA_PLANAR;
    if (!planar && body->rest->shape.kind != SOA_FREE) {
        return;
    }
    const double a = factor * body->armature;
    const size_t at = (size_t)body->v;
    if (planar) {
        const real turned = a * in_get(call, call->v, at + 2);
        T[0] = real_fnma(turned, in_get(call, call->v, at + 1), T[0]);
        T[1] = real_fma(turned, in_get(call, call->v, at), T[1]);
        return;
    }
    const vec3 turned = vec3_cross(in_vec3(call, call->v, at), in_vec3(call, call->v, at + 3));
    T[3] = real_fma(real_set(a), turned.x, T[3]);
    T[4] = real_fma(real_set(a), turned.y, T[4]);
    T[5] = real_fma(real_set(a), turned.z, T[5]);
}

/* An external force on a body: given in world axes at the link frame's origin.
 * Needs W. */
KERNEL force body_external(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const size_t at = 6 * (size_t)k;
    const force f = { in_vec3(call, call->f, at), in_vec3(call, call->f, at + 3) };
    const force turned = { mat3_t_mul_vec(w->W[k].R, f.n), mat3_t_mul_vec(w->W[k].R, f.f) };
    const vec3 l = vec3_set(body->rest->frame.position);
    return (force){ vec3_cross_add(l, turned.f, turned.n), turned.f };
}

/* Takes the external force off f of a body, if there are any. */
KERNEL void external_off(const soa_call *call, const vars *w, int k, force *f)
{
    if (__builtin_expect(call->f.at != NULL, 0)) {
        f[k] = force_sub(f[k], body_external(call, w, k));
    }
}

/* b = S[V] M V of a body with velocity V, external forces taken off. */
KERNEL force body_load(const soa_call *call, const vars *w, int k, motion V)
{
    const soa_body_data *body = &call->model->body[k];
    force b = force_cross(V, rigid_mul(body_inertia(call, body), V));
    if (__builtin_expect(call->f.at != NULL, 0)) {
        b = force_sub(b, body_external(call, w, k));
    }
    return b;
}

static inline void velocity_sweep(const soa_call *call, const vars *w)
{
    for (int k = 0; k < call->model->bodies; k++) {
        body_velocity(call, w, k);
    }
}

/* The acceleration that stands for gravity: -g at the base.  [GRAV] */
KERNEL motion base_acceleration(const soa_call *call)
{
    const soa_model *m = call->model;
    const vec3 g = has_own(call) ? in_vec3(call, call->M, 10 * (size_t)m->bodies) : vec3_set(m->description.gravity);
    return (motion){ vec3_zero(), vec3_neg(g) };
}

/* What of it reaches a body across its joint: phi* of it on the world, else zero. */
KERNEL motion base_gravity(const soa_call *call, const vars *w, int k)
{
    return call->model->body[k].parent < 0 ? phi_t(w->X[k], base_acceleration(call)) : motion_zero();
}

/* phi* alpha(p), the world's acceleration for the bodies on the base. */
KERNEL motion parent_acceleration(const vars *w, const soa_body_data *body, int k, motion base)
{
    return phi_t(w->X[k], body->parent < 0 ? base : w->alpha[body->parent]);
}

/* ---- results -------------------------------------------------------------------------- */

/* A force or a motion of a body to the user: in the axes and at the origin of the frame of its link. */
KERNEL void body_force_out(const soa_call *call, soa_out out, int k, force f)
{
    f = phi_inv(pose_set(&call->model->body[k].rest->frame), f);
    out_vec3(call, out, 6 * (size_t)k, f.n);
    out_vec3(call, out, 6 * (size_t)k + 3, f.f);
}

KERNEL void body_motion_out(const soa_call *call, soa_out out, int k, motion V)
{
    V = phi_t(pose_set(&call->model->body[k].rest->frame), V);
    out_vec3(call, out, 6 * (size_t)k, V.w);
    out_vec3(call, out, 6 * (size_t)k + 3, V.v);
}

/* ---- composite inertia ----------------------------------------------------------------- */

/* R(k) = M(k) + sum phi R phi*.  [R] */
static inline void composite_sweep(const soa_call *call, const vars *w)
{
    const soa_model *m = call->model;
    for (int k = 0; k < m->bodies; k++) {
        w->R[k] = rigid_set(m->body[k].inertia);
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        const int p = m->body[k].parent;
        if (p >= 0) {
            w->R[p] = rigid_add(w->R[p], rigid_shift(w->X[k], w->R[k]));
        }
    }
}

#endif
