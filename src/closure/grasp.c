/* closure/grasp.c - the forces of a grasp: resultant, internal forces, shares of the load, force closure.
 *
 * The closures of a link give it the resultant G lambda, column j of G being row j as a wrench on the link at its
 * frame's origin. lambda = W^-1/2 (G W^-1/2)^+ wrench has the least weighted norm; what is left of any other is
 * internal: it squeezes and moves nothing. */
#include <math.h>
#include <string.h>

#include "closure/closure.h"
#include "closure/nonnegative.h"
#include "core/dense.h"
#include "core/error.h"

typedef struct grasp {
    int body, system;
    int rows;     /* of closures of the link's body */
    int *row;     /* which */
    double *G;    /* 6 numbers per row */
    double *work; /* 12 rows + ... : see grasp_of */
    double origin[3];
} grasp;

/* With which sign a closure pulls at the link: 1 or -1 by the end that is on its body, 0 if none is. */
static double sign_on(const soa_tie *tie, const grasp *g)
{
    for (int side = 0; !tie->coupling && g->body != SOA_WORLD && side < 2; side++) {
        if (tie->end[side].body == g->body && tie->end[side].system == g->system) {
            return side == 0 ? 1.0 : -1.0;
        }
    }
    return 0.0;
}

/* Row i as a wrench on the link at its origin. */
static void wrench_of(const soa_closures *set, const grasp *g, int row, double sign, double out[6])
{
    const double *W = set->row[row].W, *p = set->place[set->row[row].tie].p;
    const double l[3] = { p[0] - g->origin[0], p[1] - g->origin[1], p[2] - g->origin[2] };
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = sign * (W[i] + l[j] * W[3 + k] - l[k] * W[3 + j]);
        out[3 + i] = sign * W[3 + i];
    }
}

static soa_status grasp_of(soa_closures *set, const double *q, int system, int link, grasp *g, soa_error *error)
{
    const soa_closed_input in = { .q = q };
    const soa_status status = soa_check_closed(set, &in, error);
    if (status != SOA_OK) {
        return status;
    }
    if (system < 0 || system >= set->systems || link < 0 || link >= soa_model_links(set->part[system].model)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "system %d has no link %d", system, link);
    }
    const soa_part *part = &set->part[system];
    const size_t rows = (size_t)set->rows + 6;
    *g = (grasp){ .body = soa_model_link_body(part->model, link, NULL), .system = system };
    soa_stack_begin(&set->stack);
    g->row = soa_stack_take(&set->stack, rows, sizeof *g->row);
    g->G = soa_stack_take(&set->stack, 6 * rows, sizeof *g->G);
    g->work = soa_stack_take(&set->stack, rows * (rows + 32), sizeof *g->work);
    if (set->stack.overflow) {
        return soa_fail_room(set, "a grasp", error);
    }
    const soa_point origin = { link, soa_pose_identity() };
    double pose[12];
    (void)soa_point_kinematics(
        part->model, part->workspace, 1, &origin, 1, q + part->q, NULL, NULL, pose, NULL, NULL, NULL);
    memcpy(g->origin, pose + 9, sizeof g->origin);
    set->table->locate(set, &in);
    for (int i = 0; i < set->rows; i++) {
        const double sign = sign_on(&set->tie[set->row[i].tie], g);
        if (sign != 0.0) {
            wrench_of(set, g, i, sign, g->G + 6 * g->rows);
            g->row[g->rows++] = i;
        }
    }
    return SOA_OK;
}

/* lambda of least weighted norm with the resultant; false: the closures cannot give it. */
static bool balance(
    const soa_closures *set, const grasp *g, const double *weight, const double wrench[6], double *lambda)
{
    const int m = g->rows;
    double *A = g->work, *x = A + 6 * m, *work = x + m, b[6], scale = 0.0, left = 0.0;
    memset(lambda, 0, (size_t)set->rows * sizeof *lambda);
    memcpy(b, wrench, sizeof b);
    if (m == 0) {
        return false;
    }
    for (int j = 0; j < m; j++) {
        const double w = weight ? sqrt(weight[set->row[g->row[j]].tie]) : 1.0;
        for (int i = 0; i < 6; i++) {
            A[i * m + j] = g->G[6 * j + i] / w;
        }
    }
    soa_least_squares(6, (size_t)m, A, b, x, work, SOA_COMPUTED);
    for (int j = 0; j < m; j++) {
        lambda[g->row[j]] = x[j] / (weight ? sqrt(weight[set->row[g->row[j]].tie]) : 1.0);
    }
    for (int i = 0; i < 6; i++) {
        double sum = wrench[i];
        for (int j = 0; j < m; j++) {
            sum -= g->G[6 * j + i] * lambda[g->row[j]];
        }
        left = fmax(left, fabs(sum));
        scale = fmax(scale, fabs(wrench[i]));
    }
    return left <= 1e-8 * scale;
}

static soa_status check_weights(const soa_closures *set, const double *weight, soa_error *error)
{
    for (int i = 0; weight && i < set->ties; i++) {
        if (set->tie[i].enabled && !(weight[i] > 0.0 && isfinite(weight[i]))) {
            return soa_fail(error, SOA_E_NUMBER, -1, "weight[%d] must be positive and finite", i);
        }
    }
    return SOA_OK;
}

static soa_status fail_missing(soa_error *error)
{
    return soa_fail(error, SOA_E_ARGUMENT, -1, "a wrench, lambda or a result is missing");
}

soa_status soa_grasp_balance(soa_closures *set, int system, int link, int states, const double *q, const double *weight,
    const double *wrench, double *lambda, soa_error *error)
{
    soa_each each = soa_each_state(set, states, (soa_closed_input){ .q = q }, error);
    while (soa_each_next(&each)) {
        grasp g;
        const double *wanted = soa_given_at(wrench, 6, each.state);
        const soa_closed_result y = { "lambda", soa_result_at(lambda, set->rows, each.state), 1, SOA_BY_ROW };
        soa_status status =
            wrench && lambda ? grasp_of(set, each.in.q, system, link, &g, each.error) : fail_missing(each.error);
        SOA_NEXT(status, check_weights(set, weight, each.error));
        SOA_NEXT(status, soa_check_numbers(wanted, 6, "wrench", each.error));
        if (status == SOA_OK && !balance(set, &g, weight, wanted, y.at)) {
            status = soa_fail(each.error, SOA_E_CLOSURE, -1, "the closures of link '%s' cannot give it this wrench",
                soa_model_link(set->part[system].model, link)->name);
        }
        soa_each_done(&each, soa_closed_done(set, status, 1, &y, each.error));
    }
    return each.status;
}

/* wrench = G lambda; motion has the least weighted norm of all that give it; internal = lambda - motion. */
static void split(const soa_closures *set, const grasp *g, const double *weight, const double *lambda, double *motion,
    double *internal, double wrench[6])
{
    memset(wrench, 0, 6 * sizeof *wrench);
    memset(internal, 0, (size_t)set->rows * sizeof *internal);
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < 6; i++) {
            wrench[i] += g->G[6 * j + i] * lambda[g->row[j]];
        }
        internal[g->row[j]] = lambda[g->row[j]];
    }
    (void)balance(set, g, weight, wrench, motion); /* it exists: lambda gives it */
    for (int i = 0; i < set->rows; i++) {
        internal[i] -= motion[i];
    }
}

soa_status soa_grasp_split(soa_closures *set, int system, int link, int states, const double *q, const double *weight,
    const double *lambda, double *motion, double *internal, double *wrench, soa_error *error)
{
    soa_each each = soa_each_state(set, states, (soa_closed_input){ .q = q }, error);
    while (soa_each_next(&each)) {
        grasp g;
        double own[6], *resultant = wrench ? wrench + 6 * each.state : own;
        const double *given = soa_given_at(lambda, set->rows, each.state);
        const soa_closed_result y[] = { { "motion", soa_result_at(motion, set->rows, each.state), 1, SOA_BY_ROW },
            { "internal", soa_result_at(internal, set->rows, each.state), 1, SOA_BY_ROW },
            { "wrench", resultant, 6, SOA_IN_ALL } };
        soa_status status = lambda && motion && internal ? grasp_of(set, each.in.q, system, link, &g, each.error)
                                                         : fail_missing(each.error);
        SOA_NEXT(status, check_weights(set, weight, each.error));
        SOA_NEXT(status, soa_check_numbers(given, (size_t)set->rows, "lambda", each.error));
        if (status == SOA_OK) {
            split(set, &g, weight, given, y[0].at, y[1].at, resultant);
        }
        soa_each_done(&each, soa_closed_done(set, status, 3, y, each.error));
    }
    return each.status;
}

/* ---- force closure ------------------------------------------------------------------------------------------ */

/* Directions in which multipliers of the link's closures may push: edges of cones, and both signs of rows that
 * are not bounded. Each is a vector of up to six multipliers of one tie. */
typedef struct pushes {
    int count, most;
    int *tie;
    double *lambda; /* 6 per push */
    double *wrench; /* 6 per push */
} pushes;

static bool add_push(const soa_closures *set, const grasp *g, int tie, const double lambda[6], pushes *p)
{
    if (p->count == p->most) {
        return false;
    }
    double *sum = p->wrench + 6 * p->count;
    memset(sum, 0, 6 * sizeof *sum);
    memcpy(p->lambda + 6 * p->count, lambda, 6 * sizeof *lambda);
    p->tie[p->count++] = tie;
    for (int j = 0; j < g->rows; j++) {
        const int r = g->row[j] - set->tie[tie].first;
        for (int i = 0; set->row[g->row[j]].tie == tie && i < 6; i++) {
            sum[i] += g->G[6 * j + i] * lambda[r];
        }
    }
    return true;
}

/* The edges of the cone of a contact; its translations are its last three rows. */
static bool add_cone(const soa_closures *set, const grasp *g, int tie, int edges, pushes *p)
{
    const soa_closure *c = &set->tie[tie].closure;
    const int rows = set->tie[tie].rows, at = rows - 3;
    bool good = true;
    for (int k = 0; good && k < edges; k++) {
        const double angle = 6.283185307179586 * k / edges;
        double lambda[6] = { 0.0 };
        lambda[at] = c->friction * cos(angle);
        lambda[at + 1] = c->friction * sin(angle);
        lambda[at + 2] = 1.0;
        good = add_push(set, g, tie, lambda, p);
    }
    for (int r = 0; good && r < at; r++) { /* moments: bounded by the normal force, or not */
        const double bound = c->kind == SOA_CLOSE_SOFT_FINGER ? c->twist : 0.0;
        for (int sign = -1; good && sign <= 1; sign += 2) {
            double lambda[6] = { 0.0 };
            lambda[r] = bound > 0.0 ? sign * bound : sign;
            lambda[at + 2] = bound > 0.0 ? 1.0 : 0.0;
            good = add_push(set, g, tie, lambda, p);
        }
    }
    return good;
}

static bool add_pushes(const soa_closures *set, const grasp *g, int edges, pushes *p)
{
    bool good = true;
    for (int j = 0; good && j < g->rows; j++) {
        const int tie = set->row[g->row[j]].tie;
        const soa_tie *t = &set->tie[tie];
        const bool first = g->row[j] == t->first, cone = soa_kind_contact(&t->closure) && t->rows >= 3;
        if (cone) {
            good = !first || add_cone(set, g, tie, edges, p);
            continue;
        }
        for (int sign = soa_kind_contact(&t->closure) ? 1 : -1; good && sign <= 1; sign += 2) {
            double lambda[6] = { 0.0 };
            lambda[g->row[j] - t->first] = sign;
            good = add_push(set, g, tie, lambda, p);
        }
    }
    return good;
}

/* Whether the wrenches span all six directions. */
static bool spans(const pushes *p, double *work)
{
    double tau[6];
    memcpy(work, p->wrench, 6 * (size_t)p->count * sizeof *work);
    size_t column[6];
    return p->count >= 6 && soa_qr((size_t)p->count, 6, work, tau, column, SOA_COMPUTED).rank == 6;
}

static soa_status force_closure_at(
    soa_closures *set, const double *q, int system, int link, int edges, bool *closed, double *lambda, soa_error *error)
{
    grasp g;
    const soa_status status = grasp_of(set, q, system, link, &g, error);
    if (status != SOA_OK) {
        return status;
    }
    pushes p = { .most = (edges + 2) * (g.rows + 1) };
    const size_t most = (size_t)p.most;
    p.tie = soa_stack_take(&set->stack, most, sizeof *p.tie);
    p.lambda = soa_stack_take(&set->stack, 6 * most, sizeof *p.lambda);
    p.wrench = soa_stack_take(&set->stack, 6 * most, sizeof *p.wrench);
    double *x = soa_stack_take(&set->stack, 8 * most, sizeof *x);
    if (set->stack.overflow || !add_pushes(set, &g, edges, &p)) {
        return soa_fail_room(set, "a grasp", error);
    }
    double rest[6] = { 0.0 }, scale = 0.0;
    for (int k = 0; k < p.count; k++) { /* every push at least 1: sum (1 + x) wrench = 0 */
        for (int i = 0; i < 6; i++) {
            rest[i] -= p.wrench[6 * k + i];
            scale = fmax(scale, fabs(p.wrench[6 * k + i]));
        }
    }
    *closed = spans(&p, x) && soa_nonnegative(p.count, p.wrench, rest, x) <= 1e-9 * scale * p.count;
    for (int i = 0; lambda && i < set->rows; i++) {
        lambda[i] = 0.0;
    }
    for (int k = 0; lambda && *closed && k < p.count; k++) {
        for (int r = 0; r < set->tie[p.tie[k]].rows; r++) {
            lambda[set->tie[p.tie[k]].first + r] += (1.0 + x[k]) / edges * p.lambda[6 * k + r];
        }
    }
    return SOA_OK;
}

soa_status soa_force_closure(soa_closures *set, int system, int link, int edges, int states, const double *q,
    bool *closed, double *lambda, soa_error *error)
{
    if (edges < 4 || edges > 16 || !closed) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "a friction cone is taken as a pyramid of 4 to 16 edges");
    }
    soa_each each = soa_each_state(set, states, (soa_closed_input){ .q = q }, error);
    while (soa_each_next(&each)) {
        const soa_closed_result y = { "lambda", soa_result_at(lambda, set->rows, each.state), 1, SOA_BY_ROW };
        const soa_status status =
            force_closure_at(set, each.in.q, system, link, edges, &closed[each.state], y.at, each.error);
        soa_each_done(&each, soa_closed_done(set, status, 1, &y, each.error));
    }
    return each.status;
}
