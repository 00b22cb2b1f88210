/* closure/project.c - the nearest positions and velocities that satisfy the closures.
 *
 * A step d of least size with J d = -e. In the metric of the mass matrix it is what the solver of the
 * motion gives for a system at rest without gravity whose rows are to accelerate by -e:
 *     d = -Mass^-1 J* (J Mass^-1 J*)^+ e
 * in O(n) and with its treatment of dependent rows. In that of the identity, -J^+ e by conjugate gradients. */
#include <math.h>
#include <string.h>

#include "closure/closure.h"
#include "core/error.h"
#include "core/finite.h"

enum { MOST_STEPS = 200, MOST_HALVINGS = 12 };
#define LONGEST_STEP 1.0
#define SHORT_STEP   0.1
#define SINGULAR     1e-5 /* singular values that are as small */

/* set->scratch.vector: by row e, r, p, then by velocity the step, and three more. */
typedef struct scratch {
    double *e, *r, *Jd, *d, *s, *p, *row, *q;
} scratch;

static scratch scratch_of(const soa_closures *set)
{
    double *at = set->scratch.vector + (set->max_rows + 1); /* the first part is least_norm.c's */
    const int n = set->max_rows + 1;
    scratch z = { .e = at, .r = at + n, .Jd = at + 2 * n, .d = at + 3 * n };
    z.s = z.d + set->nv;
    z.p = z.s + set->nv;
    z.row = z.p + set->nv;
    z.q = z.row + set->nv;
    return z;
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* d = -J^+ e: conjugate gradients on the least squares from zero, which stay in the range of J*. */
static void least_step(soa_closures *set, const scratch *z)
{
    const int nv = set->nv, rows = set->rows;
    memset(z->d, 0, (size_t)nv * sizeof(double));
    memset(z->s, 0, (size_t)nv * sizeof(double));
    for (int i = 0; i < rows; i++) {
        z->r[i] = -z->e[i];
    }
    set->table->multiply(set, true, z->r, z->row, z->s);
    memcpy(z->p, z->s, (size_t)nv * sizeof(double));
    double gamma = dot(nv, z->s, z->s);
    const double enough = 1e-28 * gamma;
    for (int k = 0; gamma > enough && k < 4 * rows + 8; k++) {
        set->table->multiply(set, false, z->p, z->row, z->Jd);
        const double size = dot(rows, z->Jd, z->Jd);
        if (!(size > 0.0)) {
            break; /* so small that its square is none */
        }
        const double alpha = gamma / size;
        for (int i = 0; i < nv; i++) {
            z->d[i] += alpha * z->p[i];
            z->s[i] = 0.0;
        }
        for (int i = 0; i < rows; i++) {
            z->r[i] -= alpha * z->Jd[i];
        }
        set->table->multiply(set, true, z->r, z->row, z->s);
        const double next = dot(nv, z->s, z->s);
        for (int i = 0; i < nv; i++) {
            z->p[i] = z->s[i] + next / gamma * z->p[i];
        }
        gamma = next;
    }
}

/* The step into z->d for the errors in z->e, at a q that has been checked. */
static soa_status find_step(
    soa_closures *set, soa_metric metric, const double *q, bool positions, const scratch *z, soa_error *error)
{
    soa_closed_input in = { .q = q,
        .vdot = z->d,
        .mode = SOA_SOLVE_STEP,
        .target = z->e,
        .positions = positions,
        .identity = metric == SOA_METRIC_IDENTITY };
    soa_status status = soa_solve_closed(set, &in, error);
    if (status == SOA_E_SINGULAR && !in.identity) { /* a motion without inertia is measured in the numbers of v */
        in.identity = true;
        if (error) {
            soa_error_clear(error);
        }
        status = soa_solve_closed(set, &in, error);
    }
    if (status == SOA_OK && in.identity && !set->last.dense) {
        set->table->locate(set, &in);
        for (int i = 0; i < set->rows; i++) {
            if (positions && set->row[i].rolls) {
                memset(set->row[i].W, 0, sizeof set->row[i].W);
            }
        }
        least_step(set, z);
    }
    return status;
}

/* Largest violation, and the errors into e. v NULL: positions. */
static double errors_at(soa_closures *set, const double *q, const double *v, double *e)
{
    const soa_closed_input in = { .q = q, .v = v };
    double largest = 0.0;
    set->table->locate(set, &in);
    for (int i = 0; i < set->rows; i++) {
        e[i] = v ? set->row[i].velocity : set->row[i].position;
        largest = fmax(largest, fabs(e[i]));
    }
    return soa_all_finite(e, (size_t)set->rows) ? largest : NAN; /* which no tolerance allows */
}

/* The closure missed most. */
static int worst_tie(const soa_closures *set)
{
    int worst = 0;
    for (int i = 1; i < set->rows; i++) {
        worst = fabs(set->row[i].position) > fabs(set->row[worst].position) ? i : worst;
    }
    return set->row[worst].tie;
}

/* The longest part of a step; below the first the configuration has come to rest if steps shrink no more. */
#define AT_REST 1e-9

static double longest_of(const soa_closures *set, const scratch *z)
{
    double longest = 0.0;
    for (int i = 0; i < set->nv; i++) {
        longest = fmax(longest, fabs(z->d[i]));
    }
    return longest;
}

/* One Gauss-Newton step, shortened until it helps; the new largest error, or a negative number if none helps. */
static double improve(soa_closures *set, const scratch *z, double now, double *q)
{
    double by = 1.0;
    const double longest = longest_of(set, z);
    if (!isfinite(longest)) {
        return -1.0;
    }
    const double before = dot(set->rows, z->e, z->e);
    by = longest > LONGEST_STEP ? LONGEST_STEP / longest : by;
    const bool near =
        set->ranks.found.rounded && longest < SHORT_STEP; /* there the sum of squares need not fall in plain units */
    for (int k = 0; k < MOST_HALVINGS; k++, by *= 0.5) {
        soa_closures_move(set, q, z->d, by, z->q);
        const double then = errors_at(set, z->q, NULL, z->r);
        if (near || then < now || dot(set->rows, z->r, z->r) < before) {
            memcpy(q, z->q, (size_t)set->nq * sizeof *q);
            memcpy(z->e, z->r, (size_t)set->rows * sizeof(double));
            return then;
        }
    }
    return -1.0;
}

static soa_status fail_position(soa_closures *set, const soa_projection *p, soa_error *error)
{
    char label[SOA_CLOSURE_LABEL];
    (void)soa_closure_label(set, worst_tie(set), label, sizeof label);
    soa_find_ranks(set);
    if (!isfinite(p->position)) {
        return soa_fail(error, SOA_E_NUMBER, -1,
            "what closure '%s' misses is not finite: the numbers of q or of the model are too large; give smaller ones",
            label);
    }
    if (p->rounded) {
        return soa_fail(error, SOA_E_CLOSURE, -1,
            "closure '%s' is missed by %.3g after %d steps, more than rows of closures %s may contradict each other; "
            "start nearer, or allow a larger contradiction",
            label, p->position, p->iterations, set->ranks.found.nearly);
    }
    if (set->ranks.found.unmet) {
        return soa_fail(error, SOA_E_CLOSURE, -1,
            "closure '%s' is missed by %.3g after %d steps, and no other start was found that satisfies all rows; "
            "look at the frames of the closures, or allow rows to contradict each other by more",
            label, p->position, p->iterations);
    }
    return soa_fail(error, SOA_E_CLOSURE, -1,
        "closure '%s' is missed by %.3g after %d steps; start nearer to a closed configuration", label, p->position,
        p->iterations);
}

/* What is left of the errors may be so: rounded rows are missed by what they contradict each other. */
static bool may_stay(soa_closures *set, double tolerance, const soa_projection *p)
{
    const double contradiction = set->tolerance.contradiction > 0.0 ? set->tolerance.contradiction : 1e-2;
    return p->position <= tolerance || (p->rounded && p->position <= contradiction);
}

static soa_status project_positions(
    soa_closures *set, soa_metric metric, double tolerance, double *q, soa_projection *p, soa_error *error)
{
    const scratch z = scratch_of(set);
    double now = errors_at(set, q, NULL, z.e);
    double before = INFINITY;
    bool rest = false;
    soa_status status = SOA_OK;
    for (p->iterations = 0; status == SOA_OK && now > tolerance && !rest && p->iterations < MOST_STEPS;
         p->iterations++) {
        status = find_step(set, metric, q, true, &z, error);
        const double step = longest_of(set, &z);
        rest = set->ranks.found.rounded && step < AT_REST && !(step < 0.5 * before);
        const double then = status == SOA_OK && !rest ? improve(set, &z, now, q) : -1.0;
        if (then < 0.0) {
            break;
        }
        now = then;
        before = step;
    }
    p->position = errors_at(set, q, NULL, z.e);
    p->rounded = set->ranks.found.rounded && (rest || p->position <= tolerance);
    return status == SOA_OK && !may_stay(set, tolerance, p) ? fail_position(set, p, error) : status;
}

/* Two steps: the second mends what the first left of rounding. */
static soa_status project_velocities(
    soa_closures *set, soa_metric metric, const double *q, double *v, soa_projection *p, soa_error *error)
{
    const scratch z = scratch_of(set);
    soa_status status = SOA_OK;
    double now = errors_at(set, q, v, z.e);
    for (int k = 0; status == SOA_OK && now > 0.0 && k < 3; k++) {
        status = find_step(set, metric, q, false, &z, error);
        for (int i = 0; status == SOA_OK && i < set->nv; i++) {
            v[i] += z.d[i];
        }
        now = errors_at(set, q, v, z.e);
    }
    p->velocity = now;
    double scale = 1.0;
    for (int i = 0; i < set->nv; i++) {
        scale = fmax(scale, fabs(v[i]));
    }
    const double part = set->tolerance.velocity > 0.0 ? set->tolerance.velocity : 1e-9;
    status =
        status == SOA_OK ? soa_closed_finite(set, (soa_closed_result){ "v", v, 1, SOA_BY_VELOCITY }, error) : status;
    if (status == SOA_OK && !(now <= (part + 100.0 * soa_rounding(&set->ranks)) * scale)) {
        const char *remedy = set->last.kept < SINGULAR ? "q is a singular position; start elsewhere"
                                                       : "look at their prescribed motions";
        status = soa_fail(error, SOA_E_CLOSURE, -1,
            "no velocity satisfies all closures: one is missed by %.3g; %s, or allow more", now, remedy);
    }
    return status;
}

static int rank_at(soa_closures *set, const double *q)
{
    const scratch z = scratch_of(set);
    memset(z.e, 0, (size_t)set->rows * sizeof(double));
    return find_step(set, SOA_METRIC_MASS, q, false, &z, NULL) == SOA_OK ? set->rows - set->last.dependent : 0;
}

static soa_status check(soa_closures *set, soa_metric metric, const soa_closed_input *in, soa_error *error)
{
    if ((unsigned)metric > SOA_METRIC_IDENTITY) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "metric %d does not exist; use one of soa_metric", (int)metric);
    }
    return soa_check_closed(set, in, error);
}

/* What was found, to the caller if he wants it. */
static void tell(const soa_projection *p, soa_projection *all, int state)
{
    if (all) {
        all[state] = *p;
    }
}

soa_status soa_closure_project_velocity(soa_closures *set, soa_metric metric, int states, const double *q, double *v,
    soa_projection *projection, soa_error *error)
{
    soa_each each = soa_each_state(set, states, (soa_closed_input){ .q = q, .v = v }, error);
    while (soa_each_next(&each)) {
        soa_projection p = { 0 };
        soa_status status = check(set, metric, &each.in, each.error);
        if (status == SOA_OK && v) {
            status = project_velocities(set, metric, each.in.q, soa_result_at(v, set->nv, each.state), &p, each.error);
        }
        p.rank = status == SOA_OK ? rank_at(set, each.in.q) : 0;
        tell(&p, projection, each.state);
        soa_each_done(&each, status);
    }
    return each.status;
}

soa_status soa_closure_project(soa_closures *set, soa_metric metric, double tolerance, int states, double *q, double *v,
    soa_projection *projection, soa_error *error)
{
    const double enough = tolerance > 0.0 ? tolerance : 1e-12;
    soa_each each = soa_each_state(set, states, (soa_closed_input){ .q = q, .v = v }, error);
    while (soa_each_next(&each)) {
        soa_projection p = { 0 };
        double *q_at = soa_result_at(q, set->nq, each.state), *v_at = soa_result_at(v, set->nv, each.state);
        soa_status status = check(set, metric, &each.in, each.error);
        if (status == SOA_OK && !(tolerance >= 0.0 && isfinite(tolerance))) {
            status = soa_fail(each.error, SOA_E_ARGUMENT, -1, "the tolerance of a projection is not negative");
        }
        SOA_NEXT(status, project_positions(set, metric, enough, q_at, &p, each.error));
        status = status == SOA_OK && v ? project_velocities(set, metric, q_at, v_at, &p, each.error) : status;
        p.rank = status == SOA_OK ? rank_at(set, q_at) : 0;
        tell(&p, projection, each.state);
        soa_each_done(&each, status);
    }
    return each.status;
}
