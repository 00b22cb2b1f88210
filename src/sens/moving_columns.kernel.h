/* sens/moving_columns.kernel.h - how the bodies of one state move and how that changes with the joints, as plain numbers.
 *
 * World axes at the origin of the tree (sweep/fields.h has the symbols), without gravity. */
#ifndef SOA_SENS_MOVING_COLUMNS_KERNEL_H
#define SOA_SENS_MOVING_COLUMNS_KERNEL_H

#include "sens/column_forces.kernel.h"
#include "sens/turning.h"

#if LANES == 1

static inline double *write_vec3(double *to, vec3 x)
{
    to[0] = x.x, to[1] = x.y, to[2] = x.z;
    return to + 3;
}

static inline double *write_motion(double *to, motion x)
{
    return write_vec3(write_vec3(to, x.w), x.v);
}

static inline double *write_pose(double *to, pose X)
{
    to = write_vec3(to, (vec3){ X.R.xx, X.R.xy, X.R.xz });
    to = write_vec3(to, (vec3){ X.R.yx, X.R.yy, X.R.yz });
    return write_vec3(write_vec3(to, (vec3){ X.R.zx, X.R.zy, X.R.zz }), X.l);
}

/* The joint's frame of body k as the user placed it, in axes at `origin` in which its parent is at `parent`. */
static inline pose placed_joint(const soa_model *m, int k, pose parent, vec3 origin)
{
    const pose in_parent = joint_in_carrier(m, k);
    return m->body[k].parent >= 0 ? pose_compose(parent, in_parent)
                                  : (pose){ in_parent.R, vec3_sub(in_parent.l, origin) };
}

/* The joint's frame of body k as the user placed it, where lengths are taken from as in all fields. */
static inline pose joint_frame(const soa_call *call, const vars *w, int k)
{
    const soa_model *m = call->model;
    const int p = m->body[k].parent;
    if (p >= 0) {
        const double *x = fields_of(call, (size_t)m->body[p].v);
        return placed_joint(m, k, (pose){ field_mat3(x, FIELD_R), field_vec3(x, FIELD_l) }, vec3_zero());
    }
    body_position(call, w, k);
    return placed_joint(m, k, pose_identity(), w->X[k].l);
}

/* q, v (or none), u = betadot (or none); y = SOA_MOVING_COLUMN numbers per velocity, y2 = SOA_MOVING_BODY per body. */
static void moving_columns(soa_call *call)
{
    const soa_model *m = call->model;
    const vars w = fields_begin(call);
    bodies_alone(call, &w, (moving){ motion_zero(), motion_zero() });
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        double *to = call->y2.at + (size_t)k * SOA_MOVING_BODY;
        vec3 origin;
        if (body->parent < 0) {
            body_position(call, &w, k);
            origin = w.X[k].l;
        } else {
            origin = vec3_set(call->y2.at + (size_t)body->parent * SOA_MOVING_BODY + SOA_MOVING_ORIGIN);
        }
        to = write_motion(write_motion(to, w.V[k]), w.alpha[k]);
        const pose parent = body->parent < 0 ? pose_identity() : w.W[body->parent];
        write_pose(write_vec3(to, origin), placed_joint(m, k, parent, origin));
        for (int i = body->v; i < body->v + body->nv; i++) {
            to = call->y.at + (size_t)i * SOA_MOVING_COLUMN;
            for (int a = 0; a < 4; a++) {
                to = write_motion(to, field_motion(fields_of(call, (size_t)i), FIELD_J + 6 * a));
            }
        }
    }
}
#endif

#endif
