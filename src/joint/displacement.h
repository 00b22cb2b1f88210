/* joint/displacement.h - exponential and logarithm of motions of the plane and of space.
 *
 * A body that moves with the constant velocity (w; v), in its own axes, for
 * time 1 turns by exp w and shifts by V(w) v seen from where it began. */
#ifndef SOA_JOINT_DISPLACEMENT_H
#define SOA_JOINT_DISPLACEMENT_H

#include "spatial/vec3.h"

/* V(w) v and its inverse, |w| < 2 pi for the inverse. */
vec3 soa_shift_exp(vec3 w, vec3 v);
vec3 soa_shift_log(vec3 w, vec3 shift);

/* The angle less the multiple of 2 pi that brings it into [-pi, pi]. */
double soa_angle_wrap(double angle);

#endif
