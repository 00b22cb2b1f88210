/* closure/branch.c - the nearest position on the branch on which a mechanism moves.
 *
 * Where branches of positions cross, the nearest position may lie on another one. On one branch the way between two
 * positions near each other is nearly tangent at both; between branches it is not. */
#include <math.h>
#include <string.h>

#include "closure/spectrum.h"
#include "core/error.h"

/* A way is tangent if its part that the closures forbid is below this part of it. */
#define ACROSS 0.3
/* Loop systems that move by less than this part of the fastest motion are not judged: theirs is rounding. */
#define AT_REST 1e-6

/* Scratch of this file, behind that of project.c in set->scratch.vector. */
typedef struct way {
    double *d, *t; /* from one position to another, and what the closures allow of it */
    double *q, *v;
    double *square, *across; /* by loop system */
} way;

static way way_of(const soa_closures *set)
{
    double *at = set->scratch.vector + 4 * (set->max_rows + 1) + 4 * set->nv + set->nq;
    way w = { .d = at, .t = at + set->nv, .v = at + 2 * set->nv, .q = at + 3 * set->nv };
    w.square = w.q + set->nq;
    w.across = w.square + set->max_rows + 1;
    return w;
}

bool soa_loops_allow(soa_closures *set, const double *d, const double *t)
{
    const way w = way_of(set);
    double fastest = 0.0;
    bool allowed = true;
    if (!set->ranks.made) {
        soa_find_loops(set);
    }
    memset(w.square, 0, 2 * ((size_t)set->max_rows + 1) * sizeof(double));
    for (int k = 0; k < set->nodes; k++) {
        const soa_node *node = &set->node[k];
        const soa_body_data *body = &set->part[node->part].model->body[node->body];
        for (int i = set->part[node->part].v + body->v; i < set->part[node->part].v + body->v + body->nv; i++) {
            fastest = fmax(fastest, d[i] * d[i]);
            if (node->loop >= 0) {
                w.square[node->loop] += d[i] * d[i];
                w.across[node->loop] += (d[i] - t[i]) * (d[i] - t[i]);
            }
        }
    }
    for (int l = 0; l < set->ranks.loops; l++) {
        const bool moves = w.square[l] > AT_REST * AT_REST * fastest;
        allowed = allowed && !(moves && w.across[l] > ACROSS * ACROSS * w.square[l]);
    }
    return allowed;
}

/* w->d = the way between two positions, w->t what the closures allow of it at the first; whether that is nearly all, for each
 * loop system by itself. */
static bool is_tangent(soa_closures *set, const double *q, const double *to, const way *w)
{
    for (int s = 0; s < set->systems; s++) {
        const soa_part *part = &set->part[s];
        soa_difference(part->model, q + part->q, to + part->q, w->d + part->v);
    }
    memcpy(w->t, w->d, (size_t)set->nv * sizeof(double));
    if (soa_closure_project_velocity(set, SOA_METRIC_MASS, 1, q, w->t, NULL, NULL) != SOA_OK) {
        return true; /* prescribed motions: the closures themselves go on */
    }
    return soa_loops_allow(set, w->d, w->t);
}

/* w->q along the tangent at q_from, as far as it was, and projected; true: the way there is tangent too. */
static bool keep_branch(soa_closures *set, soa_metric metric, double tolerance, const double *q_from, const way *w)
{
    (void)is_tangent(set, q_from, w->q, w);
    soa_closures_move(set, q_from, w->t, 1.0, w->q);
    return soa_closure_project(set, metric, tolerance, 1, w->q, NULL, NULL, NULL) == SOA_OK &&
           is_tangent(set, w->q, q_from, w);
}

/* One state; v NULL: positions alone. */
static soa_status project_state(soa_closures *set, soa_metric metric, double tolerance, const double *q_from, double *q,
    double *v, soa_projection *p, soa_error *error)
{
    const way w = way_of(set);
    if (v) {
        memcpy(w.v, v, (size_t)set->nv * sizeof *v);
    }
    soa_status status = soa_closure_project(set, metric, tolerance, 1, q, v, p, error);
    if (status == SOA_OK && set->rows > 0 && !is_tangent(set, q, q_from, &w)) {
        memcpy(w.q, q, (size_t)set->nq * sizeof *q);
        p->branch_kept = keep_branch(set, metric, tolerance, q_from, &w);
        p->branch_changed = !p->branch_kept;
        if (p->branch_kept) {
            memcpy(q, w.q, (size_t)set->nq * sizeof *q);
        }
        if (p->branch_kept && v) {
            memcpy(v, w.v, (size_t)set->nv * sizeof *v);
            status = soa_closure_project_velocity(set, metric, 1, q, v, NULL, error);
        }
    }
    return status;
}

soa_status soa_closure_project_from(soa_closures *set, soa_metric metric, double tolerance, int states,
    const double *q_from, double *q, double *v, soa_projection *projection, soa_error *error)
{
    soa_each each = soa_each_state(set, states, (soa_closed_input){ .q = q_from }, error);
    while (soa_each_next(&each)) {
        double *q_at = soa_result_at(q, set->nq, each.state), *v_at = soa_result_at(v, set->nv, each.state);
        soa_projection p = { 0 };
        soa_each_done(&each, q && q_from ? project_state(set, metric, tolerance, each.in.q, q_at, v_at, &p, each.error)
                                         : soa_fail_null(each.error, "q or the position before"));
        if (projection) {
            projection[each.state] = p;
        }
    }
    return each.status;
}
