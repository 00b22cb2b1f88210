/* tests/dynamics/jets.h - where the links of a description are, to second order in time.
 *
 * A jet is a 4 x 4 matrix with its first two rates, found by the product rule from
 * the description alone. */
#ifndef SOA_TESTS_DYNAMICS_JETS_H
#define SOA_TESTS_DYNAMICS_JETS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "soa/dynamics.h"

typedef long double num;

/* ---- small vectors ------------------------------------------------------------------- */

static inline void cross3(const num *a, const num *b, num *c)
{
    const num x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    c[0] = x;
    c[1] = y;
    c[2] = z;
}

static inline num dot3(const num *a, const num *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- jets ------------------------------------------------------------------------------ */

/* A homogeneous matrix, its rate and the rate of that. */
typedef struct jet {
    num x[3][4][4];
} jet;

static inline jet jet_mul(const jet *a, const jet *b)
{
    const int choose[3][3] = { { 1, 0, 0 }, { 1, 1, 0 }, { 1, 2, 1 } };
    jet c = { { { { 0 } } } };
    for (int n = 0; n < 3; n++) {
        for (int s = 0; s <= n; s++) {
            for (int i = 0; i < 4; i++) {
                for (int j = 0; j < 4; j++) {
                    for (int k = 0; k < 4; k++) {
                        c.x[n][i][j] += choose[n][s] * a->x[n - s][i][k] * b->x[s][k][j];
                    }
                }
            }
        }
    }
    return c;
}

static inline jet jet_one(void)
{
    jet c = { { { { 0 } } } };
    for (int i = 0; i < 4; i++) {
        c.x[0][i][i] = 1;
    }
    return c;
}

static inline jet jet_pose(const soa_pose *pose)
{
    jet c = jet_one();
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.x[0][i][j] = pose->rotation[i][j];
        }
        c.x[0][i][3] = pose->position[i];
    }
    return c;
}

/* R*, then the shift by -l. */
static inline jet jet_inverse(const jet *a)
{
    jet turned = jet_one(), shifted = jet_one();
    for (int n = 0; n < 3; n++) {
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                turned.x[n][i][j] = a->x[n][j][i];
            }
            shifted.x[n][i][3] = -a->x[n][i][3];
        }
    }
    return jet_mul(&turned, &shifted);
}

static inline void tilde(const num *a, num K[3][3])
{
    const num k[3][3] = { { 0, -a[2], a[1] }, { a[2], 0, -a[0] }, { -a[1], a[0], 0 } };
    memcpy(K, k, sizeof k);
}

static inline void unit3(const double *a, num *u)
{
    const num x[3] = { a[0], a[1], a[2] };
    for (int i = 0; i < 3; i++) {
        u[i] = x[i] / sqrtl(dot3(x, x));
    }
}

/* A turn about the unit vector u by the angle with derivatives t[0..2]: I + s K + (1 - c) K K. */
static inline jet jet_turn(const num *u, const num *t)
{
    jet a = jet_one();
    const num s = sinl(t[0]), c = cosl(t[0]);
    num K[3][3];
    tilde(u, K);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const num KK = K[i][0] * K[0][j] + K[i][1] * K[1][j] + K[i][2] * K[2][j];
            a.x[0][i][j] += s * K[i][j] + (1 - c) * KK;
            a.x[1][i][j] = t[1] * (c * K[i][j] + s * KK);
            a.x[2][i][j] = t[2] * (c * K[i][j] + s * KK) + t[1] * t[1] * (c * KK - s * K[i][j]);
        }
    }
    return a;
}

static inline jet jet_slide(const num *u, const num *t)
{
    jet a = jet_one();
    for (int n = 0; n < 3; n++) {
        for (int i = 0; i < 3; i++) {
            a.x[n][i][3] = t[n] * u[i];
        }
    }
    return a;
}

/* A moving frame that stands at `at` with velocity (w; v) and its rate (wd; vd) in its own axes. */
static inline jet jet_moving(const soa_pose *at, const num *w, const num *v, const num *wd, const num *vd)
{
    const jet here = jet_pose(at);
    jet local = jet_one();
    num W[3][3], D[3][3], wv[3];
    tilde(w, W);
    tilde(wd, D);
    cross3(w, v, wv);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            local.x[1][i][j] = W[i][j];
            local.x[2][i][j] = D[i][j] + W[i][0] * W[0][j] + W[i][1] * W[1][j] + W[i][2] * W[2][j];
        }
        local.x[1][i][3] = v[i];
        local.x[2][i][3] = vd[i] + wv[i];
    }
    return jet_mul(&here, &local);
}

/* ---- joints as soa/model.h describes them -------------------------------------------------- */

/* The shortest rotation of z to the unit vector n (not -z). */
static inline jet jet_normal(const num *n)
{
    const num z[3] = { 0, 0, 1 };
    num a[3], K[3][3];
    jet S = jet_one();
    cross3(z, n, a);
    tilde(a, K);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            S.x[0][i][j] += K[i][j] + (K[i][0] * K[0][j] + K[i][1] * K[1][j] + K[i][2] * K[2][j]) / (1 + n[2]);
        }
    }
    return S;
}

static inline jet planar_jet(const num *normal, const double *q, const double *v, const double *vd)
{
    const double z[3] = { 0, 0, 1 };
    const soa_pose at = soa_pose_from_axis_angle((double[3]){ q[0], q[1], 0 }, z, q[2]);
    const num w[3] = { 0, 0, v[2] }, u[3] = { v[0], v[1], 0 }, wd[3] = { 0, 0, vd[2] }, ud[3] = { vd[0], vd[1], 0 };
    const jet S = jet_normal(normal), S_inv = jet_inverse(&S), plane = jet_moving(&at, w, u, wd, ud);
    const jet half = jet_mul(&S, &plane);
    return jet_mul(&half, &S_inv);
}

static inline jet ball_jet(const double *q, const double *v, const double *vd, bool moves)
{
    const double o[3] = { 0, 0, 0 };
    const soa_pose at = soa_pose_from_quaternion(moves ? q + 4 : o, q);
    num x[12] = { 0 };
    for (int i = 0; i < (moves ? 6 : 3); i++) {
        x[i] = v[i];
        x[6 + i] = vd[i];
    }
    return jet_moving(&at, x, x + 3, x + 6, x + 9);
}

static inline jet joint_jet(const soa_joint *joint, const double *q, const double *v, const double *vd)
{
    num a[3] = { 0 }, b[3] = { 0 };
    const int nq = soa_joint_kind_nq(joint->kind);
    if (nq > 0 && nq < 4) {
        unit3(joint->axis, a);
    }
    const num t0[3] = { nq > 0 ? q[0] - (nq == 1 ? joint->reference : 0.0) : 0, nq > 0 ? v[0] : 0, nq > 0 ? vd[0] : 0 };
    const num t1[3] = { nq > 1 ? q[1] : 0, nq > 1 ? v[1] : 0, nq > 1 ? vd[1] : 0 };
    const num p = joint->pitch, slide[3] = { p * t0[0], p * t0[1], p * t0[2] };
    jet x = jet_one(), y;
    switch (joint->kind) {
    case SOA_REVOLUTE:
    case SOA_CONTINUOUS:
        x = jet_turn(a, t0);
        break;
    case SOA_PRISMATIC:
        x = jet_slide(a, t0);
        break;
    case SOA_HELICAL:
        x = jet_slide(a, slide);
        y = jet_turn(a, t0);
        x = jet_mul(&x, &y);
        break;
    case SOA_UNIVERSAL:
        unit3(joint->axis2, b);
        x = jet_turn(a, t0);
        y = jet_turn(b, t1);
        x = jet_mul(&x, &y);
        break;
    case SOA_CYLINDRICAL:
        x = jet_slide(a, t1);
        y = jet_turn(a, t0);
        x = jet_mul(&x, &y);
        break;
    case SOA_PLANAR:
        x = planar_jet(a, q, v, vd);
        break;
    case SOA_SPHERICAL:
    case SOA_FREE:
        x = ball_jet(q, v, vd, joint->kind == SOA_FREE);
        break;
    default:
        break;
    }
    return joint->reversed ? jet_inverse(&x) : x;
}

/* The frame of a link in the world. v, vd may be NULL. done: links whose W is known. */
static inline void link_jet(
    const soa_model *m, int l, const double *q, const double *v, const double *vd, jet *W, bool *done)
{
    const double rest[SOA_JOINT_MAX_NV] = { 0 };
    const soa_link *link = soa_model_link(m, l);
    if (done[l]) {
        return;
    }
    const bool moves = link->joint.kind != SOA_FIXED;
    const soa_body body = moves ? soa_model_body(m, soa_model_link_body(m, l, NULL)) : (soa_body){ .q = 0 };
    jet x = link->parent == SOA_WORLD ? jet_one() : (link_jet(m, link->parent, q, v, vd, W, done), W[link->parent]);
    const jet at = jet_pose(&link->joint.at), child = jet_pose(&link->joint.child);
    x = jet_mul(&x, &at);
    if (moves) {
        const jet j = joint_jet(&link->joint, q + body.q, v ? v + body.v : rest, vd ? vd + body.v : rest);
        x = jet_mul(&x, &j);
    }
    W[l] = jet_mul(&x, &child);
    done[l] = true;
}

static inline void all_jets(const soa_model *m, const double *q, const double *v, const double *vd, jet *W)
{
    const int links = soa_model_links(m);
    bool *done = calloc((size_t)links + 1, sizeof *done);
    for (int l = 0; l < links; l++) {
        link_jet(m, l, q, v, vd, W, done);
    }
    free(done);
}

/* Angular velocity or acceleration, world axes: the skew part of R1 R* or R2 R*. */
static inline void jet_angular(const jet *W, int order, num *w)
{
    num A[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            A[i][j] = dot3(W->x[order][i], W->x[0][j]);
        }
    }
    w[0] = (A[2][1] - A[1][2]) / 2;
    w[1] = (A[0][2] - A[2][0]) / 2;
    w[2] = (A[1][0] - A[0][1]) / 2;
}

/* Position, velocity or acceleration of a point fixed in the frame. */
static inline void jet_point(const jet *W, int order, const num *c, num *x)
{
    for (int i = 0; i < 3; i++) {
        x[i] = dot3(W->x[order][i], c) + W->x[order][i][3];
    }
}

#endif
