/* operator/oracle_frames.h - frames, as the oracle has them: in long double, and apart from spatial/.
 *
 * Everything of the oracle is in link frames, axes of joints as the user gave them: none of the
 * canonical frames and none of the joint kernels. */
#ifndef SOA_OPERATOR_ORACLE_FRAMES_H
#define SOA_OPERATOR_ORACLE_FRAMES_H

#include <math.h>
#include <string.h>

#include "operator/operator_matrices.h"

typedef soa_dense_frame frame;
typedef soa_number number;

/* Where the number (i, j) of a symmetric matrix of three rows is among the six that are kept. */
static const int sixth[3][3] = { { 0, 1, 2 }, { 1, 3, 4 }, { 2, 4, 5 } };

static inline frame frame_identity(void)
{
    return (frame){ .R = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
}

static inline frame frame_of(const soa_pose *pose)
{
    frame F;
    for (int i = 0; i < 3; i++) {
        F.p[i] = pose->position[i];
        for (int j = 0; j < 3; j++) {
            F.R[i][j] = pose->rotation[i][j];
        }
    }
    return F;
}

static inline frame compose(frame a, frame b)
{
    frame c = { .p = { a.p[0], a.p[1], a.p[2] } };
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            c.p[i] += a.R[i][k] * b.p[k];
            for (int j = 0; j < 3; j++) {
                c.R[i][j] += a.R[i][k] * b.R[k][j];
            }
        }
    }
    return c;
}

static inline frame inverse(frame a)
{
    frame c = { .p = { 0 } };
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            c.R[i][k] = a.R[k][i];
            c.p[i] -= a.R[k][i] * a.p[k];
        }
    }
    return c;
}

/* The matrix of a x. */
static inline void tilde(const number a[3], number t[3][3])
{
    const number m[3][3] = { { 0, -a[2], a[1] }, { a[2], 0, -a[0] }, { -a[1], a[0], 0 } };
    memcpy(t, m, sizeof m);
}

/* R = I + x t~ + y t~ t~ */
static inline void turn_by(const number t[3], number x, number y, number R[3][3])
{
    number T[3][3];
    tilde(t, T);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            R[i][j] = (i == j) + x * T[i][j];
            for (int k = 0; k < 3; k++) {
                R[i][j] += y * T[i][k] * T[k][j];
            }
        }
    }
}

/* phi = [R  l~ R; 0  R] of a frame. */
static inline void phi_matrix(frame F, number phi[6][6])
{
    number l[3][3];
    tilde(F.p, l);
    memset(phi, 0, 36 * sizeof(number));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            phi[i][j] = phi[3 + i][3 + j] = F.R[i][j];
            for (int k = 0; k < 3; k++) {
                phi[i][3 + j] += l[i][k] * F.R[k][j];
            }
        }
    }
}

static inline void unit(const double a[3], number u[3])
{
    const number length = sqrtl((number)a[0] * a[0] + (number)a[1] * a[1] + (number)a[2] * a[2]);
    for (int i = 0; i < 3; i++) {
        u[i] = a[i] / length;
    }
}

/* The moving side of a joint in the fixed side. */
frame soa_oracle_joint(const soa_joint *joint, const double *q);

/* Columns of H* in the link frame; returns their number. */
int soa_oracle_columns(const soa_joint *joint, const double *q, number H_t[6][6]);

/* A node in the frame of its flexible link, and its motion by mode in its own axes. */
frame soa_oracle_node(const soa_flexible *flexible, int node, const double *eta, number Pi[][6]);

/* The inertia of a flexible link in its link frame: 6 + modes square, six first. M is zero before. */
void soa_oracle_modal_inertia(const soa_flexible *flexible, const double *eta, soa_matrix M);

#endif
