/* soa/spatial.h - poses and inertias as a user writes them.
 *
 * A pose is the position and orientation of one frame in another. A point with the coordinates x in the posed frame has
 * the coordinates rotation * x + position in the other. */
#ifndef SOA_SPATIAL_H
#define SOA_SPATIAL_H

#include "soa/core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct soa_pose {
    double rotation[3][3]; /* row by row */
    double position[3];
} soa_pose;

/* Mass properties of a rigid body in its own frame. */
typedef struct soa_inertia {
    double mass;
    double com[3];    /* centre of mass */
    double moment[6]; /* about the centre of mass, axes of the frame: xx xy xz yy yz zz */
} soa_inertia;

SOA_API soa_pose soa_pose_identity(void);

/* Makes a pose from roll, pitch and yaw about fixed axes, as in URDF: rotation = Rz(yaw) Ry(pitch) Rx(roll). */
SOA_API soa_pose soa_pose_from_rpy(const double position[3], const double rpy[3]);

/* Makes a pose from a quaternion w x y z, which is normalised. A quaternion that is zero or not finite gives a rotation
 * of NaNs, which every builder refuses. */
SOA_API soa_pose soa_pose_from_quaternion(const double position[3], const double wxyz[4]);

/* Makes a pose from a rotation by an angle about an axis, which is normalised as above. */
SOA_API soa_pose soa_pose_from_axis_angle(const double position[3], const double axis[3], double angle);

/* Gives the quaternion w x y z of the rotation, with w >= 0. */
SOA_API void soa_pose_quaternion(const soa_pose *pose, double wxyz[4]);

/* Gives roll, pitch and yaw of the rotation, as in soa_pose_from_rpy. */
SOA_API void soa_pose_rpy(const soa_pose *pose, double rpy[3]);

/* Composes two poses: if `inner` is given in the frame `outer`, the result is given where outer is given. */
SOA_API soa_pose soa_pose_compose(const soa_pose *outer, const soa_pose *inner);
SOA_API soa_pose soa_pose_inverse(const soa_pose *pose);

/* Gives the inertia of the same body in the frame in which `pose` places the old one. */
SOA_API soa_inertia soa_inertia_transform(const soa_pose *pose, const soa_inertia *inertia);

/* Adds the inertias of two bodies in one frame, as if they were welded together. */
SOA_API soa_inertia soa_inertia_add(const soa_inertia *a, const soa_inertia *b);

/* Gives the principal moments in rising order. */
SOA_API void soa_inertia_principal(const soa_inertia *inertia, double moments[3]);

#ifdef __cplusplus
}
#endif
#endif
