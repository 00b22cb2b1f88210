/* soa/spatial.h - poses and inertias as a user writes them.
 *
 * A pose is the position and orientation of one frame in another: a point with
 * coordinates x in the posed frame has rotation * x + position in the other. */
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

/* Fixed-axis roll, pitch, yaw (URDF): rotation = Rz(yaw) Ry(pitch) Rx(roll). */
SOA_API soa_pose soa_pose_from_rpy(const double position[3], const double rpy[3]);

/* Quaternion w x y z of any length but zero; it is normalised. A zero or
 * non-finite quaternion gives a rotation of NaNs, which every builder refuses. */
SOA_API soa_pose soa_pose_from_quaternion(const double position[3], const double wxyz[4]);

/* Rotation by angle about axis (any length but zero, as above). */
SOA_API soa_pose soa_pose_from_axis_angle(const double position[3], const double axis[3], double angle);

/* Of the rotation, w x y z with w >= 0. */
SOA_API void soa_pose_quaternion(const soa_pose *pose, double wxyz[4]);

/* Of the rotation, roll, pitch, yaw as in soa_pose_from_rpy. */
SOA_API void soa_pose_rpy(const soa_pose *pose, double rpy[3]);

/* The frame `inner`, given in `outer`, seen from where outer is given. */
SOA_API soa_pose soa_pose_compose(const soa_pose *outer, const soa_pose *inner);
SOA_API soa_pose soa_pose_inverse(const soa_pose *pose);

/* The same body seen from the frame in which `pose` places the old one. */
SOA_API soa_inertia soa_inertia_transform(const soa_pose *pose, const soa_inertia *inertia);

/* Two bodies in one frame, welded together. */
SOA_API soa_inertia soa_inertia_add(const soa_inertia *a, const soa_inertia *b);

/* Principal moments, ascending. */
SOA_API void soa_inertia_principal(const soa_inertia *inertia, double moments[3]);

#ifdef __cplusplus
}
#endif
#endif
