/* spatial/pose.h - where a child frame stands in its parent, and the shifts phi, phi*.
 *
 * R takes child axes to parent axes, l is the child's origin in parent axes.
 * In components phi(parent, child) = [R  l~ R; 0  R]: forces go inward with phi,
 * motions outward with phi*, and each has its inverse. */
#ifndef SOA_SPATIAL_POSE_H
#define SOA_SPATIAL_POSE_H

#include "soa/spatial.h"
#include "spatial/force.h"

typedef struct pose {
    mat3 R;
    vec3 l;
} pose;

KERNEL pose pose_identity(void)
{
    return (pose){ mat3_identity(), vec3_zero() };
}

/* The same pose in each lane. */
KERNEL pose pose_set(const soa_pose *X)
{
    return (pose){ mat3_set(X->rotation), vec3_set(X->position) };
}

/* phi f: a force on the child, seen at the parent; 24 operations. */
KERNEL force phi(pose X, force f)
{
    const vec3 F = mat3_mul_vec(X.R, f.f);
    return (force){ vec3_cross_add(X.l, F, mat3_mul_vec(X.R, f.n)), F };
}

/* phi* V: the motion of the parent, seen at the child; 24 operations. */
KERNEL motion phi_t(pose X, motion V)
{
    return (motion){ mat3_t_mul_vec(X.R, V.w), mat3_t_mul_vec(X.R, vec3_cross_add(V.w, X.l, V.v)) };
}

/* phi^-1 f: a force at the parent, seen at the child. */
KERNEL force phi_inv(pose X, force f)
{
    return (force){ mat3_t_mul_vec(X.R, vec3_cross_add(f.f, X.l, f.n)), mat3_t_mul_vec(X.R, f.f) };
}

/* phi*^-1 V: the motion of the child, seen at the parent. */
KERNEL motion phi_t_inv(pose X, motion V)
{
    const vec3 w = mat3_mul_vec(X.R, V.w);
    return (motion){ w, vec3_cross_add(X.l, w, mat3_mul_vec(X.R, V.v)) };
}

/* A point given in child axes, in parent axes. */
KERNEL vec3 pose_point(pose X, vec3 p)
{
    return mat3_mul_vec_add(X.R, p, X.l);
}

/* The frame b, given in a, seen from where a is given. */
KERNEL pose pose_compose(pose a, pose b)
{
    return (pose){ mat3_mul(a.R, b.R), pose_point(a, b.l) };
}

KERNEL pose pose_inverse(pose X)
{
    return (pose){ mat3_transpose(X.R), mat3_t_mul_vec(X.R, vec3_neg(X.l)) };
}

#endif
