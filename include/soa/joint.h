/* soa/joint.h - the kinds of joints and their coordinates.
 *
 * q is the configuration of a joint and beta its velocity: the spatial velocity of the outboard link relative to the
 * inboard one, in the axes of the outboard link, at the joint point. */
#ifndef SOA_JOINT_H
#define SOA_JOINT_H

#include "soa/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every joint kind: name, text, nq, nv, coordinates in words. */
#define SOA_JOINT_LIST(X)                                                                              \
    X(SOA_FIXED, "fixed", 0, 0, "none")                                                                \
    X(SOA_REVOLUTE, "revolute", 1, 1, "angle about the axis")                                          \
    X(SOA_CONTINUOUS, "continuous", 1, 1, "angle about the axis, without limits")                      \
    X(SOA_PRISMATIC, "prismatic", 1, 1, "slide along the axis")                                        \
    X(SOA_HELICAL, "helical", 1, 1, "angle about the axis; slides pitch per radian")                   \
    X(SOA_UNIVERSAL, "universal", 2, 2, "angle about axis (inboard), angle about axis2 (outboard)")    \
    X(SOA_CYLINDRICAL, "cylindrical", 2, 2, "angle about and slide along the axis")                    \
    X(SOA_PLANAR, "planar", 3, 3,                                                                      \
        "q: x, y in the plane, angle about the normal; beta: vx, vy in the link's axes, angular rate") \
    X(SOA_SPHERICAL, "spherical", 4, 3, "q: quaternion w x y z; beta: angular velocity")               \
    X(SOA_FREE, "free", 7, 6, "q: w x y z px py pz; beta: angular, linear velocity")

typedef enum soa_joint_kind {
#define SOA_JOINT_NAME(name, text, nq, nv, coordinates) name,
    SOA_JOINT_LIST(SOA_JOINT_NAME)
#undef SOA_JOINT_NAME
        SOA_JOINT_KINDS
} soa_joint_kind;

/* The largest numbers of coordinates and of velocities of a joint. */
#define SOA_JOINT_MAX_NQ 7
#define SOA_JOINT_MAX_NV 6

SOA_API const char *soa_joint_kind_text(soa_joint_kind kind);
SOA_API const char *soa_joint_kind_coordinates(soa_joint_kind kind);
SOA_API int soa_joint_kind_nq(soa_joint_kind kind);
SOA_API int soa_joint_kind_nv(soa_joint_kind kind);

/* Returns the kind with this text, or SOA_JOINT_KINDS if there is none. */
SOA_API soa_joint_kind soa_joint_kind_find(const char *text);

#ifdef __cplusplus
}
#endif
#endif
