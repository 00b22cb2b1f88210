/* tests/flex/particles.h - random trees of rigid and flexible links made of particles, and their mechanics from the
 * particles alone.
 *
 * Every particle's position is a jet in time (value, first and second derivative), found by the product rule from the
 * description: no spatial algebra, no recursion over forces, no modal integrals. Generalised forces follow by d'Alembert:
 * T_i = sum of m (acceleration - g) . (velocity per unit velocity i). */
#ifndef SOA_TESTS_FLEX_PARTICLES_H
#define SOA_TESTS_FLEX_PARTICLES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "soa/soa.h"

enum { MODES = 4, NODES = 3, PARTICLES = 8, LINKS = 7 };

typedef struct part {
    soa_flexible data;
    double m[PARTICLES], x0[PARTICLES][3], U[PARTICLES][MODES][3];
    double position[NODES][3], shape[NODES * MODES * 6];
    double ee[MODES * MODES], ef[MODES * 3], en[MODES * 3], en1[MODES * MODES * 3], second1[MODES * 6],
        second2[MODES * MODES * 6], stiffness[MODES * MODES], damping[MODES * MODES];
} part;

typedef struct tree {
    int links;
    part part[LINKS];
    soa_model *model;
} tree;

static inline double rnd(unsigned long long *seed)
{
    return soa_model_random_number(seed);
}

static inline soa_pose random_pose(unsigned long long *seed, double size)
{
    const double xyz[3] = { size * rnd(seed), size * rnd(seed), size * rnd(seed) };
    const double wxyz[4] = { 1.0, rnd(seed), rnd(seed), rnd(seed) };
    return soa_pose_from_quaternion(xyz, wxyz);
}

/* m (2 a . b - a b* - b a*): the second moment of a pair. */
static inline void add_second(double m, const double *a, const double *b, double *J)
{
    const double ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    int e = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, e++) {
            J[e] += m * ((i == j ? 2.0 * ab : 0.0) - a[i] * b[j] - b[i] * a[j]);
        }
    }
}

static inline void add_cross3(double m, const double *a, const double *b, double *y)
{
    y[0] += m * (a[1] * b[2] - a[2] * b[1]);
    y[1] += m * (a[2] * b[0] - a[0] * b[2]);
    y[2] += m * (a[0] * b[1] - a[1] * b[0]);
}

/* Random particles, shapes and nodes; all integrals are sums over the particles. */
static inline void make_part(part *p, int modes, double size, double stiffness, unsigned long long *seed)
{
    memset(p, 0, sizeof *p);
    soa_flexible *f = &p->data;
    *f = (soa_flexible){ .modes = modes,
        .nodes = NODES,
        .position = p->position[0],
        .shape = p->shape,
        .ee = p->ee,
        .ef = p->ef,
        .en = p->en,
        .en1 = p->en1,
        .second1 = p->second1,
        .second2 = p->second2,
        .stiffness = p->stiffness,
        .damping = p->damping };
    for (int a = 0; a < PARTICLES; a++) {
        const double m = p->m[a] = 0.5 + 0.4 * rnd(seed);
        double *x = p->x0[a], half[6] = { 0 };
        f->mass += m;
        for (int e = 0; e < 3; e++) {
            x[e] = 0.6 * rnd(seed);
            f->first[e] += m * x[e];
            for (int i = 0; i < modes; i++) {
                p->U[a][i][e] = size * rnd(seed);
            }
        }
        add_second(0.5 * m, x, x, half);
        for (int e = 0; e < 6; e++) {
            f->second[e] += half[e];
        }
        for (int i = 0; i < modes; i++) {
            const double *u = p->U[a][i];
            add_cross3(m, x, u, p->en + 3 * i);
            add_second(m, x, u, p->second1 + 6 * i);
            for (int e = 0; e < 3; e++) {
                p->ef[3 * i + e] += m * u[e];
            }
            for (int j = 0; j < modes; j++) {
                const double *v = p->U[a][j];
                p->ee[i * modes + j] += m * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
                add_cross3(m, v, u, p->en1 + 3 * (i * modes + j));
                add_second(m, u, v, p->second2 + 6 * (i * modes + j));
            }
        }
    }
    for (int t = 0; t < NODES; t++) {
        for (int e = 0; e < 3; e++) {
            p->position[t][e] = 0.6 * rnd(seed);
        }
    }
    for (int i = 0; i < NODES * modes * 6; i++) {
        p->shape[i] = size * rnd(seed);
    }
    for (int i = 0; i < modes; i++) {
        p->stiffness[i * modes + i] = stiffness * (1.0 + i);
    }
}

static inline soa_inertia rigid_inertia(const part *p)
{
    soa_inertia inertia = { .mass = p->data.mass };
    for (int e = 0; e < 3; e++) {
        inertia.com[e] = p->data.first[e] / p->data.mass;
    }
    double about[6] = { 0 };
    add_second(0.5 * p->data.mass, inertia.com, inertia.com, about);
    for (int e = 0; e < 6; e++) {
        inertia.moment[e] = p->data.second[e] - about[e];
    }
    return inertia;
}

static inline soa_joint_kind random_kind(int link, unsigned long long *seed)
{
    static const soa_joint_kind kinds[] = { SOA_REVOLUTE, SOA_PRISMATIC, SOA_SPHERICAL, SOA_FIXED, SOA_FREE,
        SOA_REVOLUTE };
    return kinds[(int)(3.0 + 3.0 * rnd(seed)) % (link == 0 ? 6 : 6)];
}

/* A random tree; seed decides everything. floating: the first link is free. */
static inline tree tree_make(unsigned long long seed, bool floating, double stiffness)
{
    tree t = { .links = 2 + (int)(seed % (LINKS - 1)) };
    soa_builder *b = soa_builder_new(NULL);
    soa_error error;
    for (int l = 0; l < t.links; l++) {
        char name[16], joint[16];
        const char digits[] = "0123456789";
        memcpy(name, "link?", 6);
        memcpy(joint, "joint?", 7);
        name[4] = joint[5] = digits[l];
        const int parent = l == 0 || (l > 2 && rnd(&seed) > 0.9) ? SOA_WORLD : (int)(0.5 * (1.0 + rnd(&seed)) * l);
        soa_link link = soa_link_default(name, parent, l == 0 && floating ? SOA_FREE : random_kind(l, &seed));
        link.joint.name = joint;
        const bool flexible = l == 1 || rnd(&seed) > -0.2;
        make_part(&t.part[l], flexible ? 1 + (int)(2.0 + 1.99 * rnd(&seed)) : 1, 0.3, stiffness, &seed);
        link.joint.at = random_pose(&seed, 0.5);
        link.joint.child = random_pose(&seed, 0.2);
        for (int e = 0; e < 3; e++) {
            link.joint.axis[e] = rnd(&seed);
        }
        if (flexible) {
            link.flexible = &t.part[l].data;
        } else {
            link.inertia = rigid_inertia(&t.part[l]);
        }
        if (parent >= 0 && soa_builder_link(b, parent)->flexible) {
            link.node = (int)(2.0 + 1.99 * rnd(&seed));
        }
        link.joint.rotor.armature = link.joint.kind == SOA_REVOLUTE && rnd(&seed) > 0.0 ? 0.1 : 0.0;
        if (soa_builder_add_link(b, &link, NULL, &error) != SOA_OK) {
            abort();
        }
    }
    if (soa_builder_finish(b, &t.model, &error) != SOA_OK) {
        abort();
    }
    soa_builder_free(b);
    return t;
}

/* ---- jets -------------------------------------------------------------------------------------- */

typedef struct jet {
    double x, d, dd;
} jet;

typedef struct place3 {
    jet R[3][3], p[3];
} place3;

static inline jet jc(double x)
{
    return (jet){ x, 0.0, 0.0 };
}
static inline jet ja(jet a, jet b)
{
    return (jet){ a.x + b.x, a.d + b.d, a.dd + b.dd };
}
static inline jet jm(jet a, jet b)
{
    return (jet){ a.x * b.x, a.x * b.d + a.d * b.x, a.x * b.dd + 2.0 * a.d * b.d + a.dd * b.x };
}
static inline jet jneg(jet a)
{
    return (jet){ -a.x, -a.d, -a.dd };
}

/* sin a / a and (1 - cos a) / a^2 of s = a^2, as power series. */
static inline void turn_functions(jet s, jet *sinc, jet *cosc)
{
    *sinc = *cosc = jc(0.0);
    double odd = 1.0, even = 0.5;
    jet power = jc(1.0);
    for (int k = 0; k < 24; k++) {
        *sinc = ja(*sinc, jm(jc(odd), power));
        *cosc = ja(*cosc, jm(jc(even), power));
        power = jm(power, jneg(s));
        odd /= (2.0 * k + 2.0) * (2.0 * k + 3.0);
        even /= (2.0 * k + 3.0) * (2.0 * k + 4.0);
    }
}

/* R = exp(theta~) = 1 + sinc theta~ + cosc theta~^2 */
static inline void jet_exp(const jet theta[3], jet R[3][3])
{
    const jet o = jc(0.0);
    const jet K[3][3] = { { o, jneg(theta[2]), theta[1] }, { theta[2], o, jneg(theta[0]) },
        { jneg(theta[1]), theta[0], o } };
    jet sinc, cosc;
    turn_functions(ja(ja(jm(theta[0], theta[0]), jm(theta[1], theta[1])), jm(theta[2], theta[2])), &sinc, &cosc);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            jet square = o;
            for (int k = 0; k < 3; k++) {
                square = ja(square, jm(K[i][k], K[k][j]));
            }
            R[i][j] = ja(jc(i == j), ja(jm(sinc, K[i][j]), jm(cosc, square)));
        }
    }
}

static inline place3 place_of(const soa_pose *pose)
{
    place3 y;
    for (int i = 0; i < 3; i++) {
        y.p[i] = jc(pose->position[i]);
        for (int j = 0; j < 3; j++) {
            y.R[i][j] = jc(pose->rotation[i][j]);
        }
    }
    return y;
}

static inline place3 place_then(const place3 *a, const place3 *b)
{
    place3 y;
    for (int i = 0; i < 3; i++) {
        y.p[i] = a->p[i];
        for (int j = 0; j < 3; j++) {
            y.R[i][j] = jc(0.0);
            for (int k = 0; k < 3; k++) {
                y.R[i][j] = ja(y.R[i][j], jm(a->R[i][k], b->R[k][j]));
            }
            y.p[i] = ja(y.p[i], jm(a->R[i][j], b->p[j]));
        }
    }
    return y;
}

/* The rotation of a quaternion w x y z that turns with body rates v, vd. */
static inline void jet_quaternion(const double *q, const double *v, const double *vd, jet R[3][3])
{
    const double w[4] = { 0.0, v[0], v[1], v[2] }, wd[4] = { 0.0, vd[0], vd[1], vd[2] };
    double a[4], b[4], c[4];
#define HAMILTON(y, p, r)                                         \
    y[0] = p[0] * r[0] - p[1] * r[1] - p[2] * r[2] - p[3] * r[3]; \
    y[1] = p[0] * r[1] + p[1] * r[0] + p[2] * r[3] - p[3] * r[2]; \
    y[2] = p[0] * r[2] - p[1] * r[3] + p[2] * r[0] + p[3] * r[1]; \
    y[3] = p[0] * r[3] + p[1] * r[2] - p[2] * r[1] + p[3] * r[0]
    HAMILTON(a, q, w);
    HAMILTON(b, a, w);
    HAMILTON(c, q, wd);
#undef HAMILTON
    jet Q[4];
    for (int i = 0; i < 4; i++) {
        Q[i] = (jet){ q[i], 0.5 * a[i], 0.25 * b[i] + 0.5 * c[i] };
    }
    const jet two = jc(2.0);
    for (int i = 0; i < 3; i++) { /* R = (w^2 - u.u) + 2 u u* + 2 w u~ */
        for (int j = 0; j < 3; j++) {
            jet sum = jm(two, jm(Q[i + 1], Q[j + 1]));
            if (i == j) {
                sum = ja(sum, jm(Q[0], Q[0]));
                for (int k = 1; k < 4; k++) {
                    sum = ja(sum, jneg(jm(Q[k], Q[k])));
                }
            } else {
                const int k = 3 - i - j;
                const jet turn = jm(two, jm(Q[0], Q[k + 1]));
                sum = ja(sum, (j + 1) % 3 == i ? turn : jneg(turn));
            }
            R[i][j] = sum;
        }
    }
}

/* ---- mechanics ---------------------------------------------------------------------------------- */

typedef struct motionless {
    const double *q, *v, *vd;
} motionless;

static inline jet coordinate(const motionless *s, int q, int v)
{
    return (jet){ s->q[q], s->v[v], s->vd[v] };
}

static inline place3 joint_place(const soa_joint *joint, const soa_body *body, const motionless *s)
{
    const soa_pose none = soa_pose_identity();
    place3 y = place_of(&none);
    const double *a = joint->axis, n = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    jet theta[3];
    switch (joint->kind) {
    case SOA_REVOLUTE:
        for (int e = 0; e < 3; e++) {
            theta[e] = jm(jc(a[e] / n), coordinate(s, body->q, body->v));
        }
        jet_exp(theta, y.R);
        break;
    case SOA_PRISMATIC:
        for (int e = 0; e < 3; e++) {
            y.p[e] = jm(jc(a[e] / n), coordinate(s, body->q, body->v));
        }
        break;
    case SOA_SPHERICAL:
    case SOA_FREE:
        jet_quaternion(s->q + body->q, s->v + body->v, s->vd + body->v, y.R);
        for (int e = 0; joint->kind == SOA_FREE && e < 3; e++) { /* d/dt p = R v, d2/dt2 p = R vd + Rd v */
            y.p[e] = jc(s->q[body->q + 4 + e]);
            for (int k = 0; k < 3; k++) {
                y.p[e].d += y.R[e][k].x * s->v[body->v + 3 + k];
                y.p[e].dd += y.R[e][k].x * s->vd[body->v + 3 + k] + y.R[e][k].d * s->v[body->v + 3 + k];
            }
        }
        break;
    default:
        break;
    }
    return y;
}

/* A point of a link at x0 + U eta. */
static inline void deformed(
    const tree *t, int l, const motionless *s, const double *x0, const double *U, int step, jet *x)
{
    const soa_flexible *f = soa_model_link(t->model, l)->flexible;
    const soa_body body = soa_model_body(t->model, soa_model_link_body(t->model, l, NULL));
    for (int e = 0; e < 3; e++) {
        x[e] = jc(x0[e]);
        for (int i = 0; f && i < f->modes; i++) {
            x[e] = ja(x[e], jm(jc(U[step * i + e]), coordinate(s, body.q + i, body.v + i)));
        }
    }
}

static inline place3 node_place3(const tree *t, int l, int node, const motionless *s)
{
    const soa_flexible *f = soa_model_link(t->model, l)->flexible;
    const double *shape = f->shape + 6 * (node - 1) * f->modes, zero[3] = { 0 };
    place3 y;
    jet theta[3];
    deformed(t, l, s, zero, shape, 6, theta);
    deformed(t, l, s, f->position + 3 * (node - 1), shape + 3, 6, y.p);
    jet_exp(theta, y.R);
    return y;
}

static inline place3 link_place(const tree *t, int l, const motionless *s)
{
    const soa_link *link = soa_model_link(t->model, l);
    const soa_pose none = soa_pose_identity();
    place3 y = place_of(&none);
    if (link->parent >= 0) {
        y = link_place(t, link->parent, s);
        if (link->node > 0) {
            const place3 node = node_place3(t, link->parent, link->node, s);
            y = place_then(&y, &node);
        }
    }
    soa_body body = { 0 };
    soa_error error;
    if (link->joint.kind != SOA_FIXED && soa_model_find_body(t->model, link->joint.name, &body, &error) != SOA_OK) {
        abort();
    }
    const place3 at = place_of(&link->joint.at), moved = joint_place(&link->joint, &body, s),
                 child = place_of(&link->joint.child);
    y = place_then(&y, &at);
    y = place_then(&y, &moved);
    return place_then(&y, &child);
}

static inline void particle(const tree *t, int l, int a, const motionless *s, jet *x)
{
    const place3 at = link_place(t, l, s);
    jet in_link[3];
    deformed(t, l, s, t->part[l].x0[a], t->part[l].U[a][0], 3, in_link);
    for (int e = 0; e < 3; e++) {
        x[e] = at.p[e];
        for (int k = 0; k < 3; k++) {
            x[e] = ja(x[e], jm(at.R[e][k], in_link[k]));
        }
    }
}

/* Mass (nv x nv) and T(q, v, vd), each from the particles and the armature. */
static inline void particle_mechanics(
    const tree *t, const double *q, const double *v, const double *vd, double *mass, double *T)
{
    const int nv = soa_model_nv(t->model);
    double g[3], *zero = calloc((size_t)nv, sizeof *zero), *unit = calloc((size_t)nv, sizeof *unit);
    double *J = calloc(3 * (size_t)nv, sizeof *J);
    soa_model_gravity(t->model, g);
    memset(mass, 0, (size_t)(nv * nv) * sizeof *mass);
    memset(T, 0, (size_t)nv * sizeof *T);
    for (int l = 0; l < t->links; l++) {
        for (int a = 0; a < PARTICLES; a++) {
            jet x[3];
            for (int i = 0; i < nv; i++) {
                unit[i] = 1.0;
                particle(t, l, a, &(motionless){ q, unit, zero }, x);
                unit[i] = 0.0;
                for (int e = 0; e < 3; e++) {
                    J[3 * i + e] = x[e].d;
                }
            }
            particle(t, l, a, &(motionless){ q, v, vd }, x);
            for (int i = 0; i < nv; i++) {
                for (int e = 0; e < 3; e++) {
                    T[i] += t->part[l].m[a] * (x[e].dd - g[e]) * J[3 * i + e];
                    for (int j = 0; j < nv; j++) {
                        mass[i * nv + j] += t->part[l].m[a] * J[3 * i + e] * J[3 * j + e];
                    }
                }
            }
        }
        const soa_joint *joint = &soa_model_link(t->model, l)->joint;
        soa_body body;
        if (joint->rotor.armature > 0.0 && soa_model_find_body(t->model, joint->name, &body, NULL) == SOA_OK) {
            mass[body.v * nv + body.v] += joint->rotor.armature;
            T[body.v] += joint->rotor.armature * vd[body.v];
        }
    }
    free(zero);
    free(unit);
    free(J);
}

#endif
