/* A model at a random state, and force elements with random numbers on it. */
#ifndef SOA_TESTS_FORCE_KIT_H
#define SOA_TESTS_FORCE_KIT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "soa/force.h"

enum { MOST = 64, KINDS = SOA_FORCE_ELASTIC };

typedef struct kit {
    soa_model *model;
    soa_workspace *workspace;
    soa_forces *forces;
    soa_error error;
    int nq, nv;
    double q[MOST], v[MOST], T[MOST], f[6 * MOST], Q[MOST];
    unsigned long long seed;
} kit;

static inline void begin(kit *k, const char *name, unsigned long long seed)
{
    memset(k, 0, sizeof *k);
    k->seed = seed;
    assert_int_equal(soa_model_builtin(name, NULL, &k->model, &k->error), SOA_OK);
    assert_int_equal(soa_workspace_new(k->model, NULL, &k->workspace, &k->error), SOA_OK);
    k->nq = soa_model_nq(k->model);
    k->nv = soa_model_nv(k->model);
    assert_true(k->nq <= MOST && soa_model_bodies(k->model) <= MOST);
    soa_random_configuration(k->model, &k->seed, k->q);
    for (int i = 0; i < k->nv; i++) {
        k->v[i] = soa_model_random_number(&k->seed);
    }
}

static inline void end(kit *k)
{
    soa_forces_free(k->forces);
    soa_workspace_free(k->workspace);
    soa_model_free(k->model);
}

static inline double random_between(kit *k, double low, double high)
{
    return low + 0.5 * (high - low) * (1.0 + soa_model_random_number(&k->seed));
}

/* On a node, if the link is flexible. */
static inline soa_point random_point(kit *k, int link)
{
    const soa_flexible *f = link == SOA_WORLD ? NULL : soa_model_link(k->model, link)->flexible;
    const double xyz[3] = { random_between(k, -0.3, 0.3), random_between(k, -0.3, 0.3), random_between(k, -0.3, 0.3) };
    const double rpy[3] = { random_between(k, -3, 3), random_between(k, -1, 1), random_between(k, -3, 3) };
    const int node = f ? (int)random_between(k, 1, f->nodes + 0.99) : SOA_LINK_FRAME;
    return (soa_point){ link, soa_pose_from_rpy(xyz, rpy), node };
}

/* An element of the kind with random numbers between the last link and another, or at the first joint that takes it. */
static inline soa_force random_force(kit *k, soa_force_kind kind, int other)
{
    soa_force e = soa_force_default(soa_force_kind_text(kind), kind);
    const int links = soa_model_links(k->model);
    e.stiffness = random_between(k, 10, 200);
    e.damping = kind == SOA_FORCE_CONTACT || kind == SOA_FORCE_JOINT_LIMIT ? 0.2 : random_between(k, 1, 5);
    e.length = kind == SOA_FORCE_CONTACT ? 8.0 : 0.2; /* a ball so large that it touches */
    e.value = random_between(k, 0.3, 2.0);
    e.speed = 0.3;
    e.lower = kind == SOA_FORCE_JOINT_LIMIT ? 7.0 : e.lower;
    e.upper = 9.0;
    e.in_body = true;
    for (int i = 0; i < 6; i++) {
        e.wrench[i] = random_between(k, -3, 3);
        e.hold[i] = random_between(k, 5, 50);
        e.damp[i] = random_between(k, 1, 3);
    }
    e.a = random_point(k, links - 1);
    e.b = random_point(k, other);
    for (int b = 0; b < soa_model_bodies(k->model); b++) {
        const soa_body body = soa_model_body(k->model, b);
        const bool fits = body.nv == 1 || (kind == SOA_FORCE_JOINT_SPRING && body.kind == SOA_SPHERICAL) ||
                          kind == SOA_FORCE_JOINT_DAMPER || kind == SOA_FORCE_JOINT_FRICTION;
        if (fits) {
            e.link = body.link;
        }
    }
    return e;
}

/* Hills under everything that the models can reach. */
enum { GRID = 12 };
static double HEIGHT[GRID * GRID];
static const soa_height_field HILLS = { GRID, GRID, -5.5, -5.5, 1.0, 1.0, HEIGHT };

static inline void make_hills(double bend)
{
    for (int i = 0; i < GRID * GRID; i++) {
        const double x = HILLS.x + i % GRID, y = HILLS.y + (double)(i / GRID);
        HEIGHT[i] = 0.1 * x + 0.2 * y + bend * sin(1.3 * x) * cos(0.9 * y);
    }
}

static inline void make(kit *k, int count, const soa_force *force)
{
    assert_int_equal(soa_forces_new(k->model, count, force, NULL, &k->forces, &k->error), SOA_OK);
}

static inline double apply(kit *k, const double *q, const double *v, double *power)
{
    double energy[KINDS], given[KINDS], sum = 0.0;
    const soa_force_report report = { .energy = energy, .power = given };
    memset(k->T, 0, sizeof k->T);
    memset(k->f, 0, sizeof k->f);
    assert_int_equal(soa_forces_apply(k->forces, 0.0, q, v, k->T, k->f, &report, &k->error), SOA_OK);
    *power = 0.0;
    for (int i = 0; i < soa_forces_count(k->forces); i++) {
        sum += energy[i];
        *power += given[i];
    }
    return sum;
}

/* Q = T + J* f, by inverse dynamics with and without f. */
static inline void generalized(kit *k, const double *q, const double *v, double *Q)
{
    double with[MOST], without[MOST], power;
    apply(k, q, v, &power);
    assert_int_equal(soa_inverse_dynamics(k->model, k->workspace, 1, q, NULL, NULL, k->f, with, NULL), SOA_OK);
    assert_int_equal(soa_inverse_dynamics(k->model, k->workspace, 1, q, NULL, NULL, NULL, without, NULL), SOA_OK);
    for (int i = 0; i < k->nv; i++) {
        Q[i] = k->T[i] + without[i] - with[i];
    }
}

static inline double largest(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

#endif
