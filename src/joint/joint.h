/* joint/joint.h - a joint as the lower levels see it, and its configuration space.
 *
 * In canonical frames: an axis is z of both sides. For joint coordinates q the
 * pose of the moving (outboard) side in the fixed (inboard) side is
 *     fixed               I
 *     revolute            Rz(q)                 (continuous too)
 *     prismatic           slide q along z
 *     helical             Rz(q), slide pitch q along z
 *     universal           Rot(axis1, q0) Rz(q1)
 *     cylindrical         Rz(q0), slide q1 along z
 *     planar              slide (q0, q1, 0), Rz(q2)
 *     spherical           R(quaternion q)
 *     free                R(quaternion q0..3), slide (q4, q5, q6)
 * A reversed joint has the inverse of this pose; q and beta are then those of
 * the inboard side relative to the outboard one. */
#ifndef SOA_JOINT_JOINT_H
#define SOA_JOINT_JOINT_H

#include "soa/joint.h"

typedef struct soa_joint_shape {
    soa_joint_kind kind;
    bool reversed;
    double pitch;    /* helical */
    double axis1[3]; /* universal: unit length, fixed inboard */
} soa_joint_shape;

/* q_out = q moved along the constant beta for time dt, exactly. q_out may be q. */
void soa_joint_integrate(const soa_joint_shape *shape, const double *q, const double *beta, double dt, double *q_out);

/* dq/dt at beta. A quaternion need not be of unit length; rate is not q or beta. */
void soa_joint_rates(const soa_joint_shape *shape, const double *q, const double *beta, double *rate);

/* How the rate dq/dt at beta changes while q moves with `along`, the numbers of beta staying the same. With w the angular
 * and v the linear velocities, a quaternion changes by q w_along w_beta / 4, which is the rate of w_along x w_beta / 2 but for
 * its length, a position by R (w_along x v_beta). Joints whose rate is beta have no change, and leave it alone. */
void soa_joint_rates_change(
    const soa_joint_shape *shape, const double *q, const double *beta, const double *along, double *change);

/* beta such that integrating q0 along it for time 1 gives the pose of q1; of
 * spherical, free and planar joints the turn of at most pi. */
void soa_joint_difference(const soa_joint_shape *shape, const double *q0, const double *q1, double *beta);

/* SOA_E_NUMBER: not finite; SOA_E_CONFIGURATION: a quaternion is off unit length by more than 1e-6. */
soa_status soa_joint_check(const soa_joint_shape *shape, const double *q);

/* A quaternion to unit length. A zero or non-finite q is refused and left as it is. */
soa_status soa_joint_normalize(const soa_joint_shape *shape, double *q);

/* Random q between the limits (one per velocity, as in soa_joint): unlimited
 * slides within 1, unlimited angles within pi, rotations uniform. */
void soa_joint_random(
    const soa_joint_shape *shape, const double *lower, const double *upper, unsigned long long *seed, double *q);

#endif
