/* tests/flex/particle_tree.h - random trees of rigid and flexible links that are made of particles.
 *
 * All data of the links are sums over their particles. Every second tree has second-order displacements too, every seventh has
 * rotors that their parents carry. */
#ifndef SOA_TESTS_FLEX_PARTICLE_TREE_H
#define SOA_TESTS_FLEX_PARTICLE_TREE_H

#include <stdlib.h>
#include <string.h>

#include "soa/soa.h"

enum { MODES = 11, NODES = 3, PARTICLES = 8, LINKS = 7 };

typedef struct part {
    soa_flexible data;
    double m[PARTICLES], x0[PARTICLES][3], U[PARTICLES][MODES][3];
    double S[PARTICLES][MODES * MODES * 3]; /* modes x modes x 3, symmetric */
    double position[NODES][3], shape[NODES * MODES * 6], shape2[NODES * MODES * MODES * 3], ef1[MODES * MODES * 3];
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

/* Symmetric vectors by two modes. */
static inline void random_pairs(int modes, double size, unsigned long long *seed, double *S)
{
    for (int i = 0; i < modes; i++) {
        for (int j = 0; j <= i; j++) {
            for (int e = 0; e < 3; e++) {
                S[3 * (i * modes + j) + e] = S[3 * (j * modes + i) + e] = size * rnd(seed);
            }
        }
    }
}

/* Second-order displacements of the particles and nodes of a part, and what they add to its integrals. */
static inline void foreshorten(part *p, double size, unsigned long long seed)
{
    const int modes = p->data.modes;
    p->data.ef1 = p->ef1;
    p->data.shape2 = p->shape2;
    for (int a = 0; a < PARTICLES; a++) {
        random_pairs(modes, size, &seed, p->S[a]);
        for (int ij = 0; ij < modes * modes; ij++) {
            const double *S = p->S[a] + 3 * ij;
            add_cross3(p->m[a], p->x0[a], S, p->en1 + 3 * ij);
            add_second(p->m[a], p->x0[a], S, p->second2 + 6 * ij);
            for (int e = 0; e < 3; e++) {
                p->ef1[3 * ij + e] += p->m[a] * S[e];
            }
        }
    }
    for (int t = 0; t < NODES; t++) {
        random_pairs(modes, size, &seed, p->shape2 + 3 * t * modes * modes);
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

/* A rotor of six particles of a sixth of its mass: two on the axis, four across it. */
static inline soa_rotor random_rotor(unsigned long long seed)
{
    soa_rotor r = { .ratio = 3.0 * rnd(&seed), .mass = 0.5 + 0.4 * rnd(&seed), .armature = 0.05 };
    for (int e = 0; e < 3; e++) {
        r.axis[e] = rnd(&seed);
        r.com[e] = 0.3 * rnd(&seed);
    }
    r.spin = 0.1 + 0.05 * rnd(&seed);
    r.transverse = 0.5 * r.spin + 0.1 + 0.05 * rnd(&seed);
    return r;
}

static inline bool tree_has_rotors(unsigned long long seed)
{
    return seed % 7 == 0;
}

/* A random tree; seed decides everything. floating: the first link is free. */
static inline tree tree_make(unsigned long long seed, bool floating, double stiffness)
{
    const bool foreshortens = seed % 2 == 1, rotors = tree_has_rotors(seed);
    const int more = seed % 4 == 0 ? MODES - 4 : 0; /* modes than move a node */
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
        make_part(&t.part[l], flexible ? 1 + more + (int)(2.0 + 1.99 * rnd(&seed)) : 1, 0.3, stiffness, &seed);
        link.joint.at = random_pose(&seed, 0.5);
        link.joint.child = random_pose(&seed, 0.2);
        for (int e = 0; e < 3; e++) {
            link.joint.axis[e] = rnd(&seed);
        }
        if (flexible) {
            if (foreshortens) {
                foreshorten(&t.part[l], 0.1, seed);
            }
            link.flexible = &t.part[l].data;
        } else {
            link.inertia = rigid_inertia(&t.part[l]);
        }
        if (parent >= 0 && soa_builder_link(b, parent)->flexible) {
            link.node = (int)(2.0 + 1.99 * rnd(&seed));
        }
        link.joint.rotor.armature = link.joint.kind == SOA_REVOLUTE && rnd(&seed) > 0.0 ? 0.1 : 0.0;
        if (rotors && parent >= 0 && soa_joint_kind_nv(link.joint.kind) == 1) {
            link.joint.rotor = random_rotor(seed);
        }
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

#endif
