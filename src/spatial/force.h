/* spatial/force.h - force f = (n; f): forces, momenta, columns of an inertia. */
#ifndef SOA_SPATIAL_FORCE_H
#define SOA_SPATIAL_FORCE_H

#include "spatial/motion.h"

typedef struct force {
    vec3 n; /* moment about the frame's origin */
    vec3 f;
} force;

KERNEL force force_zero(void)
{
    return (force){ vec3_zero(), vec3_zero() };
}

KERNEL force force_add(force a, force b)
{
    return (force){ vec3_add(a.n, b.n), vec3_add(a.f, b.f) };
}

KERNEL force force_sub(force a, force b)
{
    return (force){ vec3_sub(a.n, b.n), vec3_sub(a.f, b.f) };
}

KERNEL force force_neg(force a)
{
    return (force){ vec3_neg(a.n), vec3_neg(a.f) };
}

KERNEL force force_scale(real s, force a)
{
    return (force){ vec3_scale(s, a.n), vec3_scale(s, a.f) };
}

/* s a + b */
KERNEL force force_scale_add(real s, force a, force b)
{
    return (force){ vec3_scale_add(s, a.n, b.n), vec3_scale_add(s, a.f, b.f) };
}

/* The work a force does per time along a motion: n . w + f . v */
KERNEL real power(force f, motion V)
{
    return vec3_dot_add(f.f, V.v, vec3_dot(f.n, V.w));
}

#endif
