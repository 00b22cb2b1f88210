/* closure/branch.c - the nearest position on the branch on which a mechanism moves.
 *
 * Where branches of positions cross, the nearest position may lie on another one. On one branch the way between two
 * positions near each other is nearly tangent at both; between branches it is not. */
#include <string.h>

#include "closure/closure.h"
#include "core/error.h"

/* A way is tangent if its part that the closures forbid is below this part of it. */
#define ACROSS 0.3

/* Scratch of this file, behind that of project.c in set->vector. */
typedef struct way {
    double *d, *t; /* from one position to another, and what the closures allow of it */
    double *q, *v;
} way;

static way way_of(const soa_closures *set)
{
    double *at = set->vector + 4 * (set->max_rows + 1) + 4 * set->nv + set->nq;
    return (way){ .d = at, .t = at + set->nv, .v = at + 2 * set->nv, .q = at + 3 * set->nv };
}

/* w->d = the way between two positions, w->t what the closures allow of it at the first; whether that is nearly all. */
static bool is_tangent(soa_closures *set, const double *q, const double *to, const way *w)
{
    double square = 0.0, across = 0.0;
    for (int s = 0; s < set->systems; s++) {
        const soa_part *part = &set->part[s];
        soa_difference(part->model, q + part->q, to + part->q, w->d + part->v);
    }
    memcpy(w->t, w->d, (size_t)set->nv * sizeof(double));
    if (soa_closure_project_velocity(set, SOA_METRIC_MASS, q, w->t, NULL, NULL) != SOA_OK) {
        return true; /* prescribed motions: the closures themselves go on */
    }
    for (int i = 0; i < set->nv; i++) {
        square += w->d[i] * w->d[i];
        across += (w->d[i] - w->t[i]) * (w->d[i] - w->t[i]);
    }
    return across <= ACROSS * ACROSS * square;
}

/* w->q along the tangent at q_from, as far as it was, and projected; true: the way there is tangent too. */
static bool keep_branch(soa_closures *set, soa_metric metric, double tolerance, const double *q_from, const way *w)
{
    (void)is_tangent(set, q_from, w->q, w);
    for (int s = 0; s < set->systems; s++) {
        const soa_part *part = &set->part[s];
        soa_integrate(part->model, q_from + part->q, w->t + part->v, 1.0, w->q + part->q);
    }
    return soa_closure_project(set, metric, tolerance, w->q, NULL, NULL, NULL) == SOA_OK &&
           is_tangent(set, w->q, q_from, w);
}

soa_status soa_closure_project_from(soa_closures *set, soa_metric metric, double tolerance, const double *q_from,
    double *q, double *v, soa_projection *projection, soa_error *error)
{
    soa_projection p = { 0 };
    if (!set || !q || !q_from || !v) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the set, q, v or the position before is missing");
    }
    const way w = way_of(set);
    memcpy(w.v, v, (size_t)set->nv * sizeof *v);
    soa_status status = soa_closure_project(set, metric, tolerance, q, v, &p, error);
    if (status == SOA_OK && set->rows > 0 && !is_tangent(set, q, q_from, &w)) {
        memcpy(w.q, q, (size_t)set->nq * sizeof *q);
        p.branch_kept = keep_branch(set, metric, tolerance, q_from, &w);
        p.branch_changed = !p.branch_kept;
        if (p.branch_kept) {
            memcpy(q, w.q, (size_t)set->nq * sizeof *q);
            memcpy(v, w.v, (size_t)set->nv * sizeof *v);
            status = soa_closure_project_velocity(set, metric, q, v, NULL, error);
        }
    }
    if (projection) {
        *projection = p;
    }
    return status;
}
