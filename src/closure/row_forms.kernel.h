/* closure/row_forms.kernel.h - rows of closures on `real`: W, its rate and its bias.
 *
 * rows.kernel.h makes the rows of a state of them, and soa emit those of one robot. */
#ifndef SOA_CLOSURE_ROW_FORMS_KERNEL_H
#define SOA_CLOSURE_ROW_FORMS_KERNEL_H

#include "soa/closure.h"
#include "spatial/motion.h"

/* How the frames of a closure move, in world axes, both at the origin of a. */
typedef struct ends_motion {
    vec3 w, u; /* of a relative to b */
    vec3 w_a, w_b, v_a;
} ends_motion;

KERNEL ends_motion ends_motion_of(vec3 w_a, vec3 v_a, vec3 w_b, vec3 v_b)
{
    return (ends_motion){ vec3_sub(w_a, w_b), vec3_sub(v_a, v_b), w_a, w_b, v_a };
}

/* dW_w/dt . w + dW_v/dt . u + W_v . (w x v_a) */
KERNEL real form_bias(const ends_motion *m, motion W, motion W_dot)
{
    return vec3_dot(W_dot.w, m->w) + vec3_dot(W_dot.v, m->u) + vec3_dot(W.v, vec3_cross(m->w, m->v_a));
}

/* dW/dt = w_b x W of a row fixed in frame b. */
KERNEL motion fixed_rate(const ends_motion *m, motion W)
{
    return (motion){ vec3_cross(m->w_b, W.w), vec3_cross(m->w_b, W.v) };
}

/* The bias of rows along the axes of b, rotations and translations. With c the axis,
 *     (w_b x c) . w = c . (w x w_b),   (w_b x c) . u + c . (w x v_a) = c . (u x w_b + w x v_a) */
KERNEL motion axis_bias(const ends_motion *m, mat3 R_b)
{
    return (motion){ mat3_t_mul_vec(R_b, vec3_cross(m->w, m->w_b)),
        mat3_t_mul_vec(R_b, vec3_add(vec3_cross(m->u, m->w_b), vec3_cross(m->w, m->v_a))) };
}

/* z of b at right angles to x of a: W = (x x z; 0). */
KERNEL motion universal_row(const ends_motion *m, vec3 x, vec3 z, motion *W_dot)
{
    const vec3 x_dot = vec3_cross(m->w_a, x), z_dot = vec3_cross(m->w_b, z);
    *W_dot = (motion){ vec3_add(vec3_cross(x_dot, z), vec3_cross(x, z_dot)), vec3_zero() };
    return (motion){ vec3_cross(x, z), vec3_zero() };
}

/* The distance of the origins, r apart: W = (0; r / |r|). */
KERNEL motion distance_row(const ends_motion *m, vec3 r, real length, motion *W_dot)
{
    const real inverse = real_div(real_set(1.0), length);
    const vec3 n = vec3_scale(inverse, r), r_dot = vec3_add(m->u, vec3_cross(m->w_b, r));
    const vec3 across = vec3_scale_add(-vec3_dot(n, r_dot), n, r_dot);
    *W_dot = (motion){ vec3_zero(), vec3_scale(inverse, across) };
    return (motion){ vec3_zero(), n };
}

/* A coupling at q of its driver: the polynomial, its slope and its curvature. */
typedef struct coupling_value {
    real value, slope, curve;
} coupling_value;

KERNEL coupling_value coupling_at_driver(const double *coefficient, real q)
{
    coupling_value y = { real_set(0.0), real_set(0.0), real_set(0.0) };
    for (int i = SOA_COUPLING_TERMS - 1; i >= 0; i--) {
        y.curve = y.curve * q + 2.0 * y.slope;
        y.slope = y.slope * q + y.value;
        y.value = y.value * q + coefficient[i];
    }
    return y;
}

#endif
