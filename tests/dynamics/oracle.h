/* tests/dynamics/oracle.h - mechanics from the description alone, to compare with.
 *
 * No bodies, no recursions over forces, no spatial algebra: every link's frame in
 * the world is a 4 x 4 matrix known to second order in time (a jet), found by the
 * product rule from the description. Newton's and Euler's laws hold for every link
 * in the inertial frame; joint forces follow by the principle of virtual power with
 * the partial velocities of all links. */
#ifndef SOA_TESTS_DYNAMICS_ORACLE_H
#define SOA_TESTS_DYNAMICS_ORACLE_H

#include "dynamics/dense.h"
#include "dynamics/jets.h"

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

#endif
