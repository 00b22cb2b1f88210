/* sens/turning.h - displacements of frames, how those along the velocities of a joint turn with it, and linear models.
 *
 * Where velocities are not rates of coordinates, d(dq)/dt = dv - [v, dq]. */
#ifndef SOA_SENS_TURNING_H
#define SOA_SENS_TURNING_H

#include "model/model.h"
#include "spatial/pose.h"

/* Motion e of a frame: about its three axes, then along them. */
static inline motion motion_of_frame(pose X, int e)
{
    const vec3 axis[3] = { mat3_column_x(X.R), mat3_column_y(X.R), mat3_column_z(X.R) };
    return e < 3 ? (motion){ axis[e], vec3_cross(X.l, axis[e]) } : (motion){ vec3_zero(), axis[e - 3] };
}

/* The frame of the joint of body k as the user placed it, in the body frame of its parent, in the axes of this at the node that
 * carries it, in that of what holds its rotor, or in the world. */
static inline pose joint_in_carrier(const soa_model *m, int k)
{
    const soa_body_data *body = &m->body[k];
    const soa_link *link = soa_description_link(&m->description, body->rest->link);
    const pose at = pose_set(&link->joint.at);
    if (body->parent >= 0 && soa_holds_rotor(&m->body[body->parent])) {
        return at;
    }
    if (body->rest->node > 0) {
        return pose_compose((pose){ mat3_set(m->body[body->parent].rest->frame.rotation), vec3_zero() }, at);
    }
    return link->parent == SOA_WORLD ? at : pose_compose(pose_set(&m->place[link->parent].at), at);
}

/* -[beta, .] of a joint: the numbers of its block that are not zero. Rows are `columns` numbers apart, numbers `step`. */
static inline void turning_of_joint(soa_joint_kind kind, const double *beta, double *A, size_t columns, size_t step)
{
    if (kind == SOA_PLANAR) { /* vx, vy, w: [v, x] = (vy x2 - w x1, w x0 - vx x2, 0) */
        const double x[2][3] = { { 0.0, beta[2], -beta[1] }, { -beta[2], 0.0, beta[0] } };
        for (size_t i = 0; i < 6; i++) {
            A[(i / 3 * columns + i % 3) * step] = x[i / 3][i % 3];
        }
        return;
    }
    for (size_t c = 0; (kind == SOA_FREE || kind == SOA_SPHERICAL) && c < 3; c++) {
        const size_t i = (c + 1) % 3, j = (c + 2) % 3; /* -w~: (i,j) = w_c, (j,i) = -w_c */
        for (size_t block = 0; block < (kind == SOA_FREE ? 6 : 3); block += 3) {
            A[((block + i) * columns + block + j) * step] = beta[c];
            A[((block + j) * columns + block + i) * step] = -beta[c];
        }
        if (kind == SOA_FREE) { /* -v~ */
            A[((3 + i) * columns + j) * step] = beta[3 + c];
            A[((3 + j) * columns + i) * step] = -beta[3 + c];
        }
    }
}

/* r = [a, b] of a joint, not of modes; dual: r = ad_a* b, that is r.c = b.[a, c] for every c. */
static inline void joint_bracket(soa_joint_kind kind, int nv, bool dual, const double *a, const double *b, double *r)
{
    double minus_ad[SOA_JOINT_MAX_NV * SOA_JOINT_MAX_NV] = { 0.0 };
    turning_of_joint(kind, a, minus_ad, (size_t)nv, 1);
    for (int i = 0; i < nv; i++) {
        r[i] = 0.0;
        for (int j = 0; j < nv; j++) {
            r[i] -= minus_ad[dual ? j * nv + i : i * nv + j] * b[j];
        }
    }
}

/* A linear model of n velocities in all, of which the lower halves of A and B are there:  [LIN]
 *     x = (dq; dv), u = dT:   dx/dt = A x + B u,   y = (dq; dv; dvdot) = C x + D u
 *     A = [ -ad(v)  I ; dvdot_dq  dvdot_dv ]       B = [ 0 ; dvdot_dT ]
 * The upper halves, for models one after another, of which this one begins at velocity `first`. v NULL: rest. Numbers of
 * all matrices are `step` apart. */
static inline void linear_upper(
    const soa_model *m, const double *v, size_t first, size_t n, size_t step, double *A, double *B)
{
    const size_t end = first + (size_t)m->nv;
    for (size_t i = 2 * n * first; i < 2 * n * end; i++) {
        A[i * step] = i % (2 * n) == n + i / (2 * n) ? 1.0 : 0.0;
    }
    for (size_t i = n * first; i < n * end; i++) {
        B[i * step] = 0.0;
    }
    for (int k = 0; v && k < m->bodies; k++) {
        const size_t at = first + (size_t)m->body[k].v;
        turning_of_joint(m->body[k].rest->shape.kind, v + m->body[k].v, A + at * (2 * n + 1) * step, 2 * n, step);
    }
}

/* C and D, each if it is wanted, of A and B. */
static inline void linear_outputs(size_t n, size_t step, const double *A, const double *B, double *C, double *D)
{
    for (size_t i = 0; C && i < 6 * n * n; i++) {
        const size_t row = i / (2 * n), column = i % (2 * n);
        C[i * step] = row < 2 * n ? (row == column ? 1.0 : 0.0) : A[(i - 2 * n * n) * step];
    }
    for (size_t i = 0; D && i < 3 * n * n; i++) {
        D[i * step] = i < 2 * n * n ? 0.0 : B[(i - n * n) * step];
    }
}

#endif
