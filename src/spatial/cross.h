/* spatial/cross.h - the cross products of 6-vectors z = (x; y), MATH.md section 7.
 *
 *     z~ = [x~ 0; y~ x~]    S[z] = [x~ y~; 0 x~] = -(z~)*    Q[z] = [x~ y~; y~ 0] */
#ifndef SOA_SPATIAL_CROSS_H
#define SOA_SPATIAL_CROSS_H

#include "spatial/force.h"

/* z~ c: how a motion c fixed in a frame that moves with z changes; 18 operations. */
KERNEL motion motion_cross(motion z, motion c)
{
    return (motion){ vec3_cross(z.w, c.w), vec3_cross_add(z.v, c.w, vec3_cross(z.w, c.v)) };
}

/* S[z] f: how a force fixed in a frame that moves with z changes; 18 operations. */
KERNEL force force_cross(motion z, force f)
{
    return (force){ vec3_cross_add(z.v, f.f, vec3_cross(z.w, f.n)), vec3_cross(z.w, f.f) };
}

#endif
