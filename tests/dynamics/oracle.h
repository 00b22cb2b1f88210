/* tests/dynamics/oracle.h - mechanics from the description alone, to compare with.
 *
 * No bodies, no recursions over forces, no spatial algebra: every link's frame in
 * the world is a 4 x 4 matrix known to second order in time (a jet), found by the
 * product rule from the description. Newton's and Euler's laws hold for every link
 * in the inertial frame; joint forces follow by the principle of virtual power with
 * the partial velocities of all links. */
#ifndef SOA_TESTS_DYNAMICS_ORACLE_H
#define SOA_TESTS_DYNAMICS_ORACLE_H

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

/* ---- what has inertia --------------------------------------------------------------------- */

/* A rigid body fixed in a link. */
typedef struct element {
    int link;
    num m, c[3], I[3][3];
} element;

/* A rotor: it turns about a (in the frame of link, or the world) at ratio times velocity dof. */
typedef struct spin {
    int link, dof;
    num ratio, spin, a[3];
} spin;

typedef struct oracle {
    const soa_model *m;
    int nv, links, elements, spins;
    element *element;
    spin *spin;
    num *armature; /* per velocity */
    jet *W;
    num *J; /* of each link and velocity: partial velocity (angular; linear) of the frame's origin, world axes */
    num g[3];
} oracle;

static inline void add_element(oracle *o, int link, const soa_inertia *inertia)
{
    element *e = &o->element[o->elements++];
    const double *I = inertia->moment;
    const num moment[3][3] = { { I[0], I[1], I[2] }, { I[1], I[3], I[4] }, { I[2], I[4], I[5] } };
    e->link = link;
    e->m = inertia->mass;
    for (int i = 0; i < 3; i++) {
        e->c[i] = inertia->com[i];
    }
    memcpy(e->I, moment, sizeof moment);
}

/* The rotor as the description means it. */
static inline void add_rotor(oracle *o, int l)
{
    const soa_link *link = soa_model_link(o->m, l);
    const soa_rotor *r = &link->joint.rotor;
    const int dof = soa_model_body(o->m, soa_model_link_body(o->m, l, NULL)).v;
    for (int i = 0; i < soa_joint_kind_nv(link->joint.kind); i++) {
        o->armature[dof + i] = r->armature;
    }
    if (r->ratio == 0.0 || r->spin == 0.0) {
        return;
    }
    spin *s = &o->spin[o->spins++];
    *s = (spin){ .link = link->parent, .dof = dof, .ratio = r->ratio, .spin = r->spin };
    unit3(r->axis, s->a);
    if (link->parent != SOA_WORLD && (r->mass > 0.0 || r->transverse > 0.0)) {
        soa_inertia body = { .mass = r->mass, .com = { r->com[0], r->com[1], r->com[2] } };
        add_element(o, link->parent, &body);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                o->element[o->elements - 1].I[i][j] =
                    (i == j ? (num)r->transverse : 0) + ((num)r->spin - r->transverse) * s->a[i] * s->a[j];
            }
        }
    }
}

/* The system at q, v, vd (NULL: zero). */
static inline oracle oracle_at(const soa_model *m, const double *q, const double *v, const double *vd)
{
    oracle o = { .m = m, .nv = soa_model_nv(m), .links = soa_model_links(m) };
    const size_t links = (size_t)o.links, nv = (size_t)o.nv;
    o.element = calloc(2 * links, sizeof *o.element);
    o.spin = calloc(links, sizeof *o.spin);
    o.armature = calloc(nv + 1, sizeof *o.armature);
    o.W = malloc(links * sizeof *o.W);
    o.J = calloc(6 * links * nv + 1, sizeof *o.J);
    double g[3], *e = calloc(nv + 1, sizeof *e);
    soa_model_gravity(m, g);
    for (int i = 0; i < 3; i++) {
        o.g[i] = g[i];
    }
    for (int l = 0; l < o.links; l++) {
        if (soa_model_link_body(m, l, NULL) != SOA_WORLD) {
            add_element(&o, l, &soa_model_link(m, l)->inertia);
        }
        if (soa_model_link(m, l)->joint.kind != SOA_FIXED) {
            add_rotor(&o, l);
        }
    }
    for (size_t i = 0; i < nv; i++) {
        e[i] = 1.0;
        all_jets(m, q, e, NULL, o.W);
        for (size_t l = 0; l < links; l++) {
            num *J = o.J + 6 * (l * nv + i);
            jet_angular(&o.W[l], 1, J);
            J[3] = o.W[l].x[1][0][3];
            J[4] = o.W[l].x[1][1][3];
            J[5] = o.W[l].x[1][2][3];
        }
        e[i] = 0.0;
    }
    all_jets(m, q, v, vd, o.W);
    free(e);
    return o;
}

static inline void oracle_free(oracle *o)
{
    free(o->element);
    free(o->spin);
    free(o->armature);
    free(o->W);
    free(o->J);
}

static inline const num *partial(const oracle *o, int link, int i)
{
    return o->J + 6 * ((size_t)link * (size_t)o->nv + (size_t)i);
}

/* Partial velocity of a point r (from the link's origin, world axes). */
static inline void partial_point(const oracle *o, int link, int i, const num *r, num *u)
{
    const num *J = partial(o, link, i);
    cross3(J, r, u);
    for (int c = 0; c < 3; c++) {
        u[c] += J[3 + c];
    }
}

/* ---- momentum and its rate ------------------------------------------------------------------- */

/* Of one element: place and velocity of its centre, momentum, angular momentum
 * about its centre and their rates. */
typedef struct moving {
    num c[3], v[3], w[3], p[3], L[3], p_dot[3], L_dot[3], r[3];
} moving;

/* I x in world axes. */
static inline void turned_inertia(const element *e, const jet *W, const num *x, num *y)
{
    num a[3], b[3];
    for (int i = 0; i < 3; i++) {
        a[i] = W->x[0][0][i] * x[0] + W->x[0][1][i] * x[1] + W->x[0][2][i] * x[2];
    }
    for (int i = 0; i < 3; i++) {
        b[i] = dot3(e->I[i], a);
    }
    for (int i = 0; i < 3; i++) {
        y[i] = dot3(W->x[0][i], b);
    }
}

static inline moving element_motion(const oracle *o, const element *e)
{
    const jet *W = &o->W[e->link];
    moving x;
    num wd[3], acceleration[3], gyro[3];
    jet_point(W, 0, e->c, x.c);
    jet_point(W, 1, e->c, x.v);
    jet_point(W, 2, e->c, acceleration);
    jet_angular(W, 1, x.w);
    jet_angular(W, 2, wd);
    turned_inertia(e, W, x.w, x.L);
    turned_inertia(e, W, wd, x.L_dot);
    cross3(x.w, x.L, gyro);
    for (int i = 0; i < 3; i++) {
        x.r[i] = x.c[i] - W->x[0][i][3];
        x.p[i] = e->m * x.v[i];
        x.p_dot[i] = e->m * acceleration[i];
        x.L_dot[i] += gyro[i];
    }
    return x;
}

/* The spin of a rotor beside its carrier: axis, angular momentum h, its rate; wd of the carrier. */
typedef struct spinning {
    num a[3], h[3], h_dot[3], w[3], wd[3];
} spinning;

static inline spinning spin_motion(const oracle *o, const spin *s, const double *v, const double *vd)
{
    spinning x = { .a = { s->a[0], s->a[1], s->a[2] } };
    const num momentum = s->spin * s->ratio, rate = v ? v[s->dof] : 0, rate_dot = vd ? vd[s->dof] : 0;
    if (s->link != SOA_WORLD) {
        const jet *W = &o->W[s->link];
        for (int i = 0; i < 3; i++) {
            x.a[i] = dot3(W->x[0][i], s->a);
        }
        jet_angular(W, 1, x.w);
        jet_angular(W, 2, x.wd);
    }
    num turning[3];
    cross3(x.w, x.a, turning);
    for (int i = 0; i < 3; i++) {
        x.h[i] = momentum * rate * x.a[i];
        x.h_dot[i] = momentum * (rate_dot * x.a[i] + rate * turning[i]);
    }
    return x;
}

/* ---- joint forces ------------------------------------------------------------------------------- */

/* T of virtual power: rates of momentum less gravity and f (6 per body, world axes,
 * at the origin of the body's link). v, vd as given to oracle_at. */
static inline void oracle_inverse_dynamics(
    const oracle *o, const double *v, const double *vd, const double *f, double *T)
{
    num *sum = calloc((size_t)o->nv + 1, sizeof *sum);
    for (int n = 0; n < o->elements; n++) {
        const element *e = &o->element[n];
        const moving x = element_motion(o, e);
        for (int i = 0; i < o->nv; i++) {
            num u[3], F[3];
            partial_point(o, e->link, i, x.r, u);
            for (int c = 0; c < 3; c++) {
                F[c] = x.p_dot[c] - e->m * o->g[c];
            }
            sum[i] += dot3(F, u) + dot3(x.L_dot, partial(o, e->link, i));
        }
    }
    for (int n = 0; n < o->spins; n++) {
        const spin *s = &o->spin[n];
        const spinning x = spin_motion(o, s, v, vd);
        for (int i = 0; s->link != SOA_WORLD && i < o->nv; i++) {
            sum[i] += dot3(x.h_dot, partial(o, s->link, i));
        }
        sum[s->dof] += s->ratio * (dot3(x.h_dot, x.a) + s->spin * dot3(x.wd, x.a));
    }
    for (int i = 0; i < o->nv; i++) {
        for (int k = 0; f && k < soa_model_bodies(o->m); k++) {
            const num *J = partial(o, soa_model_body(o->m, k).link, i);
            for (int c = 0; c < 6; c++) {
                sum[i] -= f[6 * k + c] * J[c];
            }
        }
        T[i] = (double)(sum[i] + (vd ? o->armature[i] * vd[i] : 0));
    }
    free(sum);
}

/* nv x nv, from the kinetic energy of the partial velocities. */
static inline void oracle_mass(const oracle *o, num *M)
{
    const int nv = o->nv;
    memset(M, 0, (size_t)nv * (size_t)nv * sizeof *M);
    for (int n = 0; n < o->elements; n++) {
        const element *e = &o->element[n];
        const moving x = element_motion(o, e);
        for (int i = 0; i < nv; i++) {
            num u[3], L[3];
            partial_point(o, e->link, i, x.r, u);
            turned_inertia(e, &o->W[e->link], partial(o, e->link, i), L);
            for (int j = 0; j < nv; j++) {
                num w[3];
                partial_point(o, e->link, j, x.r, w);
                M[i * nv + j] += e->m * dot3(u, w) + dot3(L, partial(o, e->link, j));
            }
        }
    }
    for (int n = 0; n < o->spins; n++) {
        const spin *s = &o->spin[n];
        const spinning x = spin_motion(o, s, NULL, NULL);
        for (int i = 0; s->link != SOA_WORLD && i < nv; i++) {
            const num couple = s->spin * s->ratio * dot3(x.a, partial(o, s->link, i));
            M[i * nv + s->dof] += couple;
            M[s->dof * nv + i] += couple;
        }
        M[s->dof * nv + s->dof] += s->spin * s->ratio * s->ratio;
    }
    for (int i = 0; i < nv; i++) {
        M[i * nv + i] += o->armature[i];
    }
}

/* ---- dense algebra --------------------------------------------------------------------------------- */

/* A = L L* in place (lower triangle); false if A is not positive definite. */
static inline bool dense_factor(int n, num *A)
{
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            num s = A[i * n + j];
            for (int k = 0; k < j; k++) {
                s -= A[i * n + k] * A[j * n + k];
            }
            if (i == j && !(s > 0)) {
                return false;
            }
            A[i * n + j] = i == j ? sqrtl(s) : s / A[j * n + j];
        }
    }
    return true;
}

static inline void dense_solve(int n, const num *L, num *x)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= L[i * n + k] * x[k];
        }
        x[i] /= L[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            x[i] -= L[k * n + i] * x[k];
        }
        x[i] /= L[i * n + i];
    }
}

/* Gauss with pivots, for systems that are not definite; A is destroyed. */
static inline bool dense_gauss(int n, num *A, num *x)
{
    for (int j = 0; j < n; j++) {
        int best = j;
        for (int i = j + 1; i < n; i++) {
            best = fabsl(A[i * n + j]) > fabsl(A[best * n + j]) ? i : best;
        }
        for (int k = 0; k < n; k++) {
            const num t = A[j * n + k];
            A[j * n + k] = A[best * n + k];
            A[best * n + k] = t;
        }
        const num t = x[j];
        x[j] = x[best];
        x[best] = t;
        if (A[j * n + j] == 0) {
            return false;
        }
        for (int i = j + 1; i < n; i++) {
            const num r = A[i * n + j] / A[j * n + j];
            for (int k = j; k < n; k++) {
                A[i * n + k] -= r * A[j * n + k];
            }
            x[i] -= r * x[j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            x[i] -= A[i * n + k] * x[k];
        }
        x[i] /= A[i * n + i];
    }
    return true;
}

#endif
