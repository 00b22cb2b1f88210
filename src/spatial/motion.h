/* spatial/motion.h - motion V = (w; v): velocities, accelerations, joint axes. */
#ifndef SOA_SPATIAL_MOTION_H
#define SOA_SPATIAL_MOTION_H

#include "spatial/vec3.h"

typedef struct motion {
    vec3 w; /* angular */
    vec3 v; /* linear, of the frame's origin */
} motion;

KERNEL motion motion_zero(void)
{
    return (motion){ vec3_zero(), vec3_zero() };
}

KERNEL motion motion_add(motion a, motion b)
{
    return (motion){ vec3_add(a.w, b.w), vec3_add(a.v, b.v) };
}

KERNEL motion motion_sub(motion a, motion b)
{
    return (motion){ vec3_sub(a.w, b.w), vec3_sub(a.v, b.v) };
}

KERNEL motion motion_neg(motion a)
{
    return (motion){ vec3_neg(a.w), vec3_neg(a.v) };
}

KERNEL motion motion_scale(real s, motion a)
{
    return (motion){ vec3_scale(s, a.w), vec3_scale(s, a.v) };
}

/* s a + b */
KERNEL motion motion_scale_add(real s, motion a, motion b)
{
    return (motion){ vec3_scale_add(s, a.w, b.w), vec3_scale_add(s, a.v, b.v) };
}

#endif
