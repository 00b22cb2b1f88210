/* joint/joint.kernel.h - pose, joint map and bias of every joint kind, in lanes.
 *
 *     X     pose of the outboard side in the inboard side, from q
 *     H*    columns in outboard axes: relative velocity = H* beta
 *     bias  (dH* / dt) beta, the derivative of components in outboard axes:
 *           d/dt (H* beta) = H* betadot + bias
 *
 * H* and the bias depend on q through X alone. A reversed joint with the forward
 * pose X_f = X^-1 and map H_f has H* = -phi*(X) H_f*, since the velocity of the
 * inboard side relative to the outboard one is the negative; then
 * (dH* / dt) beta = -phi*(X) (dH_f* / dt) beta because V_f~ V_f = 0. */
#ifndef SOA_JOINT_KERNEL_H
#define SOA_JOINT_KERNEL_H

#include "joint/joint.h"
#include "spatial/cross.h"
#include "spatial/pose.h"
#include "spatial/sincos.h"

/* How many coordinates it has. */
KERNEL int joint_nq(const soa_joint_shape *shape)
{
#define JOINT_NQ(name, text, nq, nv, coordinates) nq,
    static const unsigned char nq_of[] = { SOA_JOINT_LIST(JOINT_NQ) };
#undef JOINT_NQ
    return nq_of[shape->kind];
}

/* ---- pose --------------------------------------------------------------------- */

/* Rz of an angle with that cosine and sine. */
KERNEL mat3 rotation_z(real c, real s)
{
    const real o = real_set(0.0), i = real_set(1.0);
    return (mat3){ c, -s, o, s, c, o, o, o, i };
}

/* Rotation about a unit vector a: c I + s a~ + (1 - c) a a* */
KERNEL mat3 rotation_about(vec3 a, real c, real s)
{
    const real d = real_set(1.0) - c;
    const vec3 da = vec3_scale(d, a), sa = vec3_scale(s, a);
    return (mat3){
        real_fma(da.x, a.x, c),
        real_fma(da.x, a.y, -sa.z),
        real_fma(da.x, a.z, sa.y), //
        real_fma(da.x, a.y, sa.z),
        real_fma(da.y, a.y, c),
        real_fma(da.y, a.z, -sa.x), //
        real_fma(da.x, a.z, -sa.y),
        real_fma(da.y, a.z, sa.x),
        real_fma(da.z, a.z, c),
    };
}

/* dq/dt = q w / 2 of a quaternion, which need not be of unit length. */
KERNEL void quaternion_rate(const real *q, const real *w, real *rate)
{
    rate[0] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
    rate[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    rate[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    rate[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
}

/* Rotation of a quaternion w x y z; a rotation whatever its length. */
KERNEL mat3 rotation_of_quaternion(const real *q)
{
    const real w = q[0], one = real_set(1.0);
    const vec3 u = { q[1], q[2], q[3] };
    const real s = real_div(real_set(2.0), real_fma(w, w, vec3_dot(u, u)));
    const vec3 su = vec3_scale(s, u), wu = vec3_scale(w, su);
    const real xy = su.x * u.y, xz = su.x * u.z, yz = su.y * u.z;
    const real xx = su.x * u.x, yy = su.y * u.y, zz = su.z * u.z;
    return (mat3){
        one - (yy + zz),
        xy - wu.z,
        xz + wu.y, //
        xy + wu.z,
        one - (xx + zz),
        yz - wu.x, //
        xz - wu.y,
        yz + wu.x,
        one - (xx + yy),
    };
}

/* The pose of the joint if it were not reversed. */
KERNEL pose joint_pose_forward(const soa_joint_shape *shape, const real *q)
{
    const real o = real_set(0.0);
    real s, c, s1, c1;
    pose X = pose_identity();
    switch (shape->kind) {
    case SOA_REVOLUTE:
    case SOA_CONTINUOUS:
        real_sincos(q[0], &s, &c);
        X.R = rotation_z(c, s);
        break;
    case SOA_PRISMATIC:
        X.l = (vec3){ o, o, q[0] };
        break;
    case SOA_HELICAL:
        real_sincos(q[0], &s, &c);
        X = (pose){ rotation_z(c, s), { o, o, shape->pitch * q[0] } };
        break;
    case SOA_UNIVERSAL:
        real_sincos(q[0], &s, &c);
        real_sincos(q[1], &s1, &c1);
        X.R = mat3_rotz(rotation_about(vec3_set(shape->axis1), c, s), c1, s1);
        break;
    case SOA_CYLINDRICAL:
        real_sincos(q[0], &s, &c);
        X = (pose){ rotation_z(c, s), { o, o, q[1] } };
        break;
    case SOA_PLANAR:
        real_sincos(q[2], &s, &c);
        X = (pose){ rotation_z(c, s), { q[0], q[1], o } };
        break;
    case SOA_SPHERICAL:
        X.R = rotation_of_quaternion(q);
        break;
    case SOA_FREE:
        X = (pose){ rotation_of_quaternion(q), { q[4], q[5], q[6] } };
        break;
    case SOA_FIXED:
    case SOA_JOINT_KINDS:
        break;
    }
    return X;
}

KERNEL pose joint_pose(const soa_joint_shape *shape, const real *q)
{
    const pose X = joint_pose_forward(shape, q);
    return shape->reversed ? pose_inverse(X) : X;
}

/* ---- joint map ------------------------------------------------------------------ */

/* The unit motion number i: wx wy wz vx vy vz. */
KERNEL motion motion_unit(int i)
{
    const real o = real_set(0.0), e = real_set(1.0);
    return (motion){
        { i == 0 ? e : o, i == 1 ? e : o, i == 2 ? e : o },
        { i == 3 ? e : o, i == 4 ? e : o, i == 5 ? e : o },
    };
}

/* H_f* of a joint whose (forward) rotation is R; returns the number of columns. */
KERNEL int joint_map_forward(const soa_joint_shape *shape, mat3 R, motion H_t[SOA_JOINT_MAX_NV])
{
    switch (shape->kind) {
    case SOA_REVOLUTE:
    case SOA_CONTINUOUS:
        H_t[0] = motion_unit(2);
        return 1;
    case SOA_PRISMATIC:
        H_t[0] = motion_unit(5);
        return 1;
    case SOA_HELICAL:
        H_t[0] = motion_unit(2);
        H_t[0].v.z = real_set(shape->pitch);
        return 1;
    case SOA_UNIVERSAL:
        H_t[0] = (motion){ mat3_t_mul_vec(R, vec3_set(shape->axis1)), vec3_zero() };
        H_t[1] = motion_unit(2);
        return 2;
    case SOA_CYLINDRICAL:
        H_t[0] = motion_unit(2);
        H_t[1] = motion_unit(5);
        return 2;
    case SOA_PLANAR:
        H_t[0] = motion_unit(3);
        H_t[1] = motion_unit(4);
        H_t[2] = motion_unit(2);
        return 3;
    case SOA_SPHERICAL:
    case SOA_FREE:
        for (int i = 0; i < (shape->kind == SOA_FREE ? 6 : 3); i++) {
            H_t[i] = motion_unit(i);
        }
        return shape->kind == SOA_FREE ? 6 : 3;
    case SOA_FIXED:
    case SOA_JOINT_KINDS:
        break;
    }
    return 0;
}

/* The columns of H*, X = joint_pose(shape, q); returns their number. */
KERNEL int joint_map(const soa_joint_shape *shape, pose X, motion H_t[SOA_JOINT_MAX_NV])
{
    const mat3 R = shape->reversed ? mat3_transpose(X.R) : X.R;
    const int nv = joint_map_forward(shape, R, H_t);
    if (shape->reversed) {
        for (int i = 0; i < nv; i++) {
            H_t[i] = phi_t(X, motion_neg(H_t[i]));
        }
    }
    return nv;
}

/* H* beta, X = joint_pose(shape, q). */
KERNEL motion joint_velocity(const soa_joint_shape *shape, pose X, const real *beta)
{
    motion H_t[SOA_JOINT_MAX_NV], V = motion_zero();
    const int nv = joint_map(shape, X, H_t);
    for (int i = 0; i < nv; i++) {
        V = motion_scale_add(beta[i], H_t[i], V);
    }
    return V;
}

/* ---- bias ----------------------------------------------------------------------- */

/* Whether the bias can be anything but zero. */
KERNEL bool joint_has_bias(const soa_joint_shape *shape)
{
    return shape->kind == SOA_UNIVERSAL;
}

/* (dH* / dt) beta, X = joint_pose(shape, q). Universal, u = R* axis1 turning in
 * outboard axes with -beta1 z: bias = beta0 beta1 u x z. */
KERNEL motion joint_bias(const soa_joint_shape *shape, pose X, const real *beta)
{
    if (!joint_has_bias(shape)) {
        return motion_zero();
    }
    const mat3 R = shape->reversed ? mat3_transpose(X.R) : X.R;
    const vec3 u = mat3_t_mul_vec(R, vec3_set(shape->axis1));
    const real rate = beta[0] * beta[1];
    const motion bias = { { rate * u.y, -(rate * u.x), real_set(0.0) }, vec3_zero() };
    return shape->reversed ? phi_t(X, motion_neg(bias)) : bias;
}

#endif
