/* expr/rate_steps.kernel.h - the instructions of a graph that are derivatives along coordinates. */
#ifndef SOA_EXPR_RATE_STEPS_KERNEL_H
#define SOA_EXPR_RATE_STEPS_KERNEL_H

#include "expr/inertia_rates.kernel.h"

/* ---- H, E_phi --------------------------------------------------------------------------------------- */

BODY_STEP(dH)
{
    for (int c = 0; c < body->nv; c++) {
        joint_of(m, i->y, body)[c] = power(forces_of(m, i->x)[k], column_along(m, i, k, c, all_along(i)));
    }
}

BODY_STEP(dH_t)
{
    motion y = motion_zero();
    for (int c = 0; c < body->nv && own(m, i, k, all_along(i)); c++) {
        y = motion_scale_add(joint_of(m, i->x, body)[c], column_along(m, i, k, c, all_along(i)), y);
    }
    motions_of(m, i->y)[k] = y;
}

BODY_STEP(dE_phi)
{
    force y = force_zero();
    for (CHILDREN) {
        if (own(m, i, j, all_along(i))) {
            y = force_add(y, phi(m->w->X[j], turned_force(m, i, j, all_along(i), forces_of(m, i->x)[j])));
        }
    }
    forces_of(m, i->y)[k] = y;
}

BODY_STEP(dE_phi_t)
{
    motion y = motion_zero();
    if (body->parent >= 0 && own(m, i, k, all_along(i))) {
        y = turned_motion(m, i, k, all_along(i), phi_t(m->w->X[k], motions_of(m, i->x)[body->parent]));
    }
    motions_of(m, i->y)[k] = y;
}

/* ---- points ---------------------------------------------------------------------------------------------
 * R* of a body, from world axes to its own, has the derivative -R* w_i~, w_i the angular velocity along
 * coordinate i in world axes; along two, with w_i,j = w_j~ w_i as far as j carries the axis of i,
 *     R*_ij = R* (w_j~ w_i~ - w_i,j~) */

typedef struct turning {
    vec3 w[2], rate; /* w_i, w_j, and w_i,j */
    int mask;
} turning;

static inline turning turning_of(const machine *m, const soa_step *i, int k)
{
    turning t = { .mask = all_along(i) };
    if (in_time(m, i)) {
        t.w[0] = mat3_mul_vec(m->w->W[k].R, m->w->V[k].w);
        return t;
    }
    for (int n = 0; n < i->along.count; n++) {
        const int one = n == 0 ? FIRST : SECOND;
        const int by = coordinate_of(m, i, one)->body;
        t.w[n] = mat3_mul_vec(m->w->W[by].R, axis_of(m, i, by, one).w);
    }
    t.rate = vec3_zero();
    if (t.mask == BOTH) {
        const soa_graph_coordinate *q = coordinate_of(m, i, FIRST);
        const int first = q->velocity - m->call->model->body[q->body].v, by = coordinate_of(m, i, SECOND)->body;
        if (by == q->body) { /* the axis may turn in its own joint too */
            t.rate = mat3_mul_vec(m->w->W[by].R, column_along(m, i, by, first, SECOND).w);
        }
        if (lie(m, i, q->body, SECOND, SOA_MOVES)) {
            t.rate = vec3_add(t.rate, vec3_cross(t.w[1], t.w[0]));
        }
    }
    return t;
}

/* What R*_mask = R* N does to a vector of forces, in world axes. */
KERNEL vec3 turned_in_world(const turning *t, vec3 x)
{
    if (t->mask != BOTH) {
        return vec3_cross(x, t->w[0]);
    }
    return vec3_sub(vec3_cross(t->w[1], vec3_cross(t->w[0], x)), vec3_cross(t->rate, x));
}

/* What N* of R*_mask = R* N does to a vector of motions, in world axes. */
KERNEL vec3 turned_back(const turning *t, vec3 x)
{
    if (t->mask != BOTH) {
        return vec3_cross(t->w[0], x);
    }
    return vec3_add(vec3_cross(t->w[0], vec3_cross(t->w[1], x)), vec3_cross(t->rate, x));
}

BODY_STEP(dB)
{
    force y = force_zero();
    if (m->tree->point[k + 1] >= 0 && moved(m, i, k)) {
        const turning t = turning_of(m, i, k);
        for (POINTS_AT) {
            const force f = forces_of(m, i->x)[p];
            const force turned = { turned_in_world(&t, f.n), turned_in_world(&t, f.f) };
            y = force_add(y, phi(point_pose(m->call, m->w, p, k), turned));
        }
    }
    forces_of(m, i->y)[k] = y;
}

STEP(dB_t)
{
    for (POINTS_AT) {
        motion y = motion_zero();
        if (k >= 0 && moved(m, i, k)) {
            const turning t = turning_of(m, i, k);
            const motion V = phi_t(point_pose(m->call, m->w, p, k), motions_of(m, i->x)[k]);
            y = (motion){ turned_back(&t, V.w), turned_back(&t, V.v) };
        }
        motions_of(m, i->y)[p] = y;
    }
}

/* ---- a, b, g -------------------------------------------------------------------------------------------- */

/* V along the mask. */
KERNEL motion velocity_along(const machine *m, const soa_step *i, int k, int mask)
{
    return mask == NEITHER ? m->w->V[k] : motions_of(m, i->input[mask - 1])[k];
}

/* Which coordinates of the mask are velocities: beta_3. */
KERNEL int by_velocity(const machine *m, const soa_step *i, int mask)
{
    const int second = mask & SECOND && coordinate_of(m, i, SECOND)->by == SOA_BY_VELOCITY ? SECOND : NEITHER;
    return (mask & FIRST && coordinate_of(m, i, FIRST)->by == SOA_BY_VELOCITY ? FIRST : NEITHER) | second;
}

/* The derivative of beta(c) along velocities: 1 for the one of that number. */
KERNEL bool is_velocity(const machine *m, const soa_step *i, int velocities, int c)
{
    return velocities != BOTH && coordinate_of(m, i, velocities)->velocity == c;
}

/* H* beta along the mask; inboard: of the columns fixed inboard alone. */
static inline motion joint_along(const machine *m, const soa_step *i, int k, int mask, bool inboard)
{
    const soa_body_data *body = &m->call->model->body[k];
    const int velocities = by_velocity(m, i, mask);
    motion sum = motion_zero();
    for (int c = 0; c < body->nv; c++) {
        if ((!inboard || column_inboard(body, c)) && velocities == NEITHER) {
            const real beta = in_get(m->call, m->call->v, (size_t)(body->v + c));
            sum = motion_scale_add(beta, column_along(m, i, k, c, mask), sum);
        } else if ((!inboard || column_inboard(body, c)) && is_velocity(m, i, velocities, body->v + c)) {
            sum = column_along(m, i, k, c, mask - velocities);
        }
    }
    return sum;
}

/* -g at a body on the base, along the mask. */
KERNEL motion gravity_along(const machine *m, const soa_step *i, int k)
{
    BODY;
    return body->parent < 0 && by_velocity(m, i, all_along(i)) == NEITHER
               ? turned_motion(m, i, k, all_along(i), base_motion(m, k))
               : motion_zero();
}

/* a = V~ H* beta - (H* beta)~ (H* beta of the columns fixed inboard)  [A-gen] */
BODY_STEP(rate_a)
{
    motion a = gravity_along(m, i, k);
    for (SUBSETS(part, all_along(i))) {
        const int rest = all_along(i) - part;
        const motion dV = joint_along(m, i, k, rest, false);
        a = motion_add(a, motion_cross(velocity_along(m, i, k, part), dV));
        a = motion_sub(a, motion_cross(joint_along(m, i, k, part, false), joint_along(m, i, k, rest, true)));
    }
    motions_of(m, i->y)[k] = a;
}

/* b = S[V] M V, and of rotors V.w x momentum  [B] [GEAR] */
BODY_STEP(rate_b)
{
    const rigid M = rigid_set(body->inertia);
    force b = force_zero();
    for (SUBSETS(part, all_along(i))) {
        const force momentum = rigid_mul(M, velocity_along(m, i, k, all_along(i) - part));
        b = force_add(b, force_cross(velocity_along(m, i, k, part), momentum));
    }
    for (CHILDREN) {
        const soa_body_data *child = &m->call->model->body[j];
        if (child->geared) {
            const vec3 gear = vec3_set(child->rest->gear);
            const vec3 spin = vec3_scale(in_get(m->call, m->call->v, (size_t)child->v), gear);
            b.n = vec3_add(b.n, vec3_cross(velocity_along(m, i, k, all_along(i)).w, spin));
            for (SUBSETS(part, by_velocity(m, i, all_along(i)))) {
                if (part != NEITHER && is_velocity(m, i, part, child->v)) {
                    b.n = vec3_add(b.n, vec3_cross(velocity_along(m, i, k, all_along(i) - part).w, gear));
                }
            }
        }
    }
    forces_of(m, i->y)[k] = b;
}

/* Three numbers of beta along the mask; of what is no velocity none changes. */
static inline vec3 beta_along(const machine *m, const soa_step *i, int first, int mask)
{
    if (mask == NEITHER) {
        return in_vec3(m->call, m->call->v, (size_t)first);
    }
    const int velocities = by_velocity(m, i, mask), c = velocities == mask ? mask : BOTH;
    return (vec3){ real_set(is_velocity(m, i, c, first)), real_set(is_velocity(m, i, c, first + 1)),
        real_set(is_velocity(m, i, c, first + 2)) };
}

/* b_Arm = Arm w x v of beta = (w; v), of a planar joint of beta = (v1, v2, w). */
BODY_STEP(rate_b_Arm)
{
    const bool planar = body->rest->shape.kind == SOA_PLANAR, free = body->rest->shape.kind == SOA_FREE;
    real *y = joint_of(m, i->y, body);
    for (int n = 0; n < body->nv; n++) {
        y[n] = real_set(0.0);
    }
    for (SUBSETS(part, all_along(i))) {
        if (planar) {
            const vec3 w = beta_along(m, i, body->v, part), v = beta_along(m, i, body->v, all_along(i) - part);
            y[0] = y[0] - body->armature * (w.z * v.y);
            y[1] = y[1] + body->armature * (w.z * v.x);
        } else if (free) {
            const vec3 turned = vec3_scale(real_set(body->armature),
                vec3_cross(beta_along(m, i, body->v, part), beta_along(m, i, body->v + 3, all_along(i) - part)));
            y[3] = y[3] + turned.x;
            y[4] = y[4] + turned.y;
            y[5] = y[5] + turned.z;
        }
    }
}

#endif
