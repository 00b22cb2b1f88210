/* sens/regressor_entries.h - how the inertial parameters of a link enter the force of a joint.  [REG]
 *
 * With mass m, first moment h, moment J about the link frame's origin: in the link's axes, with w, wd and the acceleration a
 * of its origin (gravity taken off), the joint column (w_i; v_i) there:
 *     T_i = m a . v_i + h . (a x w_i + (wd~ + w~ w~)* v_i) + w_i . J wd + (w_i x w) . J w. */
#ifndef SOA_SENS_REGRESSOR_ENTRIES_H
#define SOA_SENS_REGRESSOR_ENTRIES_H

#include "spatial/rigid.h"

/* A link's motion in its own axes. */
typedef struct link_motion {
    mat3 R;
    vec3 r; /* its origin */
    vec3 w, wd, a;
} link_motion;

/* Row i of the ten columns of a link; J the column of velocity i. */
static inline void regressor_entries(const link_motion *l, motion J, double y[SOA_RIGID_NUMBERS])
{
    const vec3 w_i = mat3_t_mul_vec(l->R, J.w), v_i = mat3_t_mul_vec(l->R, vec3_cross_add(J.w, l->r, J.v));
    const vec3 w = l->w, d = l->wd, u = vec3_cross(w_i, w);
    /* (wd~ + w~ w~)* v = v x wd + w x (w x v) */
    const vec3 turned = vec3_add(vec3_cross(v_i, d), vec3_cross(w, vec3_cross(w, v_i)));
    const vec3 h = vec3_cross_add(l->a, w_i, turned);
    y[0] = vec3_dot(l->a, v_i);
    y[1] = h.x;
    y[2] = h.y;
    y[3] = h.z;
    y[4] = w_i.x * d.x + u.x * w.x;
    y[5] = w_i.x * d.y + w_i.y * d.x + u.x * w.y + u.y * w.x;
    y[6] = w_i.x * d.z + w_i.z * d.x + u.x * w.z + u.z * w.x;
    y[7] = w_i.y * d.y + u.y * w.y;
    y[8] = w_i.y * d.z + w_i.z * d.y + u.y * w.z + u.z * w.y;
    y[9] = w_i.z * d.z + u.z * w.z;
}

#endif
