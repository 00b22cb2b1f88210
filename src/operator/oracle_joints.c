/* operator/oracle_joints.c - the joints of the oracle, from what the user said of them. */
#include "operator/oracle_frames.h"

/* I + sin a u~ + (1 - cos a) u~ u~ */
static frame turn(const number u[3], number angle)
{
    frame F = frame_identity();
    turn_by(u, sinl(angle), 1 - cosl(angle), F.R);
    return F;
}

static frame slide(const number u[3], number s)
{
    frame F = frame_identity();
    for (int i = 0; i < 3; i++) {
        F.p[i] = s * u[i];
    }
    return F;
}

/* I + 2 (w v~ + v~ v~) / |q|^2 of a quaternion (w; v). */
static frame turn_quaternion(const double *q)
{
    const number s = (number)q[0] * q[0] + (number)q[1] * q[1] + (number)q[2] * q[2] + (number)q[3] * q[3];
    const number v[3] = { q[1], q[2], q[3] };
    frame F = frame_identity();
    turn_by(v, 2 * q[0] / s, 2 / s, F.R);
    return F;
}

/* x and y of the plane: the images of x and y under the shortest turn from z to u. */
static void plane_axes(const number u[3], number x[3], number y[3])
{
    const number across = sqrtl(u[0] * u[0] + u[1] * u[1]);
    const number about[3] = { across > 0 ? -u[1] / across : 1, across > 0 ? u[0] / across : 0, 0 };
    const frame C = turn(about, atan2l(across, u[2]));
    for (int i = 0; i < 3; i++) {
        x[i] = C.R[i][0];
        y[i] = C.R[i][1];
    }
}

/* ---- joints -------------------------------------------------------------------------- */

/* The moving side in the fixed side, were the joint not reversed. */
static frame forward_frame(const soa_joint *joint, const double *q)
{
    number u[3], u2[3], x[3], y[3];
    unit(joint->axis, u);
    const number q0 = joint->kind == SOA_FIXED ? 0 : (number)q[0] - (number)joint->reference;
    switch (joint->kind) {
    case SOA_REVOLUTE:
    case SOA_CONTINUOUS:
        return turn(u, q0);
    case SOA_PRISMATIC:
        return slide(u, q0);
    case SOA_HELICAL:
        return compose(slide(u, joint->pitch * q0), turn(u, q0));
    case SOA_UNIVERSAL:
        unit(joint->axis2, u2);
        return compose(turn(u, q[0]), turn(u2, q[1]));
    case SOA_CYLINDRICAL:
        return compose(slide(u, q[1]), turn(u, q[0]));
    case SOA_PLANAR:
        plane_axes(u, x, y);
        return compose(compose(slide(x, q[0]), slide(y, q[1])), turn(u, q[2]));
    case SOA_SPHERICAL:
        return turn_quaternion(q);
    case SOA_FREE:
        return compose(slide((const number[3]){ q[4], q[5], q[6] }, 1), turn_quaternion(q));
    default:
        return frame_identity();
    }
}

#define COLUMN(a, b)              \
    for (int i = 0; i < 3; i++) { \
        V[count][i] = (a);        \
        V[count][3 + i] = (b);    \
    }                             \
    count++

/* Velocity of the moving side per number of beta, in its own axes; how many. */
static int forward_columns(const soa_joint *joint, frame X, number V[6][6])
{
    number u[3], u2[3], x[3], y[3];
    int count = 0;
    unit(joint->axis, u);
    plane_axes(u, x, y);
    switch (joint->kind) {
    case SOA_REVOLUTE:
    case SOA_CONTINUOUS:
        COLUMN(u[i], 0);
        break;
    case SOA_PRISMATIC:
        COLUMN(0, u[i]);
        break;
    case SOA_HELICAL:
        COLUMN(u[i], joint->pitch * u[i]);
        break;
    case SOA_UNIVERSAL:
        unit(joint->axis2, u2);
        COLUMN(X.R[0][i] * u[0] + X.R[1][i] * u[1] + X.R[2][i] * u[2], 0);
        COLUMN(u2[i], 0);
        break;
    case SOA_CYLINDRICAL:
        COLUMN(u[i], 0);
        COLUMN(0, u[i]);
        break;
    case SOA_PLANAR:
        COLUMN(0, x[i]);
        COLUMN(0, y[i]);
        COLUMN(u[i], 0);
        break;
    case SOA_SPHERICAL:
    case SOA_FREE:
        while (count < soa_joint_kind_nv(joint->kind)) {
            const int e = count;
            COLUMN(i == e, 3 + i == e);
        }
        break;
    default:
        break;
    }
    return count;
}
#undef COLUMN

frame soa_oracle_joint(const soa_joint *joint, const double *q)
{
    const frame X = forward_frame(joint, q);
    return joint->reversed ? inverse(X) : X;
}

/* y = phi* x */
static void phi_t_mul(frame F, const number x[6], number y[6])
{
    number phi[6][6];
    phi_matrix(F, phi);
    for (int i = 0; i < 6; i++) {
        y[i] = 0;
        for (int j = 0; j < 6; j++) {
            y[i] += phi[j][i] * x[j];
        }
    }
}

/* Reversed, the velocity of the fixed side seen from the moving one: its negative, moved there. */
int soa_oracle_columns(const soa_joint *joint, const double *q, number H_t[6][6])
{
    number V[6][6];
    const frame X = forward_frame(joint, q);
    const int count = forward_columns(joint, X, V);
    for (int c = 0; c < count; c++) {
        if (joint->reversed) {
            number moved[6];
            phi_t_mul(inverse(X), V[c], moved);
            for (int i = 0; i < 6; i++) {
                V[c][i] = -moved[i];
            }
        }
        phi_t_mul(frame_of(&joint->child), V[c], H_t[c]);
    }
    return count;
}
