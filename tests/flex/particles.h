/* tests/flex/particles.h - the mechanics of trees of rigid and flexible links from their particles alone.
 *
 * Every particle's position is a jet in time (value, first and second derivative), found by the product rule from the
 * description: no spatial algebra, no recursion over forces, no modal integrals. Generalised forces follow by d'Alembert:
 * T_i = sum of m (acceleration - g) . (velocity per unit velocity i).
 *
 * Every second tree has second-order displacements b = 1/2 sum S_ij eta_i eta_j. Of them the energy of soa/flexible.h keeps
 * m (v + w x x0) . (velocity of b), the product of two velocities, which is that of two more particles: one at x0 + b with the
 * mass m / 2, one at x0 - b with the mass -m / 2. So the energy is that of particles again, to the last term. */
#ifndef SOA_TESTS_FLEX_PARTICLES_H
#define SOA_TESTS_FLEX_PARTICLES_H

#include <math.h>

#include "flex/particle_tree.h"

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

/* A point of a link at x0 + U eta + sign / 2 S eta eta. U: numbers of a mode are `step` apart, NULL: none; S NULL: none. */
typedef struct bent {
    const double *x0, *U;
    int step;
    const double *S;
    double sign;
} bent;

static inline void deformed(const tree *t, int l, const motionless *s, bent at, jet *x)
{
    const soa_flexible *f = soa_model_link(t->model, l)->flexible;
    const soa_body body = soa_model_body(t->model, soa_model_link_body(t->model, l, NULL));
    for (int e = 0; e < 3; e++) {
        x[e] = jc(at.x0[e]);
        for (int i = 0; f && i < f->modes; i++) {
            const jet eta = coordinate(s, body.q + i, body.v + i);
            jet u = jc(at.U ? at.U[at.step * i + e] : 0.0);
            for (int j = 0; at.S && j < f->modes; j++) {
                const jet other = coordinate(s, body.q + j, body.v + j);
                u = ja(u, jm(jc(0.5 * at.sign * at.S[3 * (i * f->modes + j) + e]), other));
            }
            x[e] = ja(x[e], jm(u, eta));
        }
    }
}

static inline place3 node_place3(const tree *t, int l, int node, const motionless *s)
{
    const soa_flexible *f = soa_model_link(t->model, l)->flexible;
    const double *shape = f->shape + 6 * (node - 1) * f->modes, zero[3] = { 0 };
    const double *shape2 = f->shape2 ? f->shape2 + 3 * (node - 1) * f->modes * f->modes : NULL;
    place3 y;
    jet theta[3];
    deformed(t, l, s, (bent){ zero, shape, 6, NULL, 0.0 }, theta);
    deformed(t, l, s, (bent){ f->position + 3 * (node - 1), shape + 3, 6, shape2, 1.0 }, y.p);
    jet_exp(theta, y.R);
    return y;
}

static inline place3 link_place(const tree *t, int l, const motionless *s);

/* The frame in which the joint of a link is placed. */
static inline place3 carrier_place(const tree *t, const soa_link *link, const motionless *s)
{
    const soa_pose none = soa_pose_identity();
    place3 y = place_of(&none);
    if (link->parent >= 0) {
        y = link_place(t, link->parent, s);
        if (link->node > 0) {
            const place3 node = node_place3(t, link->parent, link->node, s);
            y = place_then(&y, &node);
        }
    }
    return y;
}

static inline soa_body moved_body(const tree *t, const soa_link *link)
{
    soa_body body = { 0 };
    soa_error error;
    if (link->joint.kind != SOA_FIXED && soa_model_find_body(t->model, link->joint.name, &body, &error) != SOA_OK) {
        abort();
    }
    return body;
}

static inline place3 link_place(const tree *t, int l, const motionless *s)
{
    const soa_link *link = soa_model_link(t->model, l);
    const soa_body body = moved_body(t, link);
    place3 y = carrier_place(t, link, s);
    const place3 at = place_of(&link->joint.at), moved = joint_place(&link->joint, &body, s),
                 child = place_of(&link->joint.child);
    y = place_then(&y, &at);
    y = place_then(&y, &moved);
    return place_then(&y, &child);
}

/* What stands for a particle: it without S, and two that have S alone. */
enum { STAND_INS = 3 };

/* The mass of stand-in number `way`, and where it is on a link at `at`. */
static inline double particle(const tree *t, int l, const place3 *at, int a, int way, const motionless *s, jet *x)
{
    const part *p = &t->part[l];
    const double mass[STAND_INS] = { p->m[a], 0.5 * p->m[a], -0.5 * p->m[a] };
    const bent of[STAND_INS] = { { p->x0[a], p->U[a][0], 3, NULL, 0.0 }, { p->x0[a], NULL, 0, p->S[a], 1.0 },
        { p->x0[a], NULL, 0, p->S[a], -1.0 } };
    jet in_link[3];
    deformed(t, l, s, of[way], in_link);
    for (int e = 0; e < 3; e++) {
        x[e] = at->p[e];
        for (int k = 0; k < 3; k++) {
            x[e] = ja(x[e], jm(at->R[e][k], in_link[k]));
        }
    }
    return mass[way];
}

/* The six particles of the rotor of a joint, which turns `ratio` times as fast beside what carries it: number a of them. */
static inline void rotor_particle(const tree *t, const soa_link *link, int a, const motionless *s, jet *x)
{
    const soa_rotor *r = &link->joint.rotor;
    const soa_body body = moved_body(t, link);
    const double b = sqrt(1.5 * r->spin / r->mass), c = sqrt(3.0 * (r->transverse - 0.5 * r->spin) / r->mass);
    const double *u = r->axis, n = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), h = sqrt(u[0] * u[0] + u[1] * u[1]);
    const double axes[3][3] = { { u[1] / h, -u[0] / h, 0.0 }, { u[0] * u[2] / (h * n), u[1] * u[2] / (h * n), -h / n },
        { u[0] / n, u[1] / n, u[2] / n } };
    const place3 at = carrier_place(t, link, s);
    const double far = (a % 2 == 0 ? 1.0 : -1.0) * (a / 2 == 2 ? c : b);
    jet theta[3], R[3][3];
    for (int e = 0; e < 3; e++) {
        theta[e] = jm(jc(r->ratio * u[e] / n), coordinate(s, body.q, body.v));
    }
    jet_exp(theta, R);
    for (int e = 0; e < 3; e++) {
        x[e] = at.p[e];
        for (int k = 0; k < 3; k++) {
            jet in_carrier = jc(r->com[k]);
            for (int i = 0; i < 3; i++) {
                in_carrier = ja(in_carrier, jm(R[k][i], jc(far * axes[a / 2][i])));
            }
            x[e] = ja(x[e], jm(at.R[e][k], in_carrier));
        }
    }
}

/* What a particle at x with the mass m adds to Mass and T; J: its velocity by each of the nv velocities. */
static inline void add_particle(
    int nv, double m, const double *g, const jet *x, const double *J, double *mass, double *T)
{
    for (int i = 0; i < nv; i++) {
        const double *A = J + 3 * i;
        const bool moves = A[0] != 0.0 || A[1] != 0.0 || A[2] != 0.0;
        for (int e = 0; e < 3; e++) {
            T[i] += m * (x[e].dd - g[e]) * A[e];
        }
        for (int j = 0; moves && j < nv; j++) {
            mass[i * nv + j] += m * (A[0] * J[3 * j] + A[1] * J[3 * j + 1] + A[2] * J[3 * j + 2]);
        }
    }
}

/* Mass (nv x nv) and T(q, v, vd), each from the particles and the armature. */
static inline void particle_mechanics(
    const tree *t, const double *q, const double *v, const double *vd, double *mass, double *T)
{
    const int nv = soa_model_nv(t->model);
    double g[3], *zero = calloc((size_t)nv, sizeof *zero), *unit = calloc((size_t)nv * (size_t)nv, sizeof *unit);
    double *J = calloc(3 * (size_t)nv, sizeof *J);
    place3 *turned = calloc((size_t)nv, sizeof *turned); /* by each velocity */
    soa_model_gravity(t->model, g);
    memset(mass, 0, (size_t)(nv * nv) * sizeof *mass);
    memset(T, 0, (size_t)nv * sizeof *T);
    for (int l = 0; l < t->links; l++) {
        const bool foreshortens = t->part[l].data.ef1 != NULL;
        const motionless moving = { q, v, vd };
        const place3 at = link_place(t, l, &moving);
        for (int i = 0; i < nv; i++) {
            unit[i * nv + i] = 1.0;
            turned[i] = link_place(t, l, &(motionless){ q, unit + i * nv, zero });
        }
        for (int a = 0; a < PARTICLES * (foreshortens ? STAND_INS : 1); a++) {
            jet x[3];
            for (int i = 0; i < nv; i++) {
                const motionless by = { q, unit + i * nv, zero };
                particle(t, l, &turned[i], a % PARTICLES, a / PARTICLES, &by, x);
                for (int e = 0; e < 3; e++) {
                    J[3 * i + e] = x[e].d;
                }
            }
            const double m = particle(t, l, &at, a % PARTICLES, a / PARTICLES, &moving, x);
            add_particle(nv, m, g, x, J, mass, T);
        }
        const soa_link *link = soa_model_link(t->model, l);
        const soa_joint *joint = &link->joint;
        for (int a = 0; a < 6 && joint->rotor.mass > 0.0; a++) {
            jet x[3];
            for (int i = 0; i < nv; i++) {
                rotor_particle(t, link, a, &(motionless){ q, unit + i * nv, zero }, x);
                for (int e = 0; e < 3; e++) {
                    J[3 * i + e] = x[e].d;
                }
            }
            rotor_particle(t, link, a, &moving, x);
            add_particle(nv, joint->rotor.mass / 6.0, g, x, J, mass, T);
        }
        soa_body body;
        if (joint->rotor.armature > 0.0 && soa_model_find_body(t->model, joint->name, &body, NULL) == SOA_OK) {
            mass[body.v * nv + body.v] += joint->rotor.armature;
            T[body.v] += joint->rotor.armature * vd[body.v];
        }
    }
    free(turned);
    free(zero);
    free(unit);
    free(J);
}

#endif
