/* tests/sens/differences.h - derivatives by differences of eighth order along each velocity.
 *
 * Rounding is divided by the step and the rest of the series multiplied by it: a chain with light tips needs a small one,
 * a heavy tree a large one. So three are taken, and of each number the one that agrees best with another. */
#ifndef SOA_TESTS_SENS_DIFFERENCES_H
#define SOA_TESTS_SENS_DIFFERENCES_H

#include "dynamics/kit.h"
#include "operator/random_tree.h"

/* Computes n numbers at q, v, u. */
typedef void function(kit *k, const double *q, const double *v, const double *u, double *y);

/* What is moved: q along velocity j, v[j], or u[j]. */
typedef enum moves {
    BY_Q,
    BY_V,
    BY_U,
} moves;

typedef struct difference {
    kit *k;
    function *f;
    moves by;
    const double *u;
    int j;
    double *q, *v, *x, *step;
} difference;

static inline void at_time(void *context, double t, double *y)
{
    difference *d = context;
    kit *k = d->k;
    memcpy(d->q, k->q, (size_t)k->nq * sizeof *d->q);
    memcpy(d->v, k->v, (size_t)k->nv * sizeof *d->v);
    memcpy(d->x, d->u, (size_t)k->nv * sizeof *d->x);
    if (d->by == BY_Q) {
        memset(d->step, 0, (size_t)k->nv * sizeof *d->step);
        d->step[d->j] = 1.0;
        soa_integrate(k->m, k->q, d->step, t, d->q);
    } else {
        (d->by == BY_V ? d->v : d->x)[d->j] += t;
    }
    d->f(k, d->q, d->v, d->x, y);
}

/* h: the largest step. */
static inline void best_rate_of(timed *f, void *context, double h, int n, double *rate)
{
    double *large = numbers(n), *small = numbers(n);
    rate_of(f, context, h, n, large);
    rate_of(f, context, h / 3.0, n, rate);
    rate_of(f, context, h / 9.0, n, small);
    for (int i = 0; i < n; i++) {
        rate[i] = fabs(small[i] - rate[i]) < fabs(rate[i] - large[i]) ? small[i] : rate[i];
    }
    free(large);
    free(small);
}

/* The matrix dy/dx of n rows and nv columns at the state of the kit and u. */
static inline double *differences(kit *k, function *f, moves by, const double *u, int n)
{
    double *matrix = numbers(n * k->nv), *column = numbers(n);
    difference d = { k, f, by, u, 0, numbers(k->nq), numbers(k->nv), numbers(k->nv), numbers(k->nv) };
    for (d.j = 0; d.j < k->nv; d.j++) {
        best_rate_of(at_time, &d, 0.04, n, column);
        for (int i = 0; i < n; i++) {
            matrix[i * k->nv + d.j] = column[i];
        }
    }
    free(column);
    free(d.q);
    free(d.v);
    free(d.x);
    free(d.step);
    return matrix;
}

/* A random tree of every kind of joint, with rotors. */
static inline kit kit_random_tree(int seed)
{
    const tree t =
        tree_new(1 + seed % 24, seed % 5 == 0 ? TREE_CHAIN : TREE_BUSHY, seed % 2 == 0, (unsigned long long)seed + 1);
    return kit_of(t.model, (unsigned long long)seed + 1);
}

#endif
