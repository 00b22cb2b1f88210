/* operator/operator_links.c - what the oracle takes from the description of the links.
 *
 * Everything is in link frames, axes of joints as the user gave them: none of the
 * canonical frames and none of the joint kernels. */
#include <math.h>
#include <string.h>

#include "operator/operator_matrices.h"

typedef soa_dense_frame frame;
typedef soa_number number;

/* ---- frames ------------------------------------------------------------------------- */

static frame frame_identity(void)
{
    return (frame){ .R = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
}

static frame frame_of(const soa_pose *pose)
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

static frame compose(frame a, frame b)
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

static frame inverse(frame a)
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
static void tilde(const number a[3], number t[3][3])
{
    const number m[3][3] = { { 0, -a[2], a[1] }, { a[2], 0, -a[0] }, { -a[1], a[0], 0 } };
    memcpy(t, m, sizeof m);
}

/* phi = [R  l~ R; 0  R] of a frame. */
static void phi_matrix(frame F, number phi[6][6])
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

static void unit(const double a[3], number u[3])
{
    const number length = sqrtl((number)a[0] * a[0] + (number)a[1] * a[1] + (number)a[2] * a[2]);
    for (int i = 0; i < 3; i++) {
        u[i] = a[i] / length;
    }
}

/* I + sin a u~ + (1 - cos a) u~ u~ */
static frame turn(const number u[3], number angle)
{
    number t[3][3];
    frame F = frame_identity();
    tilde(u, t);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            F.R[i][j] += sinl(angle) * t[i][j];
            for (int k = 0; k < 3; k++) {
                F.R[i][j] += (1 - cosl(angle)) * t[i][k] * t[k][j];
            }
        }
    }
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
    number t[3][3];
    frame F = frame_identity();
    tilde(v, t);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            F.R[i][j] += 2 * q[0] * t[i][j] / s;
            for (int k = 0; k < 3; k++) {
                F.R[i][j] += 2 * t[i][k] * t[k][j] / s;
            }
        }
    }
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

static frame joint_frame(const soa_joint *joint, const double *q)
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

/* Columns of H* in the link frame. Reversed, the velocity of the fixed side seen
 * from the moving one: its negative, moved there. */
static int link_columns(const soa_joint *joint, const double *q, number H_t[6][6])
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

/* ---- tree ---------------------------------------------------------------------------- */

/* The body a link starts, or -1. */
static int body_started(const soa_model *m, int link)
{
    const int k = soa_model_link_body(m, link, NULL);
    return k != SOA_WORLD && soa_model_body(m, k).link == link ? k : -1;
}

/* The frame of a link in the world, by climbing to it. */
static frame world_frame(const soa_dense *d, int link)
{
    frame W = frame_identity();
    while (link != SOA_WORLD) {
        const soa_link *l = soa_model_link(d->model, link);
        const int k = body_started(d->model, link);
        const double *q = k >= 0 ? d->q + soa_model_body(d->model, k).q : NULL;
        const frame joint = k >= 0 ? joint_frame(&l->joint, q) : frame_identity();
        const frame at_joint = compose(frame_of(&l->joint.at), compose(joint, frame_of(&l->joint.child)));
        W = compose(at_joint, W);
        link = l->parent;
    }
    return W;
}

/* The frame of link b in the frame of link a. */
static frame between(const soa_dense *d, int a, int b)
{
    return compose(inverse(d->W[a]), d->W[b]);
}

static void put_phi(soa_matrix A, int row, int col, frame F)
{
    number phi[6][6];
    phi_matrix(F, phi);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            *soa_matrix_entry(A, 6 * row + i, 6 * col + j) = phi[i][j];
        }
    }
}

/* ---- inertias ------------------------------------------------------------------------- */

/* phi M phi* added to block k of the diagonal, M = [J  m p~; -m p~  m I] from an inertia. */
static void add_inertia(soa_matrix A, int k, frame F, const soa_inertia *inertia)
{
    static const int sixth[3][3] = { { 0, 1, 2 }, { 1, 3, 4 }, { 2, 4, 5 } };
    const number p[3] = { inertia->com[0], inertia->com[1], inertia->com[2] }, m = inertia->mass;
    number t[3][3], M[6][6] = { { 0 } }, phi[6][6];
    tilde(p, t);
    phi_matrix(F, phi);
    for (int i = 0; i < 3; i++) {
        M[3 + i][3 + i] = m;
        for (int j = 0; j < 3; j++) {
            M[i][3 + j] = m * t[i][j];
            M[3 + i][j] = -m * t[i][j];
            M[i][j] = inertia->moment[sixth[i][j]];
            for (int l = 0; l < 3; l++) {
                M[i][j] -= m * t[i][l] * t[l][j];
            }
        }
    }
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            for (int a = 0; a < 36; a++) {
                *soa_matrix_entry(A, 6 * k + i, 6 * k + j) += phi[i][a / 6] * M[a / 6][a % 6] * phi[j][a % 6];
            }
        }
    }
}

/* What a motor adds to the body of the joint's parent, and at the joint. [GEAR] */
static void add_rotor(soa_dense *d, int k, int link)
{
    const soa_link *l = soa_model_link(d->model, link);
    const soa_rotor *rotor = &l->joint.rotor;
    const soa_body body = soa_model_body(d->model, k);
    for (int i = 0; i < body.nv; i++) {
        *soa_matrix_entry(d->op[SOA_OP_ARM], body.v + i, body.v + i) =
            rotor->armature + (number)rotor->ratio * rotor->ratio * rotor->spin;
    }
    if (body.parent == SOA_WORLD || (rotor->spin == 0.0 && rotor->transverse == 0.0 && rotor->mass == 0.0)) {
        return;
    }
    const frame F = between(d, soa_model_body(d->model, body.parent).link, l->parent);
    number u[3] = { 0 };
    if (rotor->axis[0] != 0.0 || rotor->axis[1] != 0.0 || rotor->axis[2] != 0.0) {
        unit(rotor->axis, u);
    }
    for (int i = 0; i < 3; i++) {
        *soa_matrix_entry(d->op[SOA_OP_GAMMA], 6 * body.parent + i, body.v) =
            rotor->ratio * rotor->spin * (F.R[i][0] * u[0] + F.R[i][1] * u[1] + F.R[i][2] * u[2]);
    }
    if (rotor->mass > 0.0 || rotor->transverse > 0.0) {
        soa_inertia inertia = { rotor->mass, { rotor->com[0], rotor->com[1], rotor->com[2] }, { 0.0 } };
        for (int i = 0, e = 0; i < 3; i++) {
            for (int j = i; j < 3; j++, e++) {
                inertia.moment[e] =
                    (double)((i == j ? rotor->transverse : 0) + (rotor->spin - rotor->transverse) * u[i] * u[j]);
            }
        }
        add_inertia(d->op[SOA_OP_M], body.parent, F, &inertia);
    }
}

/* ---- all --------------------------------------------------------------------------------- */

static void add_link(soa_dense *d, int link)
{
    const soa_link *l = soa_model_link(d->model, link);
    const int k = soa_model_link_body(d->model, link, NULL);
    if (k == SOA_WORLD) {
        return;
    }
    const soa_body body = soa_model_body(d->model, k);
    add_inertia(d->op[SOA_OP_M], k, between(d, body.link, link), &l->inertia);
    if (body.link != link) {
        return;
    }
    number H_t[6][6];
    const int count = link_columns(&l->joint, d->q + body.q, H_t);
    for (int c = 0; c < count; c++) {
        for (int i = 0; i < 6; i++) {
            *soa_matrix_entry(d->op[SOA_OP_H], body.v + c, 6 * k + i) = H_t[c][i];
        }
    }
    if (body.parent != SOA_WORLD) {
        put_phi(d->op[SOA_OP_E_PHI], body.parent, k, between(d, soa_model_body(d->model, body.parent).link, link));
    }
    add_rotor(d, k, link);
}

/* phi from a point, world axes, to the frame of the body's link. */
static void add_point(soa_dense *d, int i, const soa_point *point)
{
    const int k = point->link == SOA_WORLD ? SOA_WORLD : soa_model_link_body(d->model, point->link, NULL);
    if (k != SOA_WORLD) {
        frame at = compose(d->W[point->link], frame_of(&point->at));
        memcpy(at.R, frame_identity().R, sizeof at.R);
        put_phi(d->op[SOA_OP_B], k, i, compose(inverse(d->W[soa_model_body(d->model, k).link]), at));
    }
}

bool soa_dense_links(soa_dense *d, const soa_point *point)
{
    const int links = soa_model_links(d->model), n = 6 * d->n;
    d->W = soa_arena_take(&d->arena, (size_t)links + 1, sizeof *d->W);
    d->op[SOA_OP_H] = soa_matrix_zero(&d->arena, d->nv, n);
    d->op[SOA_OP_M] = soa_matrix_zero(&d->arena, n, n);
    d->op[SOA_OP_E_PHI] = soa_matrix_zero(&d->arena, n, n);
    d->op[SOA_OP_B] = soa_matrix_zero(&d->arena, n, 6 * d->points);
    d->op[SOA_OP_ARM] = soa_matrix_zero(&d->arena, d->nv, d->nv);
    d->op[SOA_OP_GAMMA] = soa_matrix_zero(&d->arena, n, d->nv);
    const soa_operator made[] = { SOA_OP_H, SOA_OP_M, SOA_OP_E_PHI, SOA_OP_B, SOA_OP_ARM, SOA_OP_GAMMA };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        if (!d->W || !d->op[made[i]].at) {
            return false;
        }
    }
    for (int l = 0; l < links; l++) {
        d->W[l] = world_frame(d, l);
    }
    for (int l = 0; l < links; l++) {
        add_link(d, l);
    }
    for (int i = 0; i < d->points; i++) {
        add_point(d, i, &point[i]);
    }
    return true;
}
