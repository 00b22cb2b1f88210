/* sens/tie.h - a closure at a state, and how it changes with its ends. */
#ifndef SOA_SENS_TIE_H
#define SOA_SENS_TIE_H

#include "sens/closed.h"
#include "spatial/cross.h"
#include "spatial/pose.h"

/* One end of a closure: a frame, in axes at the origin of its tree. */
typedef struct end_motion {
    const soa_end *end;
    const soa_part *part;
    pose X;
    vec3 origin;
    motion V, A;
    vec3 v, a; /* of the frame's origin; a the second derivative of where it is */
} end_motion;

/* Changes of an end. */
typedef struct end_change {
    vec3 theta, p, w, v, dw, a;
} end_change;

typedef struct tie_motion {
    const soa_closed_state *state;
    const soa_tie *tie;
    end_motion end[2];
    vec3 r, r_dot, r_ddot;
    vec3 n, f; /* of the multipliers on a, at its origin: rows fixed in b alone */
} tie_motion;

static inline pose read_pose(const double *x)
{
    return (pose){ { x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8] }, vec3_set(x + 9) };
}

static inline motion read_motion(const double *x)
{
    return (motion){ vec3_set(x), vec3_set(x + 3) };
}

tie_motion soa_tie_motion_of(const soa_closed_state *state, const soa_tie *tie);

/* W of a row as its multiplier pushes: with the friction of what slides. */
force soa_pushing_row(const soa_closed_state *state, const soa_tie *tie, int i);

/* How an end changes when what is outboard of some joint moves along S (S1, S2 as in sweep/fields.h), or its velocity along S
 * changes. */
end_change soa_change_along(const end_motion *e, motion S, motion S1, motion S2);
end_change soa_change_by_velocity(const end_motion *e, motion S, motion S3);

/* How the accelerations of all rows of the closure change when its ends do. */
void soa_row_changes(const tie_motion *t, const end_change *a, const end_change *b, double out[SOA_CLOSURE_MAX_ROWS]);

/* The whole force of the multipliers on a at its origin, and its change. */
force soa_force_on_a(const tie_motion *t);
force soa_force_change(const tie_motion *t, const end_change *a, const end_change *b);

/* Where models have flexible links: V, A, X and motions of an end whose system is known; J and F of a closure; and what
 * moving one end along each velocity, or changing these, does to both sides. (flexible_closed.c) */
void soa_flexible_end_motion(const soa_closed_state *state, const soa_point *point, end_motion *e);
void soa_flexible_tie_rows(const tie_motion *t, double *J, double *F);
void soa_flexible_end_by(const tie_motion *t, int side, bool by_v, soa_closed_sides to);

#endif
